package tagset

import (
	"iter"
	"maps"

	"google.golang.org/protobuf/types/known/structpb"

	"github.com/crossplane/function-sdk-go/errors"

	"github.com/plexsphere/function-cloud-tags/tags/field"
	"github.com/plexsphere/function-cloud-tags/tags/object"
)

// keyValues are a list of objects, each with a key, a value, and maybe more.
type keyValues struct {
	field *field.Field
	keys  *Keys
}

func (l keyValues) read(n object.Node) ([]Entry, error) {
	items, err := itemsOf(n, l.field)
	out := make([]Entry, len(items), max(len(items), l.keys.tags))

	for i, item := range items {
		if item.GetStructValue() == nil {
			return nil, errors.Errorf("%s[%d] is %s, not an object with a tag", l.field.Path, i, object.KindOf(item))
		}

		e := Entry{Item: item, Opaque: true}
		fields := item.GetStructValue().GetFields()

		// An entry without a key is no tag.
		if key, ok := fields[l.field.Key].GetKind().(*structpb.Value_StringValue); ok {
			e.ID, e.Key, e.Opaque = l.keys.ID(key.StringValue), key.StringValue, false
		}

		// The API server drops null.
		if value := fields[l.field.Value]; !object.IsNull(value) {
			e.Value = value
		}

		out[i] = e
	}

	return out, err
}

func (l keyValues) write(entries iter.Seq[*Entry], n int) *structpb.Value { return listOf(entries, n) }

// take the key and the value and, from another system, what else that says of its tag, as
// far as we know the field.
func (l keyValues) take(old *Entry, e Entry) Entry {
	others := l.field.Extra
	if old != nil {
		others = old.Item.GetStructValue().GetFields()
	}

	fields := make(map[string]*structpb.Value, len(others)+2)
	maps.Copy(fields, others)

	theirs := e.Item.GetStructValue().GetFields()

	for name := range l.field.Extra {
		if v := theirs[name]; !object.IsNull(v) {
			fields[name] = v
		}
	}

	fields[l.field.Key] = structpb.NewStringValue(e.Key)
	if theirs == nil || old == nil || !IsText(old.Value, e.Value.GetStringValue()) {
		fields[l.field.Value] = e.text()
	}

	e.Item = structpb.NewStructValue(&structpb.Struct{Fields: fields})

	return e
}

// itemsOf the value n of a tag field that is a list.
func itemsOf(n object.Node, f *field.Field) ([]*structpb.Value, error) {
	if n.IsThere() && !n.IsList() {
		return nil, errors.Errorf("%s is %s, not a list of tags", f.Path, n.Kind())
	}

	return n.Value().GetListValue().GetValues(), nil
}

// listOf the items of so many entries.
func listOf(entries iter.Seq[*Entry], n int) *structpb.Value {
	items := make([]*structpb.Value, 0, n)
	for e := range entries {
		items = append(items, e.Item)
	}

	return structpb.NewListValue(&structpb.ListValue{Values: items})
}
