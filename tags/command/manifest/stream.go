package manifest

import (
	"bufio"
	"io"
	"os"
	"runtime"
	"strings"

	"google.golang.org/protobuf/types/known/structpb"

	"github.com/crossplane/function-sdk-go/errors"

	"github.com/plexsphere/function-cloud-tags/tags/object"
)

// MaxDocument is the most bytes of one YAML document, or of one item of a YAML List, that
// Stream reads.
const MaxDocument = 64 << 20

// ahead is how many objects are decoded before anybody asks for them.
const ahead = 16

// A chunk is the text of one object of a stream, or the error that ends it.
type chunk struct {
	text []byte

	// json is true if the text is JSON, and otherwise it is YAML.
	json bool

	// item and document that the text is, from 1. Item is 0 if it is no item of a list.
	item, document int

	err error
}

// A decoded chunk is its objects, or why they can't be had.
type decoded struct {
	objects []*structpb.Struct
	err     error
}

// Stream calls the supplied function for each object of the supplied files, and of all YAML and
// JSON files below the supplied folders, in order, and keeps none. Lists stand for their items: a
// list of JSON is read item by item, and so is one of YAML whose items are a block sequence, as
// kubectl prints it. Any other YAML is read by document, of at most MaxDocument. An error of the
// function ends it.
func (r *Reader) Stream(paths []string, f func(*structpb.Struct) error) error {
	files, err := below(paths, ".yaml", ".yml", ".json")
	if err != nil {
		return err
	}

	for _, file := range files {
		if err := r.stream(file, f); err != nil {
			return err
		}
	}

	return nil
}

func (r *Reader) stream(path string, f func(*structpb.Struct) error) error {
	in := r.Stdin

	if path != Stdin {
		file, err := os.Open(path) //nolint:gosec // The user names it.
		if err != nil {
			return errors.Wrapf(OneLine(err), "cannot read %s", path)
		}

		defer file.Close() //nolint:errcheck // Only read.

		in = file
	}

	// What was split off first is asked for first, whoever is done first.
	order, done := make(chan chan decoded, ahead), make(chan struct{})
	defer close(done)

	go split(in, order, done)

	for d := range order {
		of := <-d
		if of.err != nil {
			return errors.Wrapf(OneLine(of.err), "cannot read %s", path)
		}

		for _, o := range of.objects {
			if err := f(o); err != nil {
				return err
			}
		}
	}

	return nil
}

// split the supplied text into objects, and have each decoded, until all is read or the last
// channel is closed.
func split(in io.Reader, order chan<- chan decoded, done <-chan struct{}) {
	defer close(order)

	free := make(chan struct{}, runtime.GOMAXPROCS(0))

	s := &splitter{in: bufio.NewReaderSize(in, 1<<16)}
	s.emit = func(c chunk) bool {
		d := make(chan decoded, 1)

		select {
		case order <- d:
		case <-done:
			return false
		}

		free <- struct{}{}

		go func() {
			objects, err := c.decode()
			d <- decoded{objects: objects, err: err}
			<-free
		}()

		return c.err == nil
	}

	if err := s.split(); err != nil {
		s.emit(chunk{err: err, item: s.item, document: s.document})
	}
}

// decode the objects of the chunk: one, or those of a list, or none if there is nothing in it.
func (c *chunk) decode() (out []*structpb.Struct, err error) {
	if err = c.err; err != nil {
		return nil, c.at(err)
	}

	var values []*structpb.Value

	add := func(v *structpb.Value) { values = append(values, v) }

	if c.json || c.item > 0 {
		err = decodeValue(c, add)
	} else {
		err = decodeDocument(c.text, add)
	}

	for _, v := range values {
		o := v.GetStructValue()
		if o == nil {
			return nil, c.at(errors.Errorf("it is %s, not an object", object.KindOf(v)))
		}

		// One of which the items are null.
		if !isList(o) {
			out = append(out, o)
		}
	}

	return out, c.at(err)
}

// at says which document and item the supplied error is of.
func (c *chunk) at(err error) error {
	if c.item > 0 {
		err = errors.Wrapf(err, "item %d", c.item)
	}

	if c.document > 1 {
		err = errors.Wrapf(err, "document %d", c.document)
	}

	return err
}

// decodeValue calls the supplied function for the value that the supplied chunk is, or for its
// items.
func decodeValue(c *chunk, f func(*structpb.Value)) error {
	j := c.text

	if !c.json {
		var err error
		if j, err = yamlToJSON(c.text); err != nil {
			if strings.Contains(err.Error(), "unknown anchor") {
				err = errors.Wrap(err, "items of a List are read one by one, without the anchors of others: use JSON instead, or no aliases")
			}

			return err
		}
	}

	v := &structpb.Value{}
	if err := v.UnmarshalJSON(j); err != nil {
		return err
	}

	eachItem(v, f)

	return nil
}
