package resolve

import (
	"encoding/json"
	"io"
	"math"
	"strconv"
	"strings"

	"google.golang.org/protobuf/types/known/structpb"

	"github.com/crossplane/function-sdk-go/errors"

	"github.com/plexsphere/function-cloud-tags/input/v1beta1"
	"github.com/plexsphere/function-cloud-tags/tags/object"
)

// asText returns the value of a label as text, by the encoding of the source s: 3 is "3" with Scalar, and "\"x\"" is x with JSON.
// It returns false for null, which is no label. See testdata/scalar.yaml and json.yaml.
func (f found) asText(s *v1beta1.Source) (_ string, ok bool, err error) {
	switch {
	case !f.IsString() && (s.Encoding == v1beta1.EncodingScalar || f.expression != nil):
		s, err := scalar(f.Node)
		return s, err == nil, errors.Wrapf(err, "cannot take %s[%s]", f.path, f.key)
	case !f.IsString():
		hint := ""
		if _, err := scalar(f.Node); err == nil {
			hint = ": quote it, or write encoding: Scalar"
		}

		return "", false, errors.Errorf("%s[%s] is %s, not a string%s", f.path, f.key, f.Kind(), hint)
	case s.Encoding == v1beta1.EncodingJSON:
		s, ok, err := decodeJSON(f.Text())
		return s, ok, errors.Wrapf(err, "cannot decode %s[%s]", f.path, f.key)
	default:
		return f.Text(), true, nil
	}
}

// maxInteger is the least integer that a 64-bit floating point number may stand for by mistake: 2⁵³+1 becomes 2⁵³.
const maxInteger = 1 << 53

// scalar returns the text of a number or a boolean: "3" for 3, and "true" for true. It refuses a number beyond
// maxInteger, which may have lost digits.
func scalar(n object.Node) (string, error) {
	switch k := n.Value().GetKind().(type) {
	case *structpb.Value_BoolValue:
		return strconv.FormatBool(k.BoolValue), nil
	case *structpb.Value_NumberValue:
		f := k.NumberValue
		if math.Abs(f) >= maxInteger && !math.IsInf(f, 0) {
			return "", errors.Errorf("%v is beyond the integers of a 64-bit floating point number, ±2⁵³: write it as a string", f)
		}

		j, err := json.Marshal(f + 0) // Negative zero plus zero is zero.
		if err != nil {
			return "", errors.Errorf("%v is not a number that JSON has", f)
		}

		return string(j), nil
	default:
		return "", errors.Errorf("%s is not a string, a number or a boolean", n.Kind())
	}
}

// decodeJSON returns the bare text of a JSON string, number or boolean. It returns false for
// null. A number keeps its text: 1.50 and 1.5 are different versions, for example.
func decodeJSON(text string) (_ string, ok bool, _ error) {
	d := json.NewDecoder(strings.NewReader(text))
	d.UseNumber()

	var v any
	if err := d.Decode(&v); err != nil {
		return "", false, errors.Errorf("%.64q is not JSON", text)
	}

	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return "", false, errors.Errorf("%.64q is more than one JSON value", text)
	}

	switch v := v.(type) {
	case string:
		// Package json would take a replacement character for half a surrogate pair.
		if err := (&structpb.Value{}).UnmarshalJSON([]byte(text)); err != nil {
			return "", false, errors.Errorf("%.64q has a character that is not Unicode", text)
		}

		return v, true, nil
	case bool:
		return strconv.FormatBool(v), true, nil
	case json.Number:
		return v.String(), true, nil
	case nil:
		return "", false, nil
	default:
		return "", false, errors.Errorf("%.64q is not a JSON string, number or boolean", text)
	}
}
