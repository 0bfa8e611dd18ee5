package stamp

import (
	"github.com/plexsphere/function-cloud-tags/tags/field"
	"github.com/plexsphere/function-cloud-tags/tags/locate"
	"github.com/plexsphere/function-cloud-tags/tags/object"
	"github.com/plexsphere/function-cloud-tags/tags/tagset"
)

// removeReservedAt is for a field that gets no labels, such as volumeTags of an Instance whose block devices have tags of their own. It
// removes tags with reserved keys that an earlier step has set there without a trusted source. If the field is in the items of a list,
// removeReservedAt removes nothing. A switch, such as propagateTags, holds no tags.
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

	for v := range field.ValuesAt(fs.resourcePlan.stampedResource(), path) {
		keys = append(keys, fs.untrustedReservedKeys(path, v)...)
	}

	if len(keys) > 0 {
		fs.resourcePlan.Notes = append(fs.resourcePlan.Notes, Note{Kind: NoteReservedLaunched, Keys: keys, Field: path.String()})
	}
}

// untrustedReservedKeys returns the reserved keys of tags that no trusted source has set, in the value v of the field at the path. It
// returns owner for {env: prod, owner: me} if owner is a reserved key.
func (fs *fieldStamper) untrustedReservedKeys(path object.Path, v object.Node) (keys []string) {
	f := field.Field{Path: path, Shape: field.Map, Key: "key", Value: "value"}
	if v.IsList() {
		f.Shape = field.KeyValueList
	}

	labels := fs.labels.labelsForField(&f, fs.resourcePlan.target.Profile)

	set, err := tagset.Read(v, &f, &labels.Keys)
	if err != nil {
		return nil // The value has no tags.
	}

	// d is only for its method isEarlierTrusted, and decides nothing.
	d := &Decision{State: &State{Labels: labels, EarlierTrustedTags: fs.EarlierTrustedTags[fs.resourcePlan.Resource]}}

	for e := range set.All() {
		key, isReserved := labels.reservedKey(e)
		i, isLabel := labels.positionOf(e)
		isOfTrustedLabel := isLabel && labels.all[i].Reserved && tagset.IsText(e.Value, labels.all[i].Value) // Only trusted labels are Reserved.
		mayStay := isOfTrustedLabel || d.isEarlierTrusted(e) || labels.setByProvider(e)

		if isReserved && !mayStay {
			keys = append(keys, key)
		}
	}

	return keys
}
