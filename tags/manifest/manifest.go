// Package manifest reads Kubernetes objects from files: those that people write, and
// those that kubectl prints.
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

	"google.golang.org/protobuf/types/known/structpb"

	"github.com/crossplane/function-sdk-go/errors"

	"github.com/plexsphere/function-cloud-tags/tags/object"
	"github.com/plexsphere/function-cloud-tags/tags/words"
)

// Stdin is the path of standard input.
const Stdin = "-"

// CheckStdin returns an error if several of the paths are standard input, which can be read once.
func CheckStdin(paths []string) error {
	if first := slices.Index(paths, Stdin); first >= 0 && slices.Contains(paths[first+1:], Stdin) {
		return errors.New("standard input can be read once: give - for one file only")
	}

	return nil
}

// A Reader reads files of JSON values and of YAML documents.
type Reader struct {
	// Stdin is read where a path is -, or standard input if it is nil. It can be read once.
	Stdin io.Reader

	// Progress is where a Reader says how far it is with many files, and how much of what it read it could not
	// use. Of nil, it says nothing.
	Progress io.Writer
}

// Stream calls f for each object of the files, and of all YAML and JSON files below the folders, in
// order, and keeps none. A List, which is what kubectl prints of several objects, stands for its
// items, and so does a plain list. Only one item of JSON is in memory at a time.
func (r *Reader) Stream(paths []string, f func(*structpb.Struct)) error {
	return r.read(paths, func(v *structpb.Value) error {
		if v.GetStructValue() == nil {
			return errors.Errorf("it is %s, not an object", object.KindOf(v))
		}

		f(v.GetStructValue())

		return nil
	}, ".yaml", ".yml", ".json")
}

// progressEvery is the number of files after which read says how far it is.
const progressEvery = 100

// read calls f for each value of the files, and of those below the folders that have one of the extensions,
// until it returns an error.
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

// Sayf says something to whoever waits. It doesn't matter if nobody hears it.
func (r *Reader) Sayf(format string, args ...any) {
	if r.Progress != nil {
		_, _ = fmt.Fprintf(r.Progress, format+"\n", args...)
	}
}

// Objects returns what Stream reads of the files and folders.
func (r *Reader) Objects(paths ...string) ([]*structpb.Struct, error) {
	var out []*structpb.Struct

	if err := r.Stream(paths, func(o *structpb.Struct) { out = append(out, o) }); err != nil {
		return nil, err
	}

	return out, nil
}

// Values of the file, in order: objects, and anything else but null. Lists stand for their items. With
// an error, which doesn't say the name of the file, it returns the values before it.
func (r *Reader) Values(file string) (out []*structpb.Value, err error) {
	err = r.each(file, func(v *structpb.Value) error {
		out = append(out, v)
		return nil
	})

	return out, err
}

// below returns the files among the paths, and all files with one of the extensions below the folders
// among them, in lexical order.
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

// open the file, or standard input.
func (r *Reader) open(path string) (io.ReadCloser, error) {
	if path == Stdin {
		return io.NopCloser(cmp.Or[io.Reader](r.Stdin, os.Stdin)), nil
	}

	return os.Open(path) //nolint:gosec // The user names it.
}

// Text of the file, as it is.
func (r *Reader) Text(path string) ([]byte, error) {
	in, err := r.open(path)
	if err != nil {
		return nil, err
	}
	defer in.Close() //nolint:errcheck // Only read.

	return io.ReadAll(in)
}

// each calls f for each value of the file, until it returns an error.
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

// OneLine is the error in one line that no terminal obeys, or nil if there is none, and without the name of a file,
// which the caller says.
func OneLine(err error) error {
	if err == nil {
		return nil
	}

	if pe := (&fs.PathError{}); errors.As(err, &pe) {
		err = pe.Err
	}

	return errors.New(words.Visible(strings.Join(strings.Fields(err.Error()), " ")))
}
