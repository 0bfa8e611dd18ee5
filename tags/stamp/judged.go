package stamp

import (
	"slices"

	"github.com/plexsphere/function-cloud-tags/tags"
	"github.com/plexsphere/function-cloud-tags/tags/profile"
	"github.com/plexsphere/function-cloud-tags/tags/resolve"
	"github.com/plexsphere/function-cloud-tags/tags/tagset"
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

	// IsThere reports whether the tag was there at the label's value before anything was decided. Only Look looks.
	IsThere bool

	// single reports that other resources with the tag profile need not skip the label, so that messages name this one.
	single bool

	// claims reports that the profile refuses the label since only trusted sources may set its key.
	claims bool

	// Reason and Limit say why the label is skipped, such as count-cap and "at most 50 tags on a resource". For a tagged
	// label they say why the cloud's own API refuses the tag, though the rules of the input admit it.
	Reason profile.SkipReason
	Limit  string

	// Rule is the entry of removeTags that removes the tag, or else the first entry of ignoreTags that names it. Only Look
	// and Preview look for the rule.
	Rule *resolve.TagKey
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

// undecided returns the records of all labels that can be tags, in the order in which they take tag slots.
func (l *Labels) undecided() []Judged {
	out := make([]Judged, len(l.all), len(l.all)+len(l.unfit))
	for i := range out {
		out[i] = Judged{Tag: &l.all[i].Tag, single: true}
	}

	return out
}

// judge completes the records of labels: a label without a decision has no tag slot. Labels that no such tag field can
// have come last, and then the tags that are taken away. The api is the profile of the cloud's own API, or nil if that
// refuses nothing else.
func (d *Decision) judge(api *profile.Profile) []Judged {
	limit := ""

	for i := range d.judged {
		switch j := &d.judged[i]; {
		case j.Fate == Undecided:
			if limit == "" {
				limit = d.limit()
			}

			j.Fate, j.Reason, j.Limit = Skipped, profile.CountCap, limit
		case d.hasText(i):
			j.Fate = Tagged
		}
	}

	if api != nil {
		d.judgeBy(api)
	}

	out := d.judged
	if out != nil { // Otherwise nothing but reserved keys is decided on.
		out = append(out, d.Labels.unfit...)
	}

	for _, key := range d.taken {
		t := &tags.Tag{Label: tags.Label{QualifiedKey: d.Labels.transformed.QualifiedKey(key)}, Key: key}
		out = append(out, Judged{Tag: t, Fate: TakenAway, Reason: profile.ReservedKey, Limit: takenAway, single: true})
	}

	return out
}

// judgeBy says in the records which tags the API of the cloud refuses. The last to take a slot are those that the cloud has
// none for.
func (d *Decision) judgeBy(api *profile.Profile) {
	toAdd, _ := d.toAdd()
	over := d.Tags.Len() + toAdd - api.MaxTags

	for i := range slices.Backward(d.judged) {
		j := &d.judged[i]
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

// judgeMade completes the records of the labels of a resource that keeps the tags that it was made with.
func (d *Decision) judgeMade() []Judged {
	for i := range d.judged {
		if d.hasText(i) {
			d.judged[i].Fate = Tagged
		}
	}

	return d.judged
}

// hasText reports whether the field has a tag of the label at position i with the label's value. Two tags can come to one
// string of a list, and only one key be found then.
func (d *Decision) hasText(i int) bool {
	l := &d.Labels.all[i]
	e := d.Tags.Find(l.entry.ID)

	return e != nil && tagset.IsText(e.Value, l.Value)
}

// Withheld reports whether the label has a tag that is as an earlier step, another system or removeTags wants it.
func (j Judged) Withheld() bool { return j.Fate == Retained || j.Fate == Ignored || j.Fate == Removed }

// lacksSlot reports whether the resource has no tag slot for the label.
func (j *Judged) lacksSlot() bool { return j.Fate == Skipped && j.Reason == profile.CountCap }
