package stamp

import (
	"github.com/plexsphere/function-cloud-tags/tags/stamp/tagset"
)

// fillCopied gives free tag slots to the metadata that was copied to the tag field. It gets none
// for a key that labels or removeTags decide on, and never for a reserved one.
func (p *plan) fillCopied(free int) {
	if !p.target.Copies.IsThere() {
		return
	}

	set, err := tagset.Read(p.target.Copies, p.target.Field, &p.Keys)
	if err != nil {
		p.Mismatch = err.Error()
		return
	}

	var reserved, capped []string

	for of := range set.Tags() {
		e := &of[0]

		if p.isTaken(e) {
			reserved = append(reserved, e.Key)
			continue
		}

		if was := p.set.Find(e.ID); was != nil && tagset.SameValue(was.Value, e.Value) || !p.mayCopy(e) {
			continue
		}

		needs := p.grows(of)
		if !fits(needs, free) || !e.FitsIn(p.target.Field.Limits) {
			capped = append(capped, e.Key)
			continue
		}

		free -= max(needs, 0)
		p.set.Adopt(of)
	}

	p.note(NoteCopyReserved, reserved)
	p.note(NoteCopyCapped, capped)
}

// isTaken is true if e may be taken for a tag with a reserved key, or for one that the cloud or its
// providers keep to themselves.
func (p *plan) isTaken(e *tagset.Entry) bool {
	_, reserved := p.reserved(e)
	return reserved || p.isProviders(e) || p.isClouds(e)
}

// mayCopy is true if metadata may be copied to the tag field as the entry e.
func (p *plan) mayCopy(e *tagset.Entry) bool {
	if len(p.labelsOf(e)) > 0 || p.rule(p.remove, e) != nil {
		return false
	}

	return p.cloud == nil || !p.cloud.Has(e.ID) || p.rule(p.ignore, e) == nil
}
