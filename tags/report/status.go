package report

import (
	"maps"
	"slices"

	"google.golang.org/protobuf/types/known/structpb"

	"github.com/crossplane/function-sdk-go/errors"
	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"

	"github.com/plexsphere/function-cloud-tags/tags/object"
	"github.com/plexsphere/function-cloud-tags/tags/resolve"
	"github.com/plexsphere/function-cloud-tags/tags/stamp"
)

// status returns the supplied desired composite resource with the supplied outcome at
// the supplied path of its status. What earlier steps desire there is kept, and they
// may be steps of this function.
func status(xr *structpb.Struct, path object.Path, o *Outcome, classes map[string]resolve.Class) (*structpb.Struct, error) {
	fields := map[string]*structpb.Value{
		"providers": providers(o.Results),
		"resources": activeTags(o.Results),
	}

	if len(classes) > 0 {
		fields["classes"] = picked(classes)
	}

	v, err := object.Get(xr, path)
	if err != nil {
		return nil, errors.Wrapf(err, "cannot write %s", path)
	}

	if v != nil && v.GetStructValue() == nil {
		return nil, errors.Errorf("cannot write %s: an earlier step has made it %s, not an object", path, object.KindOf(v))
	}

	with, err := object.Set(xr, path, merged(v, objectOf(fields)))

	return with, errors.Wrapf(err, "cannot write %s", path)
}

// merged returns the second of the supplied values with the fields of the first that
// it doesn't have, or the strings of both if they are lists.
func merged(old, v *structpb.Value) *structpb.Value {
	switch {
	case old.GetStructValue() != nil && v.GetStructValue() != nil:
		fields := maps.Clone(old.GetStructValue().GetFields())
		if fields == nil {
			return v
		}

		for name, value := range v.GetStructValue().GetFields() {
			fields[name] = merged(fields[name], value)
		}

		return objectOf(fields)
	case old.GetListValue() != nil && v.GetListValue() != nil:
		keys := []string{}
		for _, item := range slices.Concat(old.GetListValue().GetValues(), v.GetListValue().GetValues()) {
			keys = append(keys, item.GetStringValue())
		}

		return stringList(keys)
	default:
		return v
	}
}

// providers returns the keys of the supplied tags, sorted, by provider: those to
// activate for cost allocation.
func providers(of []stamp.Result) *structpb.Value {
	keys := make(map[string][]string)

	for i := range of {
		for key := range of[i].Active {
			keys[of[i].Provider] = append(keys[of[i].Provider], key)
		}
	}

	out := make(map[string]*structpb.Value, len(keys))

	for provider, of := range keys {
		out[provider] = stringList(of)
	}

	return objectOf(out)
}

// activeTags returns the supplied tags by resource.
func activeTags(of []stamp.Result) *structpb.Value {
	out := make(map[string]*structpb.Value, len(of))

	for i := range of {
		if s := &of[i]; isTagged(s) {
			out[s.Resource] = stringMap(s.Active)
		}
	}

	return objectOf(out)
}

// picked returns the supplied classes by the name of their source.
func picked(classes map[string]resolve.Class) *structpb.Value {
	out := make(map[string]*structpb.Value, len(classes))

	for source, c := range classes {
		fields := map[string]*structpb.Value{
			"apiVersion": structpb.NewStringValue(c.APIVersion),
			"kind":       structpb.NewStringValue(c.Kind),
			"name":       structpb.NewStringValue(c.Name),
		}

		if c.Namespace != "" {
			fields["namespace"] = structpb.NewStringValue(c.Namespace)
		}

		out[source] = objectOf(fields)
	}

	return objectOf(out)
}

// stringList returns a list of the supplied strings, sorted, each once.
func stringList(of []string) *structpb.Value {
	slices.Sort(of)

	list := &structpb.ListValue{}
	for _, s := range slices.Compact(of) {
		list.Values = append(list.Values, structpb.NewStringValue(s))
	}

	return structpb.NewListValue(list)
}

func objectOf(fields map[string]*structpb.Value) *structpb.Value {
	return structpb.NewStructValue(&structpb.Struct{Fields: fields})
}

// setStatus of the desired composite resource in the supplied response.
func setStatus(rsp *fnv1.RunFunctionResponse, xr *structpb.Struct) {
	if rsp.GetDesired() == nil {
		rsp.Desired = &fnv1.State{}
	}

	if rsp.GetDesired().GetComposite() == nil {
		rsp.Desired.Composite = &fnv1.Resource{}
	}

	rsp.Desired.Composite.Resource = xr
}
