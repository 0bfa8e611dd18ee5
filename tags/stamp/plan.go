package stamp

import (
	"github.com/plexsphere/function-cloud-tags/tags"
	"github.com/plexsphere/function-cloud-tags/tags/locate"
	"github.com/plexsphere/function-cloud-tags/tags/object"
	"github.com/plexsphere/function-cloud-tags/tags/write"
)

// A Plan says which tags one resource gets in its tag field, or in one of its fields for launched resources.
type Plan struct {
	Result

	target *locate.Target
	labels *Labels

	// launchedName is the name of a field for launched resources that gets labels, such as spec.forProvider.volumeTags. Plans for other
	// fields have none.
	launchedName string

	// decision is nil if the tags can't be read, or if there is nothing to decide.
	decision *Decision

	// before is the state before the decision. Only a Trace has plans with it.
	before *State

	// getsDecidedTags reports whether the resource gets the decided tags, or has them already. It is false if the field can't be written. As
	// long as it is false, allRecords aren't reported.
	getsDecidedTags bool

	// allRecords has the records of all labels for the field, except labels that the tag profile skips. If a field gets no labels, it has
	// only records of tags that are taken away: see planReserved.
	allRecords []tags.Judged

	// restoredProviderTags reports whether the function desiredTags has put the provider's own tags, such as crossplane-kind, back into an
	// atomic list that earlier steps desire. Without them, Crossplane would remove these tags.
	restoredProviderTags bool
}

// newPlan returns a plan for t with the labels l, before any decision.
func newPlan(t *locate.Target, l *Labels) *Plan {
	return &Plan{
		Result: Result{Resource: t.Name, APIVersion: t.Kind.APIVersion, Kind: t.Kind.GroupVersionKind.Kind, Provider: t.Profile.Name, HandsLabelsOn: t.Profile.HandsLabelsOn},
		target: t, labels: l,
	}
}

// stampedResource returns the resource with the tags of the plan. If the plan changes nothing, that is the desired resource.
func (p *Plan) stampedResource() object.Object {
	if p.Stamped.IsZero() {
		return p.target.Resource
	}

	return p.Stamped
}

// planField returns the plan for the tag field of t with the labels l. It decides on the tags, and writes them to a copy of the resource.
// Tags that can't change stay as they are. If the tag field has the wrong type, such as a list where the kind wants a map, the plan has
// a Mismatch and no tags.
func (s *Stamper) planField(t *locate.Target, l *Labels) (*Plan, error) {
	p := newPlan(t, l)

	// If there are labels, the result says why the generic tag profile applies. WhyGeneric is empty if another one applies.
	if len(l.transformed.Tags)+len(l.transformed.Skipped) > 0 {
		p.Unprofiled = t.WhyGeneric
	}

	if (t.Field.Immutable || t.NeverUpdated) && mayExistInCloud(t) {
		// If freeze fails, the plan has a Mismatch and leaves the field alone. The run goes on.
		p.recordMismatch(p.freeze())
		return p, nil
	}

	if !s.needsDecision(t, l) {
		return p, nil
	}

	if err := s.Budget.ChargeLabels(len(l.all) + len(l.unfit)); err != nil {
		return p, err
	}

	state, err := s.stateOf(p)
	if p.recordMismatch(err) {
		return p, nil
	}

	if s.Trace != nil {
		p.before = state.beforeDecision()
	}

	if p.decision, err = Decide(state); err != nil {
		return p, err
	}

	p.allRecords = p.decision.completeRecords(t.APIProfile) // The cloud's own API may refuse some of the decided tags.

	// If a trusted label has no slot, Stamp returns a LimitError in the end: see limits.
	if len(p.decision.trustedWithoutSlot) > 0 {
		return p, nil
	}

	if err := p.carryOut(); err != nil {
		return p, err
	}

	return p, s.Budget.ChargeResponse(p.stampedResource().Node().Size() - t.Resource.Node().Size())
}

// needsDecision reports whether there is anything to decide for the tag field of t and the labels l. Any of these reasons will do:
//   - There are labels, copied metadata, or entries of removeTags or ignoreTags.
//   - There are reserved keys. Tags of earlier steps with such keys are removed.
//   - The field is atomic. It may need the provider's own tags (see desiredTags), or an empty value such as [] (see package write).
//   - The provider fills a missing field with the cloud's tags (LateInit). An empty field prevents this: see package write.
//   - The observed field has tags. If all of them would go, one may have to be kept: see keepLastTag.
func (s *Stamper) needsDecision(t *locate.Target, l *Labels) bool {
	hasEntries := len(l.transformed.Tags)+len(s.RemoveTags)+len(s.IgnoreTags) > 0 || t.CopiedEntries.IsThere()
	mayNeedField := t.Field.Atomic || t.Field.LateInit || !write.IsEmpty(t.ObservedValue)

	return hasEntries || mayNeedField || !l.transformed.Reserved().Empty()
}

// recordMismatch reports whether there is an error, and puts its message into the Mismatch of p, for the result.
func (p *Plan) recordMismatch(err error) bool {
	if err != nil {
		p.Mismatch = err.Error()
	}

	return err != nil
}
