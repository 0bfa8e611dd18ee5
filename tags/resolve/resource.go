package resolve

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"google.golang.org/protobuf/types/known/structpb"

	"github.com/crossplane/function-sdk-go/errors"
	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"

	"github.com/plexsphere/function-cloud-tags/input/v1beta1"
	"github.com/plexsphere/function-cloud-tags/tags/structpath"
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
	meta := o.GetFields()["metadata"].GetStructValue().GetFields()

	return Class{
		APIVersion: o.GetFields()["apiVersion"].GetStringValue(),
		Kind:       o.GetFields()["kind"].GetStringValue(),
		Namespace:  meta["namespace"].GetStringValue(),
		Name:       meta["name"].GetStringValue(),
	}
}

// String is how messages put the class.
func (c Class) String() string {
	if c.Namespace == "" {
		return c.Kind + " " + c.Name
	}

	return c.Kind + " " + c.Namespace + "/" + c.Name
}

// A selection is which objects of its kinds a source takes.
type selection struct {
	name string

	// labels that they have, if there is no name. Without any, all of them.
	labels map[string]string

	namespace string
}

// String says what was looked for.
func (s selection) String() string {
	out := fmt.Sprintf("named %q", s.name)

	if s.name == "" {
		pairs := make([]string, 0, len(s.labels))
		for _, k := range slices.Sorted(maps.Keys(s.labels)) {
			pairs = append(pairs, k+"="+s.labels[k])
		}

		out = "with the labels " + strings.Join(pairs, ",")
		if len(pairs) == 0 {
			out = "with any labels"
		}
	}

	if s.namespace != "" {
		out += fmt.Sprintf(" in the namespace %q", s.namespace)
	}

	return out
}

// resources returns the labels of the objects that the supplied source takes, in the
// order in which they are merged. Until they are here, it returns none. If there is
// nothing to take, it says so.
func (r *resolver) resources(ctx context.Context, s *v1beta1.Source) (out []labels, empty string, err error) {
	objects, none, err := r.objects(s.Resource, s.Required(), s.Pick == v1beta1.PickOne)
	if err != nil || len(objects) == 0 {
		return nil, none, err
	}

	if s.Pick == v1beta1.PickOne {
		o := r.pick(s, objects)
		objects = []*structpb.Struct{o}

		if err := r.takeProvider(s, o); err != nil {
			return nil, "", err
		}

		c := classOf(o)
		c.Object = o
		r.classes[s.Name] = c
	}

	for _, o := range objects {
		if err := ctx.Err(); err != nil {
			return nil, "", err
		}

		name := classOf(o).String()
		read := field

		if s.Prefix != nil {
			read = prefixed
		}

		found, why, err := read(o, s, name, name+" ")
		if err != nil {
			return nil, "", err
		}

		empty = cmp.Or(empty, why)
		out = append(out, found...)
	}

	if len(out) > 0 {
		return out, "", nil
	}

	if n := len(objects); n > 1 {
		empty += fmt.Sprintf(", and so with all %d objects", n)
	}

	return nil, empty, nil
}

// objects returns the objects that the supplied resource selects, or none until they
// are here. If there are none, it says so.
func (r *resolver) objects(res *v1beta1.RequiredResource, required, one bool) (objects []*structpb.Struct, none string, err error) {
	sel, none, err := r.selection(res, required, one)
	if err != nil || none != "" {
		return nil, none, err
	}

	objects, answered := r.fetch(res.ResourceKinds(), sel)
	if !answered {
		return nil, "", nil
	}

	if len(objects) > 0 {
		return objects, "", nil
	}

	none = fmt.Sprintf("there is no %s %s", kindNames(res.ResourceKinds()), sel)
	if r.required.Old() && sel.name != "" && sel.namespace != "" {
		none += ": Crossplane before v2 can't fetch an object in a namespace by name, only by labels"
	}

	if required {
		return nil, "", errors.New(none)
	}

	return nil, none, nil
}

