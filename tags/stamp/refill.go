package stamp

import (
	"cmp"
	"slices"
	"strings"

	"google.golang.org/protobuf/types/known/structpb"

	"github.com/plexsphere/function-cloud-tags/tags/locate"
	"github.com/plexsphere/function-cloud-tags/tags/object"
	"github.com/plexsphere/function-cloud-tags/tags/tagset"
	"github.com/plexsphere/function-cloud-tags/tags/words"
)

// Some providers copy the cloud's tags to a missing tag field (LateInit of field.Field), so the last tag could never be removed. If the
// field is empty instead of missing, these providers remove the tags from the cloud, and drop the empty field later.
//
// Most API servers can't empty a field while Crossplane owns all of its tags: they make null of the empty field, and then refuse null. Only
// Kubernetes 1.36.0 to 1.36.2 can empty it: see README. So the function removes the field in one run, and adds an empty field in the next
// run. Between the two runs, the provider must not copy the cloud's tags: if the kind has managementPolicies, the resource has
// them without LateInitialize meanwhile.
//
// If the field can neither be emptied nor removed, the function keeps one tag: see keepLastTag.

// emptiedAnnotation is on composed resources that have lost their last tag, and get an empty tag field in the next run. The value is one
// of these:
//   - the managementPolicies of earlier steps as JSON, such as ["*"]
//   - null, if earlier steps desire no managementPolicies
//   - policiesUntouched
const emptiedAnnotation = "cloudtags.fn.plexsphere.com/emptied"

// policiesUntouched says that the function hasn't changed the managementPolicies.
const policiesUntouched = "true"

var (
	emptiedPath  = object.MustParsePath("metadata.annotations[" + emptiedAnnotation + "]")
	policiesPath = object.MustParsePath("spec.managementPolicies")
)

// writeEmptyField returns the desired resource of t without the tag field, or with the empty value in the tag field, such as {}, if the
// field must stay. It returns the zero Object if nothing changes. See testdata/cases/last-tag.yaml and refilled.yaml.
func writeEmptyField(t *locate.Target, keys *tagset.Keys, empty object.Node) (object.Object, error) {
	wouldRefill := refilledByProvider(t, keys)
	mustStay := wouldRefill || neededByParent(t, empty)
	needsTwoRuns := wouldRefill && !t.Field.Atomic && ownedByCrossplane(t, keys) // In this run, the API server would refuse an empty field that isn't atomic.

	switch {
	case needsTwoRuns:
		return removeForOneRun(t)
	case mustStay && !t.DesiredValue.Equal(empty):
		return setField(t, t.Resource, empty)
	case !mustStay && !isEmpty(t.DesiredValue):
		return removeField(t)
	default:
		return object.Object{}, nil
	}
}

// refilledByProvider reports whether the provider would copy the cloud's tags to a missing tag field, but not to an empty one (LateInit).
// It returns false if the schema of the kind admits no empty field, or if the cloud has no tags to copy: see wasTagged. The status proves
// nothing, since many providers never remove a tag there that the cloud has lost.
func refilledByProvider(t *locate.Target, keys *tagset.Keys) bool {
	return t.Field.LateInit && !schemaRefusesEmpty(t) && wasTagged(t, keys)
}

// neededByParent reports whether the parent of an atomic field needs this field, even with an empty value such as []. Without the field,
// API servers would make null of the parent, and then refuse null. An empty field that isn't atomic can't save its parent, since API
// servers make null of such a field as well: see keepLastTag.
func neededByParent(t *locate.Target, empty object.Node) bool {
	isOnlyField := t.Field.Atomic && t.ObservedValue.IsThere() && isOnlyFieldOfParent(t)
	canBeEmpty := !schemaRefusesEmpty(t) && (empty.IsObject() || empty.IsList())

	// A field of another field manager stays anyway. All entries of an atomic field have the same owner, so the zero Entry stands for them.
	return isOnlyField && canBeEmpty && !t.Owners().Stays(&tagset.Entry{}, false /* fieldDesired: no step desires it */)
}

