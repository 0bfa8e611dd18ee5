package main

import (
	"fmt"
	"io"
	"maps"
	"slices"
	"strconv"
	"strings"
	"text/tabwriter"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/plexsphere/function-cloud-tags/example/internal/live"
)

// A report of what was measured, and where.
type report struct {
	Crossplane string    `json:"crossplane"`
	Source     source    `json:"source"`
	XRs        int       `json:"xrs"`
	Resources  int       `json:"resources"`
	Platform   string    `json:"platform"`
	Processors int       `json:"processors"`
	Time       time.Time `json:"time"`

	Phases []phase `json:"phases"`

	// PeakBytes is the most memory that parts of the cluster ever had.
	PeakBytes map[string]int `json:"peakBytes"`
}

// A phase is what something has cost.
type phase struct {
	Name string `json:"name"`

	// TaggedSeconds are those until the last resource was written, and QuietSeconds until nothing
	// was written any more, and the function was called for the ttl only.
	TaggedSeconds float64 `json:"taggedSeconds"`
	QuietSeconds  float64 `json:"quietSeconds"`

	Calls      int     `json:"calls"`
	CallsPerXR float64 `json:"callsPerXr"`

	OfResources *writes `json:"writesOfResources"`
	OfXRs       *writes `json:"writesOfXrs"`

	// CPUSeconds of the parts of the cluster.
	CPUSeconds map[string]float64 `json:"cpuSeconds"`

	// Unresponsive counts XRs with an open circuit breaker, by their condition Responsive.
	Unresponsive int `json:"unresponsive"`
}

// writes of objects of which there are many: how many there were, and how many of one.
type writes struct {
	Total  int `json:"total"`
	Min    int `json:"min"`
	Median int `json:"median"`
	Max    int `json:"max"`

	// Managers of fields that have written, and how often.
	Managers map[string]int `json:"managers,omitempty"`

	each []int
}

func newWrites() *writes { return &writes{Managers: make(map[string]int)} }

// add adds the writes of one object.
func (w *writes) add(written []live.Write) {
	w.each = append(w.each, len(written))

	for _, write := range written {
		w.Managers[strings.Join(write.Managers, ", ")]++
	}
}

// sum sums up all writes that were added.
func (w *writes) sum() {
	if len(w.each) == 0 {
		return
	}

	slices.Sort(w.each)
	w.Min, w.Median, w.Max = w.each[0], w.each[len(w.each)/2], w.each[len(w.each)-1]

	for _, n := range w.each {
		w.Total += n
	}
}

// unresponsive reports whether the circuit breaker of an XR is open.
func unresponsive(xr *unstructured.Unstructured) bool {
	return live.ConditionOf(xr, "Responsive").Status == "False"
}

// table of what was measured.
func (r *report) table(to io.Writer) error {
	_, _ = fmt.Fprintf(to, "%d XRs of %d resources, source %s, Crossplane %s, %s, %d CPUs, %s\n",
		r.XRs, r.Resources, r.Source, r.Crossplane, r.Platform, r.Processors, r.Time.Format(time.DateOnly))

	t := tabwriter.NewWriter(to, 0, 0, 2, ' ', tabwriter.AlignRight)
	row := func(format string, a ...any) { _, _ = fmt.Fprintf(t, format+"\t\n", a...) }

	row("\nwhen\ttagged after\tquiet after\tcalls\tper XR\twrites of resources\tof each\tof each XR\tcircuits open")

	for _, p := range r.Phases {
		row("%s\t%.1f s\t%.1f s\t%d\t%.1f\t%d\t%s\t%s\t%d", p.Name, p.TaggedSeconds, p.QuietSeconds, p.Calls, p.CallsPerXR,
			p.OfResources.Total, p.OfResources, p.OfXRs, p.Unresponsive)
	}

	row("\nCPU seconds when\t%s", strings.Join(parts, "\t"))

	for _, p := range r.Phases {
		cells := []string{p.Name}
		for _, name := range parts {
			cells = append(cells, fmt.Sprintf("%.1f", p.CPUSeconds[name]))
		}

		row("%s", strings.Join(cells, "\t"))
	}

	cells := []string{"peak MB"}
	for _, name := range parts {
		cells = append(cells, fmt.Sprintf("%.0f", float64(r.PeakBytes[name])/1e6))
	}

	row("%s", strings.Join(cells, "\t"))
	row("\nwho has written when XRs are made\tresources\tXRs")

	for _, p := range r.Phases[:1] {
		all := maps.Clone(p.OfResources.Managers)
		maps.Copy(all, p.OfXRs.Managers)

		for _, m := range slices.Sorted(maps.Keys(all)) {
			row("%s\t%d\t%d", m, p.OfResources.Managers[m], p.OfXRs.Managers[m])
		}
	}

	return t.Flush()
}

// String says how many times one object was written: all alike, or least–median–most.
func (w *writes) String() string {
	if w.Min == w.Max {
		return strconv.Itoa(w.Min)
	}

	return fmt.Sprintf("%d–%d–%d", w.Min, w.Median, w.Max)
}
