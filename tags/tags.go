// Package tags turns labels into cloud tags.
//
// The package has no state, and knows nothing of Kubernetes. The same labels and the same provider always give the same tags
// and the same skipped labels. Package profile has the tag profile of each cloud, with the limits of its tags.
//
// A label that can't be a tag is returned as a [SkippedLabel] with the reason. No
// key or value is cut to fit. Only key formats and value formats change them.
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

// A SkippedLabel names a label that did not become a tag on one cloud, and the reason.
type SkippedLabel struct {
	// QualifiedKey of the label, e.g. platform/env.
	QualifiedKey string `json:"qualifiedKey"`

	// TagKey is the key that the tag would have on the cloud, in its key format: plexsphere_platform_env on Google Cloud.
	TagKey string `json:"tagKey"`

	// Provider is the name of the tag profile, such as aws or gcp.
	Provider string `json:"provider"`

	Reason profile.SkipReason `json:"reason"`
}

// A Label is a key and a value of a source. It becomes a tag on each cloud that admits it.
type Label struct {
	// QualifiedKey of the label, e.g. platform/env.
	QualifiedKey string

	// TagKey is the key of the tag before a key format applies: plexsphere:platform/env, even on Google Cloud.
	TagKey string

	// GivesTagKey reports whether the source has keyForm: Tag, so that the key in the source is the whole tag key. The label env then has the
	// TagKey env, without a key prefix.
	GivesTagKey bool

	// Value of the label, before a value format applies.
	Value string

	// Source of the label. Labels that a Go program gives to CloudTags have none.
	Source *Source

	// Trusted reports whether the label may have a reserved key: its source has trusted: true.
	Trusted bool
}

// A Source of labels.
type Source struct {
	// Name of the source in messages.
	Name string

	// Position among the sources. Labels of later sources win.
	Position int

	// OnConflict applies to all labels of the source.
	OnConflict Conflict
}

// IsLaterThan reports whether s comes after the other source, so that its labels win. A nil source comes first.
func (s *Source) IsLaterThan(other *Source) bool {
	return s != nil && (other == nil || s.Position > other.Position)
}

// A Conflict decides which value a tag gets if the resource has one value, and the label another. In the examples, the resource
// has env: dev, and the label has env: prod.
type Conflict string

const (
	// Retain keeps the value of the resource, env: dev.
	Retain Conflict = "Retain"

	// Replace writes the value of the label, env: prod.
	Replace Conflict = "Replace"

	// Fail writes neither: the function fails the pipeline. The input calls it Error.
	Fail Conflict = "Error"
)

// Compare orders labels by their qualified keys, and then by their tag keys. Two labels may have the qualified key env: the tag key of
// one is plexsphere:env, and the tag key of the other is env, since its source has keyForm: Tag.
func (l Label) Compare(other Label) int {
	return cmp.Or(strings.Compare(l.QualifiedKey, other.QualifiedKey), strings.Compare(l.TagKey, other.TagKey))
}

// Beats reports whether l wins over the other label if both have the same key on a cloud. On Google Cloud, the tag keys A/b and a_b both
// become a_b. A trusted label wins, or else the label of the later source, or else neither.
func (l Label) Beats(other Label) bool {
	if l.Trusted != other.Trusted {
		return l.Trusted
	}

	return l.Source.IsLaterThan(other.Source)
}

// CompareTrust orders trusted labels first. If there are too many labels, the last ones are skipped, so trusted labels stay.
func CompareTrust(isTrusted, otherIsTrusted bool) int {
	switch {
	case isTrusted == otherIsTrusted:
		return 0
	case isTrusted:
		return -1
	default:
		return 1
	}
}

// A Tag is a label with the key and the value that it gets on one cloud.
type Tag struct {
	Label

	// Key is the key on the cloud, after the key format. On Google Cloud, plexsphere:platform/env becomes plexsphere_platform_env.
	// Value is the value on the cloud, after the value format.
	Key, Value string

	// Reserved reports whether QualifiedKey, TagKey or Key is reserved for trusted labels.
	Reserved bool

	// Overridden is the tag of the trusted label over which the label has won, or nil. It has the same Key. It takes the place of this tag if the
	// label is skipped.
	Overridden *Tag
}

// KeyIsTrusted reports whether a trusted source gives the key: the label is trusted, or it has won over a trusted label. Tags with such keys
// take their slots first, so that a tenant's labels can't take the platform's slots.
func (t *Tag) KeyIsTrusted() bool { return t.Trusted || t.Overridden != nil && t.Overridden.Trusted }

// OnConflict returns the OnConflict of the label's source, or Retain without a source.
func (t *Tag) OnConflict() Conflict {
	if t.Source == nil {
		return Retain
	}

	return t.Source.OnConflict
}

// SkippedLabel returns the skipped label of t, with the name of the tag profile and the reason. Its TagKey is the key on the cloud, t.Key,
// such as plexsphere_platform_env on Google Cloud.
func (t *Tag) SkippedLabel(profileName string, reason profile.SkipReason) SkippedLabel {
	return SkippedLabel{QualifiedKey: t.QualifiedKey, TagKey: t.Key, Provider: profileName, Reason: reason}
}
