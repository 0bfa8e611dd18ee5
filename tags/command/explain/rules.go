package explain

import (
	"cmp"
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

// whyMissing is why a required tag is missing, if no label says why.
const whyMissing = "no label gives it"

// A Ruled label has a tag that an entry of removeTags or ignoreTags names.
type Ruled struct {
	QualifiedKey string `json:"qualifiedKey"`
	TagKey       string `json:"tagKey"`

	// Rule is the entry in a few words, such as removeTags: team/*.
	Rule string `json:"rule"`
}

// A Broken rule is a rule of tagPolicy that tags break.
type Broken struct {
	// Rule is the position of the rule, Path is where it was written, and Key its key.
	Rule int    `json:"rule"`
	Path string `json:"path"`
	Key  string `json:"key"`

	// The tags break the rule in this way, such as missing. Why explains it, if somebody knows.
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

// ruled returns the label of the record, with the entry of the list that names it.
func ruled(j *stamp.Judged, list string) Ruled {
	return Ruled{QualifiedKey: j.QualifiedKey, TagKey: j.Key, Rule: ruleName(list, j.NamedBy)}
}

// ruleName returns the entry of the list, removeTags or ignoreTags, in a few words: removeTags: team/*. It is empty if
// there is no entry.
func ruleName(list string, k *resolve.TagKey) string {
	if k == nil {
		return ""
	}

	rule := list + ": " + words.Cell(k.Pattern)
	if k.Value != nil {
		rule += " = " + words.Cell(*k.Value)
	}

	if k.Untrusted {
		rule += " of a field"
	}

	return rule
}

// addPolicy says which rules of the tag policy a resource with the tags of the labels d breaks. It may be any resource,
// whatever resources the rules select.
func (e *explained) addPolicy(x *Explanation, run *trace, d *tags.Transformed) {
	in := run.Input
	broken := 0

	for i, rule := range tagpolicy.Rules(in.TagPolicy, d, x.profile) {
		keys := x.profile.KeySet(d.TagKeys(rule.Key)...)

		if slices.ContainsFunc(e.differences, func(by resolve.Difference) bool { return mayGive(by, d, keys) }) {
			x.notef("%s: %s may differ per composed resource: --rendered shows it", in.Where("tagPolicy.rules[%d]", i), words.Name(rule.Key))
			continue
		}

		breach := rule.Breach(sorted(x.Tags))
		if breach.Kind == tagpolicy.Kept {
			continue
		}

		b := newBroken(breach, i, in)
		if breach.Kind == tagpolicy.Missing {
			b.Why = x.why(keys)
		}

		if len(rule.Resources) > 0 {
			b.What += " (on the resources that it selects)"
		} else {
			broken++
		}

		x.Broken = append(x.Broken, b)
	}

	switch {
	case in.TagPolicy == nil || in.TagPolicy.Enforcement != v1beta1.PolicyEnforcementError:
	case broken > 0:
		x.notef(fails+"tagPolicy has enforcement Error, and %s broken", words.Count(broken, "rule is", "rules are"))
	case len(x.Broken) > 0:
		x.notef("the function fails if one of these rules of tagPolicy selects a resource, since its enforcement is Error")
	}
}

// mayGive reports whether a label that differs per resource may have one of the tag keys.
func mayGive(by resolve.Difference, d *tags.Transformed, keys profile.KeySet) bool {
	return by.Labels == nil || slices.ContainsFunc(by.Labels, func(l tags.Label) bool {
		t, _ := d.Judge(l)
		return keys.Has(t.Key)
	})
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

	return cmp.Or(strings.Join(out, ", "), whyMissing)
}

// ruledLines returns a line for each entry, with the tags that it names.
func ruledLines(title string, ruled []Ruled) (lines []string) {
	keys := make(map[string][]string)
	for _, r := range ruled {
		keys[r.Rule] = append(keys[r.Rule], words.Cell(r.TagKey))
	}

	for _, rule := range slices.Sorted(maps.Keys(keys)) {
		lines = append(lines, fmt.Sprintf(" %s (%s): %s", title, rule, strings.Join(keys[rule], ", ")))
	}

	return lines
}
