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
	// find returns a map of labels for each object that has any. Labels of later maps win. While Crossplane fetches the
	// objects, the error is errWaiting. If there are no labels, the error is a *absence. find is nil for sources that are read
	// per composed resource.
	find func(r *resolver, s *v1beta1.Source) ([]foundLabels, error)

	// title returns a name for messages if the source has no name, such as "the input".
	title func(r *resolver, s *v1beta1.Source) string

	// kindsRead returns the kinds of the objects that a source reads. It is nil for sources that read no objects, or only
	// provider configs. composite is the kind of the composite resource.
	kindsRead func(s *v1beta1.Source, composite v1beta1.ResourceKind) []v1beta1.ResourceKind
}

// sourceTypes are the types of sources that the input admits.
var sourceTypes = map[v1beta1.SourceType]sourceType{
	v1beta1.SourceTypeValue:             valueSources,
	v1beta1.SourceTypeCompositeField:    compositeFieldSources,
	v1beta1.SourceTypeContextField:      contextFieldSources,
	v1beta1.SourceTypeCompositeMetadata: compositeMetadataSources,
	v1beta1.SourceTypeRequiredResource:  requiredResourceSources,
	v1beta1.SourceTypeProviderConfig:    providerConfigSources,
	v1beta1.SourceTypeExpression:        expressionSources,
}

// Title returns the name of a source for messages. A source without a name gets the name of the field or object that it
// reads, such as "spec.labels" or "ConfigMap tags". The composite resource xr may name this object.
func Title(s *v1beta1.Source, xr *structpb.Struct) string {
	if t, ok := sourceTypes[s.Type]; ok && s.Name == "" {
		return t.title(&resolver{xr: namedObject{Object: object.FromStruct(xr)}}, s)
	}

	return cmp.Or(s.Name, string(s.Type))
}

// KindsRead returns the kinds of the objects from which the source reads labels, such as Namespace. It returns none for sources
// that read provider configs: only composed resources say which kinds these have. composite is the kind of the composite resource.
func KindsRead(s *v1beta1.Source, composite v1beta1.ResourceKind) []v1beta1.ResourceKind {
	if t := sourceTypes[s.Type]; t.kindsRead != nil && !s.IsHop() {
		return t.kindsRead(s, composite)
	}

	return nil
}

// InputKeys returns the keys of the labels that are written in the source itself, sorted: team for values: {team: a}. It
// returns none for sources that read labels from elsewhere.
func InputKeys(s *v1beta1.Source) []string {
	return slices.Concat(slices.Sorted(maps.Keys(s.Values)), slices.Sorted(maps.Keys(s.Expressions))) // A source has one of these.
}

// NamedKeys returns the keys that the source spells out: its WrittenKeys, or for a source that reads labels, the keys of
// include. Patterns such as platform/mesh-* are left out.
func NamedKeys(s *v1beta1.Source) []string {
	if s.IsHop() || s.Include == nil {
		return InputKeys(s)
	}

	return slices.DeleteFunc(slices.Clone(s.Include.Keys), func(key string) bool { return strings.HasSuffix(key, "*") })
}

// LabelOf returns the label that the source of the input gives for the key, without its value. It returns false if include
// leaves the key out.
func LabelOf(input *v1beta1.CloudTags, s *v1beta1.Source, key string) (tags.Label, bool) {
	l := newLabel(input, s, key)
	return l, inputFilter(s).includes(l.QualifiedKey)
}

// newLabel returns the label of the source for the key, without its value. With the key prefix plexsphere:, env has the tag key
// plexsphere:env. With keyForm: Tag, the key is the tag key itself.
func newLabel(input *v1beta1.CloudTags, s *v1beta1.Source, key string) tags.Label {
	if s.KeyForm == v1beta1.KeyFormTag {
		return tags.Label{QualifiedKey: strings.TrimPrefix(key, input.KeyPrefix), TagKey: key, GivesTagKey: true, Trusted: s.Trusted}
	}

	return tags.Label{QualifiedKey: key, TagKey: input.KeyPrefix + key, Trusted: s.Trusted}
}

// An absence says that a source finds no labels.
type absence struct {
	// failure is the text of the error if the source is required. If it is empty, the absence fails no source.
	failure string

	// note is the message about an optional source.
	note string
}

func (a *absence) Error() string { return a.failure }

// isAbsence reports whether err says that nothing was found.
func isAbsence(err error) bool { return errors.As(err, new(*absence)) }

