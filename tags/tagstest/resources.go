package tagstest

import (
	"encoding/json"
	"reflect"
	"strings"

	"google.golang.org/protobuf/encoding/protojson"
	"google.golang.org/protobuf/types/known/structpb"

	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"
)

// Resources returns resources by name, from JSON by name. It panics if a text is no object.
func Resources(jsons map[string]string) map[string]*fnv1.Resource {
	out := make(map[string]*fnv1.Resource, len(jsons))
	for name, j := range jsons {
		out[name] = &fnv1.Resource{Resource: MustStructJSON(j)}
	}

	return out
}

// Items returns the answer to a selector that selects the objects.
func Items(objects ...*structpb.Struct) *fnv1.Resources {
	out := &fnv1.Resources{}
	for _, o := range objects {
		out.Items = append(out.Items, &fnv1.Resource{Resource: o})
	}

	return out
}

// Thing returns the JSON of a resource with these fields beside its kind.
func Thing(fields string) string {
	if fields != "" {
		fields = ", " + fields
	}

	return `{"apiVersion": "example.org/v1", "kind": "Thing"` + fields + `}`
}

// MustStructJSON returns the object of the JSON text. It panics if there is none. The SDK's function of this name needs controller-runtime and
// client-go, which every test would link.
func MustStructJSON(text string) *structpb.Struct {
	out := &structpb.Struct{}
	if err := protojson.Unmarshal([]byte(text), out); err != nil {
		panic(err)
	}

	return out
}

// Struct returns the value as an object. It panics if JSON has no object for the value.
func Struct(v any) *structpb.Struct {
	j, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}

	return MustStructJSON(string(j))
}

// ForProvider returns the fields that the resource has for its provider.
func ForProvider(r *fnv1.Resource) map[string]*structpb.Value {
	return r.GetResource().GetFields()["spec"].GetStructValue().GetFields()["forProvider"].GetStructValue().GetFields()
}

// Options returns the names of the fields of a struct type in inputs, such as fromFieldPath.
func Options[T any]() (out []string) {
	for f := range reflect.TypeFor[T]().Fields() {
		name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		out = append(out, name)
	}

	return out
}

// Error returns the text of err, or "" without an error.
func Error(err error) string {
	if err == nil {
		return ""
	}

	return err.Error()
}
