package coverage

import (
	"cmp"
	"fmt"
	"io"
	"strings"

	"github.com/plexsphere/function-cloud-tags/tags/command/terminal"
	"github.com/plexsphere/function-cloud-tags/tags/coverage"
	"github.com/plexsphere/function-cloud-tags/tags/words"
)

// What a table has at most: groups, keys of each, resources of each list, and keys that say what
// is wrong with one.
const (
	maxGroups  = 50
	maxKeys    = 10
	maxListed  = 10
	maxReasons = 3
)

const (
	// wideBar and narrowBar are how many characters bars have.
	wideBar   = 20
	narrowBar = 10

	// wide is from how many columns on a terminal has room for wide bars.
	wide = 90
)

// anyTag is what stands for all keys.
const anyTag = "(any tag)"

// writeTable writes the report as tables.
func (c *Command) writeTable(out io.Writer, r *coverage.Report) error {
	b := &strings.Builder{}

	b.WriteString(c.terminal.Table(c.shares(r)))
	more(b, len(r.Groups), maxGroups)
	b.WriteString("\n" + summary(r))

	for _, h := range r.Hints {
		b.WriteString(c.hint(h) + "\n")
	}

	for _, l := range r.Lists {
		if len(l.Resources) == 0 {
			continue
		}

		b.WriteString("\n" + c.terminal.Table(listed(&l)))
		more(b, len(l.Resources), maxListed)
	}

	_, err := io.WriteString(out, b.String())

	return err
}

// hint says what may have been meant.
func (c *Command) hint(h coverage.Hint) string {
	if c.Composition != "" {
		return h.String()
	}

	return h.String() + ": --key-prefix or --composition?"
}

// more says how many more there are than a table has.
func more(b *strings.Builder, n, most int) {
	if n > most {
		fmt.Fprintf(b, "… and %d more: --output json, yaml or csv has all\n", n-most)
	}
}

// shares are the rows of how many resources have which tags.
func (c *Command) shares(r *coverage.Report) [][]terminal.Cell {
	rows := [][]terminal.Cell{terminal.Header(strings.ToUpper(r.By), "KEY", "SHARE", "", "TAGGED", "IN CLOUD")}

	groups := r.Groups[:min(len(r.Groups), maxGroups)]
	if len(r.Groups) != 1 {
		total := *r.Total
		total.Name = "all"
		groups = append(append([]*coverage.Group{}, groups...), &total)
	}

	for _, g := range groups {
		name := words.Cell(g.Name)

		for i, n := range keysOf(g) {
			if i > maxKeys {
				rows = append(rows, []terminal.Cell{{}, {Text: fmt.Sprintf("… %d more", len(g.Keys)-maxKeys)}})
				break
			}

			// A key that nothing in the group should have says nothing.
			if n.Key != "" && n.Of == 0 {
				continue
			}

			rows = append(rows, c.share(name, n))
			name = ""
		}
	}

	return rows
}

// keysOf returns the counts of any tag of the group, which has no key, and of its keys.
func keysOf(g *coverage.Group) []*coverage.KeyCount {
	return append([]*coverage.KeyCount{{Tagged: g.Tagged, Of: g.Taggable, InCloud: g.InCloud, Reported: g.Reported}}, g.Keys...)
}

// How good a count is.
const (
	good = "good"
	fair = "fair"
	poor = "poor"
)

// rating of the count, of which there is something.
func rating(n *coverage.KeyCount) string {
	switch {
	case n.Tagged == n.Of:
		return good
	case 2*n.Tagged >= n.Of:
		return fair
	default:
		return poor
	}
}

// inCloud says how many have the key in the cloud.
func inCloud(n *coverage.KeyCount) string {
	if n.Reported == 0 {
		return "-"
	}

	return fmt.Sprintf("%d of %d", n.InCloud, n.Reported)
}

// orDash returns the name as messages show it, or a dash if there is none.
func orDash(name string) string { return words.Name(cmp.Or(name, "-")) }

// share returns the row of the key, in the group of that name.
func (c *Command) share(name string, n *coverage.KeyCount) []terminal.Cell {
	key := anyTag
	if n.Key != "" {
		key = words.Cell(n.Key)
	}

	if n.Of == 0 {
		return []terminal.Cell{{Text: name}, {Text: key}, {Text: "-"}, {Text: "-"}, {Text: "-"}, {Text: "-"}}
	}

	width := wideBar
	if c.terminal.Width > 0 && c.terminal.Width < wide {
		width = narrowBar
	}

	// Nothing but all is full, and nothing but none is empty.
	full := n.Tagged * width / n.Of
	if n.Tagged > 0 {
		full = max(full, 1)
	}

	color := map[string]string{good: terminal.Green, fair: terminal.Yellow, poor: terminal.Red}[rating(n)]

	return []terminal.Cell{
		{Text: name},
		{Text: key},
		{Text: strings.Repeat("█", full) + strings.Repeat("░", width-full), Color: color},
		{Text: fmt.Sprintf("%3d%%", n.Tagged*100/n.Of)},
		{Text: fmt.Sprintf("%d of %d", n.Tagged, n.Of)},
		{Text: inCloud(n)},
	}
}

// summary says how many objects there are of each sort.
func summary(r *coverage.Report) string {
	out := r.Summary() + "\n"
	if r.Others > 0 {
		out += fmt.Sprintf("objects that are no resources of a cloud: %d\n", r.Others)
	}

	return out
}

// listed returns the rows of the list.
func listed(l *coverage.List) [][]terminal.Cell {
	columns := []string{strings.ToUpper(l.Name), "APIVERSION", "COMPOSITE"}

	for _, of := range l.Resources {
		if len(inShort(of, l.Name)) > 0 {
			columns = append(columns, "WHY")
			break
		}
	}

	rows := [][]terminal.Cell{terminal.Header(columns...)}

	for _, of := range l.Resources[:min(len(l.Resources), maxListed)] {
		row := []terminal.Cell{{Text: words.Cell(of.Title())}, {Text: words.Cell(of.APIVersion)}, {Text: words.Cell(cmp.Or(of.Composite, "-"))}}

		why := inShort(of, l.Name)
		if n := len(why) - maxReasons; n > 0 {
			why = append(why[:maxReasons], fmt.Sprintf("… %d more", n))
		}

		rows = append(rows, append(row, terminal.Cell{Text: strings.Join(why, ", ")})[:len(columns)])
	}

	return rows
}

// inShort says why the resource is in the list of that name.
func inShort(r *coverage.Resource, list string) []string {
	var out []string

	if list == coverage.ListDrifted {
		for _, d := range r.Drift {
			is := "not in the cloud"
			if d.Cloud != nil {
				is = "in the cloud " + words.Cell(*d.Cloud)
			}

			out = append(out, fmt.Sprintf("%s: desired %s, %s", words.Cell(d.Key), words.Cell(d.Desired), is))
		}

		return out
	}

	for _, key := range r.Missing {
		out = append(out, "no "+words.Cell(key))
	}

	for _, w := range r.Wrong {
		out = append(out, words.Cell(w.Key)+": "+words.Cell(w.What))
	}

	if r.Why != "" {
		out = append(out, r.Why)
	}

	return out
}
