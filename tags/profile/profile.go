// Package profile has the tag profiles of clouds: the limits of each cloud's tags, and the format that makes
// keys legal there. A cloud is a row of the table in table.go, with the addresses of the documents.
package profile

import (
	"cmp"
	"fmt"
	"iter"
	"slices"
	"strings"
	"unicode/utf8"
)

// A Profile has a provider's limits for the tags of one resource.
type Profile struct {
	Name string

	// Source is the address of the document with the limits, or several with a space between them. A line of code has
	// its commit. Guess names the limits that no document has: these are cautious guesses.
	Source, Guess string

	// Key and Value are the greatest lengths of tag keys and of values.
	Key, Value Length

	// Entry is the greatest length of key, separator and value together.
	Entry Length

	// KeyClass and ValueClass are the classes of tag keys and of values. A class without a name
	// admits all.
	KeyClass, ValueClass Class

	// EntryClass is the class of key, separator and value together, on clouds whose tags are words:
	// at least three characters on Linode, so that it refuses "a=".
	EntryClass Class

	// Separator stands between key and value in such a word. Empty is a colon. A tag field may
	// have another separator, and the cloud may refuse its character: see CheckEntry.
	Separator string

	// MaxTags is the most tags that one resource may have. Each cloud has such a limit.
	MaxTags int

	// Reserved prefixes of keys compare without case, and are ASCII: aws:.
	Reserved []string

	// Unreserved keys are admitted though they start with a reserved prefix, such as
	// goog-partner-solution.
	Unreserved []string

	// Taken keys mean something to the cloud, or are a controller's own, such as networkArea. A * at the
	// end matches any rest, as in capg-*. They compare without case if the provider's keys do.
	Taken []string

	// ReservedValues are the provider's own, such as null on Azure. A * at the end matches any rest, as in aws:*. They compare
	// without case, and are ASCII in lower case.
	ReservedValues []string

	// FoldKeys reports whether keys compare without case: Env and env are one key on Azure.
	FoldKeys bool

	// FoldEntries reports whether the entries of a list of tags compare without case: env:Prod and
	// Env:prod are one tag on DigitalOcean.
	FoldEntries bool

	// Narrow reports whether the profile is a single service's, whose limits are narrower than the rest
	// of the provider's.
	Narrow bool

	// Format of keys, unless the input has another one for the provider.
	Format Format

	// HandsLabelsOn reports whether labels are handed on to be tags elsewhere. They keep their qualified keys,
	// without prefix and formats. Labels with reserved keys are left out, and there is no cap.
	HandsLabelsOn bool
}

// Noun returns the word for an entry of a field in messages: label if the profile hands labels on, and else tag.
func (p *Profile) Noun() string {
	if p.HandsLabelsOn {
		return "label"
	}

	return "tag"
}

// A Length is the greatest length of a key or a value. Zero is no limit.
type Length struct {
	Runes int
	Bytes int

	// BeforeSlash is the greatest number of runes before the one slash of a key. They don't count as Runes:
	// with Runes 63 and BeforeSlash 253, 200 characters may stand before the slash. If it is zero, a slash is a rune as any other.
	BeforeSlash int
}

// Admits reports whether the string is not too long.
func (l Length) Admits(s string) bool {
	if prefix, name, ok := strings.Cut(s, "/"); ok && l.BeforeSlash > 0 {
		return utf8.RuneCountInString(prefix) <= l.BeforeSlash && Length{Runes: l.Runes, Bytes: l.Bytes}.Admits(name)
	}

	// A string never has more runes than bytes, so most are not counted.
	if l.Runes > 0 && len(s) > l.Runes && utf8.RuneCountInString(s) > l.Runes {
		return false
	}

	return l.Bytes == 0 || len(s) <= l.Bytes
}

// String returns the limit in the words of messages: 63 characters and 128 bytes.
func (l Length) String() string {
	switch {
	case l.BeforeSlash > 0:
		return fmt.Sprintf("%d characters, and %d before a /", l.Runes, l.BeforeSlash)
	case l.Runes > 0 && l.Bytes > 0:
		return fmt.Sprintf("%d characters and %d bytes", l.Runes, l.Bytes)
	case l.Bytes > 0:
		return fmt.Sprintf("%d bytes", l.Bytes)
	default:
		return fmt.Sprintf("%d characters", l.Runes)
	}
}

