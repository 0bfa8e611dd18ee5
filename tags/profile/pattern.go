package profile

import "strings"

// A Pattern is a text in which each * stands for any run of characters. The zero Pattern
// matches everything: nobody has given one.
//
// +kubebuilder:validation:Type=string
// +kubebuilder:validation:MinLength=1
type Pattern struct { //nolint:recvcheck // Only decoding and copying change one.
	text string

	// parts of the text between the stars.
	parts []string
}

// NewPattern returns the pattern that the text is. Every text is one.
func NewPattern(text string) Pattern {
	return Pattern{text: text, parts: strings.Split(text, "*")}
}

// String is the pattern as it was written.
func (p Pattern) String() string { return p.text }

// IsZero is true if nobody has given the pattern.
func (p Pattern) IsZero() bool { return p.text == "" }

// Equal is true if the other pattern has the same text.
func (p Pattern) Equal(other Pattern) bool { return p.text == other.text }

// Matches is true if the pattern matches the whole text.
func (p Pattern) Matches(text string) bool {
	// Without a star, there is one part at most.
	if len(p.parts) < 2 {
		return p.IsZero() || text == p.text
	}

	rest, ok := strings.CutPrefix(text, p.parts[0])
	if !ok {
		return false
	}

	// Each part but the last matches where it first occurs, and the last one at the end.
	last := len(p.parts) - 1

	for _, part := range p.parts[1:last] {
		_, after, found := strings.Cut(rest, part)
		if !found {
			return false
		}

		rest = after
	}

	return strings.HasSuffix(rest, p.parts[last])
}

// MarshalText encodes the pattern as it was written.
func (p Pattern) MarshalText() ([]byte, error) { return []byte(p.text), nil } //nolint:unparam // encoding.TextMarshaler.

// UnmarshalText parses a pattern.
func (p *Pattern) UnmarshalText(text []byte) error { //nolint:unparam // encoding.TextUnmarshaler.
	*p = NewPattern(string(text))
	return nil
}

// DeepCopyInto makes out the same as this pattern. Patterns don't change, so that copies can share
// what was parsed.
func (p *Pattern) DeepCopyInto(out *Pattern) { *out = *p }
