package stamp

import (
	"fmt"
	"strings"
)

// maxLimitError is the most bytes of an error about limits before it stops to name
// resources. It becomes an event, which the API server refuses if it is too long.
const maxLimitError = 700

// maxLimitLabel is the most bytes of a label's key in such an error, and maxLimitKeys more
// keys than it has room for.
const (
	maxLimitLabel = 128
	maxLimitKeys  = 64
)

// A LimitError says that resources have no tag slots for labels of trusted sources, which
// are never missing, or for any labels if the limit policy is ApplyStrict.
type LimitError struct {
	head      string
	resources []overLimit
}

type overLimit struct {
	resource, provider, limit string

	// labels that the resource has no slot for, in the words of the message.
	labels string
}

// add the resource of the supplied plan, which has no slots for the supplied labels.
func (e *LimitError) add(p *plan, labels string) {
	e.resources = append(e.resources, overLimit{resource: p.Resource, provider: p.Provider, limit: p.countLimit(), labels: labels})
}

// Error says which labels are too many on which resources: as many of these as an event has
// room for.
func (e *LimitError) Error() string {
	b := strings.Builder{}
	b.WriteString(e.head)

	for i, r := range e.resources {
		if b.Len() > maxLimitError {
			fmt.Fprintf(&b, "; and on %d more", len(e.resources)-i)
			break
		}

		if i > 0 {
			b.WriteString("; ")
		}

		fmt.Fprintf(&b, "%s on composed resource %q (%s: %s)", r.labels, r.resource, r.provider, r.limit)
	}

	return b.String()
}

// named names the first of so many labels by the supplied keys.
func named(keys []string, labels int) string {
	b := strings.Builder{}

	for i, key := range keys {
		if b.Len() > maxLimitLabel {
			fmt.Fprintf(&b, " and %d more", labels-i)
			break
		}

		if i > 0 {
			b.WriteString(", ")
		}

		fmt.Fprintf(&b, "%.*q", maxLimitLabel, key)
	}

	return b.String()
}
