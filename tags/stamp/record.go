package stamp

import (
	"slices"

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
