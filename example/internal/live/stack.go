package live

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/yaml"

	"github.com/plexsphere/function-cloud-tags/example/internal/testfunction"
)

// A Test that runs in a cluster.
type Test struct {
	*Cluster

	T *testing.T
}

// A Stack is a composite resource, with a Composition of its own.
type Stack struct {
	Test

	XR *unstructured.Unstructured

	// bases of the resources that it is composed of, by name.
	bases map[string]*unstructured.Unstructured
}

// NewStack makes the Composition of a stack, with resources as the test function's
// input has them, and an input of the function.
func (c Test) NewStack(name, resources, input string) *Stack {
	c.T.Helper()
	return c.newStackOf(kindStack, name, resources, input)
}

// NewLegacyStack makes the Composition of a stack with a cluster-scoped XR, as Crossplane v1 and later releases
// have it. Others can claim it.
func (c Test) NewLegacyStack(name, resources, input string) *Stack {
	c.T.Helper()
	return c.newStackOf(kindLegacy, name, resources, input)
}

func (c Test) newStackOf(kind, name, resources, input string) *Stack {
	c.T.Helper()

	bases, err := c.compose(c.T.Context(), kind, name, resources, input)
	if err != nil {
		c.T.Fatal(err)
	}

	s := &Stack{Test: c, XR: c.stack(kind, name, name), bases: bases}

	c.T.Cleanup(func() {
		if c.T.Failed() {
			s.Dump()
		}
	})

	return s
}

// Applied wants objects to be applied, as by somebody who has nothing to do with Crossplane.
func (c Test) Applied(objects ...*unstructured.Unstructured) {
	c.T.Helper()

	if err := c.Apply(c.T.Context(), "test", objects...); err != nil {
		c.T.Fatal(err)
	}
}

// Label the XR with these labels, and no others.
func (s *Stack) Label(labels object) {
	s.T.Helper()

	if err := s.applyLabels(s.T.Context(), s.XR, labels); err != nil {
		s.T.Fatal(err)
	}
}

// Reconcile the XR once, from its beginning to its end. When a run ends, Crossplane writes which
// generation of the XR the test function has seen, but that run may have begun before: only that
// of a second one has begun after the first had ended.
func (s *Stack) Reconcile() {
	s.T.Helper()

	for range 2 {
		generation := s.Touch()

		Eventually(s.T, func() error {
			seen, err := strconv.ParseInt(ConditionOf(s.Get(), testfunction.Seen).Message, 10, 64)
			if err == nil && seen < generation {
				err = fmt.Errorf("the generation that is synced is %d, not %d", seen, generation)
			}

			return err
		})
	}
}

// Touch the XR, which makes Crossplane reconcile it, and return its generation.
func (s *Stack) Touch() int64 {
	s.T.Helper()

	reconciled, _, _ := unstructured.NestedInt64(s.Get().Object, "spec", "reconciled")
	patch := fmt.Appendf(nil, `{"spec":{"reconciled":%d}}`, reconciled+1)

	xr, err := s.ClientFor(s.XR).Patch(s.T.Context(), s.XR.GetName(), types.MergePatchType, patch, metav1.PatchOptions{FieldManager: "test"})
	if err != nil {
		s.T.Fatal(err)
	}

	return xr.GetGeneration()
}

// Tag a resource, as another system does in its desired state.
func (s *Stack) Tag(name string, forProvider object) {
	s.T.Helper()

	o := s.named(name)
	o.Object["spec"] = object{"forProvider": forProvider}

	if err := s.Apply(s.T.Context(), "backup", o); err != nil {
		s.T.Fatal(err)
	}
}

// Write to the spec of a resource, as a provider does.
func (s *Stack) Write(name string, spec object) {
	s.T.Helper()

	o := s.named(name)

	patch, err := json.Marshal(object{"spec": spec})
	if err != nil {
		s.T.Fatal(err)
	}

	if _, err := s.ClientFor(o).Patch(s.T.Context(), o.GetName(), types.MergePatchType, patch, metav1.PatchOptions{FieldManager: "provider"}); err != nil {
		s.T.Fatal(err)
	}
}

