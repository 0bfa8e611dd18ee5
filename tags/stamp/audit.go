package stamp

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"

	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/known/structpb"
	"sigs.k8s.io/structured-merge-diff/v6/fieldpath"

	paths "github.com/crossplane/crossplane-runtime/v2/pkg/fieldpath"

	"github.com/plexsphere/function-cloud-tags/tags"
	"github.com/plexsphere/function-cloud-tags/tags/field"
	"github.com/plexsphere/function-cloud-tags/tags/structpath"
)

// composedOwner is what the names of the field managers start with by which Crossplane
// applies composed resources.
const composedOwner = "apiextensions.crossplane.io/composed"

// A Change is what changes in the tags of a resource once Crossplane applies it.
type Change struct {
	Resource   string
	APIVersion string
	Kind       string

	// Added, Changed and Removed tags by key. Those added have no value before, and
	// those removed none after.
	Added, Changed, Removed map[string]Values
}

// Values of a tag.
type Values struct {
	Before, After string
}

// Audit adds to the supplied outcome what changes in the tags of the supplied targets.
func (s *Stamper) Audit(targets []Target, out *Outcome) {
	for i := range targets {
		t := &targets[i]

		if !t.managed || t.leave != "" {
			continue
		}

		if c := s.change(t, out.resource(t)); c != nil {
			out.Changes = append(out.Changes, *c)
		}
	}
}

// change returns what changes in the tags of the supplied target, which becomes the
// supplied resource, or nil if nothing does.
func (s *Stamper) change(t *Target, stamped *structpb.Struct) *Change {
	observed := s.Observed[t.Name].GetResource()

	// What can't be read was left alone.
	before, err := structpath.Get(observed, t.field.Path.String())
	if err != nil {
		return nil
	}

	after, err := structpath.Get(stamped, t.field.Path.String())
	if err != nil || settled(before, after) {
		return nil
	}

	// Here all strings are tags.
	k := s.planFor(t).known
	k.patterns = tags.NewKeySet("*")

	old, err := read(before, &t.field, t.profile, k)
	if err != nil {
		return nil
	}

	desired, err := read(after, &t.field, t.profile, k)
	if err != nil {
		return nil
	}

	c := &Change{
		Resource:   t.Name,
		APIVersion: apiVersionOf(t.Resource),
		Kind:       kindOf(t.Resource),
		Added:      make(map[string]Values),
		Changed:    make(map[string]Values),
		Removed:    make(map[string]Values),
	}

	observedTags := entriesOf(old)

	values := make(map[string]entry, len(observedTags))
	for _, e := range observedTags {
		values[e.id] = e
	}

	for _, e := range entriesOf(desired) {
		was, ok := values[e.id]
		delete(values, e.id)

		switch {
		case !ok:
			c.Added[e.key] = Values{After: text(e.value)}
		case !sameValue(was.value, e.value):
			c.Changed[e.key] = Values{Before: text(was.value), After: text(e.value)}
		}
	}

	if len(values) > 0 {
		owns := owned(observed, &t.field)

		for _, e := range observedTags {
			if _, gone := values[e.id]; gone && !slices.Contains(tags.ProvidersKeys(), e.key) && owns(e) {
				c.Removed[e.key] = Values{Before: text(e.value)}
			}
		}
	}

	if len(c.Added)+len(c.Changed)+len(c.Removed) == 0 {
		return nil
	}

	return c
}

// settled is true if the first value of a tag field is the second one, but for the tags
// that the provider has added to a map. That is so in most runs.
func settled(before, after *structpb.Value) bool {
	was, is := before.GetStructValue(), after.GetStructValue()
	if was == nil || is == nil {
		return proto.Equal(before, after)
	}

	for key, v := range is.GetFields() {
		if old, ok := was.GetFields()[key]; !ok || !sameValue(old, v) {
			return false
		}
	}

	for key := range was.GetFields() {
		if _, ok := is.GetFields()[key]; !ok && !slices.Contains(tags.ProvidersKeys(), key) {
			return false
		}
	}

	return true
}

