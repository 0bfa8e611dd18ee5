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

// A Kind of tag field is what the fields of resources differ in, as far as it matters to
// what labels come to. Kinds that are equal are the same.
type Kind struct { //nolint:recvcheck // A key of maps, which is a value.
	Profile *profile.Profile
	Shape   field.Shape

	// Separator and MaxLength of the entries of a list of strings, or the separator and
	// the delimiter of a joined one.
	Separator, Delimiter string
	MaxLength            int

	// Limits of the field in the schema of the resource's kind, or nil.
	Limits *field.Limits

	// Metadata is labels or annotations, if the field is such a map of an object of
	// Kubernetes, and empty otherwise.
	Metadata string
}

// KindOf the field f, on a resource with the tag profile p.
func KindOf(f *field.Field, p *profile.Profile) Kind {
	k := Kind{Profile: p, Shape: f.Shape, Limits: f.Limits}

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

// metadataOf an object is what the path leads to: labels, annotations, or nothing of
// these.
func metadataOf(path object.Segments) string {
	n := len(path)
	if n < 2 || path[n-2].Field != "metadata" || path[n-1].Field != "labels" && path[n-1].Field != "annotations" {
		return ""
	}

	return path[n-1].Field
}

// IsList is true if the tags are in a list, or in one string as such, which can be atomic for
// server-side apply.
func (k Kind) IsList() bool {
	switch k.Shape {
	case field.KeyValueList, field.StringList, field.Joined:
		return true
	case field.Map, field.MapOfLists, field.Labels, field.None:
	}

	return false
}

// Refuses returns why no field of the kind can have a tag of the key and the value, though
// the profile admits it, and the limit that it breaks in a few words, or nothing.
func (k Kind) Refuses(key, value string) (reason profile.SkipReason, limit string) {
	switch {
	case k.MaxLength > 0 && utf8.RuneCountInString(key+k.Separator+value) > k.MaxLength:
		return profile.ValueTooLong, fmt.Sprintf("at most %d characters for key, %q and value together", k.MaxLength, k.Separator)
	case k.Shape == field.Joined:
		reason, limit = k.refusesJoined(key, value)
	case k.Shape == field.StringList:
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

// refusesMetadata is Refuses for labels and annotations: the API server would refuse the whole
// object.
func (k *Kind) refusesMetadata(key, value string) (reason profile.SkipReason, limit string) {
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

// Keys are what tells the tags of a kind of field apart.
type Keys struct {
	Kind

	// Known are the keys by which strings are told to be tags, since keys and values may
	// both have the separator in them. What has a key of the Patterns, and none that is
	// known, is a tag even if it has no value. Its key is the shortest one that it can have,
	// or the shortest one of Prefixes if it begins as any of these does.
	Known, Patterns, Prefixes profile.KeySet

	// Spellings are keys in lower case that several labels have in some spelling each. They
	// are different tags of a list if they have different values.
	Spellings map[string]bool

	// tags that there are to be, and their keys, which fields have, too: the same string serves both.
	tags   int
	shared map[string]string
}

// NewKeys returns the Keys of the kind k, if there are to be the tags of. No
// strings are known to be tags yet.
func NewKeys(k Kind, of []tags.Tag) Keys {
	out := Keys{Kind: k, Spellings: make(map[string]bool), tags: min(len(of), k.Profile.MaxTags), shared: make(map[string]string, len(of))}
	for i := range of {
		out.shared[of[i].Key] = of[i].Key
	}

	if !k.Profile.FoldEntries {
		return out
	}

	seen := make(map[string]bool, len(of))

	for _, t := range of {
		folded := k.Profile.Fold(t.Key)
		if seen[folded] {
			out.Spellings[folded] = true
		}

		seen[folded] = true
	}

	return out
}

// ID is the same for keys of one tag only.
func (k *Keys) ID(key string) string {
	if !k.IsList() && !k.Profile.FoldKeys {
		return key
	}

	return k.fold(key) + k.Separator
}

// text returns the string b, which is a key.
func (k *Keys) text(b []byte) string {
	if key, ok := k.shared[string(b)]; ok {
		return key
	}

	return string(b)
}

// fold the case of the key, if the provider takes keys that differ only in case
// for one. Spellings are told apart by it.
func (k *Keys) fold(key string) string {
	folded := k.Profile.Fold(key)
	if k.Spellings[folded] {
		return key
	}

	return folded
}

// Entry that a field has of the tag t.
func (k *Keys) Entry(t *tags.Tag) Entry {
	e := Entry{ID: k.ID(t.Key), Key: t.Key, Value: object.TextNode(t.Value), Exact: t.Reserved}

	if k.Separator != "" {
		e.text = t.Key + k.Separator + t.Value
		e.Item = object.TextNode(e.text)
	}

	if k.Shape == field.StringList {
		e.separator = k.Separator
	}

	return e
}
