package resolve

import (
	"cmp"
	"slices"

	"google.golang.org/protobuf/types/known/structpb"

	"github.com/crossplane/function-sdk-go/errors"

	"github.com/plexsphere/function-cloud-tags/input/v1beta1"
	"github.com/plexsphere/function-cloud-tags/tags/object"
)

// pick one of the supplied objects for the supplied source: the one that was picked
// before, if it's still among them, or else the first. The provider that it names is
// taken.
func (r *resolver) pick(s *v1beta1.Source, objects []*structpb.Struct) (*structpb.Struct, error) {
	before := map[string]*structpb.Value{}

	// What else the status has can't be what was picked.
	if status, err := object.Get(r.xr.Struct, r.in.StatusFieldPath); err == nil && !r.in.StatusFieldPath.IsZero() {
		before = status.GetStructValue().GetFields()["classes"].GetStructValue().GetFields()[s.Name].GetStructValue().GetFields()
	}

	class := objects[max(0, slices.IndexFunc(objects, func(o *structpb.Struct) bool {
		return before["apiVersion"].GetStringValue() == object.APIVersion(o) && before["kind"].GetStringValue() == object.Kind(o) &&
			before["namespace"].GetStringValue() == object.Namespace(o) && before["name"].GetStringValue() == object.Name(o)
	}))]

	if !s.ProviderFieldPath.IsZero() {
		provider, err := provider(class, s.ProviderFieldPath)
		if err != nil {
			return nil, err
		}

		r.set.Provider = cmp.Or(provider, r.set.Provider)
	}

	if r.set.Classes == nil {
		r.set.Classes = make(map[string]*structpb.Struct)
	}

	r.set.Classes[s.Name] = class

	return class, nil
}

// provider that the supplied class names, or an empty one if it names none.
func provider(class *structpb.Struct, path object.Path) (string, error) {
	v, err := object.Get(class, path)
	if err != nil || v == nil {
		return "", errors.Wrapf(err, "cannot read the provider of %s", object.Title(class))
	}

	p, ok := v.GetKind().(*structpb.Value_StringValue)
	if !ok {
		return "", errors.Errorf("%s of %s is %s, not a string", path, object.Title(class), object.KindOf(v))
	}

	return p.StringValue, nil
}
