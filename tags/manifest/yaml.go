package manifest

import (
	"fmt"
	"io"
	"math"
	"strconv"
	"unicode/utf8"

	goyaml "go.yaml.in/yaml/v2"
	"google.golang.org/protobuf/types/known/structpb"

	"github.com/crossplane/function-sdk-go/errors"
)

// yaml decodes all of the text: YAML has more separators of documents than lines of ---, and a parser that
// is asked for one document stops at its end, whatever is behind it.
func (d *decoder) yaml(text io.Reader) error {
	y := goyaml.NewDecoder(text)
	y.SetStrict(true)

	for n := 0; ; n++ {
		var of any

		err := y.Decode(&of)

		switch {
		case errors.Is(err, io.EOF):
			return nil
		case err != nil && n > 0:
			return errors.Wrap(err, "it goes on behind the end of a document: documents are separated by lines of ---")
		case err != nil:
			return err
		}

		v, err := valueOf(of)
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
func valueOf(yaml any) (*structpb.Value, error) {
	switch y := yaml.(type) {
	case map[any]any:
		s := &structpb.Struct{Fields: make(map[string]*structpb.Value, len(y))}

		for k, of := range y {
			key, err := keyOf(k)
			if err != nil {
				return nil, err
			}

			if s.GetFields()[key] != nil {
				return nil, errors.Errorf("it has the key %q twice", key)
			}

			if s.Fields[key], err = valueOf(of); err != nil {
				return nil, err
			}
		}

		return structpb.NewStructValue(s), nil
	case []any:
		l := &structpb.ListValue{Values: make([]*structpb.Value, len(y))}

		for i, of := range y {
			var err error
			if l.Values[i], err = valueOf(of); err != nil {
				return nil, err
			}
		}

		return structpb.NewListValue(l), nil
	case string:
		return structpb.NewStringValue(y), textError(y)
	case float64:
		if math.IsInf(y, 0) || math.IsNaN(y) {
			return nil, errors.Errorf("it has %v, which is no number", y)
		}
	}

	return structpb.NewValue(yaml)
}

// keyOf returns the key of JSON for a key of YAML, which may be a number or a boolean.
func keyOf(key any) (string, error) {
	switch k := key.(type) {
	case nil:
		return "", errors.New("it has a key that is null")
	case float64:
		return strconv.FormatFloat(k, 'g', -1, 32), nil // As sigs.k8s.io/yaml has it.
	case string:
		return k, textError(k)
	default: // An integer, or a boolean.
		return fmt.Sprint(k), nil
	}
}

// textError returns an error if binary data in YAML is no text.
func textError(text string) error {
	if utf8.ValidString(text) {
		return nil
	}

	return errors.Errorf("it has binary data that is no text: %q", text)
}
