package stamp

import (
	"slices"

	"github.com/plexsphere/function-cloud-tags/tags"
	"github.com/plexsphere/function-cloud-tags/tags/profile"
	"github.com/plexsphere/function-cloud-tags/tags/resolve"
	"github.com/plexsphere/function-cloud-tags/tags/tagset"
)

// A matcher stands for consecutive entries of removeTags or ignoreTags that differ only in key and value. It matches the tags that any of
// these entries names.
type matcher struct {
	// isRetain reports whether the entries have onConflict Retain. isUntrusted reports whether their keys come from a field, such as
	// spec.removeTags of the XR.
	isRetain, isUntrusted bool

	// keys has the keys that match with any value.
	keys profile.KeySet

	// keysByValue has the keys that match with one value only, by this value. For {key: env, value: test}, test has the key env.
	keysByValue map[string]profile.KeySet
}

// newMatchers returns the matchers for entries of removeTags or ignoreTags. They match keys as the cloud of the labels does: on Azure, the
// entry env matches the tag Env. If several matchers match a tag, the first one counts. For the entries
// owner, team and env, of which env is from a field of the XR, newMatchers returns a matcher with owner and team, and a matcher with env.
func newMatchers(transformed *tags.Transformed, entries []resolve.TagPattern) []matcher {
	out := []matcher{}

	for len(entries) > 0 {
		first := entries[0]

		// The matcher gets entries up to the first one that isn't like the first entry.
		count := slices.IndexFunc(entries, func(e resolve.TagPattern) bool { return e.Retain != first.Retain || e.Untrusted != first.Untrusted })
		if count < 0 {
			count = len(entries)
		}

		patterns, patternsByValue := []string{}, make(map[string][]string)

		for _, entry := range entries[:count] {
			if entry.Value == nil {
				patterns = append(patterns, entry.Key)
			} else {
				patternsByValue[*entry.Value] = append(patternsByValue[*entry.Value], entry.Key)
			}
		}

		m := matcher{isRetain: first.Retain, isUntrusted: first.Untrusted, keys: transformed.KeySet(patterns...), keysByValue: make(map[string]profile.KeySet)}
		for value, patterns := range patternsByValue {
			m.keysByValue[value] = transformed.KeySet(patterns...)
		}

		out = append(out, m)
		entries = entries[count:]
	}

	return out
}

// matches reports whether the matcher has the key of the tag e, with any value or with the value of e.
func (m *matcher) matches(e *tagset.Entry) bool {
	if m.keys.Has(e.Key) {
		return true
	}

	text, ok := e.Text()

	return ok && m.keysByValue[text].Has(e.Key)
}

// firstMatch returns the first matcher that matches the tag e and may touch it, or nil. An untrusted matcher may not touch a tag with a
// protected key. If only such matchers match e, firstMatch returns nil and this key. For example, owner is a reserved key, and removeTags
// has owner from a field of the XR. For the tag owner: me, firstMatch returns nil and owner. If the input itself has owner in removeTags,
// too, it returns the matcher of the input.
func (l *Labels) firstMatch(matchers []matcher, e *tagset.Entry) (found *matcher, protected string) {
	for i := range matchers {
		m := &matchers[i]

		switch {
		case !m.matches(e):
			continue
		case l.setByProvider(e): // No matcher touches a provider's own tags.
			return nil, ""
		case !m.isUntrusted:
			return m, ""
		}

		if protected = l.protectedKey(e); protected == "" {
			return m, ""
		}
	}

	return nil, protected
}

// namesKey reports whether any of the matchers has the key of e, whatever the value, and may touch the tag.
func (l *Labels) namesKey(matchers []matcher, e *tagset.Entry) bool {
	return slices.ContainsFunc(matchers, func(m matcher) bool {
		isNamed := m.keys.Has(e.Key)
		for _, keys := range m.keysByValue {
			isNamed = isNamed || keys.Has(e.Key)
		}

		return isNamed && (!m.isUntrusted || l.protectedKey(e) == "")
	})
}

// firstNaming returns the first of the entries that names the tag, or nil. For the tag team/a and the entries owner, team/* and team/a, it
// returns team/*.
func (l *Labels) firstNaming(entries []resolve.TagPattern, t *tags.Tag) *resolve.TagPattern {
	e := l.Entry(t)

	for i := range entries { // One by one, since a matcher made of several entries doesn't tell which entry matches.
		if m, _ := l.firstMatch(newMatchers(l.transformed, entries[i:i+1]), &e); m != nil {
			return &entries[i]
		}
	}

	return nil
}
