package manifest

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"math"
	"regexp"
	"strconv"
	"unicode/utf8"

	goyaml "go.yaml.in/yaml/v2"
	"google.golang.org/protobuf/types/known/structpb"

	"github.com/crossplane/function-sdk-go/errors"
)

// yaml decodes all of the text. YAML has other separators of documents than lines of ---, and a parser that reads one document
// stops at its end, so the text may go on after it.
func (d *decoder) yaml(text io.Reader) error {
	y := goyaml.NewDecoder(text)
	y.SetStrict(true)

	for n := 0; ; n++ {
		var document any

		err := y.Decode(&document)

		switch {
		case errors.Is(err, io.EOF):
			return nil
		case err != nil && n > 0:
			return errors.Wrap(err, "it goes on after the end of a document: write --- between documents")
		case err != nil:
			return err
		}

		v, err := valueOf(document)
		if err == nil {
			err = d.add(v)
		}

		if err != nil {
			return err
		}

		d.document++
	}
}

// valueOf returns the value of JSON for a value of YAML.
func valueOf(yaml any) (_ *structpb.Value, err error) {
	switch y := yaml.(type) {
	case map[any]any:
		s := &structpb.Struct{Fields: make(map[string]*structpb.Value, len(y))}

		for k, value := range y {
			key, err := keyOf(k)
			if err != nil {
				return nil, err
			}

			if s.GetFields()[key] != nil {
				return nil, errors.Errorf("it has the key %q twice: leave one out", key)
			}

			if s.Fields[key], err = valueOf(value); err != nil {
				return nil, err
			}
		}

		return structpb.NewStructValue(s), nil
	case []any:
		l := &structpb.ListValue{Values: make([]*structpb.Value, len(y))}

		for i, item := range y {
			if l.Values[i], err = valueOf(item); err != nil {
				return nil, err
			}
		}

		return structpb.NewListValue(l), nil
	case string:
		return structpb.NewStringValue(y), textError(y)
	case float64:
		if math.IsInf(y, 0) || math.IsNaN(y) {
			return nil, errors.Errorf("it has %v, which is no number in JSON: write it in quotes", y)
		}
	}

	return structpb.NewValue(yaml)
}

// keyOf returns the key of JSON for a key of YAML, which may be a number or a boolean.
func keyOf(key any) (string, error) {
	switch k := key.(type) {
	case nil:
		return "", errors.New("it has a key that is null: write it in quotes")
	case float64:
		return strconv.FormatFloat(k, 'g', -1, 32), nil // As sigs.k8s.io/yaml has it.
	case string:
		return k, textError(k)
	default: // An integer, or a boolean.
		return fmt.Sprint(k), nil
	}
}

// textError returns an error if the text is binary data.
func textError(text string) error {
	if utf8.ValidString(text) {
		return nil
	}

	return errors.Errorf("it has binary data that is no text, so leave it out: %q", text)
}

// minLongList is the least size of Lists that are read by item, in bytes of YAML. Decoded YAML takes up to 30 times the memory
// of its text.
const minLongList = 1 << 20

// asLongList matches the beginning of a List as kubectl prints it: the dash of an item begins its line.
var asLongList = regexp.MustCompile(`^(---[ \t]*\r?\n)?(\w+:[ \t][^\r\n|>&]*\r?\n)*items:[ \t]*\r?\n- `)

// isLongList reports whether the lines begin with a List of YAML that must be read by item.
func isLongList(lines *bufio.Reader) bool {
	start, _ := lines.Peek(minLongList)
	return len(start) == minLongList && asLongList.Match(start) && !bytes.Contains(start, []byte("\n---"))
}

// A longList decodes a List by item. An item can't refer to an anchor in another item.
type longList struct {
	*decoder

	// text of the item at hand, and the number of its first line.
	text  []byte
	first int

	// around has the lines before and after all items.
	around []byte
}

// longList decodes the List at the beginning of the lines, up to the next document. At its end, the text around its items is
// checked.
func (d *decoder) longList(lines *bufio.Reader, g *gauge) error {
	l := &longList{decoder: d}

	for number := 1; ; number++ {
		line, err := lines.ReadBytes('\n')
		if err != nil && !errors.Is(err, io.EOF) {
			return err
		}

		if l.continues(line) {
			l.text = append(l.text, line...)
			continue
		}

		if err := l.endItem(); err != nil {
			return err
		}

		switch separates := bytes.HasPrefix(line, []byte("---")); {
		case len(line) == 0, separates && len(l.around) > 0:
			d.item = 0
			return d.yaml(bytes.NewReader(l.around))
		case separates:
		case bytes.HasPrefix(line, []byte("- ")):
			l.item++
			l.text, l.first, g.room = append(l.text, line...), number, MaxDocument-lines.Buffered()
		case bytes.HasPrefix(line, []byte("items:")):
			l.around = append(l.around, "items: []\n"...)
		default:
			l.around = append(l.around, line...)
		}
	}
}

// continues reports whether the line belongs to the item at hand.
func (l *longList) continues(line []byte) bool {
	return len(l.text) > 0 && len(line) > 0 && (line[0] == ' ' || line[0] == '#' || len(bytes.TrimSpace(line)) == 0)
}

// endItem decodes the item at hand, if there is one.
func (l *longList) endItem() error {
	if len(l.text) == 0 {
		return nil
	}

	var items []any

	if err := goyaml.UnmarshalStrict(l.text, &items); err != nil {
		// The error has the number of a line.
		return goyaml.UnmarshalStrict(append(bytes.Repeat([]byte("\n"), l.first-1), l.text...), &items)
	}

	l.text = l.text[:0]

	v, err := valueOf(items)
	if err != nil {
		return err
	}

	return l.add(v)
}
