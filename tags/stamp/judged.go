package stamp

import (
	"slices"

	"github.com/plexsphere/function-cloud-tags/tags"
	"github.com/plexsphere/function-cloud-tags/tags/profile"
	"github.com/plexsphere/function-cloud-tags/tags/words"
)

// A Fate is what becomes of a label on one resource.
type Fate uint8

const (
	// Undecided labels wait for their decision. In the end, they are labels of a resource that keeps the tags that it was
	// made with.
	Undecided Fate = iota

	// Tagged labels are tags.
	Tagged

	// Skipped labels are no tags, for a SkipReason.
	Skipped

	// Retained tags have the value that an earlier step set.
	Retained

	// Ignored tags are as the cloud has them, by ignoreTags.
	Ignored

	// Removed tags are not there, by removeTags.
	Removed

	// TakenAway tags were there: an earlier step set them, and only labels of trusted sources may have their keys.
	TakenAway
)

// Judged is the record of one label on one resource: everything that is said of the label there is read from its record.
// A tag that is taken away has a record, too.
type Judged struct {
	*tags.Tag

	Fate Fate

	// Reason and Limit say why the label is skipped, such as count-cap and "at most 50 tags on a resource". For a tagged
	// label they say why the cloud's own API refuses the tag, though the rules of the input admit it.
	Reason profile.SkipReason
	Limit  string

	// single reports that other resources with the tag profile need not skip the label, so that messages name this one.
	single bool

	// claims reports that the profile refuses the label since only trusted sources may set its key.
	claims bool
}

// refused returns the record of a label that the profile refuses.
func refused(r *tags.Refused, p *profile.Profile) Judged {
	return Judged{Tag: &r.Tag, Fate: Skipped, Reason: r.Reason, Limit: limitOf(r, p), single: p.Narrow, claims: r.Reason == profile.ReservedKey}
}

// takenAway is why an earlier step's tag with a reserved key is there no longer.
const takenAway = "an earlier step set it, and only a source with trusted: true may"

// limitOf says in a few words why the profile refuses the label.
func limitOf(r *tags.Refused, p *profile.Profile) string {
	switch {
	case r.Kept != "":
		return words.Name(r.Kept) + " has the same tag key"
	case r.Reason == profile.ReservedKey && tags.ProvidersKeySet().Has(r.Key) && !p.HandsOn:
		return "only the provider sets it"
	default:
		return p.Limit(r.Reason)
	}
}

// judge returns the records of all labels that the profile admits, in the order in which they take tag slots. Those
// come last that no such tag field can have, and then the tags that are taken away. The api is the profile of the cloud's
// own API, or nil if that refuses nothing else.
func (d *Decision) judge(api *profile.Profile) []Judged {
	l := d.Labels
	out := make([]Judged, 0, len(d.fates)+len(l.unfit)+len(d.taken))
	limit := ""

	for i, fate := range d.fates {
		j := Judged{Tag: &l.all[i].Tag, Fate: fate, single: true}

		switch {
		case fate == Undecided:
			if limit == "" {
				limit = d.limit()
			}

			j.Fate, j.Reason, j.Limit = Skipped, profile.CountCap, limit
		case d.hasText(&l.all[i]):
			j.Fate = Tagged
		}

		out = append(out, j)
	}

	if api != nil {
		d.judgeBy(api, out)
	}

	if d.fates != nil { // Otherwise nothing but reserved keys is decided on.
		out = append(out, l.unfit...)
	}

	for _, key := range d.taken {
		t := &tags.Tag{Label: tags.Label{QualifiedKey: l.transformed.QualifiedKey(key)}, Key: key}
		out = append(out, Judged{Tag: t, Fate: TakenAway, Reason: profile.ReservedKey, Limit: takenAway, single: true})
	}

	return out
}

// judgeBy says in the records which tags the API of the cloud refuses. The last to take a slot are those that the cloud has
// none for.
func (d *Decision) judgeBy(api *profile.Profile, judged []Judged) {
	toAdd, _ := d.toAdd()
	over := d.Tags.Len() + toAdd - api.MaxTags

	for i := range slices.Backward(judged) {
		j := &judged[i]
		if j.Fate != Tagged {
			continue
		}

		j.Reason = api.Check(j.Key, j.Key, j.Value)
		if j.Reason == "" && over > 0 {
			j.Reason = profile.CountCap
		}

		if j.Reason != "" {
			j.Limit = api.Limit(j.Reason)
		}

		over--
	}
}

// judgeMade returns the records of the labels of a resource that keeps the tags that it was made with.
func (d *Decision) judgeMade() []Judged {
	all := d.Labels.all
	out := make([]Judged, len(all))

	for i := range all {
		out[i].Tag = &all[i].Tag
		if d.hasText(&all[i]) {
			out[i].Fate = Tagged
		}
	}

	return out
}

// lacksSlot reports whether the resource has no tag slot for the label.
func (j *Judged) lacksSlot() bool { return j.Fate == Skipped && j.Reason == profile.CountCap }
