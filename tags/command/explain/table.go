package explain

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/plexsphere/function-cloud-tags/tags"
	"github.com/plexsphere/function-cloud-tags/tags/command/terminal"
	"github.com/plexsphere/function-cloud-tags/tags/profile"
	"github.com/plexsphere/function-cloud-tags/tags/words"
)

// table returns a table of labels with a column for each group of providers. On a narrow terminal, it is folded.
func (e *comparison) table(t terminal.Terminal) string {
	header := terminal.Header("LABEL", "VALUE")
	if e.origins != nil {
		header = append(header, terminal.Header("FROM", "OVERRIDES")...)
	}

	groups := e.groups()
	header = append(header, words.Map(groups, func(g group) terminal.Cell {
		return terminal.Cell{Text: strings.ToUpper(g.title()), Color: terminal.Bold}
	})...)
	rows := words.MapIf(e.labels, func(l tags.Label) ([]terminal.Cell, bool) {
		// A label without a cell is in the column OVERRIDES of another one.
		return e.row(l, groups), slices.ContainsFunc(e.providers, func(x *Explanation) bool { return x.cells[l] != terminal.Cell{} })
	})

	return t.Table(slices.Insert(rows, 0, header)) + e.legend(groups)
}

// A group has providers with the same answer for each label.
type group []*Explanation

// groups of the providers, in the order of their first ones.
func (e *comparison) groups() (out []group) {
	for _, x := range e.providers {
		i := slices.IndexFunc(out, func(g group) bool { return maps.Equal(g[0].cells, x.cells) })
		if i < 0 {
			out = append(out, group{x})
		} else {
			out[i] = append(out[i], x)
		}
	}

	return out
}

// maxTitle is the most providers that the title of a column names.
const maxTitle = 2

// title of the group's column.
func (g group) title() string {
	if more := len(g) - maxTitle; more > 1 {
		return fmt.Sprintf("%s +%d", strings.Join(g[:maxTitle].names(), ", "), more)
	}

	return strings.Join(g.names(), ", ")
}

func (g group) names() []string {
	return words.Map(g, func(x *Explanation) string { return x.Provider })
}

// row returns the row of the label. A label that another one overrode can have a tag under other profiles.
func (e *comparison) row(l tags.Label, groups []group) []terminal.Cell {
	row := []terminal.Cell{{Text: words.Cell(l.QualifiedKey)}, {Text: words.Cell(l.Value)}}

	if e.origins != nil {
		overrides := words.Map(e.origins[l].Overrides, func(o Origin) string { return words.Cell(o.Value) + " from " + words.Cell(o.Source) })
		row = append(row, terminal.Cell{Text: words.Cell(e.origins[l].Source)}, terminal.Cell{Text: cmp.Or(strings.Join(overrides, ", "), "-")})
	}

	return append(row, words.Map(groups, func(g group) terminal.Cell { return cmp.Or(g[0].cells[l], terminal.Cell{Text: "-"}) })...)
}

// legend returns the providers of groups, the limits of skip reasons, and other notes. A text about several providers
// stands once.
func (e *comparison) legend(groups []group) string {
	type note struct{ provider, text string }

	notes := slices.Concat(words.Map(e.providers, func(x *Explanation) []note {
		return words.Map(x.legend(), func(text string) note { return note{x.Provider, text} })
	})...)

	out := words.MapIf(groups, func(g group) (string, bool) {
		return strings.ToUpper(g.title()) + " are " + strings.Join(g.names(), ", "), strings.Contains(g.title(), "+")
	})

	for _, same := range words.Grouped(notes, func(n note) string { return n.text }) {
		out = append(out, strings.Join(words.Map(same, func(n note) string { return n.provider }), ", ")+same[0].text)
	}

	if slices.ContainsFunc(e.providers, func(x *Explanation) bool { return len(x.CloudRefuses) > 0 }) {
		out = append(out, "refused: profileRules: Cloud makes them legal or skips them, keyFormats and valueFormats can make them legal")
	}

	return below(append(out, words.Map(e.notes, titled)...))
}

// titled returns the note as it stands below a table.
func titled(note string) string { return "note: " + note }

// legend returns the lines about the provider below the table.
func (x *Explanation) legend() []string {
	skipped := words.MapIf(profile.SkipReasons(), func(r profile.SkipReason) (string, bool) {
		limit := x.profile.Limit(r)
		if r == profile.CountCap {
			limit, _ = x.plan.Slots()
		}

		faults := words.MapIf(x.Skipped, func(s Skipped) (string, bool) {
			return words.Cell(s.QualifiedKey) + ": " + s.Fault, s.Reason == r && s.Fault != ""
		})
		if len(faults) > 0 {
			limit += " (" + words.Names(faults) + ")"
		}

		return " " + string(r) + ": " + limit, slices.ContainsFunc(x.Skipped, func(s Skipped) bool { return s.Reason == r })
	})

	removed, ignored := listedLines("removed", x.Removed), listedLines("as the cloud has it, if it does", x.Ignored)
	broken := words.Map(x.Broken, func(b BrokenRule) string { return " " + b.String() })
	notes := words.Map(x.Notes, func(text string) string { return ": " + text })

	return slices.Concat(skipped, x.refusedLines(), removed, ignored, broken, notes)
}

// below returns the lines as they stand below a table. A terminal shows all their characters and obeys none.
func below(lines []string) string {
	if len(lines) == 0 {
		return ""
	}

	return "\n" + strings.Join(words.Map(lines, words.Visible), "\n") + "\n"
}
