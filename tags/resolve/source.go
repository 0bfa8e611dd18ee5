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

// Title returns the name of a source for messages. A source without a name gets the name of the field or object that it
// reads, such as "spec.labels" or "ConfigMap tags". The name "tags" may come from a field of the composite resource xr.
func Title(s *v1beta1.Source, xr *structpb.Struct) string {
	if s.Name != "" {
		return s.Name
	}

	switch s.Type {
	case v1beta1.SourceTypeValue:
		return "the input"
	case v1beta1.SourceTypeCompositeField:
		return s.FromFieldPath.String()
	case v1beta1.SourceTypeContextField:
		return contextName(s.ContextKey) + "." + s.FromFieldPath.String()
	case v1beta1.SourceTypeCompositeMetadata:
		return "labels and annotations " + s.Prefix + "…"
	case v1beta1.SourceTypeRequiredResource:
		return (&resolver{xr: namedObject{Object: object.FromStruct(xr)}}).selectedTitle(s.Resource) // It needs only the xr.
	case v1beta1.SourceTypeProviderConfig:
		return "provider configs"
	case v1beta1.SourceTypeExpression:
		return "expressions"
	default:
		return string(s.Type)
	}
}

// KindsRead returns the kinds of the objects from which the source reads labels, such as Namespace. It returns none for sources
// of provider configs, since only composed resources say which kinds these have. composite is the kind of the composite resource.
func KindsRead(s *v1beta1.Source, composite v1beta1.ResourceKind) []v1beta1.ResourceKind {
	switch {
	// Sources with values or expressions read no labels.
	case s.ReadsNoLabels() || s.Type == v1beta1.SourceTypeContextField || s.Type == v1beta1.SourceTypeProviderConfig:
		return nil
	case s.Resource != nil:
		return s.Resource.ResourceKinds()
	default:
		return []v1beta1.ResourceKind{composite}
	}
}

// InputKeys returns the keys of values or expressions of the source, sorted: team for values: {team: a}. It returns none for sources of
// other types.
func InputKeys(s *v1beta1.Source) []string {
	return slices.Concat(slices.Sorted(maps.Keys(s.Values)), slices.Sorted(maps.Keys(s.Expressions))) // A source has one of these.
}

// NamedKeys returns the keys of labels that one can read in the input: env for a source with the values {env: prod}, and also for a
// source with include: {keys: [env, "platform/*"]}.
func NamedKeys(s *v1beta1.Source) []string {
	if s.ReadsNoLabels() || s.Include == nil { // Values and expressions have keys. Others without include name none.
		return InputKeys(s)
	}

	return slices.DeleteFunc(slices.Clone(s.Include.Keys), func(key string) bool { return strings.HasSuffix(key, "*") })
}

// LabelOf returns the label that the source s of the input gives for the key, without its value. It returns false if include of s
// leaves out the key. Patterns in objects don't count.
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

// An absence is the error of something that isn't there: labels, objects, a field, or the value of an expression.
type absence struct {
	// failure is why a required source fails, such as "there is no Team (v1) named payments". It is empty for something that even a
	// required source may lack, such as labels with its prefix.
	failure string

	// note is the message about a source that doesn't fail.
	note string

	// isDisbelief reports whether there are objects, but none that may be believed: see findObjects.
	isDisbelief bool
}

func (a *absence) Error() string { return a.failure } // It is empty if the absence fails no source.

// isAbsence reports whether err is a *absence.
func isAbsence(err error) bool { return errors.As(err, new(*absence)) }

// isDisbelief reports whether err is the *absence of objects that may be believed, although there are others.
func isDisbelief(err error) bool {
	var a *absence
	return errors.As(err, &a) && a.isDisbelief
}

// toleratedAbsence returns the note of err, and whether err is a *absence that doesn't fail the source s. For all other errors, and for
// nil, the second result is false.
func toleratedAbsence(s *v1beta1.Source, err error) (note string, isTolerated bool) {
	var a *absence
	if !errors.As(err, &a) {
		return "", false
	}

	return a.note, a.failure == "" || !s.Required()
}

// noValue begins the note on a source whose expressions have no value. The reason of the first expression follows.
const noValue = "none of its expressions has a value: "

// foundLabels are the labels of one object, by key. The value of a label that isn't included is never read.
type foundLabels map[string]foundValue

// A foundValue is the value of a label, and where it was found.
type foundValue struct {
	object.Node

	// expression computes the value. It is nil if the Node is the value already.
	expression *expression.Expression

	// path of the map that has the value, for messages, and key of the value in this map: spec.labels and env for spec.labels[env].
	path, key string
}

