package tagset

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"k8s.io/apimachinery/pkg/api/validate/content"

	"github.com/plexsphere/function-cloud-tags/tags"
	"github.com/plexsphere/function-cloud-tags/tags/field"
	"github.com/plexsphere/function-cloud-tags/tags/object"
	"github.com/plexsphere/function-cloud-tags/tags/profile"
)

// A FieldKind has all that the tags of labels in a field depend on. Two fields of one FieldKind have equal tags of labels:
// spec.forProvider.tags of a Bucket and of a Queue, if both are maps.
type FieldKind struct { //nolint:recvcheck // A key of maps, which is a value.
	Profile *profile.Profile
	Shape   field.Shape

	// Separator and MaxLength of the entries of a list of strings, or the Separator and the Delimiter of a joined
	// string.
	Separator, Delimiter string
	MaxLength            int

	// Limits of the field in the schema of the resource's kind, or nil.
	Limits *field.Limits

	// Metadata is "labels" or "annotations" if the field is such a map of a Kubernetes object, and empty otherwise.
	Metadata string
}

// FieldKindOf returns the FieldKind of the field f, on a resource with the tag profile p: the shape Map for
// spec.forProvider.tags of a Bucket, and Metadata "labels" for metadata.labels of a Cluster.
func FieldKindOf(f *field.Field, p *profile.Profile) FieldKind {
	k := FieldKind{Profile: p, Shape: f.Shape, Limits: f.Limits}

	switch k.Shape {
	case field.StringList:
		k.Separator, k.MaxLength = f.Separator, f.MaxLength
	case field.Joined:
		k.Separator, k.Delimiter = f.Separator, f.Delimiter
	case field.Map, field.Labels:
		k.Metadata = metadataOf(f.Path.Segments())
	case field.MapOfLists, field.KeyValueList, field.None:
	}

	return k
}

// metadataOf returns "labels" or "annotations" if the path leads to such a map of a Kubernetes object, or nothing.
func metadataOf(path object.Segments) string {
	n := len(path)
	if n < 2 || path[n-2].Field != "metadata" || path[n-1].Field != "labels" && path[n-1].Field != "annotations" {
		return ""
	}

	return path[n-1].Field
}

// Refuses returns why fields of the kind can't have a tag with the key and the value, and the limit that the tag breaks
// in a few words, or nothing. The profile admits the tag, but a list of strings with at most 60 characters refuses 40
// characters of key and 30 of value.
func (k FieldKind) Refuses(key, value string) (reason profile.SkipReason, limit string) {
	switch {
	case k.MaxLength > 0 && utf8.RuneCountInString(key+k.Separator+value) > k.MaxLength:
		return profile.ValueTooLong, fmt.Sprintf("at most %d characters for key, %q and value together", k.MaxLength, k.Separator)
	case k.Shape.Form().IsText:
		reason, limit = k.refusesJoined(key, value)
	case k.Shape.Form().HasTexts:
		// The profile knows of one separator only.
		if reason = k.Profile.CheckEntry(key, k.Separator, value); reason != "" {
			return reason, k.Profile.Limit(reason)
		}
	case k.Metadata != "":
		reason, limit = k.refusesMetadata(key, value)
	}

	if reason != "" {
		return reason, limit
	}

	return k.Limits.Refuses(key, k.Separator, value)
}

// refusesMetadata is Refuses for labels and annotations. The API server would refuse the whole object.
func (k *FieldKind) refusesMetadata(key, value string) (reason profile.SkipReason, limit string) {
	switch {
	case object.IsPrivate(key):
		return profile.ReservedKey, "only Crossplane, kubectl and this function set it"
	case len(content.IsLabelKey(strings.ToLower(key))) > 0 || k.Metadata == "labels" && len(content.IsLabelKey(key)) > 0:
		return profile.KeyCharacterClass, "allowed: what Kubernetes admits as keys of " + k.Metadata
	case k.Metadata == "labels" && len(content.IsLabelValue(value)) > 0:
		return profile.ValueCharacterClass, "allowed: what Kubernetes admits as values of labels"
	default:
		return "", ""
	}
}

// Keys tell the tags of a kind of field apart.
type Keys struct {
	FieldKind

	// Known are keys that make a string a tag, since keys and values may both contain the separator: with the known key
	// a=b, the string a=b=c has the value c. Another string is a tag if Patterns have one of its keys, with a value or
	// without. Its key is the shortest one, or the shortest one of Prefixes if the string begins with any of them.
	Known, Patterns, Prefixes profile.KeySet

	// Spellings are keys in lower case that labels have in several spellings. In a list, these are different tags if
	// their values differ.
	Spellings map[string]bool

	// tags is how many tags there will be. shared has their keys, so that a field and a label share one string.
	tags   int
	shared map[string]string
}

// NewKeys returns the Keys of fields of the kind k for the tags of labels. Known, Patterns and Prefixes are empty: the caller
// sets them. If labels have the keys ours:env and ours:Env on DigitalOcean, both are Spellings of ours:env.
func NewKeys(k FieldKind, labels []tags.Tag) Keys {
	out := Keys{FieldKind: k, Spellings: make(map[string]bool), tags: min(len(labels), k.Profile.MaxTags), shared: make(map[string]string, len(labels))}
	for i := range labels {
		out.shared[labels[i].Key] = labels[i].Key
	}

	if !k.Profile.FoldEntries {
		return out
	}

	seen := make(map[string]bool, len(labels))

	for _, t := range labels {
		folded := k.Profile.Fold(t.Key)
		if seen[folded] {
			out.Spellings[folded] = true
		}

		seen[folded] = true
	}

	return out
}

// ID returns a text that is the same for all keys of one tag: ours:env for ours:Env on Azure, which ignores case.
func (k *Keys) ID(key string) string {
	if !k.Shape.Form().IsList && !k.Profile.FoldKeys {
		return key
	}

	return k.fold(key) + k.Separator
}

// text returns the key b as a string, which may be shared.
func (k *Keys) text(b []byte) string {
	if key, ok := k.shared[string(b)]; ok {
		return key
	}

	return string(b)
}

// fold returns the key in lower case if the provider ignores case. Keys with several Spellings stay as they are.
func (k *Keys) fold(key string) string {
	folded := k.Profile.Fold(key)
	if k.Spellings[folded] {
		return key
	}

	return folded
}

// Entry returns the entry of the tag t: in a list of strings with the separator =, it is env=prod for env: prod.
func (k *Keys) Entry(t *tags.Tag) Entry {
	e := Entry{ID: k.ID(t.Key), Key: t.Key, Value: object.TextNode(t.Value), KeepsSpelling: t.Reserved}

	// A joined string has a separator, too, but its entries are no strings of their own.
	if k.Separator != "" {
		e.text = t.Key + k.Separator + t.Value
		e.Item = object.TextNode(e.text)
	}

	if k.Shape.Form().HasTexts {
		e.separator = k.Separator
	}

	return e
}
