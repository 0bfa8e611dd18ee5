// Package object reads and writes objects of the control plane, which are protobuf structs.
package object

import (
	"fmt"
	"maps"
	"slices"

	"google.golang.org/protobuf/types/known/structpb"

	"github.com/crossplane/function-sdk-go/errors"
)

// Get the value at the supplied path. A path that leads nowhere, or to null, gives
// nil. It is an error if the path leads through a value that can't have fields or
// items, e.g. a string.
func Get(s *structpb.Struct, path Path) (*structpb.Value, error) {
	v := structpb.NewStructValue(s)

	for i, sg := range path.segments {
		var err error
		if v, err = child(v, sg); err != nil {
			return nil, at(path.segments[:i], err)
		}

		if IsNull(v) {
			return nil, nil //nolint:nilnil // Absent is neither a value nor an error.
		}
	}

	return v, nil
}

// Set returns the supplied struct with the supplied value at the supplied path. A
// nil value removes what is there. The supplied struct is not changed. What lies on
// the path is copied, and all else is shared. Objects that are missing on the path
// are made, but items of lists are not.
func Set(s *structpb.Struct, path Path, v *structpb.Value) (*structpb.Struct, error) {
	return Update(s, path, func(*structpb.Value) (*structpb.Value, error) { return v, nil })
}

// Update returns the supplied struct with what the supplied function makes of the value
// at the supplied path, which is nil if there is none, as Set does. A [*] in the path
// stands for every item of a list, but for items that are null: a list that isn't there
// has none. An error of the function must go on from the name of the value. If the
// function only returns what it was given, the supplied struct itself is returned.
func Update(s *structpb.Struct, path Path, f func(*structpb.Value) (*structpb.Value, error)) (*structpb.Struct, error) {
	segments := path.segments
	if path.HasWildcard() {
		segments = slices.Clone(segments) // Items take the place of wildcards on the way.
	}

	out, err := updated(structpb.NewStructValue(s), segments, 0, f)
	if err != nil {
		return nil, err
	}

	return out.GetStructValue(), nil
}

// StringMap returns the supplied value, whose name in errors is given, as a map of
// strings.
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

// KindOf names the kind of the supplied value in the words of messages.
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

// at says where the supplied error, which is about the value at the supplied path,
// occurred.
func at(path Segments, err error) error {
	if len(path) == 0 {
		return errors.Errorf("the object %w", err)
	}

	return errors.Errorf("%s %w", path, err)
}

func child(v *structpb.Value, sg Segment) (*structpb.Value, error) {
	if sg.Type == SegmentIndex {
		l, ok := v.GetKind().(*structpb.Value_ListValue)
		if !ok {
			return nil, fmt.Errorf("is %s, not a list", KindOf(v))
		}

		if items := l.ListValue.GetValues(); uint64(sg.Index) < uint64(len(items)) {
			return items[sg.Index], nil
		}

		return nil, nil //nolint:nilnil // Absent is neither a value nor an error.
	}

	o, ok := v.GetKind().(*structpb.Value_StructValue)
	if !ok {
		return nil, fmt.Errorf("is %s, not an object", KindOf(v))
	}

	return o.StructValue.GetFields()[sg.Field], nil
}

// updated returns the supplied value, which is at the supplied depth of the supplied
// path, with what the supplied function makes of the end of the path. It is the value
// itself if nothing changes, and else a copy.
func updated(from *structpb.Value, path Segments, depth int, f func(*structpb.Value) (*structpb.Value, error)) (*structpb.Value, error) {
	if depth == len(path) {
		v, err := f(from)
		if err != nil {
			err = at(path, err)
		}

		return v, err
	}

	sg := path[depth]
	if isWildcard(sg) {
		return updatedItems(from, path, depth, f)
	}

	var old *structpb.Value

	if !IsNull(from) {
		var err error
		if old, err = child(from, sg); err != nil {
			return nil, at(path[:depth], err)
		}
	}

	v, err := updated(old, path, depth+1, f)
	if err != nil || v == old {
		return from, err
	}

	if sg.Type == SegmentField {
		fields := maps.Clone(from.GetStructValue().GetFields())
		if fields == nil {
			fields = make(map[string]*structpb.Value, 1)
		}

		if v == nil {
			delete(fields, sg.Field)
		} else {
			fields[sg.Field] = v
		}

		return structpb.NewStructValue(&structpb.Struct{Fields: fields}), nil
	}

	if IsNull(from) {
		return nil, at(path[:depth], errors.New("is null, not a list"))
	}

	if old == nil {
		return nil, at(path[:depth], fmt.Errorf("has no item %d", sg.Index))
	}

	items := slices.Clone(from.GetListValue().GetValues())
	if v == nil {
		items = slices.Delete(items, int(sg.Index), int(sg.Index)+1)
	} else {
		items[sg.Index] = v
	}

	return structpb.NewListValue(&structpb.ListValue{Values: items}), nil
}

// updatedItems is updated for all items of the supplied list.
func updatedItems(from *structpb.Value, path Segments, depth int, f func(*structpb.Value) (*structpb.Value, error)) (*structpb.Value, error) {
	if IsNull(from) {
		return from, nil
	}

	l, ok := from.GetKind().(*structpb.Value_ListValue)
	if !ok {
		return nil, at(path[:depth], fmt.Errorf("is %s, not a list", KindOf(from)))
	}

	wildcard := path[depth]
	defer func() { path[depth] = wildcard }()

	items := make([]*structpb.Value, 0, len(l.ListValue.GetValues()))
	same := true

	for i, old := range l.ListValue.GetValues() {
		v := old

		if !IsNull(old) {
			path[depth] = Segment{Type: SegmentIndex, Index: uint(i)}

			var err error
			if v, err = updated(old, path, depth+1, f); err != nil {
				return nil, err
			}
		}

		same = same && v == old

		if v != nil {
			items = append(items, v)
		}
	}

	if same {
		return from, nil
	}

	return structpb.NewListValue(&structpb.ListValue{Values: items}), nil
}

// IsNull is true if the supplied value is null, or isn't there.
func IsNull(v *structpb.Value) bool {
	switch v.GetKind().(type) {
	case nil, *structpb.Value_NullValue:
		return true
	default:
		return false
	}
}
