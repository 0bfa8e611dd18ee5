package stamp

import (
	"fmt"
	"strconv"
	"strings"
)

// maxLimitError is the most bytes of an error about limits before it stops to name
// resources. It becomes an event, which the API server refuses if it is too long.
const maxLimitError = 700

// maxLimitLabel is the most bytes of a label's key in such an error.
const maxLimitLabel = 128

// A LimitError says that resources have no tag slots for all labels, which the limit
// policy ApplyStrict doesn't accept.
type LimitError struct {
	resources []overLimit
}

type overLimit struct {
	resource string

	// labels that the resource has no slot for, and the tag keys of the first of those
	// that have to be named.
	labels int
	keys   []string

	provider, limit string
}

// add the resource of the supplied plan if it has no slots for labels.
func (e *LimitError) add(p *plan) {
	if !p.decided {
		return
	}

	if labels := p.slotless(); labels > 0 {
		e.resources = append(e.resources, overLimit{resource: p.target.Name, labels: labels, provider: p.Profile.Name, limit: p.countLimit()})
	}
}

// Error says how many labels are too many, and on which resources: as many of these as
// an event has room for.
func (e *LimitError) Error() string {
	return limitMessage("limitPolicy ApplyStrict: too many labels: ", e.resources, func(r *overLimit) string { return strconv.Itoa(r.labels) })
}

// maxLimitKeys is more keys than such an error has room for.
const maxLimitKeys = 64

// A TrustedLimitError says that resources have no tag slots for labels of trusted sources,
// which are never missing.
type TrustedLimitError struct {
	resources []overLimit
}

// add the resource of the supplied plan if it has no slots for trusted labels.
func (e *TrustedLimitError) add(p *plan) {
	if p.lacking > 0 {
		e.resources = append(e.resources, overLimit{resource: p.target.Name, labels: p.lacking, keys: p.lackingKeys, provider: p.Profile.Name, limit: p.countLimit()})
	}
}

// Error names the labels and the resources: as many of these as an event has room for.
func (e *TrustedLimitError) Error() string {
	return limitMessage("no tag slots for labels of trusted sources: ", e.resources, func(r *overLimit) string {
		b := strings.Builder{}

		for i, key := range r.keys {
			if b.Len() > maxLimitLabel {
				fmt.Fprintf(&b, " and %d more", r.labels-i)
				break
			}

			if i > 0 {
				b.WriteString(", ")
			}

			fmt.Fprintf(&b, "%.*q", maxLimitLabel, key)
		}

		return b.String()
	})
}

// limitMessage returns the supplied head and what the supplied function says of each resource.
func limitMessage(head string, resources []overLimit, labels func(r *overLimit) string) string {
	b := strings.Builder{}
	b.WriteString(head)

	for i := range resources {
		r := &resources[i]

		if b.Len() > maxLimitError {
			fmt.Fprintf(&b, "; and on %d more", len(resources)-i)
			break
		}

		if i > 0 {
			b.WriteString("; ")
		}

		fmt.Fprintf(&b, "%s on composed resource %q (%s: %s)", labels(r), r.resource, r.provider, r.limit)
	}

	return b.String()
}
