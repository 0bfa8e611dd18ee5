package object

import (
	"errors"
	"fmt"
	"maps"
	"slices"

	"google.golang.org/protobuf/types/known/structpb"
)

// UpdateTree is what Update does, on a tree.
func UpdateTree(s *structpb.Struct, path Path, f func(*structpb.Value) (*structpb.Value, error)) (*structpb.Struct, error) {
	out, err := updated(structpb.NewStructValue(s), append(Segments(nil), path.segments...), 0, f)

	return out.GetStructValue(), err
}

func child(v *structpb.Value, sg Segment) (*structpb.Value, error) {
	if sg.IsIndex {
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

// updated returns the value from, which is at the depth of the path, with what f makes of the value
// at the end of the path. It is from itself if nothing changes, and otherwise a copy.
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

	if !sg.IsIndex {
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

// updatedItems is updated for all items of the list from.
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
			path[depth] = Segment{IsIndex: true, Index: uint(i)}

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
