package stamp

import (
	"slices"
	"strings"
	"time"

	"github.com/plexsphere/function-cloud-tags/tags/locate"
	"github.com/plexsphere/function-cloud-tags/tags/object"
	"github.com/plexsphere/function-cloud-tags/tags/tagset"
)

// What a provider writes to the managed resource that it reconciles: the times at which it began to
// make what the resource is of, and how that ended (package meta of crossplane-runtime), and whether
// its last update came through.
const (
	createPending   = "crossplane.io/external-create-pending"
	createSucceeded = "crossplane.io/external-create-succeeded"
	createFailed    = "crossplane.io/external-create-failed"

	conditionSynced      = "Synced"
	reasonReconcileError = "ReconcileError"
)

// Prefixes of the paths of fields that a provider is told, and of those that it reports.
const (
	forProvider = "spec.forProvider."
	atProvider  = "status.atProvider."
)

var atProviderPath = object.MustParsePath("status.atProvider")

// isMade is true unless t is known not to be made yet: its provider reports nothing, and has not
// begun to make it, or failed.
func isMade(t *locate.Target) bool {
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

// timeOf returns the time that the annotation of the observed resource holds, or zero, as crossplane-runtime reads it.
func timeOf(t *locate.Target, annotation string) time.Time {
	at, err := time.Parse(time.RFC3339, object.Annotations(t.Observed).Field(annotation).Text())
	if err != nil {
		return time.Time{}
	}

	return at
}

// freeze plans that the resource keeps the tags that it was made with, since its provider refuses
// every update once they differ, whatever labels, earlier steps and rules of the input say.
func (p *plan) freeze() error {
	t := p.target
	if t.BeforeErr != nil {
		return t.BeforeErr
	}

	set, err := made(t, p.labels)
	if err != nil {
		return err
	}

	p.decision = &Decision{State: &State{Labels: p.labels, Tags: set}, judged: p.labels.undecided()}
	p.judged = p.decision.judgeMade()

	if p.Stamped, err = writeMade(t, set); err != nil {
		return err
	}

	p.conclude()
	p.compare()

	return nil
}

// made returns the tags that t was made with: those that the provider reports under the name of
// the field, or else those of the observed field.
func made(t *locate.Target, l *Labels) (*tagset.Set, error) {
	keys := l.allKeys()
	set, all := cloudsOwn(t, keys)
	reported := set != nil

	if !reported {
		there := t.There
		if t.ThereErr != nil || isStuckWithout(t) {
			there = object.Node{}
		}

		var err error
		if set, err = tagset.Read(there, t.Field, keys); err != nil {
			return nil, err
		}
	}

	for e := range set.All() {
		switch {
		case reported && (all != nil && !e.Opaque && !all.Has(e.ID) || l.isClouds(e)):
			set.Remove(e)
		case !t.Field.Atomic && locate.AddsItself(t.Field, l.Profile.Fold(e.Key)): // The provider owns it.
			set.Remove(e)
		}
	}

	return set, nil
}

// cloudsOwn returns the tags that the provider reports under the name of t's field, or nil if it
// reports none there, and all that it reports elsewhere, or nil if that is nothing. What Google's
// Terraform provider reports under the name of the field has the labels of the managed resource
// that the cloud lacks, too, without a value: see SetLabels in its tpgresource/labels.go.
func cloudsOwn(t *locate.Target, keys *tagset.Keys) (own, all *tagset.Set) {
	for i, path := range t.Field.Observed {
		v, err := t.Observed.At(path)
		if err != nil {
			continue
		}

		set := t.Reported(v, keys)

		if isOwn(t, path) {
			return set, all
		}

		if i == 0 {
			all = set
		}
	}

	return nil, nil
}

// isOwn is true if the path is where a provider reports t's field under its own name.
func isOwn(t *locate.Target, path object.Path) bool {
	name, ok := strings.CutPrefix(t.Field.Path.String(), forProvider)
	return ok && path.String() == atProvider+name
}

// isStuckWithout is true if t's provider refuses an update while it reports no tags of t, though
// it reports those of the kind: the cloud has none, since a report leaves out what is empty.
func isStuckWithout(t *locate.Target) bool {
	if !slices.ContainsFunc(t.Field.Observed, func(p object.Path) bool { return isOwn(t, p) }) {
		return false
	}

	if reported, err := t.Observed.At(atProviderPath); err != nil || reported.IsEmpty() {
		return false
	}

	c := object.Condition(t.Observed, conditionSynced)

	return c.Field("status").IsText("False") && c.Field("reason").IsText(reasonReconcileError)
}

// writeMade writes the set to t's field. It returns no object if t is as it was.
func writeMade(t *locate.Target, set *tagset.Set) (object.Object, error) {
	v := set.Value()

	switch {
	case isEmpty(v) && isEmpty(t.Before):
		return object.Object{}, nil
	case isEmpty(v):
		return removeField(t)
	}

	if v = inObservedOrder(t, v); !v.Equal(t.Before) {
		return writeValue(t, v)
	}

	return object.Object{}, nil
}

// compare the labels with the tags that the resource keeps. No resource could ever have more of
// them than the profile admits.
func (p *plan) compare() {
	for i := range p.judged[:min(len(p.judged), p.labels.Profile.MaxTags)] {
		j, l := &p.judged[i], &p.labels.all[i]

		if j.Fate != Tagged && (p.decision.Tags.Has(l.entry.ID) || !l.removed) {
			p.Notes.add(NoteImmutable, "", l.Key)
		}
	}
}

// keepFixed keeps the tags that the resource was made with, if they can't change: the API server would refuse
// whatever else changes in the resource, too.
func (p *plan) keepFixed() {
	t := p.target
	if !t.Field.Fixed || t.Observed.IsZero() || t.ThereErr != nil {
		return
	}

	after := t.Before
	if !p.Stamped.IsZero() {
		after, _ = p.Stamped.At(t.Field.Path)
	}

	if after.Equal(t.There) || isEmpty(after) && isEmpty(t.There) {
		return
	}

	p.LeftAlone, p.Stamped = t.Why(locate.Fixed), object.Object{}

	if !t.Before.Equal(t.There) {
		p.Stamped, _ = object.Set(t.Resource, t.Field.Path, t.There)
	}
}
