package stamp

import (
	"github.com/plexsphere/function-cloud-tags/tags/locate"
	"github.com/plexsphere/function-cloud-tags/tags/object"
)

// A plan says which tags one resource gets in its tag field, or in one of its fields for launched resources.
type plan struct {
	Result

	target *locate.Target
	labels *Labels

	// launched is the name of the field for launched resources, such as spec.forProvider.volumeTags, or empty.
	launched string

	// decision is the decision on the tags. It is nil if the tags can't be read.
	decision *Decision

	// decisionHolds says that nothing has kept the decision from being written.
	decisionHolds bool

	// judged has the records of labels in the field, without the labels that the tag profile skips.
	judged []Judged

	// restoredProviderTags says that the provider's own tags were added to tags of earlier steps: see desiredTags.
	restoredProviderTags bool
}

// newPlan returns the plan for t with the labels l. Nothing is decided yet.
func newPlan(t *locate.Target, l *Labels) *plan {
	return &plan{
		Result: Result{Resource: t.Name, APIVersion: t.Kind.APIVersion, Kind: t.Kind.Kind.Kind, Provider: t.Profile.Name, PassesLabelsOn: t.Profile.PassesLabelsOn},
		target: t, labels: l,
	}
}

// stampedResource returns the resource with the tags of the plan. If the plan changes nothing, it is the desired resource.
func (p *plan) stampedResource() object.Object {
	if p.Stamped.IsZero() {
		return p.target.Resource
	}

	return p.Stamped
}

// planField returns the plan for the tag field of t with the labels l. It decides on the tags, and writes them to a copy of the
// resource. Tags that can't change stay as they are. If the tag field has the wrong type, the plan has a Mismatch and no
// tags. An example is a list where the kind wants a map.
func (s *Stamper) planField(t *locate.Target, l *Labels) (*plan, error) {
	p := newPlan(t, l)

	if len(l.transformed.Tags)+len(l.transformed.Skipped) > 0 {
		p.Unprofiled = t.Unprofiled
	}

	if t.Field.Immutable && existsInCloud(t) {
		p.recordMismatch(p.freeze())
		return p, nil
	}

	hasEntries := len(l.transformed.Tags)+len(s.RemoveTags)+len(s.IgnoreTags) > 0
	hasWork := hasEntries || !l.transformed.Reserved().Empty() || t.Copies.IsThere()

	// Without any work, the provider's own tags still have to stay, and a field that was emptied may have to come back.
	mayNeedField := t.Field.Atomic || t.Field.LateInit || !isEmpty(t.ObservedValue)
	if !hasWork && !mayNeedField {
		return p, nil
	}

	state, err := s.stateOf(p)
	if p.recordMismatch(err) {
		return p, nil
	}

	if p.decision, err = Decide(state); err != nil {
		return p, err
	}

	// If trusted labels have no slots, the run fails, and nothing is written.
	if p.judged = p.decision.judge(t.APIProfile); p.decision.trustedWithoutSlot > 0 {
		return p, nil
	}

	err = p.carryOut()

	return p, err
}

// recordMismatch makes the error the Mismatch of p, so that the tag field is left alone. It reports whether there is an error.
func (p *plan) recordMismatch(err error) bool {
	if err != nil {
		p.Mismatch = err.Error()
	}

	return err != nil
}
