package coverage

import (
	"slices"

	"github.com/plexsphere/function-cloud-tags/input/v1beta1"
	"github.com/plexsphere/function-cloud-tags/tags"
	"github.com/plexsphere/function-cloud-tags/tags/field"
	"github.com/plexsphere/function-cloud-tags/tags/object"
	"github.com/plexsphere/function-cloud-tags/tags/profile"
	"github.com/plexsphere/function-cloud-tags/tags/stamp/tagset"
	"github.com/plexsphere/function-cloud-tags/tags/tagpolicy"
	"github.com/plexsphere/function-cloud-tags/tags/target"
)

// A census reads which tags resources have, one resource after the other. It keeps something for each kind only.
type census struct {
	input       *v1beta1.CloudTags
	transformer *tags.Transformer
	targets     *target.Targets
	keys        []string

	readers map[*target.Place]*tagpolicy.Reader
}

// A counted resource has its tags.
type counted struct {
	field.Kind

	// Provider is the name of the tag profile.
	Provider string

	// IsResource is true if it is a resource of a cloud, as far as that can be told.
	IsResource bool

	// Lacks is why it can have no tags, or empty if it can. Unknown is true if the location of its tags is not
	// known, and NoCloud if the kind is in no cloud.
	Lacks            string
	Unknown, NoCloud bool

	// Tags are the keys of those that the tag field has, without those that the provider adds
	// itself, as they are spelled there.
	Tags map[tagID]string

	// Reported is true if the provider reports the tags in the cloud. Cloud are these tags, without those that
	// the provider adds itself.
	Reported bool
	Cloud    map[tagID]string

	// Drift is the tags that the cloud has at another value, or not at all, by key.
	Drift map[string]drifted

	// Has and CloudHas say, for each key of the census, whether there is such a tag.
	Has, CloudHas []bool

	// Breaches say how the tags break each rule of the tag policy, and For whether the rule is for the
	// resource. Both are in the order of the rules.
	Breaches []tagpolicy.Breach
	For      []bool
}

// A tagID is equal for keys that are one, and only for these. Keys are one if they are equal, or if a provider
// compares them without case, for those of that provider.
type tagID struct{ profile, key string }

// A drifted tag has another value in the cloud, or the cloud lacks it.
type drifted struct {
	Desired string

	// Cloud is the value in the cloud, or nil if the cloud lacks the tag. A list can have a key several times:
	// then Cloud is nil, too, unless the cloud has one other value.
	Cloud *string
}

// newCensus returns a census that counts the keys. The input of the finder says where tags are, how keys are
// formatted, and what the tag policy is.
func newCensus(f *target.Finder, transformer *tags.Transformer, keys []string) *census {
	return &census{input: f.Input, transformer: transformer, targets: f.None(), keys: keys, readers: make(map[*target.Place]*tagpolicy.Reader)}
}

// count reads the object. The name is that in the Composition, by which entries of the input select it.
func (c *census) count(name string, o object.Object) counted {
	t := c.targets.Read(name, o)
	out := counted{Kind: t.Kind.Kind, IsResource: t.Kind.Managed && !field.IsSettings(t.Kind.Kind.Kind), Provider: t.Profile.Name}

	if family, ok := field.FamilyOf(t.Kind.Tagged()); ok && family.Profile == "" {
		out.NoCloud = true
	}

	if t.Leave == target.NoObject {
		return counted{}
	}

	switch located := c.targets.Locate(t); {
	case !located:
		out.Lacks, out.Unknown = t.Why(t.Lacks), t.Lacks.IsUnknown() || t.Lacks == target.LooksLike
		return out
	case t.Leave != target.None && t.Leave != target.Ignored:
		out.IsResource, out.Lacks = true, t.Why(t.Leave)
		return out
	}

	out.IsResource, out.NoCloud, out.Provider = true, false, t.Profile.Name

	r := c.readers[t.Place]
	if r == nil {
		r = tagpolicy.NewReader(c.input, c.transformer, t, c.keys)
		c.readers[t.Place] = r
	}

	c.countTags(&out, t, r)

	return out
}

