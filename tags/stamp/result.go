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

// A Result says what has become of one resource.
type Result struct {
	// Resource is the name of the composed resource.
	Resource   string
	APIVersion string
	Kind       string

	// Provider is the name of the tag profile.
	Provider string

	// Unprofiled is why the tag profile is the generic one, if there are labels for the resource and it has a tag
	// field.
	Unprofiled locate.Unprofiled

	// LeftAlone is why the resource is left alone, or empty if it isn't.
	LeftAlone string

	// Lacks is why there is no tag field, if the resource is left alone because of this. LeftAlone says it in words.
	Lacks locate.Reason

	// Mismatch is why the tag field is left alone, or empty if it isn't: it has another shape than its kind says.
	Mismatch string

	// Stamped is the resource with its tags, or zero if it doesn't change. Unchanged parts are shared with the desired
	// resource.
	Stamped object.Object

	// HandsOn says that labels are handed on to the resource, a composite one. Then the other fields are about labels
	// instead of tags.
	HandsOn bool

	// Records of tagged and withheld labels, by fate and key. More is how many withheld labels have none. The skipped labels
	// are Skips of the Outcome.
	Records []Judged
	More    int

	// Notes have all other facts about the resource's tags.
	Notes Notes

	// Trusted are the tags of labels of trusted sources with reserved keys, by key.
	Trusted map[string]string

	// Final are the tags that the tag field has in the end, by key: tags of labels, earlier steps, other systems and
	// other field managers. It is nil unless the input wants the tags in the status.
	Final map[string]string

	// Changes of tags once Crossplane applies the resource, if the Stamper audits.
	Changes Changes
}

// IsTagged reports whether any label is a tag of the resource.
func (r *Result) IsTagged() bool {
	return slices.ContainsFunc(r.Records, func(j Judged) bool { return j.Fate == Tagged })
}

// Keys returns the tag keys of the labels with the fate.
func (r *Result) Keys(fate Fate) (keys []string) {
	for i := range r.Records {
		if r.Records[i].Fate == fate {
			keys = append(keys, r.Records[i].Key)
		}
	}

	return keys
}

// HasNews reports whether there is anything to say about the resource besides its skipped labels.
func (r *Result) HasNews() bool {
	return r.LeftAlone != "" || r.Mismatch != "" || len(r.Notes) > 0 || slices.ContainsFunc(r.Records, Judged.Withheld)
}

// keep drops the records of skipped labels, and of withheld labels beyond the first: labels and resources can both be
// thousands. If removeTags names 1,000 labels, MaxNamed of their records stay, and More counts the others.
func (r *Result) keep() {
	r.Notes.sort()

	slices.SortStableFunc(r.Records, func(a, b Judged) int { return cmp.Or(cmp.Compare(a.Fate, b.Fate), strings.Compare(a.Key, b.Key)) })
	labels := slices.CompactFunc(r.Records, func(a, b Judged) bool { return a.Fate == b.Fate && a.Key == b.Key })
	var withheld [TakenAway + 1]int // By fate.

	r.Records = slices.Clone(slices.DeleteFunc(labels, func(j Judged) bool {
		if !j.Withheld() {
			return j.Fate != Tagged
		}

		withheld[j.Fate]++
		isMore := withheld[j.Fate] > words.MaxNamed

		if isMore {
			r.More++
		}

		return isMore
	}))

	// A pointer into the labels of the resource would keep all of them, where each resource has labels of its own.
	kept := make([]tags.Tag, len(r.Records))
	for i := range r.Records {
		kept[i] = *r.Records[i].Tag
		r.Records[i].Tag = &kept[i]
	}
}
