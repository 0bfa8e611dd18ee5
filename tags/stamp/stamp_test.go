package stamp

import (
	"fmt"
	"slices"

	"google.golang.org/protobuf/types/known/structpb"

	"github.com/crossplane/function-sdk-go/resource"

	"github.com/plexsphere/function-cloud-tags/tags"
	"github.com/plexsphere/function-cloud-tags/tags/field"
	"github.com/plexsphere/function-cloud-tags/tags/target"
)

// everywhere locates one field on all kinds.
func everywhere(f field.Field) func(field.Schemas) field.Locator {
	return fixed(somewhere(f))
}

type somewhere field.Field

func (s somewhere) Locate(field.Kind) (field.Field, bool) { return field.Field(s), true }

// fixed is the supplied locator, which needs no schemas.
func fixed(l field.Locator) func(field.Schemas) field.Locator {
	return func(field.Schemas) field.Locator { return l }
}

// label of the first source, that should become the tag ours:<key>.
func label(key, value string) tags.Label {
	return tags.Label{QualifiedKey: key, TagKey: "ours:" + key, Value: value}
}

// labels with the keys k00 to k<n-1>.
func labels(n int) []tags.Label {
	out := make([]tags.Label, n)
	for i := range out {
		out[i] = label(fmt.Sprintf("k%02d", i), "v")
	}

	return out
}

func transformer(labels ...tags.Label) *tags.Transformer {
	slices.SortFunc(labels, tags.Label.Compare)
	return tags.NewTransformer(labels, nil)
}

// thing returns a resource with the supplied spec.
func thing(spec string) *structpb.Struct {
	return resource.MustStructJSON(`{"apiVersion": "example.org/v1", "kind": "Thing", "metadata": {"labels": {"app": "x"}}, "spec": ` + spec + `}`)
}

// annotated returns a resource with the supplied spec, and with the annotation to
// ignore it.
func annotated(ignore, spec string) *structpb.Struct {
	return resource.MustStructJSON(`{"apiVersion": "example.org/v1", "kind": "Thing", "metadata": {"annotations": {"` + target.IgnoreAnnotation + `": "` + ignore + `"}}, "spec": ` + spec + `}`)
}
