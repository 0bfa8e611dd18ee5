package coverage

import (
	"bytes"
	_ "embed" // For the page.
	"fmt"
	"html/template"
	"io"
	"strings"

	"github.com/plexsphere/function-cloud-tags/tags/coverage"
	"github.com/plexsphere/function-cloud-tags/tags/words"
)

// maxRows is how many groups or resources a table of the page has at most.
const maxRows = 1000

// divisions are what the page counts by.
var divisions = []string{"provider", "kind", "namespace", "composite"}

// page is one file, without anything from elsewhere.
//
//go:embed page.html.tmpl
var pageText string

// A bar is how many resources of those that should have a key have it.
type bar struct {
	Group, Key, Color string
	Percent           int
	Tagged, InCloud   string
}

// A section of the page has bars, or resources that something is wrong with.
type section struct {
	Title string
	Bars  []bar
	Rows  []resourceRow
	More  int
}

type resourceRow struct{ Name, APIVersion, Composite, Why string }

// writeHTML writes the report as a page.
func (c *Command) writeHTML(out io.Writer, r *coverage.Report) error {
	var p struct {
		Summary  string
		Notes    []string
		Sections []section
	}

	p.Summary = r.Summary()

	if r.Others > 0 {
		p.Notes = append(p.Notes, fmt.Sprintf("objects that are no resources of a cloud: %d", r.Others))
	}

	for _, h := range r.Hints {
		p.Notes = append(p.Notes, c.hint(h))
	}

	all := *r.Total
	all.Name = "all"
	p.Sections = append(p.Sections, section{Title: "All resources", Bars: bars([]*coverage.Group{&all})})

	for _, d := range r.Divisions {
		n := min(len(d.Groups), maxRows)
		p.Sections = append(p.Sections, section{Title: "By " + d.By, Bars: bars(d.Groups[:n]), More: len(d.Groups) - n})
	}

	for _, l := range r.Lists {
		if n := min(len(l.Resources), maxRows); n > 0 {
			p.Sections = append(p.Sections, section{
				Title: fmt.Sprintf("%s%s: %d", strings.ToUpper(l.Name[:1]), l.Name[1:], len(l.Resources)), More: len(l.Resources) - n,
				Rows: words.Map(l.Resources[:n], func(of *coverage.Resource) resourceRow {
					return resourceRow{words.Name(of.Title()), words.Name(of.APIVersion), orDash(of.Composite), strings.Join(inShort(of, l.Name), ", ")}
				}),
			})
		}
	}

	b := &bytes.Buffer{}
	if err := template.Must(template.New("").Parse(pageText)).Execute(b, p); err != nil {
		return err
	}

	_, err := out.Write(b.Bytes())

	return err
}

// bars of the groups: of any tag, and of each key.
func bars(groups []*coverage.Group) []bar {
	var out []bar

	for _, g := range groups {
		group := orDash(g.Name)

		for i, n := range keysOf(g) {
			if i > maxKeys {
				out = append(out, bar{Key: fmt.Sprintf("… %d more", len(g.Keys)-maxKeys)})
				break
			}

			if n.Key != "" && n.Of == 0 {
				continue
			}

			b := bar{Group: group, Key: anyTag, Tagged: "-", InCloud: inCloud(n)}
			if n.Key != "" {
				b.Key = words.Name(n.Key)
			}

			if n.Of > 0 {
				b.Percent, b.Color, b.Tagged = n.Tagged*100/n.Of, rating(n), fmt.Sprintf("%d of %d", n.Tagged, n.Of)
			}

			out, group = append(out, b), ""
		}
	}

	return out
}
