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

// A ClassRef names a class, such as {platform.example.org/v1 Size "" small}. Namespace is empty if the class is in none.
type ClassRef struct{ APIVersion, Kind, Namespace, Name string }

// RefOf returns the ClassRef of the class o.
func RefOf(o object.Object) ClassRef {
	return ClassRef{object.APIVersion(o), object.Kind(o), object.Namespace(o), object.Name(o)}
}

// A ClassChange says that a source picks another class than before, since the class before is gone or doesn't match any more.
type ClassChange struct {
	// Source is the name of the source in messages.
	Source string

	// The status of the composite resource records From, and the source picks To.
	From, To ClassRef
}

// recordedClass returns the class of the source s that the status of the composite resource records. For the source "size", the status may
// have classes: {size: {apiVersion: platform.example.org/v1, kind: Size, name: small}}. If the status records none, the name is empty.
func (r *resolver) recordedClass(s *v1beta1.Source) ClassRef {
	if r.input.StatusFieldPath.IsZero() {
		return ClassRef{}
	}

	// A status of another form records no pick.
	status, _ := r.xr.At(r.input.StatusFieldPath)
	text := func(field string) string { return status.Field("classes").Field(s.Name).Field(field).Text() }

	return ClassRef{text("apiVersion"), text("kind"), text("namespace"), text("name")}
}

