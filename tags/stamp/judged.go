package stamp

import (
	"slices"

	"github.com/plexsphere/function-cloud-tags/tags"
	"github.com/plexsphere/function-cloud-tags/tags/profile"
	"github.com/plexsphere/function-cloud-tags/tags/resolve"
	"github.com/plexsphere/function-cloud-tags/tags/tagset"
	"github.com/plexsphere/function-cloud-tags/tags/words"
)

// A Fate says what has become of a label on one resource.
type Fate uint8

const (
	// Undecided labels have no decision yet. After all decisions, such a label is missing on a resource that keeps its
	// first tags.
	Undecided Fate = iota

	// Tagged labels are tags.
	Tagged

	// Skipped labels are no tags, for a SkipReason such as count-cap.
	Skipped

	// Retained tags have the value that an earlier step set.
	Retained

	// Ignored tags have the value of the cloud, by ignoreTags.
	Ignored

	// Removed tags are not there, by removeTags.
	Removed

	// TakenAway tags were set by an earlier step, but only labels of trusted sources may have their keys.
	TakenAway
)

// Judged is the record of one label on one resource. All messages about the label on the resource come from this record. The label
// env: prod has the fate Tagged and the key plexsphere:env. A tag that is taken away has a record, too.
type Judged struct {
	*tags.Tag

	Fate Fate

	// IsThere says that the tag was there with the label's value before anything was decided. Only Look sets it.
	IsThere bool

	// namesResource reports whether messages name this resource: other resources with the tag profile may have the label as a
	// tag.
	namesResource bool

	// Reason and Limit say why the label is skipped, such as count-cap and "at most 50 tags on a resource". For a
	// tagged label, they say why the cloud's own API refuses the tag, though the input's profileRules admit it.
	Reason profile.SkipReason
	Limit  string

	// NamedBy is the entry of removeTags that removes the tag, or else the first entry of ignoreTags that names the
	// tag. Only Look and Preview set it.
	NamedBy *resolve.TagPattern
}

// skippedByProfile returns the record of a label that the profile p skips.
func skippedByProfile(r *tags.SkippedTag, p *profile.Profile) Judged {
	return Judged{Tag: &r.Tag, Fate: Skipped, Reason: r.Reason, Limit: limitOf(r, p), namesResource: p.Narrow}
}

// takenAway says why an earlier step's tag with a reserved key has gone.
const takenAway = "an earlier step set it, and only a source with trusted: true may"

// limitOf returns the limit of the profile that the label breaks, in a few words: at most 128 characters.
func limitOf(r *tags.SkippedTag, p *profile.Profile) string {
	switch {
	case r.Winner != "":
		return words.Name(r.Winner) + " has the same tag key"
	case r.Reason == profile.ReservedKey && tags.ProvidersKeySet().Has(r.Key) && !p.PassesLabelsOn:
		return "only the provider sets it"
	default:
		return p.Limit(r.Reason)
	}
}

// undecided returns the records of all labels that can be tags, in the order in which they take tag slots.
func (l *Labels) undecided() []Judged {
	out := make([]Judged, len(l.all), len(l.all)+len(l.unfit))
	for i := range out {
		out[i] = Judged{Tag: &l.all[i].Tag, namesResource: true}
	}

	return out
}

// judge completes the records of labels. A label without a decision is Skipped for count-cap. Labels that the field
// can't hold follow, and then the tags that are taken away, such as the reserved owner: me of an earlier step. The api
// is the profile of the cloud's own API, or nil if the API refuses no other tag.
func (d *Decision) judge(api *profile.Profile) []Judged {
	limit := ""

	for i := range d.judged {
		switch j := &d.judged[i]; {
		case j.Fate == Undecided:
			if limit == "" {
				limit = d.limitText()
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
	if out != nil { // It is nil if only reserved keys are decided on.
		out = append(out, d.Labels.unfit...)
	}

	for _, key := range d.takenAwayKeys {
		t := &tags.Tag{Label: tags.Label{QualifiedKey: d.Labels.transformed.QualifiedKey(key)}, Key: key}
		out = append(out, Judged{Tag: t, Fate: TakenAway, Reason: profile.ReservedKey, Limit: takenAway, namesResource: true})
	}

	return out
}

// judgeBy records which tags the API of the cloud refuses. If a resource has 4 tags and the API admits 3, it refuses
// the last tag to take a slot, for count-cap. It refuses both of Owner and owner if it compares keys without case.
func (d *Decision) judgeBy(api *profile.Profile) {
	toAdd, _ := d.missingProviderTags()
	over := d.Tags.Len() + toAdd - api.MaxTags
	same := api.SameKeys(d.Tags.Keys())

	for i := range slices.Backward(d.judged) {
		j := &d.judged[i]
		if j.Fate != Tagged {
			continue
		}

		j.Reason = api.Check(j.Key, j.Key, j.Value)

		switch {
		case j.Reason != "":
		case same[j.Key]:
			j.Reason = profile.KeyCollision
		case over > 0:
			j.Reason = profile.CountCap
		}

		if j.Reason != "" {
			j.Limit = api.Limit(j.Reason)
		}

		over--
	}
}

// judgeMade completes the records of labels on a resource that keeps its first tags.
func (d *Decision) judgeMade() []Judged {
	for i := range d.judged {
		if d.hasText(i) {
			d.judged[i].Fate = Tagged
		}
	}

	return d.judged
}

// hasText reports whether the field has the tag of the label at position i with the label's value. Two labels can have
// one string of a list, such as a=b=c with the keys a and a=b. Then the tag of one of them is found.
func (d *Decision) hasText(i int) bool {
	l := &d.Labels.all[i]
	e := d.Tags.Find(l.entry.ID)

	return e != nil && tagset.IsText(e.Value, l.Value)
}

// Withheld reports whether an earlier step, another system or removeTags decides on the tag of the label.
func (j Judged) Withheld() bool { return j.Fate == Retained || j.Fate == Ignored || j.Fate == Removed }

// lacksSlot reports whether the resource has no tag slot for the label.
func (j Judged) lacksSlot() bool { return j.Fate == Skipped && j.Reason == profile.CountCap }