// Observe what the provider says of a resource in the cloud.
func (s *Stack) Observe(name string, atProvider object) {
	s.T.Helper()

	o := s.named(name)
	o.Object["status"] = object{"atProvider": atProvider}

	if err := s.ApplyStatus(s.T.Context(), "provider", o); err != nil {
		s.T.Fatal(err)
	}
}

// named is a composed resource without anything but its name.
func (s *Stack) named(name string) *unstructured.Unstructured {
	s.T.Helper()

	stored := s.Resource(name)

	o := &unstructured.Unstructured{}
	o.SetGroupVersionKind(stored.GroupVersionKind())
	o.SetNamespace(stored.GetNamespace())
	o.SetName(stored.GetName())

	return o
}

// events of the XR.
func (s *Stack) events(ctx context.Context) ([]unstructured.Unstructured, error) {
	e := Parse(s.T, "{apiVersion: v1, kind: Event, metadata: {namespace: default}}")

	events, err := s.ClientFor(e).List(ctx, metav1.ListOptions{FieldSelector: "involvedObject.kind=" + s.XR.GetKind() + ",involvedObject.name=" + s.XR.GetName()})
	if err != nil {
		return nil, err
	}

	return events.Items, nil
}

// Said returns the messages of all events of the XR from results of the function, and how often each was said.
func (s *Stack) Said() map[string]int64 {
	s.T.Helper()

	events, err := s.events(s.T.Context())
	if err != nil {
		s.T.Fatal(err)
	}

	out := make(map[string]int64)

	for _, e := range events {
		if message := Field[string](&e, "message"); strings.Contains(message, `"cloud-tags"`) {
			out[message] += Field[int64](&e, "count")
		}
	}

	return out
}

// A Change is a log line of the function.
type Change struct {
	Resource string `json:"composed_resource"` //nolint:tagliatelle // Log lines are in snake case.

	Added   []string `json:"added"`
	Changed []string `json:"changed"`
	Removed []string `json:"removed"`
}

// Changes that the function has logged of the resources of this stack.
func (s *Stack) Changes() []Change {
	s.T.Helper()

	log, err := s.Log()
	if err != nil {
		s.T.Fatal(err)
	}

	var (
		out  []Change
		name = strings.TrimPrefix(s.XR.GetNamespace()+"/"+s.XR.GetName(), "/")
	)

	for _, line := range log {
		var l struct {
			Change

			Message string `json:"msg"`
			XR      string `json:"provisioned_resource"` //nolint:tagliatelle // As above.
		}

		if err := json.Unmarshal(line, &l); err != nil {
			s.T.Fatalf("%v: %s", err, line)
		}

		if l.Message == "Changed cloud tags" && l.XR == name {
			out = append(out, l.Change)
		}
	}

	return out
}

// Get the XR.
func (s *Stack) Get() *unstructured.Unstructured {
	s.T.Helper()

	xr, err := s.ClientFor(s.XR).Get(s.T.Context(), s.XR.GetName(), metav1.GetOptions{})
	if err != nil {
		s.T.Fatal(err)
	}

	return xr
}

// Resource that is there.
func (s *Stack) Resource(name string) *unstructured.Unstructured {
	s.T.Helper()

	r, err := s.find(name)
	if err != nil {
		s.T.Fatal(err)
	}

	return r
}

// find a composed resource.
func (s *Stack) find(name string) (*unstructured.Unstructured, error) {
	kind := s.bases[name].DeepCopy()
	kind.SetNamespace(s.XR.GetNamespace())

	found, err := s.ClientFor(kind).List(context.WithoutCancel(s.T.Context()), metav1.ListOptions{LabelSelector: "crossplane.io/composite=" + s.XR.GetName()})
	if err != nil {
		return nil, err
	}

	for _, r := range found.Items {
		if r.GetAnnotations()["crossplane.io/composition-resource-name"] == name {
			return &r, nil
		}
	}

	return nil, fmt.Errorf("there is no resource %q", name)
}

