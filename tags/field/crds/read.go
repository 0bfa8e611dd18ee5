package crds

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"google.golang.org/protobuf/types/known/structpb"
	"k8s.io/apimachinery/pkg/runtime/schema"
	yamlutil "k8s.io/apimachinery/pkg/util/yaml"
	"sigs.k8s.io/yaml"

	"github.com/crossplane/function-sdk-go/errors"
)

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

	// Scope is Namespaced or Cluster.
	Scope string

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
// supplied files and folders. Of a folder it reads all YAML and JSON files, and those
// in folders below it.
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

func isManifest(path string) bool {
	switch strings.ToLower(filepath.Ext(path)) {
	case ".yaml", ".yml", ".json":
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

	return errors.Wrapf(r.readDocuments(f, each), "cannot read %s", file)
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

		var v any
		if err := yaml.Unmarshal(doc, &v); err != nil {
			return errors.Errorf("document %d: %s", n, strings.Join(strings.Fields(err.Error()), " "))
		}

		// A document can have nothing but comments.
		if v != nil {
			r.readDocument(v, each)
		}
	}
}

// readDocument reads a document, which may be a list of objects.
func (r *Reader) readDocument(v any, each func(Definition)) {
	o, _ := v.(map[string]any)

	if items, ok := o["items"].([]any); ok {
		for _, i := range items {
			r.readDocument(i, each)
		}

		return
	}

	r.documents++

	if o["apiVersion"] != apiVersion || o["kind"] != kind {
		r.skipped++
		return
	}

	spec := child(o, "spec")
	d := Definition{
		GroupVersionKind: schema.GroupVersionKind{Group: text(spec, "group"), Kind: text(child(spec, "names"), "kind")},
		Scope:            text(spec, "scope"),
	}

	versions, _ := spec["versions"].([]any)
	for _, v := range versions {
		version, _ := v.(map[string]any)
		if version["served"] != true {
			continue
		}

		// What comes from YAML is JSON, and that is all that a Struct can't be.
		d.Schema, _ = structpb.NewStruct(child(child(version, "schema"), "openAPIV3Schema"))
		d.Version = text(version, "name")

		each(d)
	}
}

func child(o map[string]any, name string) map[string]any {
	m, _ := o[name].(map[string]any)
	return m
}

func text(o map[string]any, name string) string {
	s, _ := o[name].(string)
	return s
}
