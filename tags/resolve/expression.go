package resolve

import (
	"cmp"
	"fmt"
	"iter"
	"maps"
	"slices"

	"google.golang.org/protobuf/types/known/structpb"

	"github.com/crossplane/function-sdk-go/errors"

	"github.com/plexsphere/function-cloud-tags/input/v1beta1"
	"github.com/plexsphere/function-cloud-tags/tags/expression"
	"github.com/plexsphere/function-cloud-tags/tags/object"
	"github.com/plexsphere/function-cloud-tags/tags/words"
)

// computed sources take labels from expressions.
var computed = sourceType{
	written: func(s *v1beta1.Source) iter.Seq[string] { return maps.Keys(s.Expressions) },
	find: func(r *resolver, s *v1beta1.Source) ([]labels, error) {
		out := make(labels, len(s.Expressions))

		for key, e := range s.Expressions {
			if e.Mentions(expression.Required) {
				if here, err := r.requireObjects(e); err != nil || !here {
					return nil, err
				}
			}

			out[key] = found{expression: &e, path: "expressions", key: key}
		}

		return []labels{out}, nil
	},
	title: func(*resolver, *v1beta1.Source) string { return "expressions" },
}

// errWaits is the error of an expression that waits for objects.
var errWaits = errors.New("waits for objects that it reads")

// evaluate returns the value of an expression that gives no label, such as required.team.spec.organization in a selector. The error
// is a *absence if there is none, and errWaits if it isn't known yet. wanted is the name of the value in messages, such as "the name".
func (r *resolver) evaluate(e expression.Expression, wanted string) (*structpb.Value, error) {
	if here, err := r.requireObjects(e); err != nil || !here {
		return nil, cmp.Or(err, errWaits)
	}

	v, err := r.call.Evaluate(e)
	if errors.As(err, new(*expression.AbsentError)) {
		return nil, valueless(wanted, err.Error())
	}

	return v, errors.Wrap(err, "the expression")
}

// valueless returns the error of an expression without a value, which gives no label.
func valueless(wanted, why string) error {
	return &absence{failure: "the expression has no value, but is required: " + why, note: fmt.Sprintf("the expression of %s has no value: %s", wanted, why)}
}

// requireObjects gives the call the objects that e reads. It returns false while Crossplane fetches them. For
// required.team.metadata.name, it looks for the objects of the source "team".
func (r *resolver) requireObjects(e expression.Expression) (here bool, _ error) {
	here = true

	for i := range r.in.Sources {
		s := &r.in.Sources[i]
		if s.Type != v1beta1.SourceTypeRequiredResource || s.Name == "" || !e.ComputesObjects() && !slices.Contains(e.Objects(), s.Name) || r.readable[s] {
			continue
		}

		objects, err := r.objects(s)

		switch {
		case err != nil && (!isAbsence(err) || s.Required()):
			return false, errors.Wrapf(err, "cannot resolve %s", r.in.SourceName(i))
		case err == nil && len(objects) == 0:
			here = false
		default:
			r.readable[s] = true
			r.read(s, objects)
		}
	}

	return here, nil
}

// read gives the call the objects of the source s: one object if s has a name or picks one, and otherwise a list.
func (r *resolver) read(s *v1beta1.Source, objects []namedObject) {
	switch one := s.Resource.Name != nil || s.Pick == v1beta1.PickOne; {
	case !one:
		r.call.RequireAll(s.Name, words.Map(objects, func(o namedObject) object.Object { return o.Object }))
	case len(objects) > 0:
		r.call.Require(s.Name, objects[0].Object)
	}
}

// errNull is the reason if the text of an expression is null in JSON.
var errNull = errors.New("it is null in JSON")

// compute returns the value of the expression in f, as text. If there is none, and the source s needs none, it returns false and
// the reason. See testdata/expression.yaml.
func (r *resolver) compute(s *v1beta1.Source, f found) (text, why string, ok bool, _ error) {
	v, err := r.call.Evaluate(*f.expression)

	absent := errors.As(err, new(*expression.AbsentError))
	if err == nil {
		f.Node = object.NodeOf(v)
		if text, ok, err = f.asText(s); ok || err != nil {
			return text, "", ok, err
		}

		absent, err = true, errNull
	}

	switch {
	case !absent:
		return "", "", false, errors.Wrapf(err, "%s[%s]", f.path, f.key)
	case s.Required():
		return "", "", false, errors.Errorf("%s[%s] has no value, but is required: %w", f.path, f.key, err)
	default:
		return "", fmt.Sprintf("%s[%s]: %s", f.path, f.key, err), false, nil
	}
}
