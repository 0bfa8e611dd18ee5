package wire

import (
	"bytes"
	"hash/maphash"
	"math/bits"
	"slices"
	"unicode/utf8"

	"google.golang.org/protobuf/encoding/protowire"
)

// maxDepth is how many messages protobuf decodes, each in the one before.
const maxDepth = protowire.DefaultRecursionLimit

// A Checker tells whether bytes are in plain form. The time grows with the number of bytes, and hardly faster. A Checker can be
// used again, but not by several goroutines at once.
//
// Nothing takes as much of the time of a call as this. So it goes by positions in the bytes,
// and keeps positions only.
type Checker struct {
	b []byte

	// keys of the maps that are being checked, inner ones last.
	keys []key

	// slots of a table of keys by their hash: positions of keys, plus one.
	slots []uint32
}

// A key is where a key begins and ends.
type key struct{ from, to int }

// Resource reports whether b is a Resource in plain form. It is the field of a message that is so many messages deep: a resource of a State
// in a request is 3 deep, since an entry of a map is a message, too.
func (c *Checker) Resource(b []byte, depth int) bool {
	c.b, c.keys = b, c.keys[:0]

	var object, ready bool

	for at := 0; at < len(b); {
		if b[at] == Ready {
			if ready || at+1 == len(b) || b[at+1] >= 0x80 {
				return false
			}

			ready, at = true, at+2

			continue
		}

		from, to := length(b, at+1)

		switch {
		case b[at] == Object && to > 0 && !object:
			if object = true; !c.items(Struct, from, to, depth+2) {
				return false
			}
		case b[at] == Details && to > 0:
			if c.entry(from, to) == 0 {
				return false
			}
		case OnlyUnknown(b[at:], LastOfResource):
			to = len(b)
		default:
			return false
		}

		at = to
	}

	return c.unique(0)
}

// Struct reports the same of a google.protobuf.Struct.
func (c *Checker) Struct(b []byte, depth int) bool {
	c.b, c.keys = b, c.keys[:0]
	return c.items(Struct, 0, len(b), depth+1)
}

// items reports whether the bytes between the positions at and end are a message in plain form that is so many messages deep: the
// entries of a google.protobuf.Struct if tag is Struct, or else the values of a google.protobuf.ListValue.
func (c *Checker) items(tag byte, at, end, depth int) bool {
	if depth > maxDepth {
		return false
	}

	b, begin := c.b, len(c.keys)

	depth++
	if tag == Struct {
		depth++ // An entry is a message, too.
	}

	for at < end {
		if b[at] != Item {
			return false
		}

		value, to := length(b, at+1)
		if to == 0 || to > end {
			return false
		}

		if tag == Struct {
			value = c.entry(value, to)
		}

		if value == 0 || !c.value(value, to, depth) {
			return false
		}

		at = to
	}

	return tag != Struct || c.unique(begin)
}

// value reports the same of a google.protobuf.Value.
func (c *Checker) value(at, end, depth int) bool {
	if at == end || depth > maxDepth {
		return depth <= maxDepth
	}

	b := c.b

	switch b[at] {
	case Null:
		return end == at+2 && b[at+1] == 0
	case Bool:
		return end == at+2 && b[at+1] <= 1
	case Number:
		return end == at+9
	}

	from, to := length(b, at+1)
	if to != end {
		return false
	}

	switch b[at] {
	case String:
		return utf8.Valid(b[from:to])
	case Struct, List:
		return c.items(b[at], from, to, depth+1)
	default:
		return false
	}
}

// entry returns the position of the value in the entry of a map between the positions, or zero if the entry isn't in plain form.
// It doesn't check the value itself.
func (c *Checker) entry(at, end int) int {
	b := c.b
	if at == end || b[at] != Key {
		return 0
	}

	from, to := length(b, at+1)
	if to == 0 || to >= end || b[to] != Value || !utf8.Valid(b[from:to]) {
		return 0
	}

	value, last := length(b, to+1)
	if last != end {
		return 0
	}

	c.keys = append(c.keys, key{from: from, to: to})

	return value
}

// seed of hashes: nobody can choose keys with one hash.
var seed = maphash.MakeSeed()

// fewKeys is the most keys of which each is compared with each: most maps of a resource have fewer, and hashes take longer.
const fewKeys = 8

// unique reports whether no two keys from the position begin on are the same, and forgets these keys. The table is never more
// than half full.
func (c *Checker) unique(begin int) bool {
	keys := c.keys[begin:]
	c.keys = c.keys[:begin]

	if len(keys) <= fewKeys {
		return c.uniqueFew(keys)
	}

	size := 2 << bits.Len(uint(len(keys)))
	c.slots = slices.Grow(c.slots[:0], size)[:size]
	clear(c.slots)

	for i, k := range keys {
		name := c.b[k.from:k.to]
		at := maphash.Bytes(seed, name) % uint64(size) //nolint:gosec // It is a length.

		for c.slots[at] != 0 {
			other := keys[c.slots[at]-1]
			if bytes.Equal(c.b[other.from:other.to], name) {
				return false
			}

			at = (at + 1) % uint64(size) //nolint:gosec // As above.
		}

		c.slots[at] = uint32(i) + 1
	}

	return true
}

// uniqueFew reports whether no two of a few keys are the same.
func (c *Checker) uniqueFew(keys []key) bool {
	for i, k := range keys {
		for _, other := range keys[:i] {
			if bytes.Equal(c.b[other.from:other.to], c.b[k.from:k.to]) {
				return false
			}
		}
	}

	return true
}
