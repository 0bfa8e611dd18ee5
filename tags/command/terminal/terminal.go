// Package terminal prints tables for people.
package terminal

import (
	"cmp"
	"os"
	"slices"
	"strings"
	"unicode/utf8"

	"golang.org/x/term"

	"github.com/plexsphere/function-cloud-tags/tags/words"
)

// Colors of cells.
const (
	Bold   = "\x1b[1m"
	Red    = "\x1b[31m"
	Green  = "\x1b[32m"
	Yellow = "\x1b[33m"

	reset = "\x1b[0m"
)

// gap is how many spaces are between columns.
const gap = 2

// A Terminal that tables are printed to. A file that is no terminal has no color and no width.
type Terminal struct {
	Color bool
	Width int
}

// Of returns the terminal that the file is.
func Of(f *os.File) Terminal {
	fd := int(f.Fd())
	t := Terminal{Color: term.IsTerminal(fd) && os.Getenv("NO_COLOR") == ""}
	t.Width, _, _ = term.GetSize(fd) // None if it can't be told.

	return t
}

// A Cell of a table.
type Cell struct {
	Text  string
	Color string
}

// width of the cell, in characters.
func (c Cell) width() int { return utf8.RuneCountInString(c.Text) }

// Header is the first row of a table.
func Header(names ...string) []Cell {
	out := make([]Cell, len(names))
	for i, name := range names {
		out[i] = Cell{Text: name, Color: Bold}
	}

	return out
}

// Table returns the rows as a table, the first as its header. If the terminal is too narrow, the table is folded.
// What a terminal would obey is shown.
func (t Terminal) Table(rows [][]Cell) string {
	rows = words.Map(rows, func(row []Cell) []Cell {
		return words.Map(row, func(c Cell) Cell { return Cell{Text: words.Visible(c.Text), Color: c.Color} })
	})

	if _, all := widths(rows); t.Width > 0 && all > t.Width {
		rows = fold(rows, t.Width)
	}

	return t.print(rows)
}

// print the rows, with their columns aligned.
func (t Terminal) print(rows [][]Cell) string {
	b := strings.Builder{}
	widths, _ := widths(rows)

	for _, row := range rows {
		for i, c := range row {
			if i > 0 {
				b.WriteString(strings.Repeat(" ", gap+widths[i-1]-row[i-1].width()))
			}

			if t.Color && c.Color != "" && c.Text != "" {
				b.WriteString(c.Color + c.Text + reset)
			} else {
				b.WriteString(c.Text)
			}
		}

		b.WriteString("\n")
	}

	return b.String()
}

// widths returns the width of each column, and that of all with the gaps between.
func widths(rows [][]Cell) (of []int, all int) {
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

// fold returns the rows in so many columns of text, the first as the header: each is a paragraph, with a line
// for each column and as many more as it takes.
func fold(rows [][]Cell, width int) [][]Cell {
	var out [][]Cell

	header := rows[0]
	indent := slices.MaxFunc(header, func(a, b Cell) int { return cmp.Compare(a.width(), b.width()) }).width() + gap
	room := max(width-indent, 1) // A terminal can be too narrow for anything.

	for n, row := range rows[1:] {
		if n > 0 {
			out = append(out, nil)
		}

		for i, c := range row {
			name := header[i]

			for part := range slices.Chunk([]rune(c.Text), room) {
				out = append(out, []Cell{name, {string(part), c.Color}})
				name = Cell{}
			}
		}
	}

	return out
}
