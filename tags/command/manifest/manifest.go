// Package manifest reads Kubernetes objects from files: those that people write, and
// those that kubectl prints.
package manifest

import (
	"bufio"
	"bytes"
	"encoding/json"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"google.golang.org/protobuf/encoding/protojson"
	"google.golang.org/protobuf/types/known/structpb"
	kyaml "k8s.io/apimachinery/pkg/util/yaml"
	"sigs.k8s.io/yaml"

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
}

// Values of the supplied file, in order. A document without anything in it is none. A
// List, which is what kubectl prints of several objects, stands for its items. The
// error doesn't say the name of the file.
func (r *Reader) Values(path string) ([]*structpb.Value, error) {
	text, err := r.text(path)
	if err != nil {
		return nil, cause(err)
	}

	values, err := decode(text)

	return values, OneLine(err)
}

// Objects of the supplied file, or of all YAML and JSON files below the supplied
// folder, in order. Lists stand for their items.
func (r *Reader) Objects(path string) ([]*structpb.Struct, error) {
	if path == Stdin {
		return r.objects(path)
	}

	out := []*structpb.Struct{}

	err := filepath.WalkDir(path, func(file string, d fs.DirEntry, err error) error {
		if err != nil {
			return errors.Wrapf(cause(err), "cannot read %s", file)
		}

		if d.IsDir() || file != path && !slices.Contains([]string{".yaml", ".yml", ".json"}, filepath.Ext(file)) {
			return nil
		}

		objects, err := r.objects(file)
		out = append(out, objects...)

		return err
	})

	return out, err
}

func (r *Reader) objects(file string) ([]*structpb.Struct, error) {
	values, err := r.Values(file)
	if err != nil {
		return nil, errors.Wrapf(err, "cannot read %s", file)
	}

	out := make([]*structpb.Struct, 0, len(values))

	for _, v := range values {
		if v.GetStructValue() == nil {
			return nil, errors.Errorf("cannot read %s: it has %s, not only objects", file, object.KindOf(v))
		}

		out = append(out, v.GetStructValue())
	}

	return out, nil
}

// NameOf returns what messages call the supplied object.
func NameOf(o *structpb.Struct) string {
	return strings.TrimSpace(object.Kind(o) + " " + strings.TrimPrefix(object.Namespace(o)+"/"+object.Name(o), "/"))
}

func (r *Reader) text(path string) ([]byte, error) {
	if path == Stdin {
		return io.ReadAll(r.Stdin)
	}

	return os.ReadFile(path) //nolint:gosec // The user names it.
}

// decode the JSON values or YAML documents of the supplied text.
func decode(text []byte) ([]*structpb.Value, error) {
	out := []*structpb.Value{}

	// The reader loses a last line without an end if it is as long as some buffers.
	text = bytes.TrimPrefix(text, []byte("\ufeff"))
	if !bytes.HasSuffix(text, []byte("\n")) {
		text = append(text, '\n')
	}

	docs := kyaml.NewYAMLReader(bufio.NewReader(bytes.NewReader(text)))

	for i := 1; ; i++ {
		doc, err := docs.Read()
		if errors.Is(err, io.EOF) {
			return out, nil
		}

		if err == nil {
			out, err = appendDocument(out, doc)
		}

		if err != nil && i > 1 {
			return nil, errors.Wrapf(err, "document %d", i)
		}

		if err != nil {
			return nil, err
		}
	}
}

func appendDocument(to []*structpb.Value, doc []byte) ([]*structpb.Value, error) {
	texts, ok := splitJSON(doc)
	if !ok {
		j, err := yaml.YAMLToJSONStrict(doc)
		if err != nil {
			return nil, err
		}

		texts = [][]byte{j}
	}

	for _, j := range texts {
		v := &structpb.Value{}
		if err := protojson.Unmarshal(j, v); err != nil {
			return nil, err
		}

		to = appendItems(to, v)
	}

	return to, nil
}

// splitJSON returns the JSON objects and lists that the supplied text is made of, or
// false if it is made of anything else.
func splitJSON(text []byte) ([][]byte, bool) {
	if text = bytes.TrimSpace(text); len(text) == 0 || text[0] != '{' && text[0] != '[' {
		return nil, false
	}

	out := [][]byte{}

	for d := json.NewDecoder(bytes.NewReader(text)); ; {
		var j json.RawMessage

		err := d.Decode(&j)
		if errors.Is(err, io.EOF) {
			return out, true
		}

		if err != nil {
			return nil, false
		}

		out = append(out, j)
	}
}

// appendItems appends the supplied value, or the items that it is a List of.
func appendItems(to []*structpb.Value, v *structpb.Value) []*structpb.Value {
	if object.IsNull(v) {
		return to
	}

	o := v.GetStructValue()

	items, ok := o.GetFields()["items"].GetKind().(*structpb.Value_ListValue)
	if !ok || object.APIVersion(o) != "v1" || object.Kind(o) != "List" {
		return append(to, v)
	}

	for _, item := range items.ListValue.GetValues() {
		to = appendItems(to, item)
	}

	return to
}

// cause of the supplied error without the name of the file, which the caller says.
func cause(err error) error {
	if pe := (&fs.PathError{}); errors.As(err, &pe) {
		return pe.Err
	}

	return err
}

// OneLine is the supplied error in one line, or nil if there is none. That of protojson
// has spaces at random.
func OneLine(err error) error {
	if err == nil {
		return nil
	}

	return errors.New(strings.Replace(strings.Join(strings.Fields(err.Error()), " "), "proto: ", "", 1))
}
