package tagset

import (
	"encoding/json"
	"slices"

	"google.golang.org/protobuf/proto"

	"github.com/plexsphere/function-cloud-tags/tags/field"
	"github.com/plexsphere/function-cloud-tags/tags/object"
	"github.com/plexsphere/function-cloud-tags/tags/profile"
)

// An Entry of a tag field.
type Entry struct {
	// ID is the same for entries of one tag: ours:env for ours:env and ours:Env on Azure. Key is spelled as the field
	// has it.
	ID, Key string

	// Value of the tag, if the entry has one.
	Value object.Node

	// Item is the item of a list, or the value of a map.
	Item object.Node

	// text of an entry that is a string, and the separator after its key in a list of strings.
	text, separator string

	// readings are the keys that different readers of a joined string find in the entry, unless all of them find Key.
	readings []string

	// at is the position of the entry in its set, and next the position of the next entry with the same ID, plus one.
	// gone says that the entry has been removed.
	at, next int32
	gone     bool

	// KeepsSpelling says that the key stays as it is spelled, though the provider takes another spelling for the same key.
	KeepsSpelling bool

	// Opaque says that the entry isn't known to be a tag, so that it has neither ID nor key.
	Opaque bool
}

// String returns the string of an entry in a list of strings, such as env=prod, and nothing in other fields.
func (e *Entry) String() string {
	if e.separator == "" {
		return ""
	}

	return e.text
}

// Text returns the value of the tag, and whether a label could have it: a string, or nothing.
func (e *Entry) Text() (string, bool) {
	if !e.Value.IsThere() && e.separator != "" || !e.IsTextual() {
		return "", false
	}

	return e.Value.Text(), true
}

// IsTextual reports whether a label could have the value of the tag: a string, or nothing, which is empty.
func (e *Entry) IsTextual() bool { return e.Value.IsString() || !e.Value.HasKind() }

// valueOrEmpty returns the tag's value, or an empty string if it has none.
func (e *Entry) valueOrEmpty() object.Node {
	if !e.Value.HasKind() {
		return object.TextNode("")
	}

	return e.Value
}

// FitsIn reports whether the limits admit the entry. With at most 10 characters in values, it is false for owner:
// somebody-else. Each value of a list counts.
func (e *Entry) FitsIn(l *field.Limits) bool {
	admits := func(key, value string) bool {
		reason, _ := l.Refuses(key, "", value)
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

// First returns the first of the keys that somebody may find in the entry, and whether there is one. In a list of
// strings, a=b=c has the keys a and a=b, the shortest first. In a joined string, readers find different keys.
func (e *Entry) First(keys profile.KeySet) (string, bool) {
	if e.separator == "" {
		if i := slices.IndexFunc(e.readings, keys.Has); i >= 0 {
			return e.readings[i], true
		}

		return e.Key, !e.Opaque && keys.Has(e.Key)
	}

	return keys.First(e.String(), e.separator)
}

// IsAmbiguous reports whether readers of a joined string find different tags in the entry.
func (e *Entry) IsAmbiguous() bool { return len(e.readings) > 0 }

// Is reports whether the entry is the tag with exactly this key and value.
func (e *Entry) Is(key, value string) bool {
	if e.separator == "" {
		return e.Key == key && !e.Opaque && IsText(e.Value, value)
	}

	return e.String() == key+e.separator+value
}

// IsText reports whether the value v of a tag is the text. A missing value is empty.
func IsText(v object.Node, text string) bool { return v.IsText(text) || text == "" && !v.HasKind() }

// sameText reports whether the value a of a tag is the text of b.
func sameText(a, b object.Node) bool {
	if a.IsString() && b.IsString() {
		return a.Equal(b)
	}

	return IsText(a, b.Text())
}

// TextOf returns the value of a tag as text, or as JSON if it is no string.
func TextOf(v object.Node) string {
	if v.IsString() || !v.HasKind() {
		return v.Text()
	}

	j, _ := json.Marshal(v.Value().AsInterface()) //nolint:errchkjson // Only NaN fails, which JSON can't have.

	return string(j)
}

// Encoded returns a text for the value of a tag, or for the item of a list. Only equal values have the same text.
func Encoded(v object.Node) string {
	if v.IsString() {
		return "s" + v.Text()
	}

	b, err := proto.MarshalOptions{Deterministic: true}.Marshal(v.Value())
	if err != nil {
		return "" // Only text beyond UTF-8 fails, which is never decoded.
	}

	return "v" + string(b)
}
