package v1beta1

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"maps"
	"slices"
	"sync"

	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/known/structpb"

	"github.com/crossplane/function-sdk-go/errors"

	"github.com/plexsphere/function-cloud-tags/tags/expression"
	"github.com/plexsphere/function-cloud-tags/tags/object"
)

// Decode validates s, the input of a pipeline step, and sets its defaults. The error names the first 20
// mistakes by field. Callers that share the result must not change it.
//
// Of an input that extends a standard only the structure is validated: Join does the rest.
func Decode(s *structpb.Struct) (*CloudTags, error) {
	return decodeStep(context.Background(), s, &admission{})
}

// decodeStep is Decode with an admission of its own, until ctx ends.
func decodeStep(ctx context.Context, s *structpb.Struct, a *admission) (*CloudTags, error) {
	_, a.apart = s.GetFields()["extends"]

	return decode(ctx, s, a)
}

// decode is decodeStep, but a says whether the input is apart.
func decode(ctx context.Context, s *structpb.Struct, a *admission) (*CloudTags, error) {
	if s == nil {
		return nil, errors.Errorf("the pipeline step has no input: it needs one of apiVersion %s and kind %s", APIVersion, Kind)
	}

	a.ended, a.contextKeys = ctx.Err, make(map[string]string)
	s = proto.CloneOf(s)
	a.value(nil, loadSchema(), structpb.NewStructValue(s))

	if err := a.err(); err != nil {
		return nil, err
	}

	j, err := s.MarshalJSON()
	if err != nil {
		return nil, errors.Wrap(err, "cannot encode input as JSON")
	}

	in := &CloudTags{}
	if err := json.Unmarshal(j, in); err != nil {
		return nil, errors.Wrap(err, "cannot decode input")
	}

	in.Origins = a.origins

	if !a.apart {
		in.complete(a.compiled)
	}

	return in, nil
}

// DecodeObject decodes an input that was read from a file, as Decode does.
func DecodeObject(o map[string]any) (*CloudTags, error) {
	s, err := ToStruct(o)
	if err != nil {
		return nil, err
	}

	return Decode(s)
}

// ToStruct returns an input that was read from a file, such as {keyPrefix: "acme:"}, as the message that Decode takes.
func ToStruct(o map[string]any) (*structpb.Struct, error) {
	j, err := json.Marshal(o)
	if err != nil {
		return nil, errors.Wrap(err, "cannot encode input as JSON")
	}

	s := &structpb.Struct{}

	return s, errors.Wrap(s.UnmarshalJSON(j), "cannot decode input")
}

// complete replaces expressions by the compiled ones of the same text, and sets the defaults that depend
// on other fields.
func (in *CloudTags) complete(compiled compiled) {
	all := make(map[*expression.Expression]expression.ValueType)

	for i := range in.Sources {
		s := &in.Sources[i]
		for key, e := range s.Expressions {
			s.Expressions[key] = compiled[expression.Label][e.String()]
		}

		maps.Copy(all, s.Resource.expressions())

		if s.Include != nil {
			all[&s.Include.Expression] = expression.Patterns
		}
	}

	for i := range in.KubernetesMetadata {
		m := &in.KubernetesMetadata[i]
		m.complete()

		maps.Copy(all, m.Source.Resource.expressions())
		all[&m.Source.Labels], all[&m.Source.Annotations] = expression.Labels, expression.Labels
	}

	for e, result := range all {
		*e = compiled[result][e.String()]
	}

	for i := range in.TagFields {
		switch f := &in.TagFields[i]; {
		case f.Shape == "KeyValueList" && f.KeyValueList == nil:
			f.KeyValueList = &KeyValueList{KeyValueFields: KeyValueFields{Key: "key", Value: "value"}}
		case f.Shape == "StringList" && f.StringList == nil:
			f.StringList = &StringList{Separator: "="}
		case f.Shape == "Joined" && f.Joined == nil:
			f.Joined = &Joined{Separator: "=", Delimiter: ","}
		}
	}
}

// labelsPath and annotationsPath are the default paths of the metadata that an entry copies.
var labelsPath, annotationsPath = object.MustParsePath("metadata.labels"), object.MustParsePath("metadata.annotations")

