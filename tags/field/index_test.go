package field_test

import (
	"maps"
	"os"
	"slices"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/plexsphere/function-cloud-tags/tags/field"
	"github.com/plexsphere/function-cloud-tags/tags/field/survey"
	"github.com/plexsphere/function-cloud-tags/tags/object"
	"github.com/plexsphere/function-cloud-tags/tags/profile"
)

// countsAs is what the rows of testdata/counts.tsv say of a field in a survey, independently of how
// the families say it: the shape that the field counts as, or None if it doesn't count, and
// whether it is used on request only, and fixed.
func countsAs(rows [][]string, gvk schema.GroupVersionKind, path string, t field.Type) field.Field {
	service, _, _ := strings.Cut(gvk.Group, ".")
	path = strings.ReplaceAll(path, "[0]", "")

	isOf := func(kind string) bool {
		kind, version, _ := strings.Cut(kind, "@")
		return profile.Pattern(kind).Matches(service+"/"+gvk.Kind) && (version == "" || version == gvk.Version)
	}

	for _, row := range rows {
		if (row[3] == string(field.None) || row[3] == string(t.Shape)) && profile.Pattern(row[2]).Matches(path) && slices.ContainsFunc(strings.Split(row[1], ","), isOf) {
			settings := strings.Join(row[4:], ",")

			return field.Field{
				Layout:    field.Layout{Shape: field.Shape(row[3])},
				OnRequest: strings.Contains(settings, "on-request"),
				Fixed:     strings.Contains(settings, "fixed"), Within: strings.Contains(settings, "within"), Atomic: t.Atomic,
			}
		}
	}

	return field.Field{Layout: field.Layout{Shape: field.None}}
}

// typesOf adds the types of all fields in the schema by their paths, which begin with path.
func typesOf(s object.Node, path string, types map[string]field.Type) {
	for name, property := range s.Field("properties").Fields() {
		if t := field.TypeOf(property); t.Shape != "" {
			types[path+string(name)] = t
		}

		typesOf(property, path+string(name)+".", types)
		typesOf(property.Field("items"), path+string(name)+"[0].", types)
	}
}

// TestReleases proves for every kind of every surveyed release that fields are there, in their shape,
// that are written without schemas. With schemas, every field that counts is written. A launched field is in the schemas
// of all releases if the index is sure of it.
func TestReleases(t *testing.T) {
	releases, kinds, taggable, unsure, launched := 0, 0, 0, 0, 0

	surveys, err := survey.ReadAll(os.DirFS("survey"))
	if err != nil {
		t.Fatal(err)
	}

	all := append(rows(t, "counts.tsv"), rows(t, "counts-native.tsv")...)

	for provider, s := range surveys {
		releases += len(s.Releases)

		rows := slices.DeleteFunc(slices.Clone(all), func(row []string) bool { return !slices.Contains(strings.Split(row[0], ","), provider) })
		if len(rows) == 0 {
			t.Errorf("testdata/counts.tsv doesn't say which fields of %s count", provider)
		}

		for gvk, byRelease := range s.Kinds {
			family, ok := field.FamilyOf(gvk.GroupKind())
			if !ok {
				t.Errorf("%s is of no family", gvk)
			}

			k := field.Kind{GroupVersionKind: gvk, Profile: family.Profile, Managed: true}

			located, known := field.Chain{field.BuiltIn(), field.ByProfile{}}.Locate(k)
			if !known {
				unsure++
			}

			held := make(map[survey.Schema]int)
			for _, pruned := range byRelease {
				held[pruned]++
			}

			for _, e := range field.BuiltIn().Launched(gvk) {
				if len(e) != 1 {
					continue
				}

				for pruned, n := range held {
					launched += n

					if !slices.ContainsFunc(field.ReadLaunched(gvk, pruned.Node()), e[0].Field.WrittenAs) {
						t.Errorf("%s of %s: want %s in the schema", gvk, provider, e[0].Field.Path)
					}
				}
			}

			for pruned, n := range held {
				kinds += n
				want := counts(t, rows, provider, gvk, pruned.Node())

				if want.Shape != field.None {
					taggable += n
				}

				got := []field.Field{field.Read(gvk, pruned.Node())}
				if known {
					got = append(got, located)
				}

				for i, f := range got {
					// Who doesn't ask for a field finds none.
					if i > 0 && f.Shape == field.None && (want.OnRequest || want.Shape == field.None) {
						continue
					}

					if !f.Path.Equal(want.Path) || f.Shape != want.Shape || f.Atomic != want.Atomic || f.OnRequest != want.OnRequest || f.Fixed != want.Fixed || f.Within != want.Within {
						t.Errorf("%s of %s: want %v, got %v", gvk, provider, want.Columns(), f.Columns())
					}

					if f.Shape == field.KeyValueList && (f.Key == "" || f.Value == "") || f.Shape == field.StringList && f.Separator == "" {
						t.Errorf("%s of %s: the entries of %s can't be written", gvk, provider, f.Path)
					}
				}
			}
		}
	}

	t.Logf("%d releases, %d versions of kinds, %d taggable; %d are not sure without a schema", releases, kinds, taggable, unsure)

	if releases < 100 || taggable < kinds/4 || taggable > kinds/2 || launched < 100 {
		t.Errorf("want at least 100 releases, between a fourth and half of all kinds taggable, and at least 100 launched fields")
	}
}

