package stamp

import (
	"iter"
	"slices"

	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/plexsphere/function-cloud-tags/tags/field"
	"github.com/plexsphere/function-cloud-tags/tags/object"
	"github.com/plexsphere/function-cloud-tags/tags/stamp/tagset"
)

// A Census reads which tags resources of a cluster have, one after the other. What it keeps
// grows with their kinds only.
type Census struct {
	stamper *Stamper
	targets *Targets
	keys    []string

	asked map[*place]*inquiry
}

// A Counted resource is what it has of tags.
type Counted struct {
	field.Kind

	// Provider is the name of the tag profile.
	Provider string

	// IsResource is true if it is a resource of a cloud, as far as anybody knows.
	IsResource bool

	// Lacks is why it has no tags, or empty if it can have some. Unknown is true if that is
	// since nobody knows where, and NoCloud if nothing of the kind is in any cloud.
	Lacks            string
	Unknown, NoCloud bool

	// Tags are the keys of those that the tag field has, without those that the provider adds
	// itself, by what is the same of keys that it takes for one, and of no other provider's.
	Tags map[string]string

	// Reported is true if the provider reports the tags that the cloud has. These are Cloud,
	// without those that the provider adds itself.
	Reported bool
	Cloud    map[string]string

	// Drift is the tags that the cloud has at another value, or not at all, by key.
	Drift map[string]Drifted

	// Has and CloudHas say of each key of the census, in their order, whether there is such
	// a tag.
	Has, CloudHas []bool

	// Breaks is what is broken of each rule of the tag policy, in their order, or nothing:
	// Missing, or what is wrong.
	// A rule that is not for the resource is not in For.
	Breaks []string
	For    []bool
}

// A Drifted tag has another value in the cloud.
type Drifted struct {
	Desired string

	// Cloud is the value that the cloud has instead. It is nil if the cloud lacks the tag. A list
	// can have a key several times: then it is nil, too, unless there is one such value.
	Cloud *string
}

// Census returns what reads resources and counts the supplied keys. Of the input it takes where
// tags are, how keys are formatted and the tag policy.
func (s *Stamper) Census(keys []string) *Census {
	return &Census{stamper: s, targets: s.newTargets(), keys: keys, asked: make(map[*place]*inquiry)}
}

// Schemas are the kinds whose schemas say where their tags are, or would if they were here.
func (c *Census) Schemas() iter.Seq[schema.GroupVersionKind] { return c.targets.Schemas() }

// Count reads the supplied object. Its name is what entries of the input select it by: that in
// the Composition.
func (c *Census) Count(name string, o object.Object) Counted {
	t := &Target{Name: name, Resource: o, received: o, observed: o}
	c.targets.outline(t)

	out := Counted{Kind: t.kind.Kind, IsResource: t.kind.Managed && !field.IsSettings(t.kind.Kind.Kind), Provider: t.profile.Name}

	if family, ok := field.FamilyOf(t.kind.Tagged()); ok && family.Profile == "" {
		out.NoCloud = true
	}

	if t.leave == whyNoObject {
		return Counted{}
	}

	switch located := c.targets.locate(t); {
	case !located:
		out.Lacks, out.Unknown = t.lacks, t.unknown || t.field.LooksLike != ""
		return out
	case t.leave != "" && t.leave != whyIgnored:
		out.IsResource, out.Lacks = true, t.leave
		return out
	}

	out.IsResource, out.NoCloud, out.Provider = true, false, t.profile.Name

	a := c.asked[t.place]
	if a == nil {
		a = c.stamper.ask(t, c.keys)
		c.asked[t.place] = a
	}

	c.count(&out, t, a)

	return out
}

// count the tags of the supplied target.
func (c *Census) count(out *Counted, t *Target, a *inquiry) {
	err := t.beforeErr

	var desired *tagset.Set
	if err == nil {
		desired, err = tagset.Read(t.before, t.field, &a.keys)
	}

	if err != nil {
		out.Lacks, out.Unknown = "has a tag field that can't be read: "+err.Error(), true
		return
	}

	out.Tags = t.keysOf(desired)
	out.Has = a.has(desired)
	c.judge(out, t, a, desired)

	if cloud := c.cloud(t, a); cloud != nil {
		out.CloudHas = a.has(cloud)
		out.compare(t, desired, cloud)
	}
}

