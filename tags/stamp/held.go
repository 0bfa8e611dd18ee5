package stamp

import (
	"maps"
	"slices"
	"strings"

	"google.golang.org/protobuf/types/known/structpb"

	"github.com/crossplane/function-sdk-go/errors"

	"github.com/plexsphere/function-cloud-tags/tags"
	"github.com/plexsphere/function-cloud-tags/tags/field"
	"github.com/plexsphere/function-cloud-tags/tags/structpath"
)

// held are the tags that a tag field holds, and whatever else it holds.
type held interface {
	// count of the tags and other entries.
	count() int

	// get the value of the tag with the supplied key.
	get(key string) (*structpb.Value, bool)

	// adds is true if putting a tag adds an entry.
	adds(key, value string) bool

	// put a tag in the place of the one with the same key, or behind all others. It
	// returns false if it is there already.
	put(key, value string) bool

	// encode the value of the field.
	encode() *structpb.Value
}

// read what the supplied value of the supplied field holds, on a resource with the
// supplied tag profile. Nil is a field that isn't there. The handled tags are those
// whose keys are looked up. It is an error if the value isn't of the field's shape.
// The value is not changed by what is put later.
func read(v *structpb.Value, f *field.Field, p *tags.Profile, handled []tags.Tag) (held, error) {
	want := "a list"
	ok := v.GetListValue() != nil

	if f.Shape == field.Map {
		want = "a map"
		ok = v.GetStructValue() != nil
	}

	if v != nil && !ok {
		return nil, errors.Errorf("%s is %s, not %s of tags", f.Path, structpath.KindOf(v), want)
	}

	switch f.Shape {
	case field.Map:
		return readMap(v.GetStructValue().GetFields(), p), nil
	case field.KeyValueList:
		return readKeyValues(v.GetListValue().GetValues(), f, p)
	default:
		return readStrings(v.GetListValue().GetValues(), f, p, handled)
	}
}

// heldMap are tags in a map.
type heldMap struct {
	fields map[string]*structpb.Value

	// names of the fields by tag key, where they may differ in case from it.
	names map[string]string

	profile *tags.Profile
}

func readMap(fields map[string]*structpb.Value, p *tags.Profile) *heldMap {
	m := &heldMap{fields: make(map[string]*structpb.Value, len(fields)), profile: p}
	maps.Copy(m.fields, fields)

	if p.FoldKeys {
		m.names = make(map[string]string, len(fields))
		for _, name := range slices.Sorted(maps.Keys(fields)) {
			m.names[p.Fold(name)] = name
		}
	}

	return m
}

func (m *heldMap) count() int { return len(m.fields) }

func (m *heldMap) name(key string) string {
	if name, ok := m.names[m.profile.Fold(key)]; ok {
		return name
	}

	return key
}

func (m *heldMap) get(key string) (*structpb.Value, bool) {
	v, ok := m.fields[m.name(key)]
	return v, ok
}

func (m *heldMap) adds(key, _ string) bool {
	_, ok := m.get(key)
	return !ok
}

func (m *heldMap) put(key, value string) bool {
	if v, ok := m.get(key); ok && isText(v, value) {
		return false
	}

	m.fields[m.name(key)] = structpb.NewStringValue(value)

	return true
}

func (m *heldMap) encode() *structpb.Value {
	return structpb.NewStructValue(&structpb.Struct{Fields: m.fields})
}

// heldList are tags in a list.
type heldList struct {
	// items that were there. Nil ones have been removed.
	items []*structpb.Value

	// positions of the items by tag key. Items that are no tags have none.
	positions map[string][]int

	// added items by tag key.
	added map[string]*structpb.Value

	profile *tags.Profile

	// value of the tag that the supplied item is.
	value func(key string, item *structpb.Value) *structpb.Value

	// item that is the tag of the supplied key and value. Old is the item that it
	// takes the place of, or nil.
	item func(old *structpb.Value, key, value string) *structpb.Value
}

func (l *heldList) count() int {
	n := len(l.added)

	for _, item := range l.items {
		if item != nil {
			n++
		}
	}

	return n
}

func (l *heldList) get(key string) (*structpb.Value, bool) {
	p, ok := l.positions[l.profile.Fold(key)]
	if !ok {
		return nil, false
	}

	return l.value(key, l.items[p[0]]), true
}

func (l *heldList) adds(key, value string) bool {
	_, ok := l.positions[l.profile.Fold(key)]

	// Two tags can come to one string, which a set must not have twice.
	return !ok && !l.has(l.item(nil, key, value))
}

func (l *heldList) put(key, value string) bool {
	p, ok := l.positions[l.profile.Fold(key)]
	if !ok {
		if !l.adds(key, value) {
			return false
		}

		l.added[key] = l.item(nil, key, value)

		return true
	}

	if len(p) == 1 && isText(l.value(key, l.items[p[0]]), value) {
		return false
	}

	item := l.item(l.items[p[0]], key, value)

	// A key that is there more than once is left once.
	for _, i := range p {
		l.items[i] = nil
	}

	if !l.has(item) {
		l.items[p[0]] = item
	}

	l.positions[l.profile.Fold(key)] = p[:1]

	return true
}