// selection of the supplied resource, of whose objects one is picked or all are. If there
// is nothing to select, it says so.
func (r *resolver) selection(res *v1beta1.RequiredResource, required, one bool) (sel selection, none string, err error) {
	namespace, err := r.string(res.Namespace, required)
	if err != nil {
		return selection{}, "", errors.Wrap(err, "cannot tell the namespace")
	}

	if res.Namespace != nil && namespace == "" {
		return selection{}, compositeResource + " gives no namespace to look in", nil
	}

	// Whoever picks one falls back from a name that the composite resource
	// doesn't give to labels, and from these to the default ones.
	name, err := r.string(res.Name, required && !one)
	if err != nil {
		return selection{}, "", errors.Wrap(err, "cannot tell the name")
	}

	if name != "" {
		return selection{name: name, namespace: namespace}, "", nil
	}

	if res.MatchLabels != nil && res.MatchLabels.All {
		return selection{namespace: namespace}, "", nil
	}

	labels, err := r.stringMap(res.MatchLabels, required && !one)
	if err != nil {
		return selection{}, "", errors.Wrap(err, "cannot tell the labels to match")
	}

	if len(labels) == 0 && one {
		labels = res.DefaultMatchLabels
	}

	// No labels would match everything.
	if len(labels) == 0 {
		none = compositeResource + " gives neither a name nor labels to match"
		if required {
			return selection{}, "", errors.New(none)
		}

		return selection{}, none, nil
	}

	return selection{labels: labels, namespace: namespace}, "", nil
}

// fetch the objects of the supplied kinds that are selected, sorted by namespace,
// name and the order of the kinds. It returns false if not all of them are here.
func (r *resolver) fetch(kinds []v1beta1.ResourceKind, sel selection) ([]*structpb.Struct, bool) {
	var objects []*structpb.Struct

	all := true

	for _, k := range kinds {
		rs := &fnv1.ResourceSelector{ApiVersion: k.APIVersion, Kind: k.Kind}

		if sel.namespace != "" {
			rs.Namespace = &sel.namespace
		}

		if sel.name != "" {
			rs.Match = &fnv1.ResourceSelector_MatchName{MatchName: sel.name}
		} else {
			rs.Match = &fnv1.ResourceSelector_MatchLabels{MatchLabels: &fnv1.MatchLabels{Labels: sel.labels}}
		}

		found, answered := r.required.Resources(rs)
		objects = append(objects, found...)
		all = all && answered
	}

	slices.SortStableFunc(objects, func(a, b *structpb.Struct) int {
		x, y := classOf(a), classOf(b)
		return cmp.Or(strings.Compare(x.Namespace, y.Namespace), strings.Compare(x.Name, y.Name))
	})

	return objects, all
}

// pick one of the supplied objects: the one that was picked before, if it's still
// among them, or else the first.
func (r *resolver) pick(s *v1beta1.Source, objects []*structpb.Struct) *structpb.Struct {
	if r.in.StatusFieldPath == nil {
		return objects[0]
	}

	status, err := structpath.Get(r.xr, *r.in.StatusFieldPath)
	if err != nil {
		return objects[0]
	}

	f := status.GetStructValue().GetFields()["classes"].GetStructValue().GetFields()[s.Name].GetStructValue().GetFields()
	before := Class{
		APIVersion: f["apiVersion"].GetStringValue(),
		Kind:       f["kind"].GetStringValue(),
		Namespace:  f["namespace"].GetStringValue(),
		Name:       f["name"].GetStringValue(),
	}

	if i := slices.IndexFunc(objects, func(o *structpb.Struct) bool { return classOf(o) == before }); i >= 0 {
		return objects[i]
	}

	return objects[0]
}

// takeProvider takes the provider that the supplied class names, if it names one.
func (r *resolver) takeProvider(s *v1beta1.Source, class *structpb.Struct) error {
	if s.ProviderFieldPath == nil {
		return nil
	}

	v, err := structpath.Get(class, *s.ProviderFieldPath)
	if err != nil || v == nil {
		return errors.Wrapf(err, "cannot read the provider of %s", classOf(class))
	}

	p, ok := v.GetKind().(*structpb.Value_StringValue)
	if !ok {
		return errors.Errorf("%s of %s is %s, not a string", *s.ProviderFieldPath, classOf(class), structpath.KindOf(v))
	}

	r.provider = cmp.Or(p.StringValue, r.provider)

	return nil
}

func kindNames(kinds []v1beta1.ResourceKind) string {
	names := make([]string, len(kinds))
	for i, k := range kinds {
		names[i] = fmt.Sprintf("%s (%s)", k.Kind, k.APIVersion)
	}

	return strings.Join(names, " or ")
}
