package object

import (
	"cmp"
	"strings"

	"k8s.io/apimachinery/pkg/runtime/schema"
)

// ResourceNameAnnotation is where Crossplane puts the name that a composed resource has in its pipeline.
const ResourceNameAnnotation = "crossplane.io/composition-resource-name"

// APIVersion of the object o, or nothing.
func APIVersion(o Object) string { return o.Node().Field("apiVersion").Text() }

// Kind of the object o, or nothing.
func Kind(o Object) string { return o.Node().Field("kind").Text() }

// GVK is the API group, version and kind of the object o.
func GVK(o Object) schema.GroupVersionKind {
	return schema.FromAPIVersionAndKind(APIVersion(o), Kind(o))
}

func metadata(o Object) Node { return o.Node().Field("metadata") }

// Name of the object o, or nothing.
func Name(o Object) string { return metadata(o).Field("name").Text() }

// Namespace of the object o, or nothing.
func Namespace(o Object) string { return metadata(o).Field("namespace").Text() }

// Title is what messages call the object o: its kind and its name, with its namespace if it has
// one.
func Title(o Object) string {
	return strings.TrimSpace(Kind(o) + " " + strings.TrimPrefix(Namespace(o)+"/"+Name(o), "/"))
}

// Compare objects by namespace, then name.
func Compare(a, b Object) int {
	return cmp.Or(strings.Compare(Namespace(a), Namespace(b)), strings.Compare(Name(a), Name(b)))
}

// Labels of the object o. The API server has seen to it that they are strings.
func Labels(o Object) Node { return metadata(o).Field("labels") }

// HasLabels reports whether the object o has all of these labels.
func HasLabels(o Object, labels map[string]string) bool {
	there := Labels(o)

	for key, value := range labels {
		if !there.Field(key).IsText(value) {
			return false
		}
	}

	return true
}

// Annotations of the object o, as Labels.
func Annotations(o Object) Node { return metadata(o).Field("annotations") }

// Condition of the type in the status of the object o, or nothing.
func Condition(o Object, of string) Node {
	for c := range o.Node().Field("status").Field("conditions").Items() {
		if c.Field("type").IsText(of) {
			return c
		}
	}

	return Node{}
}

// IsPrivate is true if a label or an annotation with the key is meant only for the object that has
// it: keys of crossplane.io, its subdomains, kubectl.kubernetes.io and cloudtags.fn.plexsphere.com.
func IsPrivate(key string) bool {
	domain := key[:max(0, strings.Index(key, "/"))]

	return IsDomainOf(domain, "crossplane.io") || domain == "kubectl.kubernetes.io" || domain == "cloudtags.fn.plexsphere.com"
}

// IsDomainOf is true if domain is of, or a subdomain of it.
func IsDomainOf(domain, of string) bool {
	return domain == of || strings.HasSuffix(domain, "."+of)
}
