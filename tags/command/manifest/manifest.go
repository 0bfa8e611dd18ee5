// Package manifest reads Kubernetes objects from files: those that people write, and
// those that kubectl prints.
package manifest

import (
	"bytes"
	"encoding/json"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"google.golang.org/protobuf/types/known/structpb"

	"github.com/crossplane/function-sdk-go/errors"

	"github.com/plexsphere/function-cloud-tags/tags/object"
)

// Stdin is the path of standard input.
const Stdin = "-"

// A Reader reads files of JSON values or of YAML documents. What is JSON is never read
// as YAML, which would change some of its characters.
type Reader struct {
	// Stdin is read where a path is -. It can be read once.
	Stdin io.Reader

	// Progress is where Definitions says how far it is with many files, and how much of
	// what it read it could not use.
	Progress io.Writer
}

// Values of the supplied file, in order. A document without anything in it is none. A
// List, which is what kubectl prints of several objects, stands for its items. The
// error doesn't say the name of the file.
func (r *Reader) Values(path string) (out []*structpb.Value, err error) {
	err = r.each(path, func(v *structpb.Value) { out = append(out, v) })

	return out, OneLine(err)
}

// Objects of the supplied files, and of all YAML and JSON files below the supplied
// folders, in order. Lists stand for their items.
func (r *Reader) Objects(paths ...string) (out []*structpb.Struct, err error) {
	files, err := below(paths, ".yaml", ".yml", ".json")
	if err != nil {
		return nil, err
	}

	for _, file := range files {
		values, err := r.Values(file)
		if err != nil {
			return nil, errors.Wrapf(err, "cannot read %s", file)
		}

		for _, v := range values {
			if v.GetStructValue() == nil {
				return nil, errors.Errorf("cannot read %s: it has %s, not only objects", file, object.KindOf(v))
			}

			out = append(out, v.GetStructValue())
		}
	}

	return out, nil
}

// below returns the supplied files, and all files below the supplied folders that end as
// supplied, in lexical order.
func below(paths []string, extensions ...string) (files []string, err error) {
	for _, path := range paths {
		if path == Stdin {
			files = append(files, path)
			continue
		}

		if err := filepath.WalkDir(path, func(file string, d fs.DirEntry, err error) error {
			if err == nil && !d.IsDir() && (file == path || slices.Contains(extensions, strings.ToLower(filepath.Ext(file)))) {
				files = append(files, file)
			}

			return errors.Wrapf(OneLine(err), "cannot read %s", file)
		}); err != nil {
			return nil, err
		}
	}

	return files, nil
}

// each calls the supplied function for each value of the supplied file.
func (r *Reader) each(path string, f func(*structpb.Value)) error {
	in := r.Stdin

	if path != Stdin {
		file, err := os.Open(path) //nolint:gosec // The user names it.
		if err != nil {
			return err
		}

		defer file.Close() //nolint:errcheck // Only read.

		in = file
	}

	if filepath.Ext(path) == packageExtension {
		return decodePackage(in, f)
	}

	return decode(in, f)
}

// decode the JSON values or YAML documents that the supplied reader has.
func decode(in io.Reader, f func(*structpb.Value)) error {
	text, err := io.ReadAll(in)
	if err != nil {
		return err
	}

	text = bytes.TrimPrefix(text, mark)

	var start, at, documents int

	endDocument := func() error {
		doc := text[start:at]
		if len(doc) == 0 {
			return nil
		}

		documents++

		err := decodeDocument(doc, f)
		if documents > 1 {
			err = errors.Wrapf(err, "document %d", documents)
		}

		return err
	}

	for line := range bytes.Lines(text) {
		rest, ok := cutMarker(line)
		if ok {
			if err := endDocument(); err != nil {
				return err
			}

			start = at + len(line) - len(rest)
		}

		at += len(line)
	}

	return endDocument()
}

func decodeDocument(doc []byte, f func(*structpb.Value)) error {
	texts := splitJSON(doc)
	if texts == nil {
		j, err := yamlToJSON(doc)
		if err != nil {
			return err
		}

		texts = [][]byte{j}
	}

	for _, j := range texts {
		v := &structpb.Value{}
		if err := v.UnmarshalJSON(j); err != nil {
			return err
		}

		eachItem(v, f)
	}

	return nil
}

// splitJSON returns the JSON objects and lists that the supplied text is made of, or
// none if it is made of anything else.
func splitJSON(text []byte) (out [][]byte) {
	if text = bytes.TrimSpace(text); len(text) == 0 || text[0] != '{' && text[0] != '[' {
		return nil
	}

	for d := json.NewDecoder(bytes.NewReader(text)); ; {
		var j json.RawMessage

		switch err := d.Decode(&j); {
		case errors.Is(err, io.EOF):
			return out
		case err != nil:
			return nil
		}

		out = append(out, j)
	}
}

// eachItem calls the supplied function for the supplied value, or for the items that it
// is a List of.
func eachItem(v *structpb.Value, f func(*structpb.Value)) {
	if object.IsNull(v) {
		return
	}

	o := v.GetStructValue()

	items, ok := o.GetFields()["items"].GetKind().(*structpb.Value_ListValue)
	if !ok || !isList(o) {
		f(v)
		return
	}

	for _, item := range items.ListValue.GetValues() {
		eachItem(item, f)
	}
}

// isList is true if the supplied object is a List.
func isList(o *structpb.Struct) bool {
	return object.APIVersion(object.Tree(o)) == "v1" && object.Kind(object.Tree(o)) == "List"
}

// OneLine is the supplied error in one line, or nil if there is none, and without the name
// of a file, which the caller says. That of protojson has spaces at random.
func OneLine(err error) error {
	if err == nil {
		return nil
	}

	if pe := (&fs.PathError{}); errors.As(err, &pe) {
		err = pe.Err
	}

	return errors.New(strings.Replace(strings.Join(strings.Fields(err.Error()), " "), "proto: ", "", 1))
}
