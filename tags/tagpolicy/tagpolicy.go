// Package tagpolicy checks the tags of resources by the rules of the input's tagPolicy.
package tagpolicy

import (
	"iter"
	"slices"
	"strconv"
	"strings"

	"github.com/plexsphere/function-cloud-tags/input/v1beta1"
	"github.com/plexsphere/function-cloud-tags/tags"
	"github.com/plexsphere/function-cloud-tags/tags/locate"
	"github.com/plexsphere/function-cloud-tags/tags/object"
	"github.com/plexsphere/function-cloud-tags/tags/profile"
	"github.com/plexsphere/function-cloud-tags/tags/tagset"
	"github.com/plexsphere/function-cloud-tags/tags/words"
)

// A Breach says how a resource's tags break a rule of the tag policy. Resources that break the rule in the same way have
// equal breaches. The zero Breach means that the tags don't break the rule.
type Breach struct {
	Kind BreachKind

	// Text is the value of the tag for a WrongValue, and the key of the tag for a WrongSpelling.
	Text string
}

// A BreachKind is the kind of a breach.
type BreachKind int

const (
	// NoBreach means that the tags don't break the rule.
	NoBreach BreachKind = iota

	// Missing means that there is no tag with the key, but the rule requires one.
	Missing

	// WrongValue means that the rule doesn't admit the value of the tag.
	WrongValue

	// WrongSpelling means that the only tag with the key has it in another case: Owner instead of owner.
	WrongSpelling

	// OtherBreaches stands for the breaches of a rule that messages have no room for.
	OtherBreaches
)

// breachTexts has a text for messages on breaches of each kind. TEXT stands for the quoted Text of the breach.
var breachTexts = map[BreachKind]string{
	Missing: "missing", WrongValue: "value TEXT", WrongSpelling: "spelled TEXT", OtherBreaches: "other breaches",
}

// String returns the breach for messages, such as: value "prodd".
func (b Breach) String() string {
	return strings.Replace(breachTexts[b.Kind], "TEXT", strconv.Quote(b.Text), 1)
}

// A Violation has a rule of the tag policy, a breach, and the resources that break the rule in this way.
type Violation struct {
	Breach

	// Rule is the position of the rule in the policy.
	Rule int

	// First has the names of the first resources with this breach, at most words.MaxNameCount.
	First []string

	// Providers has the number of all resources with this breach, by the names of their tag profiles.
	Providers map[string]int
}

// Count returns the number of resources with this breach.
func (v *Violation) Count() (n int) {
	for _, count := range v.Providers {
		n += count
	}

	return n
}

// ViolationsByRule has the violations of each rule of a tag policy, by the position of the rule. A rule has at most
// words.MaxNameCount violations, and one of OtherBreaches for all others.
type ViolationsByRule [][]Violation

// Add records that the resource breaks the rule at this position. provider is the name of its tag profile.
func (all ViolationsByRule) Add(rule int, b Breach, resource, provider string) {
	find := func(b Breach) int {
		return slices.IndexFunc(all[rule], func(v Violation) bool { return v.Breach == b })
	}

	i := find(b)
	if i < 0 && len(all[rule]) >= words.MaxNameCount {
		b = Breach{Kind: OtherBreaches}
		i = find(b)
	}

	if i < 0 {
		i = len(all[rule])
		all[rule] = append(all[rule], Violation{Breach: b, Rule: rule, Providers: make(map[string]int)})
	}

	v := &all[rule][i]
	v.Providers[provider]++

	if len(v.First) < words.MaxNameCount {
		v.First = append(v.First, resource)
	}
}

// A Rule of the tag policy, for tags of one tag profile.
type Rule struct {
	*v1beta1.TagRule

	// keys are the tag keys that the rule is about. The set foldedKeys has the same keys, ignoring case.
	keys, foldedKeys profile.KeySet

	// tagKeys are all tag keys that the rule's key can become on the profile, such as env and plexsphere:env.
	tagKeys []string
	profile *profile.Profile
}

// Rules returns the rules of the policy for tags of the profile p, or nil if the policy is nil. A rule for env is about
// the tags env and plexsphere:env: d has the tag keys that a key can become. If a trusted label of d has one of them, the rule is about the tag
// of this label alone.
func Rules(policy *v1beta1.TagPolicy, d *tags.Transformed, p *profile.Profile) []Rule {
	if policy == nil {
		return nil
	}

	return words.Map(policy.Rules, func(rule v1beta1.TagRule) Rule {
		keys := d.TagKeys(rule.Key)
		r := Rule{TagRule: &rule, keys: p.KeySet(keys...), foldedKeys: profile.NewFoldedKeySet(keys...), tagKeys: keys, profile: p}

		return r.forTrusted(d.TrustedKeys())
	})
}

