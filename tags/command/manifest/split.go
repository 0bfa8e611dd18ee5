package manifest

import (
	"bufio"
	"bytes"
	"encoding/json"
	"io"
	"strings"

	"github.com/crossplane/function-sdk-go/errors"
)

// mark is what some files begin with: the mark of their byte order.
var mark = []byte("\ufeff")

// A splitter splits text into what can be decoded on its own.
type splitter struct {
	in *bufio.Reader

	// emit a chunk. It returns false if nobody wants more.
	emit func(chunk) bool

	// document and item that are read, from 1. Item is 0 outside of lists.
	document, item int

	// text of the document or the item of YAML so far.
	text []byte

	// where in a YAML document the splitter is, and how far the items of a list there are
	// indented.
	where  where
	indent int
}

// where in a YAML document a line is.
type where int

const (
	inDocument  where = iota
	beforeItems       // Behind the key of the items.
	inItems
	afterItems
)

// errStopped is the end of a splitter that nobody wants more of.
var errStopped = errors.New("stopped")

// split all of the text.
func (s *splitter) split() error {
	start, _ := s.in.Peek(4096)
	if bytes.HasPrefix(start, mark) {
		_, _ = s.in.Discard(len(mark))
		start = start[len(mark):]
	}

	s.document = 1

	var err error
	if isJSON(start) {
		err = s.splitJSON()
	} else {
		err = s.splitYAML()
	}

	if errors.Is(err, errStopped) {
		return nil
	}

	return err
}

// isJSON is true if text that begins like the supplied one is objects or lists of JSON. An object
// of YAML can begin with a brace, too, but hardly with one and a quote.
func isJSON(start []byte) bool {
	for {
		start = bytes.TrimSpace(start)

		switch {
		case len(start) < 2:
			return false
		case start[0] == '{':
			start = bytes.TrimSpace(start[1:])
			return len(start) > 0 && (start[0] == '"' || start[0] == '}')
		case start[0] != '[':
			return false
		}

		// Null stands for nothing.
		start = bytes.TrimSpace(start[1:])
		for bytes.HasPrefix(start, []byte("null")) {
			start = bytes.TrimSpace(start[len("null"):])
			start = bytes.TrimSpace(bytes.TrimPrefix(start, []byte(",")))
		}

		if bytes.HasPrefix(start, []byte("]")) {
			return true
		}
	}
}

// send the supplied text of the current document or item.
func (s *splitter) send(text []byte, isJSON jsonText) error {
	if !s.emit(chunk{text: text, json: bool(isJSON), item: s.item, document: s.document}) {
		return errStopped
	}

	return nil
}

// jsonText is true of text that is JSON.
type jsonText bool

// splitJSON splits JSON values that follow each other. Behind them can be documents of YAML.
func (s *splitter) splitJSON() error {
	for d := json.NewDecoder(s.in); ; s.document++ {
		t, err := d.Token()

		switch {
		case errors.Is(err, io.EOF):
			return nil
		case err != nil:
			rest := bufio.NewReaderSize(io.MultiReader(d.Buffered(), s.in), 1<<16)
			start, _ := rest.Peek(len(separator) + 1)
			if _, ok := cutMarker(start); !ok {
				return err
			}

			s.in = rest

			return s.splitYAML()
		case t == json.Delim('{'):
			err = s.splitObject(d)
		case t == json.Delim('['):
			err = s.splitItems(d)
		default:
			err = errors.Errorf("it is %v, not an object", t)
		}

		if err != nil {
			return noEnd(err)
		}
	}
}

// noEnd is the supplied error of text that must not end yet.
func noEnd(err error) error {
	if errors.Is(err, io.EOF) {
		return io.ErrUnexpectedEOF
	}

	return err
}

// splitObject splits the object that the supplied decoder is within: that, or its items.
func (s *splitter) splitObject(d *json.Decoder) error {
	var (
		text   = []byte{'{'}
		isList bool
	)

	for d.More() {
		name, err := d.Token()
		if err != nil {
			return err
		}

		if name == "items" {
			was, err := s.splitField(d)
			if err != nil {
				return err
			}

			isList = isList || was

			continue
		}

		var value json.RawMessage
		if err := d.Decode(&value); err != nil {
			return err
		}

		if isList {
			continue
		}

		if len(text) > 1 {
			text = append(text, ',')
		}

		j, _ := json.Marshal(name) //nolint:errchkjson // It is a string.
		text = append(append(append(text, j...), ':'), value...)
	}

	if _, err := d.Token(); err != nil || isList {
		return err
	}

	return s.send(append(text, '}'), true)
}

