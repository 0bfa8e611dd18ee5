// Package terminal prints tables for people, and shows progress.
package terminal

import (
	"os"
	"slices"
	"strings"
	"time"

	"github.com/rivo/uniseg"
	"github.com/schollz/progressbar/v3"
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

// gap is the number of spaces between columns.
const gap = 2

// A Terminal prints tables. A file that is no terminal has no color and no width.
type Terminal struct {
	Color bool
	Width int
}

// Of returns the terminal of the file.
func Of(f *os.File) Terminal {
	fd := int(f.Fd())
	t := Terminal{Color: term.IsTerminal(fd) && os.Getenv("NO_COLOR") == ""}
	t.Width, _, _ = term.GetSize(fd) // None if it can't be told.

	return t
}

// Progress returns a bar that counts things on the terminal of f, such as "resources", and that goes when it is finished. total is
// -1 if nobody knows the number of things. If f is no terminal, nobody sees the bar.
func Progress(f *os.File, total int, things string) *progressbar.ProgressBar {
	return progressbar.NewOptions(total,
		progressbar.OptionSetWriter(f),
		progressbar.OptionSetVisibility(term.IsTerminal(int(f.Fd()))),
		progressbar.OptionSetDescription(things),
		progressbar.OptionShowCount(),
		progressbar.OptionThrottle(100*time.Millisecond),
		progressbar.OptionClearOnFinish(),
	)
}

// A Cell is a text in a table, with one of the colors, or "" for none.
type Cell struct {
	Text  string
	Color string
}

// wrap returns the text in lines of at most room columns. Lines end at spaces. Only a longer word is cut.
func wrap(text string, room int) (lines []string) {
	text = strings.TrimLeft(text, " ")

	for uniseg.StringWidth(text) > room {
		end := len(cut(text, room))
		next := end

		// The line may end right before a space.
		if space := strings.LastIndex(text[:min(end+1, len(text))], " "); space >= 0 {
			end, next = space, space+1
		}

		lines, text = append(lines, text[:end]), text[next:]
	}

	return append(lines, text)
}

// cut returns the beginning of the text that fits into room columns: at least one character.
func cut(text string, room int) string {
	n := 0

	for characters := uniseg.NewGraphemes(text); characters.Next(); {
		from, _ := characters.Positions()
		if n += characters.Width(); from > 0 && n > room {
			return text[:from]
		}
	}

	return text
}

// Header returns the first row of a table.
func Header(names ...string) []Cell {
	return words.Map(names, func(name string) Cell { return Cell{Text: name, Color: Bold} })
}

// Table returns the rows as a table with aligned columns. The first row is its header. If the terminal is too narrow, the table is
// folded. Control characters are escaped.
func (t Terminal) Table(rows [][]Cell) string {
	rows = words.Map(rows, func(row []Cell) []Cell {
		return words.Map(row, func(c Cell) Cell { return Cell{Text: words.Visible(c.Text), Color: c.Color} })
	})

	if _, all := widths(rows); t.Width > 0 && all > t.Width {
		rows = fold(rows, t.Width)
	}

	b := strings.Builder{}
	columns, _ := widths(rows)

	for _, row := range rows {
		for i, c := range row {
			if i > 0 {
				b.WriteString(strings.Repeat(" ", gap+columns[i-1]-uniseg.StringWidth(row[i-1].Text)))
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

// widths returns the width of each column, and of a row with its gaps.
func widths(rows [][]Cell) (each []int, all int) {
	for _, row := range rows {
		each = append(each, make([]int, max(len(row)-len(each), 0))...)

		for i, c := range row {
			each[i] = max(each[i], uniseg.StringWidth(c.Text))
		}
	}

	for _, w := range each {
		all += w + gap
	}

	return each, all - gap
}

// fold returns the rows as paragraphs. Each column has a line with its name from the header, and more lines if its text is
// long. limit is the width of all.
func fold(rows [][]Cell, limit int) [][]Cell {
	var out [][]Cell

	header := rows[0]
	indent := slices.Max(words.Map(header, func(c Cell) int { return uniseg.StringWidth(c.Text) })) + gap
	room := max(limit-indent, 1) // A terminal can be too narrow for anything.

	for n, row := range rows[1:] {
		if n > 0 {
			out = append(out, nil)
		}

		for i, c := range row {
			name := header[i]

			if c.Text == "" {
				continue
			}

			for _, line := range wrap(c.Text, room) {
				out = append(out, []Cell{name, {line, c.Color}})
				name = Cell{}
			}
		}
	}

	return out
}
