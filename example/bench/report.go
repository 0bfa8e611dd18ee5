package main

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/plexsphere/function-cloud-tags/example/internal/bench"
)

// A report of what was measured, and where.
type report struct {
	Go         string    `json:"go"`
	Platform   string    `json:"platform"`
	Processors int       `json:"processors"`
	Time       time.Time `json:"time"`

	Timings     []bench.Timing    `json:"timings,omitempty"`
	Expressions []computed        `json:"expressions,omitempty"`
	Scale       []scaled          `json:"scale,omitempty"`
	Memory      []bench.Footprint `json:"memory,omitempty"`
	Limits      []bench.Bound     `json:"limits,omitempty"`
	Start       []bench.Beginning `json:"start,omitempty"`
}

// scaled is a timing of one of a few loads, each of which has ten times the resources, or
// the labels, of the one before.
type scaled struct {
	bench.Timing

	By string `json:"by"`

	// Growth is how many times the time of the load before it takes, or 0 for the first, and
	// the same of CPU time.
	Growth    float64 `json:"growth"`
	CPUGrowth float64 `json:"cpuGrowth"`
}

// computed is a timing of labels of one source, or of a field.
type computed struct {
	bench.Timing

	// OfField is how many times the time it takes that labels of a field do, and the same of
	// CPU time.
	OfField    float64 `json:"ofField"`
	CPUOfField float64 `json:"cpuOfField"`
}

// table writes a table of all measurements. Numbers in columns of the echo are ratios to the echo, and numbers in columns of the
// relay are ratios to the relay.
func (r report) table(to io.Writer) error {
	t := tabwriter.NewWriter(to, 0, 0, 2, ' ', tabwriter.AlignRight)
	row := func(format string, a ...any) { _, _ = fmt.Fprintf(t, format+"\t\n", a...) }

	_, _ = fmt.Fprintf(t, "%s %s, %d CPUs, %s\n", r.Go, r.Platform, r.Processors, r.Time.Format(time.RFC3339))

	if len(r.Timings) > 0 {
		row("\nstate\tresources\tlabels\tMB\tclient\tfunction\tms\tof echo\tof relay\tCPU ms\tof echo\tof relay\tcalls")
	}

	for _, m := range r.Timings {
		row("%s\t%d\t%d\t%.2f\t%s\t%s\t%.2f\t%.2f\t%.2f\t%.2f\t%.2f\t%.2f\t%d", m.State, m.Resources, m.Labels, mb(m.Bytes), m.Client, m.Server,
			1e3*m.Seconds, m.Ratio, m.OfRelay, 1e3*m.CPUSeconds, m.CPURatio, m.CPUOfRelay, m.Calls)
	}

	if len(r.Expressions) > 0 {
		row("\nstate\tlabels of\tresources\tlabels\tMB\tclient\tfunction\tms\tof field\tof echo\tCPU ms\tof field\tof echo\tcalls")
	}

	for _, m := range r.Expressions {
		row("%s\t%s\t%d\t%d\t%.2f\t%s\t%s\t%.2f\t%.2f\t%.2f\t%.2f\t%.2f\t%.2f\t%d", m.State, m.Source, m.Resources, m.Labels, mb(m.Bytes), m.Client, m.Server,
			1e3*m.Seconds, m.OfField, m.Ratio, 1e3*m.CPUSeconds, m.CPUOfField, m.CPURatio, m.Calls)
	}

	if len(r.Scale) > 0 {
		row("\nstate\tresources\tlabels\tMB\tclient\tfunction\tms\tgrowth\tof echo\tCPU ms\tgrowth\tof echo\tcalls")
	}

	for _, m := range r.Scale {
		row("%s\t%d\t%d\t%.2f\t%s\t%s\t%.2f\t%s\t%.2f\t%.2f\t%s\t%.2f\t%d", m.State, m.Resources, m.Labels, mb(m.Bytes), m.Client, m.Server,
			1e3*m.Seconds, growth(m.Growth), m.Ratio, 1e3*m.CPUSeconds, growth(m.CPUGrowth), m.CPURatio, m.Calls)
	}

	if len(r.Memory) > 0 {
		row("\nstate\tresources\tat once\tbursts\tfunction\tidle MB\tpeak MB\tof echo\tMB after")
	}

	for _, m := range r.Memory {
		var after []string
		for _, s := range m.After {
			after = append(after, fmt.Sprintf("%gs: %.0f", s.Seconds, mb(s.Bytes)))
		}

		row("%s\t%d\t%d\t%d\t%s\t%.0f\t%.0f\t%.2f\t%s", m.State, m.Resources, m.AtOnce, m.Bursts, m.Server, mb(m.Idle), mb(m.Peak), m.Ratio, strings.Join(after, ", "))
	}

	r.limits(row)

	if len(r.Start) > 0 {
		row("\nfunction\tbinary MB\tidle MB\tms until it answers\tstarts")
	}

	for _, m := range r.Start {
		row("%s\t%.1f\t%.1f\t%.0f\t%d", m.Server, mb(m.Size), mb(m.Idle), 1e3*m.Seconds, m.Rounds)
	}

	return t.Flush()
}

// limits rows of the table.
func (r report) limits(row func(format string, a ...any)) {
	if len(r.Limits) > 0 {
		row("\nattack\tMB\tfunction\tMB above idle\tCPU ms\tresponse MB\trefused\tbounds")
	}

	for _, m := range r.Limits {
		row("%s\t%.2f\t%s\t%.0f\t%.0f\t%.2f\t%t\t%s", m.Attack, mb(m.Bytes), m.Server, mb(m.Memory), 1e3*m.CPUSeconds, mb(m.Response), m.Fatal != "", cmp.Or(m.Over(), "kept"))
	}
}

// check returns an error with the names of all attacks that cost the function too much.
func (r report) check(function string) error {
	var over []string

	for _, m := range r.Limits {
		if why := m.Over(); why != "" && m.Server == function {
			over = append(over, fmt.Sprintf("%s (%.2f MB) %s", m.Attack, mb(m.Bytes), why))
		}
	}

	if len(over) == 0 {
		return nil
	}

	return errors.New(strings.Join(over, "\n"))
}

func growth(times float64) string {
	if times == 0 {
		return "-"
	}

	return fmt.Sprintf("%.1f", times)
}

// mb is how many megabytes of a million bytes so many bytes are.
func mb(bytes int) float64 { return float64(bytes) / 1e6 }
