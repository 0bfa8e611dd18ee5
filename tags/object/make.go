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
		body = n.appendItem(body)
	}

	return Node{tag: wire.List, body: body}
}

// Append returns the list n, which may be null, with the items behind its own.
func (n Node) Append(items ...Node) Node {
	var body []byte
	if n.IsList() {
		body = n.body
	}

	return Node{tag: wire.List, body: slices.Concat(body, ListNode(items).body)}
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
