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
type held interface { //nolint:interfacebloat // Each shape does each of these in its own way.
	// count of the tags and other entries.
	count() int

	// id of the tag with the supplied key. It tells tags apart.
	id(key string) string

	// get the value of the tag with the supplied key.
	get(key string) (*structpb.Value, bool)

	// adds is true if putting a tag adds an entry.
	adds(key, value string) bool

	// put a tag in the place of all with the same key, or behind all others. It
	// returns false if it is there already. Exactly is true if its key is to be
	// spelled as it is supplied, though the provider takes another spelling for it.
	put(key, value string, exactly bool) bool

	// all entries that could be tags, in a fixed order, whether they are known or not.
	all() []entry

	// has is true if there is an entry with the supplied id.
	has(id string) bool

	// grows returns how many more entries there are after keeping the supplied one.
	grows(e entry) int

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
	// id tells tags apart.
	id  string
	key string

	// opaque is true if the entry isn't known to be a tag, so that it has no id.
	opaque bool

	// value of the tag. It is nil if there is none.
	value *structpb.Value

	// item of a list that the entry is, at a position, and others that have the same
	// id, for which it stands.
	item   *structpb.Value
	at     int
	others []entry

	// bare is true of a string in a list that has a key only.
	bare bool
}

// text of the entry's value. It is false if there is none that could be one of a tag.
func (e *entry) text() (string, bool) {
	if e.bare || !isTextual(e.value) {
		return "", false
	}

	return e.value.GetStringValue(), true
}

// known are the keys by which strings are told to be tags, since keys and values may
// both have the separator in them.
type known struct {
	// keys of tags.
	keys tags.KeySet

	// patterns of keys. What they have, and no known key is, is a tag even if it has
	// no value.
	patterns tags.KeySet

	// twins are keys in lower case that several labels have in some spelling each. They
	// are different tags of a list if they have different values.
	twins map[string]bool
}

// fold the case of the supplied key, if the provider takes keys that differ only in case
// for one. Twins are told apart by it.
func (k *known) fold(p *tags.Profile, key string) string {
	folded := p.Fold(key)
	if k.twins[folded] {
		return key
	}

	return folded
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
		return readKeyValues(v.GetListValue().GetValues(), f, p, k)
	default:
		return readStrings(v.GetListValue().GetValues(), f, p, k)
	}
}

// entriesOf returns the entries of what is supplied that are known to be tags, in a fixed
// order. For those with one id stands the first.
func entriesOf(h held) []entry {
	all := h.all()
	out := make([]entry, 0, len(all))
	at := make(map[string]int, len(all))

	for _, e := range all {
		if e.opaque {
			continue
		}

		if i, ok := at[e.id]; ok {
			out[i].others = append(out[i].others, e)
			continue
		}

		at[e.id] = len(out)
		out = append(out, e)
	}

	return out
}

// heldMap are tags in a map.
type heldMap struct {
	fields map[string]*structpb.Value

	// names of the fields by what the provider takes for one key, sorted, where they
	// may differ in case from it.
	names map[string][]string

	profile *tags.Profile
}

func readMap(fields map[string]*structpb.Value, p *tags.Profile) *heldMap {
	m := &heldMap{fields: make(map[string]*structpb.Value, len(fields)), profile: p}
	maps.Copy(m.fields, fields)

	if p.FoldKeys {
		m.names = make(map[string][]string, len(fields))
		for _, name := range slices.Sorted(maps.Keys(fields)) {
			m.names[p.Fold(name)] = append(m.names[p.Fold(name)], name)
		}
	}

	return m
}

func (m *heldMap) count() int { return len(m.fields) }