// splitField splits the value of the field that has items, if it is a list. What isn't one has no
// tags, and is left out.
func (s *splitter) splitField(d *json.Decoder) (isList bool, err error) {
	t, err := d.Token()
	if err != nil {
		return false, err
	}

	if t == json.Delim('[') {
		return true, s.splitItems(d)
	}

	for depth := 0; ; {
		switch t {
		case json.Delim('{'), json.Delim('['):
			depth++
		case json.Delim('}'), json.Delim(']'):
			depth--
		}

		if depth == 0 {
			return false, nil
		}

		if t, err = d.Token(); err != nil {
			return false, err
		}
	}
}

// splitItems splits the list that the supplied decoder is within into its items.
func (s *splitter) splitItems(d *json.Decoder) error {
	for s.item = 1; d.More(); s.item++ {
		var value json.RawMessage
		if err := d.Decode(&value); err != nil {
			return err
		}

		if err := s.send(value, true); err != nil {
			return err
		}
	}

	s.item = 0

	_, err := d.Token()

	return err
}

// separator of YAML documents, and what ends one.
const (
	separator = "---"
	ending    = "..."
)

// cutMarker returns what stands behind the separator or the end of a document that the supplied line
// begins with. It is the beginning of the next document. If there is neither it returns the line.
func cutMarker(line []byte) (rest []byte, ok bool) {
	if !bytes.HasPrefix(line, []byte(separator)) && !bytes.HasPrefix(line, []byte(ending)) {
		return line, false
	}

	behind := line[len(separator):]
	rest = bytes.TrimLeft(behind, " \t\r\n")

	switch isWhole := bytes.HasSuffix(line, []byte("\n")); {
	case len(rest) > 0 && rest[0] == '#' && isWhole:
		return nil, true
	case len(rest) == len(behind) && len(rest) > 0 && rest[0] != '#':
		return line, false
	default:
		return rest, true
	}
}

// splitYAML splits documents of YAML.
func (s *splitter) splitYAML() error {
	for {
		line, err := s.in.ReadSlice('\n')
		if err != nil && !errors.Is(err, io.EOF) && !errors.Is(err, bufio.ErrBufferFull) {
			return err
		}

		line, ok := cutMarker(line)
		if ok {
			if err := s.endDocument(); err != nil {
				return err
			}
		}

		// What is longer than the buffer goes on in the same way as it began.
		if err := s.addLine(line); err != nil {
			return err
		}

		for errors.Is(err, bufio.ErrBufferFull) {
			line, err = s.in.ReadSlice('\n')
			if err := s.add(line); err != nil {
				return err
			}
		}

		if errors.Is(err, io.EOF) {
			return s.endDocument()
		}
	}
}

// addLine adds the supplied line, or its beginning, to what it is of.
func (s *splitter) addLine(line []byte) error {
	text := bytes.TrimSpace(line)
	isNothing := len(text) == 0 || text[0] == '#'
	indent := len(line) - len(bytes.TrimLeft(line, " "))
	isItem := !isNothing && text[0] == '-' && (len(text) == 1 || text[1] == ' ')

	switch {
	case isNothing:
	case s.where == inDocument && string(bytes.TrimRight(line, " \r\n")) == "items:":
		s.where = beforeItems
	case s.where == beforeItems && isItem:
		s.where, s.indent, s.item = inItems, indent, 1
		s.text = nil
	case s.where == beforeItems:
		s.where = inDocument
	case s.where == inItems && isItem && indent == s.indent:
		if err := s.endItem(); err != nil {
			return err
		}

		s.item++
	case s.where == inItems && indent == 0:
		if err := s.endItem(); err != nil {
			return err
		}

		s.where, s.item = afterItems, 0
	default:
		isItem = false
	}

	if err := s.add(line); err != nil {
		return err
	}

	// Without its dash an item is a document.
	if isItem && s.where == inItems {
		s.text[len(s.text)-len(line)+indent] = ' '
	}

	return nil
}

// add the supplied text to what it is of.
func (s *splitter) add(text []byte) error {
	if s.where == afterItems {
		return nil
	}

	switch {
	case len(s.text)+len(text) <= MaxDocument:
		s.text = append(s.text, text...)
		return nil
	case s.where == inItems:
		return errors.Errorf("it is larger than %d MB", MaxDocument>>20)
	default:
		return errors.Errorf("it is larger than %d MB, and no List as kubectl prints it: use -o json instead of -o yaml", MaxDocument>>20)
	}
}

// endItem ends an item of a list.
func (s *splitter) endItem() error {
	text := s.text
	s.text = make([]byte, 0, len(text)+len(text)/8)

	return s.send(text, false)
}

// endDocument ends a document, and the last item of a list that it is.
func (s *splitter) endDocument() error {
	text := s.text
	isNothing := s.where == afterItems || strings.TrimSpace(string(text)) == ""
	s.text = nil

	var err error
	if !isNothing {
		err = s.send(text, false)
	}

	if len(text) > 0 || s.where == afterItems {
		s.document++
	}

	s.where, s.item = inDocument, 0

	return err
}
