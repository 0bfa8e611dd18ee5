package report

import (
	"maps"
	"slices"

	"google.golang.org/protobuf/types/known/structpb"

	"github.com/crossplane/function-sdk-go/errors"

	"github.com/plexsphere/function-cloud-tags/tags/object"
	"github.com/plexsphere/function-cloud-tags/tags/resolve"
)

// status returns the desired composite resource with the supplied outcome in its status,
// or nil if the input doesn't ask for that. What earlier steps desire there is kept, and
// they may be steps of this function.
func (r *Run) status(o *sorted) (*structpb.Struct, error) {
	path := r.Input.StatusFieldPath
	if path.IsZero() {
		return nil, nil //nolint:nilnil // Nothing to write is no error.
	}

	xr := r.Request.GetDesired().GetComposite().GetResource()

	old, err := object.Get(xr, path)
	if err != nil {
		return nil, errors.Wrapf(err, "cannot write %s", path)
	}

	if old != nil && old.GetStructValue() == nil {
		return nil, errors.Errorf("cannot write %s: an earlier step has made it %s, not an object", path, object.KindOf(old))
	}

	xr, err = object.Set(xr, path, merged(old, r.active(o)))

	return xr, errors.Wrapf(err, "cannot write %s", path)
}

// active are the tags that labels have become, by resource, and their keys, by provider:
// those to activate for cost allocation. With them are the classes that were picked.
func (r *Run) active(o *sorted) *structpb.Value {
	resources := make(map[string]map[string]string, len(o.tagged))
	providers := make(map[string][]string)

	for _, s := range o.tagged {
		resources[s.Resource] = s.Active
		providers[s.Provider] = slices.AppendSeq(providers[s.Provider], maps.Keys(s.Active))
	}

	fields := map[string]*structpb.Value{
		"providers": objectOf(providers, setOf),
		"resources": objectOf(resources, func(of map[string]string) *structpb.Value { return objectOf(of, structpb.NewStringValue) }),
	}

	if len(r.Set.Classes) > 0 {
		fields["classes"] = objectOf(r.Set.Classes, picked)
	}

	return structpb.NewStructValue(&structpb.Struct{Fields: fields})
}

// picked says which object the supplied class is.
func picked(c resolve.Class) *structpb.Value {
	fields := map[string]string{"apiVersion": c.APIVersion, "kind": c.Kind, "name": c.Name}

	if c.Namespace != "" {
		fields["namespace"] = c.Namespace
	}

	return objectOf(fields, structpb.NewStringValue)
}

// merged returns the second of the supplied values with the fields of the first that
// it doesn't have, or the strings of both if they are lists.
func merged(old, v *structpb.Value) *structpb.Value {
	switch {
	case old.GetStructValue() != nil && v.GetStructValue() != nil:
		out := &structpb.Struct{Fields: make(map[string]*structpb.Value)}
		maps.Copy(out.Fields, old.GetStructValue().GetFields())

		for name, value := range v.GetStructValue().GetFields() {
			out.Fields[name] = merged(out.Fields[name], value)
		}

		return structpb.NewStructValue(out)
	case old.GetListValue() != nil && v.GetListValue() != nil:
		return setOf(texts(slices.Concat(old.GetListValue().GetValues(), v.GetListValue().GetValues()), (*structpb.Value).GetStringValue))
	default:
		return v
	}
}

// setOf returns a list of the supplied strings, sorted, each once.
func setOf(of []string) *structpb.Value {
	slices.Sort(of)

	list := &structpb.ListValue{}
	for _, s := range slices.Compact(of) {
		list.Values = append(list.Values, structpb.NewStringValue(s))
	}

	return structpb.NewListValue(list)
}

// objectOf has a field for each of the supplied things, with the value of it.
func objectOf[T any](of map[string]T, value func(T) *structpb.Value) *structpb.Value {
	fields := make(map[string]*structpb.Value, len(of))
	for name, thing := range of {
		fields[name] = value(thing)
	}

	return structpb.NewStructValue(&structpb.Struct{Fields: fields})
}
