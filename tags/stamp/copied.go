package stamp

import (
	"github.com/plexsphere/function-cloud-tags/tags/tagset"
)

// tagsToCopy returns the tags that the field gets from kubernetesMetadata of the input, each with its entries. An example is team: a, a
// Kubernetes label of the XR. tagsToCopy leaves out team: a in these cases:
//   - The field has team: a already.
//   - team is a reserved key, or only the provider or the cloud sets it.
//   - mayCopy returns false, since a label has the key team, for example.
//
// See testdata/cases/copied.yaml.
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
