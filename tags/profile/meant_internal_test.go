package profile

import "testing"

// TestAliases proves that an alias is no name of a profile, and that it stands for one.
func TestAliases(t *testing.T) {
	for alias, name := range aliases {
		if Has(alias) || !Has(name) {
			t.Errorf("the alias %q of %q: want a name without a profile for one with a profile", alias, name)
		}

		if got := Meant(alias); got != name {
			t.Errorf("Meant(%q): want %q, got %q", alias, name, got)
		}
	}
}
