package stamp

import (
	"github.com/plexsphere/function-cloud-tags/tags/locate"
	"github.com/plexsphere/function-cloud-tags/tags/object"
)

// A plan is what becomes of one resource, or of one field of what it launches.
type plan struct {
	Result

	target *locate.Target
	labels *Labels

	// launched is the name of the field, if it is one of what the resource launches.
	launched string

	// decision on the tags, or nil if they can't be read. It is done if it has come to be the Result.
	decision *Decision
	done     bool

	// judged are the records of labels in the field, but for those that the profile refuses.
	judged []Judged

	// restored is true if the provider's own tags had to be put to those that earlier steps set.
	restored bool
}

// newPlan returns the plan for t with the labels l, of which nothing is decided yet.
func newPlan(t *locate.Target, l *Labels) *plan {
	return &plan{
		Result: Result{Resource: t.Name, APIVersion: t.Kind.APIVersion, Kind: t.Kind.Kind.Kind, Provider: t.Profile.Name, HandsOn: t.Profile.HandsOn},
		target: t, labels: l,
	}
}

// becomes returns what the resource becomes.
func (p *plan) becomes() object.Object {
	if p.Stamped.IsZero() {
		return p.target.Resource
	}

	return p.Stamped
}

// plan what becomes of the tags of t, which has the labels l.
func (s *Stamper) plan(t *locate.Target, l *Labels) (*plan, error) {
	p := newPlan(t, l)

	if len(l.transformed.Tags)+len(l.transformed.Refused) > 0 {
		p.Unprofiled = t.Unprofiled
	}

	if t.Field.Immutable && isMade(t) {
		p.failsBy(p.freeze())
		return p, nil
	}

	// Without anything to do, the provider's tags still have to be kept, and a field that
	// has become empty may have to be there.
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

	return p, p.carryOut()
}

// failsBy is true if there is an error, by which the tag field is left alone.
func (p *plan) failsBy(err error) bool {
	if err != nil {
		p.Mismatch = err.Error()
	}

	return err != nil
}
