package stamp

import (
	"maps"
	"slices"

	"google.golang.org/protobuf/proto"

	"github.com/plexsphere/function-cloud-tags/tags/object"
	"github.com/plexsphere/function-cloud-tags/tags/stamp/tagset"
	"github.com/plexsphere/function-cloud-tags/tags/target"
)

// A Change is what changes in the tags of a resource once Crossplane applies it.
type Change struct {
	Resource   string
	APIVersion string
	Kind       string

	// HandsOn is true if they are labels that are handed on.
	HandsOn bool

	// Added, Changed and Removed tags by key. Those added have no value before, and
	// those removed none after.
	Added, Changed, Removed map[string]Values
}

// Values of a tag.
type Values struct {
	Before, After string
}

// isEmpty is true if nothing changes.
func (c *Change) isEmpty() bool { return len(c.Added)+len(c.Changed)+len(c.Removed) == 0 }

// changeOf returns what changes in the tags of t if it becomes r. The keys of the labels tell tags apart.
func changeOf(t *target.Target, r object.Object, l *Labels) Change {
	after, err := r.At(t.Field.Path)
	if err != nil || t.ThereErr != nil {
		return Change{} // What can't be read was left alone.
	}

	c := Change{Resource: t.Name, APIVersion: t.Kind.APIVersion, Kind: t.Kind.Kind.Kind, HandsOn: t.Profile.HandsOn}

	if settled(t, after) {
		return c
	}

	keys := l.allKeys()

	old, err := tagset.Read(t.There, t.Field, keys)
	if err != nil {
		return Change{}
	}

	desired, err := tagset.Read(after, t.Field, keys)
	if err != nil {
		return Change{}
	}

	c.Added, c.Changed, c.Removed = make(map[string]Values), make(map[string]Values), make(map[string]Values)

	for of := range desired.Tags() {
		e := &of[0]

		switch was := old.Find(e.ID); {
		case was == nil:
			c.Added[e.Key] = Values{After: tagset.TextOf(e.Value)}
		case !hasValue(old, e): // A list may have it twice, of which one is another manager's.
			c.Changed[e.Key] = Values{Before: tagset.TextOf(was.Value), After: tagset.TextOf(e.Value)}
		}
	}

	for of := range old.Tags() {
		if desired.Has(of[0].ID) || target.AddsItself(t.Field, of[0].Key) {
			continue
		}

		if i := slices.IndexFunc(of, func(e tagset.Entry) bool { return !t.Owners().Stays(&e, after.IsThere()) }); i >= 0 {
			c.Removed[of[i].Key] = Values{Before: tagset.TextOf(of[i].Value)}
		}
	}

	return c
}

// auditLost adds to o the tags of this function that t loses since it is no longer selected,
// unless another step has desired them.
func (s *Stamper) auditLost(o *outcomes, targets *target.Targets, t *target.Target) {
	if !s.Audits || t.Leave != target.None || t.Observed.IsZero() || !targets.Locate(t) {
		return
	}

	l := s.knownLabelsOf(t).in(t)
	c := changeOf(t, t.Resource, l)
	c.Added, c.Changed = nil, nil

	maps.DeleteFunc(c.Removed, func(key string, _ Values) bool {
		return !l.isOurs(&tagset.Entry{ID: l.ID(key), Key: key})
	})

	o.addChange(c)
}

// settled is true if t is observed with the value after of its tag field,
// but for what others have added to a map. That is so in most runs.
func settled(t *target.Target, after object.Node) bool {
	before := t.There
	if !before.IsObject() || !after.IsObject() {
		return proto.Equal(before.Value(), after.Value())
	}

	desired := make(map[string]object.Node, after.Len())
	for key, v := range after.Fields() {
		desired[string(key)] = v
	}

	for key, v := range before.Fields() {
		is, ok := desired[string(key)]
		if ok && !is.Equal(v) || !ok && !target.AddsItself(t.Field, key) && !t.Field.IsOthers(key) {
			return false
		}

		delete(desired, string(key))
	}

	return len(desired) == 0
}

// hasValue is true if the set has the tag e at its value.
func hasValue(set *tagset.Set, e *tagset.Entry) bool {
	for was := range set.With(e.ID) {
		if tagset.SameValue(was.Value, e.Value) {
			return true
		}
	}

	return false
}
