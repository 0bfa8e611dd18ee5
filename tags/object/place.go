package object

import (
	"slices"

	"google.golang.org/protobuf/encoding/protowire"

	"github.com/plexsphere/function-cloud-tags/tags/object/wire"
)

// A place is where a value is in the bytes of a resource, or where it would be.
type place struct {
	// way to the value, through all that it is within: the resource, its object, and
	// objects in that.
	way []level

	// value that is there, if any is.
	value Node
}

// A level is a message on the way to a value.
type level struct {
	// body of the message, and where in it the next one's field is, or would be.
	body     []byte
	from, to int

	// isObject is false of the resource. name is that of the next one in an object.
	isObject bool
	name     string

	// size of what becomes of the body, and of the value or message in the field.
	size, inner int
}

// find the place at the path of the segments, or as far as the path leads through objects: it ends before what
// isn't there, and before items of lists. The depth is how many segments were followed.
func (o Object) find(segments Segments) (p place, depth int) {
	l := level{body: o.resource}
	l.from, l.to, p.value = l.object()
	p.way = append(make([]level, 0, 8), l) //nolint:mnd // Most paths are shorter.

	for ; depth < len(segments); depth++ {
		sg := segments[depth]
		if sg.Type == SegmentIndex || isWildcard(sg) || !p.value.IsObject() {
			return p, depth
		}

		l := level{body: p.value.body, isObject: true, name: sg.Field}

		var v Node
		l.from, l.to, v = l.field(sg.Field)

		p.way, p.value = append(p.way, l), v

		if l.from == l.to {
			return p, depth + 1
		}
	}

	return p, depth
}

// object of a resource, and where it is in that: before all fields that nobody knows.
func (l *level) object() (from, to int, _ Node) {
	if rest, behind, body := wire.FindObject(l.body); len(rest) > 0 {
		return len(l.body) - len(rest), len(l.body) - len(behind), Node{tag: wire.Struct, body: body}
	}

	return 0, 0, Node{tag: wire.Struct, body: l.body[:0]}
}

// field returns the field called name of an object, and where it is in that.
func (l *level) field(name string) (from, to int, _ Node) {
	if rest, behind, value := wire.Find(l.body, name); len(rest) > 0 {
		return len(l.body) - len(rest), len(l.body) - len(behind), nodeOf(value)
	}

	return len(l.body), len(l.body), Node{}
}

// update what is at the place, which so many segments of a path have led to, as Update does.
func (p place) update(o Object, segments Segments, depth int, f func(Node) (Node, error)) (_ Object, changed bool, _ error) {
	out, err := p.value.updated(segments, depth, f)

	switch {
	case err != nil:
		return Object{}, false, err
	case out.is(p.value):
		return o, false, nil
	case !out.IsThere():
		return Object{resource: p.put(0, nil)}, true, nil
	default:
		return Object{resource: p.put(out.Size(), out.appendTo)}, true, nil
	}
}

// put a value there that has so many bytes and is appended by the function, or nothing without one.
// It returns the bytes of the resource.
func (p place) put(inner int, value func(to []byte) []byte) []byte {
	isThere := func(i int) bool { return i < len(p.way)-1 || value != nil }

	for i, l := range slices.Backward(p.way) {
		l.inner, l.size = inner, len(l.body)-(l.to-l.from)
		if isThere(i) {
			l.size += l.fieldSize()
		}

		if inner = l.size; i > 1 {
			inner = 1 + protowire.SizeBytes(l.size)
		}

		p.way[i] = l
	}

	out := make([]byte, 0, p.way[0].size)

	for i, l := range p.way {
		if i > 1 {
			out = appendLength(append(out, wire.Struct), l.size)
		}

		out = append(out, l.body[:l.from]...)

		if isThere(i) {
			out = l.appendField(out)
		}
	}

	if value != nil {
		out = value(out)
	}

	for _, l := range slices.Backward(p.way) {
		out = append(out, l.body[l.to:]...)
	}

	return out
}

// fieldSize is the size of the next message's field.
func (l *level) fieldSize() int {
	if l.isObject {
		return 1 + protowire.SizeBytes(entrySize(l.name, l.inner))
	}

	return 1 + protowire.SizeBytes(l.inner)
}

// appendField appends the field of the next message, up to that.
func (l *level) appendField(to []byte) []byte {
	if l.isObject {
		return appendEntry(to, l.name, l.inner)
	}

	return appendLength(append(to, wire.Item), l.inner)
}

func appendLength(to []byte, n int) []byte { return protowire.AppendVarint(to, uint64(n)) } //nolint:gosec // It is a length.

// Size of the value in bytes.
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

// appendItem appends the bytes of the value as an item of a list.
func (n Node) appendItem(to []byte) []byte {
	return n.appendTo(appendLength(append(to, wire.Item), n.Size()))
}
