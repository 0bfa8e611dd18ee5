// Package tags turns labels into cloud tags.
//
// It is pure, and knows nothing of Kubernetes. The tag profile of a cloud, in package profile, has the limits of the cloud. The
// same labels and the same provider always give the same tags and the same skipped labels.
//
// A label that can't be a tag is never dropped silently, truncated or changed. It
// is returned as a [SkippedLabel] that says why.
package tags

import (
	"cmp"
	"slices"
	"strings"

	"github.com/plexsphere/function-cloud-tags/tags/profile"
)

// CloudTagPrefix is the default key prefix: every tag key is the prefix and the qualified key of the label.
const CloudTagPrefix = "plexsphere:"

// A PropagatingLabelSet has the values of labels by their qualified keys: platform/env: prod. An empty set is no error.
type PropagatingLabelSet map[string]string

// Labels returns the labels of the set, sorted by Label.Compare. Each tag key is the prefix and the qualified key.
func (s PropagatingLabelSet) Labels(prefix string) []Label {
	labels := make([]Label, 0, len(s))
	for k, v := range s {
		labels = append(labels, Label{QualifiedKey: k, TagKey: prefix + k, Value: v})
	}

	slices.SortFunc(labels, Label.Compare)

	return labels
}

// A SkippedLabel is a label that did not become a tag.
type SkippedLabel struct {
	// QualifiedKey of the label, e.g. platform/env.
	QualifiedKey string `json:"qualifiedKey"`

	// TagKey that the tag would have had, by the format of the profile: plexsphere:platform/env, and plexsphere_platform_env on
	// Google Cloud.
	TagKey string `json:"tagKey"`

	// Provider is the name of the tag profile.
	Provider string `json:"provider"`

	Reason profile.SkipReason `json:"reason"`
}

// A Label is a label that is to become a tag.
type Label struct {
	// QualifiedKey of the label, e.g. platform/env.
	QualifiedKey string

	// TagKey is the key that the tag should have, e.g. plexsphere:platform/env.
	TagKey string

	// Unprefixed reports whether the label came with its tag key, as by keyForm: Tag. It got no prefix.
	Unprefixed bool

	// Value of the label, and of the tag.
	Value string

	// Source gave the label. It is nil if there are no sources.
	Source *Source

	// Trusted reports whether the source may set reserved keys.
	Trusted bool
}

// A Source of labels.
type Source struct {
	// Name of the source in messages.
	Name string

	// Position among the sources: later ones win.
	Position int

	// OnConflict decides on a key that the resource has with another value.
	OnConflict Conflict
}

// Later reports whether s comes after the other source, so that its labels win. Every source comes after nil.
func (s *Source) Later(other *Source) bool {
	return s != nil && (other == nil || s.Position > other.Position)
}

// A Conflict decides on a tag that a resource already has, with another value than the label's.
type Conflict string

// Decisions on such a tag.
const (
	// Retain keeps the value of the resource.
	Retain Conflict = "Retain"

	// Replace takes the value of the label.
	Replace Conflict = "Replace"

	// Fail fails with an error.
	Fail Conflict = "Error"
)

// Compare orders labels by their qualified keys, and then by their tag keys. Two labels may share a qualified key: env with the
// tag key plexsphere:env, and env with the tag key env.
func (l Label) Compare(o Label) int {
	return cmp.Or(strings.Compare(l.QualifiedKey, o.QualifiedKey), strings.Compare(l.TagKey, o.TagKey))
}

// Beats reports whether l has more right to a key than the label o before it. A trusted label beats others, and among equals
// the label of a later source wins.
func (l Label) Beats(o Label) bool {
	return l.Trusted && !o.Trusted || l.Trusted == o.Trusted && l.Source.Later(o.Source)
}

// CompareTrust orders trusted labels before others.
func (l Label) CompareTrust(o Label) int {
	switch {
	case l.Trusted == o.Trusted:
		return 0
	case l.Trusted:
		return -1
	default:
		return 1
	}
}

// A Tag is a label that a tag profile admits. Two labels may have the QualifiedKey env: the key prefix makes
// one plexsphere:env, and keyForm: Tag leaves the other as it is. Their TagKeys differ.
type Tag struct {
	Label

	// Key and Value of the tag are the label's TagKey and Value with the formats of the profile. On Google Cloud, the TagKey
	// plexsphere:platform/env becomes plexsphere_platform_env.
	Key, Value string

	// Reserved reports whether only trusted labels may have the key.
	Reserved bool
}

// OnConflict returns the decision of the label's source, or Retain without a source.
func (t *Tag) OnConflict() Conflict {
	if t.Source == nil {
		return Retain
	}

	return t.Source.OnConflict
}

// Skip returns the skipped label of the tag, with the name of the tag profile and the reason.
func (t *Tag) Skip(provider string, r profile.SkipReason) SkippedLabel {
	return SkippedLabel{QualifiedKey: t.QualifiedKey, TagKey: t.Key, Provider: provider, Reason: r}
}

// A SkippedTag is the tag that a skipped label would have become.
type SkippedTag struct {
	Tag

	Reason profile.SkipReason

	// Kept is the qualified key of the label that has the tag key, if the reason is KeyCollision.
	Kept string
}

// compareKeys orders skipped tags by qualified keys, and then by tag keys.
func (t SkippedTag) compareKeys(o SkippedTag) int {
	return cmp.Or(strings.Compare(t.QualifiedKey, o.QualifiedKey), strings.Compare(t.Key, o.Key))
}

// Skips returns the skipped labels of the tags, with the name of the tag profile. It never returns nil.
func Skips(provider string, skipped []SkippedTag) []SkippedLabel {
	labels := make([]SkippedLabel, len(skipped))
	for i, t := range skipped {
		labels[i] = t.Skip(provider, t.Reason)
	}

	return labels
}
