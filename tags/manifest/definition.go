package manifest

import (
	"archive/tar"
	"bufio"
	"bytes"
	"cmp"
	"compress/gzip"
	"io"
	"maps"
	"path"
	"slices"

	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/known/structpb"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/crossplane/function-sdk-go/errors"

	"github.com/plexsphere/function-cloud-tags/tags/object"
	"github.com/plexsphere/function-cloud-tags/tags/words"
)

// packageExtension ends the names of providers' packages.
const packageExtension = ".xpkg"

// DefinitionKind is the kind of custom resource definitions.
var DefinitionKind = schema.GroupVersionKind{Group: "apiextensions.k8s.io", Version: "v1", Kind: "CustomResourceDefinition"}

// compositeDefinition is the kind of definitions of composite resources, in any version.
var compositeDefinition = schema.GroupKind{Group: "apiextensions.crossplane.io", Kind: "CompositeResourceDefinition"}

// A Definition has one served version of a kind.
type Definition struct {
	schema.GroupVersionKind

	// Schema is OpenAPI v3.
	Schema *structpb.Struct

	// Namespaced says whether objects of the kind are in namespaces.
	Namespaced bool
}

// Definitions calls f for each served version of the kinds in the files and folders. In a folder and its folders, it reads all
// YAML and JSON files, and packages of providers.
func (r *Reader) Definitions(paths []string, f func(Definition)) error {
	documents, skipped := 0, 0

	err := r.read(paths, func(v *structpb.Value) error {
		documents++

		if o := v.GetStructValue(); object.GVK(object.FromStruct(o)) == DefinitionKind {
			for _, d := range Versions(o) {
				f(d)
			}
		} else {
			skipped++
		}

		return nil
	}, ".yaml", ".yml", ".json", packageExtension)

	if err == nil && skipped > 0 {
		r.Sayf("skipped %d of %d documents that are no %s %s", skipped, documents, DefinitionKind.GroupVersion(), DefinitionKind.Kind)
	}

	return err
}

// Default sets absent fields of o to defaults. They are in the definition of its kind in the file: a
// CompositeResourceDefinition, or the CustomResourceDefinition that Crossplane makes of it. The last definition counts.
func (r *Reader) Default(file string, o *structpb.Struct) error {
	objects, err := r.Objects(file)
	if err != nil {
		return err
	}

	d, err := definitionOf(objects, object.GVK(object.FromStruct(o)))
	if err != nil {
		return errors.Wrapf(err, "cannot read %s", file)
	}

	setDefaults(structpb.NewStructValue(o), structpb.NewStructValue(d.Schema))

	return nil
}

// definitionOf returns the definition of the kind among the objects. The last one counts.
func definitionOf(objects []*structpb.Struct, gvk schema.GroupVersionKind) (Definition, error) {
	for _, d := range slices.Backward(definitionsOf(objects)) {
		if d.GroupVersionKind == gvk {
			return d, nil
		}
	}

	return Definition{}, errors.Errorf("it has no definition of kind %s that serves apiVersion %s: give that of the composite resource", words.Name(gvk.Kind), words.Name(gvk.GroupVersion().String()))
}

// definitionsOf returns what the definitions among the objects define.
func definitionsOf(objects []*structpb.Struct) (out []Definition) {
	for _, definer := range objects {
		if kind := object.GVK(object.FromStruct(definer)); kind == DefinitionKind || kind.GroupKind() == compositeDefinition {
			out = append(out, Versions(definer)...)
		}
	}

	return out
}

