package survey

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"google.golang.org/protobuf/types/known/structpb"
	"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions"
	extv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	structuralschema "k8s.io/apiextensions-apiserver/pkg/apiserver/schema"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/pruning"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/validation"
	apifield "k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/plexsphere/function-cloud-tags/input/v1beta1"
	"github.com/plexsphere/function-cloud-tags/tags/field"
	"github.com/plexsphere/function-cloud-tags/tags/manifest"
	objects "github.com/plexsphere/function-cloud-tags/tags/object"
	"github.com/plexsphere/function-cloud-tags/tags/profile"
)

// definitions names a variable with folders and packages of more definitions than this checkout has.
const definitions = "CRDS"

// TestAdmitted writes a tag to the field of each kind, found without its schema and with
// it. The API server's own code says whether it prunes or refuses any of these tags.
func TestAdmitted(t *testing.T) {
	kinds, taggable, sure := 0, 0, 0
	byFamily := make(map[string]int)

	paths := append(filepath.SplitList(os.Getenv(definitions)), "../testdata/crds", "../testdata/providers")

	r := &manifest.Reader{Progress: os.Stderr}
	if err := r.Definitions(paths, func(d manifest.Definition) {
		family, _ := field.FamilyOf(d.GroupKind())
		if forProvider(d.Schema) == nil && family.Name == "" {
			return
		}

		kinds++

		found := append([]field.Field{field.Read(d.GroupVersionKind, objects.FromStruct(d.Schema).Node())}, withoutSchema(d, family)...)
		if len(found) > 1 {
			sure++
		}

		found = append(found, field.ReadLaunched(d.GroupVersionKind, objects.FromStruct(d.Schema).Node())...)

		for i, f := range found {
			if f.Shape == field.None || f.Shape == "" {
				continue
			}

			if i == 0 {
				taggable++
				byFamily[family.Name]++
			}

			for _, p := range refusals(t, d.Schema, tagged(t, d, f), f.Path.String()) {
				t.Errorf("%s, %s: %s", d.GroupVersionKind, f.Path, p)
			}
		}
	}); err != nil {
		t.Fatal(err)
	}

	t.Logf("%d versions of kinds, %d taggable, of %d families; %d are sure without a schema", kinds, taggable, len(byFamily), sure)

	if len(byFamily) < 25 {
		t.Errorf("want kinds of at least 25 families that are taggable, got %v", byFamily)
	}
}

// withoutSchema returns the fields of resources of the kind if nobody knows its schema: the field that is
// tagged by itself, the field for an entry of tagFields with the kind's name, and the launched fields. Fields that the
// index is not sure of are left out.
func withoutSchema(d manifest.Definition, family field.Family) (out []field.Field) {
	k := field.Kind{GroupVersionKind: d.GroupVersionKind, Profile: family.Profile, Managed: forProvider(d.Schema) != nil}
	rule := v1beta1.TagField{APIVersion: profile.Pattern(d.GroupVersion().String()), Kind: profile.Pattern(d.Kind)}

	for _, l := range []field.Locator{field.Chain{field.BuiltIn(), field.ByProfile{}}, field.NewOverrides([]v1beta1.TagField{rule})} {
		if f, ok := l.Locate(k); ok {
			out = append(out, f)
		}
	}

	for _, e := range field.BuiltIn().Launched(d.GroupVersionKind) {
		if len(e) == 1 {
			out = append(out, e[0].Field)
		}
	}

	return out
}

// forProvider is the schema of what the provider makes a managed resource from, or nil.
func forProvider(s *structpb.Struct) *structpb.Struct {
	for _, name := range []string{"spec", "forProvider"} {
		s = s.GetFields()["properties"].GetStructValue().GetFields()[name].GetStructValue()
	}

	return s
}

// tagged is a resource of the kind with nothing but a tag in the field f.
func tagged(t *testing.T, d manifest.Definition, f field.Field) *structpb.Struct {
	t.Helper()

	var v any

	switch f.Shape {
	case field.MapOfLists:
		v = map[string]any{"env": []any{"prod"}}
	case field.Map:
		v = map[string]any{"env": "prod"}
	case field.KeyValueList:
		entry := map[string]any{f.Key: "env", f.Value: "prod"}
		for name, extra := range f.Extra {
			entry[name] = extra.AsInterface()
		}

		v = []any{entry}
	case field.StringList:
		v = []any{"env" + f.Separator + "prod"}
	case field.Joined, field.Labels, field.None:
	default: // It passes tags on if it has the right word, or is true.
		v = "prod"
		if isBoolean(d.Schema, f.Path.String()) {
			v = true
		}
	}

	apiVersion, kind := d.ToAPIVersionAndKind()
	o := map[string]any{"apiVersion": apiVersion, "kind": kind}

	// A path ends in a name. Around it is an object, or the only item of a list.
	names, in := strings.Split(f.Path.String(), "."), o
	for _, name := range names[:len(names)-1] {
		next := map[string]any{}

		if list, ok := strings.CutSuffix(name, "[0]"); ok {
			in[list] = []any{next}
		} else {
			in[name] = next
		}

		in = next
	}

	in[names[len(names)-1]] = v

	s, err := structpb.NewStruct(o)
	if err != nil {
		t.Fatal(err)
	}

	return s
}

// isBoolean reports whether the field at the path is a boolean.
func isBoolean(s *structpb.Struct, path string) bool {
	for name := range strings.SplitSeq(path, ".") {
		name, isList := strings.CutSuffix(name, "[0]")

		s = s.GetFields()["properties"].GetStructValue().GetFields()[name].GetStructValue()
		if isList {
			s = s.GetFields()["items"].GetStructValue()
		}
	}

	return s.GetFields()["type"].GetStringValue() == "boolean"
}

// refusals are what the API server prunes of the resource, and what it refuses. The resource may lack
// required fields, but not in the tag field at the path.
func refusals(t *testing.T, s, resource *structpb.Struct, path string) []string {
	t.Helper()

	b, err := json.Marshal(s)
	if err != nil {
		t.Fatal(err)
	}

	v1, props := &extv1.JSONSchemaProps{}, &apiextensions.JSONSchemaProps{}
	if err := json.Unmarshal(b, v1); err != nil {
		t.Fatal(err)
	}

	if err := extv1.Convert_v1_JSONSchemaProps_To_apiextensions_JSONSchemaProps(v1, props, nil); err != nil {
		t.Fatal(err)
	}

	structural, err := structuralschema.NewStructural(props)
	if err != nil {
		t.Fatal(err)
	}

	validator, _, err := validation.NewSchemaValidator(props)
	if err != nil {
		t.Fatal(err)
	}

	var out []string

	o := resource.AsMap()

	for _, e := range validation.ValidateCustomResource(nil, o, validator) {
		if e.Type != apifield.ErrorTypeRequired || strings.HasPrefix(e.Field, path) {
			out = append(out, "refused: "+e.Error())
		}
	}

	for _, pruned := range pruning.PruneWithOptions(o, structural, true, structuralschema.UnknownFieldPathOptions{TrackUnknownFieldPaths: true}) {
		out = append(out, "pruned: "+pruned)
	}

	return out
}
