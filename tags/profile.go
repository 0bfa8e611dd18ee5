package tags

import (
	"fmt"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Generic is the name of the tag profile of every provider that has none of its
// own.
const Generic = "generic"

// A Length is the most that a key or a value may measure. Zero is no limit.
type Length struct {
	Runes int
	Bytes int
}

// Admits is true if the supplied string is not too long.
func (l Length) Admits(s string) bool {
	// A string never has more runes than bytes, so most are not counted.
	if l.Runes > 0 && len(s) > l.Runes && utf8.RuneCountInString(s) > l.Runes {
		return false
	}

	return l.Bytes == 0 || len(s) <= l.Bytes
}

// String is how messages put the limit.
func (l Length) String() string {
	switch {
	case l.Runes > 0 && l.Bytes > 0:
		return fmt.Sprintf("%d characters and %d bytes", l.Runes, l.Bytes)
	case l.Bytes > 0:
		return fmt.Sprintf("%d bytes", l.Bytes)
	default:
		return fmt.Sprintf("%d characters", l.Runes)
	}
}

// A Class is a set of characters.
type Class struct {
	// Name is how messages put the class.
	Name string

	has func(r rune) bool
}

// Admits is true if the class has every character of the supplied string, which
// must be UTF-8.
func (c Class) Admits(s string) bool {
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

	return true
}

// A Profile is what a provider admits as tags of one resource.
type Profile struct {
	Name string

	// Key and Value are the greatest lengths of tag keys and of values.
	Key, Value Length

	// KeyClass is the characters of which tag keys may consist.
	KeyClass Class

	// MaxTags is the most tags that one resource may have.
	MaxTags int

	// Reserved prefixes of keys, which match without case and are ASCII.
	Reserved []string
}

var (
	strict = Class{
		Name: "ASCII letters and digits and - _ . : /",
		has: func(r rune) bool {
			return isASCIIAlphanumeric(r) || r == '-' || r == '_' || r == '.' || r == ':' || r == '/'
		},
	}

	letters = Class{
		Name: "letters, digits, space and + - = . _ : / @",
		has: func(r rune) bool {
			return unicode.IsLetter(r) || unicode.IsDigit(r) || strings.ContainsRune(" +-=._:/@", r)
		},
	}

	printable = Class{
		Name: "anything but control characters",
		has:  func(r rune) bool { return !unicode.IsControl(r) },
	}
)

// profiles are the tag profiles, sorted by name.
var profiles = []*Profile{
	{
		// https://docs.aws.amazon.com/tag-editor/latest/userguide/tagging.html
		Name:     "aws",
		Key:      Length{Runes: 128},
		Value:    Length{Runes: 256},
		KeyClass: letters,
		MaxTags:  50,
		Reserved: []string{"aws:"},
	},
	{
		// What no provider that we know refuses, for the ones we don't know.
		Name:     Generic,
		Key:      Length{Runes: 63},
		Value:    Length{Runes: 255},
		KeyClass: strict,
		MaxTags:  32,
	},
	{
		// https://docs.hetzner.cloud/reference/cloud#labels, but with the colon
		// and the slash that the keys of all our tags have.
		Name:     "hetzner",
		Key:      Length{Runes: 63},
		Value:    Length{Runes: 63},
		KeyClass: strict,
		MaxTags:  64,
	},
	{
		// https://docs.openstack.org/api-ref/compute/#create-or-update-server-metadata-items
		Name:     "openstack",
		Key:      Length{Bytes: 255},
		Value:    Length{Bytes: 255},
		KeyClass: printable,
		MaxTags:  50,
	},
}

// Profiles returns all tag profiles, sorted by name.
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

// Skip the label of which the supplied tag was made.
func (p *Profile) Skip(t Tag, r SkipReason) SkippedLabel {
	return SkippedLabel{QualifiedKey: t.QualifiedKey, TagKey: t.Key, Provider: p.Name, Reason: r}
}

// Limit says in a few words what the profile admits where it skips a label for the
// supplied reason.
func (p *Profile) Limit(r SkipReason) string {
	switch r {
	case ReservedPrefix:
		return "reserved: " + strings.Join(p.Reserved, ", ")
	case KeyTooLong:
		return "at most " + p.Key.String()
	case ValueTooLong:
		return "at most " + p.Value.String()
	case KeyCharacterClass:
		return "allowed: " + p.KeyClass.Name
	case CountCap:
		return fmt.Sprintf("at most %d tags on a resource", p.MaxTags)
	default:
		return ""
	}
}

// check returns the first reason to skip the supplied tag, or none.
func (p *Profile) check(t Tag) SkipReason {
	switch {
	case p.reserves(t.QualifiedKey) || p.reserves(t.Key):
		return ReservedPrefix
	case !p.Key.Admits(t.Key):
		return KeyTooLong
	case !p.Value.Admits(t.Value):
		return ValueTooLong
	case t.Key == "" || !p.KeyClass.Admits(t.Key):
		return KeyCharacterClass
	default:
		return ""
	}
}

func (p *Profile) reserves(key string) bool {
	return slices.ContainsFunc(p.Reserved, func(prefix string) bool {
		return len(key) >= len(prefix) && strings.EqualFold(key[:len(prefix)], prefix)
	})
}

func isASCIIAlphanumeric(r rune) bool {
	return r >= '0' && r <= '9' || r >= 'A' && r <= 'Z' || r >= 'a' && r <= 'z'
}
