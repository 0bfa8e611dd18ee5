package stamp

import (
	"slices"
	"strings"
	"time"

	"github.com/plexsphere/function-cloud-tags/tags/locate"
	"github.com/plexsphere/function-cloud-tags/tags/object"
	"github.com/plexsphere/function-cloud-tags/tags/tagset"
)

// A provider writes these annotations and this condition to a managed resource: when it began to make the external resource, how that
// ended (package meta of crossplane-runtime), and whether its last update succeeded.
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

// existsInCloud reports whether the external resource of t may exist. It returns false in two cases:
//   - t is not observed.
//   - The provider reports nothing, and hasn't begun to make the external resource, or has failed to make it.
//
// See testdata/cases/immutable.yaml.
func existsInCloud(t *locate.Target) bool {
	if t.Observed.IsZero() {
		return false
	}

	if reported, err := t.Observed.At(atProviderPath); err == nil && reported.IsObject() && !reported.IsEmpty() {
		return true
	}

	pending, succeeded, failed := annotationTime(t, createPending), annotationTime(t, createSucceeded), annotationTime(t, createFailed)
	hasBegun := !pending.IsZero() || !succeeded.IsZero()
	hasFailed := failed.After(succeeded) && !pending.After(failed) // As in ExternalCreateIncomplete of crossplane-runtime.

	return hasBegun && !hasFailed
}

// isImportedUntagged reports whether somebody else made the external resource of t, and Crossplane hasn't tagged it yet. The resource
// has none of the annotations crossplane.io/external-create-….
func isImportedUntagged(t *locate.Target) bool {
	isMadeByCrossplane := slices.ContainsFunc([]string{createPending, createSucceeded, createFailed}, func(annotation string) bool {
		return !object.Annotations(t.Observed).Field(annotation).IsNull()
	})
	isTaggedByCrossplane := t.ObservedValue.IsThere() && t.Owners().HasOurs()

	return !isMadeByCrossplane && !isTaggedByCrossplane
}

// annotationTime returns the time in the annotation of the observed resource, or zero, as crossplane-runtime reads it.
func annotationTime(t *locate.Target, annotation string) time.Time {
	at, _ := time.Parse(time.RFC3339, object.Annotations(t.Observed).Field(annotation).Text())
	return at
}

// freeze plans to keep the tags with which the resource was made. With other tags, its provider would refuse every update. A resource
// that was made with env: dev keeps env: dev, whatever labels, earlier steps and entries of the input say.
func (p *plan) freeze() error {
	t := p.target
	if t.DesiredErr != nil {
		return t.DesiredErr
	}

	set, err := tagsWhenMade(t, p.labels)
	if err != nil {
		return err
	}

	p.allRecords = p.labels.newRecords()
	p.decision = &Decision{State: &State{Target: t, Labels: p.labels, Tags: set}, records: p.allRecords}

	// All other labels stay Undecided.
	for i := range p.allRecords {
		if p.decision.labelIsTag(i) {
			p.allRecords[i].Fate = Tagged
		}
	}

	if p.Stamped, err = writeMade(t, set); err != nil {
		return err
	}

	p.conclude()
	p.noteImmutable()

	return nil
}

// tagsWhenMade returns the tags that t was made with. If the provider reports them under the name of the field, such as
// status.atProvider.labels, it returns these tags. Otherwise the observed field has them.
func tagsWhenMade(t *locate.Target, l *Labels) (*tagset.Set, error) {
	keys := l.allKeys()
	set, all := reportedUnderName(t, keys)
	isReported := set != nil

	if !isReported {
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
		isMissingInCloud := all != nil && !e.Opaque && !all.Has(e.ID)
		isOnlyInStatus := isReported && (isMissingInCloud || l.belongsToCloud(e))
		isProviders := !t.Field.Atomic && locate.ProviderSets(t.Field, l.Profile.Fold(e.Key))

		if isOnlyInStatus || isProviders {
			set.Remove(e)
		}
	}

	return set, nil
}

// reportedUnderName returns the tags that the provider reports under the name of t's field, such as status.atProvider.labels, or nil.
// all has the tags of the cloud that the provider reports under another name, such as effectiveLabels, or nil. Google's Terraform
// provider also reports labels under the name of the field that the cloud lacks: see SetLabels in its tpgresource/labels.go.
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

		if i == 0 { // The first path is the most complete one.
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

// stuckWithoutTags reports whether t has no tags in the cloud, and its provider refuses an update. Then the condition Synced is False
// with the reason ReconcileError, and status.atProvider has other fields, but no labels: the provider leaves out an empty map.
func stuckWithoutTags(t *locate.Target) bool {
	if !slices.ContainsFunc(t.Field.Observed, func(p object.Path) bool { return reportsField(t, p) }) {
		return false
	}

	if reported, err := t.Observed.At(atProviderPath); err != nil || reported.IsEmpty() {
		return false
	}

	synced := object.Condition(t.Observed, conditionSynced)

	return synced.Field("status").IsText("False") && synced.Field("reason").IsText(reasonReconcileError)
}

// writeMade returns the desired resource of t with the set in its field, or without the field if the set is empty. It returns the zero
// Object if nothing changes: t was made with env: dev, and env: dev is desired.
func writeMade(t *locate.Target, set *tagset.Set) (object.Object, error) {
	v := set.Value()

	switch {
	case isEmpty(v) && isEmpty(t.DesiredValue):
		return object.Object{}, nil
	case isEmpty(v):
		return removeField(t)
	}

	if v = inObservedOrder(t, v); !v.Equal(t.DesiredValue) {
		return setField(t, t.Resource, v)
	}

	return object.Object{}, nil
}

// noteImmutable adds NoteImmutable for labels that are no tags of the resource, or have another value there: the resource was made with
// env: dev, and now has the label env: prod. Labels beyond the cap could never have been tags, and don't count.
func (p *plan) noteImmutable() {
	for i := range p.allRecords[:min(len(p.allRecords), p.labels.Profile.MaxTags)] {
		l := &p.labels.all[i]
		isRemoved := l.removed && !p.decision.Tags.Has(l.entry.ID)

		if p.allRecords[i].Fate != Tagged && !isRemoved {
			p.Notes.add(NoteImmutable, l.Key)
		}
	}
}

// keepFixed keeps the observed value of a Fixed tag field, such as parameters.labels of a StorageClass. With another value, the API
// server would refuse all changes of the resource. See testdata/cases/fixed-parameters.yaml.
func (p *plan) keepFixed() {
	t := p.target
	if isReadable := !t.Observed.IsZero() && t.ObservedErr == nil; !t.Field.Fixed || !isReadable {
		return
	}

	after, _ := p.stampedResource().At(t.Field.Path)
	if staysEmpty := isEmpty(after) && isEmpty(t.ObservedValue); staysEmpty || after.Equal(t.ObservedValue) {
		return
	}

	p.LeftAlone, p.Stamped = t.WhyLeftAlone(locate.Fixed), object.Object{}

	if !t.DesiredValue.Equal(t.ObservedValue) {
		p.Stamped, _ = object.Set(t.Resource, t.Field.Path, t.ObservedValue)
	}
}
