package coverage

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/plexsphere/function-cloud-tags/tags/command/terminal"
	"github.com/plexsphere/function-cloud-tags/tags/coverage"
	"github.com/plexsphere/function-cloud-tags/tags/words"
)

// Limits of a table: groups, keys of a group, resources of a list, and reasons of a resource.
const (
	maxGroups  = 50
	maxKeys    = 10
	maxListed  = 10
	maxReasons = 3
)

const (
	// wideBar and narrowBar are widths of bars, in characters.
	wideBar   = 20
	narrowBar = 10

	// wide is the least width of a terminal with wide bars, in columns.
	wide = 90
)

// writeTable writes the report as tables.
func (c *Command) writeTable(out io.Writer, r *coverage.Report) error {
	groups := slices.Clone(r.Groups[:min(len(r.Groups), maxGroups)])
	if len(r.Groups) != 1 {
		groups = append(groups, total(r))
	}

	rows := [][]terminal.Cell{terminal.Header(strings.ToUpper(r.By), "KEY", "SHARE", "", "TAGGED", "IN CLOUD")}
	rows = append(rows, words.Map(shares(groups, words.Cell), c.row)...)

	b := &strings.Builder{}
	b.WriteString(c.terminal.Table(rows))
	more(b, len(r.Groups), maxGroups)
	b.WriteString("\n" + strings.Join(c.summary(r), "\n") + "\n")

	for _, l := range r.Lists {
		if len(l.Resources) > 0 {
			b.WriteString("\n" + c.terminal.Table(listed(&l)))
			more(b, len(l.Resources), maxListed)
		}
	}

	_, err := io.WriteString(out, b.String())

	return err
}

// summary returns the numbers of objects, and hints at keys that people may have meant.
func (c *Command) summary(r *coverage.Report) []string {
	out := []string{r.Summary()}
	if r.Others > 0 {
		out = append(out, fmt.Sprintf("objects that are no resources of a cloud: %d", r.Others))
	}

	advice := ""
	if c.Composition == "" {
		advice = ": --key-prefix or --composition?"
	}

	return append(out, words.Map(r.Hints, func(h coverage.Hint) string { return h.String() + advice })...)
}

// more says how many rows the table leaves out.
func more(b *strings.Builder, n, limit int) {
	if n > limit {
		fmt.Fprintf(b, "… and %d more: --output json, yaml or csv has all\n", n-limit)
	}
}

// total returns the group of all resources, with a name.
func total(r *coverage.Report) *coverage.Group {
	all := *r.Total
	all.Name = "all"

	return &all
}

// A share is a row of a table: the number of resources in a group with the key.
type share struct {
	group, key, tagged, inCloud string

	// rating of the percentage. It is nil if no resource should have the key.
	rating  *rating
	percent int
	count   *coverage.KeyCount
}

// A rating of a share is a class of bars on the page, and a color in a terminal.
type rating struct{ class, color string }

// ratings from none of the resources to all of them. Half of the resources or more are fair, and only all are good.
var ratings = []rating{{"poor", terminal.Red}, {"fair", terminal.Yellow}, {"good", terminal.Green}}

// shares returns a row for any tag of each group, and for each key of the group. show puts names into the table.
func shares(groups []*coverage.Group, show func(name string) string) (out []share) {
	for _, g := range groups {
		all := &coverage.KeyCount{Tagged: g.Tagged, Resources: g.Taggable, InCloud: g.InCloud, Reported: g.Reported}
		out = append(out, shareOf(show(g.Name), "(any tag)", all))

		for i, n := range g.Keys {
			if i == maxKeys {
				out = append(out, share{key: fmt.Sprintf("… %d more", len(g.Keys)-maxKeys)})
				break
			}

			if n.Resources > 0 { // A key that no resource of the group should have gets no row.
				out = append(out, shareOf("", show(n.Key), n))
			}
		}
	}

	return out
}

// shareOf returns the row of a count.
func shareOf(group, key string, n *coverage.KeyCount) share {
	s := share{group: group, key: key, tagged: "-", inCloud: "-", count: n}

	if n.Reported > 0 {
		s.inCloud = fmt.Sprintf("%d of %d", n.InCloud, n.Reported)
	}

	if n.Resources == 0 {
		return s
	}

	s.tagged, s.percent = fmt.Sprintf("%d of %d", n.Tagged, n.Resources), n.Tagged*100/n.Resources
	s.rating = &ratings[2*n.Tagged/n.Resources]

	return s
}

// row returns cells without a color.
func row(texts ...string) []terminal.Cell {
	return words.Map(texts, func(text string) terminal.Cell { return terminal.Cell{Text: text} })
}

// row returns the share as the cells of a row.
func (c *Command) row(s share) []terminal.Cell {
	switch {
	case s.count == nil:
		return row("", s.key)
	case s.rating == nil:
		return row(s.group, s.key, "-", "-", s.tagged, s.inCloud)
	}

	width := wideBar
	if c.terminal.Width > 0 && c.terminal.Width < wide {
		width = narrowBar
	}

	// A bar is full only if all resources have the key, and empty only if none has.
	full := max(s.count.Tagged*width/s.count.Resources, min(s.count.Tagged, 1))
	bar := strings.Repeat("█", full) + strings.Repeat("░", width-full)

	out := row(s.group, s.key, bar, fmt.Sprintf("%3d%%", s.percent), s.tagged, s.inCloud)
	out[2].Color = s.rating.color

	return out
}

// orDash returns the name, or a dash if there is none.
func orDash(name string) string { return cmp.Or(name, "-") }

// listed returns the rows of the table of a list.
func listed(l *coverage.List) [][]terminal.Cell {
	columns := []string{strings.ToUpper(l.Name), "APIVERSION", "COMPOSITE"}
	if slices.ContainsFunc(l.Resources, func(r *coverage.Resource) bool { return len(inShort(r, l.Name)) > 0 }) {
		columns = append(columns, "WHY")
	}

	rows := [][]terminal.Cell{terminal.Header(columns...)}

	for _, r := range l.Resources[:min(len(l.Resources), maxListed)] {
		why := inShort(r, l.Name)
		if n := len(why) - maxReasons; n > 0 {
			why = append(why[:maxReasons], fmt.Sprintf("… %d more", n))
		}

		cells := row(words.Cell(r.Title()), words.Cell(r.APIVersion), words.Cell(orDash(r.Composite)), strings.Join(why, ", "))
		rows = append(rows, cells[:len(columns)])
	}

	return rows
}

// inShort returns why the resource is in the list, in words of a table.
func inShort(r *coverage.Resource, list string) (out []string) {
	for _, why := range r.Reasons(list) {
		key := words.Cell(why.Key)

		switch why.Text {
		case "":
		case coverage.NotInCloud:
			out = append(out, fmt.Sprintf("%s: desired %s, not in the cloud", key, words.Cell(why.Desired)))
		case coverage.OtherValue:
			out = append(out, fmt.Sprintf("%s: desired %s, in the cloud %s", key, words.Cell(why.Desired), words.Cell(why.Cloud)))
		case coverage.Missing:
			out = append(out, "no "+key)
		case r.Why:
			out = append(out, r.Why)
		default:
			out = append(out, key+": "+words.Cell(why.Text))
		}
	}

	return out
}
