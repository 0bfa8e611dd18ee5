package coverage

import (
	_ "embed" // For the page.
	"fmt"
	"html"
	"io"
	"strings"

	"github.com/plexsphere/function-cloud-tags/tags/coverage"
	"github.com/plexsphere/function-cloud-tags/tags/words"
)

// maxRows is how many groups or resources a table of the page has at most.
const maxRows = 1000

// divisions are what the page counts by.
var divisions = []string{"provider", "kind", "namespace", "composite"}

// page is one file, without anything from elsewhere. The report takes the place of the mark.
//
// It isn't a template: the linker keeps all methods of a program that executes templates, which made it a sixth larger.
//
//go:embed page.html
var page string

const mark = "<!-- report -->\n"

// writeHTML writes the report as a page.
func (c *Command) writeHTML(out io.Writer, r *coverage.Report) error {
	before, after, _ := strings.Cut(page, mark)
	b := &strings.Builder{}
	b.WriteString(before)

	for _, line := range c.summary(r) {
		b.WriteString(element("p", line) + "\n")
	}

	writeSection(b, "All resources", bars([]*coverage.Group{total(r)}), 0)

	for _, d := range r.Divisions {
		n := min(len(d.Groups), maxRows)
		writeSection(b, "By "+d.By, bars(d.Groups[:n]), len(d.Groups)-n)
	}

	for _, l := range r.Lists {
		if n := min(len(l.Resources), maxRows); n > 0 {
			title := fmt.Sprintf("%s%s: %d", strings.ToUpper(l.Name[:1]), l.Name[1:], len(l.Resources))
			writeSection(b, title, resources(l.Name, l.Resources[:n]), len(l.Resources)-n)
		}
	}

	_, err := io.WriteString(out, b.String()+after)

	return err
}

// writeSection writes a section of the page: its title, its table, and how many rows the table leaves out.
func writeSection(b *strings.Builder, title, table string, more int) {
	b.WriteString(element("h2", title) + "\n" + table + "\n")

	if more > 0 {
		b.WriteString(element("p", fmt.Sprintf("… and %d more: json, yaml and csv have all", more)) + "\n")
	}
}

// resources that something is wrong with, as a table. The list says what.
func resources(list string, resources []*coverage.Resource) string {
	return table([]string{"Resource", "API version", "Composite", "Why"}, words.Map(resources, func(r *coverage.Resource) string {
		return cells("td", words.Name(r.Title()), words.Name(r.APIVersion), words.Name(orDash(r.Composite)), strings.Join(inShort(r, list), ", "))
	}))
}

// bars of the groups: of any tag, and of each key, a row each.
func bars(groups []*coverage.Group) string {
	return table([]string{"Group", "Key", "Share", "", "Tagged", "In cloud"}, words.Map(shares(groups, words.Name), func(s share) string {
		if s.rating == "" {
			return cells("td", s.group, s.key, "", "", s.tagged, s.inCloud)
		}

		bar := fmt.Sprintf(`<td><svg viewBox="0 0 100 8" preserveAspectRatio="none" aria-hidden="true">`+
			`<rect class="none" width="100" height="8"></rect><rect class="%s" width="%d" height="8"></rect></svg></td>`, s.rating, s.percent)

		return cells("td", s.group, s.key) + bar + fmt.Sprintf(`<td class="number">%d%%</td>`, s.percent) + cells("td", s.tagged, s.inCloud)
	}))
}

// table with headings, and with rows of cells.
func table(headings, rows []string) string {
	b := &strings.Builder{}
	b.WriteString("<table>\n<thead><tr>" + cells("th", headings...) + "</tr></thead>\n<tbody>\n")

	for _, row := range rows {
		b.WriteString("<tr>" + row + "</tr>\n")
	}

	return b.String() + "</tbody>\n</table>"
}

// cells are elements with these texts.
func cells(tag string, texts ...string) string {
	return strings.Join(words.Map(texts, func(text string) string { return element(tag, text) }), "")
}

// element of HTML with the text.
func element(tag, text string) string {
	return "<" + tag + ">" + html.EscapeString(text) + "</" + tag + ">"
}
