// Package wire reads objects of the control plane in the bytes of messages: each is a
// google.protobuf.Struct, encoded as https://protobuf.dev/programming-guides/encoding says.
//
// Bytes are in plain form if tags and lengths are as short as they can be, all fields are
// known and there once at most, entries of maps have first their key, then their value, no
// map has a key twice, all text is UTF-8, and values are nested at most 1,000 deep. So
// libraries write them. A Checker says whether bytes are, and all else takes that for granted.
package wire

import (
	"bytes"
	"hash/maphash"
	"math/bits"
	"slices"
	"unicode/utf8"

	"google.golang.org/protobuf/encoding/protowire"
)

// Tags of fields: of items of a list and entries of a map in the message that has only these,
// and of the key and the value of such an entry.
const (
	Item  = 1<<3 | byte(protowire.BytesType)
	Key   = 1<<3 | byte(protowire.BytesType)
	Value = 2<<3 | byte(protowire.BytesType)
)

// Tags of the fields of a google.protobuf.Value, of which it has one or none.
const (
	Null   = 1<<3 | byte(protowire.VarintType)
	Number = 2<<3 | byte(protowire.Fixed64Type)
	String = 3<<3 | byte(protowire.BytesType)
	Bool   = 4<<3 | byte(protowire.VarintType)
	Struct = 5<<3 | byte(protowire.BytesType)
	List   = 6<<3 | byte(protowire.BytesType)
)

// Tags of the fields of a Resource: its object, connection details, and whether it is ready.
const (
	Object  = 1<<3 | byte(protowire.BytesType)
	Details = 2<<3 | byte(protowire.BytesType)
	Ready   = 3<<3 | byte(protowire.VarintType)
)

const maxDepth = 1000

// Cut the first of the length-delimited fields off that the supplied bytes are made of.
func Cut(b []byte) (body, rest []byte) {
	if n := int(b[1]); n < 0x80 {
		return b[2 : 2+n : 2+n], b[2+n:]
	}

	n, size := protowire.ConsumeVarint(b[1:])
	b = b[1+size:]

	return b[:n:n], b[n:]
}

// Count the length-delimited fields that the supplied bytes are made of.
func Count(b []byte) (n int) {
	for len(b) > 0 {
		_, b = Cut(b)
		n++
	}

	return n
}

// Entry returns the key and the value of the supplied entry of a map.
func Entry(b []byte) (key, value []byte) {
	key, rest := Cut(b)
	value, _ = Cut(rest)

	return key, value
}

// A Checker says whether bytes are in plain form. That takes time that grows with their
// length, and hardly more than that. It can be used again, but not by several at once.
type Checker struct {
	// keys of the maps that are being checked, inner ones last.
	keys [][]byte

	// slots of a table of keys by their hash: positions of keys, plus one.
	slots []uint32
}

// Field cuts the first field off the supplied bytes, which may be anything. It is false if that
// isn't a length-delimited field of a single-byte tag in plain form.
func Field(b []byte) (tag byte, body, rest []byte, ok bool) {
	if len(b) < 2 {
		return 0, nil, nil, false
	}

	tag = b[0]

	if n := int(b[1]); n < 0x80 {
		if b = b[2:]; n > len(b) {
			return 0, nil, nil, false
		}

		return tag, b[:n:n], b[n:], true
	}

	n, size := protowire.ConsumeVarint(b[1:])
	if size != protowire.SizeVarint(n) {
		return 0, nil, nil, false
	}

	if b = b[1+size:]; n > uint64(len(b)) {
		return 0, nil, nil, false
	}

	return tag, b[:n:n], b[n:], true
}

// FieldEntry returns the key and the value of the supplied entry of a map, which may be
// anything. It is false if that isn't an entry in plain form of a key that is text, whatever is
// in the value.
func FieldEntry(b []byte) (key, value []byte, ok bool) {
	tag, key, rest, ok := Field(b)
	if !ok || tag != Key || !utf8.Valid(key) {
		return nil, nil, false
	}

	tag, value, rest, ok = Field(rest)

	return key, value, ok && tag == Value && len(rest) == 0
}

// Resource is true if the supplied bytes are a Resource in plain form.
func (c *Checker) Resource(b []byte) bool {
	var object, ready bool

	details := len(c.keys)

	for len(b) > 0 {
		if b[0] == Ready {
			if ready || len(b) < 2 || b[1] >= 0x80 {
				return false
			}

			ready, b = true, b[2:]

			continue
		}

		tag, body, rest, ok := Field(b)

		switch {
		case !ok:
		case tag == Object && !object:
			object, ok = true, c.Struct(body)
		case tag == Details:
			_, ok = c.entry(body)
		default:
			ok = false
		}

		if !ok {
			return false
		}

		b = rest
	}

	return c.unique(details)
}

