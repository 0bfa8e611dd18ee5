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

	"github.com/plexsphere/function-cloud-tags/input/v1beta1"
	"github.com/plexsphere/function-cloud-tags/tags/structpath"
)

// get returns the value at the supplied path of the composite resource, or nil if
// there is none.
func (r *resolver) get(path string, required bool) (*structpb.Value, error) {
	v, err := structpath.Get(r.xr, path)
	if err == nil && v == nil && required {
		return nil, errors.Errorf("%s is required, but %s doesn't have it", path, compositeResource)
	}

	return v, err
}

// string returns the supplied string, or an empty one if it isn't given, or isn't
// there and not required.
func (r *resolver) string(s *v1beta1.StringSource, required bool) (string, error) {
	if s == nil {
		return "", nil
	}

	if s.Value != nil {
		return *s.Value, nil
	}

	v, err := r.get(*s.FromFieldPath, required)
	if err != nil || v == nil {
		return "", err
	}

	text, ok := v.GetKind().(*structpb.Value_StringValue)

	switch {
	case !ok:
		return "", errors.Errorf("%s is %s, not a string", *s.FromFieldPath, structpath.KindOf(v))
	case text.StringValue == "" && required:
		return "", errors.Errorf("%s is empty", *s.FromFieldPath)
	default:
		return text.StringValue, nil
	}
}

// stringMap returns the supplied map, or nil if it isn't given, or isn't there and
// not required.
func (r *resolver) stringMap(m *v1beta1.MapSource, required bool) (map[string]string, error) {
	if m == nil {
		return nil, nil //nolint:nilnil // Absent is neither a map nor an error.
	}

	if m.Value != nil {
		return m.Value, nil
	}

	v, err := r.get(*m.FromFieldPath, required)
	if err != nil || v == nil {
		return nil, err
	}

	return structpath.StringMap(v, *m.FromFieldPath)
}

// objectAt returns the fields of the object at the supplied path of another one, whose
// name in messages is given, or nil if there is no such field.
func objectAt(o *structpb.Struct, path, of string) (map[string]*structpb.Value, error) {
	v, err := structpath.Get(o, path)
	if err != nil {
		return nil, errors.Errorf("%s%w", of, err)
	}

	if v == nil {
		return nil, nil //nolint:nilnil // Absent is neither a map nor an error.
	}

	at, ok := v.GetKind().(*structpb.Value_StructValue)
	if !ok {
		return nil, errors.Errorf("%s%s is %s, not a map of strings", of, path, structpath.KindOf(v))
	}

	if at.StructValue.GetFields() == nil {
		return map[string]*structpb.Value{}, nil
	}

	return at.StructValue.GetFields(), nil
}

// keyPatterns returns the list of key patterns at the supplied path of the supplied
// object, whose name in messages is given, or nil if there is no such field. The
// supplied function says what is wrong with a pattern.
func keyPatterns(o *structpb.Struct, path, of string, invalid func(pattern string) string) ([]string, error) {
	v, err := structpath.Get(o, path)
	if err != nil {
		return nil, errors.Errorf("%s%w", of, err)
	}

	if v == nil {
		return nil, nil
	}

	l, ok := v.GetKind().(*structpb.Value_ListValue)
	if !ok {
		return nil, errors.Errorf("%s%s is %s, not a list of strings", of, path, structpath.KindOf(v))
	}

	out := make([]string, len(l.ListValue.GetValues()))

	for i, item := range l.ListValue.GetValues() {
		s, ok := item.GetKind().(*structpb.Value_StringValue)
		if !ok {
			return nil, errors.Errorf("%s%s[%d] is %s, not a string", of, path, i, structpath.KindOf(item))
		}

		if why := invalid(s.StringValue); why != "" {
			return nil, errors.Errorf("%s%s[%d] %q: %s", of, path, i, s.StringValue, why)
		}

		out[i] = s.StringValue
	}

	return out, nil
}

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
		return "", errors.Errorf("%s is not a string, a number or a boolean", structpath.KindOf(v))
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
