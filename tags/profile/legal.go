package profile

import (
	"cmp"
	"slices"
	"strings"
)

// PrefixLimit is what the provider admits by these rules, in the words of messages, if no key with
// the format's prefix can be legal, and empty if any can, or if the format has no prefix. Services
// of the provider may admit what the provider doesn't.
func (r Rules) PrefixLimit(provider string, f Format) string {
	if f.prefix == nil {
		return ""
	}

	return r.limit(provider, func(p *Profile) SkipReason { return p.refusesPrefix(f) })
}

// KeyLimit is the same if no key can be legal in which a format has put the text.
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

// ValueLimit is the same if no value can be legal in which a format has put the text.
func (r Rules) ValueLimit(provider, text string) string {
	return r.limit(provider, func(p *Profile) SkipReason {
		return refusesWithin(text, func(value string) SkipReason { return p.Check("", "a", value) })
	})
}

// limit is what the provider admits, if it and all of its services refuse something.
func (r Rules) limit(provider string, refuses func(*Profile) SkipReason) string {
	own, services := r.of(cloudOf(provider))

	reason := refuses(own)
	if reason == "" || slices.ContainsFunc(services, func(s service) bool { return refuses(s.profile) == "" }) {
		return ""
	}

	return own.Limit(reason)
}

// refusesPrefix returns why keys with the format's prefix are refused, whatever follows it, or
// nothing. Whether keys are legal depends on their characters, their ends and what they start with.
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

// refusesWithin returns why what has the text is refused, whatever stands around it, or nothing: the
// reason is that of the text between two letters.
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
