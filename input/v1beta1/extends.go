package v1beta1

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/known/structpb"

	"github.com/crossplane/function-sdk-go/errors"

	"github.com/plexsphere/function-cloud-tags/tags/object"
)

// A Standard is an input below another one, which names it in extends.
//
// +kubebuilder:object:generate=false
type Standard struct {
	// Title is the name of the standard's object in messages, e.g. ConfigMap platform/tags.
	Title string

	// Value is the standard: an object, or a string of YAML. The caller limits its size.
	Value *structpb.Value
}

// A StandardError says that no input can extend a standard, since the standard itself is broken.
//
// +kubebuilder:object:generate=false
type StandardError struct{ Err error }

func (e *StandardError) Error() string { return e.Err.Error() }

// Unwrap returns what is wrong with the standard.
func (e *StandardError) Unwrap() error { return e.Err }

// Origins are the origins of the settings of a joined input: the input itself, or its standard.
type Origins struct {
	// Standard is the name of the standard's object in messages.
	Standard string

	// Settings of the joined input: its fields, and the items of joined lists, sorted by field.
	Settings []Setting

	// at has the settings by their paths.
	at map[string]Setting
}

// A Setting is a field of a joined input, or an item of a list that was joined.
type Setting struct {
	// Path of the setting in the joined input, such as sources[1]. Written is its path in the input or in the standard, whichever
	// has the setting, such as sources[0]. The two differ only for items of lists.
	Path, Written string

	// Standard reports whether the setting comes from the standard. Otherwise, it comes from the input.
	Standard bool

	// Overrides is the JSON of the value that doesn't count, such as "Warn" in quotes if the standard has tagPolicy.enforcement:
	// Error. It is the value of the standard, or of the input if the standard's is stricter. It is empty if only one of both has
	// the setting, or if the values are equal.
	Overrides string
}

// Where formats a path of the input for messages, as fmt.Sprintf does: sources[1]. In a joined input, it returns the path at which the
// field was written: sources[0] of ConfigMap platform/tags.
func (in *CloudTags) Where(format string, args ...any) string {
	return in.Origins.where(fmt.Sprintf(format, args...))
}

// where returns the original path of the field: see Where.
func (o *Origins) where(path string) string {
	path, suffix := o.written(path)
	return path + suffix
}

// written returns the path at which a field was written, and the suffix " of ConfigMap platform/tags" if it is the standard's.
func (o *Origins) written(path string) (written, suffix string) {
	for end := len(path); o != nil && end > 0; end = strings.LastIndexAny(path[:end], ".[") {
		s, ok := o.at[path[:end]]
		if !ok {
			continue
		}

		if s.Standard {
			suffix = " of " + o.Standard
		}

		return s.Written + path[end:], suffix
	}

	return path, ""
}

// IsStandard reports whether the setting with the Path is the standard's. It returns false for other paths, and without a standard.
func (o *Origins) IsStandard(path string) bool { return o != nil && o.at[path].Standard }

// add a setting.
func (o *Origins) add(s Setting) {
	o.at[s.Path] = s
	o.Settings = append(o.Settings, s)
}

// A joint says how a list of an input is joined with the same list of its standard.
type joint struct {
	// ownFirst says whether the items of the input come before the standard's.
	ownFirst bool

	// key is the field that differs for all items, such as provider. An item of the input replaces the standard's item
	// with the same key. Empty if all items stay.
	key string
}

// joints are all lists that are joined. Other fields of an input replace the fields of its standard.
var joints = map[string]joint{
	"sources":            {},
	"keyFormats":         {key: "provider"},
	"valueFormats":       {key: "provider"},
	"kubernetesMetadata": {},
	"tagFields":          {ownFirst: true},
	"removeTags":         {ownFirst: true},
	"ignoreTags":         {ownFirst: true},
	"tagPolicy.rules":    {},
	"reservedKeys":       {},
}

// strictest are the values of fields that hold if either the input or its standard has them.
var strictest = map[string]string{
	"limitPolicy":           string(LimitPolicyApplyStrict),
	"tagPolicy.enforcement": string(PolicyEnforcementError),
}