// isOnlyFieldOfParent reports whether the parent of the tag field has no other field. If no earlier step desires the parent, such as
// spec.forProvider.tagging, the parent must also be the only field of its own parent, and so on, up to the first desired object.
func isOnlyFieldOfParent(t *locate.Target) bool {
	segments := t.Field.Path.Segments()

	for n := len(segments) - 1; n > 0 && !segments[n].IsIndex; n-- {
		parent, name := t.Field.Path.First(n), segments[n].Field // First tags of spec.forProvider.tagging, then tagging of spec.forProvider.

		desired, err := t.Resource.At(parent)
		observed, observedErr := t.Observed.At(parent)

		if err != nil || observedErr != nil || !isOnlyField(observed, name) {
			return false
		}

		if desired.IsThere() {
			return desired.IsObject() && isOnlyField(desired, name)
		}
	}

	return false // No step desires any of the parents, or the field is in a list.
}

// isOnlyField reports whether the object o has no other field than the one with the name.
func isOnlyField(o object.Node, name string) bool {
	for field, v := range o.Fields() {
		if string(field) != name && !v.IsNull() {
			return false
		}
	}

	return true
}

// schemaRefusesEmpty reports whether the schema of the kind refuses an empty tag field.
func schemaRefusesEmpty(t *locate.Target) bool {
	return t.Field.Limits != nil && t.Field.Limits.NeverEmpty
}

// wasTagged reports whether the observed resource of t has or had tags, in one of these cases:
//   - The tag field has tags that the provider doesn't set itself, such as env: prod. The provider's crossplane-kind: bucket doesn't count.
//   - The tag field is empty. The provider drops the empty field once it has removed the tags from the cloud.
//   - The function has removed the field: see emptiedAnnotation.
func wasTagged(t *locate.Target, keys *tagset.Keys) bool {
	if t.ObservedErr != nil {
		return false
	}

	if !t.ObservedValue.IsThere() {
		return !object.Annotations(t.Observed).Field(emptiedAnnotation).IsNull()
	}

	set := t.ReadTags(t.ObservedValue, keys)

	return set != nil && (set.Len() == 0 || hasNonProviderTags(t, set))
}

// ownedByCrossplane reports whether Crossplane owns all entries of the observed field of t. If field managers own the field as a whole,
// Crossplane counts as its owner, since it replaces the field. The result is false in three cases:
//   - The provider owns an entry, such as crossplane-kind.
//   - There is no entry.
//   - Owners are unknown.
func ownedByCrossplane(t *locate.Target, keys *tagset.Keys) bool {
	set := t.ReadTags(t.ObservedValue, keys)
	if set == nil || set.Len() == 0 || t.Owners().Unknown {
		return false
	}

	for e := range set.All() {
		if t.Owners().Stays(e, true /* fieldDesired */) { // Crossplane doesn't own e, or not alone.
			return false
		}
	}

	return true
}

// removeForOneRun returns the desired resource of t without the tag field. While Crossplane owns tags, most API servers would make null of
// an empty field, and refuse null. Once Crossplane has applied the resource without the field, it owns no tag any more, and the next run
// can add the empty field. removeForOneRun also removes LateInitialize from the managementPolicies, and saves the old managementPolicies in
// an annotation. See testdata/cases/refilled.yaml.
func removeForOneRun(t *locate.Target) (object.Object, error) {
	r, err := removeField(t)

	// An earlier step of the pipeline may have set the annotation, and saved the policies.
	if err != nil || !object.Annotations(r).Field(emptiedAnnotation).IsNull() {
		return r, err
	}

	desiredPolicies, err := r.At(policiesPath)
	if err != nil {
		return object.Object{}, err
	}

	policies := desiredPolicies
	if !policies.IsThere() {
		policies, _ = t.Observed.At(policiesPath)
	}

	saved := policiesUntouched // saved becomes the value of emptiedAnnotation.

	if actions, hadLateInitialize := withoutLateInitialize(policies); hadLateInitialize {
		saved = cmp.Or(tagset.TextOf(desiredPolicies), "null") // JSON such as ["*"], or null if no step desires policies.

		if r, err = object.Set(r, policiesPath, object.ListNode(words.Map(actions, object.TextNode))); err != nil {
			return object.Object{}, err
		}
	}

	return object.Set(r, emptiedPath, object.NodeOf(structpb.NewStringValue(saved)))
}

