package field

import (
	"maps"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/plexsphere/function-cloud-tags/tags"
	"github.com/plexsphere/function-cloud-tags/tags/object"
	"github.com/plexsphere/function-cloud-tags/tags/profile"
	"github.com/plexsphere/function-cloud-tags/tags/tagstest"
)

// TestFamilies tests what holds for every family of providers.
func TestFamilies(t *testing.T) {
	// Only these providers add tags of their own.
	for _, profile := range profile.Names() {
		var want []string
		if slices.Contains([]string{"alibaba", "aws", "cloudfoundry"}, profile) {
			want = tags.ProvidersKeys()
		}

		if diff := cmp.Diff(want, ProviderTags(profile)); diff != "" {
			t.Errorf("ProviderTags(%s): -want, +got:\n%s", profile, diff)
		}
	}

	named := make(map[string]bool)

	words := 0

	for _, f := range families {
		named[f.Name] = true

		if f.Profile != "" && !slices.Contains(profile.Names(), f.Profile) {
			t.Errorf("%s: there is no tag profile %s", f.Name, f.Profile)
		}

		for _, c := range slices.Concat(append(slices.Collect(maps.Values(f.kinds)), f.fields)...) {
			if slices.Contains(c.shapes, StringList) != (c.separator != "") || len(c.paths) == 0 {
				t.Errorf("%s has a field that can't be written: %v", f.Name, c)
			}

			if c.separator == "" {
				continue
			}

			words++

			// Clouds whose tags are words have to admit the separator in them.
			if r := profile.Of(f.Profile).CheckEntry("plexsphere", c.separator, "prod"); r != "" {
				t.Errorf("%s has %q between key and value, which the profile %s doesn't admit: %s", f.Name, c.separator, f.Profile, r)
			}
		}
	}

	if words < 10 {
		t.Errorf("want at least 10 fields whose tags are words, got %d", words)
	}

	for key, does := range fills {
		if !named[key[0]] || does == (filling{}) {
			t.Errorf("fills.txt: unknown family or word of %s", key)
		}
	}
}

// TestGroups tests that each API group is of one family, or of several with kinds of their own, and
// that each family has a group.
func TestGroups(t *testing.T) {
	without := make(map[string]bool)
	for _, f := range families {
		without[f.Name] = f != unknown
	}

	for group, all := range shares {
		for i, s := range all {
			without[s.family.Name] = false

			if len(s.kinds) > 0 {
				continue
			}

			if i+1 < len(all) {
				t.Errorf("%s is of %s and of %s", group, s.family.Name, all[i+1].family.Name)
			}

			if got, ok := FamilyOf(schema.GroupKind{Group: "service." + group, Kind: "Thing"}); !ok || got != s.family.Family {
				t.Errorf("FamilyOf(service.%s): want %v, got %v", group, s.family.Family, got)
			}
		}
	}

	for name, missing := range without {
		if missing {
			t.Errorf("groups.txt: want a group of %s", name)
		}
	}
}

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

func TestIndexIsSmall(t *testing.T) {
	// The binary has it as it is. Code and tables around it are some 50 kB.
	if limit := 400_000; len(indexText) > limit {
		t.Errorf("the index has %d bytes, more than %d", len(indexText), limit)
	}
}

// TestParseIndex reads testdata/index.txt, an index with everything.
func TestParseIndex(t *testing.T) {
	text := tagstest.ReadFile(t, "testdata/index.txt")

	i := parseIndex(string(text))

	var lines []string

	for gvk, e := range i.All() {
		for _, h := range e {
			lines = append(lines, strings.TrimSpace(Line(gvk, h.Field)+"\t"+h.Releases)+"\n")
		}
	}

	slices.Sort(lines)
	tagstest.Text(t, "testdata/parsed.txt", strings.Join(lines, ""))

	for group, want := range map[string]bool{"a.x.io": true, "a.m.x.io": true, "c.x.io": true, "c.m.x.io": false, "d.x.io": false} {
		if got := i.HasGroup(group); got != want {
			t.Errorf("HasGroup(%q): want %t, got %t", group, want, got)
		}
	}

	if len(parseIndex("").blocks) != 0 {
		t.Error("want no entries of an empty index")
	}
}

// TestLaunchesAreThere tests that the index has exactly the launched fields for stamping without tagFields.
func TestLaunchesAreThere(t *testing.T) {
	there := make(map[string]bool)

	for gvk := range BuiltIn().All() {
		f, service := familyOf(gvk.GroupKind())

		for _, e := range BuiltIn().Launched(gvk) {
			for _, h := range e {
				there[f.Name+" "+service+"/"+gvk.Kind+" "+h.Field.Path.String()] = true
			}
		}
	}

	for _, l := range launched {
		found := slices.ContainsFunc(l.paths, func(p object.Path) bool { return there[l.family+" "+l.kind+" "+p.String()] })
		if found != l.isUsed() {
			t.Errorf("%s of %s %s: want in the index %t, got %t", l.field, l.family, l.kind, l.isUsed(), found)
		}
	}
}

// BenchmarkParseIndex reads the built-in index, as the function does at its start.
func BenchmarkParseIndex(b *testing.B) {
	b.ReportAllocs()

	for b.Loop() {
		parseIndex(indexText)
	}

	b.ReportMetric(float64(len(indexText)), "index-bytes")
}
