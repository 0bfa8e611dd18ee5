package engine

import (
	"crypto/sha256"
	"encoding/hex"
	"maps"
	"slices"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"
)

// What Crossplane tells composed resources by: the annotation has the name that one has in
// the pipeline, and the label that of the XR.
const (
	annotationName = "crossplane.io/composition-resource-name"
	labelComposite = "crossplane.io/composite"
)

// A composed resource, as Crossplane applies it.
type composed struct {
	name   string
	object *unstructured.Unstructured
	ready  bool

	// overridden is the namespace that the pipeline desired, if the XR's is another.
	overridden string
}

// compose what the pipeline desires, sorted by name.
func (xr *composite) compose(desired map[string]*fnv1.Resource) []composed {
	out := make([]composed, 0, len(desired))

	for _, name := range slices.Sorted(maps.Keys(desired)) {
		c := composed{
			name:   name,
			object: objectOf(desired[name].GetResource()),
			ready:  desired[name].GetReady() == fnv1.Ready_READY_TRUE,
		}
		xr.place(&c)
		xr.own(&c)
		xr.name(&c)

		out = append(out, c)
	}

	return out
}

// place a resource in its namespace: where it is observed, and that of the XR if it has one.
func (xr *composite) place(c *composed) {
	if o, ok := xr.observed[c.name]; ok {
		c.object.SetNamespace(o.GetNamespace())
		c.object.SetName(o.GetName())
		c.object.SetGenerateName(o.GetGenerateName())
	}

	if xr.GetNamespace() == "" {
		return
	}

	if n := c.object.GetNamespace(); n != "" && n != xr.GetNamespace() {
		c.overridden = n
	}

	c.object.SetNamespace(xr.GetNamespace())
}

// own a resource: say whose, and which, it is.
func (xr *composite) own(c *composed) {
	c.object.SetAnnotations(put(c.object.GetAnnotations(), annotationName, c.name))
	c.object.SetLabels(put(c.object.GetLabels(), labelComposite, xr.GetLabels()[labelComposite]))

	owners := slices.DeleteFunc(c.object.GetOwnerReferences(), func(o metav1.OwnerReference) bool { return o.UID == xr.GetUID() })
	c.object.SetOwnerReferences(append(owners, *metav1.NewControllerRef(xr, xr.GroupVersionKind())))
}

// name a resource that has no name.
func (xr *composite) name(c *composed) {
	if c.object.GetName() != "" {
		return
	}

	if c.object.GetGenerateName() == "" {
		c.object.SetGenerateName(xr.GetLabels()[labelComposite] + "-")
	}

	c.object.SetName(childName(c.object.GetGenerateName(), string(xr.GetUID())+c.name))
}

// Lengths in bytes that names have.
const (
	maxName = 63
	hashLen = 12
)

// childName is a prefix with a hyphen, and the hash of what there is only one of.
func childName(prefix, unique string) string {
	hash := sha256.Sum256([]byte(unique))
	prefix = strings.TrimSuffix(prefix, "-")

	if most := maxName - hashLen - len("-"); len(prefix) > most {
		prefix = prefix[:most]
	}

	return prefix + "-" + hex.EncodeToString(hash[:])[:hashLen]
}

// unready are the names of resources that nobody calls ready.
func unready(resources []composed) []string {
	var out []string

	for _, c := range resources {
		if !c.ready {
			out = append(out, c.name)
		}
	}

	return out
}
