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

// A ListedLabel has a tag that an entry of removeTags or ignoreTags names.
type ListedLabel struct {
	QualifiedKey string `json:"qualifiedKey"`
	TagKey       string `json:"tagKey"`

	// Entry is the entry in a few words, such as removeTags: team/*.
	Entry string `json:"rule"`
}

// A BrokenRule is a rule of tagPolicy that tags break.
type BrokenRule struct {
	// Rule is the position of the rule, such as 0. Path says where it was written, such as tagPolicy.rules[0], and
	// Key is its key.
	Rule int    `json:"rule"`
	Path string `json:"path"`
	Key  string `json:"key"`

	// Breach says how the tags break the rule, such as "is missing". Why is the reason, if it is known.
	Breach string `json:"what"`
	Why    string `json:"why,omitempty"`
}

// newBrokenRule returns how the rule at position i of the tag policy is broken. why says why no tag has the key of a rule.
func newBrokenRule(breach tagpolicy.Breach, i int, in *v1beta1.CloudTags, why func(key string) string) BrokenRule {
	rule := &in.TagPolicy.Rules[i]
	b := BrokenRule{Rule: i, Path: in.Where("tagPolicy.rules[%d]", i), Key: rule.Key, Breach: breach.String()}

	if breach.Kind == tagpolicy.WrongValue {
		b.Why = "allowed: " + words.Names(rule.Allowed())
	}

	if breach.Kind == tagpolicy.Missing {
		b.Why = why(rule.Key)
	}

	return b
}

// String puts the rule in one line.
func (b BrokenRule) String() string {
	out := fmt.Sprintf("%s: %s %s", b.Path, words.Cell(b.Key), b.Breach)
	if b.Why != "" {
		out += ": " + b.Why
	}

	return out
}

// newListedLabel returns the label of the tag, with the entry of the list that names it.
func newListedLabel(t *tags.Tag, list string, entry *resolve.TagPattern) ListedLabel {
	return ListedLabel{QualifiedKey: t.QualifiedKey, TagKey: t.Key, Entry: entryName(list, entry)}
}

// entryName returns the entry of the list, removeTags or ignoreTags, in a few words: removeTags: team/*. It is empty if
// there is no entry.
func entryName(list string, k *resolve.TagPattern) string {
	if k == nil {
		return ""
	}

	entry := list + ": " + words.Cell(k.Key)
	if k.Value != nil {
		entry += " = " + words.Cell(*k.Value)
	}

	if k.Untrusted {
		entry += " of a field"
	}

	return entry
}

// addPolicy says which rules of the tag policy a resource with the tags of the labels d breaks. It may be any resource,
// whatever resources the rules select.
func (e *comparison) addPolicy(x *Explanation, run *trace, d *tags.Transformed) {
	in := run.Input
	broken := 0

	for i, rule := range tagpolicy.Rules(in.TagPolicy, d, x.profile) {
		keys := x.profile.KeySet(d.TagKeys(rule.Key)...)

		if slices.ContainsFunc(e.differences, func(by resolve.Difference) bool { return mayGive(by, d, keys) }) {
			x.notef("%s: %s may differ per composed resource: --rendered shows it", in.Where("tagPolicy.rules[%d]", i), words.Name(rule.Key))
			continue
		}

		breach := rule.Breach(sorted(x.Tags))
		if breach.Kind == tagpolicy.NoBreach {
			continue
		}

		b := newBrokenRule(breach, i, in, x.why)
		if len(rule.Resources) > 0 {
			b.Breach += " (on the resources that it selects)"
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

// A lack says why a label is no tag with the tag key.
type lack struct{ tagKey, why string }

// why says why no tag has the key of a rule.
func (x *Explanation) why(key string) string {
	skipped := words.Map(x.Skipped, func(s Skipped) lack {
		return lack{s.TagKey, fmt.Sprintf("label %s is skipped for %s", words.Cell(s.QualifiedKey), s.Reason)}
	})
	removed := words.Map(x.Removed, func(r ListedLabel) lack {
		return lack{r.TagKey, fmt.Sprintf("label %s is removed by %s", words.Cell(r.QualifiedKey), r.Entry)}
	})

	return whyMissing(key, x.plan, x.profile, slices.Concat(skipped, removed))
}

// whyMissing says why no tag of the field has the key of a rule, by the lacks of labels that would be such tags.
func whyMissing(key string, plan *stamp.Plan, p *profile.Profile, lacks []lack) string {
	keys := p.KeySet(plan.Transformed().TagKeys(key)...)
	lacks = slices.DeleteFunc(lacks, func(l lack) bool { return !keys.Has(l.tagKey) })

	return cmp.Or(strings.Join(words.Map(lacks, func(l lack) string { return l.why }), ", "), "no label gives it")
}

// listedLines returns a line for each entry, with the tags that it names.
func listedLines(title string, labels []ListedLabel) []string {
	byEntry := slices.SortedStableFunc(slices.Values(labels), func(a, b ListedLabel) int { return strings.Compare(a.Entry, b.Entry) })

	return words.Map(words.Grouped(byEntry, func(l ListedLabel) string { return l.Entry }), func(same []ListedLabel) string {
		keys := words.Map(same, func(l ListedLabel) string { return words.Cell(l.TagKey) })
		return fmt.Sprintf(" %s (%s): %s", title, same[0].Entry, strings.Join(keys, ", "))
	})
}
