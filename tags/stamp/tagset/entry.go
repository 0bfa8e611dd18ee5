package tagset

import (
	"encoding/json"
	"slices"

	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/known/structpb"

	"github.com/plexsphere/function-cloud-tags/tags/field"
	"github.com/plexsphere/function-cloud-tags/tags/profile"
)

// An Entry of a tag field.
type Entry struct {
	// ID tells tags apart. Keys are spelled as the field has them.
	ID, Key string

	// Value of the tag. It is nil if there is none.
	Value *structpb.Value

	// Item of a list that the entry is, or the value of a map.
	Item *structpb.Value

	// separator of the key from the value in a list of strings.
	separator string

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

	return e.Item.GetStringValue()
}

// Text of the tag's value. It is false if there is none that could be one of a tag.
func (e *Entry) Text() (string, bool) {
	if e.Value == nil && e.separator != "" || !e.IsTextual() {
		return "", false
	}

	return e.Value.GetStringValue(), true
}

// IsTextual is true if the tag's value can be given to a tag. One that has none is empty.
func (e *Entry) IsTextual() bool {
	switch e.Value.GetKind().(type) {
	case nil, *structpb.Value_StringValue:
		return true
	default:
		return false
	}
}

// text is the tag's value if it has one, or an empty one.
func (e *Entry) text() *structpb.Value {
	if e.Value.GetKind() == nil {
		return structpb.NewStringValue("")
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

	list, ok := e.Value.GetKind().(*structpb.Value_ListValue)
	if !ok {
		return admits(e.Key, e.Value.GetStringValue())
	}

	return !slices.ContainsFunc(list.ListValue.GetValues(), func(v *structpb.Value) bool { return !admits(e.Key, v.GetStringValue()) })
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

// IsText is true if the value v of a tag is the text. A value that isn't
// there is empty.
func IsText(v *structpb.Value, text string) bool {
	switch k := v.GetKind().(type) {
	case *structpb.Value_StringValue:
		return k.StringValue == text
	case nil:
		return text == ""
	default:
		return false
	}
}

// SameValue is true if the values of two tags are equal. Most are strings.
func SameValue(a, b *structpb.Value) bool {
	if s, ok := b.GetKind().(*structpb.Value_StringValue); ok && a != nil {
		return IsText(a, s.StringValue)
	}

	return proto.Equal(a, b)
}

// TextOf returns the value of a tag as text. It returns JSON for one that is no string.
func TextOf(v *structpb.Value) string {
	switch k := v.GetKind().(type) {
	case nil:
		return ""
	case *structpb.Value_StringValue:
		return k.StringValue
	default:
		j, _ := json.Marshal(v.AsInterface()) //nolint:errchkjson // Only a number that isn't one can't be encoded.
		return string(j)
	}
}

// Encoded returns a text for the value of a tag, or the item of a list. It is the same for equal ones only.
func Encoded(v *structpb.Value) string {
	if s, ok := v.GetKind().(*structpb.Value_StringValue); ok {
		return "s" + s.StringValue
	}

	b, err := proto.MarshalOptions{Deterministic: true}.Marshal(v)
	if err != nil {
		return "" // Only what isn't UTF-8 can't be encoded, and has not been decoded.
	}

	return "v" + string(b)
}
