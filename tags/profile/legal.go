package profile

import (
	"cmp"
	"slices"
	"strings"
)

// PrefixLimit returns the provider's limit that refuses every key with the format's prefix, such as
// "reserved: aws:" for the prefix aws:x_. It is empty if some key can be legal on the provider or one of
// its services, or if the format has no prefix.
func (r Rules) PrefixLimit(provider string, f Format) string {
	if f.prefix == nil {
		return ""
	}

	return r.limit(provider, func(p *Profile) SkipReason { return p.refusesPrefix(f) })
}

// KeyLimit returns the provider's limit that refuses every key with the text anywhere in it, or nothing:
// on AWS, no key with # is legal.
func (r Rules) KeyLimit(provider, text string) string {
	return r.limit(provider, func(p *Profile) SkipReason {
		return refusesWithin(text, func(key string) SkipReason {
			reason := p.Check("", key, "a")
			if reason == ValueTooLong || reason == ValueCharacterClass {
				return ""
			}

			return reason
		})
	})
}

// ValueLimit returns the provider's limit that refuses every value with the text anywhere in it, or nothing.
func (r Rules) ValueLimit(provider, text string) string {
	return r.limit(provider, func(p *Profile) SkipReason {
		return refusesWithin(text, func(value string) SkipReason { return p.Check("", "a", value) })
	})
}

// limit returns the provider's limit for the reason that refuses returns. It is empty if the provider, or
// one of its services, refuses nothing.
func (r Rules) limit(provider string, refuses func(*Profile) SkipReason) string {
	l := r.choose(cloudOf(provider))

	reason := refuses(l.profile)
	if reason == "" || slices.ContainsFunc(l.all(), func(s service) bool { return refuses(s.profile) == "" }) {
		return ""
	}

	return l.profile.Limit(reason)
}

// refusesPrefix returns the reason why the profile refuses each key with the format's prefix, or nothing. It
// tries some keys: a key is legal by its characters, by its ends, and by the prefixes of reserved keys.
func (p *Profile) refusesPrefix(f Format) SkipReason {
	rests := []string{"a", "0", "", "a/a", ".a", "-a"}
	for _, key := range p.Unreserved {
		rests = append(rests, strings.TrimPrefix(key, *f.prefix))
	}

	var out SkipReason

	for i, rest := range rests {
		switch reason := p.Check("", f.Apply(*f.prefix+rest), "a"); {
		case reason == "" || reason == ValueTooLong || reason == ValueCharacterClass:
			return ""
		case i == 0:
			out = reason
		}
	}

	return out
}

// refusesWithin returns the reason why check refuses each string with the text, or nothing. It tries some
// strings: a-a, a-, -a and others for the text "-". Their reasons may differ: the reason for a-a counts.
func refusesWithin(text string, check func(string) SkipReason) (out SkipReason) {
	for _, before := range []string{"a", "", "a/"} {
		for _, after := range []string{"a", "", "/a"} {
			reason := check(before + text + after)
			if reason == "" {
				return ""
			}

			out = cmp.Or(out, reason)
		}
	}

	return out
}
