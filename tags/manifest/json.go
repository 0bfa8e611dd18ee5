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

// asJSON matches the beginning of JSON: an object, or a list of anything or of texts. An object of YAML may begin with a brace,
// too, but hardly with a brace and a quote.
var asJSON = regexp.MustCompile(`^\s*(\{\s*["}]|\[(\s|\[|null\s*,)*(null\s*)?(\]|"|\{\s*["}]))`)

// maxDepth is the greatest depth of lists and objects: the limit of encoding/json.
const maxDepth = 10_000

// A jsonDecoder decodes JSON by token, so that only one item of a list is in memory at a time. After an error, it reads
// nothing.
type jsonDecoder struct {
	*decoder

	tokens *json.Decoder
	gauge  *gauge
	depth  int
	err    error
}

// json decodes the JSON values at the beginning of the text, and returns the rest of the text.
func (d *decoder) json(text io.Reader) (rest io.Reader, err error) {
	in := bufio.NewReader(text)
	if start, _ := in.Peek(4096); !asJSON.Match(start) {
		return in, nil
	}

	j := &jsonDecoder{decoder: d, gauge: &gauge{in: in}}
	j.tokens = json.NewDecoder(j.gauge)

	for {
		if err := j.value(); err != nil {
			return nil, err
		}

		d.document++

		var next [1]byte
		if j.tokens.More() { // It skips space.
			_, _ = j.tokens.Buffered().Read(next[:])
		}

		if next[0] != '{' && next[0] != '[' {
			return io.MultiReader(j.tokens.Buffered(), in), nil
		}
	}
}

// value decodes a value. The items of a list are decoded as values, one by one.
func (j *jsonDecoder) value() error {
	j.gauge.room = MaxDocument

	if t := j.token(); t == json.Delim('[') {
		j.items()
	} else if v := j.rest(t, true); j.err == nil {
		j.err = j.add(v)
	}

	return j.err
}

// items decodes the items of a list. Its bracket has been read.
func (j *jsonDecoder) items() {
	j.err = cmp.Or(j.err, j.list(func(int) bool { return j.more() }, func(int) error { return j.value() }))
	j.token()
}

// rest returns the value with the first token t. If the value may be a List, rest decodes its items as values.
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

// object returns the object. Its brace has been read. If it may be a List, object decodes its items as values.
func (j *jsonDecoder) object(mayBeList bool) *structpb.Struct { //nolint:revive // It says what the object may be.
	s := &structpb.Struct{Fields: make(map[string]*structpb.Value)}

	for j.more() {
		name, _ := j.token().(string) // The decoder admits nothing else.
		if s.GetFields()[name] != nil {
			j.fail(errors.Errorf("it has the key %q twice: leave one out", name))
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

// more reports whether the list or object goes on. After an error, it doesn't.
func (j *jsonDecoder) more() bool { return j.err == nil && j.tokens.More() }

// token returns the next token. It is an error if the text ends before it.
func (j *jsonDecoder) token() json.Token {
	if j.err != nil {
		return nil
	}

	t, err := j.tokens.Token()

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

// fail keeps the error with its line, unless there is an earlier error.
func (j *jsonDecoder) fail(err error) {
	if j.err == nil {
		ahead, _ := io.ReadAll(j.tokens.Buffered())
		j.err = errors.Wrapf(err, "line %d", j.gauge.lines-bytes.Count(ahead, []byte{'\n'})+1)
	}
}
