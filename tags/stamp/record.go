package stamp

import (
	"slices"

	"github.com/plexsphere/function-cloud-tags/tags"
	"github.com/plexsphere/function-cloud-tags/tags/profile"
	"github.com/plexsphere/function-cloud-tags/tags/tagset"
	"github.com/plexsphere/function-cloud-tags/tags/words"
)

// A Fate says what becomes of a label on one resource.
type Fate uint8

const (
	// Undecided labels have no decision yet. In the end, a label is Undecided only if the resource lacks its tag, and can't change its
	// tags: see freeze.
	Undecided Fate = iota

	// Tagged labels are tags.
	Tagged

	// Skipped labels are no tags, for a SkipReason such as count-cap.
	Skipped

	// Retained labels have a tag with the value of an earlier step, by onConflict Retain.
	Retained

	// Ignored labels have a tag that keeps its value in the cloud, since ignoreTags names it.
	Ignored

	// Removed labels have no tag, since removeTags names it.
	Removed

	// TakenAway is the fate of a tag without a label. An earlier step set the tag, but only labels of trusted sources may have its key.
	TakenAway
)

// A Record says what has become of one label on one resource. For example, the label env is Tagged, and its tag has the key plexsphere:env.
// All messages about the label come from its record. A tag that is taken away has a record, too, for its Skip.
type Record struct {
	*tags.Tag

	Fate Fate

	// Reason and Limit say why the label is skipped, such as count-cap and "at most 50 tags on a resource". A Tagged label can have
	// them, too: the field gets the tag, since the input's profileRules admit it, but the cloud's own API will refuse it.
	Reason profile.SkipReason
	Limit  string

	// isShared reports whether the Reason holds for all resources with the tag profile: no resource on aws may have a key of 200 characters.
	// It is false for count-cap, since another resource may have a free slot.
	isShared bool
}

// takenAwayLimit is the Limit of records with the fate TakenAway.
const takenAwayLimit = "an earlier step set it, and only a source with trusted: true may"

// limitOf returns the limit of the profile p that the label breaks, in a few words, such as "at most 128 characters". The label is skipped
// among the transformed labels of p.
func limitOf(skipped *tags.SkippedTag, transformed *tags.Transformed, p *profile.Profile) string {
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
func (l *Labels) newRecords() []Record {
	out := make([]Record, len(l.all), len(l.all)+len(l.unfit))
	for i := range out {
		out[i] = Record{Tag: &l.all[i].Tag}
	}

	return out
}

// completeRecords makes Undecided labels Skipped, for count-cap. It returns the records of labels in all, then the records of unfit labels,
// and then the records of tags that are taken away. api has the limits of the cloud's own API, if
// this API is known to be stricter than the tag profile. Otherwise, api is nil.
func (d *Decision) completeRecords(api *profile.Profile) []Record {
	limit := ""

	for i := range d.records {
		record := &d.records[i]

		switch {
		case record.Fate == Undecided:
			if limit == "" {
				limit = d.limitText()
			}

			record.Fate, record.Reason, record.Limit = Skipped, profile.CountCap, limit
		case d.labelIsTag(i): // Even a Retained label is Tagged if the earlier step has set the label's own value.
			record.Fate = Tagged
		}
	}

	if api != nil {
		d.recordRefusals(api)
	}

	return append(append(d.records, d.Labels.unfit...), d.Labels.takenAwayRecords(d.takenAwayKeys)...)
}

// takenAwayRecords returns a record for each of the reserved keys whose tags are taken away, such as owner: me of an earlier step.
func (l *Labels) takenAwayRecords(keys []string) []Record {
	return words.Map(keys, func(key string) Record {
		t := &tags.Tag{Label: tags.Label{QualifiedKey: l.transformed.QualifiedKey(key)}, Key: key}
		return Record{Tag: t, Fate: TakenAway, Reason: profile.ReservedKey, Limit: takenAwayLimit}
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
		if record.Fate != Tagged {
			continue
		}

		record.Reason = api.Check(record.Key, record.Key, record.Value) // The API knows no qualified key, only the tag key.

		if record.Reason == "" && collides[record.Key] {
			record.Reason = profile.KeyCollision
		}

		if record.Reason == "" && surplus > 0 {
			record.Reason = profile.CountCap
		}

		record.Limit = api.Limit(record.Reason) // Without a Reason, there is no Limit, and isShared doesn't count.
		record.isShared = record.Reason != profile.CountCap
		surplus-- // A tag that is refused for another reason counts, too.
	}
}

// labelIsTag reports whether the field has the tag of the label at position i, with the label's value. The labels {a: b=c} and {a=b: c}
// have the same string in a list, a=b=c. The string is the tag of one of them only.
func (d *Decision) labelIsTag(i int) bool {
	l := &d.Labels.all[i]
	e := d.Tags.Find(l.entry.ID)

	return e != nil && tagset.IsText(e.Value, l.Value)
}

// Withheld reports whether the label's value isn't written, because of an earlier step, another system or removeTags.
func (r Record) Withheld() bool { return r.Fate == Retained || r.Fate == Ignored || r.Fate == Removed }

// lacksSlot reports whether the resource has no tag slot for the label.
func (r Record) lacksSlot() bool { return r.Fate == Skipped && r.Reason == profile.CountCap }
