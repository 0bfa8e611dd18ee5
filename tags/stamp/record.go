package stamp

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/plexsphere/function-cloud-tags/tags"
	"github.com/plexsphere/function-cloud-tags/tags/profile"
	"github.com/plexsphere/function-cloud-tags/tags/tagset"
	"github.com/plexsphere/function-cloud-tags/tags/words"
)

// takenAwayLimit is the Limit of records with the fate TakenAway.
const takenAwayLimit = "an earlier step set it, and only a source with trusted: true may"

// limitOf returns the limit of the profile p that the label breaks, in a few words, such as "at most 128 characters". The label is skipped
// among the transformed labels of p.
func limitOf(skipped *tags.Judged, transformed *tags.Transformed, p *profile.Profile) string {
	switch {
	case skipped.Winner != "":
		return words.Name(skipped.Winner) + " has the same tag key"
	case skipped.Reason == profile.ReservedKey && !p.HandsLabelsOn && tags.ProvidersKeySet().Has(skipped.Key):
		return "only the provider sets it" // The key is crossplane-kind, for example. It means nothing to a nested composite resource.
	case skipped.Reason == profile.ReservedKey && !skipped.Reserved && transformed.Classifiers().Has(skipped.Key):
		return p.Limit(skipped.Reason) + ", since matchCloudTags names it"
	default:
		return p.Limit(skipped.Reason)
	}
}

// newRecords returns Undecided records of the labels in all, at the labels' positions.
func (l *Labels) newRecords() []tags.Judged {
	out := make([]tags.Judged, len(l.all), len(l.all)+len(l.unfit))
	for i := range out {
		out[i] = tags.Judged{Tag: l.all[i].Tag}
	}

	return out
}

// completeRecords makes Undecided labels Skipped, for count-cap. It returns the records of labels in all, then the records of unfit labels,
// and then the records of tags that are taken away. api has the limits of the cloud's own API, if
// this API is known to be stricter than the tag profile. Otherwise, api is nil.
func (d *Decision) completeRecords(api *profile.Profile) []tags.Judged {
	limit := ""

	for i := range d.records {
		record := &d.records[i]

		switch {
		case record.Fate == tags.Undecided:
			if limit == "" {
				limit = d.limitText()
			}

			record.Fate, record.Reason, record.Limit = tags.Skipped, profile.CountCap, limit
		case d.labelIsTag(i): // Even a Retained label is Tagged if the earlier step has set the label's own value.
			record.Fate = tags.Tagged
		}
	}

	if api != nil {
		d.recordRefusals(api)
	}

	return append(append(d.records, d.Labels.unfit...), d.Labels.takenAwayRecords(d.takenAwayKeys)...)
}

// takenAwayRecords returns a record for each of the reserved keys whose tags are taken away, such as owner: me of an earlier step.
func (l *Labels) takenAwayRecords(keys []string) []tags.Judged {
	return words.Map(keys, func(key string) tags.Judged {
		t := &tags.Tag{Label: tags.Label{QualifiedKey: l.transformed.QualifiedKey(key)}, Key: key}
		return tags.Judged{Tag: t, Fate: tags.TakenAway, Reason: profile.ReservedKey, Limit: takenAwayLimit}
	})
}

// recordRefusals records which tags the cloud's own API refuses. If a resource has 4 tags and the API admits 3, it refuses the
// tag that took its slot last, for count-cap. If the API compares keys without case, it refuses both Owner and owner.
func (d *Decision) recordRefusals(api *profile.Profile) {
	surplus := d.Tags.Len() + d.providerTagsToAdd() - api.MaxTags
	collides := api.SameKeys(d.Tags.Keys())

	// The last labels took their slots last, so their tags are the surplus.
	for i := range slices.Backward(d.records) {
		record := &d.records[i]
		if record.Fate != tags.Tagged {
			continue
		}

		record.Reason = api.Check(record.Key, record.Key, record.Value) // The API knows no qualified key, only the tag key.

		if record.Reason == "" && collides[record.Key] {
			record.Reason = profile.KeyCollision
		}

		if record.Reason == "" && surplus > 0 {
			record.Reason = profile.CountCap
		}

		record.Limit = api.Limit(record.Reason) // Without a Reason, there is no Limit.
		surplus--                               // A tag that is refused for another reason counts, too.
	}
}

