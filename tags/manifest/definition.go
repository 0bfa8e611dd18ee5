package manifest

import (
	"archive/tar"
	"bufio"
	"bytes"
	"compress/gzip"
	"io"
	"path"

	"google.golang.org/protobuf/types/known/structpb"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/crossplane/function-sdk-go/errors"

	"github.com/plexsphere/function-cloud-tags/tags/object"
)

// packageExtension ends the names of providers' packages.
const packageExtension = ".xpkg"

// definition is the kind of custom resource definitions.
var definition = schema.GroupVersionKind{Group: "apiextensions.k8s.io", Version: "v1", Kind: "CustomResourceDefinition"}

// A Definition of one served version of a kind.
type Definition struct {
	schema.GroupVersionKind

	// Schema of the kind, which is OpenAPI v3.
	Schema *structpb.Struct
}

// Definitions calls f for all served versions of the kinds that are defined in the files and folders. Of a
// folder it reads all YAML and JSON files and packages, and those in folders below it.
func (r *Reader) Definitions(paths []string, f func(Definition)) error {
	documents, skipped := 0, 0

	if err := r.read(paths, func(v *structpb.Value) error {
		documents++

		if o := v.GetStructValue(); object.GVK(object.Tree(o)) == definition {
			eachVersion(o, f)
		} else {
			skipped++
		}

		return nil
	}, ".yaml", ".yml", ".json", packageExtension); err != nil {
		return err
	}

	if skipped > 0 {
		r.Sayf("skipped %d of %d documents that are no %s %s", skipped, documents, definition.GroupVersion(), definition.Kind)
	}

	return nil
}

// eachVersion calls f for each served version that the definition of a kind has.
func eachVersion(o *structpb.Struct, f func(Definition)) {
	spec := fields(o.GetFields()["spec"])
	gk := schema.GroupKind{Group: spec["group"].GetStringValue(), Kind: fields(spec["names"])["kind"].GetStringValue()}

	for _, v := range spec["versions"].GetListValue().GetValues() {
		if version := fields(v); version["served"].GetBoolValue() {
			f(Definition{
				GroupVersionKind: gk.WithVersion(version["name"].GetStringValue()),
				Schema:           fields(version["schema"])["openAPIV3Schema"].GetStructValue(),
			})
		}
	}
}

func fields(v *structpb.Value) map[string]*structpb.Value { return v.GetStructValue().GetFields() }

// decodePackage calls f for each value of a package, as crossplane xpkg build makes it: an image, which is
// an archive of archives, one of which has the documents in package.yaml.
func decodePackage(in io.Reader, f func(*structpb.Value) error) error {
	found := false

	err := eachFile(in, func(name string, content *bufio.Reader) error {
		layer, err := decompress(content)
		if err != nil {
			return errors.Wrapf(err, "cannot decompress %s", name)
		}

		if !isArchive(layer) {
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
		err = errors.New("no package.yaml in it")
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

// decompress returns the content without compression, if it has any.
func decompress(in *bufio.Reader) (*bufio.Reader, error) {
	if b, _ := in.Peek(2); !bytes.Equal(b, []byte{0x1f, 0x8b}) {
		return in, nil
	}

	z, err := gzip.NewReader(in)

	return bufio.NewReader(z), err
}

// isArchive is true if the content is a tar archive.
func isArchive(in *bufio.Reader) bool {
	b, _ := in.Peek(262) // Where the magic ends.
	return len(b) == 262 && string(b[257:]) == "ustar"
}
