package tagset

import (
	"slices"

	"github.com/crossplane/function-sdk-go/errors"

	"github.com/plexsphere/function-cloud-tags/tags/field"
	"github.com/plexsphere/function-cloud-tags/tags/object"
)

// keyValues is the shape of a list of objects, such as [{key: env, value: prod}]. The objects may have more fields.
type keyValues struct{ base }

// read returns an entry for each object. {key: env, value: prod} is the tag env: prod. An object without a key is opaque. It is an error if no
// object has a key, and one has a tag in other fields, such as {tagKey: env, tagValue: prod}: then the kind has no fields key and value.
func (l keyValues) read(n object.Node) ([]Entry, error) {
	entries, err := l.readItems(n, "an object", object.Node.IsObject, func(item object.Node) Entry {
		e := Entry{Item: item, Opaque: true}

		if key := item.Field(l.field.Key); key.IsString() {
			e.Key, e.Opaque = key.Text(), false
			e.ID = l.keys.ID(e.Key)
		}

		// The API server drops null, so null is a missing value.
		if value := item.Field(l.field.Value); !value.IsNull() {
			e.Value = value
		} else {
			e.LacksValue = !e.Opaque
		}

		return e
	})

	if slices.ContainsFunc(entries, func(e Entry) bool { return e.Item.Field(l.field.Key).IsThere() }) {
		return entries, err
	}

	for i := range entries {
		hasString := func(name string) bool { return entries[i].Item.Field(name).IsString() }
		if key, value := field.KeyAndValue(hasString); key != "" {
			return nil, errors.Errorf("%s[%d] has a tag in %s and %s, not in %s and %s", l.field.Path, i, key, value, l.field.Key, l.field.Value)
		}
	}

	return entries, err
}

// adapt returns e with a new item. The item has the key and the value of e, and the other fields of old: if old is {key:
// env, value: prod, propagateAtLaunch: true}, and e is env: test, propagateAtLaunch stays. The fields that the API needs
// besides key and value are in Extra. They come from the item of e if it has them. A new item gets their defaults.
func (l keyValues) adapt(old *Entry, e Entry) Entry {
	fields := make(map[string]object.Node)
	if old != nil {
		fields = old.Item.FieldMap()
	}

	for name, v := range l.field.Extra {
		if n := e.Item.Field(name); !n.IsNull() {
			fields[name] = n
		} else if old == nil {
			fields[name] = object.NodeOf(v)
		}
	}

	fields[l.field.Key], fields[l.field.Value] = object.TextNode(e.Key), e.valueOrEmpty()
	e.Item, e.LacksValue = object.MapNode(fields), false

	return e
}