// Of returns how long s is, in the units of the limit: 72 characters for a limit of 63 characters.
func (l Length) Of(s string) (out Length) {
	if prefix, name, ok := strings.Cut(s, "/"); ok && l.BeforeSlash > 0 {
		out.BeforeSlash, s = utf8.RuneCountInString(prefix), name
	}

	if l.Runes > 0 || l.Bytes == 0 {
		out.Runes = utf8.RuneCountInString(s)
	}

	if l.Bytes > 0 {
		out.Bytes = len(s)
	}

	return out
}

// Limit returns the profile's limit for the reason, in a few words: "at most 128 characters" for
// KeyTooLong on AWS.
func (p *Profile) Limit(reason SkipReason) string {
	switch reason {
	case ReservedKey:
		return "only a source with trusted: true may set it"
	case ReservedPrefix:
		limit := "reserved: " + strings.Join(slices.Concat(p.Reserved, p.Taken), ", ")
		if len(p.ReservedValues) > 0 {
			limit += ", values " + strings.Join(p.ReservedValues, ", ")
		}

		return limit
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
		return "allowed: " + p.values()
	case KeyCollision:
		if p.FoldKeys {
			return "another tag has the same key, ignoring case"
		}

		return "another label has the same tag key"
	case CountCap:
		return fmt.Sprintf("at most %d tags on a resource", p.MaxTags)
	default:
		return ""
	}
}

// values returns the names of the classes of values and entries.
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

// Check returns the first reason to skip a label, or nothing. The label has the qualified key, and would
// become the tag of key and value. The label aws:x is skipped as reserved even if its tag key is
// plexsphere:aws:x. An API knows only the tag: to ask whether it refuses the tag, give its key twice.
func (p *Profile) Check(qualified, key, value string) SkipReason {
	entry := p.CheckEntry(key, cmp.Or(p.Separator, ":"), value)

	switch {
	case p.Reserves(qualified) || p.Reserves(key) || p.Takes(key) || p.reservesValue(value):
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

// CheckEntry returns the reason why the cloud refuses key, separator and value as one word, or nothing.
// On Proxmox, "env" and "prod" may be env_prod, but not env=prod.
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

// Takes reports whether the tag key is in Taken, such as Name on Databricks.
func (p *Profile) Takes(key string) bool {
	key = p.Fold(key)

	return slices.ContainsFunc(p.Taken, func(taken string) bool { return matchesRest(p.Fold(taken), key) })
}

// reservesValue reports whether the value is in ReservedValues, such as NULL on Azure.
func (p *Profile) reservesValue(value string) bool {
	return slices.ContainsFunc(p.ReservedValues, func(reserved string) bool { return matchesRest(reserved, strings.ToLower(value)) })
}

// matchesRest reports whether the text is the pattern, or begins with it if the pattern ends in *.
func matchesRest(pattern, text string) bool {
	begin, hasStar := strings.CutSuffix(pattern, "*")
	return text == begin || hasStar && strings.HasPrefix(text, begin)
}

// Reserves reports whether the key starts with a prefix that the provider keeps to itself.
func (p *Profile) Reserves(key string) bool {
	return !slices.Contains(p.Unreserved, key) && slices.ContainsFunc(p.Reserved, func(prefix string) bool {
		return len(key) >= len(prefix) && strings.EqualFold(key[:len(prefix)], prefix)
	})
}

// IgnoresCase reports whether the provider compares keys or entries without case.
func (p *Profile) IgnoresCase() bool { return p.FoldKeys || p.FoldEntries }

// Fold returns the key in lower case if the provider compares keys or entries without case.
func (p *Profile) Fold(key string) string {
	if p.IgnoresCase() {
		return strings.ToLower(key)
	}

	return key
}

// SameKeys returns the keys that differ only in case from another one of the keys. For Owner, owner and env on a role of IAM, it
// returns Owner and owner. It returns nil unless FoldKeys is set.
func (p *Profile) SameKeys(keys iter.Seq[string]) map[string]bool {
	if !p.FoldKeys {
		return nil
	}

	first, same := make(map[string]string), make(map[string]bool)

	for key := range keys {
		switch other, ok := first[p.Fold(key)]; {
		case !ok:
			first[p.Fold(key)] = key
		case other != key:
			same[key], same[other] = true, true
		}
	}

	return same
}

// KeySet returns the set of the keys that the patterns match. The set compares keys without case if the
// provider does: Team* has team-a on Azure.
func (p *Profile) KeySet(patterns ...string) KeySet {
	return newKeySet(p.Fold, patterns)
}
