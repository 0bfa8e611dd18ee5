package rights

import (
	_ "embed"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"pgregory.net/rapid"
	"sigs.k8s.io/yaml"

	"github.com/plexsphere/function-cloud-tags/tags/field"
	"github.com/plexsphere/function-cloud-tags/tags/object"
	"github.com/plexsphere/function-cloud-tags/tags/tagstest/managed"
	"github.com/plexsphere/function-cloud-tags/tags/words"
)

// A resourceKind is a kind of composed resources with known tag fields.
type resourceKind struct {
	APIVersion string         `json:"apiVersion"`
	Kind       string         `json:"kind"`
	Profile    string         `json:"profile"`
	Spec       map[string]any `json:"spec"`
	Fields     []tagField     `json:"fields"`
}

// A tagField is a place of tags.
type tagField struct {
	Path      object.Path `json:"path"`
	Shape     field.Shape `json:"shape"`
	Separator string      `json:"separator"`

	// Asked reports whether the field holds tags only if an entry of tagFields says so.
	Asked bool `json:"asked"`
}

//go:embed kinds.yaml
var kindsText []byte

var kinds = func() (out []resourceKind) {
	if err := yaml.UnmarshalStrict(kindsText, &out); err != nil {
		panic(err)
	}

	for _, k := range out {
		for i := range k.Fields {
			if k.Fields[i].Shape == "" {
				k.Fields[i].Shape = field.Map
			}
		}
	}

	return out
}()

// A resource is a composed resource, as the platform makes it.
type resource struct {
	resourceKind

	name     string
	metadata map[string]any
	policies []any  // Its managementPolicies, or nil.
	config   string // The kind of its provider config. A neighbor writes the ProviderConfig in the namespace.

	// earlier are tags of earlier steps, and applied those that Crossplane has applied, by the path of the field.
	earlier, applied map[string]map[string]any
}

// drawResources draws the resources of a composite resource.
func drawResources(t *rapid.T) (out []resource) {
	for i := range rapid.IntRange(1, 3).Draw(t, "resources") {
		r := resource{
			resourceKind: rapid.SampledFrom(kinds).Draw(t, "kind"), name: fmt.Sprintf("res-%d", i), earlier: make(map[string]map[string]any), applied: make(map[string]map[string]any),
			metadata: map[string]any{"name": fmt.Sprintf("x-%d", i)},
			config:   rapid.SampledFrom([]string{"ProviderConfig", "ClusterProviderConfig"}).Draw(t, "kind of the provider config"),
		}

		labels, annotations := map[string]any{}, map[string]any{"crossplane.io/composition-resource-name": r.name}
		if rapid.Bool().Draw(t, "has labels") {
			labels["tier"] = "data"
		}

		switch rapid.IntRange(0, 7).Draw(t, "left alone") {
		case 0:
			annotations["cloudtags.fn.plexsphere.com/ignore"] = "true"
		case 1:
			r.policies = []any{"Observe"}
		}

		r.metadata["labels"], r.metadata["annotations"] = labels, annotations

		for _, f := range r.Fields {
			r.earlier[f.Path.String()] = drawTags(t, "earlier tags", "e")
			r.applied[f.Path.String()] = drawTags(t, "applied tags", "p")
		}

		out = append(out, r)
	}

	return out
}

// drawTags draws tags of the platform, or none.
func drawTags(t *rapid.T, name, value string) map[string]any {
	out := make(map[string]any)
	if rapid.IntRange(0, 2).Draw(t, name) > 0 {
		return out
	}

	for _, key := range rapid.SliceOfNDistinct(rapid.SampledFrom(slices.Concat(drawKeys, []string{"first", "step"})), 1, 5, rapid.ID[string]).Draw(t, name+" keys") {
		out[key] = value
		if key == "step" {
			out[key] = "1" // matchTags of inputs looks for it.
		}
	}

	return out
}

// places returns where in the resource an editor writes (metadata, tag fields), or a tagger (the tags that a provider reports).
func (r *resource) places(p person) map[string]drawing {
	out := make(map[string]drawing)
	if p == editor {
		maps.Copy(out, places[p])
	}

	if p == editor {
		for _, f := range r.Fields {
			out[f.Path.String()] = pairs
		}
	}

	if p == tagger {
		for _, f := range r.Fields {
			if path := f.reported(); !path.IsZero() {
				out[path.String()] = reported
			}
		}
	}

	return out
}

// reported returns where a provider reports the tags of the field, or the zero path if it doesn't.
func (f *tagField) reported() object.Path {
	path := f.Path.String()
	if !strings.HasPrefix(path, "spec.") || strings.HasPrefix(path, "spec.initProvider.") {
		return object.Path{}
	}

	return object.MustParsePath(strings.NewReplacer("spec.forProvider.", "status.atProvider.", "spec.", "status.").Replace(path))
}

// holdsTags reports whether the field holds tags by the input.
func (f *tagField) holdsTags(input map[string]any) bool {
	return !f.Asked || slices.ContainsFunc(list(input["tagFields"]), func(entry any) bool { return union(entry)["fieldPath"] == f.Path.String() })
}

// shaped returns the tags in the shape of the field, sorted by key.
func (f *tagField) shaped(tags map[string]any) any {
	list := [][2]string{}
	for _, key := range slices.Sorted(maps.Keys(tags)) {
		list = append(list, [2]string{key, fmt.Sprint(tags[key])})
	}

	shape := f.Shape
	if shape == field.Labels {
		shape = field.Map
	}

	return managed.Shaped(&field.Field{Layout: field.Layout{Shape: shape, Separator: f.Separator, Delimiter: ","}, Key: "key", Value: "value"}, list)
}