// complete sets the paths that the entry copies from and to by default.
func (m *MetadataCopy) complete() {
	if s := &m.Source; s.Type != MetadataSourceTypeExpression {
		if s.LabelsFieldPath.IsZero() {
			s.LabelsFieldPath = labelsPath
		}

		if s.AnnotationsFieldPath.IsZero() {
			s.AnnotationsFieldPath = annotationsPath
		}
	}

	if m.ToFieldPaths != nil {
		return
	}

	m.ToFieldPaths = &MetadataFieldPaths{}

	if m.Copy == nil || slices.Contains(m.Copy, MetadataKindLabels) {
		m.ToFieldPaths.Labels = []object.Path{labelsPath}
	}

	if m.Copy == nil || slices.Contains(m.Copy, MetadataKindAnnotations) {
		m.ToFieldPaths.Annotations = []object.Path{annotationsPath}
	}
}

// maxKept is how many inputs a Decoder keeps. Each step of a Composition that runs the function
// has one, and if it extends a standard, also the one that both are together.
const maxKept = 512

// maxKeptExpressions is how many parts the expressions of all kept inputs may have. A part takes about
// 1 KB. Each expression takes as much as perExpression parts besides.
const (
	maxKeptExpressions = 2 * maxExpressionsSize
	perExpression      = 10
)

// A Decoder keeps the inputs that it has decoded or refused, and those that it has joined: Crossplane sends the
// same input and the same standard at each reconcile. The zero Decoder is ready to use, also by several
// goroutines at once.
//
// +kubebuilder:object:generate=false
type Decoder struct {
	mu   sync.Mutex
	kept map[keptKey]decoded

	// expressions is how many parts the kept expressions count for.
	expressions int
}

// decoded is what came of an input: the result, or the error.
//
// +kubebuilder:object:generate=false
type decoded struct {
	in  *CloudTags
	err error
}

// A keptKey identifies a kept input: by its hash or, if the input step is joined with a standard, by step and the standard's
// hash and title.
type keptKey struct {
	hash  Hash
	step  *CloudTags
	title string
}

// Decode decodes s, which has the hash, as the function Decode does, until ctx ends. Callers share the result, and must
// not change it.
func (d *Decoder) Decode(ctx context.Context, s *structpb.Struct, hash Hash) (*CloudTags, error) {
	return d.keep(ctx, keptKey{hash: hash}, func(a *admission) (*CloudTags, error) { return decodeStep(ctx, s, a) })
}

// Join joins the input s of a pipeline step with the standard that it extends, validates the result, and sets its defaults.
// step is the decoded s. If the standard is no input, the error is a *StandardError, and any other error is about both
// together. Once ctx has ended, its error is returned. Callers share the result, and must not change it.
func (d *Decoder) Join(ctx context.Context, step *CloudTags, s *structpb.Struct, standard *Standard) (*CloudTags, error) {
	key := keptKey{step: step, title: standard.Title, hash: HashOf(standard.Value)}

	return d.keep(ctx, key, func(a *admission) (*CloudTags, error) {
		below, err := standard.read(ctx)
		if err != nil {
			return nil, &StandardError{Err: err}
		}

		joined, origins := join(s, below, standard.Title)
		a.origins = origins
		in, err := decode(ctx, joined, a)

		return in, errors.Wrapf(err, "joined with %s", standard.Title)
	})
}

// keep returns the input or error that is kept under the key. If there is none, it calls decode, and keeps the result. It keeps
// no error after the end of ctx, and nothing without a hash, since the hash of another input may also be zero.
func (d *Decoder) keep(ctx context.Context, key keptKey, decode func(*admission) (*CloudTags, error)) (*CloudTags, error) {
	d.mu.Lock()
	hit, ok := d.kept[key]
	d.mu.Unlock()

	if ok {
		return hit.in, hit.err
	}

	a := &admission{}

	in, err := decode(a)
	if key.hash == (Hash{}) || err != nil && ctx.Err() != nil {
		return nil, err
	}

	d.mu.Lock()
	defer d.mu.Unlock()

	if first, ok := d.kept[key]; ok {
		return first.in, first.err
	}

	expressions := 0
	if in != nil {
		expressions = a.weight
	}

	// A full Decoder starts anew, which is rare.
	if d.kept == nil || len(d.kept) >= maxKept || d.expressions+expressions > maxKeptExpressions {
		d.kept, d.expressions = make(map[keptKey]decoded), 0
	}

	d.kept[key] = decoded{in, err}
	d.expressions += expressions

	return in, err
}

// A Hash tells an input from others.
//
// +kubebuilder:object:generate=false
type Hash [sha256.Size]byte

// HashOf returns the hash of an input or a standard, which does not depend on the order of its fields. A message that can't be
// encoded has the zero Hash: Decode refuses it.
func HashOf(m proto.Message) Hash {
	b, err := proto.MarshalOptions{Deterministic: true}.Marshal(m)
	if err != nil {
		return Hash{}
	}

	return sha256.Sum256(b)
}
