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

// asText returns the value of a label as text, by the encoding of the source s:
//   - Plain takes strings as they are.
//   - Scalar also takes numbers and booleans: 3 becomes "3".
//   - JSON decodes strings: "x" in quotes becomes x. If the JSON is null, there is no label, and asText returns false.
//
// An expression may compute a number or a boolean with any encoding. See testdata/scalar.yaml and json.yaml.
func (f foundValue) asText(s *v1beta1.Source) (text string, ok bool, err error) {
	switch {
	case f.IsString() && s.Encoding == v1beta1.EncodingJSON:
		text, ok, err = decodeJSON(f.Text())
		return text, ok, errors.Wrapf(err, "cannot decode %s[%s]", f.path, f.key)
	case f.IsString():
		return f.Text(), true, nil
	}

	text, err = scalarText(f.Node)

	switch {
	case s.Encoding == v1beta1.EncodingScalar || f.expression != nil:
		return text, err == nil, errors.Wrapf(err, "cannot take %s[%s]", f.path, f.key)
	case err == nil: // f is a number or a boolean.
		return "", false, errors.Errorf("%s[%s] is %s, not a string: quote it, or write encoding: Scalar", f.path, f.key, f.Kind())
	default:
		return "", false, errors.Errorf("%s[%s] is %s, not a string", f.path, f.key, f.Kind())
	}
}

// inexactInteger is 2⁵³. A 64-bit floating point number can't tell it from 2⁵³+1.
const inexactInteger = 1 << 53

// scalarText returns the text of a number or a boolean: "3" for 3, and "true" for true. It refuses numbers that may have lost
// digits: ±inexactInteger, and all numbers beyond.
func scalarText(n object.Node) (string, error) {
	switch kind := n.Value().GetKind().(type) {
	case *structpb.Value_BoolValue:
		return strconv.FormatBool(kind.BoolValue), nil
	case *structpb.Value_NumberValue:
		number := kind.NumberValue

		text, err := json.Marshal(number + 0) // Negative zero plus zero is zero.
		if err != nil {
			return "", errors.Errorf("%v is not a number that JSON has", number)
		}

		if math.Abs(number) >= inexactInteger {
			return "", errors.Errorf("%v is beyond the integers of a 64-bit floating point number, ±2⁵³: write it as a string", number)
		}

		return string(text), nil
	default:
		return "", errors.Errorf("%s is not a string, a number or a boolean", n.Kind())
	}
}

// decodeJSON returns the value of a JSON string, number or boolean as text: x for "x". It returns false for null. A number stays
// as it is written, since 1.50 and 1.5 may be different versions.
func decodeJSON(text string) (decoded string, ok bool, _ error) {
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
		// Half a surrogate pair, such as "\ud83d", is an error for structpb. Package json takes it for U+FFFD.
		if err := (&structpb.Value{}).UnmarshalJSON([]byte(text)); err != nil {
			return "", false, errors.Errorf("%.64q has a character that is not Unicode", text)
		}

		return v, true, nil
	case bool, json.Number:
		return strings.TrimSpace(text), true, nil
	case nil:
		return "", false, nil
	default:
		return "", false, errors.Errorf("%.64q is not a JSON string, number or boolean", text)
	}
}
