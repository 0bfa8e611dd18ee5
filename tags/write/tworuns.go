package write

import (
	"cmp"

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
// If the field can neither be emptied nor removed, the function keeps one tag: see keepLastTag in package stamp.

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

// removeForOneRun returns the desired resource of t without the tag field. While Crossplane owns tags, most API servers would make null of
// an empty field, and refuse null. Once Crossplane has applied the resource without the field, it owns no tag any more, and the next run
// can add the empty field. removeForOneRun also removes LateInitialize from the managementPolicies, and saves the old managementPolicies in
// an annotation. See tags/stamp/testdata/cases/refilled.yaml.
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
