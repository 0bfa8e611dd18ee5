package explain

import (
	"cmp"
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

// table of labels with a column for each provider. If the terminal is too narrow for
// it, it is folded.
func (e *explained) table(t terminal) string {
	header := []cell{{"LABEL", bold}, {"VALUE", bold}}
	if e.origins != nil {
		header = append(header, cell{"FROM", bold}, cell{"OVERRIDES", bold})
	}

	for _, x := range e.providers {
		header = append(header, cell{strings.ToUpper(x.Provider), bold})
	}

	rows := [][]cell{header}

	for _, l := range e.labels {
		// One that stands nowhere is only what another one overrides.
		if slices.ContainsFunc(e.providers, func(x *Explanation) bool { return x.cells[l] != cell{} }) {
			rows = append(rows, e.row(l))
		}
	}

	return t.folded(rows) + e.legend()
}

// folded prints the supplied rows, each as a paragraph if the terminal is too narrow for them.
func (t terminal) folded(rows [][]cell) string {
	if _, all := widths(rows); t.width > 0 && all > t.width {
		rows = fold(rows, t.width)
	}

	return t.print(rows)
}

// row of the supplied label. One that another one overrode can stand under other
// profiles.
func (e *explained) row(l tags.Label) []cell {
	row := []cell{{text: visible(l.QualifiedKey)}, {text: visible(l.Value)}}

	if e.origins != nil {
		overrides := []string{}
		for _, o := range e.origins[l].Overrides {
			overrides = append(overrides, visible(o.Value)+" from "+visible(o.Source))
		}

		row = append(row, cell{text: visible(e.origins[l].Source)}, cell{text: cmp.Or(strings.Join(overrides, ", "), "-")})
	}

	for _, x := range e.providers {
		row = append(row, cmp.Or(x.cells[l], cell{text: "-"}))
	}

	return row
}

// legend says what the reasons mean that labels were skipped for, and what else there
// is to say.
func (e *explained) legend() string {
	out := []string{""}

	for _, x := range e.providers {
		for _, r := range tags.SkipReasons() {
			if slices.ContainsFunc(x.Skipped, func(s tags.SkippedLabel) bool { return s.Reason == r }) {
				out = append(out, fmt.Sprintf("%s %s: %s\n", x.Provider, r, x.profile.Limit(r)))
			}
		}

		out = append(out, ruledLines(x.Provider, "removed", x.Removed)...)
		out = append(out, ruledLines(x.Provider, "as the cloud has it, if it does", x.Ignored)...)

		for i := range x.Broken {
			out = append(out, fmt.Sprintf("%s %s\n", x.Provider, x.Broken[i].String()))
		}

		for _, note := range x.Notes {
			out = append(out, fmt.Sprintf("%s: %s\n", x.Provider, note))
		}
	}

	for _, note := range e.notes {
		out = append(out, fmt.Sprintf("note: %s\n", note))
	}

	if len(out) > 1 {
		out[0] = "\n"
	}

	return strings.Join(out, "")
}

// print the supplied rows.
func (t terminal) print(rows [][]cell) string {
	b := strings.Builder{}
	widths, _ := widths(rows)

	for _, row := range rows {
		for i, c := range row {
			if i > 0 {
				b.WriteString(strings.Repeat(" ", gap+widths[i-1]-row[i-1].width()))
			}

			if t.color && c.color != "" {
				b.WriteString(c.color + c.text + reset)
			} else {
				b.WriteString(c.text)
			}
		}

		b.WriteString("\n")
	}

	return b.String()
}

// widths of the columns of the supplied rows, and of all of them with the gaps between.
func widths(rows [][]cell) (of []int, all int) {
	for _, row := range rows {
		of = append(of, make([]int, max(len(row)-len(of), 0))...)

		for i, c := range row {
			of[i] = max(of[i], c.width())
		}
	}

	for _, w := range of {
		all += w + gap
	}

	return of, all - gap
}

// fold the supplied rows, the first being the header, to the supplied width: each is a
// paragraph, with a line for each column and as many more as it takes.
func fold(rows [][]cell, width int) [][]cell {
	var out [][]cell

	header := rows[0]
	indent := slices.MaxFunc(header, func(a, b cell) int { return cmp.Compare(a.width(), b.width()) }).width() + gap
	room := max(width-indent, 1) // A terminal can be too narrow for anything.

	for n, row := range rows[1:] {
		if n > 0 {
			out = append(out, nil)
		}

		for i, c := range row {
			name := header[i]

			for part := range slices.Chunk([]rune(c.text), room) {
				out = append(out, []cell{name, {string(part), c.color}})
				name = cell{}
			}
		}
	}

	return out
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
