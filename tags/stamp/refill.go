package stamp

import (
	"cmp"
	"slices"
	"strings"

	"github.com/plexsphere/function-cloud-tags/tags/tagset"
	"github.com/plexsphere/function-cloud-tags/tags/write"
)

// keepLastTag keeps one observed tag if no tag is desired, and Crossplane owns all observed tags. In two cases, the API server would make
// null of an empty object, and then refuse the resource in each run, and two runs (see package write) can't help:
//   - Another field manager owns the field itself, as {"f:tags": {}}, but no tag in it, so the field would stay without tags. For example,
//     a provider first wrote a tag there. Then a label replaced this tag, and now the label is gone. The note is NoteLeftover.
//   - The tag field is the only field of its parent, and earlier steps desire the parent, such as spec.forProvider: {}. Without the field,
//     the parent would be empty. The note is NoteLastKept.
//
// Tags of an atomic field have no owners of their own, and package write keeps such a field without tags. The two cases are Held and Only
// in testdata/cases/refilled.yaml.
func (p *Plan) keepLastTag() {
	t, keys := p.target, &p.labels.Keys
	if p.decision.Tags.FieldLen() > 0 || t.Owners().Atomic || !write.OwnedByCrossplane(t, keys) {
		return
	}

	note, manager := NoteLeftover, t.Owners().HeldBy

	if manager == "" { // No other field manager owns the tag field.
		if !write.IsOnlyFieldOfParent(t) {
			return
		}

		note = NoteLastKept
	}

	byID := func(a, b *tagset.Entry) int { return strings.Compare(a.ID, b.ID) }
	observed := slices.SortedStableFunc(t.ReadTags(t.ObservedValue, keys).All(), byID)

	firstUnreserved := slices.IndexFunc(observed, func(e *tagset.Entry) bool {
		_, isReserved := p.labels.reservedKey(e)
		return !isReserved
	})

	kept := observed[max(firstUnreserved, 0)] // If all tags have reserved keys, the index is -1, and the first tag stays.
	p.decision.Tags.Put(kept)
	p.Notes.addOwned(note, manager, cmp.Or(kept.Key, kept.String()))
}

// noteLastTag adds NoteLastStays if the last tag stays in the cloud. There are two cases:
//   - The provider fills even an empty field with the cloud's tags, or doesn't tell the cloud of an empty field (LastStays).
//   - The schema admits no empty field, so the field is removed, and the provider fills a missing field.
func (p *Plan) noteLastTag() {
	t, keys := p.target, &p.labels.Keys

	lastStays := t.Field.LastStays || t.Field.LateInit && write.SchemaRefusesEmpty(t)
	getsNoTags := p.LeftAlone == "" && p.decision.Tags.FieldLen() == 0

	// The cloud can have a last tag only if the status reports one, or the tag field had one.
	if lastStays && getsNoTags && (t.HasOtherTags(t.ReportedTags(keys)) || write.WasTagged(t, keys)) {
		p.Notes = append(p.Notes, Note{Kind: NoteLastStays})
	}
}
