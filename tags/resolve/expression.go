package resolve

import (
	"fmt"
	"slices"

	"google.golang.org/protobuf/types/known/structpb"

	"github.com/crossplane/function-sdk-go/errors"

	"github.com/plexsphere/function-cloud-tags/input/v1beta1"
	"github.com/plexsphere/function-cloud-tags/tags/expression"
	"github.com/plexsphere/function-cloud-tags/tags/object"
	"github.com/plexsphere/function-cloud-tags/tags/words"
)

// expressionLabels returns the labels of expressions. It evaluates none of them: takeValue does, or leaves them to PerResource.
func (r *resolver) expressionLabels(s *v1beta1.Source) ([]foundLabels, error) {
	out := make(foundLabels, len(s.Expressions))

	for key, e := range s.Expressions {
		if err := r.requireObjects(e); err != nil {
			return nil, err
		}

		out[key] = foundValue{expression: &e, path: "expressions", key: key}
	}

	return []foundLabels{out}, nil
}

// errWaiting is the error of a source or an expression while Crossplane fetches the objects that the source or the expression reads.
// It fails nothing, since Crossplane calls the function again with the objects.
var errWaiting = errors.New("waits for objects that it reads")

// evaluate returns the value of an expression that computes something else than a label, such as required.team.spec.organization in
// a selector. If the expression has no value, the error is a *absence. While Crossplane fetches objects, the error is errWaiting.
// setting is what the expression computes, for messages: "the name" or "the labels to match".
func (r *resolver) evaluate(e expression.Expression, setting string) (*structpb.Value, error) {
	if err := r.requireObjects(e); err != nil {
		return nil, err
	}

	v, err := r.evaluator.Evaluate(e)
	if errors.As(err, new(*expression.AbsentError)) {
		return nil, valuelessError(setting, err.Error())
	}

	return v, errors.Wrap(err, "the expression")
}

// valuelessError returns the *absence of an expression without a value. why is the reason, such as "it is empty". The note has the
// setting: "the expression of the name has no value: it is empty". The failure doesn't, since callers name the setting when they wrap it.
func valuelessError(setting, why string) error {
	return &absence{failure: "the expression has no value, but is required: " + why, note: fmt.Sprintf("the expression of %s has no value: %s", setting, why)}
}

// requireObjects requires the objects that the expression e reads, and passes them to r.evaluator. For required.team.metadata.name,
// these are the objects of the source "team". While Crossplane fetches any of them, the error is errWaiting. If the believer believes none of
// a source's objects, the error is a *absence that says so, even if the source is optional.
func (r *resolver) requireObjects(e expression.Expression) error {
	var waiting error

	for i := range r.input.Sources {
		s := &r.input.Sources[i]
		isReadable := s.Type == v1beta1.SourceTypeRequiredResource && s.Name != "" // Expressions read the source "team" as required.team.
		// With ReadsAnyObject, e may read each object: required[name] doesn't say which.
		isRead := isReadable && (e.ReadsAnyObject() || slices.Contains(e.SourceNames(), s.Name))

		if !isRead || r.passedSources[s] {
			continue
		}

		objects, err := r.selectedObjects(s)
		mustTell := s.Required() || r.isBeliever && isDisbelief(err)
		hasNone := isAbsence(err) && !mustTell

		switch {
		case errors.Is(err, errWaiting):
			waiting = err
		case err == nil || hasNone:
			r.passedSources[s] = true
			r.passObjects(s, objects)
		default:
			return errors.Wrapf(err, "cannot resolve %s", r.input.SourceName(i))
		}
	}

	return waiting
}

// passObjects passes the objects of the source s to r.evaluator, if any. If s selects by name, or has pick: One, then required.team in
// expressions is one object. Otherwise, required.team is a list.
func (r *resolver) passObjects(s *v1beta1.Source, objects []namedObject) {
	isSingle := s.Resource.Name != nil || s.Pick == v1beta1.PickOne

	switch {
	case !isSingle:
		r.evaluator.SetRequiredList(s.Name, words.Map(objects, func(o namedObject) object.Object { return o.Object }))
	case len(objects) > 0:
		r.evaluator.SetRequired(s.Name, objects[0].Object)
	}
}

// computeText evaluates the expression of a value, and returns the result as text. If there is none, ok is false, and whyNone is
// the result of noteAbsence. See testdata/expression.yaml.
func (r *resolver) computeText(s *v1beta1.Source, value foundValue) (text, whyNone string, ok bool, err error) {
	result, err := r.evaluator.Evaluate(*value.expression)

	switch {
	case err == nil:
		value.Node = object.NodeOf(result)

		text, ok, err = value.asText(s)
		if err == nil && !ok {
			whyNone, err = value.noteAbsence(s, errors.New("it is null in JSON"))
		}
	case errors.As(err, new(*expression.AbsentError)):
		whyNone, err = value.noteAbsence(s, err)
	default:
		err = errors.Wrapf(err, "%s[%s]", value.path, value.key)
	}

	return text, whyNone, ok, err
}

// noteAbsence returns a note on an expression without a value: "expressions[team]: no such key: labels". If the source s is required, it
// returns an error instead.
func (f foundValue) noteAbsence(s *v1beta1.Source, absence error) (string, error) {
	if s.Required() {
		return "", errors.Errorf("%s[%s] has no value, but is required: %w", f.path, f.key, absence)
	}

	return fmt.Sprintf("%s[%s]: %s", f.path, f.key, absence), nil
}
