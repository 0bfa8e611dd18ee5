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

// A Result says which tags one resource gets, and why it doesn't get others.
type Result struct {
	// Resource is the name of the composed resource.
	Resource   string
	APIVersion string
	Kind       string

	// Provider is the name of the tag profile.
	Provider string

	// Unprofiled is why the tag profile is the generic one. It is set only if there are labels for the resource, and the
	// resource has a tag field.
	Unprofiled locate.Unprofiled

	// LeftAlone is why the resource is left alone, or empty if it isn't.
	LeftAlone string

	// NoFieldReason is why the resource has no tag field. It is set only if the resource is left alone for this reason, which
	// LeftAlone has in words.
	NoFieldReason locate.Reason

	// Mismatch is why the tag field is left alone, or empty if it isn't. Usually its value has another shape than the kind
	// wants.
	Mismatch string

	// Stamped is the resource with its tags, or the zero Object if nothing changes. It shares unchanged parts with the
	// desired resource.
	Stamped object.Object

	// PassesLabelsOn says that the resource is a composite resource, and that labels are handed on to it. Then the other
	// fields are about these labels instead of tags.
	PassesLabelsOn bool

	// Records has the records of tagged and withheld labels, sorted by fate and key. More is the number of withheld labels
	// without a record. The skipped labels are Skips of the Outcome.
	Records []Judged
	More    int

	// Notes have all other facts about the resource's tags.
	Notes Notes

	// Trusted has the tags with reserved keys that trusted sources have set, key to value.
	Trusted map[string]string

	// Final has the tags in the tag field after Crossplane has applied the resource, key to value. They come from labels,
	// earlier steps, other systems and other field managers. It is nil unless the input wants the tags in the status.
	Final map[string]string

	// Changes has the changes of tags when Crossplane applies the resource. It is set only if the Stamper audits.
	Changes Changes
}

// IsTagged reports whether any label is a tag of the resource.
func (r *Result) IsTagged() bool {
	return slices.ContainsFunc(r.Records, func(j Judged) bool { return j.Fate == Tagged })
}

// Keys returns the tag keys of the records with the fate: Tagged, Retained, Ignored or Removed. Records of other fates are not
// kept: see Skips of the Outcome.
func (r *Result) Keys(fate Fate) (keys []string) {
	for i := range r.Records {
		if r.Records[i].Fate == fate {
			keys = append(keys, r.Records[i].Key)
		}
	}

	return keys
}

// HasMoreThanSkips reports whether there is more to tell about the resource than skipped labels: a note, a mismatch, a withheld
// label, or why it is left alone.
func (r *Result) HasMoreThanSkips() bool {
	return r.LeftAlone != "" || r.Mismatch != "" || len(r.Notes) > 0 || slices.ContainsFunc(r.Records, Judged.Withheld)
}

// trimRecords drops the records of skipped labels, and the records of withheld labels beyond the first words.MaxNameCount of each fate.
// There can be thousands of labels on thousands of resources. If removeTags names 1,000 labels, words.MaxNameCount of their records
// stay, and More counts the others.
func (r *Result) trimRecords() {
	r.Notes.sort()

	slices.SortStableFunc(r.Records, func(a, b Judged) int { return cmp.Or(cmp.Compare(a.Fate, b.Fate), strings.Compare(a.Key, b.Key)) })
	records := slices.CompactFunc(r.Records, func(a, b Judged) bool { return a.Fate == b.Fate && a.Key == b.Key })
	var withheld [TakenAway + 1]int // The number of withheld labels by fate.

	r.Records = slices.Clone(slices.DeleteFunc(records, func(j Judged) bool {
		if !j.Withheld() {
			return j.Fate != Tagged
		}

		withheld[j.Fate]++
		tooMany := withheld[j.Fate] > words.MaxNameCount

		if tooMany {
			r.More++
		}

		return tooMany
	}))

	// Copies keep little memory. A pointer to one label of the resource would keep all of its labels.
	kept := make([]tags.Tag, len(r.Records))
	for i := range r.Records {
		kept[i] = *r.Records[i].Tag
		r.Records[i].Tag = &kept[i]
	}
}
