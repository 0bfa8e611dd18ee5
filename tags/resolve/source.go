package resolve

import (
	"cmp"
	"fmt"
	"iter"
	"maps"
	"slices"
	"strings"

	"google.golang.org/protobuf/types/known/structpb"

	"github.com/crossplane/function-sdk-go/errors"

	"github.com/plexsphere/function-cloud-tags/input/v1beta1"
	"github.com/plexsphere/function-cloud-tags/tags"
	"github.com/plexsphere/function-cloud-tags/tags/expression"
	"github.com/plexsphere/function-cloud-tags/tags/object"
)

// A sourceType says how sources of one type are read.
type sourceType struct {
	// find returns the labels of a source: a map for each object that has any, later over
	// earlier ones. It returns none while Crossplane fetches the objects, and a *absence as an
	// error if there are none. It is nil for sources that are read per composed resource.
	find func(r *resolver, s *v1beta1.Source) ([]labels, error)

	// title returns a name for a source without one, such as "the input".
	title func(r *resolver, s *v1beta1.Source) string

	// kinds returns the kinds of the objects that a source reads. It is nil for sources that read none, and for sources that
	// read provider configs. composite is the kind of the composite resource.
	kinds func(s *v1beta1.Source, composite v1beta1.ResourceKind) []v1beta1.ResourceKind

	// written yields the keys of the labels that are written in the source itself. It is nil for sources that read labels.
	written func(s *v1beta1.Source) iter.Seq[string]
}

// sourceTypes are the types of sources that the input admits.
var sourceTypes = map[v1beta1.SourceType]sourceType{
	v1beta1.SourceTypeValue:             value,
	v1beta1.SourceTypeCompositeField:    compositeField,
	v1beta1.SourceTypeContextField:      contextField,
	v1beta1.SourceTypeCompositeMetadata: compositeMetadata,
	v1beta1.SourceTypeRequiredResource:  requiredResource,
	v1beta1.SourceTypeProviderConfig:    providerConfig,
	v1beta1.SourceTypeExpression:        computed,
}

// Title returns the name of a source, or else a name for what it reads of the composite resource xr: "spec.labels" or "ConfigMap
// tags".
func Title(s *v1beta1.Source, xr *structpb.Struct) string {
	if t, ok := sourceTypes[s.Type]; ok && s.Name == "" {
		return t.title(&resolver{xr: namedObject{Object: object.Tree(xr)}}, s)
	}

	return cmp.Or(s.Name, string(s.Type))
}

// Kinds returns the kinds of the objects that the source reads labels of, which may be none. The kinds of
// provider configs are known of composed resources only. composite is the kind of the composite resource.
func Kinds(s *v1beta1.Source, composite v1beta1.ResourceKind) []v1beta1.ResourceKind {
	if t := sourceTypes[s.Type]; t.kinds != nil && !s.IsHop() {
		return t.kinds(s, composite)
	}

	return nil
}

// Own returns the keys of the labels that are written in the source itself, sorted. It returns none for sources that read
// labels.
func Own(s *v1beta1.Source) []string {
	if t := sourceTypes[s.Type]; t.written != nil {
		return slices.Sorted(t.written(s))
	}

	return nil
}

// Named returns the keys of labels that the source names: the keys of include without patterns, or else the keys of Own.
func Named(s *v1beta1.Source) []string {
	if s.IsHop() || s.Include == nil {
		return Own(s)
	}

	return slices.DeleteFunc(slices.Clone(s.Include.Keys), func(key string) bool { return strings.HasSuffix(key, "*") })
}

// LabelOf returns the label, without its value, that the source of the input has under the key, or false if
// include leaves it out.
func LabelOf(in *v1beta1.CloudTags, s *v1beta1.Source, key string) (tags.Label, bool) {
	l := labelOf(in, s, key)
	return l, listed(s).has(l.QualifiedKey)
}

func labelOf(in *v1beta1.CloudTags, s *v1beta1.Source, key string) tags.Label {
	l := tags.Label{QualifiedKey: key, TagKey: in.KeyPrefix + key, Trusted: s.Trusted}
	if s.KeyForm == v1beta1.KeyFormTag {
		l.QualifiedKey, l.TagKey, l.Unprefixed = strings.TrimPrefix(key, in.KeyPrefix), key, true
	}

	return l
}

