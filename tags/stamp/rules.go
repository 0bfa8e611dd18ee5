package stamp

import (
	"slices"

	"github.com/plexsphere/function-cloud-tags/tags"
	"github.com/plexsphere/function-cloud-tags/tags/field"
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

// KeyRules are keys to remove or to ignore, for tags of labels: for people who want to know which
// of them it is that a tag is gone for.
type KeyRules struct {
	labels *Labels
	keys   []resolve.TagKey

	// rules of each key alone.
	rules [][]keyRule
}

// NewKeyRules returns the keys as rules for the tags of labels d, which are those of the profile p.
func NewKeyRules(keys []resolve.TagKey, d *tags.Transformed, p *profile.Profile) *KeyRules {
	r := &KeyRules{labels: newLabels(tagset.Kind{Profile: p, Shape: field.Map}, d), keys: keys}
	for i := range keys {
		r.rules = append(r.rules, keyRules(d, keys[i:i+1]))
	}

	return r
}

// First of the keys that holds for the tag t, or nil if none does.
func (r *KeyRules) First(t *tags.Tag) *resolve.TagKey {
	e := r.labels.Entry(t)

	for i := range r.keys {
		if rule, _ := r.labels.match(r.rules[i], &e); rule != nil {
			return &r.keys[i]
		}
	}

	return nil
}
