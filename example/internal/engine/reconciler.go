package engine

import (
	"fmt"
	"slices"
	"strings"

	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"
)

// Version of Crossplane whose words these are. TestVersion holds it against the pinned one.
const Version = "v2.4.2"

// capabilities that Crossplane has.
var capabilities = []fnv1.Capability{
	fnv1.Capability_CAPABILITY_CAPABILITIES,
	fnv1.Capability_CAPABILITY_REQUIRED_RESOURCES,
	fnv1.Capability_CAPABILITY_CREDENTIALS,
	fnv1.Capability_CAPABILITY_CONDITIONS,
	fnv1.Capability_CAPABILITY_REQUIRED_SCHEMAS,
}

// transitioned is when all conditions have changed last, once the command line tool has
// printed them.
const transitioned = "2024-01-01T00:00:00Z"

// statuses of conditions.
var statuses = map[fnv1.Status]string{
	fnv1.Status_STATUS_CONDITION_UNSPECIFIED: "Unknown",
	fnv1.Status_STATUS_CONDITION_UNKNOWN:     "Unknown",
	fnv1.Status_STATUS_CONDITION_TRUE:        "True",
	fnv1.Status_STATUS_CONDITION_FALSE:       "False",
}

func condition(typ, status, reason, message string) map[string]any {
	c := map[string]any{"type": typ, "status": status, "reason": reason, "lastTransitionTime": transitioned}
	if message != "" {
		c["message"] = message
	}

	return c
}

// with returns the conditions with c, which replaces a condition of the same type.
func with(conditions []any, c any) []any {
	typeOf := func(c any) any {
		fields, _ := c.(map[string]any)
		return fields["type"]
	}

	if i := slices.IndexFunc(conditions, func(other any) bool { return typeOf(other) == typeOf(c) }); i >= 0 {
		conditions[i] = c
		return conditions
	}

	return append(conditions, c)
}

// setByCrossplane reports whether only Crossplane itself can set conditions of the type, such as Ready.
func setByCrossplane(typ string) bool {
	return slices.Contains([]string{"Ready", "Synced", "Healthy", "UpToDate", "Responsive"}, typ)
}

// responsive returns the first condition of the reconciler.
func responsive(generation int64) map[string]any {
	c := condition("Responsive", "True", "WatchCircuitClosed", "")
	if generation != 0 {
		c["observedGeneration"] = generation
	}

	return c
}

func synced() map[string]any { return condition("Synced", "True", "ReconcileSuccess", "") }

// ready returns the condition Ready: the pipeline's answer, or else True if all resources are ready.
func ready(xr fnv1.Ready, unready []string) map[string]any {
	switch {
	case xr == fnv1.Ready_READY_TRUE, xr == fnv1.Ready_READY_UNSPECIFIED && len(unready) == 0:
		return condition("Ready", "True", "Available", "")
	case xr == fnv1.Ready_READY_FALSE:
		return condition("Ready", "False", "Creating", "")
	default:
		return condition("Ready", "False", "Creating", "Unready resources: "+someOf(unready))
	}
}

// someOf returns at most three of the names, and how many more there are.
func someOf(names []string) string {
	const limit = 3

	switch {
	case len(names) > limit:
		return fmt.Sprintf("%s, and %d more", strings.Join(names[:limit], ", "), len(names)-limit)
	case len(names) == limit:
		return fmt.Sprintf("%s, and %s", strings.Join(names[:limit-1], ", "), names[limit-1])
	default:
		return strings.Join(names, ", ")
	}
}

// resultOf returns Crossplane's event for a result of the step.
func resultOf(step string, r *fnv1.Result) Result {
	out := Result{Severity: "Warning", Reason: r.GetReason(), Message: fmt.Sprintf("Pipeline step %q: %s", step, r.GetMessage())}

	switch r.GetSeverity() {
	case fnv1.Severity_SEVERITY_NORMAL:
		out.Severity = "Normal"
	case fnv1.Severity_SEVERITY_UNSPECIFIED:
		out.Message = fmt.Sprintf("Pipeline step %q returned a result of unknown severity (assuming warning): %s", step, r.GetMessage())
	default:
	}

	if out.Reason == "" {
		out.Reason = "ComposeResources"
	}

	return out
}

// results returns all results of a reconcile: Crossplane's own stand around the pipeline's.
func results(xr *composite, ofPipeline []Result, resources []composed) []Result {
	var out []Result

	if xr.selected {
		out = append(out, Result{Severity: "Normal", Reason: "SelectComposition", Message: "Successfully selected composition: " + xr.composition})
	}

	out = append(out, ofPipeline...)

	for _, c := range resources {
		if c.overridden != "" {
			out = append(out, Result{
				Severity: "Warning",
				Reason:   "NamespaceOverridden",
				Message:  fmt.Sprintf("cannot create composed resource %q in namespace %q, using XR namespace %q instead", c.name, c.overridden, xr.GetNamespace()),
			})
		}
	}

	for _, name := range unready(resources) {
		out = append(out, Result{Severity: "Normal", Reason: "ComposeResources", Message: fmt.Sprintf("Composed resource %q is not yet ready", name)})
	}

	return out
}
