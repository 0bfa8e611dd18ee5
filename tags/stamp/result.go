package stamp

import (
	"cmp"
	"slices"
	"strings"

	"github.com/plexsphere/function-cloud-tags/tags/locate"
	"github.com/plexsphere/function-cloud-tags/tags/object"
	"github.com/plexsphere/function-cloud-tags/tags/words"
)

// A Result is what comes of stamping one resource.
type Result struct {
	// Resource is the name of the composed resource.
	Resource   string
	APIVersion string
	Kind       string

	// Provider is the name of the tag profile.
	Provider string

	// Unprofiled is why that is the generic one, if there are labels for the resource and it has
	// a tag field.
	Unprofiled locate.Unprofiled

	// LeftAlone is why the resource was not looked at further, or empty if it was.
	LeftAlone string

	// Lacks is why there is no tag field, if the resource was left alone because of that. LeftAlone says it in words.
	Lacks locate.Reason

	// Mismatch is why the tag field was left alone, or empty if it wasn't: it has another
	// shape than we know it to have.
	Mismatch string

	// Stamped is what the resource becomes, or none if it doesn't change. It shares with
	// the resource what did not change.
	Stamped object.Object

	// HandsOn is true if labels are handed on to the resource, which is a composite one. Then the other fields
	// are about labels instead of tags.
	HandsOn bool

	// Labels are the records of labels that are tags, or have a tag that is as somebody else wants it, by fate and key.
	// More is how many others of these there are. Skips have the labels that are skipped.
	Labels []Judged
	More   int

	// Notes are what else there is to say about the resource's tags, in any order.
	Notes Notes

	// Trusted are the tags with reserved keys that labels of trusted sources have become,
	// by key.
	Trusted map[string]string

	// Final are the tags that the tag field has in the end by key, whoever has set them: labels, earlier steps, other
	// systems whose tags ignoreTags keeps, or other field managers. They are there only if the input wants them in the
	// status.
	Final map[string]string

	// Changes of tags once Crossplane applies the resource, if the Stamper audits.
	Changes Changes
}

// IsTagged reports whether any label is a tag of the resource.
func (r *Result) IsTagged() bool {
	return slices.ContainsFunc(r.Labels, func(j Judged) bool { return j.Fate == Tagged })
}

// Keys returns the tag keys of the labels with the fate.
func (r *Result) Keys(fate Fate) (keys []string) {
	for i := range r.Labels {
		if r.Labels[i].Fate == fate {
			keys = append(keys, r.Labels[i].Key)
		}
	}

	return keys
}

// HasNews reports whether there is anything to say about the resource, beside what labels are skipped.
func (r *Result) HasNews() bool {
	return r.LeftAlone != "" || r.Mismatch != "" || len(r.Notes) > 0 || slices.ContainsFunc(r.Labels, Judged.Withheld)
}

// keep only what is told of the resource: labels and resources can both be thousands.
func (r *Result) keep() {
	r.Notes.sort()

	slices.SortStableFunc(r.Labels, func(a, b Judged) int { return cmp.Or(cmp.Compare(a.Fate, b.Fate), strings.Compare(a.Key, b.Key)) })
	labels := slices.CompactFunc(r.Labels, func(a, b Judged) bool { return a.Fate == b.Fate && a.Key == b.Key })
	var withheld [TakenAway + 1]int // By fate.

	r.Labels = slices.Clone(slices.DeleteFunc(labels, func(j Judged) bool {
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
}
