package locate

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"

	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/known/structpb"

	"github.com/plexsphere/function-cloud-tags/tags/object"
	"github.com/plexsphere/function-cloud-tags/tags/words"
)

// Applied returns what Crossplane has applied of the observed resource for the composite resource xr, by metadata.managedFields: the
// resource as the end of the pipeline desired it. If observed has the tags env: prod of Crossplane and owner: me of kubectl-edit, Applied
// has env: prod. Without managedFields, it returns all of observed.
func Applied(observed, xr object.Object) *structpb.Struct {
	list, _ := observed.At(managedFieldsPath) // An error means that there are none.
	if !list.IsList() {
		return observed.Struct()
	}

	ms := &managers{list: list, composedOwner: ComposedOwner(xr)}

	var owned []object.Node

	for m := range list.Items() {
		if ms.owner(m.Field("manager").Text()).Ours {
			owned = append(owned, m.Field("fieldsV1"))
		}
	}

	all := observed.Struct()
	out := &structpb.Struct{Fields: make(map[string]*structpb.Value)}

	if len(owned) > 0 { // Nothing owned would mean the whole object.
		out = part(structpb.NewStructValue(all), owned).GetStructValue()
	}

	// No field manager owns these.
	out.Fields["apiVersion"], out.Fields["kind"] = all.GetFields()["apiVersion"], all.GetFields()["kind"]

	metadata := out.GetFields()["metadata"].GetStructValue()
	if metadata == nil {
		metadata = &structpb.Struct{Fields: make(map[string]*structpb.Value)}
		out.Fields["metadata"] = structpb.NewStructValue(metadata)
	}

	for _, name := range []string{"name", "namespace"} {
		if v := all.GetFields()["metadata"].GetStructValue().GetFields()[name]; v != nil {
			metadata.Fields[name] = v
		}
	}

	return out
}

// part returns the part of the value that one of the elements of fieldsV1 owns. An element without anything inside owns all of it.
func part(v *structpb.Value, elements []object.Node) *structpb.Value {
	if slices.ContainsFunc(elements, func(e object.Node) bool { _, ownsInside := owns(e); return !ownsInside }) {
		return v
	}

	switch {
	case v.GetStructValue() != nil:
		out := &structpb.Struct{Fields: make(map[string]*structpb.Value)}

		for _, name := range slices.Sorted(maps.Keys(v.GetStructValue().GetFields())) {
			if inside := words.MapIf(elements, func(e object.Node) (object.Node, bool) { f := e.Field("f:" + name); return f, f.IsThere() }); len(inside) > 0 {
				out.Fields[name] = part(v.GetStructValue().GetFields()[name], inside)
			}
		}

		return structpb.NewStructValue(out)
	case v.GetListValue() != nil:
		out := &structpb.ListValue{}

		for i, item := range v.GetListValue().GetValues() {
			if inside := itemElements(elements, i, item); len(inside) > 0 {
				out.Values = append(out.Values, part(item, inside))
			}
		}

		return structpb.NewListValue(out)
	default:
		return v
	}
}

// itemElements returns what the elements of a list have for its item at position i: i:0, v:"env=prod" or k:{"key":"env"}.
func itemElements(elements []object.Node, i int, item *structpb.Value) (out []object.Node) {
	for _, element := range elements {
		for e, inside := range element.Fields() {
			if isElement(e) && isOf(string(e), i, item) {
				out = append(out, inside)
			}
		}
	}

	return out
}

// isOf reports whether the element of fieldsV1 stands for the item at position i.
func isOf(element string, i int, item *structpb.Value) bool {
	kind, text, _ := strings.Cut(element, ":")
	want := &structpb.Value{}

	if json.Unmarshal([]byte(text), want) != nil {
		return false
	}

	switch kind {
	case "i":
		return want.GetNumberValue() == float64(i)
	case "v":
		return proto.Equal(want, item)
	case "k":
		for name, v := range want.GetStructValue().GetFields() {
			if !proto.Equal(v, item.GetStructValue().GetFields()[name]) {
				return false
			}
		}

		return item.GetStructValue() != nil
	default:
		return false
	}
}
