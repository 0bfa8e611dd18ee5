// Package budget limits what one run of the function may cost. Each part of a run is charged before the work, and the first part
// that costs too much ends the run. Only amounts count, and never the clock, so that the same request has the same answer on any
// machine.
package budget

import "github.com/plexsphere/function-cloud-tags/tags/words"

// Limits of one run.
const (
	// MaxResponse is the most bytes that a run may add to the desired state. The client of Crossplane takes no response of more than 4 MiB,
	// the default of gRPC.
	MaxResponse = 4 << 20

	// MaxLabels is the most labels of all tag fields together. A label counts once for each field, whether it becomes a tag there or not: a
	// thousand labels may be decided on for 2,600 fields, which takes about a second.
	MaxLabels = 2_600_000

	// MaxExpressions is the most that all evaluations of a run may cost together, in the units of package expression.
	MaxExpressions = 20_000_000

	// MaxLog is the most bytes of log lines. A node keeps 10 MiB of a container's log by default (containerLogMaxSize of kubelet).
	MaxLog = 256 << 10
)

// A Budget is what one run has spent so far. A nil Budget has no limits, and counts nothing.
type Budget struct {
	// room is how many bytes the run may add to the desired state.
	room int

	response, labels, expressions, log int
}

// New returns the Budget of a run that has spent nothing. room is how many bytes the response has room for, beside what the request desires
// already. A run adds at most MaxResponse of them.
func New(room int) *Budget { return &Budget{room: min(room, MaxResponse)} }

// An ExceededError ends a run that would cost more than its Budget.
type ExceededError struct{ why string }

// Error returns which cost was too much, and what to do.
func (e *ExceededError) Error() string { return e.why }

// ChargeResponse charges bytes that are about to be added to the desired state. They are negative if a resource becomes shorter.
func (b *Budget) ChargeResponse(bytes int) error {
	if b == nil {
		return nil
	}

	if b.response += bytes; b.response > b.room {
		return &ExceededError{"would add too much to the response: a run adds at most " + words.Thousands(b.room) + " bytes, since Crossplane takes no larger response: " +
			"include fewer labels, select fewer keys, resources or items, or let nested composite resources compose a part of them"}
	}

	return nil
}

// ChargeLabels charges labels that are about to be decided on for one tag field.
func (b *Budget) ChargeLabels(count int) error {
	if b == nil {
		return nil
	}

	if b.labels += count; b.labels > MaxLabels {
		return &ExceededError{"would be too much to decide: all tag fields of a run have at most " + words.Thousands(MaxLabels) + " labels together: include fewer labels, " +
			"select fewer resources, or let nested composite resources compose a part of them"}
	}

	return nil
}

// ChargeExpressions charges the cost of evaluations.
func (b *Budget) ChargeExpressions(cost int) error {
	if b == nil {
		return nil
	}

	if b.expressions += cost; b.expressions > MaxExpressions {
		return &ExceededError{"the expressions of a call cost too much together: they end after " + words.Thousands(MaxExpressions) + " steps"}
	}

	return nil
}

// ChargeLog charges bytes of a log line, and reports whether the log has room for the line.
func (b *Budget) ChargeLog(bytes int) bool {
	if b == nil {
		return true
	}

	b.log += bytes

	return b.log <= MaxLog
}