// has is true if the list has a string that the provider takes for the supplied one.
func (l *heldList) has(item *structpb.Value) bool {
	s := item.GetStringValue()
	same := func(v *structpb.Value) bool {
		t := v.GetStringValue()
		return s != "" && (s == t || l.profile.FoldEntries && strings.EqualFold(s, t))
	}

	return slices.ContainsFunc(l.items, same) || slices.ContainsFunc(slices.Collect(maps.Values(l.added)), same)
}

func (l *heldList) encode() *structpb.Value {
	items := slices.DeleteFunc(slices.Clone(l.items), func(v *structpb.Value) bool { return v == nil })

	for _, key := range slices.Sorted(maps.Keys(l.added)) {
		items = append(items, l.added[key])
	}

	return structpb.NewListValue(&structpb.ListValue{Values: items})
}

// isText is true if the supplied value of a tag is the supplied text. A value that
// isn't there is empty.
func isText(v *structpb.Value, text string) bool {
	switch k := v.GetKind().(type) {
	case *structpb.Value_StringValue:
		return k.StringValue == text
	case nil:
		return text == ""
	default:
		return false
	}
}

// readKeyValues reads a list of objects with a key and a value.
func readKeyValues(items []*structpb.Value, f *field.Field, p *tags.Profile) (*heldList, error) {
	l := &heldList{
		profile:   p,
		added:     make(map[string]*structpb.Value),
		items:     slices.Clone(items),
		positions: make(map[string][]int, len(items)),
		value: func(_ string, item *structpb.Value) *structpb.Value {
			v := item.GetStructValue().GetFields()[f.Value]
			if _, null := v.GetKind().(*structpb.Value_NullValue); null {
				return nil // The API server drops it.
			}

			return v
		},
		item: func(old *structpb.Value, key, value string) *structpb.Value {
			others := f.Extra
			if old != nil {
				others = old.GetStructValue().GetFields()
			}

			fields := make(map[string]*structpb.Value, len(others)+2)
			maps.Copy(fields, others)
			fields[f.Key] = structpb.NewStringValue(key)
			fields[f.Value] = structpb.NewStringValue(value)

			return structpb.NewStructValue(&structpb.Struct{Fields: fields})
		},
	}

	for i, item := range items {
		if item.GetStructValue() == nil {
			return nil, errors.Errorf("%s[%d] is %s, not an object with a tag", f.Path, i, structpath.KindOf(item))
		}

		if key, ok := item.GetStructValue().GetFields()[f.Key].GetKind().(*structpb.Value_StringValue); ok {
			k := p.Fold(key.StringValue)
			l.positions[k] = append(l.positions[k], i)
		}
	}

	return l, nil
}

// readStrings reads a list of strings of key, separator and value. As keys and
// values may have the separator in them, an entry is the tag of the longest handled
// key that it starts with, or none that we know.
func readStrings(items []*structpb.Value, f *field.Field, p *tags.Profile, handled []tags.Tag) (*heldList, error) {
	l := &heldList{
		profile:   p,
		added:     make(map[string]*structpb.Value),
		items:     slices.Clone(items),
		positions: make(map[string][]int, len(items)),
		value: func(key string, item *structpb.Value) *structpb.Value {
			_, value, _ := cutKey(item.GetStringValue(), f.Separator, func(k string) bool { return p.Fold(k) == p.Fold(key) })
			return structpb.NewStringValue(value)
		},
		item: func(_ *structpb.Value, key, value string) *structpb.Value {
			return structpb.NewStringValue(key + f.Separator + value)
		},
	}

	keys := make(map[string]bool, len(handled))
	for _, t := range handled {
		keys[p.Fold(t.Key)] = true
	}

	for i, item := range items {
		s, ok := item.GetKind().(*structpb.Value_StringValue)
		if !ok {
			return nil, errors.Errorf("%s[%d] is %s, not a string with a tag", f.Path, i, structpath.KindOf(item))
		}

		if key, _, ok := cutKey(s.StringValue, f.Separator, func(k string) bool { return keys[p.Fold(k)] }); ok {
			l.positions[p.Fold(key)] = append(l.positions[p.Fold(key)], i)
		}
	}

	return l, nil
}

// cutKey cuts the supplied entry after the longest key that is one, and before its
// value.
func cutKey(entry, separator string, is func(key string) bool) (key, value string, ok bool) {
	if separator == "" {
		return "", "", false
	}

	for end := strings.LastIndex(entry, separator); end >= 0; {
		if key := entry[:end]; is(key) {
			return key, entry[end+len(separator):], true
		}

		// Separators may overlap.
		end = strings.LastIndex(entry[:end+len(separator)-1], separator)
	}

	return "", "", false
}
