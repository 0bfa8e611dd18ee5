package coverage

import (
	"cmp"
	_ "embed" // For the page.
	"fmt"
	"html"
	"io"
	"slices"
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

	for _, line := range append([]string{c.counted()}, c.summary(r)...) {
		b.WriteString(element("p", line) + "\n")
	}

	b.WriteString(legend)
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

// counted says when and what the command has counted.
func (c *Command) counted() string {
	return c.now().UTC().Format("2 January 2006, 15:04 UTC") + ": " + cmp.Or(strings.Join(words.Map(c.Files, words.Name), ", "), c.Kubectl.Title())
}

// legend explains the words of the page.
const legend = `<dl>
<dt>Tagged</dt><dd>resources with the key in their tag field, of those that can have tags</dd>
<dt>In cloud</dt><dd>resources whose provider reports the tag, of those whose provider reports any</dd>
<dt>Drifted</dt><dd>resources with a desired tag that the cloud lacks, or has at another value</dd>
<dt>Required</dt><dd>the keys of --key, or of the tagPolicy of --composition</dd>
</dl>
`

// shareHeading is the heading of the column with bars.
const shareHeading = "Share"

// resources returns a table of the resources in the list, with the reasons.
func resources(list string, resources []*coverage.Resource) string {
	return table([]string{"Resource", "API version", "Composite", "Why"}, words.Map(resources, func(r *coverage.Resource) []string {
		return escaped(words.Name(r.Title()), words.Name(r.APIVersion), words.Name(orDash(r.Composite)), strings.Join(inShort(r, list), ", "))
	}))
}

// bars returns a table with a bar for any tag of each group, and for each key.
func bars(groups []*coverage.Group) string {
	return table([]string{"Group", "Key", shareHeading, "Tagged", "In cloud"}, words.Map(shares(groups, words.Name), func(s share) []string {
		bar := ""

		if s.rating != nil {
			whole := "none"
			if s.percent == 0 {
				whole = "zero"
			}

			bar = fmt.Sprintf(`<svg viewBox="0 0 100 8" preserveAspectRatio="none" aria-hidden="true"><rect class="%s" width="100" height="8"></rect>`+
				`<rect class="%s" width="%d" height="8"></rect></svg><span>%d%%</span>`, whole, s.rating.class, s.percent, s.percent)
		}

		return slices.Insert(escaped(s.group, s.key, s.tagged, s.inCloud), 2, bar)
	}))
}

// table returns a table with headings, and with rows of cells, which are HTML. On a narrow screen, each cell has its heading before it.
func table(headings []string, rows [][]string) string {
	b := &strings.Builder{}
	b.WriteString("<table>\n<thead><tr>" + cells("th", headings...) + "</tr></thead>\n<tbody>\n")

	for _, row := range rows {
		b.WriteString("<tr>")

		for i, cell := range row {
			class := ""
			if headings[i] == shareHeading && cell != "" {
				class = ` class="bar"`
			}

			fmt.Fprintf(b, `<td%s data-heading="%s">%s</td>`, class, headings[i], cell)
		}

		b.WriteString("</tr>\n")
	}

	return b.String() + "</tbody>\n</table>"
}

// escaped returns the texts as HTML.
func escaped(texts ...string) []string { return words.Map(texts, html.EscapeString) }

// cells returns an element for each text.
func cells(tag string, texts ...string) string {
	return strings.Join(words.Map(texts, func(text string) string { return element(tag, text) }), "")
}

// element returns an element of HTML with the text.
func element(tag, text string) string {
	return "<" + tag + ">" + html.EscapeString(text) + "</" + tag + ">"
}
