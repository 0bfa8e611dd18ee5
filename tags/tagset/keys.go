package tagset

import (
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"k8s.io/apimachinery/pkg/api/validate/content"

	"github.com/plexsphere/function-cloud-tags/tags"
	"github.com/plexsphere/function-cloud-tags/tags/field"
	"github.com/plexsphere/function-cloud-tags/tags/object"
	"github.com/plexsphere/function-cloud-tags/tags/profile"
)

// A FieldKind has the properties of a tag field that decide how labels become its tags. The fields spec.forProvider.tags
// of a Bucket and of a Queue have one FieldKind if both are maps. Then labels become the same tags in both.
type FieldKind struct { //nolint:recvcheck // Refuses takes a value, since maps have FieldKinds as keys.
	field.Layout

	Profile *profile.Profile

	// Metadata is "labels" for metadata.labels, "annotations" for metadata.annotations, and empty for other fields.
	Metadata string
}

// FieldKindOf returns the FieldKind of the field f, on a resource with the tag profile p.
func FieldKindOf(f *field.Field, p *profile.Profile) FieldKind {
	k := FieldKind{Layout: f.Layout, Profile: p}

	if f.Form().IsMap {
		k.Metadata = metadataOf(f.Path.Segments())
	}

	return k
}

// metadataOf returns "labels" if the path ends with metadata.labels, "annotations" if it ends with
// metadata.annotations, and otherwise an empty string.
func metadataOf(path object.Segments) string {
	n := len(path)
	if n < 2 || path[n-2].Field != "metadata" || !slices.Contains([]string{"labels", "annotations"}, path[n-1].Field) {
		return ""
	}

	return path[n-1].Field
}

// Refuses returns the reason why fields of the kind can't have a tag with the key and the value, and the broken limit in
// a few words. Both are empty if fields can have the tag. The profile may admit a key of 40 characters and a value of
// 30, but a list of strings with at most 60 characters refuses them.
func (k FieldKind) Refuses(key, value string) (reason profile.SkipReason, limit string) {
	switch {
	case k.MaxLength > 0 && utf8.RuneCountInString(key+k.Separator+value) > k.MaxLength:
		return profile.ValueTooLong, fmt.Sprintf("at most %d characters for key, %q and value together", k.MaxLength, k.Separator)
	case k.Form().IsJoined:
		reason, limit = k.refusesJoined(key, value)
	case k.Form().HasStrings:
		// The profile has checked the tag with its own separator. The field's separator may be another one.
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

// refusesMetadata is Refuses for metadata.labels and metadata.annotations. With an illegal label, the API server would
// refuse the whole object.
func (k *FieldKind) refusesMetadata(key, value string) (reason profile.SkipReason, limit string) {
	isLabel := k.Metadata == "labels"

	// Keys of annotations are keys of labels, ignoring case.
	isLegalKey := len(content.IsLabelKey(strings.ToLower(key))) == 0
	if isLabel {
		isLegalKey = isLegalKey && len(content.IsLabelKey(key)) == 0
	}

	switch {
	case object.IsPrivate(key):
		return profile.ReservedKey, "only Crossplane, kubectl and this function set it"
	case field.SteersController(key):
		return profile.ReservedKey, "no tag: it steers a controller"
	case !isLegalKey:
		return profile.KeyCharacterClass, "allowed: what Kubernetes admits as keys of " + k.Metadata
	case isLabel && len(content.IsLabelValue(value)) > 0:
		return profile.ValueCharacterClass, "allowed: what Kubernetes admits as values of labels"
	default:
		return "", ""
	}
}

// Keys decide which entries of a field are tags, and which entries are the same tag.
type Keys struct {
	FieldKind

	// Known, Patterns and Prefixes find the key of a string in a list of strings. A key and a value may both contain the
	// separator, so a=b=c has the possible keys a and a=b. The first of these is the key:
	//   - the longest possible key in Known,
	//   - if the string begins with one of Prefixes, the shortest possible key in Prefixes,
	//   - the shortest possible key in Patterns.
	//
	// A string without a value is a tag if it is in Patterns. Other strings are no tags.
	Known, Patterns, Prefixes profile.KeySet

	// Spellings says which keys in lower case several labels have: ours:env if labels have the keys ours:env and ours:Env. In a
	// list that ignores case, these labels are different tags if their values differ.
	Spellings map[string]bool

	// tagCount is how many tags labels can add. It is for the capacity of lists.
	tagCount int

	// sharedKeys has the keys of labels' tags, so that equal keys in fields need no memory of their own.
	sharedKeys map[string]string
}

// NewKeys returns the Keys of fields of the kind k for the tags of labels. Known, Patterns and Prefixes are empty: the caller
// sets them.
func NewKeys(k FieldKind, labels []tags.Tag) Keys {
	keys := Keys{
		FieldKind: k, Spellings: make(map[string]bool),
		tagCount: min(len(labels), k.Profile.MaxTags), sharedKeys: make(map[string]string, len(labels)),
	}

	for i := range labels {
		key := labels[i].Key
		keys.sharedKeys[key] = key

		if k.Profile.FoldEntries {
			folded := k.Profile.Fold(key)
			_, isSecond := keys.Spellings[folded]
			keys.Spellings[folded] = isSecond
		}
	}

	return keys
}

// ID returns a text that is the same for all keys of one tag: ours:env for ours:Env on Azure, which ignores case.
func (k *Keys) ID(key string) string {
	if !k.Form().IsList && !k.Profile.FoldKeys {
		return key
	}

	folded := k.Profile.Fold(key)
	if k.Spellings[folded] {
		folded = key // Several labels differ only in case, so the case counts.
	}

	return folded + k.Separator
}

// keyText returns the key as a string, with the memory of an equal key of sharedKeys.
func (k *Keys) keyText(key []byte) string {
	if shared, ok := k.sharedKeys[string(key)]; ok {
		return shared
	}

	return string(key)
}

// Entry returns the entry of the tag t. In a list of strings with the separator =, the tag env: prod has the entry
// env=prod.
func (k *Keys) Entry(t *tags.Tag) Entry {
	e := Entry{ID: k.ID(t.Key), Key: t.Key, Value: object.TextNode(t.Value), KeepsSpelling: t.Reserved}

	// Lists of strings and joined strings have a separator.
	if k.Separator != "" {
		e.text = t.Key + k.Separator + t.Value
		e.Item = object.TextNode(e.text)
	}

	if k.Form().HasStrings {
		e.separator = k.Separator
	}

	return e
}
