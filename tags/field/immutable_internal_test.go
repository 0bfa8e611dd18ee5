package field

import (
	"regexp"
	"strings"
	"testing"
)

// TestImmutable tests that the index says of exactly the kinds in immutable.txt that their tag field
// can't change, and that each row has a source and is of use.
func TestImmutable(t *testing.T) {
	source := regexp.MustCompile(`^[\w.-]+/terraform-provider-[a-z-]+ \S+\.go: .*\b(ForceNew|TagsForceNew|TagsForceNewSchema|TagsSchemaForceNew|getTagsSchemaForceNew|RequiresReplace|forces a new batch job|no Update)\b.*`)
	used := make(map[[2]string]bool)

	for key, r := range immutables {
		if !source.MatchString(r.source) {
			t.Errorf("%s: want a repository, its file and what it says, got %q", key, r.source)
		}

		_, kind, ok := strings.Cut(key[1], "/")
		if _, twice := immutables[[2]string{key[0], kind}]; ok && twice {
			t.Errorf("%s: the kind is there twice", key)
		}
	}

	for gvk, entry := range BuiltIn().All() {
		f, _ := FamilyOf(gvk.GroupKind())
		service, _, _ := strings.Cut(gvk.Group, ".")

		for _, held := range entry {
			want := false

			for _, kind := range []string{service + "/" + gvk.Kind, gvk.Kind, "/" + gvk.Kind} {
				key := [2]string{f.Name, kind}
				if r, ok := immutables[key]; ok && held.Field.Shape != None {
					want = !r.older || !strings.Contains(gvk.Group, ".m.")
					used[key] = used[key] || want
				}
			}

			if held.Field.Immutable != want {
				t.Errorf("%s: want immutable %t, got %t", gvk, want, held.Field.Immutable)
			}

			if want && held.Field.Fixed {
				t.Errorf("%s: a field is fixed or immutable, not both", gvk)
			}
		}
	}

	for key := range immutables {
		if !used[key] {
			t.Errorf("%s: the index has no such kind with a tag field", key)
		}
	}
}
