package resolve

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"google.golang.org/protobuf/proto"

	"github.com/crossplane/function-sdk-go/errors"
	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"

	"github.com/plexsphere/function-cloud-tags/input/v1beta1"
	"github.com/plexsphere/function-cloud-tags/tags/object"
	"github.com/plexsphere/function-cloud-tags/tags/require"
	"github.com/plexsphere/function-cloud-tags/tags/words"
)

// requiredResource sources take labels from objects that Crossplane fetches.
var requiredResource = sourceType{
	find: func(r *resolver, s *v1beta1.Source) ([]labels, error) {
		objects, err := r.objects(s)
		if err != nil || len(objects) == 0 || s.IsHop() {
			return nil, err
		}

		return ofAll(s, objects)
	},
	title: func(r *resolver, s *v1beta1.Source) string { return r.selectedTitle(s.Resource) },
	kinds: func(s *v1beta1.Source, _ v1beta1.ResourceKind) []v1beta1.ResourceKind {
		return s.Resource.ResourceKinds()
	},
}

// pickedBefore returns the position of the object that the status of the composite resource records for the source s, or -1.
// The status has e.g. classes: {size: {apiVersion: platform.example.org/v1, kind: Size, name: small}}.
func (r *resolver) pickedBefore(s *v1beta1.Source, objects []namedObject) int {
	if r.in.StatusFieldPath.IsZero() {
		return -1
	}

	// A status of another form records no pick.
	status, _ := r.xr.At(r.in.StatusFieldPath)
	picked := status.Field("classes").Field(s.Name)

	return slices.IndexFunc(objects, func(o namedObject) bool {
		return picked.Field("apiVersion").Text() == object.APIVersion(o.Object) && picked.Field("kind").Text() == object.Kind(o.Object) &&
			picked.Field("namespace").Text() == object.Namespace(o.Object) && picked.Field("name").Text() == object.Name(o.Object)
	})
}

// pick picks one of the objects of the source s: the recorded one, or else the one with the lowest name and then namespace. failed
// is the error of look. If the composite resource is bound, only the recorded object can be picked. pick also takes the
// provider that the object names. See testdata/class.yaml.
func (r *resolver) pick(s *v1beta1.Source, objects []namedObject, failed error) ([]namedObject, error) {
	bound, err := r.bound(s.Resource.Unless)
	if err != nil {
		return nil, err
	}

	before := r.pickedBefore(s, objects)
	if bound && (isAbsence(failed) || len(objects) > 0 && before < 0) {
		return nil, &absence{note: fmt.Sprintf("none is picked, since %s has %s", compositeResource, s.Resource.Unless.FromFieldPath)}
	}

	if failed != nil || len(objects) == 0 {
		return nil, failed
	}

	// People choose a class by its name, and the namespace comes second.
	class := slices.MinFunc(objects, func(a, b namedObject) int {
		return cmp.Or(strings.Compare(object.Name(a.Object), object.Name(b.Object)), strings.Compare(object.Namespace(a.Object), object.Namespace(b.Object)))
	})
	if before >= 0 {
		class = objects[before]
	}

	if path := s.ProviderFieldPath; !path.IsZero() {
		n, err := class.At(path)

		switch {
		case err != nil:
			return nil, errors.Wrapf(err, "cannot read the provider of %s", class.name)
		case n.IsString():
			r.set.Provider = cmp.Or(n.Text(), r.set.Provider)
		case n.IsThere():
			return nil, errors.Errorf("%s of %s is %s, not a string", path, class.name, n.Kind())
		}
	}

	if r.set.Classes == nil {
		r.set.Classes = make(map[string]object.Object)
	}

	r.set.Classes[s.Name] = class.Object

	return []namedObject{class}, nil
}

// ofAll returns the labels of all objects, e.g. of both ConfigMaps that match team: a. Without any labels, the error is
// a *absence about the first object.
func ofAll(s *v1beta1.Source, objects []namedObject) (out []labels, err error) {
	none := ""

	for _, o := range objects {
		found, err := o.labels(s)
		if note, ok := optional(s, err); ok {
			none = cmp.Or(none, note)
			continue
		}

		if err != nil {
			return nil, err
		}

		out = append(out, found...)
	}

	if len(out) > 0 {
		return out, nil
	}

	return nil, &absence{note: none + soWithAll(objects)}
}

// soWithAll ends a note on the first of several objects.
func soWithAll(objects []namedObject) string {
	if len(objects) <= 1 {
		return ""
	}

	return fmt.Sprintf(", and so with all %d objects", len(objects))
}

