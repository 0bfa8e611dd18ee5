package stamp

import (
	"cmp"
	"maps"
	"slices"
	"strings"

	"github.com/crossplane/function-sdk-go/errors"
	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"

	"github.com/plexsphere/function-cloud-tags/input/v1beta1"
	"github.com/plexsphere/function-cloud-tags/tags"
	"github.com/plexsphere/function-cloud-tags/tags/locate"
	"github.com/plexsphere/function-cloud-tags/tags/object"
	"github.com/plexsphere/function-cloud-tags/tags/profile"
	"github.com/plexsphere/function-cloud-tags/tags/tagset"
	"github.com/plexsphere/function-cloud-tags/tags/words"
	"github.com/plexsphere/function-cloud-tags/tags/write"
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

// A Result says which tags one resource gets, and why it doesn't get other tags.
type Result struct {
	// Resource is the name of the composed resource.
	Resource   string
	APIVersion string
	Kind       string

	// Provider is the name of the tag profile.
	Provider string

	// Unprofiled says why the tag profile is the generic one. It is set only if there are labels for the resource, and the resource has a
	// tag field.
	Unprofiled locate.WhyGeneric

	// LeftAlone says why the resource is left alone. It is empty if the resource is not left alone.
	LeftAlone string

	// NoFieldReason says why the resource has no tag field, and LeftAlone says the same in words. If the resource has a tag field,
	// NoFieldReason is empty.
	NoFieldReason locate.Reason

	// Mismatch says why the tag field is left alone, or why it gets no copied metadata: the field has a list where the kind wants a map, for
	// example. Without such a reason, Mismatch is empty.
	Mismatch string

	// Stamped is the resource with its tags, or the zero Object if nothing changes. It shares unchanged parts with the desired resource.
	Stamped object.Object

	// HandsLabelsOn reports whether the resource is a composite resource that gets labels instead of tags, to hand them on: its own
	// Composition makes tags of them. Then all fields of the Result are about these labels.
	HandsLabelsOn bool

	// Records has the first records of Tagged labels and withheld labels, sorted by fate and key. A label is withheld if it is Retained,
	// Ignored or Removed. More is the number of withheld labels without a record. Skipped labels are in Skips of the Outcome instead.
	Records []tags.Judged
	More    int

	// Notes have all other facts about the resource's tags.
	Notes Notes

	// Trusted has the tags that trusted sources give, key to value: see trustedTags.
	Trusted map[string]string

	// Final has the tags in the tag field after Crossplane has applied the resource, key to value. They come from labels, earlier steps,
	// other systems and other field managers. Final is nil unless the input wants the tags in the status.
	Final map[string]string

	// Changes has the changes of tags when Crossplane applies the resource. It is set only if the Stamper audits.
	Changes Changes
}

// IsTagged reports whether any label is a tag of the resource.
func (r *Result) IsTagged() bool {
	return slices.ContainsFunc(r.Records, func(record tags.Judged) bool { return record.Fate == tags.Tagged })
}

// Keys returns the tag keys of the Records with the fate: Tagged, Retained, Ignored or Removed.
func (r *Result) Keys(fate tags.Fate) []string {
	return words.MapIf(r.Records, func(record tags.Judged) (string, bool) { return record.Key, record.Fate == fate })
}

// trim sorts the records, and drops most of them, since there can be thousands of labels on thousands of resources:
//   - Of records with the same fate and key, one stays.
//   - The first words.MaxNameCount records of Tagged and withheld labels stay for each fate. If removeTags names 1,000 labels,
//     words.MaxNameCount of their records stay. More counts the other withheld labels.
//   - All other records go.
//
// trim also sorts the notes, and drops most of the Changes.
func (r *Result) trim() {
	r.Notes.sort()
	r.Changes.trim()

	slices.SortStableFunc(r.Records, func(a, b tags.Judged) int { return cmp.Or(cmp.Compare(a.Fate, b.Fate), strings.Compare(a.Key, b.Key)) })
	records := slices.CompactFunc(r.Records, func(a, b tags.Judged) bool { return a.Fate == b.Fate && a.Key == b.Key })
	countByFate := [tags.TakenAway + 1]int{} // TakenAway is the last Fate.
	kept := records[:0]

	for _, record := range records {
		countByFate[record.Fate]++

		switch isTold := record.Fate == tags.Tagged || record.Withheld(); {
		case isTold && countByFate[record.Fate] <= words.MaxNameCount:
			kept = append(kept, record)
		case record.Withheld():
			r.More++
		}
	}

	r.Records = slices.Clone(kept)
}

// copyTags gives the records copies of their tags. With a pointer into the list of all tags of the resource, the result would keep the
// whole list.
func (r *Result) copyTags() {
	copies := make([]tags.Tag, len(r.Records))
	for i := range r.Records {
		copies[i] = *r.Records[i].Tag
		r.Records[i].Tag = &copies[i]
	}
}

// Changes has the tags that change once Crossplane applies a resource, by key. Added tags have no Before, and Removed tags have no
// After. The Changes of a Result name the first words.MaxNameCount tags of each kind, and count the others: a run of thousands of resources
// can change millions of tags.
type Changes struct {
	Added, Changed, Removed             map[string]Values
	MoreAdded, MoreChanged, MoreRemoved int
}

// Values has the values of a tag before and after Crossplane applies the resource.
type Values struct {
	Before, After string
}

// IsEmpty reports whether nothing changes.
func (c *Changes) IsEmpty() bool { return len(c.Added)+len(c.Changed)+len(c.Removed) == 0 }

// trim keeps the first words.MaxNameCount tags of each kind.
func (c *Changes) trim() {
	c.Added, c.MoreAdded = firstOf(c.Added)
	c.Changed, c.MoreChanged = firstOf(c.Changed)
	c.Removed, c.MoreRemoved = firstOf(c.Removed)
}

// firstOf returns the first words.MaxNameCount of values, by key, and how many more there are.
func firstOf(values map[string]Values) (first map[string]Values, more int) {
	more = len(values) - words.MaxNameCount
	if more <= 0 {
		return values, 0
	}

	first = make(map[string]Values, words.MaxNameCount)
	for _, key := range slices.Sorted(maps.Keys(values))[:words.MaxNameCount] {
		first[key] = values[key]
	}

	return first, more
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
		return e.Initial || !locate.ProviderSets(t.Field, e.Key) && !t.Owners().Stays(&e, newValue.IsThere() /* fieldDesired */)
	}

	// For each tag of before that is missing in after, Removed yields all entries. The first removed one is enough for Changes.
	for entries := range before.Removed(after) {
		if i := slices.IndexFunc(entries, isRemoved); i >= 0 {
			c.Removed[entries[i].Key] = Values{Before: tagset.TextOf(entries[i].Value)}
		}
	}

	return c
}

