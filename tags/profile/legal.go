package profile

import (
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

	own, services := r.of(cloudOf(provider))

	reason := own.refusesPrefix(f)
	if reason == "" || slices.ContainsFunc(services, func(s service) bool { return s.profile.refusesPrefix(f) == "" }) {
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
