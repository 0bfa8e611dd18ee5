// Package crds reads custom resource definitions: as YAML or JSON, and from packages of
// providers.
package crds

import (
	"archive/tar"
	"bufio"
	"bytes"
	"compress/gzip"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"

	"google.golang.org/protobuf/types/known/structpb"
	"k8s.io/apimachinery/pkg/runtime/schema"
	yamlutil "k8s.io/apimachinery/pkg/util/yaml"
	"sigs.k8s.io/yaml"

	"github.com/crossplane/function-sdk-go/errors"

	"github.com/plexsphere/function-cloud-tags/tags/object"
)

// Package is what the names of packages of providers end with.
const Package = ".xpkg"

// Stdin is the path of standard input.
const Stdin = "-"

const (
	apiVersion = "apiextensions.k8s.io/v1"
	kind       = "CustomResourceDefinition"
)

// progressEvery is after how many files a Reader says how far it is.
const progressEvery = 100

// A Definition of one served version of a kind.
type Definition struct {
	schema.GroupVersionKind

	// Schema of the kind, which is OpenAPI v3.
	Schema *structpb.Struct
}

// A Reader reads custom resource definitions.
type Reader struct {
	Stdin io.Reader

	// Progress is where the reader says how far it is with many files, and how
	// much of what it read it could not use.
	Progress io.Writer

	documents, skipped int
}

// Read the definitions of all served versions of the kinds that are defined in the
// supplied files and folders. Of a folder it reads all YAML and JSON files and packages,
// and those in folders below it.
func (r *Reader) Read(paths []string, each func(Definition)) error {
	r.documents, r.skipped = 0, 0

	files, err := expand(paths)
	if err != nil {
		return err
	}

	for i, file := range files {
		if err := r.readFile(file, each); err != nil {
			return err
		}

		if n := i + 1; n%progressEvery == 0 && n < len(files) {
			sayf(r.Progress, "read %d of %d files", n, len(files))
		}
	}

	if r.skipped > 0 {
		sayf(r.Progress, "skipped %d of %d documents that are no %s %s", r.skipped, r.documents, apiVersion, kind)
	}

	return nil
}

// sayf says something to whoever waits. It doesn't matter if nobody hears it.
func sayf(w io.Writer, format string, args ...any) {
	_, _ = fmt.Fprintf(w, format+"\n", args...)
}

// expand folders to the files in them, in lexical order.
func expand(paths []string) ([]string, error) {
	var files []string

	for _, p := range paths {
		if p == Stdin {
			files = append(files, p)
			continue
		}

		err := filepath.WalkDir(p, func(path string, d fs.DirEntry, err error) error {
			if err != nil {
				return err
			}

			if !d.IsDir() && (path == p || isManifest(path)) {
				files = append(files, path)
			}

			return nil
		})
		if err != nil {
			return nil, errors.Wrap(err, "cannot find files")
		}
	}

	return files, nil
}

func isManifest(file string) bool {
	switch strings.ToLower(filepath.Ext(file)) {
	case ".yaml", ".yml", ".json", Package:
		return true
	default:
		return false
	}
}

func (r *Reader) readFile(file string, each func(Definition)) error {
	if file == Stdin {
		return errors.Wrap(r.readDocuments(r.Stdin, each), "cannot read standard input")
	}

	f, err := os.Open(file) //nolint:gosec // The user wants us to.
	if err != nil {
		return errors.Wrap(err, "cannot read")
	}

	defer f.Close() //nolint:errcheck // Only read.

	if filepath.Ext(file) == Package {
		return errors.Wrapf(r.readPackage(f, each), "cannot read %s", file)
	}

	return errors.Wrapf(r.readDocuments(f, each), "cannot read %s", file)
}

// readPackage reads a package as crossplane xpkg build makes it: an image, which is an
// archive of archives, one of which has the documents in package.yaml.
func (r *Reader) readPackage(in io.Reader, each func(Definition)) error {
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

			return r.readDocuments(content, each)
		})
	})
	if err == nil && !found {
		err = errors.New("no package.yaml in it")
	}

	return err
}

// eachFile calls the supplied function for each file of an archive.
func eachFile(in io.Reader, each func(name string, content *bufio.Reader) error) error {
	for t := tar.NewReader(in); ; {
		h, err := t.Next()
		if errors.Is(err, io.EOF) {
			return nil
		}

		if err != nil {
			return err
		}

		if err := each(h.Name, bufio.NewReader(t)); err != nil {
			return err
		}
	}
}

// decompress the supplied content, if it is compressed.
func decompress(in *bufio.Reader) (*bufio.Reader, error) {
	if b, _ := in.Peek(2); !bytes.Equal(b, []byte{0x1f, 0x8b}) {
		return in, nil
	}

	z, err := gzip.NewReader(in)

	return bufio.NewReader(z), err
}

// isArchive is true if the supplied content is an archive.
func isArchive(in *bufio.Reader) bool {
	b, _ := in.Peek(262) // Where the magic ends.
	return len(b) == 262 && string(b[257:]) == "ustar"
}

// readDocuments reads a stream of YAML or JSON documents.
func (r *Reader) readDocuments(in io.Reader, each func(Definition)) error {
	docs := yamlutil.NewYAMLReader(bufio.NewReader(in))

	for n := 1; ; n++ {
		doc, err := docs.Read()
		if errors.Is(err, io.EOF) {
			return nil
		}

		if err != nil {
			return err
		}

		if len(bytes.TrimSpace(doc)) == 0 {
			continue
		}

		j, err := yaml.YAMLToJSON(doc)
		if err != nil {
			return errors.Errorf("document %d: %s", n, strings.Join(strings.Fields(err.Error()), " "))
		}

		v := &structpb.Value{}
		if err := v.UnmarshalJSON(j); err != nil {
			return errors.Errorf("document %d: %s", n, strings.Join(strings.Fields(err.Error()), " "))
		}

		// A document can have nothing but comments.
		if !object.IsNull(v) {
			r.readDocument(v.GetStructValue(), each)
		}
	}
}

// readDocument reads a document, which may be a list of objects.
func (r *Reader) readDocument(o *structpb.Struct, each func(Definition)) {
	if items := o.GetFields()["items"].GetListValue(); items != nil {
		for _, i := range items.GetValues() {
			r.readDocument(i.GetStructValue(), each)
		}

		return
	}

	r.documents++

	if object.APIVersion(o) != apiVersion || object.Kind(o) != kind {
		r.skipped++
		return
	}

	spec := o.GetFields()["spec"].GetStructValue()
	gk := schema.GroupKind{Group: spec.GetFields()["group"].GetStringValue(), Kind: fields(spec, "names")["kind"].GetStringValue()}

	for _, v := range spec.GetFields()["versions"].GetListValue().GetValues() {
		version := v.GetStructValue()
		if version.GetFields()["served"].GetBoolValue() {
			name := version.GetFields()["name"].GetStringValue()
			each(Definition{GroupVersionKind: gk.WithVersion(name), Schema: fields(version, "schema")["openAPIV3Schema"].GetStructValue()})
		}
	}
}

func fields(o *structpb.Struct, name string) map[string]*structpb.Value {
	return o.GetFields()[name].GetStructValue().GetFields()
}
