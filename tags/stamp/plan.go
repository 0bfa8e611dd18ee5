package stamp

import (
	"github.com/plexsphere/function-cloud-tags/tags/locate"
	"github.com/plexsphere/function-cloud-tags/tags/object"
)

// A plan says what is to become of one resource, or of one of its fields for launched resources.
type plan struct {
	Result

	target *locate.Target
	labels *Labels

	// launched is the name of the field for launched resources, such as spec.forProvider.volumeTags, or empty.
	launched string

	// decision on the tags, or nil if they can't be read. done says that the decision holds: nothing kept it from being
	// written.
	decision *Decision
	done     bool

	// judged are the records of labels in the field, without the labels that the profile skips.
	judged []Judged

	// restoredProviderTags says that tags of the provider had to be added to an earlier step's tags.
	restoredProviderTags bool
}

// newPlan returns the plan for t with the labels l. Nothing is decided yet.
func newPlan(t *locate.Target, l *Labels) *plan {
	return &plan{
		Result: Result{Resource: t.Name, APIVersion: t.Kind.APIVersion, Kind: t.Kind.Kind.Kind, Provider: t.Profile.Name, HandsOn: t.Profile.HandsOn},
		target: t, labels: l,
	}
}

// becomes returns the resource as the plan makes it: with its tags, or as it was desired if nothing changes.
func (p *plan) becomes() object.Object {
	if p.Stamped.IsZero() {
		return p.target.Resource
	}

	return p.Stamped
}

// plan plans the tags of t with the labels l: it decides on the tags, and writes them to a copy of the resource. Tags
// that can't change are frozen. If the tag field is a list instead of a map, the plan has a Mismatch, and writes
// nothing.
func (s *Stamper) plan(t *locate.Target, l *Labels) (*plan, error) {
	p := newPlan(t, l)

	if len(l.transformed.Tags)+len(l.transformed.Skipped) > 0 {
		p.Unprofiled = t.Unprofiled
	}

	if t.Field.Immutable && existsInCloud(t) {
		p.failsBy(p.freeze())
		return p, nil
	}

	// Even without anything to do, the provider's own tags have to be kept, and an emptied field may have to come back.
	asked := len(l.transformed.Tags)+len(s.Remove)+len(s.Ignore) > 0 || !l.transformed.Reserved().Empty()
	if !asked && !t.Field.Atomic && !t.Field.LateInit && !t.Copies.IsThere() && isEmpty(t.There) {
		return p, nil
	}

	state, err := s.stateOf(p)
	if p.failsBy(err) {
		return p, nil
	}

	if p.decision, err = Decide(state); err != nil {
		return p, err
	}

	if p.judged = p.decision.judge(t.Refuser); p.decision.lacking > 0 {
		return p, nil
	}

	err = p.carryOut()

	return p, err
}

// failsBy reports whether there is an error. The tag field is left alone then.
func (p *plan) failsBy(err error) bool {
	if err != nil {
		p.Mismatch = err.Error()
	}

	return err != nil
}
