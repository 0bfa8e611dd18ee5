package resolve

import (
	"bytes"
	"encoding/json"
	"io"
	"math"
	"strconv"
	"strings"

	"google.golang.org/protobuf/types/known/structpb"

	"github.com/crossplane/function-sdk-go/errors"

	"github.com/plexsphere/function-cloud-tags/tags/object"
)

// scalar returns the text of a string, or the JSON text of a number or a boolean.
func scalar(v *structpb.Value) (string, error) {
	switch k := v.GetKind().(type) {
	case *structpb.Value_StringValue:
		return k.StringValue, nil
	case *structpb.Value_BoolValue:
		return strconv.FormatBool(k.BoolValue), nil
	case *structpb.Value_NumberValue:
		return number(k.NumberValue)
	default:
		return "", errors.Errorf("%s is not a string, a number or a boolean", object.KindOf(v))
	}
}

// maxInteger is the greatest integer up to which 64-bit floating point numbers have all
// of them.
const maxInteger = 1 << 53

// number returns the JSON text of the supplied number. A whole one is its digits, but
// not if it may have been another one before it became a floating point number.
func number(f float64) (string, error) {
	switch {
	case math.IsNaN(f) || math.IsInf(f, 0):
		return "", errors.Errorf("%v is not a number that JSON has", f)
	case math.Abs(f) > maxInteger:
		return "", errors.Errorf("%v is beyond the integers of a 64-bit floating point number, ±2⁵³: write it as a string", f)
	case f == math.Trunc(f):
		return strconv.FormatInt(int64(f), 10), nil
	default:
		j, err := json.Marshal(f)
		return string(j), errors.Wrapf(err, "cannot encode number %v", f)
	}
}

// decodeJSON returns the bare text of a JSON string, number or boolean. A number's
// is its canonical one: whole numbers keep all digits, all others are what
// encoding/json writes for their nearest 64-bit float.
func decodeJSON(text string) (string, error) {
	d := json.NewDecoder(bytes.NewBufferString(text))
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

		j, err := json.Marshal(f + 0) // Negative zero plus zero is zero.

		return string(j), errors.Wrapf(err, "cannot encode number %s", v)
	case nil:
		return "", errors.New("null is not a JSON string, number or boolean")
	default:
		return "", errors.Errorf("%.64q is not a JSON string, number or boolean", text)
	}
}
