package stamp

import (
	"github.com/plexsphere/function-cloud-tags/tags/tagset"
)

// tagsToCopy returns the entries of each tag that the tag field gets from kubernetesMetadata of the input, such as the XR's Kubernetes
// label team: a. It leaves out team: a if a label has the key team, if removeTags names team, or if team is a reserved key. See
// testdata/cases/copied.yaml.
func (d *Decision) tagsToCopy() (out [][]tagset.Entry) {
	for entries := range d.CopiedTags.Tags() {
		e := &entries[0] // On Azure, zone and Zone are entries of one tag.
		_, isReserved := d.Labels.reservedKey(e)
		othersSetKey := d.Labels.setByProvider(e) || d.Labels.belongsToCloud(e)

		switch present := d.Tags.Find(e.ID); {
		case isReserved || othersSetKey:
			d.notes.add(NoteCopyReserved, e.Key)
		case present != nil && present.Value.Equal(e.Value): // The field has the tag already.
		case d.mayCopy(e):
			out = append(out, entries)
		}
	}

	return out
}

// mayCopy reports whether the field may get the copied entry e, such as backup: weekly. It may not in these cases:
//   - A label has the key backup.
//   - removeTags names backup.
//   - ignoreTags names backup, and the cloud has backup: daily.
func (d *Decision) mayCopy(e *tagset.Entry) bool {
	if len(d.Labels.positionsOf(e)) > 0 || d.firstMatching(d.Labels.removeMatchers, e) != nil {
		return false
	}

	return !d.CloudTags.Has(e.ID) || d.firstMatching(d.Labels.ignoreMatchers, e) == nil
}
