package stamp

import (
	"cmp"

	"google.golang.org/protobuf/types/known/structpb"

	"github.com/plexsphere/function-cloud-tags/tags/locate"
	"github.com/plexsphere/function-cloud-tags/tags/object"
	"github.com/plexsphere/function-cloud-tags/tags/tagset"
	"github.com/plexsphere/function-cloud-tags/tags/words"
)

// Some providers copy the cloud's tags into a tag field that isn't there, so that the last tag would
// never go. They take the tags away if the field is there, but empty. A provider that writes the
// resource drops such a field again. See field.Field, LateInit.
//
// Server-side apply can't empty a field in which nobody but Crossplane has anything: but with
// structured-merge-diff v6.3.1 to v6.4.1, the API server makes null of the field, and then refuses that. So
// the field goes in one run, and comes back empty in the next. Between the two, the provider may not
// copy anything: the resource has managementPolicies without LateInitialize for so long, where its
// kind has managementPolicies.

// emptiedAnnotation is on composed resources whose last tag has gone, and whose field is to be there
// again in the next run, without tags. Its value is the managementPolicies that earlier steps desire,
// as JSON, which are null if they desire none, or policiesUntouched.
const emptiedAnnotation = "cloudtags.fn.plexsphere.com/emptied"

// policiesUntouched is that the managementPolicies are as they were.
const policiesUntouched = "true"

const (
	actionAll            = "*"
	actionLateInitialize = "LateInitialize"
)

var (
	emptiedPath  = object.MustParsePath("metadata.annotations[" + emptiedAnnotation + "]")
	policiesPath = object.MustParsePath("spec.managementPolicies")
)

// writeEmpty writes the value without tags, empty, to the field of t.
func writeEmpty(t *locate.Target, keys *tagset.Keys, empty object.Node) (object.Object, error) {
	refilled := isRefilled(t, keys)
	stays := refilled || leavesNull(t, empty)

	switch {
	case refilled && !t.Field.Atomic && isOurs(t, keys):
		return emptied(t)
	case stays && t.Before.Equal(empty):
		return object.Object{}, nil
	case stays:
		return writeValue(t, empty)
	case isEmpty(t.Before):
		return object.Object{}, nil
	default:
		return removeField(t)
	}
}

// isRefilled is true if the provider would copy the cloud's tags into the field of t if that was not
// there: it was tagged, and the provider hasn't dropped what is empty yet. What the status has tells
// nothing, since it may never lose a key.
func isRefilled(t *locate.Target, keys *tagset.Keys) bool {
	return t.Field.LateInit && !isNeverEmpty(t) && wasTagged(t, keys)
}

// leavesNull is true if API servers would make null of the object around the field once that goes, and
// then refuse that: earlier steps desire the object, and neither they nor anybody else has another field
// in it. An atomic field can stay there as empty, which is the value without tags. Of others server-side
// apply makes null, or nothing, so that nothing helps but another field.
func leavesNull(t *locate.Target, empty object.Node) bool {
	if !t.Field.Atomic || !empty.IsObject() && !empty.IsList() || isNeverEmpty(t) || !t.There.IsThere() {
		return false
	}

	if t.Owners().Stays(&tagset.Entry{}, false) {
		return false // It doesn't go.
	}

	segments := t.Field.Path.Segments()

	for n := len(segments) - 1; n > 0 && segments[n].Type == object.SegmentField; n-- {
		around, name := t.Field.Path.First(n), segments[n].Field

		desired, err := t.Resource.At(around)
		observed, thereErr := t.Observed.At(around)

		if err != nil || thereErr != nil || !hasNoOther(observed, name) {
			return false
		}

		if desired.IsThere() {
			return desired.IsObject() && hasNoOther(desired, name)
		}
	}

	return false
}

// hasNoOther is true if the object has no other field than the one with the name.
func hasNoOther(o object.Node, name string) bool {
	for field, v := range o.Fields() {
		if string(field) != name && !v.IsNull() {
			return false
		}
	}

	return true
}

// isNeverEmpty is true if the schema of the kind admits no tag field without tags.
func isNeverEmpty(t *locate.Target) bool { return t.Field.Limits != nil && t.Field.Limits.NeverEmpty }