// countTags counts the tags of t.
func (c *census) countTags(out *counted, t *target.Target, r *tagpolicy.Reader) {
	err := t.BeforeErr

	var desired *tagset.Set
	if err == nil {
		desired, err = tagset.Read(t.Before, t.Field, &r.Keys)
	}

	if err != nil {
		out.Lacks, out.Unknown = "has a tag field that can't be read: "+err.Error(), true
		return
	}

	out.Tags = keysOf(t, desired)
	out.Has = has(desired, r.Sets)
	c.judge(out, t, r, desired)

	if cloud := cloudOf(t, r); cloud != nil {
		out.CloudHas = has(cloud, r.Sets)
		out.compare(t, desired, cloud)
	}
}

// judge whether the desired tags of t break the tag policy.
func (c *census) judge(out *counted, t *target.Target, r *tagpolicy.Reader, desired *tagset.Set) {
	for i := range r.Rules {
		rule := &r.Rules[i]
		is := c.targets.Selects(c.input.Resources, t) && c.targets.Selects(rule.Resources, t)
		out.For = append(out.For, is)

		var b tagpolicy.Breach
		if is {
			b = rule.Breach(desired.Texts())
		}

		out.Breaches = append(out.Breaches, b)
	}
}

// keysOf returns the keys of the tags of t, as counted has them. Of keys that are one, it is the first in order.
func keysOf(t *target.Target, set *tagset.Set) map[tagID]string {
	out := make(map[tagID]string, set.Len())

	for e := range set.All() {
		if e.Opaque || target.AddsItself(t.Field, e.Key) {
			continue
		}

		id := tagID{key: e.Key}
		if t.Profile.FoldKeys || t.Profile.FoldEntries {
			id = tagID{t.Profile.Name, t.Profile.Fold(e.Key)}
		}

		if key, ok := out[id]; !ok || e.Key < key {
			out[id] = e.Key
		}
	}

	return out
}

// compare the desired tags of t with those that the cloud has.
func (c *counted) compare(t *target.Target, desired, cloud *tagset.Set) {
	c.Reported, c.Cloud, c.Drift = true, keysOf(t, cloud), make(map[string]drifted)

	for of := range desired.Tags() {
		there := slices.Collect(cloud.With(of[0].ID))
		lacks := without(t, of, there)

		if len(lacks) == 0 {
			continue
		}

		d := drifted{Desired: tagset.TextOf(lacks[0].Value)}
		if others := without(t, there, of); len(others) == 1 {
			d.Cloud = new(tagset.TextOf(others[0].Value))
		}

		c.Drift[lacks[0].Key] = d
	}
}

// without returns the entries of one tag that have another value than the others have, as the provider of t
// compares values.
func without(t *target.Target, entries, others []tagset.Entry) []tagset.Entry {
	value := func(e *tagset.Entry) string { return tagset.TextOf(e.Value) }
	if t.Field.Shape == field.StringList && t.Profile.FoldEntries {
		value = func(e *tagset.Entry) string { return t.Profile.Fold(tagset.TextOf(e.Value)) }
	}

	return slices.DeleteFunc(slices.Clone(entries), func(e tagset.Entry) bool {
		return slices.ContainsFunc(others, func(o tagset.Entry) bool { return value(&o) == value(&e) })
	})
}

// cloudOf returns the tags that the provider of t reports the cloud to have, or
// nil if it doesn't report any. Those that Upjet generates leave out a field without anything
// in it, of what they have observed: that has an ID. What only the status has of a map of theirs
// proves nothing: see target.IsGhost.
func cloudOf(t *target.Target, r *tagpolicy.Reader) *tagset.Set {
	if set := t.Cloud(&r.Keys); set != nil {
		if t.IsGhost() {
			there := t.Reported(t.There, &r.Keys)
			for e := range set.All() {
				if there == nil || !there.Holds(e) {
					set.Remove(e)
				}
			}
		}

		return set
	}

	family, _ := field.FamilyOf(t.Kind.GroupKind())
	if !family.Upjet || len(t.Field.Observed) == 0 || t.Observed.Node().Field("status").Field("atProvider").Field("id").Text() == "" {
		return nil
	}

	set, err := tagset.Read(object.Node{}, t.Field, &r.Keys)
	if err != nil {
		return nil
	}

	return set
}

// has says of each set of keys whether there is a tag with one of them.
func has(set *tagset.Set, sets []profile.KeySet) []bool {
	out := make([]bool, len(sets))

	for key := range set.Texts() {
		for i := range sets {
			out[i] = out[i] || sets[i].Has(key)
		}
	}

	return out
}
