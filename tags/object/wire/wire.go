// Package wire reads objects of the control plane in the bytes of messages: each is a
// google.protobuf.Struct, encoded as https://protobuf.dev/programming-guides/encoding says.
//
// Bytes are in plain form if tags and lengths are as short as they can be, all fields are
// known and there once at most, entries of maps have first their key, then their value, no
// map has a key twice, all text is UTF-8, and messages are nested as deep as protobuf decodes
// them. So libraries write them. A Resource may end with fields that nobody knew when this was written.
// A Checker says whether bytes are in plain form, and all else takes that for granted.
package wire

import (
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

// Numbers of the last fields that are known of a Resource, and of messages that have only one:
// Resources and Schema.
const (
	LastOfResource = 3
	LastOfOne      = 1
)

// Cut cuts the first field off b, which is made of length-delimited fields.
func Cut(b []byte) (body, rest []byte) {
	_, body, rest, _ = Field(b)
	return body, rest
}

// Count returns how many length-delimited fields b is made of.
func Count(b []byte) (n int) {
	for len(b) > 0 {
		_, b = Cut(b)
		n++
	}

	return n
}

// Find finds the entry with the key in b, which has the entries of a map and nothing else. It returns the bytes from this
// entry on, the bytes after the entry, and the value of the entry. If there is no such entry, from is empty.
func Find(b []byte, key string) (from, behind, value []byte) {
	for from = b; len(from) > 0; from = behind {
		var entry []byte
		entry, behind = Cut(from)

		if name, v := Cut(entry); string(name) == key {
			value, _ = Cut(v)
			return from, behind, value
		}
	}

	return from, from, nil
}

// FindObject finds the object of the Resource b. It returns the bytes from the object on, the bytes after the object, and the
// fields of the object. If there is no object, from is empty.
func FindObject(b []byte) (from, behind, body []byte) {
	for from = b; len(from) > 0; {
		switch from[0] {
		case Object:
			body, behind = Cut(from)
			return from, behind, body
		case Details:
			_, from = Cut(from)
		case Ready:
			from = from[2:]
		default:
			return nil, nil, nil // Nobody knows what else there is.
		}
	}

	return nil, nil, nil
}

// Entry returns the key and the value of the entry b of a map. It checks nothing: b must be in plain form. For other bytes, see
// FieldEntry.
func Entry(b []byte) (key, value []byte) {
	key, rest := Cut(b)
	value, _ = Cut(rest)

	return key, value
}

// Field cuts the first field off b, which may be any bytes. It takes the field for a length-delimited one: callers compare the
// tag with one of the constants. It returns false unless the length is in plain form and within b. For bytes in plain form, see
// Cut.
func Field(b []byte) (tag byte, body, rest []byte, ok bool) {
	from, to := length(b, 1)
	if to == 0 {
		return 0, nil, nil, false
	}

	return b[0], b[from:to:to], b[to:], true
}

// Unknown returns the length of the first field of b, which may be anything. It is zero unless the number of the field
// is above last, the tag is in plain form, and the field is well-formed. Newer versions of a message have such fields.
func Unknown(b []byte, last protowire.Number) int {
	number, kind, size := protowire.ConsumeTag(b)
	if number <= last || !number.IsValid() || size != protowire.SizeTag(number) {
		return 0
	}

	n := protowire.ConsumeFieldValue(number, kind, b[size:])
	if n < 0 {
		return 0
	}

	return size + n
}

// OnlyUnknown reports whether b has nothing but fields that Unknown finds.
func OnlyUnknown(b []byte, last protowire.Number) bool {
	for len(b) > 0 {
		n := Unknown(b, last)
		if n == 0 {
			return false
		}

		b = b[n:]
	}

	return true
}

// FieldEntry returns the key and the value of the entry b of a map, where b may be any bytes. It returns false unless b has
// exactly a key, which is text, and a value, which may be any bytes. A Checker calls FieldEntry, and whoever reads checked bytes
// calls Entry.
func FieldEntry(b []byte) (key, value []byte, ok bool) {
	tag, key, rest, ok := Field(b)
	if !ok || tag != Key || !utf8.Valid(key) {
		return nil, nil, false
	}

	tag, value, rest, ok = Field(rest)

	return key, value, ok && tag == Value && len(rest) == 0
}

// length reads the length at the position at. It returns the positions of the first byte with that length and of the byte after the
// last. It returns zeros if the length isn't in plain form or leads beyond b.
func length(b []byte, at int) (from, to int) {
	if at < len(b) && b[at] < 0x80 && at+1+int(b[at]) <= len(b) {
		return at + 1, at + 1 + int(b[at]) // So most are, and this takes less time.
	}

	if at >= len(b) {
		return 0, 0
	}

	n, size := protowire.ConsumeVarint(b[at:])
	if from = at + size; size != protowire.SizeVarint(n) || n > uint64(len(b)-from) { //nolint:gosec // It is a length.
		return 0, 0
	}

	return from, from + int(n) //nolint:gosec // It is no more than the length of the bytes.
}
