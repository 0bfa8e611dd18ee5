package stamp

import (
	"github.com/plexsphere/function-cloud-tags/tags/tagset"
)

// copies are the tags that the metadata becomes that was copied to the tag field. It has less right
// than labels and removeTags, and never gets a reserved key.
func (d *Decision) copies() (out [][]tagset.Entry) {
	if d.Copies == nil {
		return nil
	}

	for of := range d.Copies.Tags() {
		e := &of[0]
		_, reserved := d.Labels.reserved(e)

		switch there := d.Tags.Find(e.ID); {
		case reserved || d.Labels.isProviders(e) || d.Labels.isClouds(e):
			d.notes.add(NoteCopyReserved, "", e.Key)
		case there != nil && there.Value.Equal(e.Value):
		case d.mayCopy(e):
			out = append(out, of)
		}
	}

	return out
}

// mayCopy is true if metadata may be copied to the tag field as the entry e.
func (d *Decision) mayCopy(e *tagset.Entry) bool {
	if len(d.Labels.labelsOf(e)) > 0 || d.rule(d.Labels.remove, e) != nil {
		return false
	}

	return d.Cloud == nil || !d.Cloud.Has(e.ID) || d.rule(d.Labels.ignore, e) == nil
}
