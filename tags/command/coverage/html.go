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

// maxRows is the limit of groups or resources in a table of the page.
const maxRows = 1000

// divisions are the tables of the page.
var divisions = []string{"provider", "kind", "namespace", "composite"}

// page is one file, and loads nothing. The report replaces the mark.
//
// It isn't a template: for a program with templates, the linker keeps all methods of all types. That made the program a sixth larger.
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

// writeSection writes a title, a table, and the number of rows that the table leaves out.
func writeSection(b *strings.Builder, title, table string, more int) {
	b.WriteString(element("h2", title) + "\n" + table + "\n")

	if more > 0 {
		b.WriteString(element("p", fmt.Sprintf("… and %d more: json, yaml and csv have all", more)) + "\n")
	}
}

// resources returns a table of the resources in the list, with the reasons.
func resources(list string, resources []*coverage.Resource) string {
	return table([]string{"Resource", "API version", "Composite", "Why"}, words.Map(resources, func(r *coverage.Resource) string {
		return cells("td", words.Name(r.Title()), words.Name(r.APIVersion), words.Name(orDash(r.Composite)), strings.Join(inShort(r, list), ", "))
	}))
}

// bars returns a table with a bar for any tag of each group, and for each key.
func bars(groups []*coverage.Group) string {
	return table([]string{"Group", "Key", "Share", "", "Tagged", "In cloud"}, words.Map(shares(groups, words.Name), func(s share) string {
		if s.rating == nil {
			return cells("td", s.group, s.key, "", "", s.tagged, s.inCloud)
		}

		bar := fmt.Sprintf(`<td><svg viewBox="0 0 100 8" preserveAspectRatio="none" aria-hidden="true">`+
			`<rect class="none" width="100" height="8"></rect><rect class="%s" width="%d" height="8"></rect></svg></td>`, s.rating.class, s.percent)

		return cells("td", s.group, s.key) + bar + fmt.Sprintf(`<td class="number">%d%%</td>`, s.percent) + cells("td", s.tagged, s.inCloud)
	}))
}

// table returns a table with headings and rows of cells.
func table(headings, rows []string) string {
	body := strings.Join(words.Map(rows, func(row string) string { return "<tr>" + row + "</tr>\n" }), "")
	return "<table>\n<thead><tr>" + cells("th", headings...) + "</tr></thead>\n<tbody>\n" + body + "</tbody>\n</table>"
}

// cells returns an element for each text.
func cells(tag string, texts ...string) string {
	return strings.Join(words.Map(texts, func(text string) string { return element(tag, text) }), "")
}

// element returns an element of HTML with the text.
func element(tag, text string) string {
	return "<" + tag + ">" + html.EscapeString(text) + "</" + tag + ">"
}
