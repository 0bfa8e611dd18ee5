package explain

import (
	"fmt"
	"iter"
	"maps"
	"slices"
	"strings"

	"github.com/plexsphere/function-cloud-tags/input/v1beta1"
	"github.com/plexsphere/function-cloud-tags/tags"
	"github.com/plexsphere/function-cloud-tags/tags/profile"
	"github.com/plexsphere/function-cloud-tags/tags/resolve"
	"github.com/plexsphere/function-cloud-tags/tags/stamp"
	"github.com/plexsphere/function-cloud-tags/tags/tagpolicy"
	"github.com/plexsphere/function-cloud-tags/tags/words"
)

// whyMissing is said of required tags that no label explains the lack of.
const whyMissing = "no label gives it"

// A Ruled label is one whose tag a rule of removeTags or ignoreTags is for.
type Ruled struct {
	QualifiedKey string `json:"qualifiedKey"`
	TagKey       string `json:"tagKey"`

	// Rule in a few words, e.g. removeTags: team/*.
	Rule string `json:"rule"`
}

// A Broken rule is one of tagPolicy that tags break.
type Broken struct {
	// Rule is the position of the rule, Path is where it was written, and Key its key.
	Rule int    `json:"rule"`
	Path string `json:"path"`
	Key  string `json:"key"`

	// What is wrong, e.g. missing, and Why, if that can be told.
	What string `json:"what"`
	Why  string `json:"why,omitempty"`
}

// newBroken returns how the rule at position i of the tag policy is broken.
func newBroken(breach tagpolicy.Breach, i int, in *v1beta1.CloudTags) Broken {
	rule := &in.TagPolicy.Rules[i]
	b := Broken{Rule: i, Path: in.Where("tagPolicy.rules[%d]", i), Key: rule.Key, What: breach.String()}

	if breach.Kind == tagpolicy.Value {
		b.Why = "allowed: " + words.Names(rule.Allowed(), 0)
	}

	return b
}

// String puts the rule in one line.
func (b *Broken) String() string {
	out := fmt.Sprintf("%s: %s %s", b.Path, words.Cell(b.Key), b.What)
	if b.Why != "" {
		out += ": " + b.Why
	}

	return out
}

// keyRules are the keys of removeTags or ignoreTags, as tags of one profile see them.
type keyRules struct {
	*stamp.KeyRules

	of string
}

func newKeyRules(of string, keys []resolve.TagKey, d *tags.Transformed, p *profile.Profile) *keyRules {
	return &keyRules{stamp.NewKeyRules(keys, d, p), of}
}

// rule names the rule that has the key.
func (r *keyRules) rule(k *resolve.TagKey) string {
	rule := r.of + ": " + k.Pattern
	if k.Value != nil {
		rule += " = " + words.Cell(*k.Value)
	}

	if k.Untrusted {
		rule += " of a field"
	}

	return rule
}

// ruled returns the tag with the rule that has the key.
func (r *keyRules) ruled(t *tags.Tag, k *resolve.TagKey) Ruled {
	return Ruled{QualifiedKey: t.QualifiedKey, TagKey: t.Key, Rule: r.rule(k)}
}

// removed returns the tags that removeTags leaves, and those that it takes away.
func removed(set *resolve.Set, d *tags.Transformed, p *profile.Profile) (left *tags.Transformed, gone []Ruled, labels []tags.Label) {
	rules := newKeyRules("removeTags", set.Remove, d, p)
	left = &tags.Transformed{Refused: d.Refused}

	for i := range d.Tags {
		t := &d.Tags[i]

		if k := rules.First(t); k != nil {
			gone, labels = append(gone, rules.ruled(t, k)), append(labels, t.Label)
		} else {
			left.Tags = append(left.Tags, *t)
		}
	}

	return left, gone, labels
}

// ignored returns the tags that get the value that the cloud has for another system, if it has one. Reserved
// keys are nobody else's.
func ignored(set *resolve.Set, d *tags.Transformed, p *profile.Profile, kept []tags.Tag) (of []Ruled) {
	rules := newKeyRules("ignoreTags", set.Ignore, d, p)

	for i := range kept {
		t := &kept[i]

		if k := rules.First(t); k != nil && !k.Retain && !t.Reserved && !d.Reserved().Has(t.Key) {
			of = append(of, rules.ruled(t, k))
		}
	}

	return of
}

// addPolicy says which rules of the tag policy a resource breaks that has the tags of the labels
// alone, whatever resources the rules select.
func (x *Explanation) addPolicy(set *resolve.Set, t *tags.Transformer, in *v1beta1.CloudTags) {
	d := t.Transform(x.profile)

	for i, rule := range tagpolicy.Rules(in.TagPolicy, d, x.profile) {
		breach := rule.Breach(sorted(x.Tags))
		if breach.Kind == tagpolicy.Kept {
			continue
		}

		keys := x.profile.KeySet(d.TagKeys(rule.Key)...)

		if set.PerResource.Differs(d, rule.Key, keys) {
			x.notef("%s: %s may differ per composed resource: --rendered shows it", in.Where("tagPolicy.rules[%d]", i), rule.Key)
			continue
		}

		b := newBroken(breach, i, in)
		if breach.Kind == tagpolicy.Missing {
			b.Why = x.why(keys)
		}

		if len(rule.Resources) > 0 {
			b.What += " (on the resources that it selects)"
		}

		x.Broken = append(x.Broken, b)
	}
}

// sorted returns the entries of m by their keys.
func sorted(m map[string]string) iter.Seq2[string, string] {
	return func(yield func(key, value string) bool) {
		for _, key := range slices.Sorted(maps.Keys(m)) {
			if !yield(key, m[key]) {
				return
			}
		}
	}
}

// why says why no tag has one of the keys.
func (x *Explanation) why(keys profile.KeySet) string {
	var out []string

	for _, s := range x.Skipped {
		if keys.Has(s.TagKey) {
			out = append(out, fmt.Sprintf("label %s is skipped for %s", words.Cell(s.QualifiedKey), s.Reason))
		}
	}

	for _, r := range x.Removed {
		if keys.Has(r.TagKey) {
			out = append(out, fmt.Sprintf("label %s is removed by %s", words.Cell(r.QualifiedKey), r.Rule))
		}
	}

	if len(out) == 0 {
		return whyMissing
	}

	return strings.Join(out, ", ")
}

// ruledLines say what rules do to tags of the tag profile with the name, by the rule.
func ruledLines(name, what string, of []Ruled) (lines []string) {
	keys := make(map[string][]string)
	for _, r := range of {
		keys[r.Rule] = append(keys[r.Rule], words.Cell(r.TagKey))
	}

	for _, rule := range slices.Sorted(maps.Keys(keys)) {
		lines = append(lines, fmt.Sprintf("%s %s (%s): %s\n", name, what, rule, strings.Join(keys[rule], ", ")))
	}

	return lines
}
