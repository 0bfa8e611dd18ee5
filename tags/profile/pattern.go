package profile

import "strings"

// A Pattern is a text whose * match any run of characters: s3.*/v1 matches s3.aws/v1. The zero Pattern
// matches everything: nobody has given one.
//
// +kubebuilder:validation:Type=string
// +kubebuilder:validation:MinLength=1
type Pattern struct { //nolint:recvcheck // Only decoding and copying change one.
	text string

	// parts are the texts between the stars.
	parts []string
}

// NewPattern returns the text as a pattern. Every text is one.
func NewPattern(text string) Pattern {
	return Pattern{text: text, parts: strings.Split(text, "*")}
}

// String returns the pattern as it was written.
func (p Pattern) String() string { return p.text }

// IsZero reports whether nobody has given the pattern.
func (p Pattern) IsZero() bool { return p.text == "" }

// Equal reports whether the other pattern has the same text.
func (p Pattern) Equal(other Pattern) bool { return p.text == other.text }

// Matches reports whether the pattern matches the whole text.
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

// DeepCopyInto makes out the same as this pattern. Patterns don't change, so copies share the parts.
func (p *Pattern) DeepCopyInto(out *Pattern) { *out = *p }
