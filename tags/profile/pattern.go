package profile

import "strings"

// A Pattern is a text in which each * matches any run of characters: s3.*/v1 matches s3.aws/v1. The empty Pattern
// matches everything.
//
// +kubebuilder:validation:MinLength=1
type Pattern string

// String returns the pattern as it was written.
func (p Pattern) String() string { return string(p) }

// Matches reports whether the pattern matches the whole text.
func (p Pattern) Matches(text string) bool {
	first, rest, hasStar := strings.Cut(string(p), "*")
	if !hasStar {
		return p == "" || text == string(p)
	}

	text, ok := strings.CutPrefix(text, first)

	// Each part but the last matches where it first occurs, and the last one at the end.
	for ok {
		part, after, isFollowed := strings.Cut(rest, "*")
		if !isFollowed {
			return strings.HasSuffix(text, part)
		}

		_, text, ok = strings.Cut(text, part)
		rest = after
	}

	return false
}