// join returns the input with all settings of the standard: as people would write it without a standard.
func join(input, standard *structpb.Struct, title string) (*structpb.Struct, *Origins) {
	o := &Origins{Standard: title, at: make(map[string]Setting)}

	return &structpb.Struct{Fields: o.join("", input.GetFields(), standard.GetFields())}, o
}

// join returns the fields of an object at the path prefix, which ends in a dot unless it is empty.
func (o *Origins) join(prefix string, input, standard map[string]*structpb.Value) map[string]*structpb.Value {
	out := make(map[string]*structpb.Value)
	maps.Copy(out, standard)
	maps.Copy(out, input)

	for _, name := range slices.Sorted(maps.Keys(out)) {
		path, above, below := prefix+name, input[name], standard[name]
		how, joins := joints[path]

		switch {
		case path == "apiVersion" || path == "kind": // Both have the same.
		case path == "metadata" || path == "extends":
			delete(out, name)
		case joins:
			out[name] = o.list(path, how, above.GetListValue().GetValues(), below.GetListValue().GetValues())
		case path == "tagPolicy":
			out[name] = structpb.NewStructValue(&structpb.Struct{Fields: o.join("tagPolicy.", above.GetStructValue().GetFields(), below.GetStructValue().GetFields())})
		case above == nil || isStricter(path, above, below):
			out[name] = below
			o.add(Setting{Path: path, Written: path, Standard: true, Overrides: differing(below, above)})
		default:
			o.add(Setting{Path: path, Written: path, Overrides: differing(above, below)})
		}
	}

	return out
}

// isStricter reports whether the field at path is the standard's because that is stricter.
func isStricter(path string, input, standard *structpb.Value) bool {
	strict, ok := strictest[path]

	return ok && standard.GetStringValue() == strict && input.GetStringValue() != strict
}

// list returns the joined list at path, of the items of the input and of its standard.
func (o *Origins) list(path string, how joint, input, standard []*structpb.Value) *structpb.Value {
	out := &structpb.ListValue{}
	item := func(i int) string { return fmt.Sprintf("%s[%d]", path, i) }

	addOwn := func() {
		for i, v := range input {
			s := Setting{Path: item(len(out.GetValues())), Written: item(i)}
			if at := how.find(standard, v); at >= 0 {
				s.Overrides = differing(v, standard[at])
			}

			o.add(s)
			out.Values = append(out.Values, v)
		}
	}

	if how.ownFirst {
		addOwn()
	}

	for i, v := range standard {
		if how.find(input, v) < 0 {
			o.add(Setting{Path: item(len(out.GetValues())), Written: item(i), Standard: true})
			out.Values = append(out.Values, v)
		}
	}

	if !how.ownFirst {
		addOwn()
	}

	return structpb.NewListValue(out)
}

// find returns the position of the item that has the key of v, or -1 if there is none.
func (j joint) find(items []*structpb.Value, v *structpb.Value) int {
	return slices.IndexFunc(items, func(item *structpb.Value) bool {
		return j.key != "" && (self{item}).text(j.key) == (self{v}).text(j.key)
	})
}

// differing returns the JSON of the other value if there is one and it differs, or an empty string.
func differing(v, other *structpb.Value) string {
	if other == nil || proto.Equal(v, other) {
		return ""
	}

	j, _ := json.Marshal(other.AsInterface()) //nolint:errchkjson // Inputs with a NaN, which has no JSON, are refused before.

	return string(j)
}

// read returns the standard as an object. It validates the structure: the structure of an input.
func (s *Standard) read(ctx context.Context) (*structpb.Struct, error) {
	out := s.Value.GetStructValue()

	switch text, isText := s.Value.GetKind().(*structpb.Value_StringValue); {
	case isText:
		v, err := object.FromYAML(text.StringValue)
		if err != nil {
			return nil, err
		}

		if out = v.GetStructValue(); out == nil {
			return nil, errors.Errorf("its text is %s, not an object", object.KindOf(v))
		}
	case out == nil:
		return nil, errors.Errorf("it is %s, not an object or a string of YAML", object.KindOf(s.Value))
	}

	if _, extends := out.GetFields()["extends"]; extends {
		return nil, errors.New("extends: a standard can't extend another one")
	}

	_, err := decode(ctx, out, &admission{apart: true})

	return out, err
}
