package stamp

import (
	"slices"

	"github.com/plexsphere/function-cloud-tags/tags"
	"github.com/plexsphere/function-cloud-tags/tags/profile"
	"github.com/plexsphere/function-cloud-tags/tags/resolve"
	"github.com/plexsphere/function-cloud-tags/tags/tagset"
)

// A keyRule is keys to remove or to ignore that are alike in all but the key and the
// value.
type keyRule struct {
	retain, untrusted bool

	// keys at any value, and by the value that they must have.
	keys   profile.KeySet
	values map[string]profile.KeySet
}

// keyRules returns the keys as rules for tags of the profile of d. The first rule that matches a tag holds.
func keyRules(d *tags.Transformed, keys []resolve.TagKey) []keyRule {
	out := []keyRule{}

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

		r := keyRule{retain: first.Retain, untrusted: first.Untrusted, keys: d.KeySet(patterns...), values: make(map[string]profile.KeySet, len(values))}
		for value, patterns := range values {
			r.values[value] = d.KeySet(patterns...)
		}

		out = append(out, r)
		keys = keys[n:]
	}

	return out
}

// matches is true if the rule is for the tag e.
func (r *keyRule) matches(e *tagset.Entry) bool {
	if r.keys.Has(e.Key) {
		return true
	}

	text, ok := e.Text()

	return ok && r.values[text].Has(e.Key)
}

// match returns the first of the rules that holds for the tag e, or nil if none does. It also returns the
// key for which a rule of a field did not hold, if there is one.
func (l *Labels) match(rules []keyRule, e *tagset.Entry) (rule *keyRule, protected string) {
	for i := range rules {
		r := &rules[i]
		if !r.matches(e) {
			continue
		}

		if l.isProviders(e) {
			return nil, ""
		}

		key := ""
		if r.untrusted {
			key = l.protects(e)
		}

		if key == "" {
			return r, protected
		}

		protected = key
	}

	return nil, protected
}

// names is true if any of the rules is for a tag with the key of e, at whatever value.
func (l *Labels) names(rules []keyRule, e *tagset.Entry) bool {
	return slices.ContainsFunc(rules, func(r keyRule) bool {
		named := r.keys.Has(e.Key)
		for _, keys := range r.values {
			named = named || keys.Has(e.Key)
		}

		return named && (!r.untrusted || l.protects(e) == "")
	})
}

// first returns the first of the keys to remove or to ignore that is for the tag, or nil if none is. Of removeTags
// [owner, team/*], it is team/* for the tag team/a.
func (l *Labels) first(keys []resolve.TagKey, t *tags.Tag) *resolve.TagKey {
	e := l.Entry(t)

	for i := range keys {
		if rule, _ := l.match(keyRules(l.transformed, keys[i:i+1]), &e); rule != nil {
			return &keys[i]
		}
	}

	return nil
}
