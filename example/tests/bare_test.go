package tests

import (
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

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
)

// bareKind matches the first kind that a policy is for.
var bareKind = regexp.MustCompile(`request\.kind\.kind in \{\n\s+'([^']+)': \['([^']+)'`)

// TestBareResources gives a real API server all policies for managed resources. It must refuse an object exactly if the function's
// tagPolicy finds it wrong: of one kind of each policy, and of every fortieth kind of the index. With KINDS=all, it is every kind.
func TestBareResources(t *testing.T) {
	if os.Getenv("CROSSPLANE") == "" {
		t.Skip("CROSSPLANE=1 go test ./example/tests -run TestBareResources starts an API server.")
	}

	root, _ := all(t)

	cluster, err := live.StartServer(t.Context(), root)
	if err != nil {
		t.Fatal(err)
	}

	t.Cleanup(cluster.Stop)

	b := &bare{Test: live.Test{Cluster: cluster, T: t}, function: start(t, root).Functions[functions.CloudTags], outcomes: make(map[string]int)}
	policies := b.policies(root)

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

// bare is a cluster with policies for managed resources, and the function that judges by the same tagPolicy.
type bare struct {
	live.Test

	function functions.Function
	input    *structpb.Struct

	// outcomes are how many kinds have each.
	outcomes map[string]int
}

// policies applies what the command writes for the Composition of its tests, and returns it.
func (b *bare) policies(root string) string {
	b.T.Helper()

	const file = "tags/command/policy/testdata/resources.yaml"

	text := read(b.T, filepath.Join(root, filepath.FromSlash(file)))

	steps := live.Field[[]any](live.Parse(b.T, text), "spec", "pipeline")
	b.input = tagstest.Struct(steps[0].(map[string]any)["input"]) //nolint:forcetypeassert // It is one.

	cmd := exec.CommandContext(b.T.Context(), "go", "run", ".", "policy", "--resources", "--action", "Deny", "--composition", file)
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

// Tags of objects: none, those that the tagPolicy requires, and one with a wrong value.
var (
	noTags    [][2]string
	rightTags = [][2]string{{"cost-center", "100"}, {"owner", "me"}}
	wrongTags = [][2]string{{"cost-center", "0"}, {"owner", "me"}}
)

// try the kinds: define them, make objects of each, and take the definitions away.
func (b *bare) try(kinds []schema.GroupVersionKind) {
	b.T.Helper()

	definitions := b.definitions(kinds)
	b.Applied(definitions...)

	for _, gvk := range kinds {
		var outcome string

		// It takes a moment until kinds are known.
		live.Eventually(b.T, func() (err error) {
			outcome, err = b.judged(gvk)
			return err
		})

		b.outcomes[outcome]++
	}

	for _, o := range definitions {
		if err := b.ClientFor(o).Delete(b.T.Context(), o.GetName(), metav1.DeleteOptions{}); err != nil {
			b.T.Fatal(err)
		}
	}
}

// judged creates objects of the kind, and takes the tags of one away. It returns what becomes of them.
func (b *bare) judged(gvk schema.GroupVersionKind) (string, error) {
	f, known := field.BuiltIn().Known(gvk)
	if !known {
		f.Shape = field.None // Releases don't agree.
	}

	object := func(tags [][2]string) *unstructured.Unstructured {
		o := managed.Resource(gvk, &f, tags)
		o.SetNamespace("default")
		o.SetName(gvk.Version) // Versions of one kind share their objects.

		return o
	}

	var outcomes []string

	for _, tags := range [][][2]string{noTags, wrongTags, rightTags} {
		o := object(tags)

		outcome, err := b.sent(o, func() error {
			_, err := b.ClientFor(o).Create(b.T.Context(), o, metav1.CreateOptions{DryRun: []string{metav1.DryRunAll}})
			return err
		})
		if err != nil {
			return "", fmt.Errorf("%v with the tags %v: %w", gvk, tags, err)
		}

		outcomes = append(outcomes, outcome)
	}

	there, err := b.ClientFor(object(rightTags)).Create(b.T.Context(), object(rightTags), metav1.CreateOptions{})
	if err != nil {
		return "", fmt.Errorf("%v with the right tags: %w", gvk, err)
	}

	o := object(noTags)
	o.SetResourceVersion(there.GetResourceVersion())

	updated, err := b.sent(o, func() error {
		_, err := b.ClientFor(o).Update(b.T.Context(), o, metav1.UpdateOptions{DryRun: []string{metav1.DryRunAll}})
		return err
	})
	if err != nil {
		b.T.Fatalf("%v, updated: %v", gvk, err)
	}

	return fmt.Sprintf("without tags %s, with a wrong one %s, with the right ones %s, without them later %s", outcomes[0], outcomes[1], outcomes[2], updated), nil
}

// sent sends the object, and returns whether it is refused, as it should be if the function finds it wrong.
func (b *bare) sent(o *unstructured.Unstructured, send func() error) (string, error) {
	violation := b.violation(o)

	switch err := send(); {
	case violation != "" && (err == nil || !strings.Contains(err.Error(), "tagPolicy ")):
		return "", fmt.Errorf("it should be refused, since %s, but the answer is: %w", violation, err)
	case violation != "":
		return "refused", nil
	default:
		return "admitted", err
	}
}

// violation calls the function for an XR whose only resource the object is. It returns the result that names a broken rule.
func (b *bare) violation(o *unstructured.Unstructured) string {
	rsp, err := called(b.T.Context(), b.function, &fnv1.RunFunctionRequest{
		Input:    b.input,
		Observed: &fnv1.State{Composite: &fnv1.Resource{Resource: tagstest.Struct(map[string]any{"apiVersion": "platform.example.org/v1", "kind": "Stack"})}},
		Desired:  &fnv1.State{Resources: map[string]*fnv1.Resource{"x": {Resource: tagstest.Struct(o.Object)}}},
	})
	if err != nil {
		b.T.Fatal(err)
	}

	for _, r := range rsp.GetResults() {
		if r.GetReason() == conditions.ReasonPolicyViolated {
			return r.GetMessage()
		}
	}

	return ""
}
