package engine

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/google/uuid"
	"google.golang.org/protobuf/types/known/structpb"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/json"

	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"
)

// A composite resource, and what is observed of it.
type composite struct {
	*unstructured.Unstructured

	// observed composed resources by name.
	observed map[string]*unstructured.Unstructured

	// selected reports whether Crossplane selected the Composition: the XR had no reference to one.
	selected    bool
	composition string
}

// newComposite prepares an XR as Crossplane does before it calls the pipeline. A rendered XR
// may lack fields that only an API server sets.
func newComposite(s *structpb.Struct, c *composition, observed []*structpb.Struct) (*composite, error) {
	xr := &composite{Unstructured: objectOf(s), composition: c.Metadata.Name}

	if kind := (metav1.TypeMeta{APIVersion: xr.GetAPIVersion(), Kind: xr.GetKind()}); kind != c.Spec.CompositeTypeRef {
		return nil, fmt.Errorf("the Composition is for %s, but the XR is a %s", c.Spec.CompositeTypeRef.GroupVersionKind(), kind.GroupVersionKind())
	}

	if xr.GetUID() == "" {
		id := xr.GroupVersionKind().String() + "\x00" + xr.GetNamespace() + "\x00" + xr.GetName()
		xr.SetUID(types.UID(uuid.NewSHA1(uuid.Nil, []byte(id)).String()))
	}

	xr.SetResourceVersion("999")

	if err := xr.observe(observed); err != nil {
		return nil, err
	}

	selected, _, _ := unstructured.NestedString(xr.Object, "spec", "crossplane", "compositionRef", "name")
	if xr.selected = selected != c.Metadata.Name; xr.selected {
		xr.set(map[string]any{"name": c.Metadata.Name}, "spec", "crossplane", "compositionRef")
	}

	if xr.GetLabels()[labelComposite] == "" {
		xr.SetLabels(put(xr.GetLabels(), labelComposite, xr.GetName()))
	}

	xr.set(with(xr.conditions(), responsive(xr.GetGeneration())), "status", "conditions")

	return xr, nil
}

// observe composed resources, which the XR refers to.
func (xr *composite) observe(observed []*structpb.Struct) error {
	xr.observed = make(map[string]*unstructured.Unstructured)

	var refs []any

	for _, s := range observed {
		o := objectOf(s)

		name := o.GetAnnotations()[annotationName]
		if name == "" {
			return fmt.Errorf("the observed resource %s has no annotation %s", o.GetName(), annotationName)
		}

		if owner := metav1.GetControllerOf(o); owner != nil && owner.UID != xr.GetUID() {
			return fmt.Errorf("the observed resource %s has a controller, whose UID isn't the XR's, %s", name, xr.GetUID())
		}

		if xr.GetNamespace() != "" && xr.GetNamespace() != o.GetNamespace() {
			return fmt.Errorf("the observed resource %s isn't in the namespace of the XR", name)
		}

		xr.observed[name] = o
		refs = append(refs, xr.referenceTo(o))
	}

	if len(refs) > 0 {
		xr.set(refs, "spec", "crossplane", "resourceRefs")
	}

	return nil
}

// objectOf returns an object whose whole numbers are such, which Unstructured insists on.
func objectOf(s *structpb.Struct) *unstructured.Unstructured {
	o := &unstructured.Unstructured{}

	// A Struct is an object.
	if text, err := s.MarshalJSON(); err == nil {
		_ = json.Unmarshal(text, &o.Object)
	}

	return o
}

// set a field of the XR. It has a value of another type only if the XR is none that an API
// server takes.
func (xr *composite) set(value any, path ...string) {
	_ = unstructured.SetNestedField(xr.Object, value, path...)
}

func (xr *composite) conditions() []any {
	c, _, _ := unstructured.NestedSlice(xr.Object, "status", "conditions")
	return c
}

// state that is observed.
func (xr *composite) state() (*fnv1.State, error) {
	s, err := structpb.NewStruct(xr.Object)
	if err != nil {
		return nil, err
	}

	out := &fnv1.State{Composite: &fnv1.Resource{Resource: s}, Resources: make(map[string]*fnv1.Resource)}

	for name, o := range xr.observed {
		s, err := structpb.NewStruct(o.Object)
		if err != nil {
			return nil, err
		}

		out.Resources[name] = &fnv1.Resource{Resource: s}
	}

	return out, nil
}

// written is what Crossplane writes of the XR in the end.
func (xr *composite) written(desired *fnv1.Resource, conditions []*fnv1.Condition, resources []composed) *unstructured.Unstructured {
	refs := make([]any, 0, len(resources))
	for _, c := range resources {
		refs = append(refs, xr.referenceTo(c.object))
	}

	slices.SortFunc(refs, func(a, b any) int { return cmp.Compare(sortKey(a), sortKey(b)) })

	out := &composite{Unstructured: &unstructured.Unstructured{Object: make(map[string]any)}}
	out.SetGroupVersionKind(xr.GroupVersionKind())
	out.SetNamespace(xr.GetNamespace())
	out.SetName(xr.GetName())
	out.set(refs, "spec", "crossplane", "resourceRefs")

	if status, ok := desired.GetResource().AsMap()["status"]; ok {
		out.set(status, "status")
	}

	all := out.conditions()
	for _, c := range xr.conditions() {
		all = with(all, c)
	}

	for _, c := range conditions {
		if !setByCrossplane(c.GetType()) {
			all = with(all, condition(c.GetType(), statuses[c.GetStatus()], c.GetReason(), c.GetMessage()))
		}
	}

	all = with(all, synced())
	all = with(all, ready(desired.GetReady(), unready(resources)))
	out.set(all, "status", "conditions")

	return out.Unstructured
}

// referenceTo a composed resource. It is in the namespace of the XR, if that has one.
func (xr *composite) referenceTo(o *unstructured.Unstructured) map[string]any {
	ref := map[string]any{"apiVersion": o.GetAPIVersion(), "kind": o.GetKind(), "name": o.GetName()}
	if xr.GetNamespace() == "" && o.GetNamespace() != "" {
		ref["namespace"] = o.GetNamespace()
	}

	return ref
}

// sortKey is what references are sorted by.
func sortKey(ref any) string {
	var key strings.Builder

	for _, name := range []string{"apiVersion", "kind", "name", "namespace"} {
		fields, _ := ref.(map[string]any)
		text, _ := fields[name].(string)
		key.WriteString(text)
	}

	return key.String()
}
