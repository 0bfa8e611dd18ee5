package tagset

import (
	"iter"
	"maps"
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

	// others are the labels and annotations of Kubernetes that are no tags.
	others map[string]*structpb.Value
}

func (m *tagMap) read(n object.Node) ([]Entry, error) {
	if n.IsThere() && !n.IsObject() {
		return nil, errors.Errorf("%s is %s, not a map of %ss", m.field.Path, n.Kind(), m.keys.Profile.Noun())
	}

	out := make([]Entry, 0, max(n.Len(), m.keys.tags))

	for name, value := range n.Fields() {
		key, v := string(name), value.Value()

		if m.field.IsOthers(name) || m.keys.Metadata != "" && object.IsPrivate(key) {
			if m.others == nil {
				m.others = make(map[string]*structpb.Value)
			}

			m.others[key] = v

			continue
		}

		out = append(out, Entry{ID: m.keys.ID(key), Key: key, Value: v, Item: v})
	}

	slices.SortFunc(out, func(a, b Entry) int { return strings.Compare(a.Key, b.Key) })

	return out, nil
}

func (m *tagMap) write(entries iter.Seq[*Entry], n int) *structpb.Value {
	fields := make(map[string]*structpb.Value, n+len(m.others))
	maps.Copy(fields, m.others)

	for e := range entries {
		fields[e.Key] = e.Item
	}

	return structpb.NewStructValue(&structpb.Struct{Fields: fields})
}

// take the value. The name of a field stays as it is, if it may.
func (m *tagMap) take(old *Entry, e Entry) Entry {
	e.Value = e.text()
	e.Item = e.Value

	if old != nil && !e.Exact {
		e.Key = old.Key
	}

	return e
}
