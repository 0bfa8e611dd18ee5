package stamp

import (
	"cmp"
	"strconv"

	"github.com/crossplane/function-sdk-go/errors"

	"github.com/plexsphere/function-cloud-tags/tags"
	"github.com/plexsphere/function-cloud-tags/tags/tagset"
)

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
