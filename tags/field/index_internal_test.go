package field

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"google.golang.org/protobuf/testing/protocmp"
	"google.golang.org/protobuf/types/known/structpb"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/plexsphere/function-cloud-tags/tags"
	"github.com/plexsphere/function-cloud-tags/tags/object"
	"github.com/plexsphere/function-cloud-tags/tags/profile"
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

	for _, f := range families {
		named[f.Name] = true

		if f.Profile != "" && !slices.Contains(profile.Names(), f.Profile) {
			t.Errorf("%s: there is no tag profile %s", f.Name, f.Profile)
		}

		for kind, cs := range f.kinds {
			if !strings.Contains(kind, "/") {
				t.Errorf("%s: %s is no service and kind", f.Name, kind)
			}

			for _, c := range cs {
				if slices.Contains(c.shapes, StringList) != (c.separator != "") || len(c.paths) == 0 {
					t.Errorf("%s: %s has a field that can't be written: %v", f.Name, kind, c)
				}
			}
		}
	}

	for of, does := range fills {
		if !named[of[0]] || !strings.Contains(of[1], "/") || does == (filling{}) {
			t.Errorf("fills.txt: unknown family, kind or word of %s", of)
		}
	}
}

// TestGroups tests that each API group is of one family, or of several with kinds of their own, and
// that each family has a group.
func TestGroups(t *testing.T) {
	without := make(map[string]bool)
	for _, f := range families {
		without[f.Name] = f != &unknown
	}

	for group, claims := range claimed {
		for i, c := range claims {
			without[c.Name] = false

			if len(c.kinds) > 0 {
				continue
			}

			if i+1 < len(claims) {
				t.Errorf("%s is of %s and of %s", group, c.Name, claims[i+1].Name)
			}

			if got, ok := FamilyOf(schema.GroupKind{Group: "service." + group, Kind: "Thing"}); !ok || got != c.Family {
				t.Errorf("FamilyOf(service.%s): want %v, got %v", group, c.Family, got)
			}
		}
	}

	for name, is := range without {
		if is {
			t.Errorf("groups.txt: want a group of %s", name)
		}
	}
}

func TestIndexIsSmall(t *testing.T) {
	// The binary has it as it is. Code and tables around it are some 50 kB.
	if limit := 400_000; len(indexText) > limit {
		t.Errorf("the index has %d bytes, more than %d", len(indexText), limit)
	}
}

