package object

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/crossplane/crossplane-runtime/v2/pkg/fieldpath"
	"github.com/crossplane/function-sdk-go/errors"
)

// A Path leads to a field of an object, e.g. spec.forProvider.tags or
// metadata.annotations[example.org/team]. A [*] in it stands for every item of a list. The
// zero Path leads to the object itself.
//
// +kubebuilder:validation:Type=string
// +kubebuilder:validation:MinLength=1
type Path struct { //nolint:recvcheck // Only decoding and copying change one.
	text     string
	segments fieldpath.Segments
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

// MustParsePath parses a path that is known to be one. It panics if it is none.
func MustParsePath(text string) Path {
	p, err := parse(text)
	if err != nil {
		panic(err)
	}

	return p
}

func parse(text string) (Path, error) {
	if p, ok := parsePlain(text); ok {
		return p, nil
	}

	segments, err := fieldpath.Parse(text)
	if err != nil {
		return Path{}, errors.Wrapf(err, "cannot parse field path %q", text)
	}

	if len(segments) == 0 {
		return Path{}, errors.New("a field path must not be empty")
	}

	return Path{text: text, segments: segments}, nil
}

// parsePlain parses names, and first items of lists, with dots between them, as most paths
// are. The library's lexer is a goroutine, which makes for a slow start.
func parsePlain(text string) (Path, bool) {
	p := Path{text: text}

	for name := range strings.SplitSeq(text, ".") {
		name, isList := strings.CutSuffix(name, "[0]")
		if name == "" || strings.ContainsAny(name, `[]'"`) {
			return Path{}, false
		}

		p.segments = append(p.segments, fieldpath.Field(name))

		if isList {
			p.segments = append(p.segments, fieldpath.Segment{Type: fieldpath.SegmentIndex})
		}
	}

	return p, true
}

// String is the path as it was written.
func (p Path) String() string { return p.text }

// IsZero is true if the path leads to the object itself.
func (p Path) IsZero() bool { return len(p.segments) == 0 }

// HasWildcard is true if the path may lead to several fields.
func (p Path) HasWildcard() bool { return slices.ContainsFunc(p.segments, isWildcard) }

// Equal is true if the other path was written in the same way.
func (p Path) Equal(other Path) bool { return p.text == other.text }

// Segments are the names and indexes of which the path is made. They must not be changed.
func (p Path) Segments() fieldpath.Segments { return p.segments }

// First is the path of so many of its segments.
func (p Path) First(n int) Path {
	return Path{text: p.segments[:n].String(), segments: p.segments[:n:n]}
}

// MarshalJSON encodes the path as it was written.
func (p Path) MarshalJSON() ([]byte, error) { return json.Marshal(p.text) }

// UnmarshalJSON parses a path, which may have wildcards.
func (p *Path) UnmarshalJSON(b []byte) error {
	var text string
	if err := json.Unmarshal(b, &text); err != nil {
		return err
	}

	var err error

	*p, err = parse(text)

	return err
}

// DeepCopyInto makes the supplied path the same as this one. Paths don't change, so that
// copies can share what was parsed.
func (p *Path) DeepCopyInto(out *Path) { *out = *p }

func isWildcard(s fieldpath.Segment) bool { return s.Type == fieldpath.SegmentField && s.Field == "*" }