// sameValue is true if the supplied values are equal. Most are strings.
func sameValue(a, b *structpb.Value) bool {
	if s, ok := b.GetKind().(*structpb.Value_StringValue); ok && a != nil {
		return isText(a, s.StringValue)
	}

	return proto.Equal(a, b)
}

// text of the supplied value of a tag. One that is no string is put as JSON.
func text(v *structpb.Value) string {
	switch k := v.GetKind().(type) {
	case nil:
		return ""
	case *structpb.Value_StringValue:
		return k.StringValue
	default:
		j, _ := json.Marshal(v.AsInterface()) //nolint:errchkjson // Only a number that isn't one can't be encoded.
		return string(j)
	}
}

// owned returns what says whether server-side apply removes an entry of the supplied
// field from the supplied resource, if it is desired no longer. That is so for what
// Crossplane has applied, but not for what others have, or have too.
func owned(r *structpb.Struct, f *field.Field) func(e entry) bool {
	all := func(entry) bool { return true }
	if f.Atomic {
		return all
	}

	managers, err := structpath.Get(r, "metadata.managedFields")
	if err != nil || managers.GetListValue() == nil {
		return all // Nobody says who owns it.
	}

	path, err := pathOf(f)
	if err != nil {
		return all
	}

	ours, others := make(map[string]bool), make(map[string]bool)
	deepest, whole := 0, 0

	for _, m := range managers.GetListValue().GetValues() {
		fields := m.GetStructValue().GetFields()
		composed := strings.HasPrefix(fields["manager"].GetStringValue(), composedOwner)

		is := others
		if composed {
			is = ours
		}

		j, err := fields["fieldsV1"].MarshalJSON()
		if err != nil {
			continue
		}

		set := &fieldpath.Set{}
		if err := set.FromJSON(bytes.NewReader(j)); err != nil {
			continue
		}

		set, depth, leaf := follow(set, path)
		if composed && leaf {
			whole = max(whole, depth)
		} else {
			deepest = max(deepest, depth)
		}

		set.Iterate(func(p fieldpath.Path) { is[ownedID(p[0], f)] = true })
	}

	// A field that is owned, while nobody owns anything in it, is atomic, though we didn't
	// know that.
	if whole > 0 && deepest <= whole {
		return all
	}

	return func(e entry) bool {
		id := e.key
		if e.item != nil && f.Shape == field.StringList {
			id = e.item.GetStringValue()
		}

		return ours[id] && !others[id]
	}
}

// follow the supplied path into what a manager owns. It returns what the manager owns in
// the field, how many elements of the path lead to something that it owns, and whether
// it owns nothing in that.
func follow(set *fieldpath.Set, path fieldpath.Path) (in *fieldpath.Set, depth int, leaf bool) {
	for i, e := range path {
		owns := set.Members.Has(e)
		set = set.WithPrefix(e)

		if owns {
			depth, leaf = i+1, set.Empty()
		}
	}

	if !set.Empty() {
		depth = len(path) + 1
	}

	return set, depth, leaf
}

// pathOf returns the path of the supplied field among the fields that a manager owns.
func pathOf(f *field.Field) (fieldpath.Path, error) {
	segments, err := paths.Parse(f.Path.String())
	if err != nil {
		return nil, err
	}

	out := make(fieldpath.Path, len(segments))

	for i, sg := range segments {
		if sg.Type == paths.SegmentIndex {
			out[i].Index = new(int(sg.Index))
		} else {
			out[i].FieldName = new(sg.Field)
		}
	}

	return out, nil
}

// ownedID is what tells an entry of the supplied field from others, among the paths of
// the fields that a manager owns: the key of a tag, or the whole string.
func ownedID(e fieldpath.PathElement, f *field.Field) string {
	switch {
	case e.FieldName != nil:
		return *e.FieldName
	case e.Key != nil:
		for _, k := range *e.Key {
			if k.Name == f.Key && k.Value.IsString() {
				return k.Value.AsString()
			}
		}
	case e.Value != nil && (*e.Value).IsString():
		return (*e.Value).AsString()
	}

	return ""
}
