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

// recordedIndex returns the index of the object that the status of the composite resource records as the class of the source s. It
// returns -1 if the status records none of the objects. For the source "size", the status may have classes: {size: {apiVersion:
// platform.example.org/v1, kind: Size, name: small}}.
func (r *resolver) recordedIndex(s *v1beta1.Source, objects []namedObject) int {
	if r.input.StatusFieldPath.IsZero() {
		return -1
	}

	// A status of another form records no pick.
	status, _ := r.xr.At(r.input.StatusFieldPath)
	recorded := status.Field("classes").Field(s.Name)

	return slices.IndexFunc(objects, func(o namedObject) bool {
		sameKind := recorded.Field("apiVersion").Text() == object.APIVersion(o.Object) && recorded.Field("kind").Text() == object.Kind(o.Object)
		sameName := recorded.Field("namespace").Text() == object.Namespace(o.Object) && recorded.Field("name").Text() == object.Name(o.Object)

		return sameKind && sameName
	})
}

// pickOne picks the class of the composite resource among the objects of the source s, and takes the provider that the class
// names. findErr is the error of findObjects. The class is the first of these:
//   - the object that the status of the composite resource records
//   - none, if the composite resource is bound
//   - the object with the lowest name, and among equal names with the lowest namespace
//
// See testdata/class.yaml.
func (r *resolver) pickOne(s *v1beta1.Source, objects []namedObject, findErr error) ([]namedObject, error) {
	bound, err := r.isBound(s.Resource.Unless)
	if err != nil {
		return nil, err
	}

	recorded := r.recordedIndex(s, objects)
	noneFound := isAbsence(findErr)
	noneRecorded := len(objects) > 0 && recorded < 0 // Without objects, Crossplane still fetches them, or none is found.

	if bound && (noneFound || noneRecorded) {
		return nil, &absence{note: fmt.Sprintf("none is picked, since %s has %s", compositeResource, s.Resource.Unless.FromFieldPath)}
	}

	if findErr != nil {
		return nil, findErr // So from here on, there are objects.
	}

	// The first of equal names has the lowest namespace, since objects are sorted.
	class := slices.MinFunc(objects, func(a, b namedObject) int { return strings.Compare(object.Name(a.Object), object.Name(b.Object)) })
	if recorded >= 0 {
		class = objects[recorded]
	}

	if path := s.ProviderFieldPath; !path.IsZero() {
		provider, err := class.At(path)

		switch {
		case err != nil:
			return nil, errors.Wrapf(err, "cannot read the provider of %s", class.name)
		case provider.IsString():
			r.set.Provider = cmp.Or(provider.Text(), r.set.Provider)
		case provider.IsThere():
			return nil, errors.Errorf("%s of %s is %s, not a string", path, class.name, provider.Kind())
		}
	}

	r.set.Classes[s.Name] = class.Object

	return []namedObject{class}, nil
}

// labelsOfAll returns a map of labels for each of the objects, such as the two ConfigMaps that match team: a. If no object has any
// labels, the error is a *absence with a note about the first object.
func labelsOfAll(s *v1beta1.Source, objects []namedObject) (out []foundLabels, err error) {
	firstNote := ""

	for _, o := range objects {
		found, err := o.labelsFor(s)
		if note, ok := noteIfOptional(s, err); ok {
			firstNote = cmp.Or(firstNote, note)
			continue
		}

		if err != nil {
			return nil, err
		}

		out = append(out, found)
	}

	if len(out) > 0 {
		return out, nil
	}

	return nil, &absence{note: firstNote + sameForAllSuffix(objects)}
}

// sameForAllSuffix returns the end of a note on the first of several objects: ", and so with all 2 objects". It is empty for one object.
func sameForAllSuffix(objects []namedObject) string {
	if len(objects) <= 1 {
		return ""
	}

	return fmt.Sprintf(", and so with all %d objects", len(objects))
}

// selectedTitle returns a name for the selected objects for messages, such as "Team payments" or "ConfigMap with team=payments".
func (r *resolver) selectedTitle(res *v1beta1.RequiredResource) string {
	kinds, _ := r.possibleKinds(res) // If there is an error, the source fails, and needs no title.
	title := strings.Join(kindNames(kinds), " or ")

	if res.Name != nil && !res.Name.Expression.IsZero() {
		return title + " that an expression names"
	}

	// Without a name, the title has the labels. Texts for errors are empty here, since the search for the objects has told them.
	name, err := r.selectorValue(res.Name, "", "")

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
		return title + " with " + labelPairs(res.MatchLabels.Value)
	}
}

// labelPairs returns the labels as one text, sorted: env=prod,team=payments.
func labelPairs(labels map[string]string) string {
	return strings.Join(words.Map(slices.Sorted(maps.Keys(labels)), func(key string) string { return key + "=" + labels[key] }), ",")
}