// name of the field with the supplied key. The first of some spellings counts.
func (m *heldMap) name(key string) string {
	if names := m.names[m.id(key)]; len(names) > 0 {
		return names[0]
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

func (m *heldMap) put(key, value string, exactly bool) bool {
	name := m.name(key)
	if exactly {
		name = key
	}

	if v, ok := m.fields[name]; ok && isText(v, value) && len(m.names[m.id(key)]) <= 1 {
		return false
	}

	if m.names != nil {
		m.removeAll(m.id(key))
		m.names[m.id(key)] = []string{name}
	}

	m.fields[name] = structpb.NewStringValue(value)

	return true
}

func (m *heldMap) id(key string) string {
	if m.names == nil {
		return key
	}

	return m.profile.Fold(key)
}

func (m *heldMap) all() []entry {
	out := make([]entry, 0, len(m.fields))
	for _, name := range slices.Sorted(maps.Keys(m.fields)) {
		out = append(out, entry{id: m.id(name), key: name, value: m.fields[name]})
	}

	return out
}

func (m *heldMap) has(id string) bool {
	_, ok := m.get(id)
	return ok
}

func (m *heldMap) grows(e entry) int {
	if m.has(e.id) {
		return 0
	}

	return 1
}

func (m *heldMap) keep(e entry) bool { return m.put(e.key, e.value.GetStringValue(), false) }

func (m *heldMap) remove(e entry) {
	delete(m.fields, e.key)

	if m.names != nil {
		m.names[e.id] = slices.DeleteFunc(m.names[e.id], func(name string) bool { return name == e.key })
	}
}

// removeAll spellings of the supplied key.
func (m *heldMap) removeAll(id string) {
	for _, name := range m.names[id] {
		delete(m.fields, name)
	}

	delete(m.names, id)
}

func (m *heldMap) encode() *structpb.Value {
	return structpb.NewStructValue(&structpb.Struct{Fields: m.fields})
}

// heldList are tags in a list.
type heldList struct {
	// items that were there, and behind them those that were added. Removed ones have no
	// value.
	items []entry

	// there are so many items that were there, and left so many that were not removed.
	there, left int

	// positions of the items that were there by the id of the tag, and of those that were
	// added. Some may have been removed.
	positions, added map[string][]int

	// strings that the list has, as the provider compares them, and how often.
	strings map[string]int

	profile *tags.Profile
	known   known

	// suffix of ids that come of keys.
	suffix string

	// item that is the tag of the supplied key and value. Old is the item that it
	// takes the place of, or nil.
	item func(old *structpb.Value, key, value string) *structpb.Value

	// kept returns what the supplied entry of another list is in this one. Old is the
	// entry that it takes the place of, or nil.
	kept func(old *entry, e entry) []entry
}

// newList returns a list of the supplied entries, which have their items.
func newList(p *tags.Profile, k known, suffix string, items []entry) *heldList {
	l := &heldList{
		items:     items,
		there:     len(items),
		left:      len(items),
		positions: make(map[string][]int, len(items)),
		added:     make(map[string][]int),
		strings:   make(map[string]int, len(items)),
		profile:   p,
		known:     k,
		suffix:    suffix,
	}

	for i := range items {
		items[i].at = i
		l.count1(items[i].item, 1)

		if !items[i].opaque {
			l.positions[items[i].id] = append(l.positions[items[i].id], i)
		}
	}

	return l
}

func (l *heldList) count() int { return l.left }

func (l *heldList) id(key string) string { return l.known.fold(l.profile, key) + l.suffix }

// at returns the supplied positions of items with the supplied id, of which the first has
// not been removed.
func (l *heldList) at(positions map[string][]int, id string) []int {
	p := positions[id]
	for len(p) > 0 && l.items[p[0]].item == nil {
		p = p[1:]
		positions[id] = p
	}

	return p
}

func (l *heldList) get(key string) (*structpb.Value, bool) {
	id := l.id(key)

	for _, p := range [][]int{l.at(l.positions, id), l.at(l.added, id)} {
		if len(p) > 0 {
			return l.items[p[0]].value, true
		}
	}

	return nil, false
}

func (l *heldList) adds(key, value string) bool {
	// Two tags can come to one string, which a set must not have twice.
	return len(l.at(l.positions, l.id(key))) == 0 && !l.hasItem(l.item(nil, key, value))
}

func (l *heldList) put(key, value string, exactly bool) bool {
	p := l.at(l.positions, l.id(key))
	if len(p) == 1 && isText(l.items[p[0]].value, value) && (!exactly || l.items[p[0]].key == key) {
		return false
	}

	return l.place(entry{id: l.id(key), key: key, value: structpb.NewStringValue(value), item: l.item(l.first(p), key, value)})
}

// first of the items at the supplied positions, or nil if there is none.
func (l *heldList) first(positions []int) *structpb.Value {
	if len(positions) == 0 {
		return nil
	}

	return l.items[positions[0]].item
}

// place the supplied entries, which have one id, where those with the same id are, and
// behind all others those that have no place there. It returns false if the list has
// them already.
func (l *heldList) place(entries ...entry) bool {
	id := entries[0].id
	p := l.at(l.positions, id)
	changed := len(p) > 0
	placed := 0

	// A key that is there more often is left as often as there are items.
	for _, i := range p {
		l.drop(i)
	}

	for _, e := range entries {
		if l.hasItem(e.item) {
			continue
		}

		e.at, e.others = len(l.items), nil
		if placed < len(p) {
			e.at = p[placed]
			l.items[e.at] = e
			placed++
		} else {
			l.items = append(l.items, e)
			l.added[id] = append(l.added[id], e.at)
		}

		l.left++
		l.count1(e.item, 1)

		changed = true
	}

	if len(p) > 0 {
		l.positions[id] = p[:placed]
	}

	return changed
}

// drop the item at the supplied position.
func (l *heldList) drop(i int) {
	if l.items[i].item == nil {
		return
	}

	l.count1(l.items[i].item, -1)
	l.items[i].item = nil
	l.left--
}

func (l *heldList) all() []entry {
	out := make([]entry, 0, l.left)

	for _, e := range l.items[:l.there] {
		if e.item != nil {
			out = append(out, e)
		}
	}

	return append(out, l.sorted()...)
}

// sorted entries that were added.
func (l *heldList) sorted() []entry {
	out := slices.DeleteFunc(slices.Clone(l.items[l.there:]), func(e entry) bool { return e.item == nil })

	slices.SortStableFunc(out, func(a, b entry) int {
		return cmp.Or(strings.Compare(a.key, b.key), strings.Compare(a.id, b.id))
	})

	return out
}

func (l *heldList) has(id string) bool {
	return len(l.at(l.positions, id)) > 0 || len(l.at(l.added, id)) > 0
}

// placing returns what keeping the supplied entry places, what is there already where it
// is, and what is there.
func (l *heldList) placing(e entry) (entries []entry, there []*structpb.Value) {
	var old *entry

	at := make(map[string]int)

	for _, i := range l.at(l.positions, e.id) {
		if item := l.items[i].item; item != nil {
			if old == nil {
				old = &l.items[i]
			}

			if text := textOf(item); at[text] == 0 {
				at[text] = len(there) - len(l.items)
			}

			there = append(there, item)
		}
	}

	entries = l.kept(old, e)

	// What has no place yet comes behind what has, whose place is less than zero.
	slices.SortStableFunc(entries, func(a, b entry) int { return cmp.Compare(at[textOf(a.item)], at[textOf(b.item)]) })

	return entries, there
}

func (l *heldList) grows(e entry) int {
	entries, there := l.placing(e)
	return len(entries) - len(there)
}

func (l *heldList) keep(e entry) bool {
	entries, there := l.placing(e)

	items := make([]*structpb.Value, len(entries))
	for i := range entries {
		items[i] = entries[i].item
	}

	if sameItems(there, items) {
		return false
	}

	return l.place(entries...)
}

// restore an entry of another list as it is there, in the place of the one with the
// same id, or behind all others. It returns false if it is there already.
func (l *heldList) restore(e entry) bool { return l.place(e) }

func (l *heldList) remove(e entry) { l.drop(e.at) }

// hasItem is true if the list has a string that the provider takes for the supplied
// one.
func (l *heldList) hasItem(item *structpb.Value) bool {
	s, ok := item.GetKind().(*structpb.Value_StringValue)
	return ok && l.strings[l.compared(s.StringValue)] > 0
}

// count1 counts the supplied item, if it is a string, so many times more.
func (l *heldList) count1(item *structpb.Value, times int) {
	if s, ok := item.GetKind().(*structpb.Value_StringValue); ok {
		l.strings[l.compared(s.StringValue)] += times
	}
}

// compared returns the supplied string as the provider compares it with others.
func (l *heldList) compared(s string) string {
	if l.profile.FoldEntries {
		return l.profile.Fold(s)
	}

	return s
}

func (l *heldList) encode() *structpb.Value {
	items := make([]*structpb.Value, 0, l.left)
	for _, e := range l.all() {
		items = append(items, e.item)
	}

	return structpb.NewListValue(&structpb.ListValue{Values: items})
}

// sameItems is true if the supplied lists have the same items, in any order.
func sameItems(a, b []*structpb.Value) bool {
	if len(a) != len(b) {
		return false
	}

	times := make(map[string]int, len(a))
	for _, item := range a {
		times[textOf(item)]++
	}

	for _, item := range b {
		text := textOf(item)
		if times[text] == 0 {
			return false
		}

		times[text]--
	}

	return true
}

// textOf the supplied item of a list is the same for equal items only.
func textOf(item *structpb.Value) string {
	if s, ok := item.GetKind().(*structpb.Value_StringValue); ok {
		return "s" + s.StringValue
	}

	b, err := proto.MarshalOptions{Deterministic: true}.Marshal(item)
	if err != nil {
		return "" // Only what isn't UTF-8 can't be encoded, and has not been decoded.
	}

	return "v" + string(b)
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
func readKeyValues(items []*structpb.Value, f *field.Field, p *tags.Profile, k known) (*heldList, error) {
	entries := make([]entry, len(items))

	for i, item := range items {
		if item.GetStructValue() == nil {
			return nil, errors.Errorf("%s[%d] is %s, not an object with a tag", f.Path, i, structpath.KindOf(item))
		}

		e := entry{item: item, opaque: true}
		fields := item.GetStructValue().GetFields()

		// An entry without a key is no tag.
		if key, ok := fields[f.Key].GetKind().(*structpb.Value_StringValue); ok {
			e.id, e.key, e.opaque = k.fold(p, key.StringValue), key.StringValue, false
		}

		// The API server drops null.
		if v := fields[f.Value]; !structpath.IsNull(v) {
			e.value = v
		}

		entries[i] = e
	}

	l := newList(p, k, "", entries)

	l.item = func(old *structpb.Value, key, value string) *structpb.Value {
		others := f.Extra
		if old != nil {
			others = old.GetStructValue().GetFields()
		}

		fields := make(map[string]*structpb.Value, len(others)+2)
		maps.Copy(fields, others)
		fields[f.Key] = structpb.NewStringValue(key)
		fields[f.Value] = structpb.NewStringValue(value)

		return structpb.NewStructValue(&structpb.Struct{Fields: fields})
	}

	// What else the other system says of its tag is its business too, as far as we know
	// the field.
	l.kept = func(old *entry, e entry) []entry {
		fields := maps.Clone(f.Extra)
		if old != nil {
			fields = maps.Clone(old.item.GetStructValue().GetFields())
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
		if text := e.value.GetStringValue(); old == nil || !isText(old.value, text) {
			fields[f.Value] = structpb.NewStringValue(text)
		}

		e.item = structpb.NewStructValue(&structpb.Struct{Fields: fields})

		return []entry{e}
	}

	return l, nil
}

// bareSuffix ends the ids of strings that have no value, which no key has.
const bareSuffix = "\x00"

// readStrings reads a list of strings of key, separator and value, or of keys alone.
// An entry is the tag of the longest known key that it starts with, or else of the
// shortest one that a known pattern matches, or none that we know.
func readStrings(items []*structpb.Value, f *field.Field, p *tags.Profile, k known) (*heldList, error) {
	entries := make([]entry, len(items))

	for i, item := range items {
		s, ok := item.GetKind().(*structpb.Value_StringValue)
		if !ok {
			return nil, errors.Errorf("%s[%d] is %s, not a string with a tag", f.Path, i, structpath.KindOf(item))
		}

		e := entry{item: item, opaque: true}

		if key, ok := keyOf(s.StringValue, f.Separator, k); ok {
			e.id, e.key, e.opaque = k.fold(p, key)+f.Separator, key, false
			e.value = structpb.NewStringValue(s.StringValue[len(key)+len(f.Separator):])
		} else if k.patterns.Has(s.StringValue) {
			e.id, e.key, e.bare, e.opaque = p.Fold(s.StringValue)+bareSuffix, s.StringValue, true, false
		}

		entries[i] = e
	}

	l := newList(p, k, f.Separator, entries)

	l.item = func(_ *structpb.Value, key, value string) *structpb.Value {
		return structpb.NewStringValue(key + f.Separator + value)
	}

	l.kept = func(_ *entry, e entry) []entry { return append([]entry{e}, e.others...) }

	return l, nil
}

// keyOf returns the key of the tag that the supplied entry is, if it is one: the longest
// known key, or the shortest that a pattern matches.
func keyOf(entry, separator string, k known) (key string, ok bool) {
	for key = range k.keys.Of(entry, separator) {
		ok = true
	}

	if ok {
		return key, true
	}

	for key = range k.patterns.Of(entry, separator) {
		return key, true
	}

	return "", false
}
