package report

import (
	"fmt"
	"maps"
	"slices"

	"google.golang.org/protobuf/types/known/structpb"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/plexsphere/function-cloud-tags/tags/field"
	"github.com/plexsphere/function-cloud-tags/tags/object"
	"github.com/plexsphere/function-cloud-tags/tags/words"
)

// status returns the desired composite resource with the tags in its status, or none if the input asks for no status.
// Values of earlier steps stay, also of steps of this function. lacks name the places where such a value keeps the tags
// from being written.
func (r *Run) status(out *Facts) (xr object.Object, lacks []string) {
	path := r.Input.StatusFieldPath
	if path.IsZero() {
		return object.Object{}, nil
	}

	xr = object.Of(r.Request.GetDesired().GetComposite())
	old, _ := object.Get(xr, path) // object.Set says what is wrong.

	active := activeTags(out)
	r.omitEmptied(active)

	if len(active.GetFields()) == 0 {
		return object.Object{}, nil
	}

	m := merger{}

	declared := m.declared(path.Segments(), 0, r.schema(), structpb.NewStructValue(active))
	if declared == nil {
		return object.Object{}, m.lacks
	}

	merged := m.merge(path.Segments(), old, declared)
	if merged.GetStructValue() == nil {
		return object.Object{}, m.lacks
	}

	written, err := object.Set(xr, path, object.NodeOf(merged))
	if err != nil {
		return object.Object{}, []string{fmt.Sprintf("cannot write %s: %s", path, err)}
	}

	return written, m.lacks
}

// activeTags returns an object with the tags of each resource, as tag fields have them in the end, with the keys of each
// provider, which people activate for cost allocation, and with the picked classes.
func activeTags(f *Facts) *structpb.Struct {
	out := newStruct()
	resources, providers := within(out, "resources"), within(out, "providers")
	keys := make(map[string][]string)

	for i := range f.Results {
		if s := &f.Results[i]; len(s.Final) > 0 {
			put(within(resources, s.Resource), s.Final)
			keys[s.Provider] = slices.AppendSeq(keys[s.Provider], maps.Keys(s.Final))
		}
	}

	for provider, names := range keys {
		providers.Fields[provider] = listOf(names)
	}

	for source, c := range f.Set.Classes {
		picked := map[string]string{"apiVersion": object.APIVersion(c), "kind": object.Kind(c), "name": object.Name(c)}
		if namespace := object.Namespace(c); namespace != "" {
			picked["namespace"] = namespace
		}

		put(within(out, "classes", source), picked)
	}

	return out
}

// omitEmptied leaves out empty objects, unless the observed status has them empty, too. Server-side apply would make
// null of an emptied object, and the API server refuses null. It takes away an object that isn't there. The next run
// brings it back, empty.
func (r *Run) omitEmptied(active *structpb.Struct) {
	status, _ := r.xr.At(r.Input.StatusFieldPath) // A status without such a path has no objects.

	maps.DeleteFunc(active.GetFields(), func(name string, v *structpb.Value) bool {
		return len(v.GetStructValue().GetFields()) == 0 && !status.Field(name).IsEmpty()
	})
}

// RequireSchema asks Crossplane for the schema of the composite resource, if the input asks for a status: the schema declares its fields.
func (r *Run) RequireSchema() {
	if !r.Input.StatusFieldPath.IsZero() && object.Kind(r.xr) != "" {
		r.Required.RequireSchemas(slices.Values([]schema.GroupVersionKind{r.kind()}))
	}
}

// schema returns the schema of the composite resource, or no object if Crossplane sends none.
func (r *Run) schema() object.Node { return r.Required.Schema(r.kind()) }

// kind returns the kind of the composite resource.
func (r *Run) kind() schema.GroupVersionKind {
	return schema.FromAPIVersionAndKind(object.APIVersion(r.xr), object.Kind(r.xr))
}

// A merger merges values into others. lacks name the places where it could not, because the XRD doesn't declare them, or because the old value
// has another kind.
type merger struct{ lacks []string }

// types are the types of values in OpenAPI, by their kinds in messages.
var types = map[string]string{"an object": "object", "a list": "array", "a string": "string"}

