package field

import (
	_ "embed"
	"iter"
	"slices"
	"strings"

	"google.golang.org/protobuf/types/known/structpb"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/plexsphere/function-cloud-tags/tags/object"
	"github.com/plexsphere/function-cloud-tags/tags/words"
)

// A launch is a field with tags of other resources: those launched by resources of a kind, such as the
// volumes of an instance.
type launch struct {
	*candidate

	// ListedLaunch has what a Listing says of the field, but for TagFields and the paths If and Unless.
	ListedLaunch

	// family and kind that have it, the kind by service, e.g. ec2/Instance, and the path of the
	// field below spec.forProvider, with the items in question of a list in brackets.
	family, kind, field string

	// with and without are fields below spec.forProvider. The field is left alone if none of
	// the first is there, if there are such, or any of the last: other than empty or false.
	with, without []condition

	// attachment is a resource that attaches a volume, or nil.
	attachment *Attachment
}

// A condition is a field of spec.forProvider on which a launch depends, and the same field of spec.initProvider.
type condition struct{ path, initial object.Path }

// String returns the path of the field of spec.forProvider.
func (c condition) String() string { return c.path.String() }

// isThere reports whether the desired or the observed resource has the field. Only desired resources count for spec.initProvider.
func (c condition) isThere(desired, observed object.Object) bool {
	return holds(desired, c.path) || holds(observed, c.path) || holds(desired, c.initial)
}

//go:embed launched.txt
var launchedText string

// launched are the launches of all families: see launched.txt.
var launched = words.Map(slices.Collect(rows(launchedText)), parseLaunch)

// parseLaunch reads a row of launched.txt. The file is our own, so that it panics at a mistake.
func parseLaunch(row string) launch {
	columns := strings.Split(row, "; ")
	place := strings.SplitN(columns[0], " ", 3)

	l := launch{
		ListedLaunch: ListedLaunch{TagsOf: columns[1], Change: columns[2]}, family: place[0], kind: place[1], field: strings.TrimPrefix(place[2], "."),
	}

	if list, rest, ok := strings.Cut(place[2], "["); ok {
		items, within, _ := strings.Cut(rest, "]")
		l.ItemKey, items, _ = strings.Cut(items, ": ")
		l.candidate = at(list + firstItem + within)

		if items != "*" {
			l.Items = strings.Split(items, ", ")
		}
	} else {
		l.candidate = at(place[2], place[2])
	}

	for _, column := range columns[3:] {
		switch name, value, _ := strings.Cut(column, "="); name {
		case "list":
			l.shapes = []Shape{KeyValueList}
		case "value":
			l.shapes, l.observed, l.Value = []Shape{onOff}, nil, value
		case "if":
			l.with = conditionsOf(value)
		case "unless":
			l.without = conditionsOf(value)
		case "attached":
			l.attachment = newAttachment(&l, value)
		default:
			panic("launched.txt: unknown word " + name)
		}
	}

	return l
}

// conditionsOf returns the fields below spec.forProvider, which have commas between them.
func conditionsOf(fields string) []condition {
	return words.Map(strings.Split(fields, ","), func(field string) condition {
		path := object.MustParsePath(forProvider + field)

		return condition{path, InitialPath(path)}
	})
}

// isUsed reports whether the field is stamped without an entry of tagFields: a change takes effect, and
// harms no running resource.
func (l launch) isUsed() bool { return l.Change == "in place" || l.Change == "with the next launch" }

// SwitchNames returns the names of fields without tags that pass on the tags of a resource, such as
// propagateTags.
func SwitchNames() []string {
	return words.MapIf(launched, func(l launch) (string, bool) { return l.field[strings.LastIndexByte(l.field, '.')+1:], l.Value != "" })
}

