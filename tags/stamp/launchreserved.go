package stamp

import (
	"github.com/plexsphere/function-cloud-tags/tags/field"
	"github.com/plexsphere/function-cloud-tags/tags/locate"
	"github.com/plexsphere/function-cloud-tags/tags/object"
	"github.com/plexsphere/function-cloud-tags/tags/tagset"
	"github.com/plexsphere/function-cloud-tags/tags/write"
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

// noteReserved is for a field that the function never writes, such as ebsBlockDevice[*].tags. The path may be zero. If tags with reserved keys stay in the field
// at the path, although no trusted source has set them, it adds NoteReservedLaunched to the resourcePlan. See
// testdata/cases/launched-reserved.yaml.
func (fs *fieldStamper) noteReserved(path object.Path) {
	if path.IsZero() {
		return
	}

	var keys []string

	for v := range field.ValuesAt(fs.resourcePlan.stampedResource(), path) {
		keys = append(keys, fs.untrustedReservedKeys(path, v)...)
	}

	if len(keys) > 0 {
		fs.resourcePlan.Notes = append(fs.resourcePlan.Notes, Note{Kind: NoteReservedLaunched, Keys: keys, Field: path.String()})
	}
}

// untrustedReservedKeys returns the reserved keys of tags that no trusted source gives, in the value v of the field at the path. It
// returns owner for {env: prod, owner: me} if owner is a reserved key.
func (fs *fieldStamper) untrustedReservedKeys(path object.Path, v object.Node) (keys []string) {
	f := field.Field{Layout: field.Layout{Shape: field.Map}, Path: path, Key: "key", Value: "value"}
	if v.IsList() {
		f.Shape = field.KeyValueList
	}

	s := State{Labels: fs.labels.labelsForField(&f, fs.resourcePlan.target.Profile), EarlierTrustedTags: fs.EarlierTrustedTags[fs.resourcePlan.Resource]}

	set, err := tagset.Read(v, &f, &s.Labels.Keys)
	if err != nil {
		return nil // The value has no tags.
	}

	for e := range set.All() {
		if key, isUntrusted := s.untrustedKey(e); isUntrusted {
			keys = append(keys, key)
		}
	}

	return keys
}

// planReserved returns a plan for a field that gets no labels, such as volumeTags of an Instance whose block devices have tags of their
// own. The plan is only about tags with reserved keys: see decideReserved. If owner is a reserved key, the plan takes owner: me away, or
// replaces it by the tag of a trusted label. It leaves env: prod.
func (s *Stamper) planReserved(t *locate.Target, l *Labels) *Plan {
	p := newPlan(t, l)

	set, _, err := desiredTags(t, l)
	if err != nil {
		return p // A field that can't be read is left alone.
	}

	state := &State{Target: t, Labels: l, Tags: set, EarlierTrustedTags: s.EarlierTrustedTags[t.Name]}
	_, takenAway := state.decideReserved()

	p.allRecords, p.Trusted = l.takenAwayRecords(takenAway), state.trustedTags()
	p.getsDecidedTags = true // Only the records of such plans are reported.

	if set.Changed() {
		p.Stamped, err = write.Field(t, &l.Keys, set)
	}

	p.recordMismatch(p.writeInitial(state, err)) // Without an error, there is no Mismatch.

	return p
}
