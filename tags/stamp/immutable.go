package stamp

import (
	"slices"
	"strings"
	"time"

	"github.com/plexsphere/function-cloud-tags/tags/locate"
	"github.com/plexsphere/function-cloud-tags/tags/object"
	"github.com/plexsphere/function-cloud-tags/tags/tagset"
)

// A provider writes these annotations and conditions to a managed resource: when it began to make the external resource,
// how that ended (package meta of crossplane-runtime), and whether its last update succeeded.
const (
	createPending   = "crossplane.io/external-create-pending"
	createSucceeded = "crossplane.io/external-create-succeeded"
	createFailed    = "crossplane.io/external-create-failed"

	conditionSynced      = "Synced"
	reasonReconcileError = "ReconcileError"
)

// Prefixes of the paths of the fields that a provider reads, and of the fields that it reports.
const (
	forProvider = "spec.forProvider."
	atProvider  = "status.atProvider."
)

var atProviderPath = object.MustParsePath("status.atProvider")

// existsInCloud reports whether the external resource of t may exist. It doesn't in two cases:
//   - t is not observed.
//   - The provider reports nothing, and has not begun to make the external resource, or failed to.
//
// See testdata/cases/immutable.yaml.
func existsInCloud(t *locate.Target) bool {
	if t.Observed.IsZero() {
		return false
	}

	if reported, err := t.Observed.At(atProviderPath); err == nil && reported.IsObject() && !reported.IsEmpty() {
		return true
	}

	pending, succeeded, failed := timeOf(t, createPending), timeOf(t, createSucceeded), timeOf(t, createFailed)
	hasBegun := !pending.IsZero() || !succeeded.IsZero()
	hasFailed := failed.After(succeeded) && !pending.After(failed) // As ExternalCreateIncomplete compares them.

	return hasBegun && !hasFailed
}

// isImportedUntagged reports whether Crossplane neither made nor tagged the external resource of t. Somebody else made it: it has the
// annotation crossplane.io/external-name, and none of the annotations above.
func isImportedUntagged(t *locate.Target) bool {
	made := slices.ContainsFunc([]string{createPending, createSucceeded, createFailed}, func(annotation string) bool {
		return !object.Annotations(t.Observed).Field(annotation).IsNull()
	})

	return !made && (!t.ObservedValue.IsThere() || !t.Owners().HasOurs())
}

// timeOf returns the time that the annotation of the observed resource holds, or zero, as crossplane-runtime reads it.
func timeOf(t *locate.Target, annotation string) time.Time {
	at, err := time.Parse(time.RFC3339, object.Annotations(t.Observed).Field(annotation).Text())
	if err != nil {
		return time.Time{}
	}

	return at
}

// freeze plans to keep the tags with which the resource was made. If they differ, its provider refuses every update. A
// resource that was made with env: dev keeps env: dev, whatever labels, earlier steps and entries of the input say.
func (p *plan) freeze() error {
	t := p.target
	if t.DesiredErr != nil {
		return t.DesiredErr
	}

	set, err := tagsWhenMade(t, p.labels)
	if err != nil {
		return err
	}

	p.decision = &Decision{State: &State{Labels: p.labels, Tags: set}, judged: p.labels.undecided()}
	p.judged = p.decision.judgeMade()

	if p.Stamped, err = writeMade(t, set); err != nil {
		return err
	}

	p.conclude()
	p.noteImmutable()

	return nil
}

// tagsWhenMade returns the tags that t was made with. The provider reports them under the name of the field, such as
// status.atProvider.labels. If it doesn't, the observed field has them.
func tagsWhenMade(t *locate.Target, l *Labels) (*tagset.Set, error) {
	keys := l.allKeys()
	set, all := reportedUnderName(t, keys)
	reported := set != nil

	if !reported {
		value := t.ObservedValue
		if t.ObservedErr != nil || stuckWithoutTags(t) {
			value = object.Node{}
		}

		var err error
		if set, err = tagset.Read(value, t.Field, keys); err != nil {
			return nil, err
		}
	}

	for e := range set.All() {
		missingInCloud := all != nil && !e.Opaque && !all.Has(e.ID)
		ownedByProvider := !t.Field.Atomic && locate.ProviderSets(t.Field, l.Profile.Fold(e.Key))

		if reported && (missingInCloud || l.belongsToCloud(e)) || ownedByProvider {
			set.Remove(e)
		}
	}

	return set, nil
}