// Struct is true if the supplied bytes are a google.protobuf.Struct in plain form.
func (c *Checker) Struct(b []byte) bool { return c.fields(b, 0) }

// fields is true if the supplied bytes, at the supplied depth, are a google.protobuf.Struct in
// plain form.
func (c *Checker) fields(b []byte, depth int) bool {
	if depth > maxDepth {
		return false
	}

	begin := len(c.keys)

	// This is what takes the most time of a call, so it does without Field.
	for at := 0; at < len(b); {
		if b[at] != Item {
			return false
		}

		key, end := length(b, at+1)
		if end == 0 || key >= end || b[key] != Key {
			return false
		}

		key, value := length(b, key+1)
		if value == 0 || value >= end || b[value] != Value {
			return false
		}

		name := b[key:value]

		value, at = length(b, value+1)
		if at != end || !utf8.Valid(name) {
			return false
		}

		c.keys = append(c.keys, name)

		if !c.value(b[value:end:end], depth+1) {
			return false
		}
	}

	return c.unique(begin)
}

// length returns where what the length at the supplied position is of begins and ends, and zeros
// if that isn't a length in plain form.
func length(b []byte, at int) (begin, end int) {
	if at < len(b) && b[at] < 0x80 && at+1+int(b[at]) <= len(b) {
		return at + 1, at + 1 + int(b[at])
	}

	return longLength(b, at)
}

func longLength(b []byte, at int) (begin, end int) {
	if at >= len(b) {
		return 0, 0
	}

	n, size := protowire.ConsumeVarint(b[at:])
	if begin = at + size; size != protowire.SizeVarint(n) || n > uint64(len(b)-begin) {
		return 0, 0
	}

	return begin, begin + int(n)
}

// value is true if the supplied bytes, at the supplied depth, are a google.protobuf.Value in
// plain form.
func (c *Checker) value(b []byte, depth int) bool {
	if len(b) == 0 {
		return true
	}

	switch b[0] {
	case Null:
		return len(b) == 2 && b[1] == 0
	case Bool:
		return len(b) == 2 && b[1] <= 1
	case Number:
		return len(b) == 9
	}

	tag, body, rest, ok := Field(b)
	if !ok || len(rest) > 0 {
		return false
	}

	switch tag {
	case String:
		return utf8.Valid(body)
	case Struct:
		return c.fields(body, depth)
	case List:
		return c.items(body, depth)
	default:
		return false
	}
}

// items is fields for a google.protobuf.ListValue.
func (c *Checker) items(b []byte, depth int) bool {
	if depth > maxDepth {
		return false
	}

	for len(b) > 0 {
		tag, body, rest, ok := Field(b)
		if !ok || tag != Item || !c.value(body, depth+1) {
			return false
		}

		b = rest
	}

	return true
}

// entry returns the value of the supplied entry of the map that is checked. It is false if the
// entry isn't in plain form, but for what is in the value.
func (c *Checker) entry(b []byte) ([]byte, bool) {
	key, value, ok := FieldEntry(b)
	c.keys = append(c.keys, key)

	return value, ok
}

// few keys are compared each with each.
const few = 8

// seed of hashes, so that nobody can choose keys that have the same.
var seed = maphash.MakeSeed()

// unique is true if the map whose keys are those from the supplied position on has none of
// them twice. It has been checked then.
func (c *Checker) unique(from int) bool {
	keys := c.keys[from:]
	c.keys = c.keys[:from]

	if len(keys) > few {
		return c.uniqueByHash(keys)
	}

	for i, key := range keys {
		for _, other := range keys[:i] {
			if bytes.Equal(key, other) {
				return false
			}
		}
	}

	return true
}

// uniqueByHash is true if none of the supplied keys is there twice. The table is never more than
// half full.
func (c *Checker) uniqueByHash(keys [][]byte) bool {
	size := 2 << bits.Len(uint(len(keys)))
	c.slots = slices.Grow(c.slots[:0], size)[:size]
	clear(c.slots)

	for i, key := range keys {
		at := maphash.Bytes(seed, key) % uint64(size)

		for c.slots[at] != 0 {
			if bytes.Equal(keys[c.slots[at]-1], key) {
				return false
			}

			at = (at + 1) % uint64(size)
		}

		c.slots[at] = uint32(i) + 1
	}

	return true
}
