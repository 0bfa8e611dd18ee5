package stamp

import (
	"cmp"
	"slices"
	"strings"

	"github.com/plexsphere/function-cloud-tags/tags"
	"github.com/plexsphere/function-cloud-tags/tags/locate"
	"github.com/plexsphere/function-cloud-tags/tags/object"
	"github.com/plexsphere/function-cloud-tags/tags/words"
)

// A Result says which tags one resource gets, and why it doesn't get other tags.
type Result struct {
	// Resource is the name of the composed resource.
	Resource   string
	APIVersion string
	Kind       string

	// Provider is the name of the tag profile.
	Provider string

	// Unprofiled says why the tag profile is the generic one. It is set only if there are labels for the resource, and the resource has a
	// tag field.
	Unprofiled locate.WhyGeneric

	// LeftAlone says why the resource is left alone. It is empty if the resource is not left alone.
	LeftAlone string

	// NoFieldReason says why the resource has no tag field, and LeftAlone says the same in words. If the resource has a tag field,
	// NoFieldReason is empty.
	NoFieldReason locate.Reason

	// Mismatch says why the tag field is left alone, or why it gets no copied metadata: the field has a list where the kind wants a map, for
	// example. Without such a reason, Mismatch is empty.
	Mismatch string

	// Stamped is the resource with its tags, or the zero Object if nothing changes. It shares unchanged parts with the desired resource.
	Stamped object.Object

	// HandsLabelsOn reports whether the resource is a composite resource that gets labels instead of tags, to hand them on: its own
	// Composition makes tags of them. Then all fields of the Result are about these labels.
	HandsLabelsOn bool

	// Records has the first records of Tagged labels and withheld labels, sorted by fate and key. A label is withheld if it is Retained,
	// Ignored or Removed. More is the number of withheld labels without a record. Skipped labels are in Skips of the Outcome instead.
	Records []tags.Judged
	More    int

	// Notes have all other facts about the resource's tags.
	Notes Notes

	// Trusted has the tags that trusted sources give, key to value: see trustedTags.
	Trusted map[string]string

	// Final has the tags in the tag field after Crossplane has applied the resource, key to value. They come from labels, earlier steps,
	// other systems and other field managers. Final is nil unless the input wants the tags in the status.
	Final map[string]string

	// Changes has the changes of tags when Crossplane applies the resource. It is set only if the Stamper audits.
	Changes Changes
}

// IsTagged reports whether any label is a tag of the resource.
func (r *Result) IsTagged() bool {
	return slices.ContainsFunc(r.Records, func(record tags.Judged) bool { return record.Fate == tags.Tagged })
}

// Keys returns the tag keys of the Records with the fate: Tagged, Retained, Ignored or Removed.
func (r *Result) Keys(fate tags.Fate) []string {
	return words.MapIf(r.Records, func(record tags.Judged) (string, bool) { return record.Key, record.Fate == fate })
}

// trim sorts the records, and drops most of them, since there can be thousands of labels on thousands of resources:
//   - Of records with the same fate and key, one stays.
//   - The first words.MaxNameCount records of Tagged and withheld labels stay for each fate. If removeTags names 1,000 labels,
//     words.MaxNameCount of their records stay. More counts the other withheld labels.
//   - All other records go.
//
// trim also sorts the notes, and drops most of the Changes.
func (r *Result) trim() {
	r.Notes.sort()
	r.Changes.trim()

	slices.SortStableFunc(r.Records, func(a, b tags.Judged) int { return cmp.Or(cmp.Compare(a.Fate, b.Fate), strings.Compare(a.Key, b.Key)) })
	records := slices.CompactFunc(r.Records, func(a, b tags.Judged) bool { return a.Fate == b.Fate && a.Key == b.Key })
	countByFate := [tags.TakenAway + 1]int{} // TakenAway is the last Fate.
	kept := records[:0]

	for _, record := range records {
		countByFate[record.Fate]++

		switch isTold := record.Fate == tags.Tagged || record.Withheld(); {
		case isTold && countByFate[record.Fate] <= words.MaxNameCount:
			kept = append(kept, record)
		case record.Withheld():
			r.More++
		}
	}

	r.Records = slices.Clone(kept)
}

// copyTags gives the records copies of their tags. With a pointer into the list of all tags of the resource, the result would keep the
// whole list.
func (r *Result) copyTags() {
	copies := make([]tags.Tag, len(r.Records))
	for i := range r.Records {
		copies[i] = *r.Records[i].Tag
		r.Records[i].Tag = &copies[i]
	}
}
