package tagset

import "github.com/plexsphere/function-cloud-tags/tags/object"

// mapOfLists is the shape of a map of keys to lists of values, such as {env: [prod]}. A label's tag has one value.
type mapOfLists struct{ tagMap }

// read returns an entry for each key of the map. {env: [prod]} is the tag env: prod. In {env: [prod, test]}, the value of
// the tag env is the list: no label can have this value.
func (m *mapOfLists) read(n object.Node) ([]Entry, error) {
	entries, err := m.tagMap.read(n)

	for i := range entries {
		item := entries[i].Item

		switch {
		case !item.IsList() && !item.IsNull():
			// The map has another value than a list. It stays the value of the tag.
		case item.IsEmpty():
			// Null and an empty list are no value.
			entries[i].Value = object.Node{}
		case item.Len() == 1:
			for value := range item.Items() {
				entries[i].Value = value
			}
		}
	}

	return entries, err
}

// adapt returns e as the field of a map. A label's entry gets a list of its value, and an entry of another field keeps its
// list.
func (m *mapOfLists) adapt(old *Entry, e Entry) Entry {
	list := e.Item
	e = m.tagMap.adapt(old, e)

	if !list.IsThere() {
		list = object.ListNode([]object.Node{e.Value})
	}

	e.Item = list

	return e
}