// noteIfOptional returns the note of err if err is a *absence that doesn't fail the source s. It returns false for all other
// errors, and for nil.
func noteIfOptional(s *v1beta1.Source, err error) (note string, ok bool) {
	var a *absence
	if !errors.As(err, &a) || a.failure != "" && s.Required() {
		return "", false
	}

	return a.note, true
}

// noValue begins the note on a source whose expressions have no value. The reason of the first expression follows.
const noValue = "none of its expressions has a value: "

// foundLabels are the labels of one object, by key. Values of labels that include leaves out are never read.
type foundLabels map[string]foundValue

// A foundValue is the value of a label, and where it was found.
type foundValue struct {
	object.Node

	// expression computes the value. It is nil if the Node is the value already.
	expression *expression.Expression

	// path of the map with the value for messages, such as spec.labels, and key of the value in this map.
	path, key string
}

// takeSource adds the labels that the source s includes to the set, in the order of their keys. The labels get labelSource as
// their Source. See testdata/resolve.yaml.
func (r *resolver) takeSource(s *v1beta1.Source, labelSource *tags.Source) error {
	t, ok := sourceTypes[s.Type]
	if !ok {
		return errors.Errorf("there is no type %q of sources", s.Type)
	}

	filter, err := r.keyFilterFor(s, labelSource.Name)
	if err != nil {
		return errors.Wrap(err, "cannot tell which labels to include")
	}

	if t.find == nil {
		source := &configSource{Source: s, labelSource: labelSource, filter: filter, labels: make(map[configKey][]tags.Label), contents: make(map[configKey]configContent)}
		r.set.PerResource.addScoped(scopedLabel{Label: tags.Label{Source: labelSource, Trusted: s.Trusted}, configSource: source}, s)

		return nil
	}

	found, err := t.find(r, s)
	if err != nil {
		return err
	}

	foundCount, takenCount, valuelessNote := 0, 0, ""

	for _, labels := range found {
		foundCount += len(labels)
		limit := sourceLimit{reserved: r.reserved}

		for l, value := range r.includedLabels(s, labelSource, filter, labels) {
			whyNone, ok, err := r.takeValue(l, s, value, &limit)

			switch {
			case err != nil:
				return err
			case ok:
				takenCount++
			case whyNone == "":
				foundCount-- // A value of null is no label.
			default:
				valuelessNote = cmp.Or(valuelessNote, noValue+whyNone)
				r.set.CommonValueless = append(r.set.CommonValueless, SourceNote{labelSource.Name, whyNone})
			}
		}

		r.countLeftOut(limit.leftOut, s)
	}

	// A map without any labels is empty on purpose: it is no absence.
	if foundCount > 0 && takenCount == 0 {
		return &absence{note: cmp.Or(filter.emptyReason, valuelessNote, fmt.Sprintf("include matches none of its %d labels", foundCount))}
	}

	return nil
}

// includedLabels yields each label that the source s has found and the filter includes, in the order of keys. The label has no value
// yet. The foundValue beside it gives one.
func (r *resolver) includedLabels(s *v1beta1.Source, labelSource *tags.Source, filter *keyFilter, all foundLabels) iter.Seq2[tags.Label, foundValue] {
	return func(yield func(tags.Label, foundValue) bool) {
		for _, key := range slices.Sorted(maps.Keys(all)) {
			l := newLabel(r.input, s, key)
			l.Source = labelSource

			if filter.includes(l.QualifiedKey) && !yield(l, all[key]) {
				return
			}
		}
	}
}

// takeValue adds the label l of the source s to the set, with the text of its value: 3 becomes "3" with the encoding Scalar.
// A label beyond the limit is left out. An expression that reads a composed resource is evaluated later, for each resource.
// The result ok is false in two cases:
//   - The value is null. Then whyNone is empty.
//   - An expression has no value. Then whyNone is the reason.
func (r *resolver) takeValue(l tags.Label, s *v1beta1.Source, value foundValue, limit *sourceLimit) (whyNone string, ok bool, err error) {
	switch {
	case value.expression == nil:
		l.Value, ok, err = value.asText(s)
	case len(value.expression.PerResource()) > 0:
		r.set.PerResource.addScoped(scopedLabel{Label: l, computedBy: s, found: value}, s)
		return "", true, nil
	default:
		l.Value, whyNone, ok, err = r.computeText(s, value)
	}

	if ok && limit.countAndAdmit(l) {
		r.takeLabel(l, s)
	}

	return whyNone, ok, err
}
