package coverage

import (
	"bytes"
	_ "embed" // For the page.
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/net/html"

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
	body := []*html.Node{element("p", r.Summary())}

	if r.Others > 0 {
		body = append(body, element("p", fmt.Sprintf("objects that are no resources of a cloud: %d", r.Others)))
	}

	for _, h := range r.Hints {
		body = append(body, element("p", c.hint(h)))
	}

	all := *r.Total
	all.Name = "all"
	body = append(body, section("All resources", bars([]*coverage.Group{&all}), 0)...)

	for _, d := range r.Divisions {
		n := min(len(d.Groups), maxRows)
		body = append(body, section("By "+d.By, bars(d.Groups[:n]), len(d.Groups)-n)...)
	}

	for _, l := range r.Lists {
		if n := min(len(l.Resources), maxRows); n > 0 {
			title := fmt.Sprintf("%s%s: %d", strings.ToUpper(l.Name[:1]), l.Name[1:], len(l.Resources))
			body = append(body, section(title, resources(l.Name, l.Resources[:n]), len(l.Resources)-n)...)
		}
	}

	before, after, _ := strings.Cut(page, mark)
	b := bytes.NewBufferString(before)

	for _, n := range body {
		if err := html.Render(b, n); err != nil {
			return err
		}

		b.WriteByte('\n')
	}

	b.WriteString(after)

	_, err := out.Write(b.Bytes())

	return err
}

// section of the page: its title, its table, and how many rows the table leaves out.
func section(title string, table *html.Node, more int) []*html.Node {
	out := []*html.Node{element("h2", title), table}
	if more > 0 {
		out = append(out, element("p", fmt.Sprintf("… and %d more: json, yaml and csv have all", more)))
	}

	return out
}

// resources that something is wrong with, as a table. The list says what.
func resources(list string, of []*coverage.Resource) *html.Node {
	return table([]string{"Resource", "API version", "Composite", "Why"}, words.Map(of, func(r *coverage.Resource) *html.Node {
		return row("td", words.Name(r.Title()), words.Name(r.APIVersion), orDash(r.Composite), strings.Join(inShort(r, list), ", "))
	}))
}

// bars of the groups: of any tag, and of each key, a row each.
func bars(groups []*coverage.Group) *html.Node {
	var rows []*html.Node

	for _, g := range groups {
		group := orDash(g.Name)

		for i, n := range keysOf(g) {
			if i > maxKeys {
				rows = append(rows, row("td", "", fmt.Sprintf("… %d more", len(g.Keys)-maxKeys), "", "", "", ""))
				break
			}

			if n.Key != "" && n.Of == 0 {
				continue
			}

			key := anyTag
			if n.Key != "" {
				key = words.Name(n.Key)
			}

			if n.Of == 0 {
				rows = append(rows, row("td", group, key, "", "", "-", inCloud(n)))
			} else {
				percent := n.Tagged * 100 / n.Of
				number := element("td", strconv.Itoa(percent)+"%", "class", "number")
				tagged := fmt.Sprintf("%d of %d", n.Tagged, n.Of)
				rows = append(rows, parent("tr", element("td", group), element("td", key), parent("td", share(percent, rating(n))), number, element("td", tagged), element("td", inCloud(n))))
			}

			group = ""
		}
	}

	return table([]string{"Group", "Key", "Share", "", "Tagged", "In cloud"}, rows)
}

// share is a bar of so many percent, in the color of the class.
func share(percent int, class string) *html.Node {
	rect := func(class string, width int) *html.Node {
		return element("rect", "", "class", class, "width", strconv.Itoa(width), "height", "8")
	}

	svg := parent("svg", rect("none", 100), rect(class, percent)) //nolint:mnd // Percent.
	svg.Attr = attributes("viewBox", "0 0 100 8", "preserveAspectRatio", "none", "aria-hidden", "true")

	return svg
}

// table with a row of headings, and the rows.
func table(headings []string, rows []*html.Node) *html.Node {
	return parent("table", lines(parent("thead", row("th", headings...)), parent("tbody", lines(rows...)...))...)
}

// lines puts each of the nodes on a line of its own.
func lines(nodes ...*html.Node) (out []*html.Node) {
	for _, n := range nodes {
		out = append(out, &html.Node{Type: html.TextNode, Data: "\n"}, n)
	}

	return append(out, &html.Node{Type: html.TextNode, Data: "\n"})
}

// row of cells with the tag.
func row(tag string, cells ...string) *html.Node {
	return parent("tr", words.Map(cells, func(cell string) *html.Node { return element(tag, cell) })...)
}

// element with a text, and attributes as names that values follow.
func element(tag, text string, attrs ...string) *html.Node {
	n := parent(tag)
	n.Attr = attributes(attrs...)

	if text != "" {
		n.AppendChild(&html.Node{Type: html.TextNode, Data: text})
	}

	return n
}

// parent of elements.
func parent(tag string, children ...*html.Node) *html.Node {
	n := &html.Node{Type: html.ElementNode, Data: tag}
	for _, c := range children {
		n.AppendChild(c)
	}

	return n
}

// attributes of names that values follow.
func attributes(pairs ...string) (out []html.Attribute) {
	for pair := range slices.Chunk(pairs, 2) { //nolint:mnd // A name and a value.
		out = append(out, html.Attribute{Key: pair[0], Val: pair[1]})
	}

	return out
}