// selectedTitle returns a name for the selected objects, such as "Team payments" or "ConfigMap with team=payments".
func (r *resolver) selectedTitle(res *v1beta1.RequiredResource) string {
	kinds, _ := r.kinds(res) // An error leaves none, and the source doesn't resolve.
	title := strings.Join(kindNames(kinds), " or ")

	if res.Name != nil && !res.Name.Expression.IsZero() {
		return title + " that an expression names"
	}

	// A source whose name can't be told resolves by its labels, or not at all.
	name, err := r.text(res.Name, "", "")

	switch {
	case err == nil && name != "":
		return title + " " + name
	case res.MatchLabels == nil:
		return title
	case !res.MatchLabels.Expression.IsZero():
		return title + " with the labels of an expression"
	case !res.MatchLabels.FromFieldPath.IsZero():
		return title + " with the labels of " + res.MatchLabels.FromFieldPath.String()
	case res.MatchLabels.All:
		return "every " + title
	default:
		return title + " with " + pairs(res.MatchLabels.Value)
	}
}

// pairs returns the labels as text, sorted: env=prod,team=payments.
func pairs(labels map[string]string) string {
	return strings.Join(words.Map(slices.Sorted(maps.Keys(labels)), func(key string) string { return key + "=" + labels[key] }), ",")
}

// objects are the objects that a source selects, or the error of looking for them. ambiguous says that the name of a picked object
// means others, too. It is empty if the name is clear.
type objects struct {
	all       []namedObject
	ambiguous string
	err       error
}

// objects returns the objects that look finds for s, such as the Namespace team-a, or the one that pick chooses. It
// looks once.
func (r *resolver) objects(s *v1beta1.Source) ([]namedObject, error) {
	out, ok := r.found[s]
	if !ok {
		out.all, out.err = r.look(s)
		if s.Pick == v1beta1.PickOne {
			candidates := out.all
			out.all, out.err = r.pick(s, candidates, out.err)
			out.ambiguous = r.ambiguous(s.Resource, candidates, out.all)
		}

		r.found[s] = out
	}

	return slices.Clone(out.all), out.err
}

// ambiguous says that candidates of several kinds have the name in the composite resource, and which one is picked. It is empty if the
// composite resource has no name, or also the kind.
func (r *resolver) ambiguous(res *v1beta1.RequiredResource, candidates, picked []namedObject) string {
	name, err := r.text(res.Name, "", "")
	if err != nil || name == "" || len(candidates) < 2 || len(picked) == 0 {
		return ""
	}

	names := words.Names(words.Map(candidates, func(o namedObject) string { return o.name }), 0)
	mend := "with kindFieldPath, the composite resource can name the kind"

	if !res.KindFieldPath.IsZero() {
		mend = "write the kind that is meant to " + res.KindFieldPath.String()
	}

	return fmt.Sprintf("%s have the same name, and %s is picked: %s", names, picked[0].name, mend)
}

// bound reports whether the composite resource has the field of unless, such as spec.resourceRef.
func (r *resolver) bound(unless *v1beta1.FieldSource) (bool, error) {
	if unless == nil {
		return false, nil
	}

	n, err := r.xr.At(unless.FromFieldPath)

	return n.IsThere(), errors.Wrap(err, "cannot tell whether one is to be picked")
}

// look returns the objects that s.Resource selects, sorted by namespace, name and the order of the kinds. It requires them, and
// returns none until Crossplane has sent them and all objects that the selector reads.
//
// Everybody may label an object of one's own namespace. So a trusted source that selects by labels takes objects of a namespace
// only if it has resource.namespace. See testdata/trust.yaml.
func (r *resolver) look(s *v1beta1.Source) ([]namedObject, error) {
	sel, err := r.selector(s.Resource, s.Pick)
	if errors.Is(err, errWaits) {
		return nil, nil
	}

	if err != nil {
		return nil, err
	}

	var objects []namedObject

	kinds, err := r.kinds(s.Resource)
	if err != nil {
		return nil, err
	}

	all, others := true, 0
	anywhere := sel.GetMatchName() == "" && sel.GetNamespace() == ""

	for _, k := range kinds {
		one := proto.CloneOf(sel)
		one.ApiVersion, one.Kind = k.APIVersion, k.Kind

		found, answered := r.required.Resources(one)
		all = all && answered

		for _, o := range found {
			if s.Trusted && anywhere && object.Namespace(o) != "" {
				others++
				continue
			}

			name := object.Title(o)
			objects = append(objects, namedObject{Object: o, name: name, prefix: name + " "})
		}
	}

	if !all {
		return nil, nil
	}

	if len(objects) == 0 {
		return nil, noObjects(r.required, kinds, sel, others > 0)
	}

	slices.SortStableFunc(objects, func(a, b namedObject) int { return object.Compare(a.Object, b.Object) })

	return objects, nil
}

