package stamp

import (
	"cmp"
	"slices"
	"strconv"

	"github.com/crossplane/function-sdk-go/errors"

	"github.com/plexsphere/function-cloud-tags/tags"
	"github.com/plexsphere/function-cloud-tags/tags/tagset"
)

// isOthers is true if another field manager has the entry e in the observed field, where it stays,
// and the resource doesn't desire it yet. The desired entry would take its place.
func (d *Decision) isOthers(e *tagset.Entry) bool {
	others := d.others()
	return others != nil && others.Holds(e) && !d.Tags.Holds(e)
}

// replaceOthers puts the labels whose tags others own: they take no slot.
func (d *Decision) replaceOthers() error {
	others := d.others()
	if others == nil {
		return nil
	}

	var positions []int

	for e := range others.All() {
		if i, ok := d.Labels.labelOf(e); ok {
			positions = append(positions, i)
		}
	}

	slices.Sort(positions)

	for _, i := range positions {
		if d.judged[i].Fate != Undecided || d.needs(i) > 0 {
			continue
		}

		if err := d.putMissing(i); err != nil {
			return err
		}
	}

	return nil
}

// refuses reports whether the source of the label accepts no tag of an earlier step with the key of the label.
func (d *Decision) refuses(l *fieldLabel) bool {
	return l.OnConflict() == tags.Refuse && !d.Rendered
}

// overwrites returns an error if the label at position i is of a source that accepts no other
// value, and its tag is there at another one, which Crossplane has never applied.
func (d *Decision) overwrites(i int) error {
	l := &d.Labels.all[i]
	if l.Reserved || !d.refuses(l) {
		return nil
	}

	id := l.entry.ID

	if d.Observed != nil && d.Observed.Has(id) {
		for e := range d.Observed.With(id) {
			if tagset.IsText(e.Value, l.Value) || d.Owners.Of(&e).Ours {
				return nil
			}
		}

		e := d.Observed.Find(id)

		return errors.Errorf("the field manager %s has set the %s %q to %s, and %s with onConflict Error has the value %q for it",
			cmp.Or(d.Owners.Of(e).Manager, "(none)"), d.Labels.Profile.Noun(), l.Key, quote(e), l.Source.Name, l.Value)
	}

	if d.Cloud == nil || d.Outdated {
		return nil
	}

	e := d.Cloud.Find(id)
	if e == nil || tagset.IsText(e.Value, l.Value) {
		return nil
	}

	return errors.Errorf("the cloud has the tag %q at %s, and %s with onConflict Error has the value %q for it",
		l.Key, quote(e), l.Source.Name, l.Value)
}

// quote puts the value of a tag for messages.
func quote(e *tagset.Entry) string {
	if e.Value.IsString() {
		return strconv.Quote(e.Value.Text())
	}

	return e.Value.Kind()
}