// addUnselected adds a result for t, which the input doesn't select, in two cases:
//   - The input would select t if the cloud had the tags of matchCloudTags. The tags that t has stay: see keepAppliedTags. If there are
//     labels, removeTags or ignoreTags, LeftAlone says so.
//   - The Stamper audits, and t loses tags of this function. If the observed Bucket has plexsphere:env, and no step desires it,
//     Changes.Removed has plexsphere:env.
func (s *Stamper) addUnselected(o *outcomeBuilder, targets *locate.Targets, t *locate.Target) {
	if t.LeaveReason != locate.None { // The resource's own fields ask to leave it alone.
		return
	}

	isDeselected := t.WhyUnselected() == locate.NotInCloud

	// Finder.Find has located the tag fields of selected resources only. Locate returns false if t has none.
	isAudited := s.Audits && !t.Observed.IsZero() && targets.Locate(t)

	if !isDeselected && !isAudited { // So it is for most, and a plan would be an allocation.
		return
	}

	p := newPlan(t, nil)

	if isDeselected {
		s.keepAppliedTags(p)

		if s.hasTagWork() {
			p.LeftAlone = t.WhyLeftAlone(locate.NotInCloud)
		}
	}

	if isAudited {
		l := s.labelsFor(s.resourceLabelsOrCommon(t), t)
		p.Changes.Removed = changesOf(t, p.stampedResource(), l).Removed

		maps.DeleteFunc(p.Changes.Removed, func(key string, _ Values) bool { return !l.keyBelongsToFunction(key) })
	}

	if p.LeftAlone != "" || !p.Changes.IsEmpty() || !p.Stamped.IsZero() {
		o.addResult(p.Result)
	}
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
