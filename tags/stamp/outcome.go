package stamp

import (
	"maps"

	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"

	"github.com/plexsphere/function-cloud-tags/input/v1beta1"
	"github.com/plexsphere/function-cloud-tags/tags/object"
)

// An Outcome is the result of stamping resources.
type Outcome struct {
	// Results of all resources whose tags are managed, by name.
	Results []Result

	// Skips of labels, by provider, reason and qualified key.
	Skips []Skip

	// CloudRefuses are labels that are tags by the contract's rules, but that the cloud's own API refuses, with the
	// limit of the API. They are sorted as Skips are.
	CloudRefuses []Skip

	// Changed resources by name, with their tags and with copied metadata.
	Changed map[string]object.Object
}

// Apply returns a copy of the desired state with the changed resources, by name. If only bucket has changed, all other
// resources are shared with the state.
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

// outcomes make an Outcome, resource by resource.
type outcomes struct {
	Outcome

	stamper *Stamper
	skipped skips
	limits  limits
}

// newOutcomes returns outcomes of n resources without any result.
func newOutcomes(s *Stamper, n int) *outcomes {
	return &outcomes{
		Outcome: Outcome{Results: make([]Result, 0, n), Changed: make(map[string]object.Object)}, stamper: s,
		skipped: skips{all: make(map[skipKey]*skipping), resources: make(map[string]int)},
		limits:  limits{strict: s.Input.LimitPolicy == v1beta1.LimitPolicyApplyStrict},
	}
}

// addResult adds the result of a resource, and the resource with its tags.
func (o *outcomes) addResult(r Result) {
	r.keep()
	o.Results = append(o.Results, r)

	if !r.Stamped.IsZero() {
		o.Changed[r.Resource] = r.Stamped
	}
}

// addPlan adds the labels that the plan p skips, and the tag slots that it lacks: the plan of a whole resource, or of a
// field for launched resources.
func (o *outcomes) addPlan(whole, p *plan) {
	o.skipped.add(whole, p)
	o.limits.add(whole, p)
}

// add adds the result of a resource by its plan p, with its Final tags for the status and its Changes for the audit, if
// the run needs these.
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

// outcome returns the Outcome of all resources, or a LimitError.
func (o *outcomes) outcome() (*Outcome, error) {
	o.Skips, o.CloudRefuses = o.skipped.sorted()

	return &o.Outcome, o.limits.exceeded()
}

// finalTags returns the tags that the field has in the end, such as {env: prod, owner: me} with owner of kubectl edit.
// It returns none if they can't be read. See testdata/cases/final.yaml.
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
		if _, ok := tags[key]; !ok { // Another manager can own an entry with the key of a desired one.
			tags[key] = value
		}
	}

	return tags
}
