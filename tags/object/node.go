package object

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"iter"
	"math"

	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/known/structpb"

	"github.com/plexsphere/function-cloud-tags/tags/object/wire"
)

// A Node is an immutable value within an object, such as the string at metadata.name, or the whole object. The zero Node stands for
// a value that isn't there. It isn't the same as null: see IsThere and IsNull.
type Node struct {
	// tag of the field that the value has of a google.protobuf.Value, or 0 if it has none,
	// and the body of that field: the text of a string, or the fields of a
	// google.protobuf.Struct or ListValue. The body is nil if the value isn't there.
	tag  byte
	body []byte
}

// NodeOf returns the value v as a Node. It returns the zero Node if v is nil. Text that isn't UTF-8 panics: protobuf, JSON and
// YAML have none. It reads values of the pipeline's context, which a codec leaves in bytes, as Of reads resources.
func NodeOf(v *structpb.Value) Node {
	switch b := v.ProtoReflect().GetUnknown(); {
	case v == nil:
		return Node{}
	case len(b) > 0 && v.GetKind() == nil:
		return nodeOf(b)
	default:
		return nodeOf(encode([]byte{}, v))
	}
}

// ValueOfBytes returns a value with the bytes b, as SetBytes does for a resource.
func ValueOfBytes(b []byte) *structpb.Value {
	v := &structpb.Value{}
	v.ProtoReflect().SetUnknown(b)

	return v
}

// Value returns the node as a *structpb.Value, or nil if it isn't there. It decodes all that is below the node.
func (n Node) Value() *structpb.Value {
	switch {
	case n.body == nil:
		return nil
	case n.tag == wire.String:
		return structpb.NewStringValue(string(n.body))
	case n.tag == wire.Struct:
		fields := make(map[string]*structpb.Value, n.Len())
		for name, field := range n.Fields() {
			fields[string(name)] = field.Value()
		}

		return structpb.NewStructValue(&structpb.Struct{Fields: fields})
	case n.tag == wire.List:
		items := make([]*structpb.Value, 0, n.Len())
		for item := range n.Items() {
			items = append(items, item.Value())
		}

		return structpb.NewListValue(&structpb.ListValue{Values: items})
	case n.tag == wire.Number:
		return structpb.NewNumberValue(math.Float64frombits(binary.LittleEndian.Uint64(n.body)))
	case n.tag == wire.Bool:
		return structpb.NewBoolValue(n.body[0] != 0)
	case n.tag == wire.Null:
		return structpb.NewNullValue()
	default:
		return &structpb.Value{}
	}
}

// Kind returns the type of the value with an article for messages, such as "a string", "an object" or "a list", or "null".
func (n Node) Kind() string {
	number, _ := protowire.DecodeTag(uint64(n.tag))
	return kinds[number]
}

// IsNull reports whether the value is null, or isn't there.
func (n Node) IsNull() bool { return n.tag == 0 || n.tag == wire.Null }

// IsString reports whether the value is a string.
func (n Node) IsString() bool { return n.tag == wire.String }

// HasKind reports whether the value is null, a number, a string, a boolean, an object or a list. It is false for a missing value, and
// for an empty google.protobuf.Value.
func (n Node) HasKind() bool { return n.tag != 0 }

// IsThere reports whether there is a value, even null or an empty google.protobuf.Value.
func (n Node) IsThere() bool { return n.body != nil }

// IsObject reports whether the value can have fields.
func (n Node) IsObject() bool { return n.tag == wire.Struct }

// IsList reports whether the value can have items.
func (n Node) IsList() bool { return n.tag == wire.List }

// IsEmpty reports whether the value has neither fields nor items. It is true for {}, [], a missing value, and also for any string,
// number or boolean.
func (n Node) IsEmpty() bool { return len(n.body) == 0 || !n.IsObject() && !n.IsList() }

// Len returns how many fields an object has, or how many items a list has. It is 0 for any other value.
func (n Node) Len() int {
	if n.IsEmpty() {
		return 0
	}

	return wire.Count(n.body)
}

// Equal reports whether the values are the same. Fields may have any order.
func (n Node) Equal(other Node) bool {
	switch {
	case n.tag != 0 && n.tag == other.tag && bytes.Equal(n.body, other.body):
		return true
	case n.IsString() && other.IsString():
		return false
	case n.IsList() && other.IsList():
		return equalItems(n.body, other.body)
	default: // The same fields can have another order, and numbers two zeros.
		return proto.Equal(n.Value(), other.Value())
	}
}

