package stamp

import (
	"github.com/plexsphere/function-cloud-tags/tags/field"
	"github.com/plexsphere/function-cloud-tags/tags/locate"
	"github.com/plexsphere/function-cloud-tags/tags/object"
	"github.com/plexsphere/function-cloud-tags/tags/tagset"
)

// removeReservedAt is for a field that gets no labels, such as volumeTags of an Instance whose block devices have tags of their own. It
// removes tags with reserved keys that an earlier step has set there without a trusted source. If the field is in the items of a list,
// removeReservedAt removes nothing. A switch holds no tags: see switchOn.
func (fs *fieldStamper) removeReservedAt(place *locate.LaunchedPlace) {
	if !place.LaunchedField.IsSwitch() && !place.LaunchedField.IsInList() {
		t := fs.targetAt(place)
		fs.apply(fs.planReserved(t, fs.labels.labelsFor(t)))
	}
}

// noteReserved is for a field that the function never writes, such as ebsBlockDevice[*].tags. If tags with reserved keys stay in the field
// at the path, although no trusted source has set them, it adds NoteReservedLaunched to the resourcePlan. See
// testdata/cases/launched-reserved.yaml.
func (fs *fieldStamper) noteReserved(path object.Path) {
	var keys []string

	p := fs.resourcePlan

	for v := range field.ValuesAt(p.stampedResource(), path) {
		f := field.Field{Path: path, Shape: field.Map, Key: "key", Value: "value"}
		if v.IsList() {
			f.Shape = field.KeyValueList
		}

		labels := fs.labels.labelsForField(&f, p.target.Profile)

		set, err := tagset.Read(v, &f, &labels.Keys)
		if err != nil {
			continue // The value has no tags.
		}

		// This Decision decides nothing. keepEarlierTrusted needs it.
		d := &Decision{State: &State{Labels: labels, EarlierTrustedTags: fs.EarlierTrustedTags[p.Resource]}}

		for e := range set.All() {
			key, isReserved := labels.reservedKey(e)
			i, isLabel := labels.positionOf(e)
			// Only trusted labels are Reserved.
			isTagOfTrusted := isLabel && labels.all[i].Reserved && tagset.IsText(e.Value, labels.all[i].Value)
			mayStay := isTagOfTrusted || d.keepEarlierTrusted(e) || labels.setByProvider(e)

			if isReserved && !mayStay {
				keys = append(keys, key)
			}
		}
	}

	if len(keys) > 0 {
		p.Notes = append(p.Notes, Note{Kind: NoteReservedLaunched, Keys: keys, Field: path.String()})
	}
}
