// Package tags turns labels into cloud tags.
//
// It is pure, and knows nothing of Kubernetes. What a cloud admits is in its tag profile, in
// package profile. The same labels and the same provider always give the same tags and the
// same skipped labels.
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

// CloudTagPrefix is what the key of every cloud tag starts with, on every
// provider, unless the input asks for another prefix. The rest of the key is the
// qualified key of the label.
const CloudTagPrefix = "plexsphere:"

// A PropagatingLabelSet is what a resource's labels come to: qualified label key,
// e.g. platform/env, to value. Having no label is not an error.
type PropagatingLabelSet map[string]string

// Labels of the set, sorted by Label.Compare. The key of each tag is the prefix and the qualified
// key of the label.
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

	// TagKey that the label would have had, e.g. plexsphere:platform/env.
	TagKey string `json:"tagKey"`

	// Provider is the name of the tag profile that refused the label.
	Provider string `json:"provider"`

	Reason profile.SkipReason `json:"reason"`
}

// A Label is a label that is to become a tag.
type Label struct {
	// QualifiedKey of the label, e.g. platform/env.
	QualifiedKey string

	// TagKey is the key that the tag should have, e.g. plexsphere:platform/env.
	TagKey string

	// Unprefixed is true if the key that the label came with is the tag key, so
	// that no prefix was put before it.
	Unprefixed bool

	// Value of the label, and of the tag.
	Value string

	// Source that the label came from, or nil if it came from nowhere.
	Source *Source

	// Trusted is true if the source may set reserved keys.
	Trusted bool
}

// A Source of labels.
type Source struct {
	// Name of the source in messages.
	Name string

	// Position among the sources: later ones win.
	Position int

	// OnConflict decides on keys that a resource has from elsewhere.
	OnConflict Conflict
}

// Later is true if labels of the source win over those of the other one. Every source is
// later than none.
func (s *Source) Later(than *Source) bool {
	return s != nil && (than == nil || s.Position > than.Position)
}

// Conflict is what becomes of a tag that a resource has from elsewhere, with another
// value.
type Conflict string

// What becomes of such a tag.
const (
	// Retain the value that is there.
	Retain Conflict = "Retain"

	// Replace it with the value of the label.
	Replace Conflict = "Replace"

	// Refuse both, with an error.
	Refuse Conflict = "Error"
)

// Compare orders labels by their qualified keys. A label whose key came with the
// prefix and one whose key did not can share a qualified key. Their tag keys
// order these.
func (l Label) Compare(o Label) int {
	return cmp.Or(strings.Compare(l.QualifiedKey, o.QualifiedKey), strings.Compare(l.TagKey, o.TagKey))
}

// Beats reports whether l has more right to a key than the label o, which came before it: a trusted label has, and then the
// label of a later source.
func (l *Label) Beats(o *Label) bool {
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

// A Tag is a label that a tag profile admits. The tag key of the label, with its source,
// tells the labels of a Transformer apart, which the qualified key doesn't.
type Tag struct {
	Label

	// Key and Value of the tag: those of the label, after the formats of the profile are
	// applied.
	Key, Value string

	// Reserved is true if only trusted labels may have the key.
	Reserved bool
}

// OnConflict decides on what a resource has at the tag's key from elsewhere.
func (t *Tag) OnConflict() Conflict {
	if t.Source == nil {
		return Retain
	}

	return t.Source.OnConflict
}

// Skip returns the tag's label as skipped by the provider's tag profile, for the reason.
func (t *Tag) Skip(provider string, r profile.SkipReason) SkippedLabel {
	return SkippedLabel{QualifiedKey: t.QualifiedKey, TagKey: t.Key, Provider: provider, Reason: r}
}

// Refused is a tag that a label would have become, and why it didn't.
type Refused struct {
	Tag

	Reason profile.SkipReason

	// Kept is the qualified key of the label that has the tag key, if the reason is KeyCollision.
	Kept string
}

// compare orders what is refused by qualified keys, and these by tag keys.
func (r Refused) compare(o Refused) int {
	return cmp.Or(strings.Compare(r.QualifiedKey, o.QualifiedKey), strings.Compare(r.Key, o.Key))
}

// Skips returns the labels that the provider's tag profile refused. It never returns nil.
func Skips(provider string, refused []Refused) []SkippedLabel {
	skipped := make([]SkippedLabel, len(refused))
	for i, r := range refused {
		skipped[i] = r.Skip(provider, r.Reason)
	}

	return skipped
}
