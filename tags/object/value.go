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

// kinds are the words of messages for values, by the number of the field that a google.protobuf.Value has. A value that
// isn't there has none.
var kinds = [...]string{0: "null", 1: "null", 2: "a number", 3: "a string", 4: "a boolean", 5: "an object", 6: "a list"}

// KindOf returns the kind of v as messages have it, such as "a string" or "an object".
func KindOf(v *structpb.Value) string {
	m := v.ProtoReflect()
	if f := m.WhichOneof(m.Descriptor().Oneofs().ByName("kind")); f != nil {
		return kinds[f.Number()]
	}

	return kinds[0]
}

// at returns err, which is about the value at the path, with the path in front.
func at(path Segments, err error) error {
	if len(path) == 0 {
		return errors.Errorf("the object %w", err)
	}

	return errors.Errorf("%s %w", path, err)
}

// IsNull reports whether v is null, or isn't there.
func IsNull(v *structpb.Value) bool { return KindOf(v) == kinds[0] }
