package stamp

import (
	"github.com/plexsphere/function-cloud-tags/tags/tagset"
)

// tagsToCopy returns the entries of each tag that kubernetesMetadata copied to the tag field, and that may be a tag. The copy team: a
// may not be one if a label has the key team, if removeTags names team, or if team is a reserved key. See testdata/cases/copied.yaml.
func (d *Decision) tagsToCopy() (out [][]tagset.Entry) {
	if d.Copies == nil {
		return nil
	}

	for entries := range d.Copies.Tags() {
		e := &entries[0]
		_, isReserved := d.Labels.reservedKey(e)
		isForOthers := d.Labels.setByProvider(e) || d.Labels.belongsToCloud(e)

		switch present := d.Tags.Find(e.ID); {
		case isReserved || isForOthers:
			d.notes.add(NoteCopyReserved, e.Key)
		case present != nil && present.Value.Equal(e.Value): // An earlier step desires the tag.
		case d.mayCopy(e):
			out = append(out, entries)
		}
	}

	return out
}

// mayCopy reports whether the copied entry e may be a tag: no label has its key, removeTags doesn't name it, and ignoreTags gives it no
// value of the cloud.
func (d *Decision) mayCopy(e *tagset.Entry) bool {
	if len(d.Labels.positionsOf(e)) > 0 || d.firstMatching(d.Labels.removeMatchers, e) != nil {
		return false
	}

	return !d.isInCloud(e) || d.firstMatching(d.Labels.ignoreMatchers, e) == nil
}
