package stamp

import (
	"fmt"
	"slices"
	"testing"

	"google.golang.org/protobuf/types/known/structpb"

	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"
	"github.com/crossplane/function-sdk-go/resource"

	"github.com/plexsphere/function-cloud-tags/input/v1beta1"
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

func TestStampShares(t *testing.T) {
	r := thing(`{"forProvider": {"tags": {"Name": "x", "ours:a": "9"}, "region": {"a": ["b"]}}, "providerConfigRef": {"name": "default"}}`)

	s := &Stamper{
		Finder: target.Finder{
			Input:  &v1beta1.CloudTags{Provider: &v1beta1.StringSource{Value: "aws"}, Sources: []v1beta1.Source{{OnConflict: tags.Replace}}},
			Fields: fixed(field.ByProfile{}),
		},
		Transformer: transformer(under(tags.Replace, label("a", "1"), label("b", "2"))...),
	}

	got, err := stampAll(s, map[string]*fnv1.Resource{"r": {Resource: r}})
	if err != nil {
		t.Fatalf("Stamp(...): %s", err)
	}

	at := func(s *structpb.Struct, path ...string) *structpb.Value {
		v := structpb.NewStructValue(s)
		for _, name := range path {
			v = v.GetStructValue().GetFields()[name]
		}

		return v
	}

	cases := map[string]struct {
		reason string
		path   []string
		shared bool
	}{
		"Metadata":    {reason: "What is beside the way to the field is shared.", path: []string{"metadata"}, shared: true},
		"Spec":        {reason: "What is on the way to the field is copied.", path: []string{"spec"}},
		"ConfigRef":   {reason: "What is beside the way to the field is shared.", path: []string{"spec", "providerConfigRef"}, shared: true},
		"ForProvider": {reason: "What is on the way to the field is copied.", path: []string{"spec", "forProvider"}},
		"Region":      {reason: "What is beside the field is shared.", path: []string{"spec", "forProvider", "region"}, shared: true},
		"Tags":        {reason: "The field is a new one.", path: []string{"spec", "forProvider", "tags"}},
		"OthersTag":   {reason: "The tags of others are shared.", path: []string{"spec", "forProvider", "tags", "Name"}, shared: true},
		"OurTag":      {reason: "A tag that is replaced is a new one.", path: []string{"spec", "forProvider", "tags", "ours:a"}},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			if shared := at(r, tc.path...) == at(got.Changed["r"].Struct(), tc.path...); shared != tc.shared {
				t.Errorf("\n%s\nStamp(...): want %v shared: %t, got %t", tc.reason, tc.path, tc.shared, shared)
			}
		})
	}
}
