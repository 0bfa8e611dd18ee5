package explain

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/plexsphere/function-cloud-tags/tags"
	"github.com/plexsphere/function-cloud-tags/tags/command/terminal"
	"github.com/plexsphere/function-cloud-tags/tags/profile"
	"github.com/plexsphere/function-cloud-tags/tags/words"
)

// table of labels with a column for each provider. If the terminal is too narrow for
// it, it is folded.
func (e *explained) table(t terminal.Terminal) string {
	header := terminal.Header("LABEL", "VALUE")
	if e.origins != nil {
		header = append(header, terminal.Header("FROM", "OVERRIDES")...)
	}

	for _, x := range e.providers {
		header = append(header, terminal.Cell{Text: strings.ToUpper(x.Provider), Color: terminal.Bold})
	}

	rows := [][]terminal.Cell{header}

	for _, l := range e.labels {
		// One that stands nowhere is only what another one overrides.
		if slices.ContainsFunc(e.providers, func(x *Explanation) bool { return x.cells[l] != terminal.Cell{} }) {
			rows = append(rows, e.row(l))
		}
	}

	return t.Table(rows) + e.legend()
}

// row returns the row of the label. A label that another one overrode can stand under other profiles.
func (e *explained) row(l tags.Label) []terminal.Cell {
	row := []terminal.Cell{{Text: words.Cell(l.QualifiedKey)}, {Text: words.Cell(e.value(l))}}

	if e.origins != nil {
		overrides := []string{}
		for _, o := range e.origins[l].Overrides {
			overrides = append(overrides, words.Cell(o.Value)+" from "+words.Cell(o.Source))
		}

		row = append(row, terminal.Cell{Text: words.Cell(e.origins[l].Source)}, terminal.Cell{Text: cmp.Or(strings.Join(overrides, ", "), "-")})
	}

	for _, x := range e.providers {
		row = append(row, cmp.Or(x.cells[l], terminal.Cell{Text: "-"}))
	}

	return row
}

// legend says what the reasons mean that labels were skipped for, and what else there
// is to say.
func (e *explained) legend() string {
	out := []string{""}

	for _, x := range e.providers {
		for _, r := range profile.SkipReasons() {
			if slices.ContainsFunc(x.Skipped, func(s tags.SkippedLabel) bool { return s.Reason == r }) {
				out = append(out, fmt.Sprintf("%s %s: %s\n", x.Provider, r, x.limitOf(r)))
			}
		}

		out = append(out, x.refusedLines()...)
		out = append(out, ruledLines(x.Provider, "removed", x.Removed)...)
		out = append(out, ruledLines(x.Provider, "as the cloud has it, if it does", x.Ignored)...)

		for i := range x.Broken {
			out = append(out, fmt.Sprintf("%s %s\n", x.Provider, x.Broken[i].String()))
		}

		for _, note := range x.Notes {
			out = append(out, fmt.Sprintf("%s: %s\n", x.Provider, note))
		}
	}

	if slices.ContainsFunc(e.providers, func(x *Explanation) bool { return len(x.CloudRefuses) > 0 }) {
		out = append(out, mend+"\n")
	}

	for _, note := range e.notes {
		out = append(out, fmt.Sprintf("note: %s\n", note))
	}

	if len(out) > 1 {
		out[0] = "\n"
	}

	return strings.Join(out, "")
}

// limitOf says what the profile admits where it skips a label for the reason.
func (x *Explanation) limitOf(r profile.SkipReason) string {
	if r == profile.CountCap {
		return x.limit
	}

	return x.profile.Limit(r)
}