// launchesOf returns the family of the kind, the launches that are stamped without tagFields, and all other launches.
func launchesOf(gk schema.GroupKind) (f *family, used, unused []launch) {
	f, service := familyOf(gk)
	kind := service + "/" + gk.Kind

	for i := range launched {
		switch l := &launched[i]; {
		case l.family != f.Name || l.kind != kind:
		case l.isUsed():
			used = append(used, *l)
		default:
			unused = append(unused, *l)
		}
	}

	return f, used, unused
}

// NeverWrittenLaunches returns the paths of launched fields of the kind that get no tags. A change of their tags would replace a running
// resource, fail, or have no effect. An example is spec.forProvider.ebsBlockDevice.tags of an Instance, as ValuesAt
// takes it.
func NeverWrittenLaunches(gk schema.GroupKind) []object.Path {
	_, _, unused := launchesOf(gk)
	return words.Map(unused, func(l launch) object.Path { return l.paths[0] })
}

// ReadLaunched returns the launched fields of the kind by its schema s, one for each launched field that launchedResources: Tag writes, in
// the order of Index.Launched. A field that s lacks has the shape None.
func ReadLaunched(gvk schema.GroupVersionKind, s object.Node) []Field {
	_, used, _ := launchesOf(gvk.GroupKind())
	return words.Map(used, func(l launch) Field { return l.read(s) })
}

// A Launched field holds tags of resources that another resource launches. It is written only if the
// object around it is there.
type Launched struct {
	// Field has its path in the resource or, with a List, in an item of the list.
	Field

	// List is the path of the list in whose items the field is. Zero if it is in none.
	List object.Path

	// Key is the field that tells the items of a list apart, such as resourceType in tagSpecifications. Item is its value in
	// the item that gets tags, such as volume. The item is added if it is missing. If Item is empty, each item gets tags.
	Key, Item string

	// Value is the value of a switch, such as SERVICE of propagateTags. It is empty for fields with tags. See On.
	Value string

	// around is the path of the object that must be there. Zero if none must.
	around object.Path

	with, without []condition

	// Attachment is the kind of resources that attach volumes to the resource, or nil. Such a volume may have tags of its own, which the
	// field would overwrite.
	Attachment *Attachment
}

// fieldsAt returns the launched fields of the launch, at the field f of a kind of the family.
func (l launch) fieldsAt(f Field, fam *family) []Launched {
	out := Launched{Field: f, Value: l.Value, with: l.with, without: l.without, Attachment: l.attachment}
	place := f.Path

	if l.ItemKey != "" {
		list, within, _ := strings.Cut(f.Path.String(), firstItem+".")
		out.List, out.Path, out.Key = object.MustParsePath(list), object.MustParsePath(within), l.ItemKey
		place = out.List
	}

	if above := place.First(len(place.Segments()) - 1); above.String()+"." != forProvider {
		out.around = above
	}

	// Controllers add tags to a resource's own tags, but not here.
	if fam.Native {
		out.ProviderTags = nil
	}

	// The provider fills a missing field of the resource, but not a field of an object that is there.
	out.LateInit = fam.Upjet && l.ItemKey == "" && out.around.IsZero()

	items := l.Items
	if len(items) == 0 {
		items = []string{""}
	}

	return words.Map(items, func(item string) Launched {
		out.Item = item
		return out
	})
}

// LabelsGoTo reports whether labels go to the field in the item of the list, such as volume.
func (l *Launched) LabelsGoTo(item string) bool { return l.Item == "" || item == l.Item }

// IsSwitch reports whether the field holds no tags, but tells the cloud to pass on the tags of the resource. An example is
// propagateTags: SERVICE.
func (l *Launched) IsSwitch() bool { return l.Value != "" }

// On returns the value of the switch as a resource has it: the text SERVICE, or a boolean for true.
func (l *Launched) On() object.Node {
	if l.Value == "true" {
		return object.NodeOf(structpb.NewBoolValue(true))
	}

	return object.TextNode(l.Value)
}

