package object

import (
	"maps"
	"slices"

	"google.golang.org/protobuf/encoding/protowire"

	"github.com/plexsphere/function-cloud-tags/tags/object/wire"
)

// TextNode returns the string text as a value.
func TextNode(text string) Node { return Node{tag: wire.String, body: []byte(text)} }

// MapNode returns an object with the fields. Equal fields give equal bytes.
func MapNode(fields map[string]Node) Node {
	size := 0
	for name, n := range fields {
		size += 1 + protowire.SizeBytes(entrySize(name, n.Size()))
	}

	body := make([]byte, 0, size)

	for _, name := range slices.Sorted(maps.Keys(fields)) {
		n := fields[name]
		body = n.appendTo(appendEntry(body, name, n.Size()))
	}

	return Node{tag: wire.Struct, body: body}
}

// ListNode returns a list of the items.
func ListNode(items []Node) Node {
	size := 0
	for _, n := range items {
		size += 1 + protowire.SizeBytes(n.Size())
	}

	body := make([]byte, 0, size)
	for _, n := range items {
		body = n.appendTo(appendLength(append(body, wire.Item), n.Size()))
	}

	return Node{tag: wire.List, body: body}
}

// Append returns the list n, which may be null, with the items after its own.
func (n Node) Append(items ...Node) Node {
	var body []byte
	if n.IsList() {
		body = n.body
	}

	return Node{tag: wire.List, body: slices.Concat(body, ListNode(items).body)}
}

// with returns the object n, which may be null, with the value v of the field called name, or without the field if v isn't
// there.
func (n Node) with(name string, v Node) Node {
	var body []byte
	if n.IsObject() {
		body = n.body
	}

	from, behind, _ := wire.Find(body, name)
	before := body[:len(body)-len(from)]
	out := append(make([]byte, 0, len(body)+1+protowire.SizeBytes(entrySize(name, v.Size()))), before...)

	if v.IsThere() {
		out = v.appendTo(appendEntry(out, name, v.Size()))
	}

	return Node{tag: wire.Struct, body: append(out, behind...)}
}

// with returns the resource of o with the object n in the place of its own, or without one if n isn't there. The object
// comes before all fields that nobody knows.
func (o Object) with(n Node) Object {
	var before []byte

	from, behind, _ := wire.FindObject(o.resource)
	if len(from) > 0 {
		before = o.resource[:len(o.resource)-len(from)]
	} else {
		behind = o.resource
	}

	out := append(make([]byte, 0, len(before)+n.Size()+len(behind)), before...)

	if n.IsThere() {
		out = append(appendLength(append(out, wire.Object), len(n.body)), n.body...)
	}

	return Object{resource: append(out, behind...)}
}

// appendEntry appends the start of an object's field, up to its value of so many bytes.
func appendEntry(to []byte, name string, value int) []byte {
	to = appendLength(append(to, wire.Item), entrySize(name, value))
	to = append(appendLength(append(to, wire.Key), len(name)), name...)

	return appendLength(append(to, wire.Value), value)
}

// entrySize returns the bytes of an object's field with a value of so many bytes.
func entrySize(name string, value int) int {
	return 1 + protowire.SizeBytes(len(name)) + 1 + protowire.SizeBytes(value)
}

func appendLength(to []byte, n int) []byte { return protowire.AppendVarint(to, uint64(n)) } //nolint:gosec // It is a length.

// Size returns the number of bytes of the value as a google.protobuf.Value. JSONSize counts bytes of JSON.
func (n Node) Size() int {
	switch n.tag {
	case wire.String, wire.Struct, wire.List:
		return 1 + protowire.SizeBytes(len(n.body))
	case 0:
		return len(n.body)
	default:
		return 1 + len(n.body)
	}
}

// appendTo appends the bytes of the value.
func (n Node) appendTo(to []byte) []byte {
	switch n.tag {
	case wire.String, wire.Struct, wire.List:
		to = appendLength(append(to, n.tag), len(n.body))
	case 0:
	default:
		to = append(to, n.tag)
	}

	return append(to, n.body...)
}
