package report

import (
	"maps"
	"slices"

	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/known/structpb"

	"github.com/crossplane/function-sdk-go/errors"

	"github.com/plexsphere/function-cloud-tags/tags/object"
)

// status returns the desired composite resource with the supplied outcome in its status,
// or none if the input doesn't ask for that. What earlier steps desire there is kept, and
// they may be steps of this function.
func (r *Run) status(o *sorted) (object.Object, error) {
	path := r.Input.StatusFieldPath
	if path.IsZero() {
		return object.Object{}, nil
	}

	xr := object.Of(r.Request.GetDesired().GetComposite())

	old, _ := object.Get(xr, path) // What can't be read can't be written either.
	if old != nil && old.GetStructValue() == nil {
		return object.Object{}, errors.Errorf("cannot write %s: an earlier step has made it %s, not an object", path, object.KindOf(old))
	}

	xr, err := object.Set(xr, path, object.NodeOf(structpb.NewStructValue(r.active(o, old.GetStructValue()))))

	return xr, errors.Wrapf(err, "cannot write %s", path)
}

// active returns the supplied object with the tags that labels have become, by resource, and
// their keys, by provider: those to activate for cost allocation. With them are the classes
// that were picked.
func (r *Run) active(o *sorted, old *structpb.Struct) *structpb.Struct {
	out := &structpb.Struct{Fields: make(map[string]*structpb.Value)}
	proto.Merge(out, old)

	providers, resources := within(out, "providers"), within(out, "resources")
	keys := make(map[string][]string)

	for _, s := range o.tagged {
		put(within(resources, s.Resource), s.Active)
		keys[s.Provider] = slices.AppendSeq(keys[s.Provider], maps.Keys(s.Active))
	}

	for provider, of := range keys {
		of = append(of, mapped(providers.GetFields()[provider].GetListValue().GetValues(), (*structpb.Value).GetStringValue)...)
		slices.Sort(of)

		list := mapped(slices.Compact(of), structpb.NewStringValue)
		providers.Fields[provider] = structpb.NewListValue(&structpb.ListValue{Values: list})
	}

	for source, c := range r.Set.Classes {
		of := map[string]string{"apiVersion": object.APIVersion(c), "kind": object.Kind(c), "name": object.Name(c)}
		if namespace := object.Namespace(c); namespace != "" {
			of["namespace"] = namespace
		}

		put(within(out, "classes", source), of)
	}

	return out
}

// within returns the object at the supplied path of the supplied one. It is made if there is
// none.
func within(s *structpb.Struct, path ...string) *structpb.Struct {
	for _, name := range path {
		child := s.GetFields()[name].GetStructValue()
		if child.GetFields() == nil {
			child = &structpb.Struct{Fields: make(map[string]*structpb.Value)}
			s.Fields[name] = structpb.NewStructValue(child)
		}

		s = child
	}

	return s
}

// put the supplied strings into the supplied object.
func put(s *structpb.Struct, of map[string]string) {
	for key, value := range of {
		s.Fields[key] = structpb.NewStringValue(value)
	}
}
