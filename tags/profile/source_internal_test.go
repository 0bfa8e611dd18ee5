package profile

import (
	"net/url"
	"slices"
	"strings"
	"testing"
)

// TestSources requires a source of the limits of each profile, or a word that they are guesses.
func TestSources(t *testing.T) {
	for _, c := range clouds {
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

			for source := range strings.FieldsSeq(p.Source) {
				address, err := url.Parse(source)
				if err != nil || address.Scheme != "https" || strings.Trim(address.Path+address.RawQuery+address.Fragment, "/") == "" {
					t.Errorf("%s: the source %q is no address of a document: %v", p.Name, source, err)
				}

				// A line moves, unless it has a commit.
				if strings.HasPrefix(address.Fragment, "L") && !strings.Contains(address.Path, "/blob/") {
					t.Errorf("%s: the source %q is a line without a commit", p.Name, source)
				}
			}
		}
	}
}
