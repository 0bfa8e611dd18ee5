package field_test

import (
	"fmt"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/plexsphere/function-cloud-tags/input/v1beta1"
	"github.com/plexsphere/function-cloud-tags/tags/field"
	"github.com/plexsphere/function-cloud-tags/tags/object"
	"github.com/plexsphere/function-cloud-tags/tags/profile"
	"github.com/plexsphere/function-cloud-tags/tags/tagstest"
)

//go:generate go test . -run TestImmutableREADME -update

// TestImmutableREADME tests that the README's table of immutable fields is what families say.
func TestImmutableREADME(t *testing.T) {
	table := &strings.Builder{}
	table.WriteString("| Family | Kind | Releases | Source |\n|---|---|---|---|\n")

	for _, row := range field.ImmutableRows() {
		releases := "all"
		if row.Older {
			releases = "older ones"
		}

		fmt.Fprintf(table, "| %s | %s | %s | %s |\n", row.Family, strings.TrimPrefix(row.Kind, "/"), releases, row.Source)
	}

	tagstest.Section(t, "README.md", "immutable", table.String())
}

// TestImmutableAgrees tests that the index says of exactly the kinds in the families' tables that
// their tag field can't change, and that each row has a source and is of use.
func TestImmutableAgrees(t *testing.T) {
	source := regexp.MustCompile(`^[\w.-]+/terraform-provider-[a-z-]+ \S+\.go: .*\b(ForceNew|TagsForceNew|TagsForceNewSchema|TagsSchemaForceNew|getTagsSchemaForceNew|RequiresReplace|forces a new batch job|no Update)\b.*`)
	rows, used := make(map[string]field.ImmutableRow), make(map[string]bool)

	for _, row := range field.ImmutableRows() {
		service, kind, ok := strings.Cut(row.Kind, "/")
		if !ok || kind == "" || kind == "*" {
			t.Errorf("%s %s: want a service and a kind", row.Family, row.Kind)
		}

		if !source.MatchString(row.Source) {
			t.Errorf("%s %s: want a repository, its file and what it says, got %q", row.Family, row.Kind, row.Source)
		}

		if _, ok := rows[row.Family+" */"+kind]; ok && service != "*" {
			t.Errorf("%s %s: the kind is there twice", row.Family, row.Kind)
		}

		rows[row.Family+" "+row.Kind] = row
	}

	for gvk, entry := range field.BuiltIn().All() {
		f, _ := field.FamilyOf(gvk.GroupKind())
		key, row, ok := rowOf(rows, f.Name, gvk)
		namespaced := strings.Contains(gvk.Group, ".m.")

		for _, held := range entry {
			if held.Field.Shape == field.None {
				continue
			}

			want := ok && (!row.Older || !namespaced)
			if held.Field.Immutable != want {
				t.Errorf("%s: want immutable %t, got %t", gvk, want, held.Field.Immutable)
			}

			if want && held.Field.Fixed {
				t.Errorf("%s: a field is fixed or immutable, not both", gvk)
			}

			used[key] = used[key] || want
		}
	}

	for key := range rows {
		if !used[key] {
			t.Errorf("%s: the index has no such kind with a tag field", key)
		}
	}
}

// rowOf the kind of the family, by what its API group says of the service.
func rowOf(rows map[string]field.ImmutableRow, family string, gvk schema.GroupVersionKind) (string, field.ImmutableRow, bool) {
	service, _, _ := strings.Cut(gvk.Group, ".")

	for _, key := range []string{service + "/" + gvk.Kind, "*/" + gvk.Kind, "/" + gvk.Kind} {
		if row, ok := rows[family+" "+key]; ok {
			return family + " " + key, row, true
		}
	}

	return "", field.ImmutableRow{}, false
}

// TestImmutableLocate tests what each way to a tag field says of one that can't change.
func TestImmutableLocate(t *testing.T) {
	schemaOf := func(name string) object.Node {
		of := map[string]any{name: map[string]any{"type": "object", "additionalProperties": map[string]any{"type": "string"}}}
		return object.Tree(managed(t, of, of)).Node()
	}

	every := profile.NewPattern("*")

	rule := func(path string) []v1beta1.TagField {
		return []v1beta1.TagField{{APIVersion: every, Kind: every, FieldPath: object.MustParsePath(path), Shape: field.Map}}
	}

	cases := map[string]struct {
		reason string
		kind   schema.GroupVersionKind
		rules  []v1beta1.TagField
		schema object.Node
		want   bool
	}{
		"Index":            {reason: "The index has what families say.", kind: kindOf("fis.aws.m.upbound.io/v1beta1 ExperimentTemplate"), want: true},
		"ClusterScoped":    {reason: "So it has of groups of the cluster.", kind: kindOf("fis.aws.upbound.io/v1beta1 ExperimentTemplate"), want: true},
		"OtherKind":        {reason: "Other kinds of the same group change.", kind: kindOf("compute.gcp.upbound.io/v1beta2 Instance")},
		"OtherService":     {reason: "A kind of the same name in another service changes.", kind: kindOf("notebooks.gcp.upbound.io/v1beta1 Job"), schema: schemaOf("labels")},
		"Older":            {reason: "Nobody knows whether an old release is what runs, so the field stays.", kind: kindOf("macie2.aws.upbound.io/v1beta1 Member"), want: true},
		"OlderNamespaced":  {reason: "All releases with namespaced groups update the field.", kind: kindOf("macie2.aws.m.upbound.io/v1beta1 Member")},
		"OlderByRule":      {reason: "Who names field and shape knows what runs.", kind: kindOf("macie2.aws.upbound.io/v1beta1 Member"), rules: rule("spec.forProvider.tags")},
		"Rule":             {reason: "What is known of a rule's field holds, too.", kind: kindOf("fis.aws.upbound.io/v1beta1 ExperimentTemplate"), rules: rule("spec.forProvider.tags"), want: true},
		"RuleOtherField":   {reason: "Of another field nothing is known.", kind: kindOf("fis.aws.upbound.io/v1beta1 ExperimentTemplate"), rules: rule("spec.forProvider.other")},
		"Asked":            {reason: "A rule that asks for the field that is known gets it as it is.", kind: kindOf("uks.upcloud.com/v1alpha1 KubernetesNodeGroup"), rules: []v1beta1.TagField{{APIVersion: every, Kind: every}}, want: true},
		"SchemaOfNewOne":   {reason: "A version that the index lacks is like those that it has.", kind: kindOf("fis.aws.upbound.io/v9 ExperimentTemplate"), schema: schemaOf("tags"), want: true},
		"SchemaOfNewOlder": {reason: "A new namespaced version updates the field.", kind: kindOf("macie2.aws.m.upbound.io/v9 Member"), schema: schemaOf("tags")},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			schemas := field.Schemas{Of: func(schema.GroupVersionKind) object.Node { return tc.schema }}

			got, ok := field.ForInput(&v1beta1.CloudTags{TagFields: tc.rules}, schemas).Locate(field.Kind{GroupVersionKind: tc.kind, Managed: true})
			if diff := cmp.Diff([]any{true, tc.want}, []any{ok && got.Shape == field.Map, got.Immutable}); diff != "" {
				t.Errorf("\n%s\nLocate(%s): -want, +got:\n%s", tc.reason, tc.kind, diff)
			}
		})
	}
}
