package manifest

import (
	"bufio"
	"bytes"
	"cmp"
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

// A jsonDecoder decodes values of JSON by token, so that it has one item of a list in memory at a time. After an error,
// it reads nothing else.
type jsonDecoder struct {
	*json.Decoder
	*decoder

	gauge *gauge
	depth int
	err   error
}

// json decodes the JSON values that the text begins with, and returns the rest of it.
func (d *decoder) json(text io.Reader) (rest io.Reader, err error) {
	in := bufio.NewReader(text)
	if start, _ := in.Peek(4096); !asJSON.Match(start) {
		return in, nil
	}

	j := &jsonDecoder{decoder: d, gauge: &gauge{in: in}}
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

	if t := j.token(); t == json.Delim('[') {
		j.items()
	} else if v := j.rest(t, true); j.err == nil {
		j.err = j.add(v)
	}

	return j.err
}

// items decodes the items of the list that has begun.
func (j *jsonDecoder) items() {
	j.err = cmp.Or(j.err, j.list(func(int) bool { return j.more() }, func(int) error { return j.value() }))
	j.token()
}

// rest returns the value that begins with the token t. It decodes the items of a List if the value may be one.
func (j *jsonDecoder) rest(t json.Token, mayBeList bool) *structpb.Value {
	switch t {
	case json.Delim('{'):
		return structpb.NewStructValue(j.object(mayBeList))
	case json.Delim('['):
		l := &structpb.ListValue{}
		for j.more() {
			l.Values = append(l.Values, j.rest(j.token(), false))
		}

		j.token()

		return structpb.NewListValue(l)
	default:
		v, err := structpb.NewValue(t)
		j.err = cmp.Or(j.err, err)

		return v
	}
}

// object returns the object that has begun. It decodes the items of a List if the object may be one.
func (j *jsonDecoder) object(mayBeList bool) *structpb.Struct { //nolint:revive // It says what the object may be.
	s := &structpb.Struct{Fields: make(map[string]*structpb.Value)}

	for j.more() {
		name, _ := j.token().(string) // The decoder admits nothing else.
		if s.GetFields()[name] != nil {
			j.fail(errors.Errorf("it has the key %q twice", name))
		}

		t := j.token()
		if mayBeList && name == "items" && t == json.Delim('[') {
			s.Fields[name] = structpb.NewListValue(&structpb.ListValue{})
			j.items()
		} else {
			s.Fields[name] = j.rest(t, false)
		}
	}

	j.token()

	return s
}

// more reports whether there is another item of the list, or another field of the object, and no error.
func (j *jsonDecoder) more() bool { return j.err == nil && j.More() }

// token returns the next token. The text must not end before it.
func (j *jsonDecoder) token() json.Token {
	if j.err != nil {
		return nil
	}

	t, err := j.Token()

	switch {
	case errors.Is(err, io.EOF):
		j.fail(io.ErrUnexpectedEOF)
	case err != nil:
		j.fail(err)
	case t == json.Delim('{'), t == json.Delim('['):
		j.depth++
	case t == json.Delim('}'), t == json.Delim(']'):
		j.depth--
	}

	if j.depth > maxDepth {
		j.fail(errors.Errorf("it is nested deeper than %d times", maxDepth))
	}

	return t
}

// fail keeps the first error, and the line that it is in.
func (j *jsonDecoder) fail(err error) {
	if j.err == nil {
		ahead, _ := io.ReadAll(j.Buffered())
		j.err = errors.Wrapf(err, "line %d", j.gauge.lines-bytes.Count(ahead, []byte{'\n'})+1)
	}
}
