package example

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/plexsphere/function-cloud-tags/example/internal/live"
	"github.com/plexsphere/function-cloud-tags/tags"
	"github.com/plexsphere/function-cloud-tags/tags/field"
	objectpkg "github.com/plexsphere/function-cloud-tags/tags/object"
	"github.com/plexsphere/function-cloud-tags/tags/profile"
)

// bareKind matches the first kind that a policy is for.
var bareKind = regexp.MustCompile(`request\.kind\.kind in \{\n\s+'([^']+)': \['([^']+)'`)

// TestBareResources proves that a real API server takes all policies for managed resources themselves, and does what they say: one kind of each is
// made, with the tag field that it has in the index. What becomes of all kinds is tested in tags/command/policy.
func TestBareResources(t *testing.T) {
	if os.Getenv("CROSSPLANE") == "" {
		t.Skip("CROSSPLANE=1 go test ./example -run TestBareResources starts an API server.")
	}

	root, _ := all(t)

	cluster, err := live.StartServer(t.Context(), root)
	if err != nil {
		t.Fatal(err)
	}

	t.Cleanup(cluster.Stop)

	c := live.Test{Cluster: cluster, T: t}
	mutating, judging := barePolicies(t, root, "mutate"), barePolicies(t, root, "resources")
	team := live.Parse(t, `{apiVersion: v1, kind: Namespace, metadata: {name: team-a, labels: {tags.example.org/owner: team-a, tags.example.org/cost-center: "100"}}}`)
	c.Applied(team, live.Parse(t, `{apiVersion: v1, kind: Namespace, metadata: {name: team-b}}`))

	kinds := make(map[schema.GroupVersionKind]bool)
	for _, m := range bareKind.FindAllStringSubmatch(mutating+judging, -1) {
		if gvk := schema.FromAPIVersionAndKind(m[1], m[2]); !hasGroupKind(kinds, gvk) {
			kinds[gvk] = true
			c.Applied(bareDefinition(t, gvk))
		}
	}

	for _, text := range []string{mutating, judging} {
		for doc := range strings.SplitSeq(text, "\n---\n") {
			c.Applied(live.Parse(t, doc))
		}
	}

	create := func(gvk schema.GroupVersionKind, namespace string) (*unstructured.Unstructured, error) {
		o := &unstructured.Unstructured{Object: map[string]any{}}
		o.SetGroupVersionKind(gvk)
		o.SetName("x")
		o.SetNamespace(namespace)
		o.SetLabels(map[string]string{"tags.example.org/env": "prod"})

		return c.Of(o).Create(t.Context(), o, metav1.CreateOptions{DryRun: []string{metav1.DryRunAll}})
	}

	for gvk := range kinds {
		f, _ := field.BuiltIn().Locate(field.Kind{GroupVersionKind: gvk})
		if strings.Contains(f.Path.String(), "[") || f.Within {
			continue // There is no item to hold tags.
		}

		var got *unstructured.Unstructured

		// It takes a moment until policies and kinds are known.
		live.Eventually(t, func() (err error) {
			if got, err = create(gvk, "team-a"); err != nil {
				return err
			}

			if diff := cmp.Diff(bareTags(gvk, &f), bareValue(got, &f)); diff != "" {
				return fmt.Errorf("%v should have tags as the function would give it (-want, +got):\n%s", gvk, diff)
			}

			if _, err := create(gvk, "team-b"); err == nil || !strings.Contains(err.Error(), "tagPolicy requires the tag") {
				return fmt.Errorf("%v without an owner should be refused, but: %w", gvk, err)
			}

			return nil
		})
	}

	t.Logf("%d kinds were judged, one of each policy", len(kinds))
	bareOwners(c)
}

// hasGroupKind is true if there is a version of the kind.
func hasGroupKind(kinds map[schema.GroupVersionKind]bool, of schema.GroupVersionKind) bool {
	for gvk := range kinds {
		if gvk.GroupKind() == of.GroupKind() {
			return true
		}
	}

	return false
}

// barePolicies returns what the command writes with the flag of the name, for the Composition of its tests.
func barePolicies(t *testing.T, root, flag string) string {
	t.Helper()

	cmd := exec.CommandContext(t.Context(), "go", "run", ".", "policy", "--"+flag, "--composition", filepath.Join("tags", "command", "policy", "testdata", flag+".yaml"))
	cmd.Dir = root

	out, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}

	return string(out)
}