// counts returns the field of a kind that counts. A kind has at most one.
func counts(t *testing.T, rows [][]string, provider string, gvk schema.GroupVersionKind, s object.Node) field.Field {
	t.Helper()

	out, types := field.Field{Layout: field.Layout{Shape: field.None}}, make(map[string]field.Type)
	typesOf(s, "", types)

	// A path that is not below spec.forProvider begins with a dot.
	if family, _ := field.FamilyOf(gvk.GroupKind()); family.Native {
		types["metadata.labels"] = field.Type{Shape: field.Map} // No schema shows them.
	}

	for path, typ := range types {
		below, ok := strings.CutPrefix(path, "spec.forProvider.")
		if !ok {
			below = "." + path
		}

		counted := countsAs(rows, gvk, below, typ)
		if counted.Shape == field.None {
			continue
		}

		if out.Shape != field.None {
			t.Errorf("%s of %s: both %s and %s count", gvk, provider, out.Path, path)
		}

		out = counted
		out.Path = object.MustParsePath(path)
	}

	return out
}

func TestLookupDoesNotAllocate(t *testing.T) {
	chain := chainOf()

	for name, k := range lookups {
		if n := testing.AllocsPerRun(100, func() { field.BuiltIn().Locate(k) }); n != 0 {
			t.Errorf("%s: want no allocations of the index, got %v", name, n)
		}

		if n := testing.AllocsPerRun(100, func() { chain.Locate(k) }); n != 0 {
			t.Errorf("%s: want no allocations of all locators, got %v", name, n)
		}
	}
}

// lookups are kinds in and out of the index.
var lookups = map[string]field.Kind{
	"Indexed":   {GroupVersionKind: kindOf("ec2.aws.m.upbound.io/v1beta1 VPC"), Profile: "aws", Managed: true},
	"Unsure":    {GroupVersionKind: kindOf("redis.gcp.m.upbound.io/v1beta1 Cluster"), Profile: "gcp", Managed: true},
	"NoField":   {GroupVersionKind: kindOf("ec2.aws.m.upbound.io/v1beta1 Route"), Profile: "aws", Managed: true},
	"Native":    {GroupVersionKind: kindOf("ec2.services.k8s.aws/v1alpha1 VPC"), Profile: "aws"},
	"Request":   {GroupVersionKind: kindOf("uks.m.upcloud.com/v1alpha1 KubernetesNodeGroup"), Managed: true},
	"Unknown":   {GroupVersionKind: kindOf("vm.example.org/v1 Machine"), Managed: true},
	"Unmanaged": {GroupVersionKind: kindOf("kubernetes.m.crossplane.io/v1alpha1 Object"), Managed: true},
}

// chainOf are all locators as the function has them if nothing is said of fields and no schema
// is there.
func chainOf() field.Chain {
	schemas := field.Schemas{Of: func(schema.GroupVersionKind) object.Node { return object.Node{} }}
	overrides := field.NewOverrides(nil)
	overrides.Schemas = &schemas

	return field.Chain{overrides, field.BuiltIn(), schemas, field.ByProfile{}}
}

// BenchmarkLookup looks kinds up in the index alone, and BenchmarkLocate by all locators.
func BenchmarkLookup(b *testing.B) { benchmarkLookups(b, field.BuiltIn()) }

func BenchmarkLocate(b *testing.B) { benchmarkLookups(b, chainOf()) }

func benchmarkLookups(b *testing.B, l field.Locator) {
	b.Helper()

	for _, name := range slices.Sorted(maps.Keys(lookups)) {
		k := lookups[name]

		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()

			for b.Loop() {
				l.Locate(k)
			}
		})
	}
}
