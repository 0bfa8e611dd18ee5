package tagstest

import (
	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"
	"github.com/crossplane/function-sdk-go/resource"
)

// Resources of the supplied JSON, by name. It panics if one is none.
func Resources(jsons map[string]string) map[string]*fnv1.Resource {
	out := make(map[string]*fnv1.Resource, len(jsons))
	for name, j := range jsons {
		out[name] = &fnv1.Resource{Resource: resource.MustStructJSON(j)}
	}

	return out
}

// Thing is the JSON of a resource with the supplied fields beside its kind.
func Thing(fields string) string {
	if fields != "" {
		fields = ", " + fields
	}

	return `{"apiVersion": "example.org/v1", "kind": "Thing"` + fields + `}`
}
