package stamp

import (
	"slices"

	"github.com/plexsphere/function-cloud-tags/tags"
	"github.com/plexsphere/function-cloud-tags/tags/profile"
	"github.com/plexsphere/function-cloud-tags/tags/resolve"
	"github.com/plexsphere/function-cloud-tags/tags/tagset"
)

// A matcher matches tags by successive entries of removeTags or ignoreTags. These entries differ in key and value only.
type matcher struct {
	// retain says that the entries have onConflict Retain. untrusted says that their keys come from a field, such as
	// spec.removeTags of the XR.
	retain, untrusted bool

	// keys has the keys that match at any value.
	keys profile.KeySet

	// values has the keys that match at one value only, by this value.
	values map[string]profile.KeySet
}

// newMatchers returns the matchers for entries of removeTags or ignoreTags. They match tags of the profile of transformed. If
// several matchers match a tag, the first one counts. For example, the entries are owner, team and env, and env is from a
// field of the XR. Then the first matcher has owner and team, and the second one has env.
func newMatchers(transformed *tags.Transformed, entries []resolve.TagPattern) []matcher {
	out := []matcher{}

	for len(entries) > 0 {
		first := entries[0]

		n := slices.IndexFunc(entries, func(k resolve.TagPattern) bool { return k.Retain != first.Retain || k.Untrusted != first.Untrusted })
		if n < 0 {
			n = len(entries)
		}

		patterns, values := []string{}, make(map[string][]string)

		for _, k := range entries[:n] {
			if k.Value == nil {
				patterns = append(patterns, k.Key)
			} else {
				values[*k.Value] = append(values[*k.Value], k.Key)
			}
		}

		m := matcher{retain: first.Retain, untrusted: first.Untrusted, keys: transformed.KeySet(patterns...), values: make(map[string]profile.KeySet, len(values))}
		for value, patterns := range values {
			m.values[value] = transformed.KeySet(patterns...)
		}

		out = append(out, m)
		entries = entries[n:]
	}

	return out
}

// matches reports whether the matcher has the key of the tag e, at any value or at the value of e.
func (m *matcher) matches(e *tagset.Entry) bool {
	if m.keys.Has(e.Key) {
		return true
	}

	text, ok := e.Text()

	return ok && m.values[text].Has(e.Key)
}

// firstMatch returns the first matcher that matches the tag e and may touch it, or nil if there is none. If an untrusted matcher
// names a protected key in vain, firstMatch also returns this key. For example, owner is a reserved key, and removeTags has
// owner from a field of the XR. Then the tag owner: me has no matcher, and protected is owner.
func (l *Labels) firstMatch(matchers []matcher, e *tagset.Entry) (found *matcher, protected string) {
	for i := range matchers {
		m := &matchers[i]
		if !m.matches(e) {
			continue
		}

		if l.setByProvider(e) {
			return nil, ""
		}

		key := ""
		if m.untrusted {
			key = l.protectedKey(e)
		}

		if key == "" {
			return m, protected
		}

		protected = key
	}

	return nil, protected
}

// namesKey reports whether any of the matchers has the key of e, at any value, and may touch the tag.
func (l *Labels) namesKey(matchers []matcher, e *tagset.Entry) bool {
	return slices.ContainsFunc(matchers, func(m matcher) bool {
		named := m.keys.Has(e.Key)
		for _, keys := range m.values {
			named = named || keys.Has(e.Key)
		}

		if !named {
			return false
		}

		return !m.untrusted || l.protectedKey(e) == ""
	})
}

// firstNaming returns the first entry of removeTags or ignoreTags that names the tag, or nil if no entry does. For the tag team/a
// and the entries owner, team/* and team/a, it returns team/*.
func (l *Labels) firstNaming(entries []resolve.TagPattern, t *tags.Tag) *resolve.TagPattern {
	e := l.Entry(t)

	for i := range entries {
		if m, _ := l.firstMatch(newMatchers(l.transformed, entries[i:i+1]), &e); m != nil {
			return &entries[i]
		}
	}

	return nil
}
