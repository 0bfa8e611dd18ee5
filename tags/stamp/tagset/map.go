package tagset

import (
	"slices"
	"strings"

	"google.golang.org/protobuf/types/known/structpb"

	"github.com/crossplane/function-sdk-go/errors"

	"github.com/plexsphere/function-cloud-tags/tags/field"
	"github.com/plexsphere/function-cloud-tags/tags/object"
)

// tagMap is a map of tags: of keys to values.
type tagMap struct {
	field *field.Field
	keys  *Keys
}

func (m tagMap) read(v *structpb.Value) ([]Entry, error) {
	if v != nil && v.GetStructValue() == nil {
		return nil, errors.Errorf("%s is %s, not a map of tags", m.field.Path, object.KindOf(v))
	}

	fields := v.GetStructValue().GetFields()
	out := make([]Entry, 0, len(fields))

	for name, value := range fields {
		out = append(out, Entry{ID: m.keys.ID(name), Key: name, Value: value, Item: value})
	}

	slices.SortFunc(out, func(a, b Entry) int { return strings.Compare(a.Key, b.Key) })

	return out, nil
}

func (m tagMap) write(entries []*Entry) *structpb.Value {
	fields := make(map[string]*structpb.Value, len(entries))
	for _, e := range entries {
		fields[e.Key] = e.Item
	}

	return structpb.NewStructValue(&structpb.Struct{Fields: fields})
}

// spell a key as the map has it: the name of a field can't change without the value.
func (m tagMap) spell(old *Entry, _ string) string { return old.Key }

func (m tagMap) make(_ *Entry, key, value string) Entry {
	v := text(value)
	return Entry{Key: key, Value: v, Item: v}
}

func (m tagMap) adopt(old *Entry, of []Entry) []Entry {
	key := of[0].Key
	if old != nil {
		key = old.Key
	}

	return []Entry{m.make(old, key, of[0].Value.GetStringValue())}
}
