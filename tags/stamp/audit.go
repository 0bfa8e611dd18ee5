package stamp

import (
	"maps"
	"slices"

	"github.com/plexsphere/function-cloud-tags/tags/locate"
	"github.com/plexsphere/function-cloud-tags/tags/object"
	"github.com/plexsphere/function-cloud-tags/tags/tagset"
)

// Changes are what changes in the tags of a resource once Crossplane applies it: the tags that are added, changed and
// removed, by key. Added tags have no value before, and removed ones none after.
type Changes struct {
	Added, Changed, Removed map[string]Values
}

// Values of a tag.
type Values struct {
	Before, After string
}

// IsEmpty reports whether nothing changes.
func (c *Changes) IsEmpty() bool { return len(c.Added)+len(c.Changed)+len(c.Removed) == 0 }

// changesOf returns what changes in the tags of t if it becomes r. The keys of the labels tell tags apart.
func changesOf(t *locate.Target, r object.Object, l *Labels) (c Changes) {
	after, err := r.At(t.Field.Path)
	if err != nil || t.ThereErr != nil || settled(t, after) {
		return c // What can't be read was left alone.
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

	for of := range old.Updated(desired) {
		if was := old.Find(of[0].ID); was == nil {
			c.Added[of[0].Key] = Values{After: tagset.TextOf(of[0].Value)}
		} else {
			c.Changed[of[0].Key] = Values{Before: tagset.TextOf(was.Value), After: tagset.TextOf(of[0].Value)}
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

// auditLost adds to o the tags of this function that t loses since it is no longer selected,
// unless another step has desired them.
func (s *Stamper) auditLost(o *outcomes, targets *locate.Targets, t *locate.Target) {
	if !s.Audits || t.Leave != locate.None || t.Observed.IsZero() || !targets.Locate(t) {
		return
	}

	l := s.knownLabelsOf(t).in(t)
	removed := changesOf(t, t.Resource, l).Removed

	maps.DeleteFunc(removed, func(key string, _ Values) bool { return !l.isOurs(&tagset.Entry{ID: l.ID(key), Key: key}) })

	r := newPlan(t, l).Result
	r.Changes.Removed = removed
	o.addResult(r)
}

// settled is true if t is observed with the value after of its tag field,
// but for what others have added to a map. That is so in most runs.
func settled(t *locate.Target, after object.Node) bool {
	before := t.There
	if !before.IsObject() || !after.IsObject() {
		return before.Equal(after)
	}

	desired := make(map[string]object.Node, after.Len())
	for key, v := range after.Fields() {
		desired[string(key)] = v
	}

	for key, v := range before.Fields() {
		is, ok := desired[string(key)]
		if ok && !is.Equal(v) || !ok && !locate.AddsItself(t.Field, key) && !t.Field.OnlyKubernetes(key) {
			return false
		}

		delete(desired, string(key))
	}

	return len(desired) == 0
}
