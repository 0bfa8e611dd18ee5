package stamp

import (
	"maps"
	"slices"

	"github.com/plexsphere/function-cloud-tags/tags/locate"
	"github.com/plexsphere/function-cloud-tags/tags/object"
	"github.com/plexsphere/function-cloud-tags/tags/tagset"
)

// Changes are the changes of tags once Crossplane applies a resource: added, changed and removed tags by key. Added
// tags have no value before, and removed tags none after.
type Changes struct {
	Added, Changed, Removed map[string]Values
}

// Values of a tag.
type Values struct {
	Before, After string
}

// IsEmpty reports whether nothing changes.
func (c *Changes) IsEmpty() bool { return len(c.Added)+len(c.Changed)+len(c.Removed) == 0 }

// changesOf returns the changes of tags if t becomes r: env changes from dev to prod if the observed field has env:
// dev, and r has env: prod. The keys of labels tell tags apart. A field that can't be read is left alone, and has no
// changes. See testdata/cases/audit.yaml.
func changesOf(t *locate.Target, r object.Object, l *Labels) (c Changes) {
	after, err := r.At(t.Field.Path)
	if err != nil || t.ObservedErr != nil || settled(t, after) {
		return c
	}

	keys := l.allKeys()

	old, err := tagset.Read(t.ObservedValue, t.Field, keys)
	if err != nil {
		return c
	}

	desired, err := tagset.Read(after, t.Field, keys)
	if err != nil {
		return c
	}

	c.Added, c.Changed, c.Removed = make(map[string]Values), make(map[string]Values), make(map[string]Values)

	// Each step has the entries of one tag, which is new or has another value.
	for entries := range old.Updated(desired) {
		if previous := old.Find(entries[0].ID); previous == nil {
			c.Added[entries[0].Key] = Values{After: tagset.TextOf(entries[0].Value)}
		} else {
			c.Changed[entries[0].Key] = Values{Before: tagset.TextOf(previous.Value), After: tagset.TextOf(entries[0].Value)}
		}
	}

	// A tag stays if the provider sets it, or if another field manager owns it.
	for entries := range old.Removed(desired) {
		isRemoved := func(e tagset.Entry) bool {
			return !locate.ProviderSets(t.Field, e.Key) && !t.Owners().Stays(&e, after.IsThere())
		}

		if i := slices.IndexFunc(entries, isRemoved); i >= 0 {
			c.Removed[entries[i].Key] = Values{Before: tagset.TextOf(entries[i].Value)}
		}
	}

	return c
}

// addUnselected adds to o why the input doesn't select t, if tags in the cloud decide on this. It also adds the tags of this
// function that t loses because the input no longer selects t. If the observed Bucket has plexsphere:env, and no step
// desires that tag, plexsphere:env is removed.
func (s *Stamper) addUnselected(o *outcomes, targets *locate.Targets, t *locate.Target) {
	if t.LeaveReason != locate.None {
		return
	}

	r := newPlan(t, nil).Result
	if why := t.Unselected(); why == locate.NotInCloud && s.hasTagWork() {
		r.LeftAlone = t.WhyLeftAlone(why)
	}

	if s.Audits && !t.Observed.IsZero() && targets.Locate(t) {
		l := s.knownResourceLabelsOf(t).labelsFor(t)
		r.Changes.Removed = changesOf(t, t.Resource, l).Removed

		maps.DeleteFunc(r.Changes.Removed, func(key string, _ Values) bool { return !l.belongsToFunction(&tagset.Entry{ID: l.ID(key), Key: key}) })
	}

	if r.LeftAlone != "" || !r.Changes.IsEmpty() {
		o.addResult(r)
	}
}

// settled reports whether the observed tag field of t has the value after already, so that nothing changes. The observed value
// {env: prod, crossplane-kind: bucket} has {env: prod}: the provider and Kubernetes may set further entries of a map. This is so
// in most runs, and needs no set of tags.
func settled(t *locate.Target, after object.Node) bool {
	observed := t.ObservedValue
	if !observed.IsObject() || !after.IsObject() {
		return observed.Equal(after)
	}

	desired := make(map[string]object.Node, after.Len())
	for key, v := range after.Fields() {
		desired[string(key)] = v
	}

	found := 0

	for key, v := range observed.Fields() {
		desiredValue, isDesired := desired[string(key)]

		switch {
		case isDesired && desiredValue.Equal(v):
			found++
		case isDesired || !locate.ProviderSets(t.Field, key) && !t.Field.OnlyKubernetes(key):
			return false
		}
	}

	return found == len(desired)
}
