package tags

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Generic is the name of the tag profile of every provider that has none of its
// own.
const Generic = "generic"

// A Profile is what a provider admits as tags of one resource.
type Profile struct {
	Name string

	// Key and Value are the greatest lengths of tag keys and of values.
	Key, Value Length

	// Entry is the greatest length of key, separator and value together.
	Entry Length

	// KeyClass and ValueClass are the characters that tag keys and values may
	// have. A class without a name admits all.
	KeyClass, ValueClass Class

	// MaxTags is the most tags that one resource may have.
	MaxTags int

	// Reserved prefixes of keys, which match without case and are ASCII.
	Reserved []string

	// Unreserved keys are admitted though they start with a reserved prefix.
	Unreserved []string

	// FoldKeys is true if keys that differ only in case are one key.
	FoldKeys bool

	// FoldEntries is true if the entries of a list of tags that differ only in
	// case are one entry.
	FoldEntries bool

	// Narrow is true if the profile is that of a single service, which admits less
	// than the rest of the provider does.
	Narrow bool

	// Format of keys, unless the input has another one for the provider.
	Format Format
}

// A Length is the most that a key or a value may measure. Zero is no limit.
type Length struct {
	Runes int
	Bytes int

	// Prefix is how many runes may stand before the one slash that a key may have.
	// They don't count as Runes. Zero is no such prefix.
	Prefix int
}

// Admits is true if the supplied string is not too long.
func (l Length) Admits(s string) bool {
	if prefix, name, ok := strings.Cut(s, "/"); ok && l.Prefix > 0 {
		return utf8.RuneCountInString(prefix) <= l.Prefix && Length{Runes: l.Runes, Bytes: l.Bytes}.Admits(name)
	}

	// A string never has more runes than bytes, so most are not counted.
	if l.Runes > 0 && len(s) > l.Runes && utf8.RuneCountInString(s) > l.Runes {
		return false
	}

	return l.Bytes == 0 || len(s) <= l.Bytes
}

// String is how messages put the limit.
func (l Length) String() string {
	switch {
	case l.Prefix > 0:
		return fmt.Sprintf("%d characters, and %d before a /", l.Runes, l.Prefix)
	case l.Runes > 0 && l.Bytes > 0:
		return fmt.Sprintf("%d characters and %d bytes", l.Runes, l.Bytes)
	case l.Bytes > 0:
		return fmt.Sprintf("%d bytes", l.Bytes)
	default:
		return fmt.Sprintf("%d characters", l.Runes)
	}
}

// A Class is what strings of a set of characters look like.
type Class struct {
	// Name is how messages put the class.
	Name string

	has func(r rune) bool

	// first and last characters are narrowed to these, if they are set.
	first, last func(r rune) bool

	// segments is true if the string may be two of its class with a slash between.
	segments bool

	// one, start and end are the predicates again, as regular expressions of one
	// character. The start and the end are of the class.
	one, start, end string
}

// Pattern is the RE2 regular expression of the strings that the class has, for
// programs that can't call Admits. It is empty for a class that has all.
func (c Class) Pattern() string {
	if c.Name == "" {
		return ""
	}

	if c.start == "" && c.end == "" && !c.segments {
		return "^" + c.one + "*$"
	}

	part := cmp.Or(c.start, c.one) + c.one + "*"
	if c.end != "" {
		part = cmp.Or(c.start, c.end) + "(" + c.one + "*" + c.end + ")?"
	}

	if c.segments {
		part += "(/" + part + ")?"
	}

	return "^(" + part + ")?$"
}

// Admits is true if the class has the supplied string. What is not UTF-8 is in no
// class. The empty string is in all.
func (c Class) Admits(s string) bool {
	if c.Name == "" || s == "" {
		return true
	}

	if c.segments {
		if prefix, name, ok := strings.Cut(s, "/"); ok {
			c.segments = false
			return prefix != "" && name != "" && c.Admits(prefix) && c.Admits(name)
		}
	}

	for i, r := range s {
		if !c.has(r) {
			return false
		}

		// What isn't UTF-8 also ranges as this rune, but is one byte long.
		if r == utf8.RuneError {
			if _, size := utf8.DecodeRuneInString(s[i:]); size == 1 {
				return false
			}
		}
	}

	first, _ := utf8.DecodeRuneInString(s)
	last, _ := utf8.DecodeLastRuneInString(s)

	return (c.first == nil || c.first(first)) && (c.last == nil || c.last(last))
}

// Profiles returns the tag profiles of the contract and of the providers beyond it,
// sorted by name.
func Profiles() []*Profile { return slices.Clone(profiles) }