// A selection has the objects that a source selects, or the error of finding them.
type selection struct {
	objects []namedObject
	err     error

	// ambiguity is a note if the composite resource names an object, and objects of several kinds have this name. Otherwise, it is
	// empty.
	ambiguity string
}

// selectedObjects returns the objects that the source s selects, such as the Namespace team-a. With pick: One, it returns the
// picked object only. For each source, it looks for the objects once.
func (r *resolver) selectedObjects(s *v1beta1.Source) ([]namedObject, error) {
	out, ok := r.selections[s]
	if !ok {
		out.objects, out.err = r.findObjects(s)
		if s.Pick == v1beta1.PickOne {
			candidates := out.objects
			out.objects, out.err = r.pickOne(s, candidates, out.err)
			out.ambiguity = r.ambiguityNote(s.Resource, candidates, out.objects)
		}

		r.selections[s] = out
	}

	return slices.Clone(out.objects), out.err
}

// ambiguityNote returns a note if res selects by name, and candidates of several kinds have this name. The note says which one is
// picked: "Small team-a and Large team-a have the same name, and Large team-a is picked: …". Otherwise, the note is empty.
func (r *resolver) ambiguityNote(res *v1beta1.RequiredResource, candidates, picked []namedObject) string {
	name, err := r.selectorValue(res.Name, "", "") // The text of the error isn't needed.
	isNamed := err == nil && name != ""
	picksOneOfMany := len(candidates) > 1 && len(picked) > 0

	if !isNamed || !picksOneOfMany {
		return ""
	}

	names := words.Names(words.Map(candidates, func(o namedObject) string { return o.name }), 0)
	advice := "with kindFieldPath, the composite resource can name the kind"

	if !res.KindFieldPath.IsZero() {
		advice = "write the kind that is meant to " + res.KindFieldPath.String()
	}

	return fmt.Sprintf("%s have the same name, and %s is picked: %s", names, picked[0].name, advice)
}

// isBound reports whether the composite resource has the field of unless, such as spec.resourceRef. Then it has its resource already,
// and needs no class.
func (r *resolver) isBound(unless *v1beta1.FieldSource) (bool, error) {
	if unless == nil {
		return false, nil
	}

	n, err := r.xr.At(unless.FromFieldPath)

	return n.IsThere(), errors.Wrap(err, "cannot tell whether one is to be picked")
}

// findObjects requires the objects that s.Resource selects, and returns them, sorted by namespace, name and the order of the kinds.
// Until Crossplane has sent all of them, and all objects that expressions in the selector read, the error is errWaiting.
//
// Everybody may label objects in a namespace of their own. So a trusted source that selects by labels takes objects in a namespace
// only if resource.namespace names this namespace. See testdata/trust.yaml.
func (r *resolver) findObjects(s *v1beta1.Source) ([]namedObject, error) {
	selector, err := r.selectorFor(s.Resource, s.Pick)
	if err != nil {
		return nil, err
	}

	kinds, err := r.possibleKinds(s.Resource)
	if err != nil {
		return nil, err
	}

	var objects []namedObject

	allAnswered, foundUntrusted := true, false
	inAllNamespaces := selector.GetMatchName() == "" && selector.GetNamespace() == ""
	distrustsNamespaced := s.Trusted && inAllNamespaces

	for _, k := range kinds {
		ofKind := proto.CloneOf(selector)
		ofKind.ApiVersion, ofKind.Kind = k.APIVersion, k.Kind

		found, answered := r.required.Resources(ofKind)
		allAnswered = allAnswered && answered

		for _, o := range found {
			if distrustsNamespaced && object.Namespace(o) != "" {
				foundUntrusted = true
				continue
			}

			name := object.Title(o)
			objects = append(objects, namedObject{Object: o, name: name, pathPrefix: name + " "})
		}
	}

	switch {
	case !allAnswered:
		return nil, errWaiting
	case len(objects) == 0 && foundUntrusted:
		text := fmt.Sprintf("every %s is in a namespace, and a trusted source that selects by labels believes only objects of the namespace that it names: set resource.namespace", wantedText(kinds, selector))
		return nil, &absence{failure: text, note: text}
	case len(objects) == 0:
		return nil, noObjectsError(r.required, kinds, selector)
	}

	slices.SortStableFunc(objects, func(a, b namedObject) int { return object.Compare(a.Object, b.Object) })

	return objects, nil
}