// labelIsTag reports whether the field has the tag of the label at position i, with the label's value. The labels {a: b=c} and {a=b: c}
// have the same string in a list, a=b=c. The string is the tag of one of them only.
func (d *Decision) labelIsTag(i int) bool {
	e := d.Tags.Find(d.Labels.entries[i].ID)

	return e != nil && tagset.IsText(e.Value, d.Labels.all[i].Value)
}

// A Skip names a label, and the resources on which it becomes no tag in the cloud. There are two lists of them:
//   - Skips of the Outcome: the function has skipped the label.
//   - CloudRefuses of the Outcome: the tag is in the tag field, but the cloud's own API refuses it.
type Skip struct {
	tags.SkippedLabel

	// Limit is the limit that the label breaks, such as "at most 128 characters".
	Limit string

	// Sources has the names that messages give to the label's sources, such as sources[0].
	Sources []string

	// Trusted reports whether any source of the label is a trusted source.
	Trusted bool

	// Resources has the names of the first resources that skip the label, and More is the number of the others. Resources is nil if all
	// resources with the tag profile skip the label for a reason that they share, such as key-too-long.
	Resources []string
	More      int
}

// skips collects Skips, resource by resource.
type skips struct {
	// skipped has labels that are no tags. refused has labels that are tags, and the cloud's own API refuses these tags.
	skipped, refused skipsByKey

	// resourceCounts has the number of resources by Provider, the name of their tag profile, such as aws.
	resourceCounts map[string]int
}

// skipsByKey has one Skip for each skipKey.
type skipsByKey map[skipKey]*countedSkip

// A skipKey identifies a Skip. The label env has two Skips if the resource a admits 50 tags, and b admits 10: the limits differ.
type skipKey struct {
	label tags.SkippedLabel
	limit string
}

// A countedSkip is a Skip while its resources are counted.
type countedSkip struct {
	Skip

	// count is the number of resources. If count is above 0, last is the name of the resource that was added last.
	count int
	last  string

	// isShared reports whether the reason holds for all resources with the tag profile: no resource on aws may have a key of 200 characters.
	// It is false for count-cap, since another resource may have a free slot.
	isShared bool

	// labelSources has the sources of the label.
	labelSources []*tags.Source
}

