package expression

import (
	"regexp"
)

// A Regexp is a regular expression as CEL and Go read it (RE2), which matches whole texts. The zero Regexp
// matches everything: nobody has given one.
//
// +kubebuilder:validation:Type=string
// +kubebuilder:validation:MinLength=1
// +kubebuilder:validation:MaxLength=512
type Regexp struct { //nolint:recvcheck // Only decoding and copying change one.
	text  string
	whole *regexp.Regexp
}

// ParseRegexp parses a regular expression. An error says what is wrong with it, or that it has too many
// steps.
func ParseRegexp(text string) (Regexp, error) {
	if _, err := programSize(text); err != nil {
		return Regexp{}, err
	}

	var err error

	out := Regexp{text: text}
	out.whole, err = regexp.Compile(out.Whole())

	return out, err
}

// Whole returns a regular expression for other readers of RE2. It matches a text if r matches the whole text.
func (r Regexp) Whole() string { return "^(?:" + r.text + ")$" }

// String returns the regular expression as it was written.
func (r Regexp) String() string { return r.text }

// IsZero reports whether nobody has given the regular expression.
func (r Regexp) IsZero() bool { return r.whole == nil }

// Equal reports whether other has the same text.
func (r Regexp) Equal(other Regexp) bool { return r.text == other.text }

// Matches reports whether the regular expression matches the whole text.
func (r Regexp) Matches(text string) bool { return r.IsZero() || r.whole.MatchString(text) }

// MarshalText returns the regular expression as it was written.
func (r Regexp) MarshalText() ([]byte, error) { return []byte(r.text), nil } //nolint:unparam // The interface has an error.

// UnmarshalText parses a regular expression.
func (r *Regexp) UnmarshalText(text []byte) (err error) {
	*r, err = ParseRegexp(string(text))
	return err
}

// DeepCopyInto makes out the same regular expression. It doesn't change, so that copies share the program.
func (r *Regexp) DeepCopyInto(out *Regexp) { *out = *r }
