package field

import (
	"google.golang.org/protobuf/types/known/structpb"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// Schemas locates the tag fields of managed resources by the OpenAPI schemas of their
// kinds.
type Schemas struct {
	// Of returns the schema of a kind, or nil if there is none to be had.
	Of func(k schema.GroupVersionKind) *structpb.Struct
}

// Locate the tag field of the supplied kind by its schema. That of a resource that no
// provider manages isn't asked for.
func (s Schemas) Locate(k Kind) (Field, bool) {
	if !k.Managed {
		return Field{}, false
	}

	of := s.Of(k.GroupVersionKind)
	if of == nil {
		return Field{}, false
	}

	return Read(k.GroupKind(), NewOpenAPI(of)), true
}
