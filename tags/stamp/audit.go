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
	if err != nil || t.ThereErr != nil || settled(t, after) {
		return c
	}

	keys := l.allKeys()

	old, err := tagset.Read(t.There, t.Field, keys)
	if err != nil {
		return c
	}

	desired, err := tagset.Read(after, t.Field, keys)
	if err != nil {
		return c
	}

	c.Added, c.Changed, c.Removed = make(map[string]Values), make(map[string]Values), make(map[string]Values)

	for entries := range old.Updated(desired) {
		if there := old.Find(entries[0].ID); there == nil {
			c.Added[entries[0].Key] = Values{After: tagset.TextOf(entries[0].Value)}
		} else {
			c.Changed[entries[0].Key] = Values{Before: tagset.TextOf(there.Value), After: tagset.TextOf(entries[0].Value)}
		}
	}

	for entries := range old.Removed(desired) {
		goes := func(e tagset.Entry) bool {
			return !locate.AddsItself(t.Field, e.Key) && !t.Owners().Stays(&e, after.IsThere())
		}

		if i := slices.IndexFunc(entries, goes); i >= 0 {
			c.Removed[entries[i].Key] = Values{Before: tagset.TextOf(entries[i].Value)}
		}
	}

	return c
}

// addUnselected adds to o why the input doesn't select t, if tags in the cloud decide on this. It also adds the tags of this
// function that t loses because the input no longer selects t. If the observed Bucket has plexsphere:env, and no step
// desires that tag, plexsphere:env is removed.
func (s *Stamper) addUnselected(o *outcomes, targets *locate.Targets, t *locate.Target) {
	if t.Leave != locate.None {
		return
	}

	r := newPlan(t, nil).Result
	if why := t.Unselected(); why == locate.NotInCloud && s.asksForTags() {
		r.LeftAlone = t.Why(why)
	}

	if s.Audits && !t.Observed.IsZero() && targets.Locate(t) {
		l := s.knownLabelsOf(t).in(t)
		r.Changes.Removed = changesOf(t, t.Resource, l).Removed

		maps.DeleteFunc(r.Changes.Removed, func(key string, _ Values) bool { return !l.belongsToFunction(&tagset.Entry{ID: l.ID(key), Key: key}) })
	}

	if r.LeftAlone != "" || !r.Changes.IsEmpty() {
		o.addResult(r)
	}
}

// settled reports whether the observed tag field of t has the value after already: {env: prod, crossplane-kind: bucket}
// has {env: prod}. Other entries of a map may be there, if the provider or Kubernetes sets them. In most runs this is
// so, and nothing else is read.
func settled(t *locate.Target, after object.Node) bool {
	before := t.There
	if !before.IsObject() || !after.IsObject() {
		return before.Equal(after)
	}

	desired := make(map[string]object.Node, after.Len())
	for key, v := range after.Fields() {
		desired[string(key)] = v
	}

	found := 0

	for key, v := range before.Fields() {
		now, ok := desired[string(key)]
		if ok && !now.Equal(v) || !ok && !locate.AddsItself(t.Field, key) && !t.Field.OnlyKubernetes(key) {
			return false
		}

		if ok {
			found++
		}
	}

	return found == len(desired)
}
