package stamp

import "github.com/plexsphere/function-cloud-tags/tags/tagset"

// tagsToCopy returns the tags that the field gets from kubernetesMetadata of the input, each with its entries. An example is team: a, a
// Kubernetes label of the XR. tagsToCopy leaves out tags that mayCopy refuses. It also leaves out reserved keys, classifiers, and keys that only
// the provider or the cloud sets, and adds NoteCopyReserved for these. See testdata/cases/copied.yaml.
func (d *Decision) tagsToCopy() (out [][]tagset.Entry) {
	for entries := range d.CopiedTags.Tags() {
		e := &entries[0] // It stands for all entries: on Azure, zone and Zone are one tag.
		_, isForTrusted := d.Labels.keyForTrusted(e)
		othersSetKey := d.Labels.setByProvider(e) || d.Labels.belongsToCloud(e)

		if isForTrusted || othersSetKey || d.Labels.transformed.IsReserved(e.Key) {
			d.notes.add(NoteCopyReserved, e.Key)
		} else if d.mayCopy(e) {
			out = append(out, entries)
		}
	}

	return out
}

// mayCopy reports whether the field may get the copied entry e, such as backup: weekly. It may not in these cases:
//   - The field has backup: weekly already.
//   - A label has the key backup.
//   - removeTags names backup.
//   - ignoreTags names backup, and the cloud has backup: daily.
func (d *Decision) mayCopy(e *tagset.Entry) bool {
	present := d.Tags.Find(e.ID)
	isPresent := present != nil && present.Value.Equal(e.Value)

	if isPresent || len(d.Labels.positionsOf(e)) > 0 || d.firstMatching(d.Labels.removeMatchers, e) != nil {
		return false
	}

	return !d.CloudTags.Has(e.ID) || d.firstMatching(d.Labels.ignoreMatchers, e) == nil
}
