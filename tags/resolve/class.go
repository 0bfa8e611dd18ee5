package resolve

import (
	"cmp"
	"slices"

	"google.golang.org/protobuf/types/known/structpb"

	"github.com/crossplane/function-sdk-go/errors"

	"github.com/plexsphere/function-cloud-tags/input/v1beta1"
	"github.com/plexsphere/function-cloud-tags/tags/object"
)

// A Class is an object that was picked for a composite resource.
type Class struct {
	APIVersion string
	Kind       string
	Namespace  string
	Name       string

	// Object that was picked, whole.
	Object *structpb.Struct
}

// classOf says which object the supplied one is.
func classOf(o *structpb.Struct) Class {
	return Class{APIVersion: object.APIVersion(o), Kind: object.Kind(o), Namespace: object.Namespace(o), Name: object.Name(o)}
}

// String is how messages put the class.
func (c Class) String() string {
	if c.Namespace == "" {
		return c.Kind + " " + c.Name
	}

	return c.Kind + " " + c.Namespace + "/" + c.Name
}

// pick one of the supplied objects for the supplied source: the one that was picked
// before, if it's still among them, or else the first. The provider that it names is
// taken.
func (r *resolver) pick(s *v1beta1.Source, objects []*structpb.Struct) (*structpb.Struct, error) {
	picked := objects[0]

	before := r.pickedBefore(s.Name)
	if i := slices.IndexFunc(objects, func(o *structpb.Struct) bool { return classOf(o) == before }); i >= 0 {
		picked = objects[i]
	}

	c := classOf(picked)

	if !s.ProviderFieldPath.IsZero() {
		provider, err := providerOf(c, picked, s.ProviderFieldPath)
		if err != nil {
			return nil, err
		}

		r.set.Provider = cmp.Or(provider, r.set.Provider)
	}

	c.Object = picked

	if r.set.Classes == nil {
		r.set.Classes = make(map[string]Class)
	}

	r.set.Classes[s.Name] = c

	return picked, nil
}

// pickedBefore is the class that the composite resource's status has under the supplied
// name, or none.
func (r *resolver) pickedBefore(name string) Class {
	if r.in.StatusFieldPath.IsZero() {
		return Class{}
	}

	// What else is there can't be what this function wrote.
	status, _ := object.Get(r.xr.Struct, r.in.StatusFieldPath)
	f := status.GetStructValue().GetFields()["classes"].GetStructValue().GetFields()[name].GetStructValue().GetFields()

	return Class{
		APIVersion: f["apiVersion"].GetStringValue(),
		Kind:       f["kind"].GetStringValue(),
		Namespace:  f["namespace"].GetStringValue(),
		Name:       f["name"].GetStringValue(),
	}
}

// providerOf returns the provider that the supplied class names, or an empty one if it
// names none.
func providerOf(c Class, o *structpb.Struct, path object.Path) (string, error) {
	v, err := object.Get(o, path)
	if err != nil || v == nil {
		return "", errors.Wrapf(err, "cannot read the provider of %s", c)
	}

	p, ok := v.GetKind().(*structpb.Value_StringValue)
	if !ok {
		return "", errors.Errorf("%s of %s is %s, not a string", path, c, object.KindOf(v))
	}

	return p.StringValue, nil
}
