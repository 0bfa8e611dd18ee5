package tagset

import (
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

func (l keyValues) read(v *structpb.Value) ([]Entry, error) {
	items, err := itemsOf(v, l.field)
	out := make([]Entry, len(items))

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

func (l keyValues) write(entries []*Entry) *structpb.Value { return listOf(entries) }

func (l keyValues) spell(_ *Entry, key string) string { return key }

func (l keyValues) make(old *Entry, key, value string) Entry {
	e := Entry{Key: key, Value: text(value)}

	fields := l.fieldsOf(old)
	fields[l.field.Key], fields[l.field.Value] = text(key), e.Value
	e.Item = structpb.NewStructValue(&structpb.Struct{Fields: fields})

	return e
}

// adopt what else the other system says of its tag, too, as far as we know the field.
func (l keyValues) adopt(old *Entry, of []Entry) []Entry {
	e := of[0]
	theirs, fields := e.Item.GetStructValue().GetFields(), l.fieldsOf(old)

	for name := range l.field.Extra {
		if v := theirs[name]; !object.IsNull(v) {
			fields[name] = v
		}
	}

	fields[l.field.Key] = text(e.Key)
	if value := e.Value.GetStringValue(); old == nil || !IsText(old.Value, value) {
		fields[l.field.Value] = text(value)
	}

	e.Item = structpb.NewStructValue(&structpb.Struct{Fields: fields})

	return []Entry{e}
}

// fieldsOf an entry that takes the place of the supplied one, or that is a new one.
func (l keyValues) fieldsOf(old *Entry) map[string]*structpb.Value {
	others := l.field.Extra
	if old != nil {
		others = old.Item.GetStructValue().GetFields()
	}

	fields := make(map[string]*structpb.Value, len(others)+2)
	maps.Copy(fields, others)

	return fields
}

// itemsOf the supplied value of a tag field that is a list.
func itemsOf(v *structpb.Value, f *field.Field) ([]*structpb.Value, error) {
	if v != nil && v.GetListValue() == nil {
		return nil, errors.Errorf("%s is %s, not a list of tags", f.Path, object.KindOf(v))
	}

	return v.GetListValue().GetValues(), nil
}

func listOf(entries []*Entry) *structpb.Value {
	items := make([]*structpb.Value, len(entries))
	for i, e := range entries {
		items[i] = e.Item
	}

	return structpb.NewListValue(&structpb.ListValue{Values: items})
}
