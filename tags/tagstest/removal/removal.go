// Package removal proves that the function loses nothing of what earlier steps desire, but for tags that
// its input removes.
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

// A Removal is what a request may take away from desired resources: the tags that its
// input removes, and nothing else.
type Removal struct {
	in     *v1beta1.CloudTags
	fields field.Locator
}

// Of the request, for whose input schemas returns those that the function reads. It returns false if
// its input can't be decoded.
func Of(req *fnv1.RunFunctionRequest, schemas func(*require.Requirements) field.Schemas) (Removal, bool) {
	in, err := v1beta1.Decode(req.GetInput())
	if err != nil {
		return Removal{}, false
	}

	required := require.New(req)
	required.OnlyBootstrapped = in.FieldDiscovery == v1beta1.FieldDiscoveryIndex

	return Removal{in: in, fields: field.ForInput(in, schemas(required))}, true
}

// Keeps is true if all fields of the resource before are still there, whatever their
// values, but for tags that are removed.
func (of *Removal) Keeps(before, after *structpb.Struct) bool {
	f, ok := of.fields.Locate(of.kindOf(before))
	if !ok || f.Shape == field.None {
		return of.keepsAll(before, after)
	}

	was, err := object.Get(object.Tree(before), f.Path)
	if err != nil || was == nil {
		return of.keepsAll(before, after)
	}

	is, err := object.Get(object.Tree(after), f.Path)
	if err != nil || !of.keepsTags(was, is, &f) {
		return false
	}

	// Beside the tag field, everything stays.
	rest, err := without(before, f.Path)
	if err != nil {
		return false
	}

	kept, err := without(after, f.Path)

	return err == nil && of.keepsAll(rest.Struct(), kept.Struct())
}

// without returns a resource without the field at path, nor empty objects around it.
func without(r *structpb.Struct, path object.Path) (object.Object, error) {
	out, err := object.Set(object.Tree(r), path, object.Node{})

	for n := len(path.Segments()) - 1; n > 0 && err == nil; n-- {
		if v, _ := out.At(path.First(n)); v.IsObject() && v.IsEmpty() {
			out, err = object.Set(out, path.First(n), object.Node{})
		}
	}

	return out, err
}

// kindOf returns the kind of a resource, as the stamper has it.
func (of *Removal) kindOf(r *structpb.Struct) field.Kind {
	k := field.Kind{GroupVersionKind: schema.FromAPIVersionAndKind(r.GetFields()["apiVersion"].GetStringValue(), r.GetFields()["kind"].GetStringValue())}
	k.Managed = r.GetFields()["spec"].GetStructValue().GetFields()["forProvider"].GetStructValue() != nil

	if family, ok := field.FamilyOf(k.GroupKind()); ok && family.Profile != "" {
		k.Profile = family.Profile
	} else if provider := of.in.ProviderValue(); provider != "" {
		k.Profile = profile.Of(provider).Name
	}

	return k
}

// keepsAll is true if all fields of before are still there, whatever their
// values.
func (of *Removal) keepsAll(before, after *structpb.Struct) bool {
	for name, v := range before.GetFields() {
		kept, ok := after.GetFields()[name]

		// Metadata can be copied to any field, in the place of whatever has its key.
		if _, text := kept.GetKind().(*structpb.Value_StringValue); text && len(of.in.KubernetesMetadata) > 0 {
			continue
		}

		if !ok || !of.keepsAll(v.GetStructValue(), kept.GetStructValue()) || len(kept.GetListValue().GetValues()) < len(v.GetListValue().GetValues()) {
			return false
		}
	}

	return true
}

// keepsTags is true if the value of the field f has not lost a tag, nor anything else, unless the input removes
// tags. Which ones those are is a matter of the oracle of tags/stamp.
func (of *Removal) keepsTags(before, after *structpb.Value, f *field.Field) bool {
	// What earlier steps set of reserved keys goes, too: see TestRunFunctionTrust. A joined string with escapes
	// has keys that nobody can tell.
	if len(of.in.RemoveTags)+len(of.in.ReservedKeys) > 0 || strings.Contains(before.GetStringValue(), `\`) {
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

// keysOf the tags of the field f, without case, and how many of its items are none.
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
