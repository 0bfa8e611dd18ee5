package stamp

import (
	"cmp"
	"maps"
	"slices"
	"strings"

	"google.golang.org/protobuf/proto"
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

	// id of the tag with the supplied key. It tells entries apart.
	id(key string) string

	// get the value of the tag with the supplied key.
	get(key string) (*structpb.Value, bool)

	// adds is true if putting a tag adds an entry.
	adds(key, value string) bool

	// put a tag in the place of the one with the same key, or behind all others. It
	// returns false if it is there already.
	put(key, value string) bool

	// entries that are known to be tags, in a fixed order, each id once.
	entries() []entry

	// has is true if there is an entry with the supplied id.
	has(id string) bool

	// keep an entry of another field of the same kind in the place of the one with
	// the same id, or behind all others. It returns false if it is there already.
	keep(e entry) bool

	// remove the supplied entry.
	remove(e entry)

	// encode the value of the field.
	encode() *structpb.Value
}

// An entry of a tag field that is a tag.
type entry struct {
	id  string
	key string

	// value of the tag. It is nil if there is none.
	value *structpb.Value

	// item of a list that the entry is, and others that have the same id, for which it
	// stands.
	item   *structpb.Value
	others []entry

	// bare is true of a string in a list that has a key only.
	bare bool
}

// hasValue is true if the entry is a tag with the supplied value.
func (e *entry) hasValue(text string) bool { return !e.bare && isText(e.value, text) }

// known are the keys by which strings are told to be tags, since keys and values may
// both have the separator in them.
type known struct {
	// keys of tags.
	keys []string

	// patterns of keys, each a key, or the beginning of keys and a *. What they
	// match, and no known key does, is a tag even if it has no value.
	patterns []string
}

// read what the supplied value of the supplied field holds, on a resource with the
// supplied tag profile. Nil is a field that isn't there. It is an error if the value
// isn't of the field's shape. The value is not changed by what is put later.
func read(v *structpb.Value, f *field.Field, p *tags.Profile, k known) (held, error) {
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
		return readStrings(v.GetListValue().GetValues(), f, p, k)
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

	name := m.name(key)
	m.fields[name] = structpb.NewStringValue(value)

	if m.names != nil {
		m.names[m.id(name)] = name
	}

	return true
}

func (m *heldMap) id(key string) string {
	if m.names == nil {
		return key
	}

	return m.profile.Fold(key)
}

func (m *heldMap) entries() []entry {
	out := make([]entry, 0, len(m.fields))

	for _, name := range slices.Sorted(maps.Keys(m.fields)) {
		if m.name(name) == name {
			out = append(out, entry{id: m.id(name), key: name, value: m.fields[name]})
		}
	}

	return out
}

func (m *heldMap) has(id string) bool {
	_, ok := m.get(id)
	return ok
}

func (m *heldMap) keep(e entry) bool { return m.put(e.key, e.value.GetStringValue()) }

func (m *heldMap) remove(e entry) {
	maps.DeleteFunc(m.fields, func(name string, _ *structpb.Value) bool { return m.id(name) == e.id })
	delete(m.names, e.id)
}

func (m *heldMap) encode() *structpb.Value {
	return structpb.NewStructValue(&structpb.Struct{Fields: m.fields})
}

// heldList are tags in a list.
type heldList struct {
	// items that were there. Nil ones have been removed.
	items []*structpb.Value

	// positions of the items by the id of the tag. Items that are no tags have none.
	positions map[string][]int

	// tags that items are, by the position of the item.
	tags map[int]entry

	// added tags, each with its item. Some have one id: keys that differ in case are
	// different tags if they have different values.
	added []entry

	profile *tags.Profile

	// suffix of ids that come of keys.
	suffix string

	// value of the tag that the supplied item is.
	value func(key string, item *structpb.Value) *structpb.Value

	// item that is the tag of the supplied key and value. Old is the item that it
	// takes the place of, or nil.
	item func(old *structpb.Value, key, value string) *structpb.Value

	// kept are the items that are the supplied entry of another list. Old is the item
	// that they take the place of, or nil.
	kept func(old *structpb.Value, e entry) []*structpb.Value
}

