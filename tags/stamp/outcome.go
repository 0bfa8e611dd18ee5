package stamp

import (
	"cmp"
	"maps"

	"github.com/crossplane/function-sdk-go/errors"
	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"

	"github.com/plexsphere/function-cloud-tags/input/v1beta1"
	"github.com/plexsphere/function-cloud-tags/tags/object"
	"github.com/plexsphere/function-cloud-tags/tags/profile"
	"github.com/plexsphere/function-cloud-tags/tags/tagset"
)

// An Outcome says what stamping changes on all resources, and which labels are skipped, or refused by the cloud.
type Outcome struct {
	// Results has a result for each selected resource, even if the resource is left alone. A resource that isn't selected has one if its
	// LeftAlone or its Changes are set. Results are sorted by the resource's name.
	Results []Result

	// Skips has the skipped labels, sorted by provider, reason and qualified key.
	Skips []Skip

	// CloudRefuses has labels that are written as tags, since the tag profile admits them, but that the cloud's own API refuses. Their Limit
	// is the limit of this API. They are sorted like Skips.
	CloudRefuses []Skip

	// Changed has the changed resources by name, with their tags and with copied metadata.
	Changed map[string]object.Object

	// trust has what TrustedKeys and IsUntrusted return, by the name of the resource. It is nil unless the input has a tagPolicy.
	trust map[string]trust
}

// trust says which tags of one resource trusted sources give.
type trust struct {
	// keys has the tag keys of trusted labels.
	keys profile.KeySet

	// untrusted has the entries with reserved keys that no trusted source gives, by entryText.
	untrusted map[string]bool
}

// TrustedKeys returns the tag keys of the resource's trusted labels, even if these are skipped. It returns none without a tagPolicy.
func (o *Outcome) TrustedKeys(resource string) profile.KeySet {
	if o == nil {
		return profile.KeySet{}
	}

	return o.trust[resource].keys
}

// IsUntrusted reports whether the entry e of the resource's tag field has a reserved key, and no trusted source gives e. An example is owner: me
// of kubectl edit. It returns false without a tagPolicy.
func (o *Outcome) IsUntrusted(resource string, e *tagset.Entry) bool {
	return o != nil && len(o.trust[resource].untrusted) > 0 && o.trust[resource].untrusted[entryText(e)]
}

// entryText returns a text for the entry e of a tag field. Other entries of the field have other texts.
func entryText(e *tagset.Entry) string {
	return cmp.Or(e.String(), e.Key+"\x00"+tagset.Encoded(e.Value)) // String is env=prod in a list of strings, and empty elsewhere.
}

// Apply returns a copy of the desired state with the changed resources. The copy shares all other resources with the desired state. If no
// resource has changed, Apply returns the desired state itself.
func Apply(desired *fnv1.State, changed map[string]object.Object) *fnv1.State {
	if len(changed) == 0 {
		return desired
	}

	desired = object.Copy(desired)
	desired.Resources = maps.Clone(desired.GetResources())

	for name, o := range changed {
		desired.Resources[name] = o.PutInto(desired.GetResources()[name])
	}

	return desired
}

// An outcomeBuilder makes an Outcome: Stamp adds one resource after the other.
type outcomeBuilder struct {
	Outcome

	stamper  *Stamper
	allSkips skips
	limits   limits
}

// newOutcomeBuilder returns an outcomeBuilder without results, for that many resources.
func newOutcomeBuilder(s *Stamper, resourceCount int) *outcomeBuilder {
	return &outcomeBuilder{
		Outcome: Outcome{Results: make([]Result, 0, resourceCount), Changed: make(map[string]object.Object), trust: make(map[string]trust)}, stamper: s,
		allSkips: skips{skipped: make(skipsByKey), refused: make(skipsByKey), resourceCounts: make(map[string]int)},
		limits:   limits{isStrict: s.Input.LimitPolicy == v1beta1.LimitPolicyApplyStrict},
	}
}

// addResult adds the result r, and its Stamped resource to Changed.
func (o *outcomeBuilder) addResult(r Result) {
	r.trim() // There can be thousands.
	o.Results = append(o.Results, r)

	if !r.Stamped.IsZero() {
		o.Changed[r.Resource] = r.Stamped
	}
}

