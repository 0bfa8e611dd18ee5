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

// expressionSources take labels from expressions.
var expressionSources = sourceType{
	find: func(r *resolver, s *v1beta1.Source) ([]foundLabels, error) {
		out := make(foundLabels, len(s.Expressions))

		for key, e := range s.Expressions {
			if e.Mentions(expression.Required) {
				if err := r.requireObjects(e); err != nil {
					return nil, err
				}
			}

			out[key] = foundValue{expression: &e, path: "expressions", key: key}
		}

		return []foundLabels{out}, nil
	},
	title: func(*resolver, *v1beta1.Source) string { return "expressions" },
}

// errWaiting is the error of a source or an expression while Crossplane fetches the objects that it reads. It fails nothing.
var errWaiting = errors.New("waits for objects that it reads")

// evaluate returns the value of an expression that computes something else than a label, such as required.team.spec.organization in
// a selector. The error is a *absence if the expression has no value, and errWaiting while Crossplane fetches objects. wanted is
// the name of the value in messages, such as "the name".
func (r *resolver) evaluate(e expression.Expression, wanted string) (*structpb.Value, error) {
	if err := r.requireObjects(e); err != nil {
		return nil, err
	}

	v, err := r.evaluator.Evaluate(e)
	if errors.As(err, new(*expression.AbsentError)) {
		return nil, valuelessError(wanted, err.Error())
	}

	return v, errors.Wrap(err, "the expression")
}

// valuelessError returns the *absence of the value of an expression. wanted is the name of the value, and why gives the reason.
func valuelessError(wanted, why string) error {
	return &absence{failure: "the expression has no value, but is required: " + why, note: fmt.Sprintf("the expression of %s has no value: %s", wanted, why)}
}

// requireObjects passes the objects that e reads to r.call, which evaluates expressions. The error is errWaiting while Crossplane
// fetches any of them. For required.team.metadata.name, it passes the objects of the source "team".
func (r *resolver) requireObjects(e expression.Expression) (waiting error) {
	for i := range r.input.Sources {
		s := &r.input.Sources[i]
		isReadable := s.Type == v1beta1.SourceTypeRequiredResource && s.Name != ""
		mayBeRead := e.ReadsAnyObject() || slices.Contains(e.SourceNames(), s.Name)

		if !isReadable || !mayBeRead || r.passedSources[s] {
			continue
		}

		objects, err := r.selectedObjects(s)

		switch {
		case errors.Is(err, errWaiting):
			waiting = err
		case err != nil && (!isAbsence(err) || s.Required()):
			return errors.Wrapf(err, "cannot resolve %s", r.input.SourceName(i))
		default:
			r.passedSources[s] = true
			r.passObjects(s, objects)
		}
	}

	return waiting
}

// passObjects passes the objects of the source s to r.call. Expressions read one object if s has a name or picks one, and otherwise a
// list.
func (r *resolver) passObjects(s *v1beta1.Source, objects []namedObject) {
	isSingle := s.Resource.Name != nil || s.Pick == v1beta1.PickOne

	switch {
	case !isSingle:
		r.evaluator.SetRequiredList(s.Name, words.Map(objects, func(o namedObject) object.Object { return o.Object }))
	case len(objects) > 0:
		r.evaluator.SetRequired(s.Name, objects[0].Object)
	}
}

// computeText evaluates the expression of a value, and returns the result as text. If there is no result, computeText returns false
// and the reason. If the source s is required, this is an error instead. See testdata/expression.yaml.
func (r *resolver) computeText(s *v1beta1.Source, value foundValue) (text, whyNone string, ok bool, err error) {
	result, err := r.evaluator.Evaluate(*value.expression)

	switch {
	case err == nil:
		value.Node = object.NodeOf(result)
		if text, ok, err = value.asText(s); ok || err != nil {
			return text, "", ok, err
		}

		err = errors.New("it is null in JSON")
	case !errors.As(err, new(*expression.AbsentError)):
		return "", "", false, errors.Wrapf(err, "%s[%s]", value.path, value.key)
	}

	if s.Required() {
		return "", "", false, errors.Errorf("%s[%s] has no value, but is required: %w", value.path, value.key, err)
	}

	return "", fmt.Sprintf("%s[%s]: %s", value.path, value.key, err), false, nil
}