// takeSource adds the labels of the source s to the set, in the order of their keys, but not those labels that include of s leaves
// out. The labels get labelSource as their Source. See testdata/resolve.yaml.
func (r *resolver) takeSource(s *v1beta1.Source, labelSource *tags.Source) error {
	filter, err := r.keyFilterFor(s, labelSource.Name)
	if err != nil {
		return errors.Wrap(err, "cannot tell which labels to include")
	}

	// Each composed resource may have another provider config, so LabelSetOf reads the labels later. One scopedLabel without a key stands for
	// all labels of the source.
	if s.Type == v1beta1.SourceTypeProviderConfig {
		source := &configSource{Source: s, labelSource: labelSource, filter: filter, contents: make(map[configKey]*configContent)}
		r.set.PerResource.addScoped(&scopedLabel{Label: tags.Label{Source: labelSource, Trusted: s.Trusted}, configSource: source}, s)

		return nil
	}

	found, err := r.findLabels(s)
	if err != nil {
		return err
	}

	labelCount, takenCount, valuelessNote := 0, 0, "" // labelCount counts labels that include leaves out, too.

	for _, labels := range found {
		labelCount += len(labels)
		limit := objectLimit{judge: r.judge, size: len(labels)}

		for l, value := range r.includedLabels(s, labelSource, filter, labels) {
			whyNone, ok, err := r.takeValue(l, s, value, &limit)

			switch {
			case err != nil:
				return err
			case ok:
				takenCount++
			case whyNone == "":
				labelCount-- // A value of null is no label.
				r.set.CommonNulls = appendNull(r.set.CommonNulls, labelSource, value)
			default:
				valuelessNote = cmp.Or(valuelessNote, noValue+whyNone)
				// This is noted even if other labels of the source have values.
				r.set.CommonValueless = append(r.set.CommonValueless, SourceNote{labelSource.Name, whyNone})
			}
		}

		if s.Resources == nil {
			r.set.LeftOut += limit.leftOut()
		} else {
			r.set.PerResource.leftOut += limit.leftOut()
		}
	}

	// It is an absence if include leaves out all labels, or if none has a value. Empty maps are on purpose, and no absence.
	if labelCount > 0 && takenCount == 0 {
		return &absence{note: cmp.Or(filter.emptyReason, valuelessNote, fmt.Sprintf("include matches none of its %d labels", labelCount))}
	}

	return nil
}

// findLabels returns a list of maps: the labels of each object of the source s that has any, or the one map of a source that reads no
// objects. Labels of later maps win. While Crossplane fetches the objects, the error is errWaiting. If there are no labels, the error is a
// *absence.
func (r *resolver) findLabels(s *v1beta1.Source) ([]foundLabels, error) {
	switch s.Type {
	case v1beta1.SourceTypeValue:
		return valueLabels(s)
	case v1beta1.SourceTypeExpression:
		return r.expressionLabels(s)
	case v1beta1.SourceTypeCompositeField, v1beta1.SourceTypeContextField, v1beta1.SourceTypeCompositeMetadata, v1beta1.SourceTypeRequiredResource:
		objects, err := r.objectsOf(s)
		if err != nil || s.ReadsNoLabels() { // Only a hop of these types reads no labels: other sources read its objects.
			return nil, err
		}

		return labelsOfAll(s, objects)
	case v1beta1.SourceTypeProviderConfig: // takeSource doesn't call findLabels for these.
	}

	return nil, errors.Errorf("there is no type %q of sources", s.Type)
}

// valueLabels returns the labels that are written in the source s itself.
func valueLabels(s *v1beta1.Source) ([]foundLabels, error) {
	if len(s.Values) == 0 {
		return nil, &absence{note: "values is empty"}
	}

	out := make(foundLabels, len(s.Values))
	for key, text := range s.Values {
		out[key] = foundValue{Node: object.TextNode(text), path: "values", key: key}
	}

	return []foundLabels{out}, nil
}

// includedLabels yields the found labels that the filter includes, in the order of their keys. A label has no value yet: the
// foundValue beside the label gives its value.
func (r *resolver) includedLabels(s *v1beta1.Source, labelSource *tags.Source, filter *keyFilter, found foundLabels) iter.Seq2[tags.Label, foundValue] {
	return func(yield func(tags.Label, foundValue) bool) {
		for _, key := range slices.Sorted(maps.Keys(found)) {
			l := newLabel(r.input, s, key)
			l.Source = labelSource

			if filter.includes(l.QualifiedKey) && !yield(l, found[key]) {
				return
			}
		}
	}
}

// takeValue adds the label l of the source s to the set, with the text of its value: 3 becomes "3" with the encoding Scalar. The limit
// may leave out l. ok reports whether l has a value:
//   - If an expression reads a composed resource, such as desired.spec.region, ok is true: l gets a value later, for each resource.
//   - If an expression has no value, ok is false, and whyNone is the reason.
//   - If a value is null, ok is false, and whyNone is empty.
func (r *resolver) takeValue(l tags.Label, s *v1beta1.Source, value foundValue, limit *objectLimit) (whyNone string, ok bool, err error) {
	switch {
	case value.expression == nil:
		l.Value, ok, err = value.asText(s)
	case len(value.expression.PerResource()) > 0:
		r.set.PerResource.addScoped(&scopedLabel{Label: l, expressionSource: s, computed: value}, s)
		return "", true, nil
	default:
		l.Value, whyNone, ok, err = r.computeText(s, value)
	}

	if ok && limit.countAndAdmit(l) {
		r.takeLabel(l, s)
	}

	return whyNone, ok, err
}
