// Package profile has the tag profiles of clouds: which tags each admits, and how keys become
// legal there. A file per cloud says it, with the documents that it is from.
package profile

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

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

	// EntryClass is what key, separator and value together look like, on clouds whose tags
	// are words.
	EntryClass Class

	// Separator of key and value in such a word. A tag field may have another one, of
	// which the cloud may not admit what it admits of this one. Empty is a colon.
	Separator string

	// MaxTags is the most tags that one resource may have.
	MaxTags int

	// Reserved prefixes of keys, which match without case and are ASCII.
	Reserved []string

	// Unreserved keys are admitted though they start with a reserved prefix.
	Unreserved []string

	// Taken are tag keys, or beginnings of tag keys and a *, that mean something to the cloud
	// or that a controller sets itself. They match as the provider tells keys apart.
	Taken []string

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

	// HandsOn is true if labels are handed on to be tags elsewhere: under their qualified keys, without
	// prefix and formats, and without those with reserved keys. No resource has too many of them.
	HandsOn bool
}

// Noun is what messages call an entry of a field with the profile.
func (p *Profile) Noun() string {
	if p.HandsOn {
		return "label"
	}

	return "tag"
}

// A Length is the most that a key or a value may measure. Zero is no limit.
type Length struct {
	Runes int
	Bytes int

	// Prefix is how many runes may stand before the one slash that a key may have.
	// They don't count as Runes. Zero is no such prefix.
	Prefix int
}

// Admits is true if the string is not too long.
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

// Limit says in a few words what the profile admits where it skips a label for the reason r.
func (p *Profile) Limit(r SkipReason) string {
	switch r {
	case ReservedKey:
		return "only a source with trusted: true may set it"
	case ReservedPrefix:
		return "reserved: " + strings.Join(slices.Concat(p.Reserved, p.Taken), ", ")
	case KeyTooLong:
		return "at most " + p.Key.String()
	case ValueTooLong:
		return p.longest()
	case KeyCharacterClass:
		return "allowed: " + p.KeyClass.Name
	case ValueCharacterClass:
		return "allowed: " + p.values()
	case KeyCollision:
		return "another label has the same tag key"
	case CountCap:
		return fmt.Sprintf("at most %d tags on a resource", p.MaxTags)
	default:
		return ""
	}
}

// longest says how long values may be, or entries if these have a limit.
func (p *Profile) longest() string {
	if p.Entry != (Length{}) {
		return "at most " + p.Entry.String() + " with the key"
	}

	return "at most " + p.Value.String()
}

// values says what values and entries may look like.
func (p *Profile) values() string {
	switch {
	case p.EntryClass.Name == "":
		return p.ValueClass.Name
	case p.ValueClass.Name == "":
		return p.EntryClass.Name + " with the key"
	default:
		return p.ValueClass.Name + ", also between key and value"
	}
}

// Check returns the first reason to skip the label that has the qualified key and would become
// the tag, or nothing. An API that the tag comes to knows the tag's key only: for what it refuses,
// the qualified key is that key.
func (p *Profile) Check(qualified, key, value string) SkipReason {
	entry := p.CheckEntry(key, cmp.Or(p.Separator, ":"), value)

	switch {
	case p.Reserves(qualified) || p.Reserves(key) || p.Takes(key):
		return ReservedPrefix
	case !p.Key.Admits(key):
		return KeyTooLong
	case !p.Value.Admits(value) || entry == ValueTooLong:
		return ValueTooLong
	case key == "" || !p.KeyClass.Admits(key):
		return KeyCharacterClass
	case !p.ValueClass.Admits(value):
		return ValueCharacterClass
	default:
		return entry
	}
}

// CheckEntry returns why the cloud doesn't admit the word that key, separator and value are together,
// or nothing.
func (p *Profile) CheckEntry(key, separator, value string) SkipReason {
	switch {
	case p.Entry != (Length{}) && !p.Entry.Admits(key+separator+value):
		return ValueTooLong
	case p.EntryClass.Name != "" && !p.EntryClass.Admits(key+separator+value):
		return ValueCharacterClass
	default:
		return ""
	}
}

// Takes is true if the tag key is one of those that are taken.
func (p *Profile) Takes(key string) bool {
	for _, taken := range p.Taken {
		taken, begins := strings.CutSuffix(p.Fold(taken), "*")
		if folded := p.Fold(key); folded == taken || begins && strings.HasPrefix(folded, taken) {
			return true
		}
	}

	return false
}

// Reserves is true if the key starts with a prefix that the provider keeps to itself.
func (p *Profile) Reserves(key string) bool {
	return !slices.Contains(p.Unreserved, key) && slices.ContainsFunc(p.Reserved, func(prefix string) bool {
		return len(key) >= len(prefix) && strings.EqualFold(key[:len(prefix)], prefix)
	})
}

// IgnoresCase is true if the provider takes keys or entries that differ only in case for one.
func (p *Profile) IgnoresCase() bool { return p.FoldKeys || p.FoldEntries }

// Fold the case of the key if the provider takes keys or entries that differ only in case for one.
func (p *Profile) Fold(key string) string {
	if p.IgnoresCase() {
		return strings.ToLower(key)
	}

	return key
}

// KeySet returns the set of the keys that the patterns match, by what the provider takes for one key.
func (p *Profile) KeySet(patterns ...string) KeySet {
	if p.IgnoresCase() {
		return newKeySet(unicode.ToLower, patterns)
	}

	return NewKeySet(patterns...)
}
