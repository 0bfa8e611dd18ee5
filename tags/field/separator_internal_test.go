package field

import (
	"slices"
	"testing"

	"github.com/plexsphere/function-cloud-tags/tags/profile"
)

// TestSeparators asks the clouds whose tags are words whether these may have the separator that
// fields of their families have between key and value.
func TestSeparators(t *testing.T) {
	n := 0

	for _, f := range families {
		all := [][]*candidate{f.fields}
		for _, c := range f.kinds {
			all = append(all, c)
		}

		p := profile.Of(f.Profile)

		for _, c := range slices.Concat(all...) {
			if !slices.Contains(c.shapes, StringList) {
				continue
			}

			n++

			if r := p.CheckEntry("plexsphere", c.separator, "prod"); r != "" {
				t.Errorf("%s has %q between key and value, which the profile %s doesn't admit: %s", f.Name, c.separator, p.Name, r)
			}
		}
	}

	if n < 10 {
		t.Errorf("want at least 10 fields whose tags are words, got %d", n)
	}
}
