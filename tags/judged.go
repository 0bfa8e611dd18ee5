package tags

import (
	"cmp"
	"strings"

	"github.com/plexsphere/function-cloud-tags/tags/profile"
)

// A Fate says what becomes of a label on one resource.
type Fate uint8

const (
	// Undecided labels have no decision yet. In the end, a label is Undecided only if the resource lacks its tag, and can't change its
	// tags, since its field is immutable.
	Undecided Fate = iota

	// Tagged labels are tags.
	Tagged

	// Skipped labels are no tags, for a SkipReason such as count-cap.
	Skipped

	// Retained labels have a tag with the value of an earlier step, by onConflict Retain.
	Retained

	// Ignored labels have a tag that keeps its value in the cloud, since ignoreTags names it.
	Ignored

	// Removed labels have no tag, since removeTags names it.
	Removed

	// TakenAway is the fate of a tag without a label. An earlier step set the tag, but only labels of trusted sources may have its key.
	TakenAway
)

// Judged says what has become of one label: on a tag profile, in the tag fields of one kind, or on one resource. For example, the label env
// is Tagged on a Bucket, and its tag has the key plexsphere:env. All messages about the label are made of it. A tag that is TakenAway is
// Judged, too.
type Judged struct {
	*Tag

	Fate Fate

	// Reason and Limit say why the label is skipped, such as count-cap and "at most 50 tags on a resource". A Tagged label can have
	// them, too: the field gets the tag, since the input's profileRules admit it, but the cloud's own API will refuse it. Transform leaves the
	// Limit to others.
	Reason profile.SkipReason
	Limit  string

	// Winner is the qualified key of the label that has the tag key instead, if the reason is KeyCollision.
	Winner string
}

// Withheld reports whether the label's value isn't written, because of an earlier step, another system or removeTags.
func (j *Judged) Withheld() bool {
	switch j.Fate {
	case Retained, Ignored, Removed:
		return true
	case Undecided, Tagged, Skipped, TakenAway:
	}

	return false
}

// LacksSlot reports whether the resource has no tag slot for the label.
func (j *Judged) LacksSlot() bool { return j.Fate == Skipped && j.Reason == profile.CountCap }

// compareKeys orders labels by qualified keys, and then by Key.
func compareKeys(a, b Judged) int {
	return cmp.Or(strings.Compare(a.QualifiedKey, b.QualifiedKey), strings.Compare(a.Key, b.Key))
}

// SkippedLabels returns the skipped labels for messages, with the name of the tag profile. It never returns nil.
func SkippedLabels(profileName string, skipped []Judged) []SkippedLabel {
	labels := make([]SkippedLabel, len(skipped))
	for i := range skipped {
		labels[i] = skipped[i].SkippedLabel(profileName, skipped[i].Reason)
	}

	return labels
}
