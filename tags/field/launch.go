package field

import (
	"cmp"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/plexsphere/function-cloud-tags/tags/object"
)

// A change is what a change of the tags of a launched field does to what runs.
type change string

// Changes of tags of what is launched. The last three are for who asks for the field in a
// rule of the input: it is never taken to be a launched one.
const (
	inPlace    change = "in place"
	nextLaunch change = "with the next launch"
	atCreation change = "none: only what the resource is created with counts"
	replaces   change = "replaces what runs"
	needsRole  change = "with the next launch, which fails if the role may not tag"
)

// isFree is true if the change harms nothing that runs, and takes effect.
func (c change) isFree() bool { return c == inPlace || c == nextLaunch }

// A launch is a field whose tags go to what the resources of a kind launch.
type launch struct {
	*candidate

	// to is what the tags go to, in a few words.
	to string

	change change

	// key of the items of a list that have the field, and the items in question by their key.
	// One that isn't there is made. Without items it's every item that is there. There is no key
	// if the field is in no list, or in the only item of one.
	key   string
	items []string

	// value of a field that is no tags, but passes on those of the resource.
	value string

	// with and without are fields below spec.forProvider. The field is left alone if none of
	// the first is there, if there are such, or any of the last: other than empty or false.
	with, without []string
}

// launched is a launch at the supplied path below spec.forProvider or, if it starts with a dot, of
// the whole resource. A [] in it is behind the name of a list: see of.
func launched(path, to string, c change) launch {
	path = strings.ReplaceAll(path, "[]", firstItem)

	return launch{candidate: at(path, path), to: to, change: c}
}

// list makes the launch a list of keys and values.
func (l launch) list() launch {
	l.as(KeyValueList)
	return l
}

// switchedOn is a launch of a field that passes the tags of the resource on if it has the supplied
// value.
func switchedOn(path, value, to string, c change) launch {
	l := launched(path, to, c)
	l.shapes, l.value = []Shape{onOff}, value

	return l
}

// of makes the launch one in the supplied items of the list in its path, or in all if there are
// none.
func (l launch) of(key string, items ...string) launch {
	l.observed, l.key, l.items = nil, key, items
	return l
}

// unless makes the launch one that is left alone if any of the supplied fields is there.
func (l launch) unless(fields ...string) launch {
	l.without = fields
	return l
}

// ifAny makes the launch one that is left alone if none of the supplied fields is there.
func (l launch) ifAny(fields ...string) launch {
	l.with = fields
	return l
}

// path of the field below spec.forProvider, whatever is a list.
func (l launch) path() string {
	return strings.ReplaceAll(strings.TrimPrefix(l.paths[0].String(), forProvider), firstItem, "")
}

// read the field that the launch is in the supplied schema, if it is there.
func (l launch) read(s object.Node) (Field, bool) {
	if l.value == "" {
		return l.candidate.read(s)
	}

	for _, path := range l.paths {
		if text(schemaAt(s, path), "type") == "string" {
			return Field{Path: path, Shape: onOff}, true
		}
	}

	return Field{}, false
}

// freeLaunches are those of the supplied kind that are taken to be launched fields.
func freeLaunches(gk schema.GroupKind) (f *family, free []launch) {
	f, service := familyOf(gk)

	for _, l := range f.launches[service+"/"+gk.Kind] {
		if l.change.isFree() {
			free = append(free, l)
		}
	}

	return f, free
}

// ReadLaunched reads which fields of the supplied kind hold tags of what its resources launch,
// from the kind's schema: one for each that the kind's family knows, in one order, and of shape
// None if the kind doesn't have it. What a change of the field would harm is none of them.
func ReadLaunched(gvk schema.GroupVersionKind, s object.Node) []Field {
	_, free := freeLaunches(gvk.GroupKind())
	out := make([]Field, len(free))

	for i, l := range free {
		out[i] = Field{Shape: None}
		if f, ok := l.read(s); ok {
			out[i] = f
		}
	}

	return out
}

// A Launched field holds tags of what a resource launches. It is there to be written only if
// the object that it is in is there.
type Launched struct {
	// Field of the resource or, of a list, of an item.
	Field

	// List is the path of the list in whose items the field is. Zero if it is in none.
	List object.Path

	// Key tells the items of a list apart, and Item is that of the one in question, which is
	// made if it isn't there. Every item is in question if it's empty.
	Key, Item string

	// Value that the field gets once the resource has tags, if it is no tags itself.
	Value string

	// around is the path of the object that must be there. Zero if there is none.
	around object.Path

	with, without [][]string
}

// fieldsAt returns the launched fields that the launch is for the supplied field of a kind of the
// supplied family.
func (l launch) fieldsAt(f Field, of *family) []Launched {
	out := Launched{Field: f, Value: l.value, with: split(l.with), without: split(l.without)}

	if l.key != "" {
		list, within, _ := strings.Cut(f.Path.String(), firstItem+".")
		out.List, out.Path, out.Key = object.MustParsePath(list), object.MustParsePath(within), l.key
	}

	place := out.List
	if l.key == "" {
		place = f.Path
	}

	segments := len(place.Segments())
	if above := place.First(segments - 1); above.String() != strings.TrimSuffix(forProvider, ".") {
		out.around = above
	}

	// What controllers add to a resource's own tags, they don't add here.
	if of.Native {
		out.ProviderTags = nil
	}

	// The provider fills what isn't there, but not within what is there.
	out.LateInit = of.Upjet && l.key == "" && out.around.IsZero()

	if len(l.items) == 0 {
		return []Launched{out}
	}

	all := make([]Launched, len(l.items))
	for i, item := range l.items {
		all[i] = out
		all[i].Item = item
	}

	return all
}

