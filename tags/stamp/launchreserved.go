package stamp

import (
	"slices"

	"github.com/plexsphere/function-cloud-tags/tags/field"
	"github.com/plexsphere/function-cloud-tags/tags/locate"
	"github.com/plexsphere/function-cloud-tags/tags/object"
	"github.com/plexsphere/function-cloud-tags/tags/tagset"
)

// takeReserved takes tags with reserved keys from a field for launched resources that labels don't go to: volumeTags of
// an Instance whose block devices have tags.
func (l *launch) takeReserved(at *locate.LaunchedPlace) {
	if at.Of.Value == "" && at.Of.List.IsZero() {
		t := l.target.In(at, "", l.resource, l.target.Observed)
		l.add(l.planReserved(t, l.labels.in(t)))
	}
}

// noteReserved notes in p which tags with reserved keys stay in the field at the path, such as ebsBlockDevice[*].tags,
// although no trusted source set their values. Labels never go to this field. See
// testdata/cases/launched-reserved.yaml.
func (l *launch) noteReserved(p *plan, path object.Path) {
	var keys []string

	for v := range field.ValuesAt(l.resource, path) {
		f := field.Field{Path: path, Shape: field.Map, Key: "key", Value: "value"}
		if v.IsList() {
			f.Shape = field.KeyValueList
		}

		labels := l.labels.inField(&f, l.target.Profile)

		set, err := tagset.Read(v, &f, &labels.Keys)
		if err != nil {
			continue // There are no tags.
		}

		d := &Decision{State: &State{Labels: labels, Earlier: l.Earlier[p.Resource]}}

		for e := range set.All() {
			key, reserved := labels.reserved(e)
			i, has := labels.labelOf(e)
			trusted := has && labels.all[i].Reserved && tagset.IsText(e.Value, labels.all[i].Value)

			if reserved && !trusted && !d.trustedBefore(e) && !labels.setByProvider(e) {
				keys = append(keys, key)
			}
		}
	}

	if len(keys) > 0 {
		slices.Sort(keys)
		p.Notes = append(p.Notes, Note{Kind: NoteReservedLaunched, Keys: slices.Compact(keys), Field: path.String()})
	}
}
