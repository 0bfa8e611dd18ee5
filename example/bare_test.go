package example

import (
	"errors"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"google.golang.org/protobuf/types/known/structpb"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"

	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"

	"github.com/plexsphere/function-cloud-tags/example/internal/functions"
	"github.com/plexsphere/function-cloud-tags/example/internal/live"
	"github.com/plexsphere/function-cloud-tags/tags/field"
	conditions "github.com/plexsphere/function-cloud-tags/tags/report"
	"github.com/plexsphere/function-cloud-tags/tags/tagstest"
	"github.com/plexsphere/function-cloud-tags/tags/tagstest/managed"
	"github.com/plexsphere/function-cloud-tags/tags/words"
)

// bareKind matches the first kind that a policy is for.
var bareKind = regexp.MustCompile(`request\.kind\.kind in \{\n\s+'([^']+)': \['([^']+)'`)

// TestBareResources proves that a real API server which has all policies for managed resources themselves makes of them what the function
// makes of them, and refuses what the function's tagPolicy finds wrong: one kind of each policy, and every fortieth of the index. With
// KINDS=all, it is every kind.
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

	b := &bare{
		Test: live.Test{Cluster: cluster, T: t}, function: start(t, root).Functions[functions.CloudTags], outcomes: make(map[string]int),
		namespaces: []*unstructured.Unstructured{
			live.Parse(t, `{apiVersion: v1, kind: Namespace, metadata: {name: team-a, labels: {tags.example.org/owner: team-a, tags.example.org/cost-center: "100"}}}`),
			live.Parse(t, `{apiVersion: v1, kind: Namespace, metadata: {name: team-b}}`),
		},
	}
	b.Applied(b.namespaces...)

	policies := b.policies(root, "mutate", &b.tags) + b.policies(root, "resources", &b.judges)

	var kinds []schema.GroupVersionKind

	for gvk := range field.BuiltIn().All() {
		kinds = append(kinds, gvk)
	}

	slices.SortFunc(kinds, func(x, y schema.GroupVersionKind) int {
		return strings.Compare(x.GroupKind().String()+" "+x.Version, y.GroupKind().String()+" "+y.Version)
	})

	if os.Getenv("KINDS") != "all" {
		sample := make(map[schema.GroupVersionKind]bool)
		for _, m := range bareKind.FindAllStringSubmatch(policies, -1) {
			sample[schema.FromAPIVersionAndKind(m[1], m[2])] = true
		}

		for i := 0; i < len(kinds); i += 40 {
			sample[kinds[i]] = true
		}

		kinds = slices.DeleteFunc(kinds, func(gvk schema.GroupVersionKind) bool { return !sample[gvk] })
	}

	b.owners()

	for start := 0; start < len(kinds); {
		// Versions of one kind are served together.
		end := min(start+200, len(kinds))
		for end < len(kinds) && kinds[end].GroupKind() == kinds[end-1].GroupKind() {
			end++
		}

		b.try(kinds[start:end])
		t.Logf("%d of %d kinds", end, len(kinds))
		start = end
	}

	sum := 0
	for _, outcome := range slices.Sorted(maps.Keys(b.outcomes)) {
		sum += b.outcomes[outcome]
		t.Logf("%d kinds: %s", b.outcomes[outcome], outcome)
	}

	if sum != len(kinds) {
		t.Errorf("all %d kinds should have an outcome, but %d have one", len(kinds), sum)
	}
}

// bare is a cluster with policies for managed resources, and the function that knows what comes of them.
type bare struct {
	live.Test

	function   functions.Function
	namespaces []*unstructured.Unstructured

	// tags and judges are the inputs that policies were made of: those that change objects, and those that refuse them.
	tags, judges *structpb.Struct

	// outcomes are how many kinds have each.
	outcomes map[string]int
}

// policies applies what the command writes with the flag of the name, for the Composition of its tests, and returns it.
func (b *bare) policies(root, flag string, input **structpb.Struct) string {
	b.T.Helper()

	file := filepath.Join("tags", "command", "policy", "testdata", flag+".yaml")

	text, err := os.ReadFile(filepath.Join(root, file))
	if err != nil {
		b.T.Fatal(err)
	}

	steps := live.Field[[]any](live.Parse(b.T, string(text)), "spec", "pipeline")
	*input = tagstest.Struct(steps[0].(map[string]any)["input"]) //nolint:forcetypeassert // It is one.

	cmd := exec.CommandContext(b.T.Context(), "go", "run", ".", "policy", "--"+flag, "--composition", file)
	cmd.Dir = root

	return applyPrinted(b.Test, cmd)
}

