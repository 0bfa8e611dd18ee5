package stamp

import (
	"cmp"

	"google.golang.org/protobuf/types/known/structpb"

	"github.com/plexsphere/function-cloud-tags/tags/locate"
	"github.com/plexsphere/function-cloud-tags/tags/object"
	"github.com/plexsphere/function-cloud-tags/tags/tagset"
	"github.com/plexsphere/function-cloud-tags/tags/words"
)

// Some providers copy the cloud's tags into a tag field if it isn't there, so that the last tag would never go. If the field
// is there, but empty, they take the tags away. A provider that writes the resource drops an empty field again. See
// field.Field, LateInit.
//
// Server-side apply can't empty a field if Crossplane owns all of it: except with structured-merge-diff v6.3.1 to v6.4.1, the
// API server makes null of the field, and then refuses null. So the field goes in one run, and comes back empty in the next.
// Between the two runs, the provider may not copy anything: if the kind has managementPolicies, the resource has them without
// LateInitialize for so long.

// emptiedAnnotation is on composed resources that have lost their last tag, and get an empty tag field in the next run. Its
// value has the managementPolicies of earlier steps as JSON, such as ["*"], or null if these desire none, or
// policiesUntouched.
const emptiedAnnotation = "cloudtags.fn.plexsphere.com/emptied"

// policiesUntouched says that the managementPolicies are as they were.
const policiesUntouched = "true"

const (
	actionAll            = "*"
	actionLateInitialize = "LateInitialize"
)

var (
	emptiedPath  = object.MustParsePath("metadata.annotations[" + emptiedAnnotation + "]")
	policiesPath = object.MustParsePath("spec.managementPolicies")
)

// writeEmpty writes the empty value, such as {}, to the field of t, or removes the field. See
// testdata/cases/last-tag.yaml and refilled.yaml.
func writeEmpty(t *locate.Target, keys *tagset.Keys, empty object.Node) (object.Object, error) {
	refilled := refilledByProvider(t, keys)
	stays := refilled || leavesNull(t, empty)

	switch {
	case refilled && !t.Field.Atomic && ownedByCrossplane(t, keys):
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

// refilledByProvider reports whether the provider would copy the cloud's tags into the field of t if the field went: the
// resource had tags, and the provider hasn't dropped the empty field yet. The status says nothing, since it may never lose a
// key.
func refilledByProvider(t *locate.Target, keys *tagset.Keys) bool {
	return t.Field.LateInit && !admitsNoEmpty(t) && wasTagged(t, keys)
}

// leavesNull reports whether API servers would make null of the object around the field once the field goes, and then refuse
// null: earlier steps desire the object, such as spec.forProvider, and nobody has another field in it. An atomic field can
// stay with the empty value. Server-side apply makes null of any other empty field, so that only another field would help.
func leavesNull(t *locate.Target, empty object.Node) bool {
	if !t.Field.Atomic || !empty.IsObject() && !empty.IsList() || admitsNoEmpty(t) || !t.There.IsThere() {
		return false
	}

	if t.Owners().Stays(&tagset.Entry{}, false) {
		return false // The field doesn't go.
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

// hasNoOther reports whether the object has no other field than the one with the name.
func hasNoOther(o object.Node, name string) bool {
	for field, v := range o.Fields() {
		if string(field) != name && !v.IsNull() {
			return false
		}
	}

	return true
}

// admitsNoEmpty reports whether the schema of the kind admits no tag field without tags.
func admitsNoEmpty(t *locate.Target) bool { return t.Field.Limits != nil && t.Field.Limits.NeverEmpty }

// wasTagged reports whether the observed field of t has tags besides the provider's own, is empty, or has been emptied.
// {crossplane-kind: bucket} alone doesn't count, and {env: prod} does.
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

// hasOthers reports whether the set has entries besides the provider's own.
func hasOthers(t *locate.Target, set *tagset.Set) bool {
	for e := range set.All() {
		if !locate.AddsItself(t.Field, e.Key) {
			return true
		}
	}

	return false
}

// ownedByCrossplane reports whether Crossplane alone owns all entries of the observed field of t. It doesn't if
// crossplane-kind there belongs to the provider.
func ownedByCrossplane(t *locate.Target, keys *tagset.Keys) bool {
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

// emptied returns t without the field. The next run makes the field again, as {}. If t has managementPolicies, they
// lack LateInitialize for so long. See testdata/cases/refilled.yaml.
func emptied(t *locate.Target) (object.Object, error) {
	r, err := removeField(t)
	if err != nil || !object.Annotations(r).Field(emptiedAnnotation).IsNull() {
		return r, err // An earlier step has set the annotation.
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

// withoutLateInitialize returns the managementPolicies without LateInitialize, and whether they had it. Instead of * it
// returns Observe, Create, Update and Delete.
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

// undoEmptied returns the desired resource of t as it was before an earlier step emptied the tag field. The annotation
// emptiedAnnotation has the managementPolicies of that time, such as ["*"]: they are back, and the annotation is gone. Now the field
// gets tags.
func undoEmptied(t *locate.Target) (object.Object, error) {
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
		return r, nil //nolint:nilerr // Somebody else wrote the annotation.
	}

	desired := object.Node{}
	if policies.GetListValue() != nil {
		desired = object.NodeOf(policies)
	}

	return object.Set(r, policiesPath, desired)
}

// noteLast notes that the last tag stays in the cloud: the provider also fills an empty field, or the schema admits no empty
// field.
func (p *plan) noteLast() {
	t := p.target
	if !t.Field.LastStays && (!t.Field.LateInit || !admitsNoEmpty(t)) || p.LeftAlone != "" || p.decision.Tags.Len() > 0 {
		return
	}

	keys := &p.labels.Keys
	if cloud := t.Cloud(keys); wasTagged(t, keys) || cloud != nil && hasOthers(t, cloud) {
		p.Notes = append(p.Notes, Note{Kind: NoteLastStays})
	}
}