// kinds returns the kinds that the objects of res may have: the kind in the field at kindFieldPath, or all if there is none.
func (r *resolver) kinds(res *v1beta1.RequiredResource) ([]v1beta1.ResourceKind, error) {
	kinds := res.ResourceKinds()
	if res.KindFieldPath.IsZero() {
		return kinds, nil
	}

	name, err := r.string(&v1beta1.StringSource{FromFieldPath: res.KindFieldPath}, "")
	if isAbsence(err) {
		return kinds, nil
	}

	named := slices.DeleteFunc(slices.Clone(kinds), func(k v1beta1.ResourceKind) bool { return k.Kind != name })
	if err == nil && len(named) == 0 {
		err = errors.Errorf("%s is %s, and must be one of %s", res.KindFieldPath, words.Name(strconv.Quote(name)), words.Names(kindNames(kinds), 0))
	}

	return named, errors.Wrap(err, "cannot tell the kind")
}

// kindNames returns the names of the kinds.
func kindNames(kinds []v1beta1.ResourceKind) []string {
	return words.Map(kinds, func(k v1beta1.ResourceKind) string { return k.Kind })
}

// noObjects returns the error of a selector without an object: "there is no ConfigMap (v1) named "tags"". untrusted says
// that there are objects, but none that a trusted source takes.
func noObjects(required *require.Requirements, kinds []v1beta1.ResourceKind, sel *fnv1.ResourceSelector, untrusted bool) error {
	names := words.Map(kinds, func(k v1beta1.ResourceKind) string { return fmt.Sprintf("%s (%s)", k.Kind, k.APIVersion) })
	wanted := strings.Join(names, " or ") + " " + selected(sel)
	none := "there is no " + wanted

	switch {
	case untrusted:
		none = fmt.Sprintf("every %s is in a namespace, and a trusted source that selects by labels believes only objects of the namespace that it names: set resource.namespace", wanted)
	case required.Old() && sel.GetMatchName() != "" && sel.GetNamespace() != "":
		none += ": Crossplane before v2 can't fetch an object in a namespace by name, only by labels"
	}

	return &absence{failure: none, note: none}
}

// selector returns the selector of res, without a kind. If pick is One, an absent name or label is no error: the selector has
// the first of the name, the labels, and defaultMatchLabels. For example, an empty spec.className leads to
// defaultMatchLabels: {default: "true"}.
func (r *resolver) selector(res *v1beta1.RequiredResource, pick v1beta1.Pick) (*fnv1.ResourceSelector, error) {
	const neither = compositeResource + " gives neither a name nor labels to match"

	fails := func(err error) bool { return err != nil && (pick != v1beta1.PickOne || !isAbsence(err)) }
	labelled := &fnv1.MatchLabels{}
	out := &fnv1.ResourceSelector{Match: &fnv1.ResourceSelector_MatchLabels{MatchLabels: labelled}}

	namespace, err := r.text(res.Namespace, "the namespace", compositeResource+" gives no namespace to look in")
	if err != nil {
		return nil, errors.Wrap(err, "cannot tell the namespace")
	}

	if namespace != "" {
		out.Namespace = &namespace
	}

	name, err := r.text(res.Name, "the name", neither)
	if fails(err) {
		return nil, errors.Wrap(err, "cannot tell the name")
	}

	if name != "" {
		out.Match = &fnv1.ResourceSelector_MatchName{MatchName: name}
	}

	if name != "" || res.MatchLabels != nil && res.MatchLabels.All {
		return out, nil
	}

	labelled.Labels, err = r.stringMap(res.MatchLabels, "the labels to match", neither)
	if res.MatchLabels != nil && res.MatchLabels.Empty == v1beta1.EmptyAny && len(labelled.GetLabels()) == 0 &&
		(err == nil || isAbsence(err) && res.DefaultMatchLabels == nil) {
		return out, nil
	}

	if fails(err) {
		return nil, errors.Wrap(err, "cannot tell the labels to match")
	}

	if len(labelled.GetLabels()) == 0 {
		labelled.Labels = res.DefaultMatchLabels // Only where one is picked.
	}

	// No labels would match everything.
	if len(labelled.GetLabels()) == 0 {
		return nil, &absence{failure: neither, note: neither}
	}

	return out, nil
}

// selected returns a selector in the words of messages: `named "tags" in the namespace "platform"`.
func selected(s *fnv1.ResourceSelector) string {
	out := "with the labels " + pairs(s.GetMatchLabels().GetLabels())

	switch {
	case s.GetMatchName() != "":
		out = fmt.Sprintf("named %q", s.GetMatchName())
	case len(s.GetMatchLabels().GetLabels()) == 0:
		out = "with any labels"
	}

	if s.GetNamespace() != "" {
		out += fmt.Sprintf(" in the namespace %q", s.GetNamespace())
	}

	return out
}
