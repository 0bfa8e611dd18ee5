package tagset

import (
	"github.com/plexsphere/function-cloud-tags/tags/object"
)

// mapOfLists is a map of keys to lists of values: {env: [prod]}. A tag of a label has one value. A key with several
// values has no value that a label could have.
type mapOfLists struct{ tagMap }

// read returns an entry for each key of the map: {env: [prod]} is the tag env: prod, and {env: [prod, test]} has a list
// as its value.
func (m *mapOfLists) read(n object.Node) ([]Entry, error) {
	out, err := m.tagMap.read(n)

	for i := range out {
		item := out[i].Item

		switch {
		case !item.IsList() && !item.IsNull(): // A value that is no list stays.
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

// take the value of e, or another system's list as it is.
func (m *mapOfLists) take(old *Entry, e Entry) Entry {
	item := e.Item
	e = m.tagMap.take(old, e)

	if e.Item = item; !item.IsThere() {
		e.Item = object.ListNode([]object.Node{e.Value})
	}

	return e
}