// equalItems compares the bodies of two lists item by item. The trees of two long lists would take a hundred times their bytes.
func equalItems(a, b []byte) bool {
	for len(a) > 0 && len(b) > 0 {
		var item, other []byte

		item, a = wire.Cut(a)
		if other, b = wire.Cut(b); !nodeOf(item).Equal(nodeOf(other)) {
			return false
		}
	}

	return len(a) == len(b)
}

// Text returns the text of a string, and an empty one for any other value.
func (n Node) Text() string {
	if n.tag == wire.String {
		return string(n.body)
	}

	return ""
}

// Interned returns the text of the value, as Text does. If texts has an equal string, it returns that one, so that many equal
// values share one string. Otherwise the text becomes one of texts.
func (n Node) Interned(texts map[string]string) string {
	if n.tag != wire.String {
		return n.Text()
	}

	text, ok := texts[string(n.body)]
	if !ok {
		text = string(n.body)
		texts[text] = text
	}

	return text
}

// Part returns a string with the bytes of the string n from the position from up to the position to: for env=prod, 4 and 8, it
// returns prod. It copies nothing.
func (n Node) Part(from, to int) Node { return Node{tag: wire.String, body: n.body[from:to:to]} }

// IsText reports whether the value is the string text.
func (n Node) IsText(text string) bool { return n.tag == wire.String && string(n.body) == text }

// Fields yields the fields of an object by name, in no order, and nothing for any other value. A name must not be kept.
func (n Node) Fields() iter.Seq2[[]byte, Node] {
	return func(yield func(name []byte, n Node) bool) {
		if n.tag != wire.Struct {
			return
		}

		for body := n.body; len(body) > 0; {
			var entry []byte
			entry, body = wire.Cut(body)

			if name, v := wire.Entry(entry); !yield(name, nodeOf(v)) {
				return
			}
		}
	}
}

// FieldMap returns the fields of an object by name, and no fields for any other value.
func (n Node) FieldMap() map[string]Node {
	fields := make(map[string]Node, n.Len())
	for name, v := range n.Fields() {
		fields[string(name)] = v
	}

	return fields
}

// Items yields the items of a list, in order, and nothing for any other value.
func (n Node) Items() iter.Seq[Node] {
	return func(yield func(n Node) bool) {
		if n.tag != wire.List {
			return
		}

		for body := n.body; len(body) > 0; {
			var v []byte
			if v, body = wire.Cut(body); !yield(nodeOf(v)) {
				return
			}
		}
	}
}

// Field returns the value of the field called name. It returns the zero Node if n is no object, or has no such field.
func (n Node) Field(name string) Node {
	if n.tag != wire.Struct {
		return Node{}
	}

	if rest, _, value := wire.Find(n.body, name); len(rest) > 0 {
		return nodeOf(value)
	}

	return Node{}
}

// Object returns the node as an Object, or the zero Object if it is another value.
func (n Node) Object() Object {
	if !n.IsObject() {
		return Object{}
	}

	return Object{}.with(n)
}

// JSONSize returns how many bytes the JSON of the value has, or some number above the limit if these are more.
func (n Node) JSONSize(limit int) int {
	if !n.IsObject() && !n.IsList() {
		j, _ := json.Marshal(n.Value().AsInterface()) //nolint:errchkjson // Only NaN has no JSON.
		return len(j)
	}

	size := len("{") // After each field and item there is a comma, or the other bracket.

	for name, v := range n.Fields() {
		if size += TextNode(string(name)).JSONSize(limit) + len(":") + v.JSONSize(limit-size) + len(","); size > limit {
			return size
		}
	}

	for item := range n.Items() {
		if size += item.JSONSize(limit-size) + len(","); size > limit {
			return size
		}
	}

	return max(size, len("{}"))
}

// child that the segment of a path leads to. It is an error if the value can't have such children.
func (n Node) child(sg Segment) (Node, error) {
	switch {
	case sg.IsIndex && !n.IsList():
		return Node{}, fmt.Errorf("is %s, not a list", n.Kind())
	case !sg.IsIndex && !n.IsObject():
		return Node{}, fmt.Errorf("is %s, not an object", n.Kind())
	case !sg.IsIndex:
		return n.Field(sg.Field), nil
	}

	i := uint(0)
	for item := range n.Items() {
		if i == sg.Index {
			return item, nil
		}

		i++
	}

	return Node{}, nil
}

// nodeOf returns the node of the google.protobuf.Value b.
func nodeOf(b []byte) Node {
	if len(b) == 0 {
		return Node{body: b}
	}

	switch b[0] {
	case wire.String, wire.Struct, wire.List:
		_, size := protowire.ConsumeVarint(b[1:]) // The field is all that there is.
		return Node{tag: b[0], body: b[1+size:]}
	default:
		return Node{tag: b[0], body: b[1:]}
	}
}
