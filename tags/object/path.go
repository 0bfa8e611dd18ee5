package object

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/crossplane/function-sdk-go/errors"
)

// A Segment of a path is the name of a field of an object, or the index of an item of a list. A [*] is a segment with the Field *.
type Segment struct {
	Field string

	// IsIndex reports whether the segment is the Index of an item. Otherwise, it is the name of a Field.
	IsIndex bool
	Index   uint
}

// Segments of a path.
type Segments []Segment

// String returns the path of these segments.
func (s Segments) String() string {
	var b strings.Builder

	for _, sg := range s {
		switch {
		case sg.IsIndex:
			fmt.Fprintf(&b, "[%d]", sg.Index)
		case isWildcard(sg), strings.ContainsRune(sg.Field, '.'):
			fmt.Fprintf(&b, "[%s]", sg.Field)
		default:
			b.WriteString("." + sg.Field)
		}
	}

	return strings.TrimPrefix(b.String(), ".")
}

// A Path leads to a field of an object, e.g. spec.forProvider.tags or
// metadata.annotations[example.org/team]. A [*] in it stands for every item of a list. The
// zero Path leads to the object itself.
//
// +kubebuilder:validation:Type=string
// +kubebuilder:validation:MinLength=1
type Path struct { //nolint:recvcheck // Only decoding and copying change one.
	text     string
	segments Segments
}

// ParsePath parses the path of one field.
func ParsePath(text string) (Path, error) {
	p, err := parse(text)
	if err == nil && p.HasWildcard() {
		return Path{}, fmt.Errorf("field path %q must lead to one field, without wildcards", text)
	}

	return p, err
}

// ParsePaths parses the path of one field, or of the same field in all items of lists, which
// [*] stands for.
func ParsePaths(text string) (Path, error) {
	if text == "*" || strings.HasPrefix(text, "*.") || strings.Contains(text, ".*") {
		return Path{}, errors.Errorf("field path %q: a * stands for items of a list only, as in spec.items[*].labels", text)
	}

	return parse(text)
}

// MustParsePath is ParsePaths for a path that is written in code. It panics if the text is no path.
func MustParsePath(text string) Path {
	p, err := parse(text)
	if err != nil {
		panic(err)
	}

	return p
}

func parse(text string) (Path, error) {
	segments, err := parseSegments(text)
	if err != nil {
		return Path{}, errors.Wrapf(err, "cannot parse field path %q", text)
	}

	if len(segments) == 0 {
		return Path{}, errors.New("a field path must not be empty")
	}

	return Path{text: text, segments: segments}, nil
}

// parseSegments parses names with dots between them, and names and indexes in brackets. It
// takes what Crossplane takes for a path, package fieldpath of crossplane-runtime, as that does.
func parseSegments(text string) (Segments, error) {
	out := make(Segments, 0, strings.Count(text, ".")+1)

	for pos := 0; pos < len(text); {
		switch text[pos] {
		case '.':
			if pos == 0 || pos == len(text)-1 {
				return nil, unexpected(text, pos)
			}

			pos++
			if text[pos] == '.' || text[pos] == '[' {
				return nil, unexpected(text, pos)
			}
		case '[':
			key, _, ok := strings.Cut(text[pos+1:], "]")
			if !ok {
				return nil, fmt.Errorf("unterminated '[' at position %d", pos)
			}

			pos++
			if key == "" {
				return nil, unexpected(text, pos)
			}

			if i := strings.IndexByte(key, '['); i >= 0 {
				return nil, unexpected(text, pos+i)
			}

			out = append(out, nameOrIndex(key))
			pos += len(key) + 1
		case ']':
			return nil, unexpected(text, pos)
		default:
			name := text[pos:]
			if i := strings.IndexAny(name, ".[]"); i >= 0 {
				name = name[:i]
			}

			out = append(out, Segment{Field: unquoted(name)})
			pos += len(name)
		}
	}

	return out, nil
}

func unexpected(text string, pos int) error {
	return fmt.Errorf("unexpected %q at position %d", text[pos], pos)
}

// nameOrIndex returns the segment in brackets: an index of 32 bits, or else a name.
func nameOrIndex(key string) Segment {
	if i, err := strconv.ParseUint(key, 10, 32); err == nil {
		return Segment{IsIndex: true, Index: uint(i)}
	}

	return Segment{Field: unquoted(key)}
}

func unquoted(name string) string { return strings.Trim(name, `'"`) }

// String returns the path as it was written.
func (p Path) String() string { return p.text }

// IsZero reports whether the path leads to the object itself.
func (p Path) IsZero() bool { return len(p.segments) == 0 }

// HasWildcard reports whether the path may lead to several fields.
func (p Path) HasWildcard() bool { return slices.ContainsFunc(p.segments, isWildcard) }

// Split returns the path of the list before the first [*], and the path within an item: spec.pools and labels for
// spec.pools[*].labels. For a path without a [*], it returns the path itself, and the zero Path.
func (p Path) Split() (list, item Path) {
	i := slices.IndexFunc(p.segments, isWildcard)
	if i < 0 {
		return p, Path{}
	}

	rest := p.segments[i+1:]

	return p.First(i), Path{text: rest.String(), segments: rest}
}

// Equal reports whether the other path was written in the same way.
func (p Path) Equal(other Path) bool { return p.text == other.text }

// Segments returns the names and indexes of the path. They must not be changed.
func (p Path) Segments() Segments { return p.segments }

// First returns the path of the first n segments: spec.forProvider for spec.forProvider.tags and 2.
func (p Path) First(n int) Path {
	return Path{text: p.segments[:n].String(), segments: p.segments[:n:n]}
}

// MarshalText returns the path as it was written.
func (p Path) MarshalText() ([]byte, error) { return []byte(p.text), nil } //nolint:unparam // The interface has an error.

// UnmarshalText parses a path, which may have wildcards.
func (p *Path) UnmarshalText(text []byte) (err error) {
	*p, err = parse(string(text))
	return err
}

// DeepCopyInto makes out the same path. Paths don't change, so that copies share the segments.
func (p *Path) DeepCopyInto(out *Path) { *out = *p }

func isWildcard(s Segment) bool { return !s.IsIndex && s.Field == "*" }

// isItem reports whether the segment stands for items of a list.
func isItem(s Segment) bool { return s.IsIndex || isWildcard(s) }