// add adds the labels that the plan p skips, and the labels whose tags the cloud's own API refuses. p is resourcePlan, or the plan of
// another field of the resource, such as volumeTags of an Instance. The plans of one resource are added one after another.
func (s *skips) add(resourcePlan, p *Plan) {
	// The tag profile skips the labels of p.labels.skipped in all fields of the resource, so they are added once.
	if p == resourcePlan {
		s.resourceCounts[p.Provider]++

		for i := range p.labels.skipped {
			skip := s.skipped.add(&p.labels.skipped[i], &p.Result, &p.labels.skips[i])
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
			skip := s.refused.add(record, &p.Result, new(*countedSkip))
			skip.isShared = record.Reason != profile.CountCap // Another resource may have a free slot.
		case i < len(p.labels.all):
			s.skipped.add(record, &p.Result, &p.labels.skips[len(p.labels.skipped)+i])
		default:
			s.skipped.add(record, &p.Result, new(*countedSkip))
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

// add adds the resource of r to the Skip of the record's label, and returns the Skip. If the resources a and b have no slot for env, one Skip of env has
// both names. last points to the Skip that a record of the same label was added to before, or to nil.
func (s skipsByKey) add(record *tags.Judged, r *Result, last **countedSkip) *countedSkip {
	if skip := *last; skip == nil || skip.Reason != record.Reason || skip.Limit != record.Limit {
		*last = s.find(record, r.Provider)
	}

	skip := *last

	if skip.count > 0 && skip.last == r.Resource {
		return skip // An Instance counts once, even if both tags and volumeTags skip the label.
	}

	skip.last = r.Resource
	skip.count++

	if skip.count <= words.MaxNameCount {
		skip.Resources = append(skip.Resources, r.Resource)
	}

	return skip
}

// find returns the Skip of the record's label on a tag profile, such as aws, and makes it first if there is none.
func (s skipsByKey) find(record *tags.Judged, provider string) *countedSkip {
	key := skipKey{label: record.SkippedLabel(provider, record.Reason), limit: record.Limit}

	skip, ok := s[key]
	if !ok {
		skip = &countedSkip{Skip: Skip{SkippedLabel: key.label, Limit: key.limit}}
		s[key] = skip
	}

	skip.Trusted = skip.Trusted || record.Trusted

	if record.Source != nil && !slices.Contains(skip.labelSources, record.Source) {
		skip.labelSources = append(skip.labelSources, record.Source)
	}

	return skip
}

// sorted returns the Skips in the order of compareSkips. resourceCounts has the number of resources by Provider.
func (s skipsByKey) sorted(resourceCounts map[string]int) (out []Skip) {
	for _, skip := range s {
		slices.SortFunc(skip.labelSources, func(a, b *tags.Source) int { return cmp.Compare(a.Position, b.Position) })

		for _, source := range skip.labelSources {
			skip.Sources = append(skip.Sources, source.Name)
		}

		skip.More = skip.count - len(skip.Resources)

		// If all resources with the tag profile skip the label for a shared reason, none of them is named.
		if skip.isShared && skip.count == resourceCounts[skip.Provider] {
			skip.Resources, skip.More = nil, 0
		}

		out = append(out, skip.Skip)
	}

	slices.SortFunc(out, compareSkips)

	return out
}

// compareSkips orders skips by provider, reason, limit and keys.
func compareSkips(a, b Skip) int {
	reasons := profile.SkipReasons()

	return cmp.Or(
		strings.Compare(a.Provider, b.Provider),
		cmp.Compare(slices.Index(reasons, a.Reason), slices.Index(reasons, b.Reason)),
		strings.Compare(a.Limit, b.Limit),
		strings.Compare(a.QualifiedKey, b.QualifiedKey),
		strings.Compare(a.TagKey, b.TagKey),
	)
}

// A LimitError says that labels exceed a limit, so that the run fails. For example, a label of a trusted source has no tag slot on a
// resource. With limitPolicy ApplyStrict, the run fails if any label has none.
type LimitError struct {
	// head begins the message, such as "limitPolicy ApplyStrict: too many labels: ".
	head string

	// resources has a text for each resource without slots: see shortages.
	resources []string
}

// Error returns a message with the labels and resources. It leaves out resources beyond words.MaxError bytes.
func (e *LimitError) Error() string {
	return words.Items(e.head, e.resources, len(e.resources), words.MaxError)
}

// maxMemoryBytes is the most bytes of labels in all items of all lists. It limits the memory of a run before its items are made. A label counts once for each item, even if it isn't written there: its key, its value, and entrySize for all the rest.
const (
	entrySize      = 64
	maxMemoryBytes = 64 << 20
)

// tooManyMemoryBytes returns a LimitError for so many labels in each of so many items. The caller counts the bytes, for maxMemoryBytes.
func tooManyMemoryBytes(items, labels int) error {
	return &LimitError{head: fmt.Sprintf("%d labels in each of %d items are too much: in all items of lists together, labels may take %d bytes, "+
		"and each takes its key, its value and %d more: include fewer labels, or make fewer items", labels, items, maxMemoryBytes, entrySize)}
}

// sizeInItem returns the bytes of the labels in one item of a list, for maxMemoryBytes.
func (l *Labels) sizeInItem() (size int) {
	for i := range l.all {
		size += entrySize + len(l.all[i].Key) + len(l.all[i].Value)
	}

	return size
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
