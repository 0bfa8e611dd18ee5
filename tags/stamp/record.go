package stamp

import (
	"slices"

	"github.com/plexsphere/function-cloud-tags/tags"
	"github.com/plexsphere/function-cloud-tags/tags/profile"
	"github.com/plexsphere/function-cloud-tags/tags/resolve"
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

	// Ignored labels have a tag with the value of the cloud, by ignoreTags.
	Ignored

	// Removed labels have no tag, by removeTags.
	Removed

	// TakenAway is the fate of a tag without a label. An earlier step set the tag, but only labels of trusted sources may have its key.
	TakenAway
)

// A Record says what has become of one label on one resource: env: prod is Tagged, and has the key plexsphere:env. All messages about the
// label come from its record. A tag that is taken away has a record, too.
type Record struct {
	*tags.Tag

	Fate Fate

	// HasKey reports whether the field had a tag with the label's key before anything was decided, with any value. In a list of strings, the
	// label's own string counts, too, whatever its key is: a=b=c is the string of the label a: b=c, even if it is read as the
	// tag a=b: c of another label. Only Look sets HasKey.
	HasKey bool

	// Reason and Limit say why the label is skipped, such as count-cap and "at most 50 tags on a resource". For a Tagged label, they say
	// why the cloud's own API refuses the tag, though the input's profileRules admit it.
	Reason profile.SkipReason
	Limit  string

	// isShared reports whether all resources with the tag profile share the Reason: no resource on aws may have a key of 200 characters. It is
	// false for count-cap, for example: another resource may have a free slot.
	isShared bool

	// NamedBy is the entry of removeTags that removes the tag, or else the first entry of ignoreTags that names the tag. Only Look and
	// Preview set it.
	NamedBy *resolve.TagPattern
}

// takenAwayLimit is the Limit of records with the fate TakenAway.
const takenAwayLimit = "an earlier step set it, and only a source with trusted: true may"

// limitOf returns the limit of the profile that the label breaks, in a few words, such as "at most 128 characters".
func limitOf(skipped *tags.SkippedTag, p *profile.Profile) string {
	switch {
	case skipped.Winner != "":
		return words.Name(skipped.Winner) + " has the same tag key"
	case skipped.Reason == profile.ReservedKey && tags.ProvidersKeySet().Has(skipped.Key) && !p.HandsLabelsOn:
		// The key is crossplane-kind, for example. If labels are handed on to a composite resource, only the input can reserve this key.
		return "only the provider sets it"
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
// and then the records of tags that are taken away, such as the reserved owner: me of an earlier step. api has the limits of the cloud's
// own API. It is nil if this API isn't known to refuse tags that the tag profile admits.
func (d *Decision) completeRecords(api *profile.Profile) []Record {
	limit := ""

	for i := range d.records {
		switch record := &d.records[i]; {
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

	out := d.records
	if out != nil { // A Decision of decideReserved has no records of labels, and needs none of unfit labels.
		out = append(out, d.Labels.unfit...)
	}

	for _, key := range d.takenAwayKeys {
		t := &tags.Tag{Label: tags.Label{QualifiedKey: d.Labels.transformed.QualifiedKey(key)}, Key: key}
		out = append(out, Record{Tag: t, Fate: TakenAway, Reason: profile.ReservedKey, Limit: takenAwayLimit})
	}

	return out
}

// recordRefusals records which tags the cloud's own API refuses. If a resource has 4 tags and the API admits 3, the API refuses the last
// tag to take a slot, for count-cap. If the API compares keys without case, it refuses both Owner and owner.
func (d *Decision) recordRefusals(api *profile.Profile) {
	toAdd, _ := d.missingProviderTags()
	surplus := d.Tags.Len() + toAdd - api.MaxTags
	collides := api.SameKeys(d.Tags.Keys())

	// The last labels took their slots last. If there is a surplus, the API refuses their tags.
	for i := range slices.Backward(d.records) {
		record := &d.records[i]
		if record.Fate != Tagged {
			continue
		}

		record.Reason = api.Check(record.Key, record.Key, record.Value) // The API knows no qualified key, only the tag key.

		switch {
		case record.Reason != "": // Check has found a reason.
		case collides[record.Key]:
			record.Reason = profile.KeyCollision
		case surplus > 0:
			record.Reason = profile.CountCap
		}

		if record.Reason != "" {
			record.Limit = api.Limit(record.Reason)
		}

		surplus--
	}
}

// labelIsTag reports whether the field has the tag of the label at position i, with the label's value. If two labels share one string of
// a list, such as a=b=c with the keys a and a=b, it returns true for one of them only.
func (d *Decision) labelIsTag(i int) bool {
	l := &d.Labels.all[i]
	e := d.Tags.Find(l.entry.ID)

	return e != nil && tagset.IsText(e.Value, l.Value)
}

// Withheld reports whether the label's value isn't written, because of an earlier step, another system or removeTags.
func (r Record) Withheld() bool { return r.Fate == Retained || r.Fate == Ignored || r.Fate == Removed }

// lacksSlot reports whether the resource has no tag slot for the label.
func (r Record) lacksSlot() bool { return r.Fate == Skipped && r.Reason == profile.CountCap }
