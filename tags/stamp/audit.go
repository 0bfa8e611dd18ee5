package stamp

import (
	"maps"
	"slices"

	"github.com/plexsphere/function-cloud-tags/tags/locate"
	"github.com/plexsphere/function-cloud-tags/tags/object"
	"github.com/plexsphere/function-cloud-tags/tags/tagset"
	"github.com/plexsphere/function-cloud-tags/tags/words"
	"github.com/plexsphere/function-cloud-tags/tags/write"
)

// Changes has the tags that change once Crossplane applies a resource, by key. Added tags have no Before, and Removed tags have no
// After. The Changes of a Result name the first words.MaxNameCount tags of each kind, and count the others: a run of thousands of resources
// can change millions of tags.
type Changes struct {
	Added, Changed, Removed             map[string]Values
	MoreAdded, MoreChanged, MoreRemoved int
}

// Values has the values of a tag before and after Crossplane applies the resource.
type Values struct {
	Before, After string
}

// IsEmpty reports whether nothing changes.
func (c *Changes) IsEmpty() bool { return len(c.Added)+len(c.Changed)+len(c.Removed) == 0 }

// trim keeps the first words.MaxNameCount tags of each kind.
func (c *Changes) trim() {
	c.Added, c.MoreAdded = firstOf(c.Added)
	c.Changed, c.MoreChanged = firstOf(c.Changed)
	c.Removed, c.MoreRemoved = firstOf(c.Removed)
}

// firstOf returns the first words.MaxNameCount of values, by key, and how many more there are.
func firstOf(values map[string]Values) (first map[string]Values, more int) {
	more = len(values) - words.MaxNameCount
	if more <= 0 {
		return values, 0
	}

	first = make(map[string]Values, words.MaxNameCount)
	for _, key := range slices.Sorted(maps.Keys(values))[:words.MaxNameCount] {
		first[key] = values[key]
	}

	return first, more
}

// changesOf returns how the tags of t change once Crossplane applies r, the resource of t with its new tags. If the observed field has
// env: dev, and r has env: prod, then env changes from dev to prod. A field that can't be read has no changes. In a list of strings,
// a=b=c has the key a=b if a label of l has this key, and otherwise the key a. See testdata/cases/audit.yaml.
func changesOf(t *locate.Target, r object.Object, l *Labels) (c Changes) {
	newValue, err := r.At(t.Field.Path)
	initialBefore, initialAfter := initialValues(t, r)

	if err != nil || t.ObservedErr != nil || isSettled(t, newValue) && write.IsSame(initialBefore, initialAfter) {
		return c
	}

	keys := l.allKeys()

	before, beforeErr := tagset.ReadWithInitial(t.ObservedValue, initialBefore, t.Field, keys)
	after, afterErr := tagset.ReadWithInitial(newValue, initialAfter, t.Field, keys)

	if beforeErr != nil || afterErr != nil {
		return c
	}

	c.Added, c.Changed, c.Removed = make(map[string]Values), make(map[string]Values), make(map[string]Values)

	// Several entries of a list can have one key, such as zone=a and zone=b. For each tag that is new or changes, Updated yields the entries
	// with new values. The first of them is enough for Changes.
	for entries := range before.Updated(after) {
		if previous := before.Find(entries[0].ID); previous == nil {
			c.Added[entries[0].Key] = Values{After: tagset.TextOf(entries[0].Value)}
		} else {
			c.Changed[entries[0].Key] = Values{Before: tagset.TextOf(previous.Value), After: tagset.TextOf(entries[0].Value)}
		}
	}

	// An entry that no step desires is removed, unless the provider sets it, or another field manager owns it.
	isRemoved := func(e tagset.Entry) bool {
		return e.Initial || !locate.ProviderSets(t.Field, e.Key) && !t.Owners().Stays(&e, newValue.IsThere() /* fieldDesired */)
	}

	// For each tag of before that is missing in after, Removed yields all entries. The first removed one is enough for Changes.
	for entries := range before.Removed(after) {
		if i := slices.IndexFunc(entries, isRemoved); i >= 0 {
			c.Removed[entries[i].Key] = Values{Before: tagset.TextOf(entries[i].Value)}
		}
	}

	return c
}

// addUnselected adds a result for t, which the input doesn't select, in two cases:
//   - The input would select t if the cloud had the tags of matchCloudTags. The tags that t has stay: see keepAppliedTags. If there are
//     labels, removeTags or ignoreTags, LeftAlone says so.
//   - The Stamper audits, and t loses tags of this function. If the observed Bucket has plexsphere:env, and no step desires it,
//     Changes.Removed has plexsphere:env.
func (s *Stamper) addUnselected(o *outcomeBuilder, targets *locate.Targets, t *locate.Target) {
	if t.LeaveReason != locate.None { // The resource's own fields ask to leave it alone.
		return
	}

	isDeselected := t.WhyUnselected() == locate.NotInCloud

	// Finder.Find has located the tag fields of selected resources only. Locate returns false if t has none.
	isAudited := s.Audits && !t.Observed.IsZero() && targets.Locate(t)

	if !isDeselected && !isAudited { // So it is for most, and a plan would be an allocation.
		return
	}

	p := newPlan(t, nil)

	if isDeselected {
		s.keepAppliedTags(p)

		if s.hasTagWork() {
			p.LeftAlone = t.WhyLeftAlone(locate.NotInCloud)
		}
	}

	if isAudited {
		l := s.resourceLabelsOrCommon(t).labelsFor(t)
		p.Changes.Removed = changesOf(t, p.stampedResource(), l).Removed

		maps.DeleteFunc(p.Changes.Removed, func(key string, _ Values) bool { return !l.keyBelongsToFunction(key) })
	}

	if p.LeftAlone != "" || !p.Changes.IsEmpty() || !p.Stamped.IsZero() {
		o.addResult(p.Result)
	}
}

// isSettled reports whether the tags in the observed field of t stay the same once Crossplane applies newValue. With the newValue {env:
// prod}, {env: prod, crossplane-kind: bucket} stays the same, since the provider sets crossplane-kind. A Kubernetes label that is no tag,
// such as app.kubernetes.io/name, may go. For most fields, this check spares changesOf two tagset.Sets.
func isSettled(t *locate.Target, newValue object.Node) bool {
	observed := t.ObservedValue
	if !observed.IsObject() || !newValue.IsObject() {
		return observed.Equal(newValue)
	}

	desired := make(map[string]object.Node, newValue.Len())
	for key, v := range newValue.Fields() {
		desired[string(key)] = v
	}

	unchanged := 0

	for key, v := range observed.Fields() {
		desiredValue, isDesired := desired[string(key)]
		isNotOurs := locate.ProviderSets(t.Field, key) || t.Field.IsOnlyForKubernetes(key)

		switch {
		case !isDesired && !isNotOurs: // The entry is removed.
			return false
		case isDesired && !desiredValue.Equal(v): // The value changes.
			return false
		case isDesired:
			unchanged++
		}
	}

	return unchanged == len(desired) // Otherwise observed lacks a desired entry.
}