// addPlan adds the skipped labels of the plan p to allSkips, and its labels without tag slots to limits. It hands p to the Trace. p is
// resourcePlan itself, or the plan of another field, such as volumeTags of an Instance.
func (o *outcomeBuilder) addPlan(resourcePlan, p *Plan) {
	o.allSkips.add(resourcePlan, p)
	o.limits.add(resourcePlan, p)
	o.stamper.Trace.add(o.stamper, resourcePlan, p)
}

// add adds the result of p, the plan of a resource. The result gets Final if the input wants tags in the status, and Changes if the
// Stamper audits. An error is the Budget's error, since the response has no room for
// Final, or for the tags of trusted sources, which the context records for later steps.
func (o *outcomeBuilder) add(p *Plan) error {
	if !o.stamper.Input.StatusFieldPath.IsZero() && p.target.TakesTags() {
		p.Final = p.finalTags()

		if err := o.stamper.Budget.ChargeResponse(sizeOfTags(p.Final)); err != nil {
			return errors.Wrapf(err, "cannot write the tags of composed resource %q to %s", p.Resource, o.stamper.Input.StatusFieldPath)
		}
	}

	if err := o.stamper.Budget.ChargeResponse(sizeOfTags(p.Trusted)); err != nil {
		return errors.Wrapf(err, "cannot record the trusted tags of composed resource %q in the context", p.Resource)
	}

	if o.stamper.Input.TagPolicy != nil && p.target.TakesTags() {
		o.trust[p.Resource] = o.stamper.trustOf(p)
	}

	if o.stamper.Audits {
		p.Changes = changesOf(p.target, p.stampedResource(), p.labels)
	}

	o.addResult(p.Result)

	if p.labels.origin.key.resource != "" {
		o.Results[len(o.Results)-1].copyTags()
	}

	return nil
}

// sizeOfTags returns the bytes of the keys and values of tags. The response has a few bytes more for each.
func sizeOfTags(tags map[string]string) (size int) {
	for key, value := range tags {
		size += len(key) + len(value)
	}

	return size
}

// finish returns the Outcome once all resources are added. The error is a LimitError if labels lack slots that they must get.
func (o *outcomeBuilder) finish() (*Outcome, error) {
	counts := o.allSkips.resourceCounts // They tell whether all resources with a profile skip a label.
	o.Skips, o.CloudRefuses = o.allSkips.skipped.sorted(counts), o.allSkips.refused.sorted(counts)

	return &o.Outcome, o.limits.limitError()
}

// finalSet returns the tags that the field has after Crossplane has applied the resource, such as the tag env: prod that p writes, and
// owner: me that somebody has added by kubectl edit. It returns nil if the tags can't be read. See testdata/cases/final.yaml.
func (p *Plan) finalSet() *tagset.Set {
	set, _ := p.target.TagsAfterApply(p.stampedResource(), p.labels.allKeys()) // With an error, the set is nil.
	return set
}

// finalTags returns the tags of finalSet, key to value, or nil.
func (p *Plan) finalTags() map[string]string {
	set := p.finalSet()
	if set == nil {
		return nil
	}

	tags := make(map[string]string)

	for key, value := range set.Texts() {
		// Another field manager can own a second entry with the key of a desired entry. The desired entry comes first.
		if _, ok := tags[key]; !ok {
			tags[key] = value
		}
	}

	return tags
}

// trustOf returns which of the final tags of p trusted sources give.
func (s *Stamper) trustOf(p *Plan) trust {
	out := trust{keys: p.labels.transformed.TrustedKeys(), untrusted: make(map[string]bool)}
	if p.labels.transformed.Reserved().Empty() {
		return out
	}

	state := &State{Target: p.target, Labels: p.labels, EarlierTrustedTags: s.EarlierTrustedTags[p.Resource]}

	for e := range p.finalSet().All() {
		if _, isUntrusted := state.untrustedKey(e); isUntrusted {
			out.untrusted[entryText(e)] = true
		}
	}

	return out
}