// Dump what there is of the stack to the log of the test.
func (s *Stack) Dump() {
	ctx := context.WithoutCancel(s.T.Context())

	var objects []any

	xr, err := s.ClientFor(s.XR).Get(ctx, s.XR.GetName(), metav1.GetOptions{})
	objects = append(objects, xr, err)

	for _, name := range slices.Sorted(maps.Keys(s.bases)) {
		r, err := s.find(name)
		objects = append(objects, r, err)
	}

	events, err := s.events(ctx)
	for _, e := range events {
		objects = append(objects, Field[string](&e, "type")+" "+Field[string](&e, "reason")+": "+Field[string](&e, "message"))
	}

	objects = append(objects, err)

	var out bytes.Buffer

	for _, o := range objects {
		if err, ok := o.(error); ok {
			o = err.Error()
		}

		if text, err := yaml.Marshal(o); err == nil && o != nil {
			_, _ = fmt.Fprintf(&out, "---\n%s", text)
		}
	}

	s.T.Logf("What there is of %s:\n%s", s.XR.GetName(), &out)
}

// stack is an XR of a kind, of a Composition.
func (c *Cluster) stack(kind, name, composition string) *unstructured.Unstructured {
	spec := object{"compositionRef": object{"name": composition}}

	xr := &unstructured.Unstructured{Object: object{"apiVersion": "platform.example.org/v1alpha1", "kind": kind, "spec": spec}}
	xr.SetName(name)

	if kind == kindStack && c.Release != V1 {
		xr.SetNamespace("default")
		xr.Object["spec"] = object{"crossplane": spec}
	}

	return xr
}

// applyLabels gives an XR these labels, and no others.
func (c *Cluster) applyLabels(ctx context.Context, xr *unstructured.Unstructured, labels object) error {
	spec, _ := xr.Object["spec"].(object)
	if spec["labels"] = labels; len(labels) == 0 {
		delete(spec, "labels") // Server-side apply makes null of a map that it empties.
	}

	return c.Apply(ctx, "user", xr)
}

// compose makes a Composition for XRs of a kind, of resources, as the test function's input has them, with the
// input of the function. It returns the bases of the resources, by name.
func (c *Cluster) compose(ctx context.Context, kind, name, resources, input string) (map[string]*unstructured.Unstructured, error) {
	var composed array
	if err := yaml.Unmarshal([]byte(c.Release.managed(resources)), &composed); err != nil {
		return nil, fmt.Errorf("cannot parse the resources of %s: %w", name, err)
	}

	bases := make(map[string]*unstructured.Unstructured, len(composed))

	for _, r := range composed {
		r, _ := r.(object)
		base, _ := r["base"].(object)
		id, _ := r["name"].(string)
		bases[id] = &unstructured.Unstructured{Object: base}
	}

	given, err := parse(c.Release.managed(input))
	if err != nil {
		return nil, err
	}

	in := object{"apiVersion": "cloudtags.fn.plexsphere.com/v1beta1", "kind": "CloudTags"}
	maps.Copy(in, given.Object)

	composition := Composition(name, composed, in)
	if err := unstructured.SetNestedField(composition.Object, kind, "spec", "compositeTypeRef", "kind"); err != nil {
		return nil, err
	}

	return bases, c.Apply(ctx, "test", composition)
}

// Composition of resources, as the test function's input has them, with an input of
// the function.
func Composition(name string, resources array, input object) *unstructured.Unstructured {
	return &unstructured.Unstructured{Object: object{
		"apiVersion": "apiextensions.crossplane.io/v1",
		"kind":       "Composition",
		"metadata":   object{"name": name},
		"spec": object{
			"compositeTypeRef": object{"apiVersion": "platform.example.org/v1alpha1", "kind": kindStack},
			"mode":             "Pipeline",
			"pipeline": array{
				object{
					"step":        "make-resources",
					"functionRef": object{"name": "function-test-resources"},
					"input":       object{"apiVersion": "testfunction.example.org/v1", "kind": "Resources", "resources": resources},
				},
				object{
					"step":        "cloud-tags",
					"functionRef": object{"name": "function-cloud-tags"},
					"input":       input,
				},
			},
		},
	}}
}