// reportedUnderName returns the tags that the provider reports under the name of t's field, such as status.atProvider.labels, or nil.
// all are the tags that it reports elsewhere, or nil. Under the name of the field, Google's Terraform provider also reports
// labels of the managed resource that the cloud lacks: see SetLabels in its tpgresource/labels.go.
func reportedUnderName(t *locate.Target, keys *tagset.Keys) (underName, all *tagset.Set) {
	for i, path := range t.Field.Observed {
		v, err := t.Observed.At(path)
		if err != nil {
			continue
		}

		set := t.ReadTags(v, keys)

		if reportsField(t, path) {
			return set, all
		}

		if i == 0 {
			all = set
		}
	}

	return nil, nil
}

// reportsField reports whether a provider reports t's field at the path under its own name: spec.forProvider.labels at
// status.atProvider.labels.
func reportsField(t *locate.Target, path object.Path) bool {
	name, ok := strings.CutPrefix(t.Field.Path.String(), forProvider)
	return ok && path.String() == atProvider+name
}

// stuckWithoutTags reports whether t has no tags in the cloud, and its provider refuses an update: the condition Synced
// is False with the reason ReconcileError, and status.atProvider has fields, but no labels. Such a provider leaves out
// an empty map.
func stuckWithoutTags(t *locate.Target) bool {
	if !slices.ContainsFunc(t.Field.Observed, func(p object.Path) bool { return reportsField(t, p) }) {
		return false
	}

	if reported, err := t.Observed.At(atProviderPath); err != nil || reported.IsEmpty() {
		return false
	}

	c := object.Condition(t.Observed, conditionSynced)

	return c.Field("status").IsText("False") && c.Field("reason").IsText(reasonReconcileError)
}

// writeMade writes the set to t's field, or removes the field if the set is empty. It returns the zero Object if t is
// as it was, e.g. if t was made with env: dev, and env: dev is desired.
func writeMade(t *locate.Target, set *tagset.Set) (object.Object, error) {
	v := set.Value()

	switch {
	case isEmpty(v) && isEmpty(t.DesiredValue):
		return object.Object{}, nil
	case isEmpty(v):
		return removeField(t)
	}

	if v = inObservedOrder(t, v); !v.Equal(t.DesiredValue) {
		return setDesiredField(t, v)
	}

	return object.Object{}, nil
}

// noteImmutable adds a note on labels that are no tags of the resource, or have another value there. The resource was made with env:
// dev, and now has the label env: prod. Labels beyond the cap could never have been tags.
func (p *plan) noteImmutable() {
	for i := range p.judged[:min(len(p.judged), p.labels.Profile.MaxTags)] {
		j, l := &p.judged[i], &p.labels.all[i]

		if j.Fate != Tagged && (p.decision.Tags.Has(l.entry.ID) || !l.removed) {
			p.Notes.add(NoteImmutable, "", l.Key)
		}
	}
}

// keepFixed keeps the tags that the resource was made with if they can't change, e.g. parameters.labels of a
// StorageClass: the API server would refuse all other changes of the resource, too. See
// testdata/cases/fixed-parameters.yaml.
func (p *plan) keepFixed() {
	t := p.target
	if !t.Field.Fixed || t.Observed.IsZero() || t.ObservedErr != nil {
		return
	}

	after := t.DesiredValue
	if !p.Stamped.IsZero() {
		after, _ = p.Stamped.At(t.Field.Path)
	}

	if after.Equal(t.ObservedValue) || isEmpty(after) && isEmpty(t.ObservedValue) {
		return
	}

	p.LeftAlone, p.Stamped = t.WhyLeftAlone(locate.Fixed), object.Object{}

	if !t.DesiredValue.Equal(t.ObservedValue) {
		p.Stamped, _ = object.Set(t.Resource, t.Field.Path, t.ObservedValue)
	}
}
