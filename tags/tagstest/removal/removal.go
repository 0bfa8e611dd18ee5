// Package removal proves that all fields of earlier steps stay, but for the tags that the input removes.
package removal

import (
	"strings"

	"google.golang.org/protobuf/types/known/structpb"
	"k8s.io/apimachinery/pkg/runtime/schema"

	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"

	"github.com/plexsphere/function-cloud-tags/input/v1beta1"
	"github.com/plexsphere/function-cloud-tags/tags/field"
	"github.com/plexsphere/function-cloud-tags/tags/object"
	"github.com/plexsphere/function-cloud-tags/tags/profile"
	"github.com/plexsphere/function-cloud-tags/tags/require"
)

// A Removal judges desired resources before and after a request. The request may remove the tags that its
// input removes, and nothing else.
type Removal struct {
	in     *v1beta1.CloudTags
	fields field.Locator
}

// Of returns the Removal of the request. schemas returns the schemas for the request's input. Of returns false if
// the input can't be decoded.
func Of(req *fnv1.RunFunctionRequest, schemas func(*require.Requirements) field.Schemas) (Removal, bool) {
	in, err := v1beta1.Decode(req.GetInput())
	if err != nil {
		return Removal{}, false
	}

	required := require.New(req)
	required.OnlyBootstrapped = in.FieldDiscovery == v1beta1.FieldDiscoveryIndex

	return Removal{in: in, fields: field.ForInput(in, schemas(required))}, true
}

// Keeps reports whether after has all fields of before, with any values. Tags may be missing if the input
// removes them.
func (r *Removal) Keeps(before, after *structpb.Struct) bool {
	f, ok := r.fields.Locate(r.kindOf(before))
	if !ok || f.Shape == field.None {
		return r.keepsAll(before, after)
	}

	was, err := object.Get(object.FromStruct(before), f.Path)
	if err != nil || was == nil {
		return r.keepsAll(before, after)
	}

	has, err := object.Get(object.FromStruct(after), f.Path)
	if err != nil || !r.keepsTags(was, has, &f) {
		return false
	}

	// Beside the tag field, everything stays, but for empty objects around it.
	rest, err := object.Set(object.FromStruct(before), f.Path, object.Node{})

	for n := len(f.Path.Segments()) - 1; n > 0 && err == nil; n-- {
		if v, _ := rest.At(f.Path.First(n)); v.IsObject() && v.IsEmpty() {
			rest, err = object.Set(rest, f.Path.First(n), object.Node{})
		}
	}

	return err == nil && r.keepsAll(rest.Struct(), after)
}

// kindOf returns the kind of a resource, as the stamper has it.
func (r *Removal) kindOf(resource *structpb.Struct) field.Kind {
	k := field.Kind{GroupVersionKind: schema.FromAPIVersionAndKind(resource.GetFields()["apiVersion"].GetStringValue(), resource.GetFields()["kind"].GetStringValue())}
	k.Managed = resource.GetFields()["spec"].GetStructValue().GetFields()["forProvider"].GetStructValue() != nil

	if family, ok := field.FamilyOf(k.GroupKind()); ok && family.Profile != "" {
		k.Profile = family.Profile
	} else if provider := r.in.ProviderValue(); provider != "" {
		k.Profile = profile.Of(provider).Name
	}

	return k
}

// keepsAll reports whether after has all fields of before, with any values.
func (r *Removal) keepsAll(before, after *structpb.Struct) bool {
	for name, v := range before.GetFields() {
		kept, ok := after.GetFields()[name]

		// Metadata can be copied to any field, and replaces a value at its key.
		if _, text := kept.GetKind().(*structpb.Value_StringValue); text && len(r.in.KubernetesMetadata) > 0 {
			continue
		}

		if !ok || !r.keepsAll(v.GetStructValue(), kept.GetStructValue()) || len(kept.GetListValue().GetValues()) < len(v.GetListValue().GetValues()) {
			return false
		}
	}

	return true
}

// keepsTags reports whether the field f has all its tags and all its other entries. It reports true if the
// input removes tags: the oracle of tags/stamp checks removed tags.
func (r *Removal) keepsTags(before, after *structpb.Value, f *field.Field) bool {
	// The function also removes tags of earlier steps with reserved keys: see TestRunFunctionTrust. Nobody can tell
	// the keys of a joined string with escapes.
	if len(r.in.RemoveTags)+len(r.in.ReservedKeys) > 0 || strings.Contains(before.GetStringValue(), `\`) {
		return true
	}

	had, others := keysOf(before, f)
	has, more := keysOf(after, f)

	for key := range had {
		if !has[key] {
			return false
		}
	}

	return more >= others
}

// keysOf returns the keys of the tags in the field f, in lower case, and the number of items that are no tags.
func keysOf(v *structpb.Value, f *field.Field) (keys map[string]bool, others int) {
	keys = make(map[string]bool)

	for name := range v.GetStructValue().GetFields() {
		keys[name] = true
	}

	for entry := range strings.SplitSeq(v.GetStringValue(), f.Delimiter) {
		key, _, _ := strings.Cut(entry, f.Separator)
		if key = strings.TrimSpace(key); key != "" {
			keys[strings.ToLower(key)] = true
		}
	}

	for _, item := range v.GetListValue().GetValues() {
		if entry, ok := item.GetKind().(*structpb.Value_StringValue); ok {
			key, _, _ := strings.Cut(entry.StringValue, f.Separator)
			keys[strings.ToLower(key)] = true
		} else if key, ok := item.GetStructValue().GetFields()[f.Key].GetKind().(*structpb.Value_StringValue); ok {
			keys[strings.ToLower(key.StringValue)] = true
		} else {
			others++
		}
	}

	return keys, others
}