// withoutLateInitialize returns the managementPolicies without LateInitialize, and whether LateInitialize was among them. For *, it returns
// Observe, Create, Update and Delete.
func withoutLateInitialize(policies object.Node) (actions []string, hadLateInitialize bool) {
	for action := range policies.Items() {
		switch action.Text() {
		case "*":
			return []string{"Observe", "Create", "Update", "Delete"}, true
		case "LateInitialize":
			hadLateInitialize = true
		default:
			actions = append(actions, action.Text())
		}
	}

	return actions, hadLateInitialize
}

// undoRemoval undoes removeForOneRun of an earlier step, since the field gets tags now. It returns the desired resource of t with the saved
// managementPolicies, such as ["*"], and without the annotation. If there is no annotation, it returns the resource as it is.
func undoRemoval(t *locate.Target) (object.Object, error) {
	saved := object.Annotations(t.Resource).Field(emptiedAnnotation)
	if saved.IsNull() {
		return t.Resource, nil
	}

	r, err := object.Set(t.Resource, emptiedPath, object.Node{})
	if err != nil || saved.IsText(policiesUntouched) {
		return r, err
	}

	policies := &structpb.Value{}
	if err := policies.UnmarshalJSON([]byte(saved.Text())); err != nil {
		return r, nil //nolint:nilerr // Somebody else wrote the annotation.
	}

	desired := object.Node{} // For the annotation null, the zero Node removes the managementPolicies.
	if policies.GetListValue() != nil {
		desired = object.NodeOf(policies)
	}

	return object.Set(r, policiesPath, desired)
}

// keepLastTag keeps one observed tag if no tag is desired, and Crossplane owns all observed tags. In two cases, the API server would make
// null of an empty object, and then refuse the resource in each run, and removeForOneRun can't help:
//   - Another field manager owns the field itself, as {"f:tags": {}}, but no tag in it, so the field would stay without tags. For example,
//     a provider first wrote a tag there. Then a label replaced this tag, and now the label is gone. The note is NoteLeftover.
//   - The tag field is the only field of its parent, and earlier steps desire the parent, such as spec.forProvider: {}. Without the field,
//     the parent would be empty. The note is NoteLastKept.
//
// Tags of an atomic field have no owners of their own, and neededByParent keeps such a field without tags. The two cases are Held and Only
// in testdata/cases/refilled.yaml.
func (p *Plan) keepLastTag() {
	t, keys := p.target, &p.labels.Keys
	if p.decision.Tags.FieldLen() > 0 || t.Owners().Atomic || !ownedByCrossplane(t, keys) {
		return
	}

	note, manager := NoteLeftover, t.Owners().HeldBy

	if manager == "" { // No other field manager owns the tag field.
		if !isOnlyFieldOfParent(t) {
			return
		}

		note = NoteLastKept
	}

	byID := func(a, b *tagset.Entry) int { return strings.Compare(a.ID, b.ID) }
	observed := slices.SortedStableFunc(t.ReadTags(t.ObservedValue, keys).All(), byID)

	firstUnreserved := slices.IndexFunc(observed, func(e *tagset.Entry) bool {
		_, isReserved := p.labels.reservedKey(e)
		return !isReserved
	})

	kept := observed[max(firstUnreserved, 0)] // If all tags have reserved keys, the index is -1, and the first tag stays.
	p.decision.Tags.Put(kept)
	p.Notes.addOwned(note, manager, cmp.Or(kept.Key, kept.String()))
}

// noteLastTag adds NoteLastStays if the last tag stays in the cloud. There are two cases:
//   - The provider fills even an empty field with the cloud's tags, or doesn't tell the cloud of an empty field (LastStays).
//   - The schema admits no empty field, so the field is removed, and the provider fills a missing field.
func (p *Plan) noteLastTag() {
	t, keys := p.target, &p.labels.Keys

	lastStays := t.Field.LastStays || t.Field.LateInit && schemaRefusesEmpty(t)
	getsNoTags := p.LeftAlone == "" && p.decision.Tags.FieldLen() == 0

	// The cloud can have a last tag only if the status reports one, or the tag field had one.
	if lastStays && getsNoTags && (hasNonProviderTags(t, t.ReportedTags(keys)) || wasTagged(t, keys)) {
		p.Notes = append(p.Notes, Note{Kind: NoteLastStays})
	}
}
