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

	// gap is how many spaces are between columns.
	gap = 2

	// maxCell is the most characters of a cell that a key or value is shown in.
	maxCell = 60
)

// A terminal that the table is printed to. One that isn't known has no width.
type terminal struct {
	color bool
	width int
}

// A cell of a table.
type cell struct {
	text  string
	color string
}

// width of the cell, in characters.
func (c cell) width() int { return utf8.RuneCountInString(c.text) }

// cell is the supplied one on the terminal, and spaces up to the supplied width.
func (t terminal) cell(c cell, width int) string {
	space := strings.Repeat(" ", max(width-c.width(), 0))

	if !t.color || c.color == "" {
		return c.text + space
	}

	return c.color + c.text + reset + space
}

// table of labels with a column for each provider. If the terminal is too narrow for
// it, it is folded.
func (e *explained) table(t terminal) string {
	header := []cell{{"LABEL", bold}, {"VALUE", bold}}
	if e.hierarchy {
		header = append(header, cell{"FROM", bold}, cell{"OVERRIDES", bold})
	}

	for _, x := range e.providers {
		header = append(header, cell{strings.ToUpper(x.Provider), bold})
	}

	rows := [][]cell{header}

	for _, r := range e.rows {
		line := []cell{{text: visible(r.QualifiedKey)}, {text: visible(r.Value)}}
		if e.hierarchy {
			line = append(line, cell{text: visible(r.origin.Source)}, cell{text: r.origin.overrides()})
		}

		for _, x := range e.providers {
			line = append(line, x.cell(r.Label))
		}

		rows = append(rows, line)
	}

	return layout(rows, t) + e.legend()
}

// cell that says what becomes of the supplied label. One that another one overrode can
// stand under other profiles.
func (x *Explanation) cell(l tags.Label) cell {
	switch f, ok := x.fate(l); {
	case !ok:
		return cell{text: "-"}
	case f.reason != "":
		return cell{string(f.reason), red}
	default:
		return cell{visible(f.key), green}
	}
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

// legend says what the reasons mean that labels were skipped for, and what else there
// is to say.
func (e *explained) legend() string {
	out := []string{}

	for _, x := range e.providers {
		for _, r := range tags.SkipReasons() {
			if slices.ContainsFunc(x.Skipped, func(s tags.SkippedLabel) bool { return s.Reason == r }) {
				out = append(out, fmt.Sprintf("%s %s: %s\n", x.Provider, r, x.profile.Limit(r)))
			}
		}

		for _, note := range x.Notes {
			out = append(out, fmt.Sprintf("%s: %s\n", x.Provider, note))
		}
	}

	for _, note := range e.notes {
		out = append(out, fmt.Sprintf("note: %s\n", note))
	}

	if len(out) == 0 {
		return ""
	}

	return "\n" + strings.Join(out, "")
}

// layout of the supplied rows on the supplied terminal, the first being the header.
func layout(rows [][]cell, t terminal) string {
	widths := make([]int, len(rows[0]))

	for _, row := range rows {
		for i, c := range row {
			widths[i] = max(widths[i], c.width()+gap)
		}
	}

	total := -gap
	for _, w := range widths {
		total += w
	}

	if t.width > 0 && total > t.width {
		return fold(rows, t)
	}

	widths[len(widths)-1] = 0 // Nothing follows the last column.

	b := strings.Builder{}

	for _, row := range rows {
		for i, c := range row {
			b.WriteString(t.cell(c, widths[i]))
		}

		b.WriteString("\n")
	}

	return b.String()
}

// fold the supplied table: each row is a paragraph, with a line for each column and as
// many more as it takes.
func fold(rows [][]cell, t terminal) string {
	indent := 0
	for _, c := range rows[0] {
		indent = max(indent, c.width()+gap)
	}

	// A terminal can be too narrow for anything.
	room := max(t.width-indent, 1)
	b := strings.Builder{}

	for n, row := range rows[1:] {
		if n > 0 {
			b.WriteString("\n")
		}

		for i, c := range row {
			b.WriteString(t.cell(rows[0][i], indent))

			for j, part := range slices.Collect(slices.Chunk([]rune(c.text), room)) {
				if j > 0 {
					b.WriteString(t.cell(cell{}, indent))
				}

				b.WriteString(t.cell(cell{string(part), c.color}, 0) + "\n")
			}
		}
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
