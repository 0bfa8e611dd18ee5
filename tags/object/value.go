package object

import (
	"maps"
	"slices"

	"google.golang.org/protobuf/types/known/structpb"

	"github.com/crossplane/function-sdk-go/errors"
)

// StringMap returns the value v as a map of strings. Errors call it by the name.
func StringMap(v *structpb.Value, name string) (map[string]string, error) {
	o, ok := v.GetKind().(*structpb.Value_StructValue)
	if !ok {
		return nil, errors.Errorf("%s is %s, not a map of strings", name, KindOf(v))
	}

	fields := o.StructValue.GetFields()
	out := make(map[string]string, len(fields))

	for _, key := range slices.Sorted(maps.Keys(fields)) {
		s, ok := fields[key].GetKind().(*structpb.Value_StringValue)
		if !ok {
			return nil, errors.Errorf("%s[%s] is %s, not a string", name, key, KindOf(fields[key]))
		}

		out[key] = s.StringValue
	}

	return out, nil
}

// KindOf names the kind of v in the words of messages.
func KindOf(v *structpb.Value) string {
	switch v.GetKind().(type) {
	case *structpb.Value_StringValue:
		return "a string"
	case *structpb.Value_NumberValue:
		return "a number"
	case *structpb.Value_BoolValue:
		return "a boolean"
	case *structpb.Value_StructValue:
		return "an object"
	case *structpb.Value_ListValue:
		return "a list"
	default:
		return "null"
	}
}

// at returns err, which is about the value at the path, with the path in front.
func at(path Segments, err error) error {
	if len(path) == 0 {
		return errors.Errorf("the object %w", err)
	}

	return errors.Errorf("%s %w", path, err)
}

// IsNull is true if v is null, or isn't there.
func IsNull(v *structpb.Value) bool {
	switch v.GetKind().(type) {
	case nil, *structpb.Value_NullValue:
		return true
	default:
		return false
	}
}
