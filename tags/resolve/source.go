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

	// title is what people call a source that has no name.
	title func(r *resolver, s *v1beta1.Source) string

	// kinds returns the kinds of the objects that a source reads. It is nil if a source of the type
	// reads none, or if composed resources say which. composite is the kind of the composite resource.
	kinds func(s *v1beta1.Source, composite v1beta1.ResourceKind) []v1beta1.ResourceKind

	// own yields the keys of the labels that a source itself has. It is nil if sources of the type read theirs.
	own func(s *v1beta1.Source) iter.Seq[string]
}

// sourceTypes are all that the input admits.
var sourceTypes = map[v1beta1.SourceType]sourceType{
	v1beta1.SourceTypeValue:             value,
	v1beta1.SourceTypeCompositeField:    compositeField,
	v1beta1.SourceTypeContextField:      contextField,
	v1beta1.SourceTypeCompositeMetadata: compositeMetadata,
	v1beta1.SourceTypeRequiredResource:  requiredResource,
	v1beta1.SourceTypeProviderConfig:    providerConfig,
	v1beta1.SourceTypeExpression:        computed,
}

// Title returns what people call a source of the composite resource xr: its name, or else what it reads.
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

// Own returns the keys of the labels that the source itself has, sorted. Other sources read theirs, and have none.
func Own(s *v1beta1.Source) []string {
	if t := sourceTypes[s.Type]; t.own != nil {
		return slices.Sorted(t.own(s))
	}

	return nil
}

// Named returns the keys of labels that the source names: its own, or those of include but for patterns.
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

// An absence says that a source found no labels. failure is the text of the error if the source is
// required; without one this is never an error. note is the message about an optional source.
type absence struct{ failure, note string }

func (a *absence) Error() string { return a.failure }

// isAbsence reports whether err says that nothing was found.
func isAbsence(err error) bool { return errors.As(err, new(*absence)) }

// optional returns the note about source s, and true, if err says only that s finds nothing, and s need not
// find anything.
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

// A found is the value of a label, and where it is.
type found struct {
	object.Node

	// expression that the value has to be computed by, or nil if it is there.
	expression *expression.Expression

	// path of the map that holds it, in the words of messages, and its key there.
	path, key string
}

// source takes the labels that s includes, in the order of the keys that it has them under. from is the
// same source in labels.
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
		a := &accounts{Source: s, from: from, include: include, labels: make(map[account][]tags.Label)}
		r.set.PerResource.add(entry{Label: tags.Label{Source: from, Trusted: s.Trusted}, accounts: a}, s)

		return nil
	}

	found, err := t.find(r, s)
	if err != nil {
		return err
	}

	of, taken, absent := 0, 0, ""

	for _, labels := range found {
		of += len(labels)
		places := bound{reserved: r.reserved}

		for l, f := range r.included(s, from, include, labels) {
			why, ok, err := r.takeFound(l, s, f, &places)

			switch {
			case err != nil:
				return err
			case ok:
				taken++
			case why == "":
				of-- // Null is no label.
			default:
				absent = cmp.Or(absent, noValue+why)
				r.set.Absent = append(r.set.Absent, Lack{from.Name, why})
			}
		}

		r.leave(places.left, s)
	}

	// An empty map is meant to be empty.
	if of > 0 && taken == 0 {
		return &absence{note: cmp.Or(include.none, absent, fmt.Sprintf("include matches none of its %d labels", of))}
	}

	return nil
}

// included yields the labels among all that the source s includes, without their values, and where their
// values are, in the order of the keys that the source has them under.
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

// takeFound takes the label l of the source s, whose value the source finds in f, if places admits it. It returns false if
// there is no label: because the value is null, or, with the reason why, because an expression has none.
func (r *resolver) takeFound(l tags.Label, s *v1beta1.Source, f found, places *bound) (why string, ok bool, err error) {
	switch {
	case f.expression == nil:
		l.Value, ok, err = f.text(s)
	case len(f.expression.PerResource()) > 0:
		r.set.PerResource.add(entry{Label: l, source: s, found: f}, s)
		return "", true, nil
	default:
		l.Value, why, ok, err = r.compute(s, f)
	}

	if ok && places.admits(l) {
		r.take(l, s)
	}

	return why, ok, err
}
