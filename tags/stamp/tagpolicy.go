package stamp

import (
	"slices"
	"strconv"
	"strings"

	"github.com/plexsphere/function-cloud-tags/input/v1beta1"
	"github.com/plexsphere/function-cloud-tags/tags/object"
	"github.com/plexsphere/function-cloud-tags/tags/profile"
	"github.com/plexsphere/function-cloud-tags/tags/stamp/tagset"
)

// Missing is what a resource breaks that lacks a required tag.
const Missing = "missing"

// otherValue is what the text begins with of what a resource breaks whose tag has a value that the rule
// doesn't admit.
const otherValue = "value "

// A Violation is what a resource breaks of a rule of the tag policy.
type Violation struct {
	// Rule is the position of the rule in the policy.
	Rule int

	// What the resource breaks: the same of resources that break it in the same way.
	What string

	// Resource is the name of the composed resource, and Provider that of its tag profile.
	Resource, Provider string
}

// HasValue is true if the resource has the tag, but not with a value that the rule admits.
func (v *Violation) HasValue() bool { return strings.HasPrefix(v.What, otherValue) }

// A policed rule is one of the tag policy, as it is for resources with one kind of tag field.
type policed struct {
	*v1beta1.TagRule

	// keys of the rule's tag, and keys that differ from these in case alone or not at all.
	keys, folded profile.KeySet
}

// Violations are what the supplied targets break of the tag policy, by rule and name, if the
// supplied resources, by name, are what they become. All others stay as they are. Only targets
// with a tag field that can be read can break a rule.
func (s *Stamper) Violations(targets *Targets, changed map[string]object.Object) []Violation {
	policy := s.Input.TagPolicy
	if policy == nil {
		return nil
	}

	var out []Violation

	asked := make(map[*place]*inquiry)

	for _, t := range targets.All {
		if !t.managed || t.leave != "" || t.lacks != "" {
			continue
		}

		if asked[t.place] == nil {
			asked[t.place] = s.ask(t, nil)
		}

		set := asked[t.place].final(t, changed)
		if set == nil {
			continue
		}

		for i, rule := range asked[t.place].rules {
			if !targets.Selects(rule.Resources, t) {
				continue
			}

			if what := rule.breaks(set); what != "" {
				out = append(out, Violation{Rule: i, What: what, Resource: t.Name, Provider: t.profile.Name})
			}
		}
	}

	slices.SortStableFunc(out, func(a, b Violation) int { return a.Rule - b.Rule })

	return out
}

// An inquiry is what is asked of resources whose tags go to one place.
type inquiry struct {
	keys tagset.Keys

	// sets of tag keys that the keys can have that are asked for, in their order.
	sets []profile.KeySet

	// rules of the tag policy, in their order.
	rules []*policed
}

// ask for the supplied keys, and for what the tag policy has rules on, of resources like the
// supplied target.
func (s *Stamper) ask(t *Target, keys []string) *inquiry {
	d := s.Transformer.Transform(t.profile)

	// All strings are tags, and those in question are told by their keys, which can have the
	// separator in them. So can the prefix of labels' keys.
	a := &inquiry{keys: tagset.Keys{
		Kind: tagset.KindOf(t.field, t.profile), Patterns: profile.NewKeySet("*"), Prefixes: d.Keys(s.Input.KeyPrefix + "*"),
	}}

	var known []string

	for _, key := range keys {
		of := d.TagKeys(key)
		known = append(known, of...)
		a.sets = append(a.sets, t.profile.KeySet(of...))
	}

	if policy := s.Input.TagPolicy; policy != nil {
		for i := range policy.Rules {
			of := d.TagKeys(policy.Rules[i].Key)
			known = append(known, of...)
			a.rules = append(a.rules, &policed{TagRule: &policy.Rules[i], keys: t.profile.KeySet(of...), folded: profile.NewFoldedKeySet(of...)})
		}
	}

	a.keys.Known = t.profile.KeySet().With(known...)

	return a
}

// final are the tags that the supplied target has in the end, or nil if they can't be read.
func (a *inquiry) final(t *Target, changed map[string]object.Object) *tagset.Set {
	r, ok := changed[t.Name]
	if !ok {
		r = t.Resource
	}

	value, err := r.At(t.field.Path)
	if err != nil {
		return nil
	}

	set, err := t.final(value, &a.keys)
	if err != nil {
		return nil
	}

	return set
}

// breaks returns what the supplied tags break of the rule, or nothing.
func (p *policed) breaks(set *tagset.Set) string {
	var found, other *tagset.Entry

	for e := range set.All() {
		switch {
		case e.Opaque:
		case p.keys.Has(e.Key):
			found = e

			if !p.admits(e) {
				return otherValue + strconv.Quote(text(e.Value))
			}
		case p.folded.Has(e.Key) && other == nil:
			other = e
		}
	}

	switch {
	case found != nil:
		return ""
	case other != nil:
		return "spelled " + strconv.Quote(other.Key)
	case p.IsRequired():
		return Missing
	default:
		return ""
	}
}

// admits is true if the supplied tag has a value that the rule admits.
func (p *policed) admits(e *tagset.Entry) bool {
	if len(p.Values) == 0 {
		return true
	}

	for _, v := range p.Values {
		if v.Matches(text(e.Value)) {
			return true
		}
	}

	return false
}
