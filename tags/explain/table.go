package explain

import (
	"fmt"
	"maps"
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

// table of labels with a column for each explanation.
func table(color bool, labels tags.PropagatingLabelSet, explanations []Explanation) string {
	header := []cell{{"LABEL", bold}, {"VALUE", bold}}
	for _, e := range explanations {
		header = append(header, cell{strings.ToUpper(e.Provider), bold})
	}

	rows := [][]cell{header}

	for _, key := range slices.Sorted(maps.Keys(labels)) {
		row := []cell{{text: visible(key)}, {text: visible(labels[key])}}
		for _, e := range explanations {
			row = append(row, e.column[key])
		}

		rows = append(rows, row)
	}

	return align(rows, color) + legend(explanations)
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