// possibleKinds returns the kinds that the objects of res may have: the kind that the composite resource names at kindFieldPath, such as
// spec.classRef.kind, or else all kinds of res. If res doesn't have the named kind, there is an error.
func (r *resolver) possibleKinds(res *v1beta1.RequiredResource) ([]v1beta1.ResourceKind, error) {
	kinds := res.ResourceKinds()
	if res.KindFieldPath.IsZero() {
		return kinds, nil
	}

	name, err := r.textOf(&v1beta1.StringSource{FromFieldPath: res.KindFieldPath}, "")
	if isAbsence(err) {
		return kinds, nil
	}

	named := slices.DeleteFunc(slices.Clone(kinds), func(k v1beta1.ResourceKind) bool { return k.Kind != name })
	if err == nil && len(named) == 0 {
		err = errors.Errorf("%s is %s, and must be one of %s", res.KindFieldPath, words.Name(strconv.Quote(name)), words.Names(kindNames(kinds), 0))
	}

	return named, errors.Wrap(err, "cannot tell the kind")
}

func kindNames(kinds []v1beta1.ResourceKind) []string {
	return words.Map(kinds, func(k v1beta1.ResourceKind) string { return k.Kind })
}

// noObjectsError returns the *absence of a selector that selects no object: `there is no ConfigMap (v1) named "tags"`.
func noObjectsError(required *require.Requirements, kinds []v1beta1.ResourceKind, selector *fnv1.ResourceSelector) error {
	text := "there is no " + wantedText(kinds, selector)
	namesNamespaced := selector.GetMatchName() != "" && selector.GetNamespace() != ""

	if namesNamespaced && required.Old() {
		text += ": Crossplane before v2 can't fetch an object in a namespace by name, only by labels"
	}

	return &absence{failure: text, note: text}
}

// selectorFor returns the selector of res, without a kind. The selector has the first of these that isn't empty: the name, matchLabels
// and defaultMatchLabels. If pick is One, a name or matchLabels without a value are no error: if spec.className is empty, the selector
// has defaultMatchLabels, such as {default: "true"}.
func (r *resolver) selectorFor(res *v1beta1.RequiredResource, pick v1beta1.Pick) (*fnv1.ResourceSelector, error) {
	const neitherGiven = compositeResource + " gives neither a name nor labels to match"

	isFailure := func(err error) bool {
		isTolerated := pick == v1beta1.PickOne && isAbsence(err)
		return err != nil && !isTolerated
	}

	namespace, err := r.selectorValue(res.Namespace, "the namespace", compositeResource+" gives no namespace to look in")
	if err != nil {
		return nil, errors.Wrap(err, "cannot tell the namespace")
	}

	name, err := r.selectorValue(res.Name, "the name", neitherGiven)
	if isFailure(err) {
		return nil, errors.Wrap(err, "cannot tell the name")
	}

	selector := require.Named("", "", namespace, name)
	if name != "" {
		return selector, nil
	}

	// A selector with empty labels selects all objects of the kind.
	selector.Match = &fnv1.ResourceSelector_MatchLabels{MatchLabels: &fnv1.MatchLabels{}}

	if res.MatchLabels != nil && res.MatchLabels.All {
		return selector, nil
	}

	labels, err := r.selectorLabels(res.MatchLabels, "the labels to match", neitherGiven)

	// With empty: Any, an empty map in the field selects all objects. So does an absent field, unless there are defaultMatchLabels.
	emptyMatchesAny := res.MatchLabels != nil && res.MatchLabels.Empty == v1beta1.EmptyAny
	absentWithoutDefault := isAbsence(err) && res.DefaultMatchLabels == nil
	isEmpty := len(labels) == 0 && (err == nil || absentWithoutDefault)

	switch {
	case emptyMatchesAny && isEmpty:
		return selector, nil
	case isFailure(err):
		return nil, errors.Wrap(err, "cannot tell the labels to match")
	case len(labels) == 0:
		labels = res.DefaultMatchLabels // Only sources with pick: One have any.
	}

	if len(labels) == 0 {
		return nil, &absence{failure: neitherGiven, note: neitherGiven}
	}

	selector.GetMatchLabels().Labels = labels

	return selector, nil
}

// wantedText returns the words of messages for what the selector selects: `ConfigMap (v1) named "tags" in the namespace "platform"`.
func wantedText(kinds []v1beta1.ResourceKind, s *fnv1.ResourceSelector) string {
	names := words.Map(kinds, func(k v1beta1.ResourceKind) string { return fmt.Sprintf("%s (%s)", k.Kind, k.APIVersion) })
	out := "with the labels " + labelPairs(s.GetMatchLabels().GetLabels())

	switch {
	case s.GetMatchName() != "":
		out = fmt.Sprintf("named %q", s.GetMatchName())
	case len(s.GetMatchLabels().GetLabels()) == 0:
		out = "with any labels"
	}

	if s.GetNamespace() != "" {
		out += fmt.Sprintf(" in the namespace %q", s.GetNamespace())
	}

	return strings.Join(names, " or ") + " " + out
}
