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

// Crossplane tells composed resources by an annotation with their name in the pipeline, and by a label with the
// XR's name.
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
		xr.adopt(&c)
		xr.name(&c)

		out = append(out, c)
	}

	return out
}

// place gives a resource its namespace: the observed one, or the XR's if the XR has one.
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

// adopt writes to the resource its name in the pipeline, the XR's name, and the XR as its owner.
func (xr *composite) adopt(c *composed) {
	c.object.SetAnnotations(put(c.object.GetAnnotations(), annotationName, c.name))
	c.object.SetLabels(put(c.object.GetLabels(), labelComposite, xr.GetLabels()[labelComposite]))

	owners := slices.DeleteFunc(c.object.GetOwnerReferences(), func(o metav1.OwnerReference) bool { return o.UID == xr.GetUID() })
	c.object.SetOwnerReferences(append(owners, *metav1.NewControllerRef(xr, xr.GroupVersionKind())))
}

// name gives a name to a resource without one.
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

// childName returns the prefix with a hyphen, and a hash of the unique text.
func childName(prefix, unique string) string {
	hash := sha256.Sum256([]byte(unique))
	prefix = strings.TrimSuffix(prefix, "-")

	if limit := maxName - hashLen - len("-"); len(prefix) > limit {
		prefix = prefix[:limit]
	}

	return prefix + "-" + hex.EncodeToString(hash[:])[:hashLen]
}

// unready returns the names of resources that nobody calls ready.
func unready(resources []composed) []string {
	var out []string

	for _, c := range resources {
		if !c.ready {
			out = append(out, c.name)
		}
	}

	return out
}