// wasTagged is true if the observed field of t has tags other than the provider's own, or is empty,
// or has been emptied.
func wasTagged(t *locate.Target, keys *tagset.Keys) bool {
	if t.ThereErr != nil {
		return false
	}

	if !t.There.IsThere() {
		return !object.Annotations(t.Observed).Field(emptiedAnnotation).IsNull()
	}

	set := t.Reported(t.There, keys)

	return set != nil && (set.Len() == 0 || hasOthers(t, set))
}

// hasOthers is true if the set has entries other than those that the provider of t adds itself.
func hasOthers(t *locate.Target, set *tagset.Set) bool {
	for e := range set.All() {
		if !locate.AddsItself(t.Field, e.Key) {
			return true
		}
	}

	return false
}

// isOurs is true if Crossplane alone owns all that is in the observed field of t.
func isOurs(t *locate.Target, keys *tagset.Keys) bool {
	if t.Owners().Unknown {
		return false
	}

	set := t.Reported(t.There, keys)
	if set == nil || set.Len() == 0 {
		return false
	}

	for e := range set.All() {
		if t.Owners().Stays(e, true) {
			return false
		}
	}

	return true
}

// emptied returns t without the field, which the next run makes again.
func emptied(t *locate.Target) (object.Object, error) {
	r, err := removeField(t)
	if err != nil || !object.Annotations(r).Field(emptiedAnnotation).IsNull() {
		return r, err // An earlier step has done the rest.
	}

	desired, err := r.At(policiesPath)
	if err != nil {
		return object.Object{}, err
	}

	policies := desired
	if !policies.IsThere() {
		policies, _ = t.Observed.At(policiesPath)
	}

	said := policiesUntouched

	if without, ok := withoutLateInitialize(policies); ok {
		said = cmp.Or(tagset.TextOf(desired), "null")

		if r, err = object.Set(r, policiesPath, object.ListNode(words.Map(without, object.TextNode))); err != nil {
			return object.Object{}, err
		}
	}

	return object.Set(r, emptiedPath, object.NodeOf(structpb.NewStringValue(said)))
}

// withoutLateInitialize returns the managementPolicies without LateInitialize, such as Observe, Create, Update and Delete
// instead of *. It returns false if they are without that already, or are no list.
func withoutLateInitialize(policies object.Node) (actions []string, had bool) {
	for action := range policies.Items() {
		switch action.Text() {
		case actionAll:
			return []string{"Observe", "Create", "Update", "Delete"}, true
		case actionLateInitialize:
			had = true
		default:
			actions = append(actions, action.Text())
		}
	}

	return actions, had
}

// filledAgain returns what is desired of t as it was before an earlier step emptied the field, which
// is to have tags.
func filledAgain(t *locate.Target) (object.Object, error) {
	said := object.Annotations(t.Resource).Field(emptiedAnnotation)
	if said.IsNull() {
		return t.Resource, nil
	}

	r, err := object.Set(t.Resource, emptiedPath, object.Node{})
	if err != nil || said.IsText(policiesUntouched) {
		return r, err
	}

	policies := &structpb.Value{}
	if err := policies.UnmarshalJSON([]byte(said.Text())); err != nil {
		return r, nil //nolint:nilerr // The step didn't write it.
	}

	desired := object.Node{}
	if policies.GetListValue() != nil {
		desired = object.NodeOf(policies)
	}

	return object.Set(r, policiesPath, desired)
}

// noteLast tells that the last tag stays in the cloud, if it does: the provider fills a field that is
// empty, too, or the schema admits none.
func (p *plan) noteLast() {
	t := p.target
	if !t.Field.LastStays && (!t.Field.LateInit || !isNeverEmpty(t)) || p.LeftAlone != "" || p.decision.Tags.Len() > 0 {
		return
	}

	keys := &p.labels.Keys
	if cloud := t.Cloud(keys); wasTagged(t, keys) || cloud != nil && hasOthers(t, cloud) {
		p.Notes = append(p.Notes, Note{Kind: NoteLastStays})
	}
}
