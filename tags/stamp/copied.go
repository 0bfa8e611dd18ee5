package stamp

import (
	"github.com/plexsphere/function-cloud-tags/tags/tagset"
)

// copies returns those tags that kubernetesMetadata copied to the tag field, and that may stay. A copy of team: a doesn't stay if a
// label has the key team, if removeTags names it, or if the key is reserved. See testdata/cases/copied.yaml.
func (d *Decision) copies() (out [][]tagset.Entry) {
	if d.Copies == nil {
		return nil
	}

	for entries := range d.Copies.Tags() {
		e := &entries[0]
		_, reserved := d.Labels.reservedKey(e)

		switch present := d.Tags.Find(e.ID); {
		case reserved || d.Labels.setByProvider(e) || d.Labels.belongsToCloud(e):
			d.notes.add(NoteCopyReserved, "", e.Key)
		case present != nil && present.Value.Equal(e.Value):
		case d.mayCopy(e):
			out = append(out, entries)
		}
	}

	return out
}

// mayCopy reports whether the entry e of the copied metadata may be a tag: no label has its key, and neither removeTags
// nor ignoreTags names it.
func (d *Decision) mayCopy(e *tagset.Entry) bool {
	if len(d.Labels.positionsOf(e)) > 0 || d.matching(d.Labels.removeMatchers, e) != nil {
		return false
	}

	return d.Cloud == nil || !d.Cloud.Has(e.ID) || d.matching(d.Labels.ignoreMatchers, e) == nil
}