// An absence says that a source finds no labels. failure is the text of the error of a required source. An absence without a
// failure never is an error. note is the message about an optional source.
type absence struct{ failure, note string }

func (a *absence) Error() string { return a.failure }

// isAbsence reports whether err says that nothing was found.
func isAbsence(err error) bool { return errors.As(err, new(*absence)) }

// optional returns the note of err, and true, if err is a *absence that is no error for the source s.
func optional(s *v1beta1.Source, err error) (note string, ok bool) {
	var a *absence
	if !errors.As(err, &a) || a.failure != "" && s.Required() {
		return "", false
	}

	return a.note, true
}

// noValue begins the note on a source of expressions, before the reason of the first expression.
const noValue = "none of its expressions has a value: "

// labels of one object, by key. Their values are looked at only once they are included.
type labels map[string]found

// A found is the value of a label with its place.
type found struct {
	object.Node

	// expression computes the value. It is nil if the value is there.
	expression *expression.Expression

	// path of the map with the value, in the words of messages, and the key in the map.
	path, key string
}

// source takes the labels that s includes, in the order of their keys in s. from is the Source of these labels. See
// testdata/resolve.yaml.
func (r *resolver) source(s *v1beta1.Source, from *tags.Source) error {
	t, ok := sourceTypes[s.Type]
	if !ok {
		return errors.Errorf("there is no type %q of sources", s.Type)
	}

	include, err := r.include(s, from.Name)
	if err != nil {
		return errors.Wrap(err, "cannot tell which labels to include")
	}

	if t.find == nil {
		a := &accounts{Source: s, from: from, included: include, labels: make(map[account][]tags.Label)}
		r.set.PerResource.add(scopedLabel{Label: tags.Label{Source: from, Trusted: s.Trusted}, accounts: a}, s)

		return nil
	}

	found, err := t.find(r, s)
	if err != nil {
		return err
	}

	all, taken, absent := 0, 0, ""

	for _, labels := range found {
		all += len(labels)
		places := bound{reserved: r.reserved}

		for l, f := range r.included(s, from, include, labels) {
			why, ok, err := r.takeFound(l, s, f, &places)

			switch {
			case err != nil:
				return err
			case ok:
				taken++
			case why == "":
				all-- // Null is no label.
			default:
				absent = cmp.Or(absent, noValue+why)
				r.set.Absent = append(r.set.Absent, Lack{from.Name, why})
			}
		}

		r.leave(places.leftOut, s)
	}

	// An empty map is meant to be empty.
	if all > 0 && taken == 0 {
		return &absence{note: cmp.Or(include.none, absent, fmt.Sprintf("include matches none of its %d labels", all))}
	}

	return nil
}

// included yields the labels that the source s includes, in the order of their keys in s. The labels have no values yet: included
// also yields the places of the values.
func (r *resolver) included(s *v1beta1.Source, from *tags.Source, include *include, all labels) iter.Seq2[tags.Label, found] {
	return func(yield func(tags.Label, found) bool) {
		for _, key := range slices.Sorted(maps.Keys(all)) {
			l := labelOf(r.in, s, key)
			l.Source = from

			if include.has(l.QualifiedKey) && !yield(l, all[key]) {
				return
			}
		}
	}
}

// takeFound takes the label l of the source s with the value at f, if places admits it: the value 3 with the encoding
// Scalar makes "3". It returns false without a reason if the value is null, and with a reason if an expression has no
// value.
func (r *resolver) takeFound(l tags.Label, s *v1beta1.Source, f found, places *bound) (why string, ok bool, err error) {
	switch {
	case f.expression == nil:
		l.Value, ok, err = f.asText(s)
	case len(f.expression.PerResource()) > 0:
		r.set.PerResource.add(scopedLabel{Label: l, computes: s, found: f}, s)
		return "", true, nil
	default:
		l.Value, why, ok, err = r.compute(s, f)
	}

	if ok && places.admits(l) {
		r.take(l, s)
	}

	return why, ok, err
}