// bareDefinition returns the definition of a kind that has only its tag field.
func bareDefinition(t *testing.T, gvk schema.GroupVersionKind) *unstructured.Unstructured {
	t.Helper()

	f, _ := field.BuiltIn().Locate(field.Kind{GroupVersionKind: gvk})

	text := map[field.Shape]string{
		field.Map:        "{type: object, additionalProperties: {type: string}}",
		field.MapOfLists: "{type: object, additionalProperties: {type: array, items: {type: string}}}",
		field.StringList: "{type: array, items: {type: string}}",
	}[f.Shape]
	if f.Shape == field.KeyValueList {
		text = fmt.Sprintf("{type: array, items: {type: object, x-kubernetes-preserve-unknown-fields: true, properties: {%s: {type: string}, %s: {type: string}}}}", f.Key, f.Value)
	}

	segments := f.Path.Segments()
	for _, sg := range slices.Backward(segments) {
		if sg.Field == "" {
			text = fmt.Sprintf("{type: array, items: %s}", text)
		} else {
			text = fmt.Sprintf("{type: object, properties: {%s: %s}}", sg.Field, text)
		}
	}

	if segments[0].Field == "metadata" {
		text = "{type: object}"
	}

	guessed, _ := meta.UnsafeGuessKindToResource(gvk)
	plural := guessed.Resource

	return live.Parse(t, fmt.Sprintf(`
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: %s.%s, annotations: {api-approved.kubernetes.io: "unapproved, of a test"}}
spec: {group: %s, names: {kind: %s, plural: %s}, scope: Namespaced, versions: [{name: %s, served: true, storage: true, schema: {openAPIV3Schema: %s}}]}
`, plural, gvk.Group, gvk.Group, gvk.Kind, plural, gvk.Version, text))
}

// bareTags returns what the field has of the labels' tags, by the function's transformer.
func bareTags(gvk schema.GroupVersionKind, f *field.Field) any {
	family, _ := field.FamilyOf(gvk.GroupKind())
	p := profile.Rules("").ProfileOf(family.Profile, gvk.Group, gvk.Kind)
	set := tags.PropagatingLabelSet{"managed-by": "platform", "owner": "team-a", "env": "prod", "cost-center": "100"}
	made := tags.NewTransformer(set.Labels(tags.CloudTagPrefix), nil).Transform(p).Tags
	asMap, asList := map[string]any{}, []any{}

	for _, tag := range made {
		switch f.Shape {
		case field.MapOfLists:
			asMap[tag.Key] = []any{tag.Value}
		case field.KeyValueList:
			item := map[string]any{f.Key: tag.Key, f.Value: tag.Value}
			for name, v := range f.Extra {
				item[name] = v.AsInterface()
			}

			asList = append(asList, item)
		case field.StringList:
			asList = append(asList, tag.Key+f.Separator+tag.Value)
		default:
			asMap[tag.Key] = tag.Value
		}
	}

	if f.Shape == field.Map || f.Shape == field.MapOfLists {
		if f.KubernetesLabels {
			asMap["tags.example.org/env"] = "prod"
		}

		return asMap
	}

	return asList
}

// bareValue is what the object has in the field.
func bareValue(o *unstructured.Unstructured, f *field.Field) any {
	var out any = o.Object

	for _, sg := range f.Path.Segments() {
		of, _ := out.(map[string]any)
		out = of[sg.Field]
	}

	return out
}

var bareTagsPath = objectpkg.MustParsePath("spec.forProvider.tags")

// bareOwners proves that a tag which a policy adds belongs to no field manager, so that Crossplane, which applies a composed resource again and
// again, neither takes it away nor writes anything.
func bareOwners(c live.Test) {
	apply := func() (*unstructured.Unstructured, error) {
		o := live.Parse(c.T, `{apiVersion: s3.aws.m.upbound.io/v1beta1, kind: Bucket, metadata: {name: x, namespace: team-a}, spec: {forProvider: {tags: {"plexsphere:env": dev}}}}`)

		return c.Of(o).Apply(c.T.Context(), "x", o, metav1.ApplyOptions{FieldManager: "apiextensions.crossplane.io/composed/0", Force: true})
	}

	c.Applied(bareDefinition(c.T, schema.GroupVersionKind{Group: "s3.aws.m.upbound.io", Version: "v1beta1", Kind: "Bucket"}))

	var first *unstructured.Unstructured

	// It takes a moment until the kind is known.
	live.Eventually(c.T, func() (err error) {
		first, err = apply()
		return err
	})

	want := map[string]any{"plexsphere:cost-center": "100", "plexsphere:env": "dev", "plexsphere:managed-by": "platform", "plexsphere:owner": "team-a"}
	if diff := cmp.Diff(want, bareValue(first, &field.Field{Path: bareTagsPath})); diff != "" {
		c.T.Errorf("the bucket should have the policy's tags, and the step's (-want, +got):\n%s", diff)
	}

	again, err := apply()
	if err != nil {
		c.T.Fatal(err)
	}

	if again.GetResourceVersion() != first.GetResourceVersion() {
		c.T.Errorf("nothing should be written again, but: %s", cmp.Diff(first.Object, again.Object))
	}

	for _, m := range first.GetManagedFields() {
		if strings.Contains(m.FieldsV1.GetRawString(), "managed-by") {
			c.T.Errorf("nobody should own the tag that the policy has added, but %s does", m.Manager)
		}
	}
}
