package tagset

import (
	"cmp"
	"fmt"

	"github.com/plexsphere/function-cloud-tags/tags/profile"
)

// Fault returns the part of the label's tag that breaks a limit, if fields of the kind can't have the tag for the reason: "72 characters" for
// value-too-long, and `"!" at character 5` for value-character-class. It is empty for other reasons, and if no single character is at fault.
func (k FieldKind) Fault(reason profile.SkipReason, qualifiedKey, key, value string) string {
	check := func(key, value string) profile.SkipReason {
		if reason := k.Profile.Check(qualifiedKey, key, value); reason != "" {
			return reason
		}

		reason, _ := k.Refuses(key, value)

		return reason
	}

	switch reason {
	case profile.KeyTooLong:
		return k.Profile.Key.Of(key).String()
	case profile.ValueTooLong:
		return k.valueLength(key, value).String()
	case profile.KeyCharacterClass:
		return fault(profile.FirstRefused(key, func(s string) bool { return check(s, value) != reason }))
	case profile.ValueCharacterClass:
		return fault(profile.FirstRefused(value, func(s string) bool { return check(key, s) != reason }))
	case profile.ReservedKey, profile.ReservedPrefix, profile.KeyCollision, profile.CountCap:
	}

	return ""
}

// valueLength returns how long the value is, or the entry of key and value if the limit that they break is the entry's.
func (k *FieldKind) valueLength(key, value string) profile.Length {
	p := k.Profile

	switch {
	case !p.Value.Admits(value):
		return p.Value.Of(value)
	case p.Entry != (profile.Length{}):
		return p.Entry.Of(key + cmp.Or(p.Separator, ":") + value)
	case k.Shape.Form().HasStrings:
		return profile.Length{}.Of(key + k.Separator + value)
	default:
		return profile.Length{}.Of(value)
	}
}

// fault returns the character and its position for messages, or nothing if there is no position.
func fault(character string, position int) string {
	if position == 0 {
		return ""
	}

	return fmt.Sprintf("%q at character %d", character, position)
}
