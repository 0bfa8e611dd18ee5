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

// text of the value in the supplied encoding.
func (f found) text(e v1beta1.Encoding) (string, error) {
	text, ok := f.GetKind().(*structpb.Value_StringValue)

	switch {
	case !ok && (e == v1beta1.EncodingScalar || f.expression != nil):
		s, err := scalar(f.Value)
		return s, errors.Wrapf(err, "cannot take %s[%s]", f.path, f.key)
	case !ok:
		return "", errors.Errorf("%s[%s] is %s, not a string", f.path, f.key, object.KindOf(f.Value))
	case e == v1beta1.EncodingJSON:
		s, err := decodeJSON(text.StringValue)
		return s, errors.Wrapf(err, "cannot decode %s[%s]", f.path, f.key)
	default:
		return text.StringValue, nil
	}
}

// maxInteger is the greatest integer up to which 64-bit floating point numbers have all
// of them.
const maxInteger = 1 << 53

// scalar returns the JSON text of a number or a boolean, but not of a number that may have
// been another one before it became a floating point number.
func scalar(v *structpb.Value) (string, error) {
	switch k := v.GetKind().(type) {
	case *structpb.Value_BoolValue:
		return strconv.FormatBool(k.BoolValue), nil
	case *structpb.Value_NumberValue:
		if f := k.NumberValue; math.Abs(f) > maxInteger && !math.IsInf(f, 0) {
			return "", errors.Errorf("%v is beyond the integers of a 64-bit floating point number, ±2⁵³: write it as a string", f)
		}

		return number(k.NumberValue)
	default:
		return "", errors.Errorf("%s is not a string, a number or a boolean", object.KindOf(v))
	}
}

// number returns the JSON text of the supplied number.
func number(f float64) (string, error) {
	j, err := json.Marshal(f + 0) // Negative zero plus zero is zero.
	if err != nil {
		return "", errors.Errorf("%v is not a number that JSON has", f)
	}

	return string(j), nil
}

// decodeJSON returns the bare text of a JSON string, number or boolean. A number's
// is its canonical one: whole numbers keep all digits, all others are what
// encoding/json writes for their nearest 64-bit float.
func decodeJSON(text string) (string, error) {
	d := json.NewDecoder(strings.NewReader(text))
	d.UseNumber()

	var v any
	if err := d.Decode(&v); err != nil {
		return "", errors.Errorf("%.64q is not JSON", text)
	}

	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return "", errors.Errorf("%.64q is more than one JSON value", text)
	}

	switch v := v.(type) {
	case string:
		return v, nil
	case bool:
		return strconv.FormatBool(v), nil
	case json.Number:
		if !strings.ContainsAny(v.String(), ".eE") && v != "-0" {
			return v.String(), nil
		}

		f, err := v.Float64()
		if err != nil {
			return "", errors.Errorf("%s is no 64-bit floating point number", v)
		}

		return number(f)
	case nil:
		return "", errors.New("null is not a JSON string, number or boolean")
	default:
		return "", errors.Errorf("%.64q is not a JSON string, number or boolean", text)
	}
}
