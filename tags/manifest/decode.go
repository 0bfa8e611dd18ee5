package manifest

import (
	"bufio"
	"bytes"
	"io"
	"maps"
	"slices"
	"strings"

	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/unicode"
	"golang.org/x/text/transform"
	"google.golang.org/protobuf/types/known/structpb"
	"k8s.io/apimachinery/pkg/util/yaml"

	"github.com/crossplane/function-sdk-go/errors"

	"github.com/plexsphere/function-cloud-tags/tags/object"
)

// MaxDocument is the limit of a YAML document, and of an item of a JSON list, in bytes.
const MaxDocument = 64 << 20

// A decoder decodes a sequence of JSON values and YAML documents.
type decoder struct {
	// emit takes each decoded value. The decoder ends with the error of emit.
	emit func(*structpb.Value) error

	// document is the number of the current document, from 1. item is the number of its current item in the outermost list, or 0
	// outside of lists. Errors name both.
	document, item int

	// bare is the number of the last document in which an object has no apiVersion.
	bare int
}

// decode calls f for each value of the text, until f returns an error. The text is UTF-8. It may begin with the mark of another
// encoding of Unicode, such as UTF-16 in PowerShell.
func decode(text io.Reader, f func(*structpb.Value) error) error {
	d := &decoder{emit: f, document: 1}
	in := bufio.NewReaderSize(transform.NewReader(text, unicode.BOMOverride(encoding.UTF8Validator)), 1<<16)

	err := d.documents(in)
	if d.item > 0 {
		err = errors.Wrapf(err, "item %d", d.item)
	}

	if d.document > 1 {
		err = errors.Wrapf(err, "document %d", d.document)
	}

	return err
}

// documents decodes JSON values at the beginning of the text, and then YAML documents. These JSON values may be larger than
// MaxDocument, since they are read by item. Later documents are read as a whole.
func (d *decoder) documents(in io.Reader) error {
	rest, err := d.json(in)
	if err != nil {
		return err
	}

	g := &gauge{in: rest}
	lines := bufio.NewReaderSize(g, minLongList)

	for documents := yaml.NewYAMLReader(lines); ; {
		// Each document may have MaxDocument bytes. The buffer has some of them already.
		g.room = MaxDocument - lines.Buffered()

		if isLongList(lines) {
			if err := d.longList(lines, g); err != nil {
				return err
			}

			continue
		}

		text, err := documents.Read()

		switch {
		case errors.Is(err, io.EOF):
			return nil
		case errors.Is(err, errTooLarge):
			return errors.Errorf("%w, and YAML can't be read in parts: use JSON, as kubectl get -o json prints it", err)
		case errors.As(err, &yaml.YAMLSyntaxError{}):
			return errors.Wrap(err, "write nothing after the --- before a document")
		case err != nil:
			return err
		}

		if bytes.HasPrefix(text, []byte("---")) { // The reader cuts all separators but the first.
			_, text, _ = bytes.Cut(text, []byte{'\n'})
		}

		rest, err := d.json(bytes.NewReader(text))
		if err == nil {
			err = d.yaml(rest)
		}

		if err != nil {
			return err
		}
	}
}

// errTooLarge says that a document or an item is larger than MaxDocument.
var errTooLarge = errors.Errorf("it is larger than %d MB", MaxDocument>>20)

// A gauge counts the lines that are read through it, and limits the bytes.
type gauge struct {
	in io.Reader

	// room is the number of bytes that may still be read.
	room int

	// lines is the number of lines that have ended.
	lines int
}

func (g *gauge) Read(to []byte) (int, error) {
	n, err := g.in.Read(to)
	g.lines += bytes.Count(to[:n], []byte{'\n'})

	if g.room -= n; g.room < 0 {
		return 0, errTooLarge
	}

	return n, err
}

// add emits the value, or the items of a list, or nothing for null.
func (d *decoder) add(v *structpb.Value) error {
	if object.IsNull(v) {
		return nil
	}

	items, err := listItems(v)
	if err != nil {
		return err
	}

	if items == nil {
		if v.GetStructValue().GetFields()["apiVersion"].GetStringValue() == "" {
			d.bare = d.document
		}

		return d.emit(v)
	}

	values := items.GetValues()
	if err := d.list(func(i int) bool { return i < len(values) }, func(i int) error { return d.add(values[i]) }); err != nil {
		return err
	}

	// The API server leaves out apiVersion and kind in the items of a BucketList.
	if kind := v.GetStructValue().GetFields()["kind"].GetStringValue(); d.bare == d.document && kind != "" && kind != "List" {
		return errors.Errorf("the items of the %s have no apiVersion: kubectl get -o yaml prints them with one", kind)
	}

	return nil
}

// list calls f for each item of a list, as long as more returns true. It counts the items of the outermost list.
func (d *decoder) list(more func(i int) bool, f func(i int) error) error {
	around := d.item

	for i := 0; more(i); i++ {
		if around == 0 {
			d.item = i + 1
		}

		if err := f(i); err != nil {
			return err
		}
	}

	d.item = around

	return nil
}

// listItems returns the items of a list or a List, or nil if the value is neither. A List with other fields is an error, since
// these would be lost.
func listItems(v *structpb.Value) (*structpb.ListValue, error) {
	o := fields(v)
	items, hasItems := o["items"]
	kind := o["kind"].GetStringValue()
	isList := strings.HasSuffix(kind, "List")

	switch {
	case isList && hasItems && object.IsNull(items):
		return &structpb.ListValue{}, nil
	case items.GetListValue() == nil:
		return v.GetListValue(), nil
	case kind != "" && !isList:
		return nil, errors.Errorf("it has a list of items, and isn't a List but a %s: write kind: List, or its items alone", kind)
	}

	for _, name := range slices.Sorted(maps.Keys(o)) {
		if !slices.Contains([]string{"apiVersion", "kind", "metadata", "items"}, name) {
			return nil, errors.Errorf("it has a list of items, and %q, which no List has: leave that out", name)
		}
	}

	return items.GetListValue(), nil
}
