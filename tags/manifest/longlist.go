package manifest

import (
	"bufio"
	"bytes"
	"io"
	"regexp"

	goyaml "go.yaml.in/yaml/v2"

	"github.com/crossplane/function-sdk-go/errors"
)

// minLongList is how many bytes of YAML are read as a whole, if they are a List. Decoded YAML takes up to 30 times the
// memory of its text, so longer Lists are read by item.
const minLongList = 1 << 20

// asLongList matches the beginning of a List as kubectl prints it: its items begin at the beginning of a line.
var asLongList = regexp.MustCompile(`^(---[ \t]*\r?\n)?(\w+:[ \t][^\r\n|>&]*\r?\n)*items:[ \t]*\r?\n- `)

// isLongList is true if the lines begin with a List of YAML that is to be read by item.
func isLongList(lines *bufio.Reader) bool {
	start, _ := lines.Peek(minLongList)
	return len(start) == minLongList && asLongList.Match(start) && !bytes.Contains(start, []byte("\n---"))
}

// A longList decodes a List that is read by item. Each item is decoded alone, so that it can't refer to an anchor of
// another one.
type longList struct {
	*decoder

	// text of the item at hand, and the number of its first line.
	text  []byte
	first int

	// items so far, and the lines around them.
	items  int
	around []byte
}

// longList decodes the List that the lines begin with, up to the next document. The text around its items is checked
// at its end.
func (d *decoder) longList(lines *bufio.Reader, g *gauge) error {
	l := &longList{decoder: d}

	for number := 1; ; number++ {
		line, err := lines.ReadBytes('\n')
		if err != nil && !errors.Is(err, io.EOF) {
			return err
		}

		separates := bytes.HasPrefix(line, []byte("---"))

		switch {
		case len(line) == 0, separates && len(l.around) > 0:
			if err := l.endItem(); err != nil {
				return err
			}

			d.item = 0

			return d.yaml(bytes.NewReader(l.around))
		case separates:
		case bytes.HasPrefix(line, []byte("- ")):
			if err := l.endItem(); err != nil {
				return err
			}

			l.items++
			l.item = l.items
			l.text, l.first, g.room = append(l.text, line...), number, MaxDocument-lines.Buffered()
		case len(l.text) > 0 && (line[0] == ' ' || line[0] == '#' || len(bytes.TrimSpace(line)) == 0):
			l.text = append(l.text, line...)
		default:
			if err := l.endItem(); err != nil {
				return err
			}

			if bytes.HasPrefix(line, []byte("items:")) {
				line = []byte("items: []\n")
			}

			l.around = append(l.around, line...)
		}
	}
}

// endItem decodes the item at hand, if there is one.
func (l *longList) endItem() error {
	if len(l.text) == 0 {
		return nil
	}

	var of []any

	if err := goyaml.UnmarshalStrict(l.text, &of); err != nil {
		// The error has the number of a line.
		return goyaml.UnmarshalStrict(append(bytes.Repeat([]byte("\n"), l.first-1), l.text...), &of)
	}

	l.text = l.text[:0]

	v, err := valueOf(of)
	if err != nil {
		return err
	}

	for _, item := range v.GetListValue().GetValues() {
		if err := l.add(item); err != nil {
			return err
		}
	}

	return nil
}
