package stamp

import (
	"maps"

	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"

	"github.com/plexsphere/function-cloud-tags/input/v1beta1"
	"github.com/plexsphere/function-cloud-tags/tags/object"
)

// An Outcome is what came of stamping resources.
type Outcome struct {
	// Results of all resources whose tags are managed, by name.
	Results []Result

	// Skips of labels, by provider, reason and qualified key.
	Skips []Skip

	// CloudRefuses are labels that are tags by the contract's rules, and that the cloud's own
	// API refuses: with the rule of the API that they break as the reason and limit, sorted as
	// Skips are.
	CloudRefuses []Skip

	// Changed resources, by name: what they become, with the metadata that was copied to them.
	Changed map[string]object.Object
}

// Apply what resources of the desired state, by name, have become. It returns a copy of the
// state, which shares all that hasn't changed.
func Apply(desired *fnv1.State, changed map[string]object.Object) *fnv1.State {
	if len(changed) == 0 {
		return desired
	}

	desired = object.Copy(desired)
	desired.Resources = maps.Clone(desired.GetResources())

	for name, o := range changed {
		desired.Resources[name] = o.On(desired.GetResources()[name])
	}

	return desired
}

// outcomes make an Outcome of what becomes of one resource after the other.
type outcomes struct {
	Outcome

	stamper *Stamper
	skips   skips
	limits  limits
}

// newOutcomes of so many resources.
func newOutcomes(s *Stamper, n int) *outcomes {
	return &outcomes{
		Outcome: Outcome{Results: make([]Result, 0, n), Changed: make(map[string]object.Object)}, stamper: s,
		skips:  skips{all: make(map[skipKey]*skipping), resources: make(map[string]int)},
		limits: limits{strict: s.Input.LimitPolicy == v1beta1.LimitPolicyApplyStrict},
	}
}

// addResult of a resource, and what it becomes.
func (o *outcomes) addResult(r Result) {
	r.keep()
	o.Results = append(o.Results, r)

	if !r.Stamped.IsZero() {
		o.Changed[r.Resource] = r.Stamped
	}
}

// addPlan adds what p skips, and what it lacks tag slots for. It is the resource's own plan, or one for what that
// launches.
func (o *outcomes) addPlan(own, p *plan) {
	o.skips.add(own, p)
	o.limits.add(own, p)
}

// add what becomes of a resource by its own plan.
func (o *outcomes) add(p *plan) {
	if p.HandsOn {
		o.stamper.added += p.becomes().Node().Size() - p.target.Resource.Node().Size()
	}

	if !o.stamper.Input.StatusFieldPath.IsZero() && p.target.HasTags() {
		p.Final = p.finalTags()
	}

	if o.stamper.Audits {
		p.Changes = changesOf(p.target, p.becomes(), p.labels)
	}

	o.addResult(p.Result)
}

// outcome of all resources, or a LimitError.
func (o *outcomes) outcome() (*Outcome, error) {
	o.Skips, o.CloudRefuses = o.skips.sorted()

	return &o.Outcome, o.limits.exceeded()
}

// finalTags are the tags that the field has in the end, or none if they can't be read.
func (p *plan) finalTags() map[string]string {
	value, err := p.becomes().At(p.target.Field.Path)
	if err != nil {
		return nil
	}

	set, err := p.target.Final(value, p.labels.allKeys())
	if err != nil {
		return nil
	}

	tags := make(map[string]string)

	for key, value := range set.Texts() {
		if _, ok := tags[key]; !ok { // Others can have an entry of the key beside the desired one.
			tags[key] = value
		}
	}

	return tags
}
