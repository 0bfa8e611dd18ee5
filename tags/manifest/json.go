package manifest

import (
	"bufio"
	"bytes"
	"encoding/json"
	"io"
	"regexp"

	"google.golang.org/protobuf/types/known/structpb"

	"github.com/crossplane/function-sdk-go/errors"
)

// asJSON matches the beginning of text that is JSON: an object, or a list of any or of texts. An object of
// YAML can begin with a brace, too, but hardly with one and a quote.
var asJSON = regexp.MustCompile(`^\s*(\{\s*["}]|\[(\s|\[|null\s*,)*(null\s*)?(\]|"|\{\s*["}]))`)

// maxDepth is how deep lists and objects of JSON may be nested: the limit of encoding/json.
const maxDepth = 10_000

// A jsonDecoder decodes values of JSON by token, so that it has one item of a list in memory at a time.
type jsonDecoder struct {
	*json.Decoder
	*decoder

	gauge *gauge
	depth int
}

// json decodes the JSON values that the text begins with, and returns the rest of it.
func (d *decoder) json(text io.Reader) (rest io.Reader, err error) {
	in := bufio.NewReader(text)
	if start, _ := in.Peek(4096); !asJSON.Match(start) {
		return in, nil
	}

	j := &jsonDecoder{decoder: d, gauge: &gauge{in: in, room: MaxDocument}}
	j.Decoder = json.NewDecoder(j.gauge)

	for {
		if err := j.value(); err != nil {
			return nil, err
		}

		d.document++

		var next [1]byte
		if j.More() { // It skips space.
			_, _ = j.Buffered().Read(next[:])
		}

		if next[0] != '{' && next[0] != '[' {
			return io.MultiReader(j.Buffered(), in), nil
		}
	}
}

// value decodes a value. Of a list it decodes each item as a value.
func (j *jsonDecoder) value() error {
	j.gauge.room = MaxDocument

	t, err := j.token()
	if err != nil {
		return err
	}

	if t == json.Delim('[') {
		return j.items()
	}

	v, err := j.rest(t, j.items)
	if err != nil {
		return err
	}

	return j.add(v)
}

// items decodes the items of the list that has begun.
func (j *jsonDecoder) items() error {
	if err := j.list(func(int) bool { return j.More() }, func(int) error { return j.value() }); err != nil {
		return err
	}

	_, err := j.token()

	return err
}

// rest decodes the value that begins with the token t. If items isn't nil, it decodes the items of a List.
func (j *jsonDecoder) rest(t json.Token, items func() error) (*structpb.Value, error) {
	switch t {
	case json.Delim('{'):
		return j.object(items)
	case json.Delim('['):
		l := &structpb.ListValue{}

		for j.More() {
			v, err := j.next()
			if err != nil {
				return nil, err
			}

			l.Values = append(l.Values, v)
		}

		_, err := j.token()

		return structpb.NewListValue(l), err
	default:
		return structpb.NewValue(t)
	}
}

// next decodes the value that comes next.
func (j *jsonDecoder) next() (*structpb.Value, error) {
	t, err := j.token()
	if err != nil {
		return nil, err
	}

	return j.rest(t, nil)
}

// object decodes the fields of the object that has begun. If items isn't nil, it decodes the list in the field items.
func (j *jsonDecoder) object(items func() error) (*structpb.Value, error) {
	s := &structpb.Struct{Fields: make(map[string]*structpb.Value)}

	for j.More() {
		key, err := j.token()
		if err != nil {
			return nil, err
		}

		name, _ := key.(string) // The decoder admits nothing else.
		if s.GetFields()[name] != nil {
			return nil, j.at(errors.Errorf("it has the key %q twice", name))
		}

		t, err := j.token()
		if err != nil {
			return nil, err
		}

		if items != nil && name == "items" && t == json.Delim('[') {
			s.Fields[name], err = structpb.NewListValue(&structpb.ListValue{}), items()
		} else {
			s.Fields[name], err = j.rest(t, nil)
		}

		if err != nil {
			return nil, err
		}
	}

	_, err := j.token()

	return structpb.NewStructValue(s), err
}

// token returns the next token. The text must not end before it.
func (j *jsonDecoder) token() (json.Token, error) {
	t, err := j.Token()

	switch {
	case errors.Is(err, io.EOF):
		return nil, j.at(io.ErrUnexpectedEOF)
	case err != nil:
		return nil, j.at(err)
	case t == json.Delim('{'), t == json.Delim('['):
		j.depth++
	case t == json.Delim('}'), t == json.Delim(']'):
		j.depth--
	}

	if j.depth > maxDepth {
		return nil, j.at(errors.Errorf("it is nested deeper than %d times", maxDepth))
	}

	return t, nil
}

// at says in which line the error is.
func (j *jsonDecoder) at(err error) error {
	ahead, _ := io.ReadAll(j.Buffered())
	return errors.Wrapf(err, "line %d", j.gauge.lines-bytes.Count(ahead, []byte{'\n'})+1)
}
