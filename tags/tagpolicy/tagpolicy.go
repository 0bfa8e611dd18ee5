// Package tagpolicy checks resources' tags by the tag policy of the input.
package tagpolicy

import (
	"iter"
	"slices"
	"strconv"

	"github.com/plexsphere/function-cloud-tags/input/v1beta1"
	"github.com/plexsphere/function-cloud-tags/tags"
	"github.com/plexsphere/function-cloud-tags/tags/object"
	"github.com/plexsphere/function-cloud-tags/tags/profile"
	"github.com/plexsphere/function-cloud-tags/tags/stamp/tagset"
	"github.com/plexsphere/function-cloud-tags/tags/target"
)

// A Breach is how tags break a rule of the tag policy. It is the same of resources that break the rule
// in the same way. The zero Breach is none.
type Breach struct {
	Kind BreachKind

	// Text is the value that the rule doesn't admit, or the other spelling of the key.
	Text string
}

// A BreachKind is what is wrong.
type BreachKind int

const (
	// Kept is that the tags keep the rule.
	Kept BreachKind = iota

	// Missing is that there is no tag with the key, though there must be one.
	Missing

	// Value is that the tag has a value that the rule doesn't admit.
	Value

	// Spelling is that only a key that differs in case is there.
	Spelling
)

// String is how messages put the breach.
func (b Breach) String() string {
	switch b.Kind {
	case Missing:
		return "missing"
	case Value:
		return "value " + strconv.Quote(b.Text)
	case Spelling:
		return "spelled " + strconv.Quote(b.Text)
	case Kept:
	}

	return ""
}

// A Violation is a rule of the tag policy that a resource breaks.
type Violation struct {
	Breach

	// Rule is the position of the rule in the policy.
	Rule int

	// Resource is the name of the composed resource, and Provider that of its tag profile.
	Resource, Provider string
}

// A Rule of the tag policy, for tags of one tag profile.
type Rule struct {
	*v1beta1.TagRule

	// keys of the rule's tag, and keys that differ from these in case alone or not at all.
	keys, folded profile.KeySet
}

// Rules compiles the policy, which may be nil, for tags of the profile p. The labels d tell which keys
// a tag can have.
func Rules(policy *v1beta1.TagPolicy, d *tags.Transformed, p *profile.Profile) []Rule {
	if policy == nil {
		return nil
	}

	rules := make([]Rule, len(policy.Rules))

	for i := range policy.Rules {
		keys := d.TagKeys(policy.Rules[i].Key)
		rules[i] = Rule{TagRule: &policy.Rules[i], keys: p.KeySet(keys...), folded: profile.NewFoldedKeySet(keys...)}
	}

	return rules
}

// Breach returns how the tags of, keys and values, break the rule.
func (r *Rule) Breach(of iter.Seq2[string, string]) Breach {
	found, other := false, ""

	for key, value := range of {
		switch {
		case r.keys.Has(key):
			found = true

			if !r.Admits(value) {
				return Breach{Kind: Value, Text: value}
			}
		case other == "" && r.folded.Has(key):
			other = key
		}
	}

	switch {
	case found:
		return Breach{}
	case other != "":
		return Breach{Kind: Spelling, Text: other}
	case r.IsRequired():
		return Breach{Kind: Missing}
	default:
		return Breach{}
	}
}

// A Reader reads the tags of resources whose tags go to one place: the tags that keys ask for, and
// those that the tag policy has rules for.
type Reader struct {
	Keys tagset.Keys

	// Sets of tag keys that each of the keys can have.
	Sets []profile.KeySet

	// Rules of the tag policy, in their order.
	Rules []Rule
}

// NewReader returns a Reader of the keys for resources like t, by the input. The transformer makes
// tag keys of labels' keys.
func NewReader(in *v1beta1.CloudTags, transformer *tags.Transformer, t *target.Target, keys []string) *Reader {
	d := transformer.Transform(t.Profile)

	// All strings are tags. The keys in question find their tags, since keys can have the separator
	// in them, and so can the prefix of labels' keys.
	r := &Reader{
		Keys: tagset.Keys{
			Kind: tagset.KindOf(t.Field, t.Profile), Patterns: profile.NewKeySet("*"), Prefixes: d.KeySet(in.KeyPrefix + "*"),
		},
		Rules: Rules(in.TagPolicy, d, t.Profile),
	}

	var known []string

	for _, key := range keys {
		of := d.TagKeys(key)
		known = append(known, of...)
		r.Sets = append(r.Sets, t.Profile.KeySet(of...))
	}

	for i := range r.Rules {
		known = append(known, d.TagKeys(r.Rules[i].Key)...)
	}

	r.Keys.Known = t.Profile.KeySet().With(known...)

	return r
}

// Violations are what the targets break of the tag policy of the input, by rule and name, if the
// changed resources, by name, are what they become. All others stay as they are. Only targets with
// a tag field that can be read can break a rule.
func Violations(in *v1beta1.CloudTags, transformer *tags.Transformer, targets *target.Targets, changed map[string]object.Object) []Violation {
	if in.TagPolicy == nil {
		return nil
	}

	var out []Violation

	readers := make(map[*target.Place]*Reader)

	for _, t := range targets.All {
		if !t.HasTags() {
			continue
		}

		r := readers[t.Place]
		if r == nil {
			r = NewReader(in, transformer, t, nil)
			readers[t.Place] = r
		}

		set := r.final(t, changed)
		if set == nil {
			continue
		}

		for i := range r.Rules {
			rule := &r.Rules[i]
			if !targets.Selects(rule.Resources, t) {
				continue
			}

			if b := rule.Breach(set.Texts()); b.Kind != Kept {
				out = append(out, Violation{Rule: i, Breach: b, Resource: t.Name, Provider: t.Profile.Name})
			}
		}
	}

	slices.SortStableFunc(out, func(a, b Violation) int { return a.Rule - b.Rule })

	return out
}

// final are the tags that t has in the end, or nil if they can't be read.
func (r *Reader) final(t *target.Target, changed map[string]object.Object) *tagset.Set {
	becomes, ok := changed[t.Name]
	if !ok {
		becomes = t.Resource
	}

	value, err := becomes.At(t.Field.Path)
	if err != nil {
		return nil
	}

	set, err := t.Final(value, &r.Keys)
	if err != nil {
		return nil
	}

	return set
}
