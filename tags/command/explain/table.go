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

// A cell of a table.
type cell struct {
	text  string
	color string
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
		line := []cell{{text: visible(r.label.QualifiedKey)}, {text: visible(r.label.Value)}}
		if e.hierarchy {
			line = append(line, cell{text: visible(r.origin.Source)}, cell{text: r.origin.overrides()})
		}

		for i := range e.providers {
			line = append(line, e.providers[i].cell(r))
		}

		rows = append(rows, line)
	}

	return layout(rows, t) + e.legend()
}

// cell that says what becomes of the supplied row's label. A label that another one
// overrode can stand under other profiles.
func (e *Explanation) cell(r row) cell {
	switch f, ok := e.fates[identify(r.label)]; {
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
	b := strings.Builder{}

	for _, x := range e.providers {
		for _, r := range tags.SkipReasons() {
			if slices.ContainsFunc(x.Skipped, func(s tags.SkippedLabel) bool { return s.Reason == r }) {
				fmt.Fprintf(&b, "%s %s: %s\n", x.Provider, r, x.profile.Limit(r))
			}
		}

		for _, note := range x.Notes {
			fmt.Fprintf(&b, "%s: %s\n", x.Provider, note)
		}
	}

	for _, note := range e.notes {
		fmt.Fprintf(&b, "note: %s\n", note)
	}

	if b.Len() == 0 {
		return ""
	}

	return "\n" + b.String()
}

// layout of the supplied rows on the supplied terminal, the first being the header.
func layout(rows [][]cell, t terminal) string {
	widths := make([]int, len(rows[0]))

	for _, row := range rows {
		for i, c := range row {
			widths[i] = max(widths[i], utf8.RuneCountInString(c.text))
		}
	}

	total := gap * (len(widths) - 1)
	for _, w := range widths {
		total += w
	}

	if t.width > 0 && total > t.width {
		return fold(rows, t)
	}

	b := strings.Builder{}

	for _, row := range rows {
		for i, c := range row {
			b.WriteString(c.colored(t.color))

			if i < len(row)-1 {
				b.WriteString(strings.Repeat(" ", widths[i]-utf8.RuneCountInString(c.text)+gap))
			}
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
		indent = max(indent, utf8.RuneCountInString(c.text)+gap)
	}

	// A terminal can be too narrow for anything.
	room := max(t.width-indent, 1)
	b := strings.Builder{}

	for n, row := range rows[1:] {
		if n > 0 {
			b.WriteString("\n")
		}

		for i, c := range row {
			name := rows[0][i]
			b.WriteString(name.colored(t.color) + strings.Repeat(" ", indent-utf8.RuneCountInString(name.text)))

			for j, part := range slices.Collect(slices.Chunk([]rune(c.text), room)) {
				if j > 0 {
					b.WriteString(strings.Repeat(" ", indent))
				}

				b.WriteString(cell{string(part), c.color}.colored(t.color) + "\n")
			}
		}
	}

	return b.String()
}

func (c cell) colored(color bool) string {
	if !color || c.color == "" {
		return c.text
	}

	return c.color + c.text + reset
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
