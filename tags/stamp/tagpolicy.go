package stamp

import (
	"strconv"

	"github.com/plexsphere/function-cloud-tags/input/v1beta1"
	"github.com/plexsphere/function-cloud-tags/tags"
	"github.com/plexsphere/function-cloud-tags/tags/object"
	"github.com/plexsphere/function-cloud-tags/tags/stamp/tagset"
)

// Missing is what a resource breaks that lacks a required tag.
const Missing = "missing"

// A Violation is what a resource breaks of a rule of the tag policy.
type Violation struct {
	// Rule is the position of the rule in the policy.
	Rule int

	// What the resource breaks: the same of resources that break it in the same way.
	What string

	// Resource is the name of the composed resource, and Provider that of its tag profile.
	Resource, Provider string
}

// A policed rule is one of the tag policy, as it is for resources with one kind of tag field.
type policed struct {
	*v1beta1.TagRule

	// keys of the rule's tag, and keys that differ from these in case alone or not at all.
	keys, folded tags.KeySet
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

	sets := make(map[*Target]*tagset.Set, len(targets.All))

	for i := range policy.Rules {
		rule := &policy.Rules[i]
		known := make(map[*place]*policed)

		for _, t := range targets.All {
			if !t.managed || t.leave != "" || t.lacks != "" || !targets.Selects(rule.Resources, t) {
				continue
			}

			if _, ok := sets[t]; !ok {
				sets[t] = s.final(t, changed)
			}

			if sets[t] == nil {
				continue
			}

			if known[t.place] == nil {
				known[t.place] = s.policed(rule, t)
			}

			if what := known[t.place].breaks(sets[t]); what != "" {
				out = append(out, Violation{Rule: i, What: what, Resource: t.Name, Provider: t.profile.Name})
			}
		}
	}

	return out
}

// policed is the supplied rule for resources like the supplied target.
func (s *Stamper) policed(rule *v1beta1.TagRule, t *Target) *policed {
	d := s.Transformer.Transform(t.profile)
	of := d.TagKeys(rule.Key)

	return &policed{TagRule: rule, keys: t.profile.KeySet(of...), folded: tags.NewFoldedKeySet(of...)}
}

// final are the tags that the supplied target has in the end, or nil if they can't be read.
func (s *Stamper) final(t *Target, changed map[string]object.Object) *tagset.Set {
	r, ok := changed[t.Name]
	if !ok {
		r = t.Resource
	}

	value, err := r.At(t.field.Path)
	if err != nil {
		return nil
	}

	// All strings are tags, and those of rules are told by their keys, which can have the
	// separator in them.
	keys := tagset.Keys{Kind: tagset.KindOf(t.field, t.profile), Patterns: tags.NewKeySet("*")}
	d := s.Transformer.Transform(t.profile)

	var all []string
	for i := range s.Input.TagPolicy.Rules {
		all = append(all, d.TagKeys(s.Input.TagPolicy.Rules[i].Key)...)
	}

	keys.Known = t.profile.KeySet().With(all...)

	set, err := tagset.Read(value, t.field, &keys)
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
				return "value " + strconv.Quote(text(e.Value))
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
	case p.Required == nil || *p.Required:
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