// found is called for each item that is a tag.
func (l *heldList) found(i int, e entry) {
	l.tags[i] = e
	l.positions[e.id] = append(l.positions[e.id], i)
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

func (l *heldList) id(key string) string { return l.profile.Fold(key) + l.suffix }

func (l *heldList) get(key string) (*structpb.Value, bool) {
	id := l.id(key)

	if p, ok := l.positions[id]; ok {
		return l.value(key, l.items[p[0]]), true
	}

	i := slices.IndexFunc(l.added, func(e entry) bool { return e.id == id })
	if i < 0 {
		return nil, false
	}

	return l.value(key, l.added[i].item), true
}

func (l *heldList) adds(key, value string) bool {
	_, there := l.positions[l.id(key)]

	// Two tags can come to one string, which a set must not have twice.
	return !there && !l.hasItem(l.item(nil, key, value))
}

func (l *heldList) put(key, value string) bool {
	p := l.positions[l.id(key)]
	if len(p) == 1 && isText(l.value(key, l.items[p[0]]), value) {
		return false
	}

	return l.place(entry{id: l.id(key), key: key}, l.item(l.first(p), key, value))
}

// first of the items at the supplied positions, or nil if there is none.
func (l *heldList) first(positions []int) *structpb.Value {
	if len(positions) == 0 {
		return nil
	}

	return l.items[positions[0]]
}

// place the supplied items of the supplied entry where those with the same id are, and
// behind all others those that have no place there. It returns false if the list has
// them already.
func (l *heldList) place(e entry, items ...*structpb.Value) bool {
	p := l.positions[e.id]
	changed := len(p) > 0
	placed := 0

	// A key that is there more often is left as often as there are items.
	for _, i := range p {
		l.items[i] = nil
	}

	for _, item := range items {
		if l.hasItem(item) {
			continue
		}

		if placed < len(p) {
			l.items[p[placed]] = item
			placed++
		} else {
			e.item = item
			l.added = append(l.added, e)
		}

		changed = true
	}

	if len(p) > 0 {
		l.positions[e.id] = p[:max(placed, 1)]
	}

	return changed
}

// all entries that are tags.
func (l *heldList) all() []entry {
	out := make([]entry, 0, len(l.tags)+len(l.added))

	for _, i := range slices.Sorted(maps.Keys(l.tags)) {
		if e := l.tags[i]; l.items[i] != nil {
			e.item = l.items[i]
			out = append(out, e)
		}
	}

	out = append(out, l.sorted()...)

	for i := range out {
		if e := &out[i]; !e.bare {
			e.value = l.value(e.key, e.item)
		}
	}

	return out
}

func (l *heldList) entries() []entry {
	var out []entry

	first := make(map[string]int)

	for _, e := range l.all() {
		if i, ok := first[e.id]; ok {
			out[i].others = append(out[i].others, e)
			continue
		}

		first[e.id] = len(out)
		out = append(out, e)
	}

	return out
}

// sorted entries that were added.
func (l *heldList) sorted() []entry {
	return slices.SortedStableFunc(slices.Values(l.added), func(a, b entry) int {
		return cmp.Or(strings.Compare(a.key, b.key), strings.Compare(a.id, b.id))
	})
}

func (l *heldList) has(id string) bool {
	_, there := l.positions[id]

	return there || slices.ContainsFunc(l.added, func(e entry) bool { return e.id == id })
}

func (l *heldList) keep(e entry) bool {
	p := l.positions[e.id]
	there := make([]*structpb.Value, len(p))

	for i := range p {
		there[i] = l.items[p[i]]
	}

	items := l.kept(l.first(p), e)
	if sameItems(there, items) {
		return false
	}

	// What is there already keeps its place.
	at := func(item *structpb.Value) int {
		i := slices.IndexFunc(there, func(v *structpb.Value) bool { return proto.Equal(v, item) })
		if i < 0 {
			return len(there)
		}

		return i
	}

	slices.SortStableFunc(items, func(a, b *structpb.Value) int { return cmp.Compare(at(a), at(b)) })

	return l.place(e, items...)
}

// restore an entry of another list as it is there, in the place of the one with the
// same id, or behind all others. It returns false if it is there already.
func (l *heldList) restore(e entry) bool { return l.place(e, e.item) }

func (l *heldList) remove(e entry) {
	p := l.positions[e.id]
	for _, i := range p {
		if l.items[i] == e.item {
			l.items[i] = nil
		}
	}

	p = slices.DeleteFunc(p, func(i int) bool { return l.items[i] == nil })
	if l.positions[e.id] = p; len(p) == 0 {
		delete(l.positions, e.id)
	}

	l.added = slices.DeleteFunc(l.added, func(a entry) bool { return a.id == e.id && a.item == e.item })
}

// hasItem is true if the list has a string that the provider takes for the supplied
// one.
func (l *heldList) hasItem(item *structpb.Value) bool {
	s, ok := item.GetKind().(*structpb.Value_StringValue)
	if !ok {
		return false
	}

	same := func(v *structpb.Value) bool {
		t, ok := v.GetKind().(*structpb.Value_StringValue)
		return ok && (s.StringValue == t.StringValue || l.profile.FoldEntries && strings.EqualFold(s.StringValue, t.StringValue))
	}

	return slices.ContainsFunc(l.items, same) || slices.ContainsFunc(l.added, func(e entry) bool { return same(e.item) })
}

func (l *heldList) encode() *structpb.Value {
	items := slices.DeleteFunc(slices.Clone(l.items), func(v *structpb.Value) bool { return v == nil })

	for _, e := range l.sorted() {
		items = append(items, e.item)
	}

	return structpb.NewListValue(&structpb.ListValue{Values: items})
}

// sameItems is true if the supplied lists have the same items, in any order.
func sameItems(a, b []*structpb.Value) bool {
	left := slices.Clone(a)

	for _, item := range b {
		i := slices.IndexFunc(left, func(v *structpb.Value) bool { return proto.Equal(v, item) })
		if i < 0 {
			return false
		}

		left = slices.Delete(left, i, i+1)
	}

	return len(left) == 0
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
	var l *heldList

	l = &heldList{
		profile:   p,
		tags:      make(map[int]entry, len(items)),
		items:     slices.Clone(items),
		positions: make(map[string][]int, len(items)),
		value: func(_ string, item *structpb.Value) *structpb.Value {
			v := item.GetStructValue().GetFields()[f.Value]
			if structpath.IsNull(v) {
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
		// What else the other system says of its tag is its business too, as far as
		// we know the field.
		kept: func(old *structpb.Value, e entry) []*structpb.Value {
			fields := maps.Clone(f.Extra)
			if old != nil {
				fields = maps.Clone(old.GetStructValue().GetFields())
			}

			if fields == nil {
				fields = make(map[string]*structpb.Value, 2)
			}

			for name := range f.Extra {
				if v := e.item.GetStructValue().GetFields()[name]; !structpath.IsNull(v) {
					fields[name] = v
				}
			}

			fields[f.Key] = structpb.NewStringValue(e.key)
			if text := e.value.GetStringValue(); old == nil || !isText(l.value(e.key, old), text) {
				fields[f.Value] = structpb.NewStringValue(text)
			}

			return []*structpb.Value{structpb.NewStructValue(&structpb.Struct{Fields: fields})}
		},
	}

	for i, item := range items {
		if item.GetStructValue() == nil {
			return nil, errors.Errorf("%s[%d] is %s, not an object with a tag", f.Path, i, structpath.KindOf(item))
		}

		if key, ok := item.GetStructValue().GetFields()[f.Key].GetKind().(*structpb.Value_StringValue); ok {
			l.found(i, entry{id: l.id(key.StringValue), key: key.StringValue})
		}
	}

	return l, nil
}

// readStrings reads a list of strings of key, separator and value, or of keys alone.
// An entry is the tag of the longest known key that it starts with, or else of the
// shortest one that a known pattern matches, or none that we know.
func readStrings(items []*structpb.Value, f *field.Field, p *tags.Profile, k known) (*heldList, error) {
	l := &heldList{
		profile:   p,
		tags:      make(map[int]entry, len(items)),
		items:     slices.Clone(items),
		positions: make(map[string][]int, len(items)),
		suffix:    f.Separator,
		value: func(key string, item *structpb.Value) *structpb.Value {
			_, value, _ := cutKey(item.GetStringValue(), f.Separator, func(k string) bool { return p.Fold(k) == p.Fold(key) })
			return structpb.NewStringValue(value)
		},
		item: func(_ *structpb.Value, key, value string) *structpb.Value {
			return structpb.NewStringValue(key + f.Separator + value)
		},
		kept: func(_ *structpb.Value, e entry) []*structpb.Value {
			out := []*structpb.Value{e.item}
			for _, o := range e.others {
				out = append(out, o.item)
			}

			return out
		},
	}

	isKey := make(map[string]bool, len(k.keys))
	for _, key := range k.keys {
		isKey[p.Fold(key)] = true
	}

	matches := func(key string) bool { return matchesAny(k.patterns, key, p) }

	for i, item := range items {
		s, ok := item.GetKind().(*structpb.Value_StringValue)
		if !ok {
			return nil, errors.Errorf("%s[%d] is %s, not a string with a tag", f.Path, i, structpath.KindOf(item))
		}

		key, _, ok := cutKey(s.StringValue, f.Separator, func(k string) bool { return isKey[p.Fold(k)] })
		if !ok {
			key, ok = cutShortest(s.StringValue, f.Separator, matches)
		}

		switch {
		case ok:
			l.found(i, entry{id: l.id(key), key: key})
		case matches(s.StringValue):
			l.found(i, entry{id: p.Fold(s.StringValue), key: s.StringValue, bare: true})
		}
	}

	return l, nil
}

// matchesAny is true if any of the supplied patterns matches the supplied key.
func matchesAny(patterns []string, key string, p *tags.Profile) bool {
	return slices.ContainsFunc(patterns, func(pattern string) bool { return matches(pattern, key, p) })
}

// matches is true if the supplied pattern matches the supplied key, on a resource with
// the supplied profile.
func matches(pattern, key string, p *tags.Profile) bool {
	return tags.MatchesKey(p.Fold(pattern), p.Fold(key))
}

// cutShortest cuts the supplied entry after the shortest key that is one.
func cutShortest(entry, separator string, is func(key string) bool) (key string, ok bool) {
	if separator == "" {
		return "", false
	}

	for end := 0; ; end++ {
		i := strings.Index(entry[end:], separator)
		if i < 0 {
			return "", false
		}

		end += i

		if key := entry[:end]; is(key) {
			return key, true
		}
	}
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
