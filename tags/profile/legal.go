package profile

import (
	"cmp"
	"slices"
	"strings"
)

// PrefixLimit returns the provider's limit that refuses every key with the prefix of the format, which has one. An
// example is "reserved: aws:" for the prefix aws:x_. It is empty if some key can be legal on the provider or one of its
// services.
func (r Rules) PrefixLimit(provider string, f Format) string {
	return r.limit(provider, func(p *Profile) SkipReason { return p.refusesPrefix(f) })
}

// KeyLimit returns the provider's limit that refuses every key with the text anywhere in it, or nothing:
// on AWS, no key with # is legal.
func (r Rules) KeyLimit(provider, text string) string {
	return r.limit(provider, func(p *Profile) SkipReason { return firstRefusal(around(text), p.checkKey) })
}

// ValueLimit returns the provider's limit that refuses every value with the text anywhere in it, or nothing.
func (r Rules) ValueLimit(provider, text string) string {
	return r.limit(provider, func(p *Profile) SkipReason {
		return firstRefusal(around(text), func(value string) SkipReason { return p.Check("", "a", value) })
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

	return firstRefusal(rests, func(rest string) SkipReason { return p.checkKey(f.Apply(*f.prefix + rest)) })
}

// checkKey is Check for a tag key alone. A reason about the value or the entry doesn't count.
func (p *Profile) checkKey(key string) SkipReason {
	reason := p.Check("", key, "a")
	if reason == ValueTooLong || reason == ValueCharacterClass {
		return ""
	}

	return reason
}

// around returns some texts with the text in them: a-a, a-, -a and others for the text "-".
func around(text string) (out []string) {
	for _, before := range []string{"a", "", "a/"} {
		for _, after := range []string{"a", "", "/a"} {
			out = append(out, before+text+after)
		}
	}

	return out
}

// maxSearched is the most bytes of a text that FirstRefused searches. A longer text can only be a label that is handed on, since no cloud
// admits it.
const maxSearched = 1024

// FirstRefused returns the first character of text that admits refuses in its place, at the start, inside or at the end. It
// also returns its position, from 1. For "a b!" and a class of letters, both ends included, and inner spaces, it returns "!" and 4. It returns
// no character if no single one is at fault: the text is too short, or has to be one of a few texts.
func FirstRefused(text string, admits func(string) bool) (character string, position int) {
	if len(text) > maxSearched {
		return "", 0
	}

	characters := strings.Split(text, "") // A byte that isn't UTF-8 is a character, too.

	for i, c := range characters {
		before, after := []string{"a", "a/"}, []string{"a", "/a"}
		if i == 0 {
			before = []string{""}
		}

		if i == len(characters)-1 {
			after = []string{""}
		}

		// If even the letter a isn't admitted there, c proves nothing.
		if !admitsBetween(before, c, after, admits) && admitsBetween(before, "a", after, admits) {
			return c, i + 1
		}
	}

	return "", 0
}

// admitsBetween reports whether admits is true for the text between any of the texts before and any of the texts after.
func admitsBetween(before []string, text string, after []string, admits func(string) bool) bool {
	return slices.ContainsFunc(before, func(b string) bool {
		return slices.ContainsFunc(after, func(a string) bool { return admits(b + text + a) })
	})
}

// firstRefusal returns the reason why check refuses the first of the texts. It is empty if check admits any of them.
func firstRefusal(texts []string, check func(string) SkipReason) (first SkipReason) {
	for _, text := range texts {
		reason := check(text)
		if reason == "" {
			return ""
		}

		first = cmp.Or(first, reason)
	}

	return first
}
