package migrate

import (
	"bytes"
	"io"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/crossplane/function-sdk-go/errors"

	"github.com/plexsphere/function-cloud-tags/tags/words"
)

// A file has YAML documents, and edits of its lines. All other lines stay byte for byte.
type file struct {
	lines     []string
	documents []*yaml.Node
	edits     []edit

	// noEmptyValues says that patches read no empty value.
	noEmptyValues bool
}

// An edit replaces lines[from:to] of the file.
type edit struct {
	from, to int
	with     []string
}

// parse returns the file with the text.
func parse(text []byte) (*file, error) {
	f := &file{lines: strings.SplitAfter(string(text), "\n")}

	for d := yaml.NewDecoder(bytes.NewReader(text)); ; {
		var document yaml.Node

		err := d.Decode(&document)

		switch {
		case errors.Is(err, io.EOF):
			return f, nil
		case err == nil && contains(&document, isTemplate):
			err = errors.New("a key is a map")
		}

		if err != nil {
			return nil, errors.Wrap(err, "it is not YAML; render a template first, and migrate the result")
		}

		f.documents = append(f.documents, document.Content...)
	}
}

// isTemplate reports whether the node is a map with a map as its key. YAML reads {{ .Values.region }} so.
func isTemplate(n *yaml.Node) bool {
	return n.Kind == yaml.MappingNode && len(n.Content) > 0 && n.Content[0].Kind == yaml.MappingNode
}

// text returns the text of the file with all edits.
func (f *file) text() string {
	slices.SortStableFunc(f.edits, func(a, b edit) int { return a.from - b.from })

	ending, at := "\n", 0
	if strings.HasSuffix(f.lines[0], "\r\n") {
		ending = "\r\n"
	}

	var out strings.Builder

	for _, e := range f.edits {
		if e.from < at { // An earlier edit has replaced these lines.
			continue
		}

		out.WriteString(strings.Join(f.lines[at:e.from], ""))

		if text := out.String(); len(e.with) > 0 && text != "" && !strings.HasSuffix(text, "\n") {
			out.WriteString(ending)
		}

		for _, line := range e.with {
			out.WriteString(line + ending)
		}

		at = e.to
	}

	return out.String() + strings.Join(f.lines[at:], "")
}

// indent returns the number of blanks at the beginning of the line, or -1 if the line has nothing else.
func (f *file) indent(line int) int {
	text := strings.TrimRight(f.lines[line], " \r\n")
	if text == "" {
		return -1
	}

	return len(text) - len(strings.TrimLeft(text, " "))
}

// end returns the first line after a field or an item that begins in the line. indent is the number of blanks before its key or dash: the
// field ends before the next line with as many blanks or fewer. Empty lines at its end are no part of it.
func (f *file) end(line, indent int) int {
	end := line + 1

	for i := end; i < len(f.lines); i++ {
		switch n := f.indent(i); {
		case n > indent:
			end = i + 1
		case n >= 0:
			return end
		}
	}

	return end
}

// comments returns the first line of the comment right above the line, at the same indentation, or the line itself.
func (f *file) comments(line, indent int) int {
	for line > 0 && f.indent(line-1) == indent && f.lines[line-1][indent] == '#' {
		line--
	}

	return line
}

// An item of a list in block style has the lines from up to to. comment is the first line of the comment above it, and dash the column of
// its dash.
type item struct{ comment, from, to, dash int }

// itemOf returns the item of a list that the node is. It returns false if its first line has anything before it, as in "- - a".
func (f *file) itemOf(n *yaml.Node) (item, bool) {
	before := f.lines[n.Line-1][:min(n.Column-1, len(f.lines[n.Line-1]))]
	dash := strings.IndexByte(before, '-')

	if dash < 0 || strings.Trim(before[:dash], " ") != "" || strings.Trim(before[dash+1:], " ") != "" {
		return item{}, false
	}

	from := n.Line - 1

	return item{comment: f.comments(from, dash), from: from, to: f.end(from, dash), dash: dash}, true
}

// cutLines cuts lines. If the lines before and after are empty, one of these goes, too.
func (f *file) cutLines(from, to int) {
	if from > 0 && f.indent(from-1) < 0 && to < len(f.lines)-1 && f.indent(to) < 0 {
		to++
	}

	f.edits = append(f.edits, edit{from: from, to: to})
}

// cutField cuts the field with this key and its list. A field in the line of a dash, such as "- patches:", becomes an empty list,
// since the dash must stay.
func (f *file) cutField(key *yaml.Node) {
	line, indent := key.Line-1, key.Column-1
	to := f.end(line, indent)

	for to < len(f.lines) && f.indent(to) == indent && strings.HasPrefix(f.lines[to][indent:], "- ") { // The dashes of a list may be below the key itself.
		to = f.end(to, indent)
	}

	if before := f.lines[line][:indent]; strings.TrimLeft(before, " ") != "" {
		f.edits = append(f.edits, edit{from: line, to: to, with: []string{before + key.Value + ": []"}})
		return
	}

	f.cutLines(f.comments(line, indent), to)
}

// commentsOf returns the comments of the nodes, and of all nodes within, each once.
func commentsOf(nodes ...*yaml.Node) (out []string) {
	for _, n := range nodes {
		for line := range strings.Lines(n.HeadComment + "\n" + n.LineComment + "\n" + n.FootComment) {
			if line = strings.TrimSpace(line); line != "" {
				out = append(out, line)
			}
		}

		out = append(out, commentsOf(n.Content...)...)
	}

	return words.Distinct(out)
}

// field returns the value of the field a.b of n for the names a and b, or none if there is no such field.
func field(n *yaml.Node, names ...string) *yaml.Node {
	for _, name := range names {
		_, n = pair(n, name)
	}

	return n
}

// none stands for a node that isn't there.
var none = &yaml.Node{}

// pair returns the key node with the name, and its value. It returns none twice if n is no object with this key.
func pair(n *yaml.Node, name string) (key, value *yaml.Node) {
	if n.Kind == yaml.MappingNode {
		for pair := range slices.Chunk(n.Content, 2) {
			if pair[0].Value == name {
				return pair[0], pair[1]
			}
		}
	}

	return none, none
}

// text returns the scalar at the field with these names, or an empty text if there is none.
func text(n *yaml.Node, names ...string) string {
	if n = field(n, names...); n.Kind != yaml.ScalarNode {
		return ""
	}

	return n.Value
}

// items returns the items of the list at the field with these names.
func items(n *yaml.Node, names ...string) []*yaml.Node {
	if n = field(n, names...); n.Kind != yaml.SequenceNode {
		return nil
	}

	return n.Content
}

// contains reports whether f returns true for the node, or for any node within.
func contains(n *yaml.Node, f func(*yaml.Node) bool) bool {
	return f(n) || slices.ContainsFunc(n.Content, func(n *yaml.Node) bool { return contains(n, f) })
}
