package stamp

import (
	"fmt"
	"slices"
	"strconv"

	"github.com/crossplane/function-sdk-go/errors"

	"github.com/plexsphere/function-cloud-tags/input/v1beta1"
	"github.com/plexsphere/function-cloud-tags/tags"
	"github.com/plexsphere/function-cloud-tags/tags/locate"
	"github.com/plexsphere/function-cloud-tags/tags/object"
	"github.com/plexsphere/function-cloud-tags/tags/profile"
	"github.com/plexsphere/function-cloud-tags/tags/tagset"
	"github.com/plexsphere/function-cloud-tags/tags/words"
	"github.com/plexsphere/function-cloud-tags/tags/write"
)

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

// sizeOfTags returns the bytes of the keys and values. The response has a few bytes more for each.
func sizeOfTags(values map[string]string) (size int) {
	for key, value := range values {
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

// skips collects Skips, resource by resource.
type skips struct {
	// skipped has labels that are no tags. refused has labels that are tags, and the cloud's own API refuses these tags.
	skipped, refused skipsByKey

	// resourceCounts has the number of resources by Provider, the name of their tag profile, such as aws.
	resourceCounts map[string]int
}

// add adds the labels that the plan p skips, and the labels whose tags the cloud's own API refuses. p is resourcePlan, or the plan of
// another field of the resource, such as volumeTags of an Instance. The plans of one resource are added one after another.
func (s *skips) add(resourcePlan, p *Plan) {
	if p.labels.skips == nil {
		p.labels.skips = make([]*countedSkip, len(p.labels.skipped)+len(p.labels.all))
	}

	// The tag profile skips the labels of p.labels.skipped in all fields of the resource, so they are added once.
	if p == resourcePlan {
		s.resourceCounts[p.Provider]++

		for i := range p.labels.skipped {
			skip := s.skipped.add(&p.labels.skipped[i], &p.Result, &p.labels.FieldKind, &p.labels.skips[i])
			skip.isShared = skip.isShared || !p.labels.Profile.Narrow // A Narrow profile is for one kind only, such as BucketObject.
		}
	}

	if !p.getsDecidedTags {
		return // The field stays as it is, whatever the records say.
	}

	for i := range p.allRecords {
		record := &p.allRecords[i]

		switch {
		case record.Reason == "": // The label is no skipped label.
		case lacksSlotInBoth(resourcePlan, p, i): // The skip of the resource's own tag field is enough.
		case record.Fate == tags.Tagged: // The Reason of a Tagged label says why the cloud's own API refuses the tag.
			skip := s.refused.add(record, &p.Result, &p.labels.FieldKind, new(*countedSkip))
			skip.isShared = record.Reason != profile.CountCap // Another resource may have a free slot.
		case i < len(p.labels.all):
			s.skipped.add(record, &p.Result, &p.labels.FieldKind, &p.labels.skips[len(p.labels.skipped)+i])
		default:
			s.skipped.add(record, &p.Result, &p.labels.FieldKind, new(*countedSkip))
		}
	}
}

// lacksSlotInBoth reports whether the label of the record at index i has no slot in the field of p, such as volumeTags, and none in the tag
// field of the resource itself either. With different limits, the label would have two Skips.
func lacksSlotInBoth(resourcePlan, p *Plan, i int) bool {
	// With the same Labels, records are in the same order. If nothing was decided for the resource's own field, resourcePlan has none.
	isSameLabel := p.labels == resourcePlan.labels && i < len(resourcePlan.allRecords)

	return p != resourcePlan && isSameLabel && p.allRecords[i].LacksSlot() && resourcePlan.getsDecidedTags && resourcePlan.allRecords[i].LacksSlot()
}

// limits collects the resources that have no tag slots for all of their labels.
type limits struct {
	// trusted has the resources on which labels of trusted sources lack slots.
	trusted shortages

	// overCap has the resources on which labels of any source lack slots. It is filled only if isStrict is true.
	overCap shortages

	// isStrict reports whether limitPolicy is ApplyStrict.
	isStrict bool
}

// shortages has a text for each resource without tag slots: "owner" on composed resource "bucket" (aws: at most 50 tags on a resource).
type shortages struct {
	resources []string

	// last is the resourcePlan of the resource that the last text is about.
	last *Plan
}

// add adds a text for the resource of resourcePlan, unless the last text is about this resource: an Instance has one text, even if both
// tags and volumeTags lack slots. labels has the keys of labels or their number, for the field of the plan p. The text has p's limit.
func (s *shortages) add(resourcePlan, p *Plan, labels string) {
	if s.last != resourcePlan {
		s.last = resourcePlan
		s.resources = append(s.resources, fmt.Sprintf("%s on composed resource %q (%s: %s)", labels, words.Shorten(p.Resource, words.MaxName), p.Provider, p.decision.limitText()))
	}
}

// add adds the resource of resourcePlan if the plan p lacks tag slots. p is resourcePlan itself, or the plan of one of the resource's
// fields for launched resources.
func (l *limits) add(resourcePlan, p *Plan) {
	if d := p.decision; d != nil && len(d.trustedWithoutSlot) > 0 {
		l.trusted.add(resourcePlan, p, words.Names(words.Map(d.trustedWithoutSlot, strconv.Quote)))
	}

	count := 0

	// limitPolicy is about tags. Labels that are handed on to a composite resource are no tags yet, and a field that can't be written gets
	// none.
	if l.isStrict && p.getsDecidedTags && !resourcePlan.HandsLabelsOn {
		for i := range p.allRecords {
			if p.allRecords[i].LacksSlot() {
				count++
			}
		}
	}

	if count > 0 {
		l.overCap.add(resourcePlan, p, strconv.Itoa(count))
	}
}

// limitError returns a LimitError if any resource has too few tag slots, or nil.
func (l *limits) limitError() error {
	switch {
	case len(l.trusted.resources) > 0:
		return &LimitError{"no tag slots for labels of trusted sources: ", l.trusted.resources}
	case len(l.overCap.resources) > 0:
		return &LimitError{"limitPolicy ApplyStrict: too many labels: ", l.overCap.resources}
	default:
		return nil
	}
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

	values := make(map[string]string)

	for key, value := range set.Texts() {
		// Another field manager can own a second entry with the key of a desired entry. The desired entry comes first.
		if _, ok := values[key]; !ok {
			values[key] = value
		}
	}

	return values
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

// changesOf returns how the tags of t change once Crossplane applies r, the resource of t with its new tags. If the observed field has
// env: dev, and r has env: prod, then env changes from dev to prod. A field that can't be read has no changes. In a list of strings,
// a=b=c has the key a=b if a label of l has this key, and otherwise the key a. See testdata/cases/audit.yaml.
func changesOf(t *locate.Target, r object.Object, l *Labels) (c Changes) {
	newValue, err := r.At(t.Field.Path)
	initialBefore, initialAfter := initialValues(t, r)

	if err != nil || t.ObservedErr != nil || isSettled(t, newValue) && write.IsSame(initialBefore, initialAfter) {
		return c
	}

	keys := l.allKeys()

	before, beforeErr := tagset.ReadWithInitial(t.ObservedValue, initialBefore, t.Field, keys)
	after, afterErr := tagset.ReadWithInitial(newValue, initialAfter, t.Field, keys)

	if beforeErr != nil || afterErr != nil {
		return c
	}

	c.Added, c.Changed, c.Removed = make(map[string]Values), make(map[string]Values), make(map[string]Values)

	// Several entries of a list can have one key, such as zone=a and zone=b. For each tag that is new or changes, Updated yields the entries
	// with new values. The first of them is enough for Changes.
	for entries := range before.Updated(after) {
		if previous := before.Find(entries[0].ID); previous == nil {
			c.Added[entries[0].Key] = Values{After: tagset.TextOf(entries[0].Value)}
		} else {
			c.Changed[entries[0].Key] = Values{Before: tagset.TextOf(previous.Value), After: tagset.TextOf(entries[0].Value)}
		}
	}

	// An entry that no step desires is removed, unless the provider sets it, or another field manager owns it.
	isRemoved := func(e tagset.Entry) bool {
		return !locate.ProviderSets(t.Field, e.Key) && !t.Owners().Stays(&e, newValue.IsThere() /* fieldDesired */)
	}

	// For each tag of before that is missing in after, Removed yields all entries. The first removed one is enough for Changes.
	for entries := range before.Removed(after) {
		if i := slices.IndexFunc(entries, isRemoved); i >= 0 {
			c.Removed[entries[i].Key] = Values{Before: tagset.TextOf(entries[i].Value)}
		}
	}

	return c
}

// initialValues returns the values of t's field in spec.initProvider before and after Crossplane applies r. If no step has set the field there,
// they are the same.
func initialValues(t *locate.Target, r object.Object) (before, after object.Node) {
	if t.InitialValue.IsNull() {
		return before, after
	}

	return t.InitialOf(t.Observed), t.InitialOf(r)
}

// isSettled reports whether the tags in the observed field of t stay the same once Crossplane applies newValue. With the newValue {env:
// prod}, {env: prod, crossplane-kind: bucket} stays the same, since the provider sets crossplane-kind. A Kubernetes label that is no tag,
// such as app.kubernetes.io/name, may go. For most fields, this check spares changesOf two tagset.Sets.
func isSettled(t *locate.Target, newValue object.Node) bool {
	observed := t.ObservedValue
	if !observed.IsObject() || !newValue.IsObject() {
		return observed.Equal(newValue)
	}

	desired := make(map[string]object.Node, newValue.Len())
	for key, v := range newValue.Fields() {
		desired[string(key)] = v
	}

	unchanged := 0

	for key, v := range observed.Fields() {
		desiredValue, isDesired := desired[string(key)]
		isNotOurs := locate.ProviderSets(t.Field, key) || t.Field.IsOnlyForKubernetes(key)

		switch {
		case !isDesired && !isNotOurs: // The entry is removed.
			return false
		case isDesired && !desiredValue.Equal(v): // The value changes.
			return false
		case isDesired:
			unchanged++
		}
	}

	return unchanged == len(desired) // Otherwise observed lacks a desired entry.
}
