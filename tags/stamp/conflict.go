package stamp

import (
	"cmp"
	"strconv"

	"github.com/crossplane/function-sdk-go/errors"

	"github.com/plexsphere/function-cloud-tags/tags"
	"github.com/plexsphere/function-cloud-tags/tags/tagset"
)

// failsOnConflict reports whether an existing tag with the label's key fails the run, since the label's source has onConflict Error
// (tags.Fail). If the desired resource already has the tags of this step (AlreadyStamped), it returns false: the tag may be the label's
// own.
func (d *Decision) failsOnConflict(l *tags.Judged) bool {
	return l.OnConflict() == tags.Fail && !d.AlreadyStamped
}

// conflictOf returns an error if the label at position i has onConflict Error, and somebody else has set its tag to another value, in the
// tag field or in the cloud. For example, the label owner: team-a conflicts with owner: team-b of kubectl edit. Tags that Crossplane has
// applied don't conflict. See testdata/cases/error-of-cloud.yaml.
func (d *Decision) conflictOf(i int) error {
	l := &d.Labels.all[i]
	if l.Reserved || !d.failsOnConflict(l) {
		return nil // A label with a reserved key is trusted, and replaces any tag.
	}

	id := d.Labels.entries[i].ID

	if first := d.ObservedTags.Find(id); first != nil {
		for e := range d.ObservedTags.EntriesWith(id) {
			// There is no conflict if any entry is the label's tag already, or is Crossplane's.
			if tagset.IsText(e.Value, l.Value) || d.Target.Owners().Of(&e).Ours {
				return nil
			}
		}

		return errors.Errorf("the field manager %s has set the %s %q to %s, and %s with onConflict Error has the value %q for it",
			cmp.Or(d.Target.Owners().Of(first).Manager, "(none)"), d.Labels.Profile.Noun(), l.Key, quotedValue(first), l.Source.Name, l.Value)
	}

	t, e := d.Target, d.CloudTags.Find(id)
	if e == nil || tagset.IsText(e.Value, l.Value) {
		return nil
	}

	// The provider may report an old tag of Crossplane that the cloud has lost. But if the resource was imported, and Crossplane has never
	// tagged it, the tag is somebody else's.
	if t.MayReportDeletedTags() && !isImportedUntagged(t) {
		return nil
	}

	return errors.Errorf("the cloud has the tag %q at %s, and %s with onConflict Error has the value %q for it",
		l.Key, quotedValue(e), l.Source.Name, l.Value)
}

// quotedValue returns the value of the tag e for messages: "prod" with quotes for a string, and the kind of any other value, such as
// list.
func quotedValue(e *tagset.Entry) string {
	if e.Value.IsString() {
		return strconv.Quote(e.Value.Text())
	}

	return e.Value.Kind()
}
