package stamp

import (
	"github.com/plexsphere/function-cloud-tags/tags/tagset"
)

// copies returns the tags of the metadata that kubernetesMetadata copied to the tag field. A copy of team: a is no tag
// if a label has the key team, or if removeTags names it, and a copy never has a reserved key. See
// testdata/cases/copied.yaml.
func (d *Decision) copies() (out [][]tagset.Entry) {
	if d.Copies == nil {
		return nil
	}

	for entries := range d.Copies.Tags() {
		e := &entries[0]
		_, reserved := d.Labels.reserved(e)

		switch there := d.Tags.Find(e.ID); {
		case reserved || d.Labels.setByProvider(e) || d.Labels.keptByCloud(e):
			d.notes.add(NoteCopyReserved, "", e.Key)
		case there != nil && there.Value.Equal(e.Value):
		case d.mayCopy(e):
			out = append(out, entries)
		}
	}

	return out
}

// mayCopy reports whether the entry e of the copied metadata may be a tag: no label has its key, and neither removeTags
// nor ignoreTags names it.
func (d *Decision) mayCopy(e *tagset.Entry) bool {
	if len(d.Labels.labelsOf(e)) > 0 || d.matching(d.Labels.remove, e) != nil {
		return false
	}

	return d.Cloud == nil || !d.Cloud.Has(e.ID) || d.matching(d.Labels.ignore, e) == nil
}
