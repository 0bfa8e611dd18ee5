// Package manifest reads Kubernetes objects from files. People write these, or kubectl prints them.
package manifest

import (
	"cmp"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/known/structpb"

	"github.com/crossplane/function-sdk-go/errors"

	"github.com/plexsphere/function-cloud-tags/tags/object"
	"github.com/plexsphere/function-cloud-tags/tags/words"
)

// Stdin is the path of standard input.
const Stdin = "-"

// CheckStdin returns an error if several of the paths are standard input: it can be read once.
func CheckStdin(paths []string) error {
	if first := slices.Index(paths, Stdin); first >= 0 && slices.Contains(paths[first+1:], Stdin) {
		return errors.New("standard input can be read once: give - for one file only")
	}

	return nil
}

// A Reader reads files of JSON values and of YAML documents.
type Reader struct {
	// Stdin is read for the path -. If it is nil, standard input is read. It can be read once.
	Stdin io.Reader

	// Progress gets lines on the progress with many files, and on skipped documents. It may be nil.
	Progress io.Writer
}

// Stream calls f for each object of the files, and of all YAML and JSON files below the folders, in order. It keeps none.
// kubectl prints several objects as a List, which stands for its items. So does a plain list. Only one item of JSON is in
// memory at a time.
func (r *Reader) Stream(paths []string, f func(*structpb.Struct)) error {
	return r.read(paths, func(v *structpb.Value) error {
		if v.GetStructValue() == nil {
			return errors.Errorf("it is %s, not an object", object.KindOf(v))
		}

		f(v.GetStructValue())

		return nil
	}, ".yaml", ".yml", ".json")
}

// progressEvery is the number of files between two lines of progress.
const progressEvery = 100

// read calls f for each value of the files, and of files below the folders with one of the extensions, until f returns an
// error.
func (r *Reader) read(paths []string, f func(*structpb.Value) error, extensions ...string) error {
	files, err := below(paths, extensions...)
	if err != nil {
		return err
	}

	for i, file := range files {
		if i > 0 && i%progressEvery == 0 {
			r.Sayf("read %d of %d files", i, len(files))
		}

		if err := r.each(file, f); err != nil {
			return errors.Wrapf(err, "cannot read %s", file)
		}
	}

	return nil
}

// Sayf prints a line of progress. An error doesn't matter.
func (r *Reader) Sayf(format string, args ...any) {
	if r.Progress != nil {
		_, _ = fmt.Fprintf(r.Progress, format+"\n", args...)
	}
}

// Objects returns the objects that Stream reads.
func (r *Reader) Objects(paths ...string) ([]*structpb.Struct, error) {
	var out []*structpb.Struct

	if err := r.Stream(paths, func(o *structpb.Struct) { out = append(out, o) }); err != nil {
		return nil, err
	}

	return out, nil
}

// Required returns the objects in the files and folders that a step may require, each once. It returns an error if two of them have
// one apiVersion, kind, namespace and name, but differ.
func (r *Reader) Required(paths ...string) ([]*structpb.Struct, error) {
	objects, err := r.Objects(paths...)
	if err != nil {
		return nil, err
	}

	var out []*structpb.Struct

	for _, same := range words.Grouped(objects, identity) {
		if slices.ContainsFunc(same, func(o *structpb.Struct) bool { return !proto.Equal(o, same[0]) }) {
			return nil, errors.Errorf("--required-resources have two different objects %s: give the one that is in the cluster", object.FullTitle(object.FromStruct(same[0])))
		}

		out = append(out, same[0])
	}

	return out, nil
}

// identity returns the apiVersion, kind, namespace and name of the object.
func identity(s *structpb.Struct) [4]string {
	o := object.FromStruct(s)
	return [4]string{object.APIVersion(o), object.Kind(o), object.Namespace(o), object.Name(o)}
}

// Values returns the values of the file, in order: objects, and anything else but null. Lists stand for their items. With an
// error, it returns the values before it. The error doesn't have the name of the file.
func (r *Reader) Values(file string) (out []*structpb.Value, err error) {
	err = r.each(file, func(v *structpb.Value) error {
		out = append(out, v)
		return nil
	})

	return out, err
}

// YAMLFiles returns the files among the paths, and all YAML files below the folders, in lexical order.
func YAMLFiles(paths []string) ([]string, error) { return below(paths, ".yaml", ".yml") }

// below returns the files among the paths, and all files with one of the extensions below the folders, in lexical order. It
// passes over all else in folders, such as a named pipe that nobody writes to.
func below(paths []string, extensions ...string) (files []string, err error) {
	for _, path := range paths {
		if path == Stdin {
			files = append(files, path)
			continue
		}

		if err := filepath.WalkDir(path, func(file string, d fs.DirEntry, err error) error {
			isFile := err == nil && (d.Type().IsRegular() || d.Type() == fs.ModeSymlink) && slices.Contains(extensions, strings.ToLower(filepath.Ext(file)))
			if isFile || err == nil && file == path && !d.IsDir() {
				files = append(files, file)
			}

			return errors.Wrapf(OneLine(err), "cannot read %s", file)
		}); err != nil {
			return nil, err
		}
	}

	return files, nil
}

// open opens the file, or standard input.
func (r *Reader) open(path string) (io.ReadCloser, error) {
	if path == Stdin {
		return io.NopCloser(cmp.Or[io.Reader](r.Stdin, os.Stdin)), nil
	}

	return os.Open(path) //nolint:gosec // The user names it.
}

// Text returns the text of the file, which may have as many bytes as MaxDocument.
func (r *Reader) Text(path string) ([]byte, error) {
	in, err := r.open(path)
	if err != nil {
		return nil, err
	}
	defer in.Close() //nolint:errcheck // Only read.

	text, err := io.ReadAll(io.LimitReader(in, MaxDocument+1))
	if err == nil && len(text) > MaxDocument {
		err = errTooLarge
	}

	return text, err
}

// each calls f for each value of the file, until f returns an error.
func (r *Reader) each(path string, f func(*structpb.Value) error) error {
	in, err := r.open(path)
	if err != nil {
		return OneLine(err)
	}
	defer in.Close() //nolint:errcheck // Only read.

	if filepath.Ext(path) == packageExtension {
		return OneLine(decodePackage(in, f))
	}

	return OneLine(decode(in, f))
}

// OneLine returns the error in one line without control characters. The name of the file is left out: callers say it.
func OneLine(err error) error {
	if err == nil {
		return nil
	}

	if pe := (&fs.PathError{}); errors.As(err, &pe) {
		err = pe.Err
	}

	return errors.New(words.Visible(strings.Join(strings.Fields(err.Error()), " ")))
}
