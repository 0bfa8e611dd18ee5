package explain

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/plexsphere/function-cloud-tags/tags"
)

const (
	bold  = "\x1b[1m"
	red   = "\x1b[31m"
	green = "\x1b[32m"
	reset = "\x1b[0m"

	// maxCell is the most characters of a cell that a key or value is shown in.
	maxCell = 60
)

// A cell of a table.
type cell struct {
	text  string
	color string
}

// table of labels with a column for each provider.
func (e *explained) table(color bool) string {
	header := []cell{{"LABEL", bold}, {"VALUE", bold}}
	if e.hierarchy {
		header = append(header, cell{"FROM", bold}, cell{"OVERRIDES", bold})
	}

	for _, x := range e.providers {
		header = append(header, cell{strings.ToUpper(x.Provider), bold})
	}

	rows := [][]cell{header}

	for _, r := range e.rows {
		line := []cell{{text: visible(r.label.QualifiedKey)}, {text: visible(r.label.Value)}}
		if e.hierarchy {
			line = append(line, cell{text: visible(r.origin.Source)}, cell{text: r.origin.overrides()})
		}

		for i := range e.providers {
			line = append(line, e.providers[i].cell(r))
		}

		rows = append(rows, line)
	}

	return align(rows, color) + legend(e.providers)
}

// cell that says what becomes of the supplied row's label.
func (e *Explanation) cell(r row) cell {
	if key, ok := e.keys[r.label.QualifiedKey]; ok && !r.claim {
		return cell{visible(key), green}
	}

	return cell{string(e.reasons[r.label.QualifiedKey]), red}
}

// overrides says what was overridden, and where it came from.
func (o Origin) overrides() string {
	if len(o.Overrides) == 0 {
		return "-"
	}

	out := make([]string, len(o.Overrides))
	for i, x := range o.Overrides {
		out[i] = visible(x.Value) + " from " + visible(x.Source)
	}

	return strings.Join(out, ", ")
}

// legend says what the reasons mean that labels were skipped for.
func legend(explanations []Explanation) string {
	b := strings.Builder{}

	for _, e := range explanations {
		for _, r := range tags.SkipReasons() {
			if slices.ContainsFunc(e.Skipped, func(s tags.SkippedLabel) bool { return s.Reason == r }) {
				fmt.Fprintf(&b, "%s %s: %s\n", e.Provider, r, e.limit(r))
			}
		}
	}

	if b.Len() == 0 {
		return ""
	}

	return "\n" + b.String()
}

// align the columns of the supplied rows.
func align(rows [][]cell, color bool) string {
	widths := make([]int, len(rows[0]))

	for _, row := range rows {
		for i, c := range row {
			widths[i] = max(widths[i], utf8.RuneCountInString(c.text))
		}
	}

	b := strings.Builder{}

	for _, row := range rows {
		for i, c := range row {
			if color && c.color != "" {
				b.WriteString(c.color + c.text + reset)
			} else {
				b.WriteString(c.text)
			}

			if i < len(row)-1 {
				b.WriteString(strings.Repeat(" ", widths[i]-utf8.RuneCountInString(c.text)+2))
			}
		}

		b.WriteString("\n")
	}

	return b.String()
}

// visible puts a key or value so that it takes one line and not too much of it.
func visible(s string) string {
	if s == "" || strings.ContainsFunc(s, func(r rune) bool { return !unicode.IsPrint(r) }) {
		s = strconv.Quote(s)
	}

	if r := []rune(s); len(r) > maxCell {
		return string(r[:maxCell-1]) + "…"
	}

	return s
}
