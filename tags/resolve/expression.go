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
	own: func(s *v1beta1.Source) iter.Seq[string] { return maps.Keys(s.Expressions) },
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

// errWaits says that an expression reads objects that are not here yet.
var errWaits = errors.New("waits for objects that it reads")

// selecting returns the value of an expression that says what objects to look for. The error is a *absence if there is
// none, and errWaits if it isn't known yet.
func (r *resolver) selecting(e expression.Expression, what string) (*structpb.Value, error) {
	if here, err := r.requireObjects(e); err != nil || !here {
		return nil, cmp.Or(err, errWaits)
	}

	v, err := r.call.Evaluate(e)
	if errors.As(err, new(*expression.AbsentError)) {
		return nil, valueless(what, err.Error())
	}

	return v, errors.Wrap(err, "the expression")
}

// valueless returns the error of an expression that has no value, which says what objects to look for.
func valueless(what, why string) error {
	return &absence{failure: "the expression has no value, but is required: " + why, note: fmt.Sprintf("the expression of %s has no value: %s", what, why)}
}

// requireObjects makes the objects that e reads those that expressions can read. It returns false if they are not
// here yet.
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

// read gives expressions the object that the source s names or picks, which may be none, or the list of all objects.
func (r *resolver) read(s *v1beta1.Source, objects []namedObject) {
	switch one := s.Resource.Name != nil || s.Pick == v1beta1.PickOne; {
	case !one:
		r.call.RequireAll(s.Name, words.Map(objects, func(o namedObject) object.Object { return o.Object }))
	case len(objects) > 0:
		r.call.Require(s.Name, objects[0].Object)
	}
}

// errNull is why an expression has no value whose text is JSON.
var errNull = errors.New("it is null in JSON")

// compute returns the value that the expression in f has for the source s. It returns false, and why, if
// there is none and need not be one.
func (r *resolver) compute(s *v1beta1.Source, f found) (text, why string, ok bool, _ error) {
	v, err := r.call.Evaluate(*f.expression)

	absent := errors.As(err, new(*expression.AbsentError))
	if err == nil {
		f.Node = object.NodeOf(v)
		if text, ok, err = f.text(s); ok || err != nil {
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
