package tagset

import (
	"google.golang.org/protobuf/types/known/structpb"

	"github.com/plexsphere/function-cloud-tags/tags/object"
)

// mapOfLists is a map of keys to lists of values. A tag that we write has one value. One that has
// several has none that could be one of a tag.
type mapOfLists struct{ tagMap }

func (m *mapOfLists) read(n object.Node) ([]Entry, error) {
	out, err := m.tagMap.read(n)

	for i := range out {
		values := out[i].Item.GetListValue().GetValues()

		switch {
		case out[i].Item.GetListValue() == nil && !object.IsNull(out[i].Item): // No list: left as it is.
		case len(values) == 0:
			out[i].Value = nil
		case len(values) == 1:
			out[i].Value = values[0]
		}
	}

	return out, err
}

// take the value, and what another system has in its place as it is.
func (m *mapOfLists) take(old *Entry, e Entry) Entry {
	item := e.Item
	e = m.tagMap.take(old, e)

	if e.Item = item; item == nil {
		e.Item = structpb.NewListValue(&structpb.ListValue{Values: []*structpb.Value{e.Value}})
	}

	return e
}