// definitions of the kinds, whose objects may have any fields. One kind of a group can be called like the plural of another, so that
// no name is guessed.
func (b *bare) definitions(kinds []schema.GroupVersionKind) (out []*unstructured.Unstructured) {
	b.T.Helper()

	versions := make(map[schema.GroupKind][]any)
	for _, gvk := range kinds {
		gk := gvk.GroupKind()
		versions[gk] = append(versions[gk], map[string]any{"name": gvk.Version, "served": true, "storage": len(versions[gk]) == 0, "schema": map[string]any{
			"openAPIV3Schema": map[string]any{"type": "object", "x-kubernetes-preserve-unknown-fields": true},
		}})
	}

	for _, gvk := range kinds {
		gk := gvk.GroupKind()
		if versions[gk] == nil {
			continue
		}

		guessed, _ := meta.UnsafeGuessKindToResource(gvk)
		definition := live.Parse(b.T, fmt.Sprintf(`
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: %[1]s.%[2]s, annotations: {api-approved.kubernetes.io: "unapproved, of a test"}}
spec: {group: %[2]s, names: {kind: %[3]s, listKind: %[3]sItems, plural: %[1]s, singular: %[1]s-one}, scope: Namespaced}
`, guessed.Resource, gk.Group, gk.Kind))
		live.Field[map[string]any](definition, "spec")["versions"] = versions[gk]
		versions[gk] = nil

		out = append(out, definition)
	}

	return out
}

// try the kinds: define them, make objects of each, and take the definitions away.
func (b *bare) try(kinds []schema.GroupVersionKind) {
	b.T.Helper()

	definitions := b.definitions(kinds)
	b.Applied(definitions...)

	for _, gvk := range kinds {
		var created string

		// It takes a moment until kinds are known.
		live.Eventually(b.T, func() (err error) {
			created, err = b.create(gvk)
			return err
		})

		b.outcomes[created+", updated "+b.update(gvk)]++
	}

	for _, o := range definitions {
		if err := b.Of(o).Delete(b.T.Context(), o.GetName(), metav1.DeleteOptions{}); err != nil {
			b.T.Fatal(err)
		}
	}
}

// create an object of the kind in each namespace. It returns what becomes of them.
func (b *bare) create(gvk schema.GroupVersionKind) (string, error) {
	var outcomes []string

	for _, ns := range b.namespaces {
		o := b.resource(gvk, ns)

		want, fails := b.call(b.tags, o)
		if fails != "" {
			return "", errors.New(fails)
		}

		becomes, err := b.becomes(o, want, func() (*unstructured.Unstructured, error) {
			return b.Of(o).Create(b.T.Context(), o, metav1.CreateOptions{DryRun: []string{metav1.DryRunAll}})
		})
		if err != nil {
			return "", fmt.Errorf("%v in %s: %w", gvk, ns.GetName(), err)
		}

		outcomes = append(outcomes, "in "+ns.GetName()+" "+becomes)
	}

	return strings.Join(outcomes, ", "), nil
}

// update an object of the kind. It returns what becomes of it.
func (b *bare) update(gvk schema.GroupVersionKind) string {
	b.T.Helper()

	o := b.resource(gvk, b.namespaces[0])
	o.SetName(gvk.Version) // Versions of one kind share their objects.

	o, err := b.Of(o).Create(b.T.Context(), o, metav1.CreateOptions{})
	if err != nil {
		b.T.Fatal(err)
	}

	resourceVersion := o.GetResourceVersion()
	o = withoutServers(o)

	labels := o.GetLabels()
	labels["tags.example.org/env"] = "test"
	o.SetLabels(labels)

	want := o.DeepCopy()
	if f, _ := field.BuiltIn().Known(gvk); !f.Fixed && !f.Immutable {
		var fails string
		if want, fails = b.call(b.tags, o); fails != "" {
			b.T.Fatal(fails)
		}
	}

	becomes, err := b.becomes(o, want, func() (*unstructured.Unstructured, error) {
		o.SetResourceVersion(resourceVersion)
		return b.Of(o).Update(b.T.Context(), o, metav1.UpdateOptions{DryRun: []string{metav1.DryRunAll}})
	})
	if err != nil {
		b.T.Fatalf("%v, updated: %v", gvk, err)
	}

	return becomes
}

// resource of the kind in the namespace, with tags and labels that are tags of its own.
func (b *bare) resource(gvk schema.GroupVersionKind, ns *unstructured.Unstructured) *unstructured.Unstructured {
	f, known := field.BuiltIn().Known(gvk)
	if !known {
		f.Shape = field.None // Releases don't agree.
	}

	tags := [][2]string{{"other", "x"}, {"plexsphere_env", "x"}, {"plexsphere:env", "x"}}
	if f.KubernetesLabels {
		tags = tags[:2] // No label has a colon.
	}

	o := managed.Resource(gvk, &f, tags)
	o.SetNamespace(ns.GetName())
	o.SetAnnotations(map[string]string{"tags.example.org/long": strings.Repeat("long", 63), "tags.example.org/a.b": "c"})

	labels := map[string]string{"tags.example.org/env": "prod", "tags.example.org/cost-center": "0"}
	maps.Copy(labels, o.GetLabels())
	o.SetLabels(labels)

	return o
}