// isMetadata reports whether the field is Kubernetes metadata, so that its entries stand beside others.
func (f *tagField) isMetadata() bool { return f.Path.Segments()[0].Field == "metadata" }

// isIgnored reports whether an earlier step has annotated the resource, so that its tags stay.
func (r *resource) isIgnored() bool {
	return union(r.metadata["annotations"])["cloudtags.fn.plexsphere.com/ignore"] != nil
}

// desired returns the resource as earlier steps have made it.
func (r *resource) desired() map[string]any {
	out := clone(map[string]any{"apiVersion": r.APIVersion, "kind": r.Kind, "metadata": r.metadata, "spec": r.Spec})
	if spec := child(out, "spec"); spec["forProvider"] != nil {
		spec["providerConfigRef"] = map[string]any{"kind": r.config, "name": "shared"}
		if r.policies != nil {
			spec["managementPolicies"] = r.policies
		}
	}

	for _, f := range r.Fields {
		r.tag(out, &f, r.earlier[f.Path.String()])
	}

	return out
}

// tag adds the tags to the field of an object, unless there are none.
func (r *resource) tag(o map[string]any, f *tagField, tags map[string]any) {
	if len(tags) == 0 {
		return
	}

	if there := at(o, f.Path.Segments()); f.isMetadata() && len(there) > 0 {
		tags = union(there[0], tags)
	}

	put(o, f.Path, f.shaped(tags))
}

// observed returns the resource as it is, with what people have written. The manager applies what earlier steps desire.
func (r *resource) observed(texts map[person]text, manager string) map[string]any {
	out := r.desired()
	metadata, mine, edited := child(out, "metadata"), map[string]any{}, map[string]any{}

	for _, name := range []string{"labels", "annotations"} {
		metadata[name] = union(metadata[name], texts[editor][r.name+" metadata."+name])
	}

	for _, f := range r.Fields {
		path := f.Path.String()
		applied := union(r.applied[path], r.earlier[path])
		typed, _ := texts[editor][r.name+" "+path].(map[string]any)
		r.tag(out, &f, union(typed, applied))
		f.own(mine, applied)
		f.own(edited, typed)
	}

	for place, v := range texts[tagger] {
		if path, ok := strings.CutPrefix(place, r.name+" "); ok {
			for _, f := range r.Fields {
				if f.reported().String() == path {
					tags, _ := v.(map[string]any)
					put(out, f.reported(), f.shaped(tags))
				}
			}
		}
	}

	managers := []any{}
	for _, m := range []struct {
		name, operation string
		fields          map[string]any
	}{{manager, "Apply", mine}, {"kubectl-edit", "Update", edited}} {
		managers = append(managers, map[string]any{"manager": m.name, "operation": m.operation, "apiVersion": r.APIVersion, "fieldsType": "FieldsV1", "fieldsV1": m.fields})
	}

	metadata["managedFields"] = managers
	child(metadata, "annotations")["crossplane.io/external-create-succeeded"] = "2026-01-01T00:00:00Z"

	return out
}

// own adds the tags in the field to the fields that a manager owns: each entry, or the whole field where entries have no owners.
func (f *tagField) own(fields, tags map[string]any) {
	if len(tags) == 0 || slices.ContainsFunc(f.Path.Segments(), func(s object.Segment) bool { return s.IsIndex }) {
		return
	}

	for _, s := range f.Path.Segments() {
		fields = child(fields, "f:"+s.Field)
	}

	for key, v := range tags {
		switch f.Shape {
		case field.Map, field.MapOfLists, field.Labels:
			child(fields, "f:"+key)
		case field.StringList:
			child(fields, "v:"+strconv.Quote(key+f.Separator+fmt.Sprint(v)))
		case field.KeyValueList, field.Joined, field.None: // Their owners own the whole field.
		}
	}
}

// child returns the map at the key, which it makes.
func child(m map[string]any, key string) map[string]any {
	if _, ok := m[key]; !ok {
		m[key] = make(map[string]any)
	}

	out, _ := m[key].(map[string]any)

	return out
}

// union returns the entries of all maps. Later ones win.
func union(all ...any) map[string]any {
	out := make(map[string]any)

	for _, m := range all {
		entries, _ := m.(map[string]any)
		maps.Copy(out, entries)
	}

	return out
}

// clone returns a deep copy of a tree.
func clone[T any](tree T) T {
	switch v := any(tree).(type) {
	case map[string]any:
		out := make(map[string]any, len(v))
		for key, value := range v {
			out[key] = clone(value)
		}

		return any(out).(T) //nolint:forcetypeassert // It is a map.
	case []any:
		return any(words.Map(v, clone[any])).(T) //nolint:forcetypeassert // It is a list.
	default:
		return tree
	}
}

// put puts the value at the path. It makes maps on the way, but no items of lists.
func put(tree map[string]any, path object.Path, v any) {
	segments := path.Segments()
	last := segments[len(segments)-1]

	for _, s := range segments[:len(segments)-1] {
		if s.IsIndex {
			continue
		}

		if items, ok := tree[s.Field].([]any); ok {
			tree, _ = items[0].(map[string]any)
		} else {
			tree = child(tree, s.Field)
		}
	}

	tree[last.Field] = v
}

// at returns the values at the path, where [0] stands for each item of a list.
func at(v any, segments object.Segments) (out []any) {
	if items, ok := v.([]any); ok && len(segments) > 0 {
		for _, item := range items {
			out = append(out, at(item, segments)...)
		}

		return out
	}

	switch fields, _ := v.(map[string]any); {
	case v == nil:
		return nil
	case len(segments) == 0:
		return []any{v}
	case segments[0].IsIndex:
		return at(v, segments[1:])
	default:
		return at(fields[segments[0].Field], segments[1:])
	}
}
