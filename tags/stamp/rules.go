package stamp

import (
	"slices"

	"github.com/plexsphere/function-cloud-tags/tags"
	"github.com/plexsphere/function-cloud-tags/tags/resolve"
	"github.com/plexsphere/function-cloud-tags/tags/stamp/tagset"
)

// A keyRule is keys to remove or to ignore that are alike in all but the key and the
// value.
type keyRule struct {
	retain, untrusted bool

	// keys at any value, and by the value that they must have.
	keys   tags.KeySet
	values map[string]tags.KeySet
}

// keyRules returns the supplied keys as rules for tags of the supplied profile. The first
// rule that matches a tag holds.
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

		r := keyRule{retain: first.Retain, untrusted: first.Untrusted, keys: d.Keys(patterns...), values: make(map[string]tags.KeySet, len(values))}
		for value, patterns := range values {
			r.values[value] = d.Keys(patterns...)
		}

		out = append(out, r)
		keys = keys[n:]
	}

	return out
}

// matches is true if the rule is for the supplied tag.
func (r *keyRule) matches(e *tagset.Entry) bool {
	if r.keys.Has(e.Key) {
		return true
	}

	text, ok := e.Text()

	return ok && r.values[text].Has(e.Key)
}