// declared returns the value at the path as far as the schema s declares it, or nil. With an undeclared field, the API server would refuse
// the whole status. s is the schema of the object that the first known segments of the path lead to: at first, the whole composite resource.
func (m *merger) declared(path object.Segments, known int, s object.Node, v *structpb.Value) *structpb.Value {
	if !s.IsObject() { // Nobody knows the schema.
		return v
	}

	for ; known < len(path); known++ {
		in, isOpen := field.Inside(s, path[known])

		switch {
		case isOpen:
			return v
		case !in.IsObject():
			m.lacks = append(m.lacks, fmt.Sprintf("cannot write %s: the XRD doesn't declare it", words.Name(path.String())))
			return nil
		}

		s = in
	}

	want := types[object.KindOf(v)]
	if got := s.Field("type").Text(); got != "" && got != want {
		m.lacks = append(m.lacks, fmt.Sprintf("cannot write %s: the XRD declares it as %s, not as %s", words.Name(path.String()), words.Name(got), want))
		return nil
	}

	switch w := v.GetKind().(type) {
	case *structpb.Value_StructValue:
		return m.declaredFields(path, s, w.StructValue)
	case *structpb.Value_ListValue: // All items are strings.
		item := append(slices.Clip(path), object.Segment{IsIndex: true})
		if first := w.ListValue.GetValues(); len(first) > 0 && m.declared(item, len(path), s, first[0]) == nil {
			return nil
		}
	}

	return v
}

// declaredFields is declared for the fields of an object. If none of several is declared, the object is what can't be written.
func (m *merger) declaredFields(path object.Segments, s object.Node, v *structpb.Struct) *structpb.Value {
	out, inside := newStruct(), merger{}

	for _, name := range slices.Sorted(maps.Keys(v.GetFields())) {
		at := append(slices.Clip(path), object.Segment{Field: name})
		if value := inside.declared(at, len(path), s, v.GetFields()[name]); value != nil {
			out.Fields[name] = value
		}
	}

	if len(inside.lacks) > 0 && len(out.GetFields()) == 0 {
		m.lacks = append(m.lacks, fmt.Sprintf("cannot write %s: the XRD declares none of its fields", words.Name(path.String())))
		return nil
	}

	m.lacks = append(m.lacks, inside.lacks...)

	return structpb.NewStructValue(out)
}

// merge returns the old value at the path with the new one, and changes neither. Objects are merged field by field, and
// lists to all their strings, sorted. An old value of another kind stays.
func (m *merger) merge(path object.Segments, old, with *structpb.Value) *structpb.Value {
	if object.IsNull(old) {
		return with
	}

	if want := kindOf(with); kindOf(old) != want {
		m.lacks = append(m.lacks, fmt.Sprintf("cannot write %s: an earlier step has made it %s, not %s", words.Name(path.String()), object.KindOf(old), want))
		return old
	}

	switch w := with.GetKind().(type) {
	case *structpb.Value_StructValue:
		return structpb.NewStructValue(m.fields(path, old.GetStructValue(), w.StructValue))
	case *structpb.Value_ListValue:
		return listOf(words.Map(slices.Concat(old.GetListValue().GetValues(), w.ListValue.GetValues()), (*structpb.Value).GetStringValue))
	default:
		return with
	}
}

// fields returns the merged fields of the objects at the path.
func (m *merger) fields(path object.Segments, old, with *structpb.Struct) *structpb.Struct {
	out := newStruct()
	maps.Copy(out.GetFields(), old.GetFields())

	for _, name := range slices.Sorted(maps.Keys(with.GetFields())) {
		at := append(slices.Clip(path), object.Segment{Field: name})
		out.Fields[name] = m.merge(at, old.GetFields()[name], with.GetFields()[name])
	}

	return out
}

// kindOf returns the kind of the value in the words of messages. A list of strings is another kind than any other list.
func kindOf(v *structpb.Value) string {
	list := v.GetListValue()
	if list == nil || slices.ContainsFunc(list.GetValues(), func(v *structpb.Value) bool { return kindOf(v) != "a string" }) {
		return object.KindOf(v)
	}

	return "a list of strings"
}

// listOf returns the list of the texts, sorted, and each once. It changes the order of texts.
func listOf(texts []string) *structpb.Value {
	slices.Sort(texts)

	return structpb.NewListValue(&structpb.ListValue{Values: words.Map(slices.Compact(texts), structpb.NewStringValue)})
}

func newStruct() *structpb.Struct {
	return &structpb.Struct{Fields: make(map[string]*structpb.Value)}
}

// within returns the object at the path of s. It makes the objects that are missing.
func within(s *structpb.Struct, path ...string) *structpb.Struct {
	for _, name := range path {
		child := s.GetFields()[name].GetStructValue()
		if child.GetFields() == nil {
			child = newStruct()
			s.Fields[name] = structpb.NewStructValue(child)
		}

		s = child
	}

	return s
}

// put the strings into the object s.
func put(s *structpb.Struct, texts map[string]string) {
	for key, value := range texts {
		s.Fields[key] = structpb.NewStringValue(value)
	}
}
