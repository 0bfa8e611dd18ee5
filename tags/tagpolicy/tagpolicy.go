// Package tagpolicy checks resources' tags by the tag policy of the input.
package tagpolicy

import (
	"iter"
	"slices"
	"strconv"

	"github.com/plexsphere/function-cloud-tags/input/v1beta1"
	"github.com/plexsphere/function-cloud-tags/tags"
	"github.com/plexsphere/function-cloud-tags/tags/locate"
	"github.com/plexsphere/function-cloud-tags/tags/object"
	"github.com/plexsphere/function-cloud-tags/tags/profile"
	"github.com/plexsphere/function-cloud-tags/tags/tagset"
	"github.com/plexsphere/function-cloud-tags/tags/words"
)

// A Breach says how tags break a rule of the tag policy. Resources that break a rule in the same way have equal
// breaches. The zero Breach is none.
type Breach struct {
	Kind BreachKind

	// Text is the value that the rule doesn't admit, or the other spelling of the key.
	Text string
}

// A BreachKind is what is wrong.
type BreachKind int

const (
	// Kept says that the tags keep the rule.
	Kept BreachKind = iota

	// Missing says that there is no tag with the key, though the rule requires one.
	Missing

	// Value says that the rule doesn't admit the value of the tag.
	Value

	// Spelling says that the only tag with the key has it in another case: Owner instead of owner.
	Spelling

	// Various stands for all breaches of a rule beyond the number that messages have room for.
	Various
)

// String returns the breach for messages: value "prodd".
func (b Breach) String() string {
	switch b.Kind {
	case Missing:
		return "missing"
	case Value:
		return "value " + strconv.Quote(b.Text)
	case Spelling:
		return "spelled " + strconv.Quote(b.Text)
	case Various:
		return "other breaches"
	case Kept:
	}

	return ""
}

// A Violation is a way in which resources break a rule of the tag policy.
type Violation struct {
	Breach

	// Rule is the position of the rule in the policy.
	Rule int

	// First are the names of the first resources with this breach. Providers counts all of them by tag profile.
	First     []string
	Providers map[string]int
}

// Count returns how many resources break the rule so.
func (v *Violation) Count() (n int) {
	for _, count := range v.Providers {
		n += count
	}

	return n
}

// Broken are the violations of each rule of a tag policy: as many as messages have room for, and one violation for all
// others.
type Broken [][]Violation

// Add records that the resource breaks the rule so. provider is the name of its tag profile.
func (all Broken) Add(rule int, b Breach, resource, provider string) {
	find := func() int { return slices.IndexFunc(all[rule], func(v Violation) bool { return v.Breach == b }) }

	i := find()
	if i < 0 && len(all[rule]) >= words.MaxNamed {
		b = Breach{Kind: Various}
		i = find()
	}

	if i < 0 {
		i = len(all[rule])
		all[rule] = append(all[rule], Violation{Breach: b, Rule: rule, Providers: make(map[string]int)})
	}

	v := &all[rule][i]
	v.Providers[provider]++

	if len(v.First) < words.MaxNamed {
		v.First = append(v.First, resource)
	}
}

// A Rule of the tag policy, for tags of one tag profile.
type Rule struct {
	*v1beta1.TagRule

	// keys of the rule's tag, and folded has the same keys in lower case.
	keys, folded profile.KeySet
}

// Rules compiles the policy, which may be nil, for tags of the profile p. d tells the tag keys that a rule's key
// can become: plexsphere:env of env.
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

// Breach returns how tags, as texts of keys and values, break the rule. With the rule {key: owner, values: [a, b]}, the tag
// owner: c is a Value.
func (r *Rule) Breach(texts iter.Seq2[string, string]) Breach {
	found, other := false, ""

	for key, value := range texts {
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

// A TagReader reads the tags of resources with one tag field and profile: the tags of the keys in question, and the tags
// that the tag policy has rules for.
type TagReader struct {
	Keys tagset.Keys

	// Sets has, for each key in question, the tag keys that it can become.
	Sets []profile.KeySet

	// Rules of the tag policy, in their order.
	Rules []Rule
}

// NewTagReader returns a TagReader of the keys for resources like t, by the input. The transformer makes tag keys of
// labels' keys: plexsphere:env of env.
func NewTagReader(in *v1beta1.CloudTags, transformer *tags.Transformer, t *locate.Target, keys []string) *TagReader {
	d := transformer.Transform(t.Profile)

	// Each string counts as a tag. Known and Prefixes tell where its key ends, since keys and the key prefix may have the
	// separator in them.
	r := &TagReader{
		Keys: tagset.Keys{
			FieldKind: tagset.FieldKindOf(t.Field, t.Profile), Patterns: profile.NewKeySet("*"), Prefixes: d.KeySet(in.KeyPrefix + "*"),
		},
		Rules: Rules(in.TagPolicy, d, t.Profile),
	}

	var known []string

	for _, key := range keys {
		tagKeys := d.TagKeys(key)
		known = append(known, tagKeys...)
		r.Sets = append(r.Sets, t.Profile.KeySet(tagKeys...))
	}

	for i := range r.Rules {
		known = append(known, d.TagKeys(r.Rules[i].Key)...)
	}

	r.Keys.Known = t.Profile.KeySet().With(known...)

	return r
}

// Violations returns the rules of the input's tag policy that targets break, with the names of these targets, by rule:
// see Each.
func Violations(in *v1beta1.CloudTags, transformer *tags.Transformer, targets *locate.Targets, changed map[string]object.Object) []Violation {
	if in.TagPolicy == nil {
		return nil
	}

	out := make(Broken, len(in.TagPolicy.Rules))

	Each(in, transformer, targets, changed, func(t *locate.Target, rule int, b Breach) { out.Add(rule, b, t.Name, t.Profile.Name) })

	return slices.Concat(out...)
}

// Each calls f for each target and each rule of the input's tag policy that it breaks, by the rule's position. changed
// has the resources that this run has changed, by name. Only a target with a readable tag field can break a rule.
func Each(in *v1beta1.CloudTags, transformer *tags.Transformer, targets *locate.Targets, changed map[string]object.Object, f func(t *locate.Target, rule int, b Breach)) {
	if in.TagPolicy == nil {
		return
	}

	readers := make(map[*locate.Place]*TagReader)

	for _, t := range targets.All {
		if !t.HasTags() {
			continue
		}

		r := readers[t.Place]
		if r == nil {
			r = NewTagReader(in, transformer, t, nil)
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
				f(t, i, b)
			}
		}
	}
}

// final returns the tags that t has in the end, or nil if they can't be read.
func (r *TagReader) final(t *locate.Target, changed map[string]object.Object) *tagset.Set {
	becomes, ok := changed[t.Name]
	if !ok {
		becomes = t.Resource
	}

	value, err := becomes.At(t.Field.Path)
	if err != nil {
		return nil
	}

	set, _ := t.Final(value, &r.Keys) // There is none with an error.

	return set
}
