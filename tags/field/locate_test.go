package field_test

import (
	"cmp"
	"slices"
	"strings"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"
	"google.golang.org/protobuf/types/known/structpb"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/plexsphere/function-cloud-tags/input/v1beta1"
	"github.com/plexsphere/function-cloud-tags/tags/field"
	"github.com/plexsphere/function-cloud-tags/tags/object"
	"github.com/plexsphere/function-cloud-tags/tags/tagstest"
)

// text of all that is known of a field. It is empty of the zero field.
func text(f field.Field) string {
	if f.Shape == "" {
		return ""
	}

	c := f.Columns()
	if f.LateInit {
		c = append(c, "late-init")
	}

	if f.LastStays {
		c = append(c, "last-stays")
	}

	switch crossplanes := []string{"crossplane-kind", "crossplane-name", "crossplane-providerconfig"}; {
	case slices.Equal(f.ProviderTags, crossplanes):
		c = append(c, "provider-tags")
	case f.ProviderTags != nil:
		c = append(c, "provider-tags="+strings.Join(f.ProviderTags, ","))
	}

	if f.KubernetesLabels {
		c = append(c, "kubernetes-labels")
	}

	if f.EntryProvider != "" {
		c = append(c, "profile="+f.EntryProvider)
	}

	if f.PossibleField != nil {
		c = append(c, "looks-like="+f.PossibleField.Path.String())
	}

	return strings.Join(c, " ")
}

// rows of a table in testdata, which has columns with tabs between them.
func rows(t *testing.T, file string) [][]string {
	t.Helper()

	b := tagstest.ReadFile(t, "testdata/"+file)

	var out [][]string

	for line := range strings.SplitSeq(string(b), "\n") {
		if line != "" && !strings.HasPrefix(line, "#") {
			out = append(out, strings.Split(line, "\t"))
		}
	}

	return out
}

// kindOf returns the kind that is called as in v1beta1 Bucket.
func kindOf(name string) schema.GroupVersionKind {
	apiVersion, kind, _ := strings.Cut(name, " ")
	return schema.FromAPIVersionAndKind(apiVersion, kind)
}

// managed returns the schema of a managed resource, with the schemas of the fields below
// spec.forProvider and status.atProvider.
func managed(t *testing.T, forProvider, atProvider map[string]any) *structpb.Struct {
	t.Helper()

	objectOf := func(properties map[string]any) map[string]any {
		return map[string]any{"type": "object", "properties": properties}
	}

	s, err := structpb.NewStruct(objectOf(map[string]any{
		"spec":   objectOf(map[string]any{"forProvider": objectOf(forProvider)}),
		"status": objectOf(map[string]any{"atProvider": objectOf(atProvider)}),
	}))
	if err != nil {
		t.Fatal(err)
	}

	return s
}

// TestFamilyOf is about API groups below others, and about groups of several families.
func TestFamilyOf(t *testing.T) {
	for _, row := range rows(t, "families.tsv") {
		got, ok := field.FamilyOf(kindOf(row[0]).GroupKind())
		if name := cmp.Or(got.Name, "-"); name != row[1] || ok != (row[1] != "-") {
			t.Errorf("FamilyOf(%s): want %s, got %s, %t\n%s", row[0], row[1], name, ok, row[2])
		}
	}
}

func TestTruth(t *testing.T) {
	seen := make(map[schema.GroupVersionKind]bool)

	for _, row := range rows(t, "truth.tsv") {
		gvk := schema.GroupVersionKind{Group: row[0], Version: row[1], Kind: row[2]}
		if seen[gvk] {
			t.Errorf("%s is there twice", gvk)
		}

		seen[gvk] = true

		got, ok := field.BuiltIn().Locate(field.Kind{GroupVersionKind: gvk})
		if text(got) != row[3] || !ok {
			t.Errorf("%s: want %s, got %s, %t\n%s", gvk, row[3], text(got), ok, row[4])
		}
	}
}