func TestParseIndex(t *testing.T) {
	text := `# A comment.
a.x.io v1.0.0..v1.4.0 m/v2.0.0..
 v1 m/v1,v2: -
  A
  B
 m/v1: tags Map - tagsAll,tags
  C
 v1: -
  D
 v1,v2 m/: -
  E
 m/v3: @v2.0.0 -; @v2.1.0.. tags Map - -
  F
 v3: @v1.1.0,v1.3.0..v1.4.0 -
  G
c.x.io
 v1: list StringList(:,255) atomic -
  A
  ProviderConfig
d.x.io
 v1: -
  StoreConfig
 v2: list KeyValueList(k,v,a="b-c",z=true) - -
  ProviderConfig
e.x.io
 v1: .metadata.labels Map on-request,fixed .status.tags
  A
`

	want := map[string]string{
		"a.x.io/v1 A":              "-\tNone\t-\t-",
		"a.x.io/v1 B":              "-\tNone\t-\t-",
		"a.m.x.io/v1 A":            "-\tNone\t-\t-",
		"a.m.x.io/v1 B":            "-\tNone\t-\t-",
		"a.m.x.io/v2 A":            "-\tNone\t-\t-",
		"a.m.x.io/v2 B":            "-\tNone\t-\t-",
		"a.m.x.io/v1 C":            "spec.forProvider.tags\tMap\t-\tstatus.atProvider.tagsAll,status.atProvider.tags",
		"a.x.io/v1 D":              "-\tNone\t-\t-",
		"a.x.io/v1 E":              "-\tNone\t-\t-",
		"a.x.io/v2 E":              "-\tNone\t-\t-",
		"a.m.x.io/v1 E":            "-\tNone\t-\t-",
		"a.m.x.io/v2 E":            "-\tNone\t-\t-",
		"a.m.x.io/v3 F":            "v2.0.0 -\tNone\t-\t-; v2.1.0.. spec.forProvider.tags\tMap\t-\t-",
		"a.x.io/v3 G":              "v1.1.0,v1.3.0..v1.4.0 -\tNone\t-\t-",
		"c.x.io/v1 A":              "spec.forProvider.list\tStringList(:,255)\tatomic\t-",
		"c.x.io/v1 ProviderConfig": "spec.forProvider.list\tStringList(:,255)\tatomic\t-",
		"d.x.io/v1 StoreConfig":    "-\tNone\t-\t-",
		"d.x.io/v2 ProviderConfig": "spec.forProvider.list\tKeyValueList(k,v,a=\"b-c\",z=true)\t-\t-",
		"e.x.io/v1 A":              "metadata.labels\tMap\ton-request,fixed\tstatus.tags",
	}

	i := parseIndex(text)
	got := make(map[string]string)

	for gvk, e := range i.All() {
		var helds []string
		for _, h := range e {
			helds = append(helds, strings.TrimSpace(h.Releases+" "+strings.Join(h.Field.Columns(), "\t")))
		}

		got[gvk.GroupVersion().String()+" "+gvk.Kind] = strings.Join(helds, "; ")
	}

	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("parseIndex(...): -want, +got:\n%s", diff)
	}

	for group, want := range map[string]bool{"a.x.io": true, "a.m.x.io": true, "c.x.io": true, "c.m.x.io": false, "d.x.io": false} {
		if got := i.HasGroup(group); got != want {
			t.Errorf("HasGroup(%q): want %t, got %t", group, want, got)
		}
	}

	if len(parseIndex("").blocks) != 0 {
		t.Error("want no entries of an empty index")
	}
}

func TestLine(t *testing.T) {
	gvk := schema.GroupVersionKind{Group: "g.example.org", Version: "v1", Kind: "K"}
	at, a, b := object.MustParsePath("spec.forProvider.tags"), object.MustParsePath("status.atProvider.a"), object.MustParsePath("status.atProvider.b")

	for want, f := range map[string]Field{
		"-\tNone\t-\t-":                      {Shape: None},
		"tags\tMap\t-\ta,b":                  {Path: at, Shape: Map, Observed: []object.Path{a, b}},
		"tags\tMap\tatomic\t-":               {Path: at, Shape: Map, Atomic: true},
		"tags\tKeyValueList(k,v)\tatomic\ta": {Path: at, Shape: KeyValueList, Key: "k", Value: "v", Atomic: true, Observed: []object.Path{a}},
		"tags\tKeyValueList(k,v,a=\"b-c\",z=true)\t-\t-": {
			Path: at, Shape: KeyValueList, Key: "k", Value: "v",
			Extra: map[string]*structpb.Value{"z": structpb.NewBoolValue(true), "a": structpb.NewStringValue("b-c")},
		},
		"tags\tStringList(:)\t-\t-":             {Path: at, Shape: StringList, Separator: ":"},
		"tags\tStringList(_)\tatomic,sorted\t-": {Path: at, Shape: StringList, Separator: "_", Atomic: true, Sorted: true},
		"tags\tStringList(=,255)\t-\t-":         {Path: at, Shape: StringList, Separator: "=", MaxLength: 255},
	} {
		short := strings.NewReplacer("spec.forProvider.", "", "status.atProvider.", "")

		if diff := cmp.Diff("g.example.org\tv1\tK\t"+want, short.Replace(Line(gvk, f))); diff != "" {
			t.Errorf("Line(...): -want, +got:\n%s", diff)
		}

		if f.Shape == None {
			continue
		}

		if diff := cmp.Diff(f, parseField(strings.Split(want, "\t")), protocmp.Transform()); diff != "" {
			t.Errorf("parseField(...): -want, +got:\n%s", diff)
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