// setDefaults sets the defaults of a schema in a value, as the API server's package
// k8s.io/apiextensions-apiserver/pkg/apiserver/schema/defaulting does. If the schema refuses null, null counts as absent.
func setDefaults(v, s *structpb.Value) {
	keywords := fields(s)

	for _, item := range v.GetListValue().GetValues() {
		if usual := defaultOf(keywords["items"]); isRefusedNull(item, keywords["items"]) && usual != nil {
			item.Kind = usual.GetKind()
		}

		setDefaults(item, keywords["items"])
	}

	if v.GetStructValue() == nil {
		return
	}

	if len(v.GetStructValue().GetFields()) == 0 {
		v.GetStructValue().Fields = make(map[string]*structpb.Value)
	}

	all := v.GetStructValue().GetFields()

	for name, property := range fields(keywords["properties"]) {
		all[name] = cmp.Or(all[name], defaultOf(property))
	}

	for name := range all {
		s := cmp.Or(fields(keywords["properties"])[name], keywords["additionalProperties"])
		if isRefusedNull(all[name], s) {
			all[name] = defaultOf(s)
		}

		setDefaults(all[name], s)
	}

	maps.DeleteFunc(all, func(_ string, field *structpb.Value) bool { return field == nil })
}

// isRefusedNull reports whether the value is null, and the schema refuses null.
func isRefusedNull(v, s *structpb.Value) bool {
	return object.IsNull(v) && s.GetStructValue() != nil && !fields(s)["nullable"].GetBoolValue()
}

// defaultOf returns a copy of the schema's default, or nil.
func defaultOf(s *structpb.Value) *structpb.Value { return proto.CloneOf(fields(s)["default"]) }

// Versions returns the served versions in the definition of a kind.
func Versions(o *structpb.Struct) []Definition {
	spec := fields(o.GetFields()["spec"])
	gk := schema.GroupKind{Group: spec["group"].GetStringValue(), Kind: fields(spec["names"])["kind"].GetStringValue()}

	// The first version of composite definitions has no scope, and defines kinds of the cluster. The second one defines kinds in namespaces by default.
	scope := spec["scope"].GetStringValue()
	namespaced := scope == "Namespaced" || scope == "" && object.APIVersion(object.FromStruct(o)) == "apiextensions.crossplane.io/v2"

	return words.MapIf(spec["versions"].GetListValue().GetValues(), func(v *structpb.Value) (Definition, bool) {
		version := fields(v)
		openAPI := fields(version["schema"])["openAPIV3Schema"].GetStructValue()

		return Definition{gk.WithVersion(version["name"].GetStringValue()), openAPI, namespaced}, version["served"].GetBoolValue()
	})
}

func fields(v *structpb.Value) map[string]*structpb.Value { return v.GetStructValue().GetFields() }

// decodePackage calls f for each value of a package. crossplane xpkg build makes it as an image, which is an archive of
// archives. The documents are in package.yaml of one of these.
func decodePackage(in io.Reader, f func(*structpb.Value) error) error {
	found := false

	err := eachFile(in, func(name string, content *bufio.Reader) error {
		layer, err := decompress(content)
		if err != nil {
			return errors.Wrapf(err, "cannot decompress %s", name)
		}

		if start, _ := layer.Peek(262); len(start) < 262 || string(start[257:]) != "ustar" { // It is no archive.
			return nil
		}

		return eachFile(layer, func(name string, content *bufio.Reader) error {
			if path.Clean(name) != "package.yaml" {
				return nil
			}

			found = true

			return decode(content, f)
		})
	})
	if err == nil && !found {
		err = errors.New("it has no package.yaml: give the .xpkg file of a package")
	}

	return err
}

// eachFile calls f for each file of an archive.
func eachFile(in io.Reader, f func(name string, content *bufio.Reader) error) error {
	for t := tar.NewReader(in); ; {
		h, err := t.Next()
		if errors.Is(err, io.EOF) {
			return nil
		}

		if err != nil {
			return err
		}

		if err := f(h.Name, bufio.NewReader(t)); err != nil {
			return err
		}
	}
}

// decompress returns the decompressed content, or the content itself if it isn't compressed.
func decompress(in *bufio.Reader) (*bufio.Reader, error) {
	if b, _ := in.Peek(2); !bytes.Equal(b, []byte{0x1f, 0x8b}) {
		return in, nil
	}

	z, err := gzip.NewReader(in)

	return bufio.NewReader(z), err
}
