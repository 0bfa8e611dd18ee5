package profile

import (
	"net/url"
	"slices"
	"strings"
	"testing"
)

// TestSources requires a source of the limits of each profile, or a word that they are guesses.
func TestSources(t *testing.T) {
	for _, c := range slices.Concat(clouds, seconds) {
		profiles := []*Profile{c.contract}
		if c.api != nil {
			profiles = append(profiles, c.api)
		}

		for _, s := range slices.Concat(c.services, c.always, c.refuses) {
			profiles = append(profiles, s.profile)
		}

		for _, p := range profiles {
			if p.Source == "" && p.Guess == "" {
				t.Errorf("%s (%s, at most %d tags): want a source, or the limits that are guessed", p.Name, p.KeyClass.Name, p.MaxTags)
			}

			checkSources(t, p.Name, strings.Fields(p.Source))
		}
	}
}

// TestServiceSources requires a source of the limits of each AWS service.
func TestServiceSources(t *testing.T) {
	for _, s := range Services() {
		if len(s.Sources) == 0 {
			t.Errorf("%s: want a model or a document with its limits", s.Name)
		}

		checkSources(t, s.Name, s.Sources)
	}
}

// checkSources requires addresses of documents. A line moves, unless its address has a commit.
func checkSources(t *testing.T, name string, sources []string) {
	t.Helper()

	for _, source := range sources {
		address, err := url.Parse(source)
		if err != nil || address.Scheme != "https" || strings.Trim(address.Path+address.RawQuery+address.Fragment, "/") == "" {
			t.Errorf("%s: the source %q is no address of a document: %v", name, source, err)
			continue
		}

		if strings.HasPrefix(address.Fragment, "L") && !strings.Contains(address.Path, "/blob/") {
			t.Errorf("%s: the source %q is a line without a commit", name, source)
		}
	}
}
