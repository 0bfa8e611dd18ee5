package stamp

import (
	"slices"

	"github.com/plexsphere/function-cloud-tags/tags"
	"github.com/plexsphere/function-cloud-tags/tags/profile"
	"github.com/plexsphere/function-cloud-tags/tags/resolve"
	"github.com/plexsphere/function-cloud-tags/tags/tagset"
)

// A matcher matches the tags of successive entries of removeTags or ignoreTags that differ in key and value only.
type matcher struct {
	retain, untrusted bool

	// keys with any value, and values has the keys that must have a value, by this value.
	keys   profile.KeySet
	values map[string]profile.KeySet
}

// matchersOf returns matchers of the keys, for tags of the profile of d. The first matcher that matches a tag counts. The
// keys owner, team and env, of which env is from a field, have two matchers: one of owner and team, and one of env.
func matchersOf(d *tags.Transformed, keys []resolve.TagKey) []matcher {
	out := []matcher{}

	for len(keys) > 0 {
		first := keys[0]

		n := slices.IndexFunc(keys, func(k resolve.TagKey) bool { return k.Retain != first.Retain || k.Untrusted != first.Untrusted })
		if n < 0 {
			n = len(keys)
		}

		patterns, values := []string{}, make(map[string][]string)

		for _, k := range keys[:n] {
			if k.Value == nil {
				patterns = append(patterns, k.Pattern)
			} else {
				values[*k.Value] = append(values[*k.Value], k.Pattern)
			}
		}

		m := matcher{retain: first.Retain, untrusted: first.Untrusted, keys: d.KeySet(patterns...), values: make(map[string]profile.KeySet, len(values))}
		for value, patterns := range values {
			m.values[value] = d.KeySet(patterns...)
		}

		out = append(out, m)
		keys = keys[n:]
	}

	return out
}

// matches reports whether the matcher has the tag e.
func (m *matcher) matches(e *tagset.Entry) bool {
	if m.keys.Has(e.Key) {
		return true
	}

	text, ok := e.Text()

	return ok && m.values[text].Has(e.Key)
}

// match returns the first of the matchers for the tag e, or nil if there is none. With removeTags from a field, [owner,
// team/*], and the reserved key owner, the tag owner has no matcher, and protected is owner.
func (l *Labels) match(matchers []matcher, e *tagset.Entry) (found *matcher, protected string) {
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
			key = l.protects(e)
		}

		if key == "" {
			return m, protected
		}

		protected = key
	}

	return nil, protected
}

// names reports whether any of the matchers has the key of e, whatever its value.
func (l *Labels) names(matchers []matcher, e *tagset.Entry) bool {
	return slices.ContainsFunc(matchers, func(m matcher) bool {
		named := m.keys.Has(e.Key)
		for _, keys := range m.values {
			named = named || keys.Has(e.Key)
		}

		return named && (!m.untrusted || l.protects(e) == "")
	})
}

// first returns the first of the keys to remove or to ignore that names the tag, or nil if none does. For the tag team/a,
// the first of owner, team/* and team/a is team/*.
func (l *Labels) first(keys []resolve.TagKey, t *tags.Tag) *resolve.TagKey {
	e := l.Entry(t)

	for i := range keys {
		if m, _ := l.match(matchersOf(l.transformed, keys[i:i+1]), &e); m != nil {
			return &keys[i]
		}
	}

	return nil
}