// keysOf the supplied tags, as Counted has them. Of keys that are one, it is the first in order.
func (t *Target) keysOf(set *tagset.Set) map[string]string {
	out := make(map[string]string, set.Len())

	for e := range set.All() {
		if e.Opaque || isProviders(t.field, e.Key) {
			continue
		}

		id := e.Key
		if t.profile.FoldKeys || t.profile.FoldEntries {
			id = t.profile.Name + "\x00" + t.profile.Fold(e.Key)
		}

		if key, ok := out[id]; !ok || e.Key < key {
			out[id] = e.Key
		}
	}

	return out
}

// judge what the supplied tags of the supplied target break of the tag policy.
func (c *Census) judge(out *Counted, t *Target, a *inquiry, desired *tagset.Set) {
	for _, rule := range a.rules {
		is := c.targets.Selects(c.stamper.Input.Resources, t) && c.targets.Selects(rule.Resources, t)
		out.For = append(out.For, is)

		what := ""
		if is {
			what = rule.breaks(desired)
		}

		out.Breaks = append(out.Breaks, what)
	}
}

// compare the supplied tags of the supplied target with those that the cloud has.
func (c *Counted) compare(t *Target, desired, cloud *tagset.Set) {
	c.Reported, c.Cloud, c.Drift = true, t.keysOf(cloud), make(map[string]Drifted)

	for of := range desired.Tags() {
		there := slices.Collect(cloud.With(of[0].ID))
		lacks := t.without(of, there)

		if len(lacks) == 0 {
			continue
		}

		d := Drifted{Desired: text(lacks[0].Value)}
		if others := t.without(there, of); len(others) == 1 {
			d.Cloud = new(text(others[0].Value))
		}

		c.Drift[lacks[0].Key] = d
	}
}

// without returns those of the supplied entries of one tag that the provider of the target takes
// for none of the others.
func (t *Target) without(entries, others []tagset.Entry) []tagset.Entry {
	value := func(e *tagset.Entry) string { return text(e.Value) }
	if t.field.Shape == field.StringList && t.profile.FoldEntries {
		value = func(e *tagset.Entry) string { return t.profile.Fold(text(e.Value)) }
	}

	return slices.DeleteFunc(slices.Clone(entries), func(e tagset.Entry) bool {
		return slices.ContainsFunc(others, func(o tagset.Entry) bool { return value(&o) == value(&e) })
	})
}

// cloud returns the tags that the provider of the supplied target reports the cloud to have, or
// nil if it doesn't report any. Those that Upjet generates leave out a field without anything
// in it, of what they have observed: that has an ID. What only the status has of a map of theirs
// proves nothing: see isGhost.
func (c *Census) cloud(t *Target, a *inquiry) *tagset.Set {
	if set := t.cloud(&a.keys); set != nil {
		if t.isGhost() {
			there := t.reported(t.there, &a.keys)
			for e := range set.All() {
				if there == nil || !there.Holds(e) {
					set.Remove(e)
				}
			}
		}

		return set
	}

	family, _ := field.FamilyOf(t.kind.GroupKind())
	if !family.Upjet || len(t.field.Observed) == 0 || t.observed.Node().Field("status").Field("atProvider").Field("id").Text() == "" {
		return nil
	}

	set, err := tagset.Read(object.Node{}, t.field, &a.keys)
	if err != nil {
		return nil
	}

	return set
}

// has says of each of the keys whether the supplied set has such a tag.
func (a *inquiry) has(set *tagset.Set) []bool {
	out := make([]bool, len(a.sets))

	for e := range set.All() {
		for i := range a.sets {
			out[i] = out[i] || !e.Opaque && a.sets[i].Has(e.Key)
		}
	}

	return out
}