// forTrusted returns the rule for a resource with labels of trusted sources, whose tag keys are given. If plexsphere:env is among these keys, the
// rule for env is about plexsphere:env alone: a tag env or PLEXSPHERE:ENV beside it, which anybody may have set, decides nothing.
func (r *Rule) forTrusted(trustedKeys profile.KeySet) Rule {
	out := *r

	keys := slices.DeleteFunc(slices.Clone(r.tagKeys), func(key string) bool { return !trustedKeys.Has(key) })
	if len(keys) > 0 {
		out.keys, out.foldedKeys = r.profile.KeySet(keys...), profile.KeySet{}
	}

	return out
}

// Breach returns how the tags break the rule. The tags are pairs of key and value. With the rule {key: owner, values: [a,
// b]}, the tag owner: c has a WrongValue.
func (r *Rule) Breach(resourceTags iter.Seq2[string, string]) Breach {
	found, otherSpelling := false, ""

	for key, value := range resourceTags {
		switch {
		case r.keys.Has(key):
			found = true

			if !r.Admits(value) {
				return Breach{Kind: WrongValue, Text: value}
			}
		case otherSpelling == "" && r.foldedKeys.Has(key):
			otherSpelling = key
		}
	}

	switch {
	case !found && otherSpelling != "":
		return Breach{Kind: WrongSpelling, Text: otherSpelling}
	case !found && r.IsRequired():
		return Breach{Kind: Missing}
	default:
		return Breach{}
	}
}

// A TagReader says how to read and check the tags of all resources with the same tag field and tag profile.
type TagReader struct {
	// Keys is for tagset.Read. It finds the keys of all tags in the field.
	Keys tagset.Keys

	// KeySets has a set for each key of NewTagReader: the tag keys that the key can become.
	KeySets []profile.KeySet

	// Rules of the tag policy, in their order.
	Rules []Rule
}

// NewTagReader returns a TagReader for resources with the tag field and the profile of t. The caller looks for tags with
// the keys. The transformer has the tag keys that a key can become: env becomes plexsphere:env.
func NewTagReader(in *v1beta1.CloudTags, transformer *tags.Transformer, t *locate.Target, keys []string) *TagReader {
	d := transformer.Transform(t.Profile)

	// In a list of strings, Patterns makes each string a tag. Its key can contain the separator: Known and Prefixes decide
	// where such a key ends.
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
		r.KeySets = append(r.KeySets, t.Profile.KeySet(tagKeys...))
	}

	for i := range r.Rules {
		known = append(known, d.TagKeys(r.Rules[i].Key)...)
	}

	r.Keys.Known = t.Profile.KeySet().With(known...)

	return r
}

// Trust says which tags of a resource trusted sources give. A *stamp.Outcome does.
type Trust interface {
	// TrustedKeys returns the tag keys of the resource's trusted labels, even if these are skipped.
	TrustedKeys(resource string) profile.KeySet

	// IsUntrusted reports whether the entry of the resource's tag field has a reserved key, and no trusted source gives it. Such a tag counts
	// for no rule: anybody could have forged it.
	IsUntrusted(resource string, e *tagset.Entry) bool
}

// Violations returns the violations of the input's tag policy by targets, sorted by rule. changed has the resources that
// this run has changed, by name.
func Violations(in *v1beta1.CloudTags, transformer *tags.Transformer, targets *locate.Targets, changed map[string]object.Object, trust Trust) []Violation {
	if in.TagPolicy == nil {
		return nil
	}

	violations := make(ViolationsByRule, len(in.TagPolicy.Rules))

	EachBreach(in, transformer, targets, changed, trust, func(t *locate.Target, rule int, b Breach) {
		violations.Add(rule, b, t.Name, t.Profile.Name)
	})

	return slices.Concat(violations...)
}

// EachBreach calls f for each target and each rule of the input's tag policy that the target breaks. The parameter rule
// of f is the position of the rule. changed has the resources that this run has changed, by name. Targets without a
// readable tag field break no rule.
func EachBreach(in *v1beta1.CloudTags, transformer *tags.Transformer, targets *locate.Targets, changed map[string]object.Object, trust Trust,
	f func(t *locate.Target, rule int, b Breach),
) {
	readers := make(map[*locate.Place]*TagReader)

	for _, t := range targets.All {
		if !t.TakesTags() {
			continue
		}

		r := readers[t.Place]
		if r == nil {
			r = NewTagReader(in, transformer, t, nil)
			readers[t.Place] = r
		}

		// The tags after Crossplane has applied this run's changes.
		resource, isChanged := changed[t.Name]
		if !isChanged {
			resource = t.Resource
		}

		set, err := t.TagsAfterApply(resource, &r.Keys)
		if err != nil {
			continue
		}

		for e := range set.All() {
			if trust.IsUntrusted(t.Name, e) {
				set.Remove(e)
			}
		}

		trustedKeys := trust.TrustedKeys(t.Name)

		for i := range r.Rules {
			rule := r.Rules[i].forTrusted(trustedKeys)
			if !targets.Selects(rule.Resources, t) {
				continue
			}

			if b := rule.Breach(set.Texts()); b.Kind != NoBreach {
				f(t, i, b)
			}
		}
	}
}
