package stamp

import (
	"fmt"
	"strings"

	"github.com/plexsphere/function-cloud-tags/tags"
)

// maxLimitError is the most bytes of an error about limits before it stops to name
// resources. It becomes an event, which the API server refuses if it is too long.
const maxLimitError = 700

// A LimitError says that resources have no tag slots for all labels, which the limit
// policy ApplyStrict doesn't accept.
type LimitError struct {
	resources []overLimit
}

type overLimit struct {
	resource string

	// labels that the resource has no slot for.
	labels int

	provider, limit string
}

// add the supplied target if it has no slots for all labels of the supplied merge.
func (e *LimitError) add(t *Target, m *merge) {
	over := overLimit{resource: t.Name, provider: t.profile.Name}

	for _, s := range m.skipped {
		if s.Reason == tags.CountCap {
			over.labels++
			over.limit = s.Limit
		}
	}

	if over.labels > 0 {
		e.resources = append(e.resources, over)
	}
}

// Error says how many labels are too many, and on which resources: as many of these as
// an event has room for.
func (e *LimitError) Error() string {
	b := strings.Builder{}
	b.WriteString("limitPolicy ApplyStrict: too many labels: ")

	for i, r := range e.resources {
		if b.Len() > maxLimitError {
			fmt.Fprintf(&b, "; and on %d more", len(e.resources)-i)
			break
		}

		if i > 0 {
			b.WriteString("; ")
		}

		fmt.Fprintf(&b, "%d on composed resource %q (%s: %s)", r.labels, r.resource, r.provider, r.limit)
	}

	return b.String()
}