// ProfileNames returns the names of all tag profiles, sorted.
func ProfileNames() []string {
	names := make([]string, len(profiles))
	for i, p := range profiles {
		names[i] = p.Name
	}

	return names
}

// ProfileOf returns the tag profile of the supplied provider, which matches
// without case. A provider that has none gets the generic profile.
func ProfileOf(provider string) *Profile {
	var generic *Profile

	for _, p := range profiles {
		if strings.EqualFold(p.Name, provider) {
			return p
		}

		if p.Name == Generic {
			generic = p
		}
	}

	return generic
}

// Rules are a choice between tag profiles where there is more than one.
type Rules string

const (
	// Contract rules are those of the tag profiles that Profiles returns.
	Contract Rules = "Contract"

	// Cloud rules are those of the clouds' own APIs, where these admit less or
	// more than the contract.
	Cloud Rules = "Cloud"
)

// ProfileOf returns the tag profile of the supplied provider. The service names
// what kind of resource is tagged, where some kinds admit less than others. It may
// be empty, and is one of those that Services returns or has no meaning.
func (r Rules) ProfileOf(provider, service string) *Profile {
	p := ProfileOf(provider)
	if r != Cloud {
		return p
	}

	if narrow, ok := cloudServices[p.Name+"/"+service]; ok {
		return narrow
	}

	if cloud, ok := cloudProfiles[p.Name]; ok {
		return cloud
	}

	return p
}

// Skip the label of which the supplied tag was made.
func (p *Profile) Skip(t Tag, r SkipReason) SkippedLabel {
	return SkippedLabel{QualifiedKey: t.QualifiedKey, TagKey: t.Key, Provider: p.Name, Reason: r}
}

// Limit says in a few words what the profile admits where it skips a label for the
// supplied reason.
func (p *Profile) Limit(r SkipReason) string {
	switch r {
	case ReservedKey:
		return "only trusted sources may claim it, and nobody a key that providers set"
	case ReservedPrefix:
		return "reserved: " + strings.Join(p.Reserved, ", ")
	case KeyTooLong:
		return "at most " + p.Key.String()
	case ValueTooLong:
		if p.Entry != (Length{}) {
			return "at most " + p.Entry.String() + " with the key"
		}

		return "at most " + p.Value.String()
	case KeyCharacterClass:
		return "allowed: " + p.KeyClass.Name
	case ValueCharacterClass:
		return "allowed: " + p.ValueClass.Name
	case KeyCollision:
		return "another label has the same tag key"
	case CountCap:
		return fmt.Sprintf("at most %d tags on a resource", p.MaxTags)
	default:
		return ""
	}
}

// check returns the first reason to skip the supplied tag, or none.
func (p *Profile) check(t Tag) SkipReason {
	switch {
	case p.Reserves(t.QualifiedKey) || p.Reserves(t.Key):
		return ReservedPrefix
	case !p.Key.Admits(t.Key):
		return KeyTooLong
	case !p.Value.Admits(t.Value) || p.Entry != (Length{}) && !p.Entry.Admits(t.Key+":"+t.Value):
		return ValueTooLong
	case t.Key == "" || !p.KeyClass.Admits(t.Key):
		return KeyCharacterClass
	case !p.ValueClass.Admits(t.Value):
		return ValueCharacterClass
	default:
		return ""
	}
}

// Reserves is true if the supplied key starts with a prefix that the provider keeps
// to itself.
func (p *Profile) Reserves(key string) bool {
	return !slices.Contains(p.Unreserved, key) && slices.ContainsFunc(p.Reserved, func(prefix string) bool {
		return len(key) >= len(prefix) && strings.EqualFold(key[:len(prefix)], prefix)
	})
}

// Fold the case of the supplied key if the provider takes keys or entries that differ
// only in case for one.
func (p *Profile) Fold(key string) string {
	if p.FoldKeys || p.FoldEntries {
		return strings.ToLower(key)
	}

	return key
}

// KeySet returns the set of the keys that the supplied patterns match, by what the
// provider takes for one key.
func (p *Profile) KeySet(patterns ...string) KeySet {
	if p.FoldKeys || p.FoldEntries {
		return newKeySet(unicode.ToLower, patterns)
	}

	return NewKeySet(patterns...)
}

func isAlphanumeric(r rune) bool {
	return r >= '0' && r <= '9' || r >= 'A' && r <= 'Z' || r >= 'a' && r <= 'z'
}

func isLetterOrDigit(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) }

// isLabelLetter is true for letters that have no upper case form to be.
func isLabelLetter(r rune) bool { return unicode.In(r, unicode.Ll, unicode.Lo) }