// IsInList reports whether the field is in the items of a list. An example is tags in the items of tagSpecifications.
func (l *Launched) IsInList() bool { return !l.List.IsZero() }

// Name returns the path of the field for messages, such as spec.forProvider.tagSpecifications[volume].tags.
func (l *Launched) Name() string {
	if l.List.IsZero() {
		return l.Path.String()
	}

	return l.List.String() + "[" + l.Item + "]." + l.Path.String()
}

// Applies reports whether the field of the desired resource may hold tags. Fields that the provider has
// filled in the observed resource count like desired fields, and so do fields of spec.initProvider.
func (l *Launched) Applies(desired, observed object.Object) bool {
	if !l.around.IsZero() {
		if around, err := desired.At(l.around); err != nil || !around.IsObject() {
			return false
		}
	}

	isThere := func(c condition) bool { return c.isThere(desired, observed) }

	return (len(l.with) == 0 || slices.ContainsFunc(l.with, isThere)) && !slices.ContainsFunc(l.without, isThere)
}

// holds reports whether the resource has anything but empty or false at the path, which may be zero: see ValuesAt.
func holds(o object.Object, path object.Path) bool {
	if path.IsZero() {
		return false
	}

	for v := range ValuesAt(o, path) {
		if !v.IsNull() && (v.Len() > 0 || !v.IsObject() && !v.IsList()) && v.Value().AsInterface() != false {
			return true
		}
	}

	return false
}

// ValuesAt returns the values that the resource has at the path in every item of the lists on the way, which have no index
// there: spec.forProvider.ebsBlockDevice.tags are the tags of all devices.
func ValuesAt(o object.Object, path object.Path) iter.Seq[object.Node] {
	return func(yield func(object.Node) bool) { eachAt(o.Node(), path.Segments(), yield) }
}

// eachAt yields the values that the node has at the path, until yield returns false.
func eachAt(n object.Node, path object.Segments, yield func(object.Node) bool) bool {
	switch {
	case len(path) == 0:
		return !n.IsThere() || yield(n)
	case !n.IsList():
		return eachAt(n.Field(path[0].Field), path[1:], yield)
	}

	for item := range n.Items() {
		if !eachAt(item, path, yield) {
			return false
		}
	}

	return true
}

// Launched returns the launched fields of the kind: by the built-in index, if all releases that serve
// the kind agree, or else by the kind's schema.
func (s Schemas) Launched(k Kind) []Launched {
	fam, used, _ := launchesOf(k.GroupKind())
	if len(used) == 0 {
		return nil
	}

	fields, sure := BuiltIn().launchedBy(k.GroupVersionKind)
	if !sure && k.Managed {
		if node := s.Of(k.GroupVersionKind); node.IsObject() {
			fields = ReadLaunched(k.GroupVersionKind, node)
		}
	}

	var out []Launched

	for _, f := range fields {
		for _, l := range used {
			if slices.ContainsFunc(l.paths, f.Path.Equal) {
				out = append(out, l.fieldsAt(f, fam)...)
			}
		}
	}

	return out
}

// launchedBy returns the launched fields of the kind that all surveyed releases have. sure is false if
// releases don't agree on a field, or if the index doesn't have the kind.
func (i *Index) launchedBy(gvk schema.GroupVersionKind) (fields []Field, sure bool) {
	sure = i.variants(gvk) != nil

	for _, e := range i.Launched(gvk) {
		if len(e) == 1 {
			fields = append(fields, e[0].Field)
		} else {
			sure = false
		}
	}

	return fields, sure
}

// Launched returns the Variants of each launched field of the kind, in the order of ReadLaunched. In their paths, [0] stands
// for each item of a list: spec.forProvider.tagSpecifications[0].tags.
func (i *Index) Launched(gvk schema.GroupVersionKind) []Variants {
	return i.block(gvk.Group).launched[version{gvk.Version, gvk.Kind}]
}