// becomes says what becomes of the object if it is sent: it should become the wanted one, unless the tag policy stops that.
func (b *bare) becomes(o, want *unstructured.Unstructured, send func() (*unstructured.Unstructured, error)) (string, error) {
	_, violation := b.call(b.judges, want)
	outcome := map[bool]string{true: "as it was", false: "tagged"}[cmp.Equal(o.Object, want.Object)]

	got, err := send()

	switch {
	case violation != "" && (err == nil || !strings.Contains(err.Error(), "tagPolicy ")):
		return "", fmt.Errorf("it should be refused, since %s, but the answer is: %w", violation, err)
	case violation != "":
		return "refused", nil
	case err != nil:
		return "", err
	}

	if diff := cmp.Diff(want.Object, withoutServers(got).Object); diff != "" {
		return "", fmt.Errorf("it should be %s (-function, +policies):\n%s", outcome, diff)
	}

	return outcome, nil
}

// withoutServers returns the object without the metadata that the API server adds.
func withoutServers(o *unstructured.Unstructured) *unstructured.Unstructured {
	o = o.DeepCopy()
	for _, name := range []string{"creationTimestamp", "generation", "managedFields", "resourceVersion", "uid"} {
		unstructured.RemoveNestedField(o.Object, "metadata", name)
	}

	return o
}

// call the function with the input, for an XR with the object's metadata whose only resource the object is. It returns what the function
// makes of the object, or the result by which it fails or says that a tag policy is violated.
func (b *bare) call(input *structpb.Struct, o *unstructured.Unstructured) (_ *unstructured.Unstructured, fails string) {
	of := tagstest.Struct(o.Object)

	rsp, err := called(b.T.Context(), b.function, &fnv1.RunFunctionRequest{
		Input:    input,
		Observed: &fnv1.State{Composite: &fnv1.Resource{Resource: of}},
		Desired:  &fnv1.State{Resources: map[string]*fnv1.Resource{"x": {Resource: of}}},
	}, words.Map(b.namespaces, func(ns *unstructured.Unstructured) *structpb.Struct { return tagstest.Struct(ns.Object) })...)
	if err != nil {
		b.T.Fatal(err)
	}

	for _, r := range rsp.GetResults() {
		if r.GetSeverity() == fnv1.Severity_SEVERITY_FATAL || r.GetReason() == conditions.ReasonPolicyViolated {
			return nil, r.GetMessage()
		}
	}

	return &unstructured.Unstructured{Object: rsp.GetDesired().GetResources()["x"].GetResource().AsMap()}, ""
}

// owners proves that a tag which a policy adds belongs to no field manager, so that Crossplane, which applies a composed resource again and
// again, neither takes it away nor writes anything.
func (b *bare) owners() {
	gvk := schema.GroupVersionKind{Group: "s3.aws.m.upbound.io", Version: "v1beta1", Kind: "Bucket"}
	f, _ := field.BuiltIn().Known(gvk)
	b.Applied(b.definitions([]schema.GroupVersionKind{gvk})...)

	apply := func() (*unstructured.Unstructured, error) {
		o := managed.Resource(gvk, &f, [][2]string{{"plexsphere:env", "dev"}})
		o.SetNamespace("team-a")
		o.SetName("applied")

		return b.Of(o).Apply(b.T.Context(), o.GetName(), o, metav1.ApplyOptions{FieldManager: "apiextensions.crossplane.io/composed/0", Force: true})
	}

	want := map[string]any{"plexsphere:cost-center": "100", "plexsphere:env": "dev", "plexsphere:managed-by": "platform", "plexsphere:owner": "team-a"}

	var first *unstructured.Unstructured

	// It takes a moment until the kind and the policies are known.
	live.Eventually(b.T, func() (err error) {
		if first, err = apply(); err != nil {
			return err
		}

		return live.Differs(want, live.Field[map[string]any](first, "spec", "forProvider", "tags"))
	})

	again, err := apply()
	if err != nil {
		b.T.Fatal(err)
	}

	if again.GetResourceVersion() != first.GetResourceVersion() {
		b.T.Errorf("nothing should be written again, but: %s", cmp.Diff(first.Object, again.Object))
	}

	for _, m := range first.GetManagedFields() {
		if strings.Contains(m.FieldsV1.GetRawString(), "managed-by") {
			b.T.Errorf("nobody should own the tag that the policy has added, but %s does", m.Manager)
		}
	}
}
