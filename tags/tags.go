// Package tags turns labels into cloud tags.
//
// The package has no state, and knows nothing of Kubernetes. The same labels and the same provider always give the same tags
// and the same skipped labels. Package profile has the tag profile of each cloud, with the limits of its tags.
//
// A label that can't be a tag is never dropped silently, truncated or changed. It
// is returned as a [SkippedLabel] with the reason.
package tags

import (
	"cmp"
	"slices"
	"strings"

	"github.com/plexsphere/function-cloud-tags/tags/profile"
)

// CloudTagPrefix is the default key prefix. The label platform/env gets the tag key plexsphere:platform/env.
const CloudTagPrefix = "plexsphere:"

// A PropagatingLabelSet has the values of labels by their qualified keys, such as platform/env: prod. It may be empty.
type PropagatingLabelSet map[string]string

// Labels returns the labels of the set, sorted by Label.Compare. A label's tag key is the prefix and the qualified key.
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

	// TagKey is the key that the tag would have had: plexsphere:platform/env on AWS, plexsphere_platform_env on Google Cloud.
	TagKey string `json:"tagKey"`

	// Provider is the name of the tag profile.
	Provider string `json:"provider"`

	Reason profile.SkipReason `json:"reason"`
}

// A Label is to become a tag.
type Label struct {
	// QualifiedKey of the label, e.g. platform/env.
	QualifiedKey string

	// TagKey is the key that the tag should have, e.g. plexsphere:platform/env. A cloud's key format may still change it.
	TagKey string

	// Unprefixed reports whether TagKey has no key prefix. The input sets keyForm: Tag for sources with complete tag keys.
	Unprefixed bool

	// Value of the label, and of the tag.
	Value string

	// Source of the label, or nil if the program that calls this package has no sources.
	Source *Source

	// Trusted reports whether the source may set reserved keys.
	Trusted bool
}

// A Source of labels.
type Source struct {
	// Name of the source in messages.
	Name string

	// Position among the sources. Labels of later sources win.
	Position int

	// OnConflict decides on a label's tag if the resource already has it with another value.
	OnConflict Conflict
}

// IsLaterThan reports whether s comes after the other source, so that its labels win. Every source comes after nil.
func (s *Source) IsLaterThan(other *Source) bool {
	return s != nil && (other == nil || s.Position > other.Position)
}

// A Conflict decides on a label's tag if the resource already has it with another value. In the examples, the resource has
// env: dev, and the label has env: prod.
type Conflict string

const (
	// Retain keeps the value of the resource, env: dev.
	Retain Conflict = "Retain"

	// Replace writes the value of the label, env: prod.
	Replace Conflict = "Replace"

	// Fail fails the pipeline with an error.
	Fail Conflict = "Error"
)

// Compare orders labels by their qualified keys, and then by their tag keys. Two labels may have the qualified key env, and the
// tag keys env and plexsphere:env.
func (l Label) Compare(other Label) int {
	return cmp.Or(strings.Compare(l.QualifiedKey, other.QualifiedKey), strings.Compare(l.TagKey, other.TagKey))
}

// Beats reports whether l wins over the other label with the same key. A trusted label wins over one that is not trusted.
// Otherwise, the label of the later source wins.
func (l Label) Beats(other Label) bool {
	if l.Trusted != other.Trusted {
		return l.Trusted
	}

	return l.Source.IsLaterThan(other.Source)
}

// CompareTrust orders trusted labels before others.
func (l Label) CompareTrust(other Label) int {
	switch {
	case l.Trusted == other.Trusted:
		return 0
	case l.Trusted:
		return -1
	default:
		return 1
	}
}

// A Tag has a label, and the key and the value that the label gets as a tag of one tag profile.
type Tag struct {
	Label

	// Key is the label's TagKey in the key format of the profile. On Google Cloud, plexsphere:platform/env becomes
	// plexsphere_platform_env. Value is the label's Value in the value format of the profile.
	Key, Value string

	// Reserved reports whether only trusted labels may have the key.
	Reserved bool
}

// OnConflict returns the OnConflict of the label's source, or Retain without a source.
func (t *Tag) OnConflict() Conflict {
	if t.Source == nil {
		return Retain
	}

	return t.Source.OnConflict
}

// Skip returns the tag as a skipped label, with the name of the tag profile and the reason.
func (t *Tag) Skip(provider string, reason profile.SkipReason) SkippedLabel {
	return SkippedLabel{QualifiedKey: t.QualifiedKey, TagKey: t.Key, Provider: provider, Reason: reason}
}

// A SkippedTag is the tag that a skipped label would have become.
type SkippedTag struct {
	Tag

	Reason profile.SkipReason

	// Winner is the qualified key of the label that has the tag key instead, if the reason is KeyCollision.
	Winner string
}

// compareKeys orders skipped tags by qualified keys, and then by tag keys.
func (t SkippedTag) compareKeys(other SkippedTag) int {
	return cmp.Or(strings.Compare(t.QualifiedKey, other.QualifiedKey), strings.Compare(t.Key, other.Key))
}

// SkippedLabels returns the skipped tags as skipped labels, with the name of the tag profile. It never returns nil.
func SkippedLabels(provider string, skipped []SkippedTag) []SkippedLabel {
	labels := make([]SkippedLabel, len(skipped))
	for i, t := range skipped {
		labels[i] = t.Skip(provider, t.Reason)
	}

	return labels
}
