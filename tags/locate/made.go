package locate

import (
	"slices"
	"time"

	"github.com/plexsphere/function-cloud-tags/tags/object"
)

// The provider of a managed resource keeps three times in annotations of the resource: when it began to make the external resource, when it
// succeeded, and when it failed. See package meta of crossplane-runtime.
const (
	createPending   = "crossplane.io/external-create-pending"
	createSucceeded = "crossplane.io/external-create-succeeded"
	createFailed    = "crossplane.io/external-create-failed"
)

// MayExistInCloud reports whether the external resource of t may exist. It returns false in two cases:
//   - t is not observed.
//   - status.atProvider is empty, and by the annotations, the provider hasn't begun to make the external resource or has failed.
//
// See tags/stamp/testdata/cases/immutable.yaml.
func (t *Target) MayExistInCloud() bool {
	if t.Observed.IsZero() {
		return false
	}

	if reported := t.Observed.Node().Field("status").Field("atProvider"); reported.IsObject() && !reported.IsEmpty() {
		return true
	}

	pending, succeeded, failed := t.annotationTime(createPending), t.annotationTime(createSucceeded), t.annotationTime(createFailed)

	hasBegun := !pending.IsZero() || !succeeded.IsZero()
	hasNewAttempt := pending.After(failed) // The times have whole seconds. If they are equal, the attempt failed soon after it began.
	hasFailed := failed.After(succeeded) && !hasNewAttempt

	return hasBegun && !hasFailed
}

// IsImportedUntagged reports whether somebody else made the external resource of t, and Crossplane hasn't tagged it yet: t has no
// annotation crossplane.io/external-create-…, and Crossplane owns no tag of its observed tag field. Then all tags in the status are of
// others.
func (t *Target) IsImportedUntagged() bool {
	isMadeByCrossplane := slices.ContainsFunc([]string{createPending, createSucceeded, createFailed}, func(annotation string) bool {
		return !object.Annotations(t.Observed).Field(annotation).IsNull()
	})
	isTaggedByCrossplane := t.ObservedValue.IsThere() && t.Owners().HasOurs() // Without metadata.managedFields, HasOurs is true.

	return !isMadeByCrossplane && !isTaggedByCrossplane
}

// annotationTime returns the time in the annotation of the observed resource. Like crossplane-runtime, it returns the zero time for a text
// that is no time, such as "soon".
func (t *Target) annotationTime(annotation string) time.Time {
	at, _ := time.Parse(time.RFC3339, object.Annotations(t.Observed).Field(annotation).Text())
	return at
}