// TestLocate asks each of the locators for kinds.
func TestLocate(t *testing.T) {
	var cases []struct {
		Name   string `json:"name"`
		Reason string `json:"reason"`
		Kind   string `json:"kind"`

		// TagFields of the input, and Profile and Unmanaged are about the kind.
		TagFields []v1beta1.TagField `json:"tagFields"`
		Profile   string             `json:"profile"`
		Unmanaged bool               `json:"unmanaged"`

		// Schema of the kind, or the fields of a managed resource.
		Schema      *structpb.Struct `json:"schema"`
		ForProvider map[string]any   `json:"forProvider"`
		AtProvider  map[string]any   `json:"atProvider"`

		Want string `json:"want"`
	}

	tagstest.ReadYAML(t, "testdata/located.yaml", &cases)

	if len(cases) < 80 {
		t.Errorf("want at least 80 cases, got %d", len(cases))
	}

	for _, tc := range cases {
		t.Run(tc.Name, func(t *testing.T) {
			s := tc.Schema
			if tc.ForProvider != nil {
				s = managed(t, tc.ForProvider, tc.AtProvider)
			}

			schemas := field.Schemas{Of: func(schema.GroupVersionKind) object.Node { return object.FromStruct(s).Node() }}
			overrides := field.NewOverrides(tc.TagFields)

			if s != nil {
				overrides.Schemas = &schemas
			}

			by, _, _ := strings.Cut(tc.Name, "/")
			all := field.ForInput(&v1beta1.CloudTags{TagFields: tc.TagFields}, schemas)
			locator := map[string]field.Locator{"Overrides": overrides, "Index": field.BuiltIn(), "Schema": schemas, "Profile": field.ByProfile{}, "Input": all}[by]

			got, ok := locator.Locate(field.Kind{GroupVersionKind: kindOf(tc.Kind), Profile: tc.Profile, Managed: !tc.Unmanaged})
			if !ok {
				got = field.Field{} // It says nothing.
			}

			if diff := gocmp.Diff(tc.Want, text(got)); diff != "" {
				t.Errorf("\n%s\nLocate(...): -want, +got:\n%s", tc.Reason, diff)
			}
		})
	}
}

// locator is a Locator that knows every kind, or none.
type locator struct {
	field field.Field
	ok    bool
}

func (l locator) Locate(field.Kind) (field.Field, bool) { return l.field, l.ok }

func TestChainLocate(t *testing.T) {
	a, b, none := locator{field.Field{Layout: field.Layout{Shape: field.Map}}, true}, locator{field.Field{Layout: field.Layout{Shape: field.StringList}}, true}, locator{field.Field{Layout: field.Layout{Shape: field.None}}, true}

	for _, tc := range []struct {
		reason string
		chain  field.Chain
		want   field.Shape
	}{
		{reason: "A chain of nothing knows no kind, which is not to know that there is no tag field."},
		{"The first locator that knows the kind answers.", field.Chain{a, b}, field.Map},
		{"A locator that doesn't know the kind lets the next one answer, whatever else it returned.", field.Chain{locator{field: a.field}, b}, field.StringList},
		{"A locator that knows the kind to have no tag field is an answer.", field.Chain{none, b}, field.None},
		{"A kind that no locator knows is not known, whatever else they returned.", field.Chain{locator{field: a.field}, locator{field: none.field}}, ""},
		{"A chain is a locator too.", field.Chain{field.Chain{}, field.Chain{locator{field: a.field}}, field.Chain{b}}, field.StringList},
	} {
		if f, ok := tc.chain.Locate(field.Kind{}); f.Shape != tc.want || ok != (tc.want != "") {
			t.Errorf("\n%s\nLocate(...): want %q, got %v, %t", tc.reason, tc.want, f, ok)
		}
	}
}

// Fields that only some releases have are not sure, whatever the newest one has: the API
// server of another one would refuse them, and with them the whole composite resource.
func TestUnsure(t *testing.T) {
	for _, name := range []string{
		"route53recoverycontrolconfig.aws.m.upbound.io/v1beta1 Cluster",
		"directconnect.aws.upbound.io/v1beta1 Gateway",
		"redis.gcp.upbound.io/v1beta1 Cluster",
		"redis.gcp.m.upbound.io/v1beta1 Cluster",
		"eventarc.gcp.upbound.io/v1beta1 Channel",
		"compute.gcp.upbound.io/v1beta2 SecurityPolicy",
		"compute.gcp.m.upbound.io/v1beta1 SecurityPolicy",
		"compute.gcp.upbound.io/v1beta1 HaVPNGateway",
	} {
		gvk := kindOf(name)
		family, _ := field.FamilyOf(gvk.GroupKind())
		k := field.Kind{GroupVersionKind: gvk, Profile: family.Profile, Managed: true}

		if f, ok := (field.Chain{field.BuiltIn(), field.ByProfile{}}).Locate(k); ok {
			t.Errorf("%s: want not to know without a schema, got %v", gvk, f)
		}

		// The schema of the one that is there tells.
		tags := map[string]any{"type": "object", "additionalProperties": map[string]any{"type": "string"}}

		for _, fields := range []map[string]any{{"labels": tags, "tags": tags}, {"region": map[string]any{"type": "string"}}} {
			s := managed(t, fields, nil)
			want := field.Read(gvk, object.FromStruct(s).Node())

			if got, ok := (field.Chain{field.BuiltIn(), field.Schemas{Of: func(schema.GroupVersionKind) object.Node { return object.FromStruct(s).Node() }}, field.ByProfile{}}).Locate(k); !ok || text(got) != text(want) {
				t.Errorf("%s: want %v, got %v, %t", gvk, want, got, ok)
			}
		}
	}
}
