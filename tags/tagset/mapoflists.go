package tagset

import (
	"github.com/plexsphere/function-cloud-tags/tags/object"
)

// mapOfLists is a map of keys to lists of values. A tag that we write has one value. One that has
// several has none that could be one of a tag.
type mapOfLists struct{ tagMap }

func (m *mapOfLists) read(n object.Node) ([]Entry, error) {
	out, err := m.tagMap.read(n)

	for i := range out {
		item := out[i].Item

		switch {
		case !item.IsList() && !item.IsNull(): // No list: left as it is.
		case item.IsEmpty():
			out[i].Value = object.Node{}
		case item.Len() == 1:
			for value := range item.Items() {
				out[i].Value = value
			}
		}
	}

	return out, err
}

// take the value, and what another system has in its place as it is.
func (m *mapOfLists) take(old *Entry, e Entry) Entry {
	item := e.Item
	e = m.tagMap.take(old, e)

	if e.Item = item; !item.IsThere() {
		e.Item = object.ListNode([]object.Node{e.Value})
	}

	return e
}