// pickOne picks the class of the composite resource among the objects of the source s, and takes the provider that the class
// names. objects and findErr are the results of findObjects. The class is the first of these:
//   - the object that the status of the composite resource records
//   - none, if the composite resource is bound: it has its resource already
//   - the object with the lowest name, and among equal names with the lowest namespace
//
// See testdata/class.yaml.
func (r *resolver) pickOne(s *v1beta1.Source, objects []namedObject, findErr error) ([]namedObject, error) {
	bound, err := r.isBound(s.Resource.Unless)
	if err != nil {
		return nil, err
	}

	isRecorded := func(o namedObject) bool { return RefOf(o.Object) == r.recordedClass(s) }
	recorded := slices.IndexFunc(objects, isRecorded)  // It is -1 if there are no objects.
	allFetched := findErr == nil || isAbsence(findErr) // Until then, objects may lack the recorded one.

	switch {
	case bound && allFetched && recorded < 0:
		return nil, &absence{note: fmt.Sprintf("none is picked, since %s has %s", compositeResource, s.Resource.Unless.FromFieldPath)}
	case findErr != nil:
		return nil, findErr
	}

	// There are objects, since there is no error. The first of equal names has the lowest namespace, since objects are sorted.
	class := slices.MinFunc(objects, func(a, b namedObject) int { return strings.Compare(object.Name(a.Object), object.Name(b.Object)) })
	if recorded >= 0 {
		class = objects[recorded]
	}

	if !s.ProviderFieldPath.IsZero() {
		provider, err := class.At(s.ProviderFieldPath)

		switch {
		case err != nil:
			return nil, errors.Wrapf(err, "cannot read the provider of %s", class.name)
		case provider.IsString():
			r.set.Provider = cmp.Or(provider.Text(), r.set.Provider)
		case provider.IsThere():
			return nil, errors.Errorf("%s of %s is %s, not a string", s.ProviderFieldPath, class.name, provider.Kind())
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
		if note, ok := toleratedAbsence(s, err); ok { // An absence that doesn't fail s.
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

	name, _ := r.selectorValue(res.Name, "", "") // With an error, the name is empty. The empty texts are for errors only.

	switch {
	case name != "":
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

	// previousClass is the class that the status of the composite resource records, if another one is picked. Otherwise, its name is empty.
	previousClass ClassRef
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

			if recorded := r.recordedClass(s); len(out.objects) > 0 && RefOf(out.objects[0].Object) != recorded {
				out.previousClass = recorded
			}
		}

		r.selections[s] = out
	}

	return slices.Clone(out.objects), out.err
}

// ambiguityNote returns a note if res selects by name, and one of several candidates is picked: "Small team-a and Large team-a have the
// same name, and Large team-a is picked: …". They are of several kinds, since a selection by name gets at most one object of each kind.
// Otherwise, the note is empty.
func (r *resolver) ambiguityNote(res *v1beta1.RequiredResource, candidates, picked []namedObject) string {
	name, _ := r.selectorValue(res.Name, "", "") // With an error, the name is empty. The empty texts are for errors only.
	if name == "" || len(candidates) < 2 || len(picked) == 0 {
		return ""
	}

	names := words.Names(words.Map(candidates, func(o namedObject) string { return o.name }))
	advice := "with kindFieldPath, the composite resource can name the kind"

	if !res.KindFieldPath.IsZero() {
		advice = "write the kind that is meant to " + res.KindFieldPath.String()
	}

	return fmt.Sprintf("%s have the same name, and %s is picked: %s", names, picked[0].name, advice)
}

// isBound reports whether the composite resource has the field at unless.FromFieldPath, such as spec.resourceRef. Then it has its resource
// already, and needs no class.
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
// Everybody may label objects in a namespace of their own. So if the selector selects by labels, and names no namespace, a trusted source
// takes only objects that aren't in a namespace, and so does the believer for any source. See testdata/trust.yaml and include-belief.yaml.
func (r *resolver) findObjects(s *v1beta1.Source) ([]namedObject, error) {
	selector, err := r.selectorFor(s)
	if err != nil {
		return nil, err
	}

	kinds, err := r.possibleKinds(s.Resource)
	if err != nil {
		return nil, err
	}

	var objects []namedObject

	allAnswered, foundUntrusted := true, false
	byLabelsAnywhere := selector.GetMatchName() == "" && selector.GetNamespace() == ""
	distrustsNamespaced := (s.Trusted || r.isBeliever) && byLabelsAnywhere

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
		return nil, r.disbeliefError(s, wantedText(kinds, selector))
	case len(objects) == 0:
		return nil, noObjectsError(r.required, s.Resource, kinds, selector)
	}

	slices.SortStableFunc(objects, func(a, b namedObject) int { return object.Compare(a.Object, b.Object) })

	return objects, nil
}

// disbeliefError returns the *absence of the source s if all objects with its labels are in namespaces, and s names none. wanted has the words
// for what s selects.
func (r *resolver) disbeliefError(s *v1beta1.Source, wanted string) error {
	text := fmt.Sprintf("every %s is in a namespace, and a trusted source that selects by labels believes only objects of the namespace that it names: set resource.namespace", wanted)

	if r.isBeliever {
		text = fmt.Sprintf("every %s is in a namespace, and include believes an object that is selected by labels only in the namespace that its source names: "+
			"set resource.namespace of the source %s", wanted, words.Name(s.Name))
	}

	return &absence{failure: text, note: text, isDisbelief: true}
}

// possibleKinds returns the kinds that the objects of res may have: the kind that the composite resource names at kindFieldPath, such as
// spec.classRef.kind, or else all kinds of res. If res doesn't have the named kind, there is an error.
func (r *resolver) possibleKinds(res *v1beta1.RequiredResource) ([]v1beta1.ResourceKind, error) {
	kinds := res.ResourceKinds()
	if res.KindFieldPath.IsZero() {
		return kinds, nil
	}

	name, err := r.textOf(&v1beta1.StringSource{FromFieldPath: res.KindFieldPath}, "") // An absence needs no note.

	switch {
	case isAbsence(err):
		return kinds, nil
	case err != nil:
		return nil, errors.Wrap(err, "cannot tell the kind")
	}

	named := slices.DeleteFunc(slices.Clone(kinds), func(k v1beta1.ResourceKind) bool { return k.Kind != name })
	if len(named) == 0 {
		return nil, errors.Errorf("cannot tell the kind: %s is %s, and must be one of %s", res.KindFieldPath, words.Name(strconv.Quote(name)), words.Names(kindNames(kinds)))
	}

	return named, nil
}

func kindNames(kinds []v1beta1.ResourceKind) []string {
	return words.Map(kinds, func(k v1beta1.ResourceKind) string { return k.Kind })
}

// noObjectsError returns the *absence of res if its selector selects no object: `there is no ConfigMap (v1) named "tags"`.
func noObjectsError(required *require.Requirements, res *v1beta1.RequiredResource, kinds []v1beta1.ResourceKind, selector *fnv1.ResourceSelector) error {
	text := "there is no " + wantedText(kinds, selector)

	// Labels match in any namespace, so the author may not have thought of the namespace that a name needs.
	if res.MatchLabels != nil && selector.GetMatchName() != "" && res.Namespace == nil {
		text += ", or its namespace is missing: set resource.namespace if it is in one"
	}

	if required.Old() && selector.GetMatchName() != "" && selector.GetNamespace() != "" {
		text += ": Crossplane before v2 can't fetch an object in a namespace by name, only by labels"
	}

	return &absence{failure: text, note: text}
}

// neitherGiven is the note on a source whose selector has neither a name nor labels.
const neitherGiven = compositeResource + " gives neither a name nor labels to match"

// tolerates reports whether the source s has pick: One, and err is the *absence of its name or its matchLabels. For example, the name
// is in spec.className, and the field is empty. Then defaultMatchLabels of s match, such as {default: "true"}.
func tolerates(s *v1beta1.Source, err error) bool { return s.Pick == v1beta1.PickOne && isAbsence(err) }

// selectorFor returns the selector of the source s, without a kind. The selector has the name, or else the labels to match. If s has both, and
// the composite resource gives neither name nor namespace, the labels match in any namespace.
func (r *resolver) selectorFor(s *v1beta1.Source) (*fnv1.ResourceSelector, error) {
	namespace, namespaceErr := r.selectorValue(s.Resource.Namespace, "the namespace", compositeResource+" gives no namespace to look in")
	if namespaceErr != nil && !tolerates(s, namespaceErr) {
		return nil, errors.Wrap(namespaceErr, "cannot tell the namespace")
	}

	name, err := r.selectorValue(s.Resource.Name, "the name", neitherGiven)
	if err != nil && !tolerates(s, err) {
		return nil, errors.Wrap(err, "cannot tell the name")
	}

	isByLabels := s.Resource.Name != nil && name == ""
	if namespaceErr != nil && !isByLabels {
		return nil, errors.Wrap(namespaceErr, "cannot tell the namespace")
	}

	selector := require.Named("", "", namespace, name)
	if name != "" {
		return selector, nil
	}

	labels, err := r.labelsToMatch(s)
	selector.Match = &fnv1.ResourceSelector_MatchLabels{MatchLabels: &fnv1.MatchLabels{Labels: labels}}

	return selector, err
}

// labelsToMatch returns matchLabels of the source s, or else its defaultMatchLabels. It returns no labels if all objects match:
//   - with all: true
//   - with empty: Any, if the map in the field is empty
//   - with empty: Any, if there is no such field, and no defaultMatchLabels
func (r *resolver) labelsToMatch(s *v1beta1.Source) (map[string]string, error) {
	from := cmp.Or(s.Resource.MatchLabels, new(v1beta1.MapSource))
	defaults := s.Resource.DefaultMatchLabels // Only sources with pick: One have any.
	labels, err := r.selectorLabels(from, "the labels to match", neitherGiven)
	isMissing := isAbsence(err) && defaults == nil // A missing map is an empty one, unless there are defaults.

	switch {
	case len(labels) > 0:
		return labels, nil
	case (err == nil || isMissing) && (from.All || from.Empty == v1beta1.EmptyAny):
		return nil, nil //nolint:nilnil // No labels match all objects.
	case err != nil && !tolerates(s, err):
		return nil, errors.Wrap(err, "cannot tell the labels to match")
	case len(defaults) > 0:
		return defaults, nil
	default:
		return nil, &absence{failure: neitherGiven, note: neitherGiven}
	}
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
