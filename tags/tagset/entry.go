package tagset

import (
	"encoding/json"
	"slices"

	"google.golang.org/protobuf/proto"

	"github.com/plexsphere/function-cloud-tags/tags/field"
	"github.com/plexsphere/function-cloud-tags/tags/object"
	"github.com/plexsphere/function-cloud-tags/tags/profile"
)

// An Entry is an element of a tag field, such as a key of a map or an item of a list. Most entries are tags.
type Entry struct {
	// ID is the same for all entries of a tag. Azure ignores case, so ours:env and ours:Env both have the ID ours:env. Key
	// is spelled as in the field.
	ID, Key string

	// Value of the tag, if the entry has one.
	Value object.Node

	// Item is the item of a list, or the value of a map.
	Item object.Node

	// text is the whole text of an entry in a list of strings or in a joined string, such as env=prod.
	text string

	// separator stands after the key in a list of strings, and is empty in other fields.
	separator string

	// possibleKeys are the keys that different controllers find in an entry of a joined string. It is empty if all of them
	// find Key.
	possibleKeys []string

	// isUncut reports whether the entry is a whole joined string of more than MaxJoined bytes.
	isUncut bool

	// position is the index of the entry in its set.
	position int32

	// next is the position, plus one, of the next entry with the same ID. Zero means that there is no next entry.
	next int32

	// removed entries stay in their set's list, but don't count. Restore has put a restored entry into the set.
	removed, restored bool

	// Initial reports whether the entry is in spec.initProvider. Put replaces it by an entry in spec.forProvider.
	Initial bool

	// KeepsSpelling says that the field gets the key in the spelling of this entry, even if it has another spelling of the
	// same key.
	KeepsSpelling bool

	// LacksValue reports whether the entry is an item of a list of objects with a key and without a value, such as {key: env}. API servers
	// refuse it, so a step that desires it desires no tag env. In a status, the item may stand for an empty value.
	LacksValue bool

	// Opaque says that the entry isn't known to be a tag. It has neither ID nor key.
	Opaque bool
}

// String returns the string of an entry in a list of strings, such as env=prod. In other fields, it returns an empty
// string.
func (e *Entry) String() string {
	if e.separator == "" {
		return ""
	}

	return e.text
}

// Text returns the value of the tag, and whether a label could make an equal entry. No label makes a string without a
// value, such as legacy in [env=prod, legacy].
func (e *Entry) Text() (string, bool) {
	isBareString := e.separator != "" && !e.Value.IsThere()
	if isBareString || !e.IsTextual() {
		return "", false
	}

	return e.Value.Text(), true
}

// IsTextual reports whether a label could have the value of the tag: a string, or a missing value, which counts as empty.
func (e *Entry) IsTextual() bool { return e.Value.IsString() || !e.Value.HasKind() }

// valueOrEmpty returns the tag's value, or an empty string if it has none.
func (e *Entry) valueOrEmpty() object.Node {
	if !e.Value.HasKind() {
		return object.TextNode("")
	}

	return e.Value
}

// FitsIn reports whether the limits admit the entry. If values have at most 10 characters, owner: somebody-else doesn't
// fit. If the value is a list, each item must fit.
func (e *Entry) FitsIn(limits *field.Limits) bool {
	admits := func(key, value string) bool {
		reason, _ := limits.Refuses(key, "", value)
		return reason == ""
	}

	if e.separator != "" {
		return admits(e.String(), "")
	}

	if !e.Value.IsList() {
		return admits(e.Key, e.Value.Text())
	}

	for item := range e.Value.Items() {
		if !admits(e.Key, item.Text()) {
			return false
		}
	}

	return true
}

// KeyIn returns the first of the entry's possible keys that is in keys, and whether there is one. In a list of
// strings, a=b=c has the possible keys a and a=b, and the shortest is the first. In a joined string, controllers may
// find different keys. A joined string that is too long to be cut may have any key: it is returned whole.
func (e *Entry) KeyIn(keys profile.KeySet) (string, bool) {
	if e.separator != "" {
		return keys.ShortestKey(e.String(), e.separator)
	}

	if e.isUncut {
		return e.text, !keys.Empty()
	}

	if i := slices.IndexFunc(e.possibleKeys, keys.Has); i >= 0 {
		return e.possibleKeys[i], true
	}

	return e.Key, !e.Opaque && keys.Has(e.Key)
}

// IsAmbiguous reports whether controllers can find different keys in the entry of a joined string.
func (e *Entry) IsAmbiguous() bool { return len(e.possibleKeys) > 0 || e.isUncut }

// IsUncut reports whether the entry is a whole joined string of more than MaxJoined bytes, since nobody can say what each reader finds in it.
func (e *Entry) IsUncut() bool { return e.isUncut }

// IsTag reports whether the entry is the tag with exactly this key and value.
func (e *Entry) IsTag(key, value string) bool {
	if e.separator == "" {
		return e.Key == key && !e.Opaque && IsText(e.Value, value)
	}

	return e.String() == key+e.separator+value
}

// IsText reports whether the value v of a tag is the text. A missing value counts as an empty text.
func IsText(v object.Node, text string) bool { return v.IsText(text) || text == "" && !v.HasKind() }

// sameText reports whether the value a of a tag is the text of b. A missing value counts as an empty text.
func sameText(a, b object.Node) bool {
	if a.IsString() && b.IsString() {
		return a.Equal(b)
	}

	return IsText(a, b.Text())
}

// TextOf returns the value of a tag as text. A missing value is an empty text, and other values are JSON.
func TextOf(v object.Node) string {
	if v.IsString() || !v.HasKind() {
		return v.Text()
	}

	j, _ := json.Marshal(v.Value().AsInterface()) //nolint:errchkjson // Only NaN fails, which JSON can't have.

	return string(j)
}

// Encoded returns a text for the value of a tag, or for an item of a list. Different values have different texts: the
// string 1 is s1, and the text of the number 1 begins with v.
func Encoded(v object.Node) string {
	if v.IsString() {
		return "s" + v.Text()
	}

	b, err := proto.MarshalOptions{Deterministic: true}.Marshal(v.Value())
	if err != nil {
		return "" // Only text that isn't UTF-8 fails, and no request has any.
	}

	return "v" + string(b)
}
