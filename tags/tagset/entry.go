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
	// ID tells tags apart. Keys are spelled as the field has them.
	ID, Key string

	// Value of the tag, if there is one.
	Value object.Node

	// Item of a list that the entry is, or the value of a map.
	Item object.Node

	// text of an entry that is a string, and the separator of its key from its value in a list of strings.
	text, separator string

	// readings are the keys that those who read a joined string may find in the entry, unless
	// all of them find Key.
	readings []string

	// at is the position of the entry in its set, and next that of the next one with the
	// same ID, plus one. It is gone if it has been removed from there.
	at, next int32
	gone     bool

	// Exact is true if the key is to be spelled as it is, though the provider takes another
	// spelling for it.
	Exact bool

	// Opaque is true if the entry isn't known to be a tag, so that it has no ID and no key.
	Opaque bool
}

// String is what the entry is in a list of strings, and nothing in other fields.
func (e *Entry) String() string {
	if e.separator == "" {
		return ""
	}

	return e.text
}

// Text of the tag's value. It is false if there is none that could be one of a tag.
func (e *Entry) Text() (string, bool) {
	if !e.Value.IsThere() && e.separator != "" || !e.IsTextual() {
		return "", false
	}

	return e.Value.Text(), true
}

// IsTextual is true if the tag's value can be given to a tag. One that has none is empty.
func (e *Entry) IsTextual() bool { return e.Value.IsString() || !e.Value.HasKind() }

// valueOrEmpty returns the tag's value, or an empty string if it has none.
func (e *Entry) valueOrEmpty() object.Node {
	if !e.Value.HasKind() {
		return object.TextNode("")
	}

	return e.Value
}

// FitsIn is true if the limits admit the entry.
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

// First of the keys that the entry may be taken for a tag of, if there is any. In
// a list of strings these are all that a separator follows, the shortest first. In a joined string
// they are all that a reader may find.
func (e *Entry) First(of profile.KeySet) (string, bool) {
	if e.separator == "" {
		if i := slices.IndexFunc(e.readings, of.Has); i >= 0 {
			return e.readings[i], true
		}

		return e.Key, !e.Opaque && of.Has(e.Key)
	}

	return of.First(e.String(), e.separator)
}

// IsAmbiguous is true if the entry of a joined string is not the same tag to all who read it.
func (e *Entry) IsAmbiguous() bool { return len(e.readings) > 0 }

// Is is true if the entry is the tag of the key and the value, to the letter.
func (e *Entry) Is(key, value string) bool {
	if e.separator == "" {
		return e.Key == key && !e.Opaque && IsText(e.Value, value)
	}

	return e.String() == key+e.separator+value
}

// IsText reports whether the value v of a tag is the text. A value that isn't there is empty.
func IsText(v object.Node, text string) bool { return v.IsText(text) || text == "" && !v.HasKind() }

// sameText reports whether the value a of a tag is the text of b.
func sameText(a, b object.Node) bool {
	if a.IsString() && b.IsString() {
		return a.Equal(b)
	}

	return IsText(a, b.Text())
}

// TextOf returns the value of a tag as text. It returns JSON for one that is no string.
func TextOf(v object.Node) string {
	if v.IsString() || !v.HasKind() {
		return v.Text()
	}

	j, _ := json.Marshal(v.Value().AsInterface()) //nolint:errchkjson // Only a number that isn't one can't be encoded.

	return string(j)
}

// Encoded returns a text for the value of a tag, or the item of a list. It is the same for equal ones only.
func Encoded(v object.Node) string {
	if v.IsString() {
		return "s" + v.Text()
	}

	b, err := proto.MarshalOptions{Deterministic: true}.Marshal(v.Value())
	if err != nil {
		return "" // Only what isn't UTF-8 can't be encoded, and has not been decoded.
	}

	return "v" + string(b)
}
