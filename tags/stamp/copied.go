package stamp

import (
	"github.com/plexsphere/function-cloud-tags/tags/stamp/tagset"
)

// copies are the tags that the metadata becomes that was copied to the tag field. It has less right
// than labels and removeTags, and never gets a reserved key.
func (p *plan) copies() (out [][]tagset.Entry) {
	if !p.target.Copies.IsThere() {
		return nil
	}

	set, err := tagset.Read(p.target.Copies, p.target.Field, &p.Keys)
	if err != nil {
		p.Mismatch = err.Error()
		return nil
	}

	var reserved []string

	for of := range set.Tags() {
		e := &of[0]

		switch was := p.set.Find(e.ID); {
		case p.isTaken(e):
			reserved = append(reserved, e.Key)
		case was != nil && tagset.SameValue(was.Value, e.Value): // It is there.
		case p.mayCopy(e):
			out = append(out, of)
		}
	}

	p.note(NoteCopyReserved, reserved)

	return out
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
