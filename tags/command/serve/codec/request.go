package codec

import (
	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/known/structpb"

	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"

	"github.com/plexsphere/function-cloud-tags/tags/object"
	"github.com/plexsphere/function-cloud-tags/tags/object/wire"
)

// Numbers of the fields of a request.
const (
	meta = iota + 1
	observed
	desired
	input
	pipelineContext
	extraResources
	credentials
	requiredResources
	requiredSchemas
)

// Numbers of the fields of a state.
const (
	composite = iota + 1
	composed
)

// Unmarshal decodes b to req. From then on, b must not change: package object reads resources and schemas in these bytes.
// Unknown fields of a newer Crossplane are kept. If the request isn't in plain form (see package wire), protobuf decodes all of
// it and returns the error, so that nothing turns out to be broken later.
func Unmarshal(b []byte, req *fnv1.RunFunctionRequest) error {
	proto.Reset(req)

	d := &decoder{to: req}
	if each(b, req, requiredSchemas, d.field) {
		return nil
	}

	return proto.Unmarshal(b, req)
}

// A decoder decodes a request. Its methods return false for anything that isn't in plain form.
type decoder struct {
	wire.Checker

	to *fnv1.RunFunctionRequest
}

// each calls f for each field in b, the bytes of the message m, until f returns false. f gets the field's number, its body, and
// all its bytes. Fields with numbers above last become unknown fields of m.
func each(b []byte, m proto.Message, last protowire.Number, f func(number int, body, field []byte) bool) bool {
	for len(b) > 0 {
		if n := wire.Unknown(b, last); n > 0 {
			r := m.ProtoReflect()
			r.SetUnknown(append(r.GetUnknown(), b[:n]...))

			b = b[n:]

			continue
		}

		tag, body, rest, ok := wire.Field(b)
		if number, kind := protowire.DecodeTag(uint64(tag)); !ok || kind != protowire.BytesType || !f(int(number), body, b[:len(b)-len(rest)]) {
			return false
		}

		b = rest
	}

	return true
}

// field decodes a field of the request.
func (d *decoder) field(n int, body, field []byte) (ok bool) {
	switch n {
	case meta, input, credentials:
		return proto.UnmarshalOptions{Merge: true}.Unmarshal(field, d.to) == nil
	case observed:
		return d.state(body, &d.to.Observed)
	case desired:
		return d.state(body, &d.to.Desired)
	case pipelineContext:
		return d.context(body)
	case extraResources:
		d.to.ExtraResources, ok = put(d.to.GetExtraResources(), body, d.newResources) //nolint:staticcheck // Crossplane before v2.2 answers there.
	case requiredResources:
		d.to.RequiredResources, ok = put(d.to.GetRequiredResources(), body, d.newResources)
	case requiredSchemas:
		d.to.RequiredSchemas, ok = put(d.to.GetRequiredSchemas(), body, d.newSchema)
	}

	return ok
}

// context decodes the keys of the pipeline's context, and leaves their values in bytes.
func (d *decoder) context(b []byte) (ok bool) {
	if d.to.GetContext() == nil {
		d.to.Context = &structpb.Struct{}
	}

	to := d.to.GetContext()

	return d.Struct(b, 1) && each(b, to, wire.LastOfOne, func(_ int, body, _ []byte) bool {
		to.Fields, ok = put(to.GetFields(), body, func(b []byte) (*structpb.Value, bool) { return object.ValueOfBytes(b), true })
		return ok
	})
}

// put adds the entry b to m, and returns m, or a new map if m is nil. decode returns the entry's value. In plain form, no key
// comes twice.
func put[V any](m map[string]*V, b []byte, decode func(b []byte) (*V, bool)) (map[string]*V, bool) {
	key, value, ok := wire.FieldEntry(b)
	if _, twice := m[string(key)]; twice || !ok {
		return m, false
	}

	if m == nil {
		m = make(map[string]*V)
	}

	m[string(key)], ok = decode(value)

	return m, ok
}

// state decodes a state to to. In plain form, it comes once.
func (d *decoder) state(b []byte, to **fnv1.State) bool {
	if *to != nil {
		return false
	}

	s := &fnv1.State{}
	*to = s

	return each(b, s, composed, func(n int, body, _ []byte) (ok bool) {
		switch n {
		case composite:
			if ok = s.GetComposite() == nil; ok {
				s.Composite, ok = d.resourceIn(body, 2)
			}
		case composed:
			s.Resources, ok = put(s.GetResources(), body, d.newResource)
		}

		return ok
	})
}

// newResource returns a resource of a map in a State, or of a list in Resources, with the bytes.
func (d *decoder) newResource(b []byte) (*fnv1.Resource, bool) { return d.resourceIn(b, 3) }

// resourceIn returns a resource with the bytes, which is a field of a message so many messages deep.
func (d *decoder) resourceIn(b []byte, depth int) (*fnv1.Resource, bool) {
	r := &fnv1.Resource{}
	object.SetBytes(r, b)

	return r, d.Resource(b, depth)
}

// newResources returns a list with the bytes.
func (d *decoder) newResources(b []byte) (*fnv1.Resources, bool) {
	out := &fnv1.Resources{}

	return out, each(b, out, wire.LastOfOne, func(n int, body, _ []byte) bool {
		r, ok := d.newResource(body)
		out.Items = append(out.Items, r)

		return ok && n == wire.LastOfOne
	})
}

// newSchema returns a schema with the bytes.
func (d *decoder) newSchema(b []byte) (*fnv1.Schema, bool) {
	s := &fnv1.Schema{}
	object.SetSchema(s, b)

	if wire.OnlyUnknown(b, wire.LastOfOne) {
		return s, true
	}

	tag, body, rest, ok := wire.Field(b)

	return s, ok && tag == wire.Object && wire.OnlyUnknown(rest, wire.LastOfOne) && d.Struct(body, 3)
}