// Has is true if the item of the list with the supplied key is in question.
func (l *Launched) Has(key string) bool { return l.Item == "" || key == l.Item }

// Name of the field, for messages.
func (l *Launched) Name() string {
	if l.List.IsZero() {
		return l.Path.String()
	}

	return l.List.String() + "[" + l.Item + "]." + l.Path.String()
}

func split(paths []string) [][]string {
	out := make([][]string, len(paths))
	for i, p := range paths {
		out[i] = strings.Split(p, ".")
	}

	return out
}

// Applies is true if the field of the supplied resource, which is desired, may hold tags of what
// it launches. What the provider has filled in of the observed one counts like what is
// desired.
func (l *Launched) Applies(desired, observed object.Object) bool {
	if !l.around.IsZero() {
		if around, err := desired.At(l.around); err != nil || !around.IsObject() {
			return false
		}
	}

	isThere := func(path []string) bool { return holds(spec(desired), path) || holds(spec(observed), path) }

	return (len(l.with) == 0 || slices.ContainsFunc(l.with, isThere)) && !slices.ContainsFunc(l.without, isThere)
}

// spec.forProvider of the supplied resource.
func spec(o object.Object) object.Node { return o.Node().Field("spec").Field("forProvider") }

// holds is true if the supplied node has anything but empty or false at the supplied path,
// which leads through every item of lists.
func holds(n object.Node, path []string) bool {
	switch {
	case n.IsList():
		for item := range n.Items() {
			if holds(item, path) {
				return true
			}
		}

		return false
	case len(path) > 0:
		return holds(n.Field(path[0]), path[1:])
	default:
		return !n.IsNull() && (!n.IsObject() || !n.IsEmpty()) && n.Value().AsInterface() != false
	}
}

// Launched returns the fields of the supplied kind whose tags go to what its resources launch.
// If the built-in index has the kind, that knows those that all of its releases have; the others
// are those that the kind's schema has.
func (s Schemas) Launched(k Kind) []Launched {
	of, free := freeLaunches(k.GroupKind())
	if len(free) == 0 {
		return nil
	}

	fields, sure := BuiltIn().launchedBy(k.GroupVersionKind)
	if !sure && k.Managed {
		if is := s.Of(k.GroupVersionKind); is.IsObject() {
			fields = ReadLaunched(k.GroupVersionKind, is)
		}
	}

	var out []Launched

	for _, f := range fields {
		for _, l := range free {
			if slices.ContainsFunc(l.paths, f.Path.Equal) {
				out = append(out, l.fieldsAt(f, of)...)
			}
		}
	}

	return out
}

// launchedBy returns the launched fields of the supplied kind that all surveyed releases have. It
// is false if only some have any, or if the index doesn't have the kind.
func (i *Index) launchedBy(gvk schema.GroupVersionKind) (fields []Field, sure bool) {
	sure = i.entry(gvk) != nil

	for _, e := range i.Launched(gvk) {
		if len(e) == 1 {
			fields = append(fields, e[0].Field)
		} else {
			sure = false
		}
	}

	return fields, sure
}

// Launched are the entries of the launched fields of the supplied kind.
func (i *Index) Launched(gvk schema.GroupVersionKind) []Entry {
	b := i.blocks[gvk.Group]
	if b.all() == nil {
		return nil
	}

	return b.launched[version{gvk.Version, gvk.Kind}]
}

// Switches are the names of the fields that pass the tags of a resource on to what it launches.
func Switches() []string {
	var out []string

	for _, f := range families {
		for _, launches := range f.launches {
			for _, l := range launches {
				if l.value != "" {
					out = append(out, l.path()[strings.LastIndexByte(l.path(), '.')+1:])
				}
			}
		}
	}

	return out
}

// A LaunchRow is what is known of a field whose tags go to what resources launch.
type LaunchRow struct {
	// Family and Kind that have it, the kind by service, e.g. ec2/Instance, and the path
	// of the Field below spec.forProvider.
	Family, Kind, Field string

	// To is what the tags go to, and Change what a change of them does.
	To, Change string

	// Used is true if it is stamped without a rule of the input.
	Used bool
}

// LaunchRows are what is known of all such fields, by family, kind and field.
func LaunchRows() []LaunchRow {
	var out []LaunchRow

	for _, f := range families {
		for kind, launches := range f.launches {
			for _, l := range launches {
				out = append(out, LaunchRow{Family: f.Name, Kind: kind, Field: l.String(), To: l.to, Change: string(l.change), Used: l.change.isFree()})
			}
		}
	}

	slices.SortFunc(out, func(a, b LaunchRow) int {
		return cmp.Or(strings.Compare(a.Family, b.Family), strings.Compare(a.Kind, b.Kind), strings.Compare(a.Field, b.Field))
	})

	return out
}

// String is the path of the field, with the items in question of a list.
func (l launch) String() string {
	if l.key == "" {
		return l.path()
	}

	items := "[]"
	if len(l.items) > 0 {
		items = "[" + l.key + ": " + strings.Join(l.items, ", ") + "]"
	}

	list, within, _ := strings.Cut(strings.TrimPrefix(l.paths[0].String(), forProvider), firstItem)

	return list + items + within
}
