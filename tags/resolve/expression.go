package resolve

import (
	"fmt"

	"google.golang.org/protobuf/types/known/structpb"

	"github.com/crossplane/function-sdk-go/errors"

	"github.com/plexsphere/function-cloud-tags/input/v1beta1"
	"github.com/plexsphere/function-cloud-tags/tags/expression"
)

// computed sources take labels from expressions.
var computed = sourceType{
	find: func(r *resolver, s *v1beta1.Source) ([]labels, error) {
		out := make(labels, len(s.Expressions))

		for key, e := range s.Expressions {
			if e.Mentions(expression.Required) {
				if here, err := r.requireObjects(); err != nil || !here {
					return nil, err
				}
			}

			out[key] = found{expression: &e, path: "expressions", key: key}
		}

		return []labels{out}, nil
	},
	title: func(*resolver, *v1beta1.Source) string { return "expressions" },
}

// requireObjects makes the objects of all sources that have a name those that expressions
// require. It returns false if they are not here yet.
func (r *resolver) requireObjects() (here bool, _ error) {
	if r.requires {
		return true, nil
	}

	here = true
	all := &structpb.Struct{Fields: make(map[string]*structpb.Value)}

	for i := range r.in.Sources {
		s := &r.in.Sources[i]
		if s.Type != v1beta1.SourceTypeRequiredResource || s.Name == "" {
			continue
		}

		objects, err := r.objects(s)

		switch {
		case err != nil && (!isAbsence(err) || s.Required()):
			return false, errors.Wrapf(err, "cannot resolve %s", r.in.SourceName(i))
		case err == nil && len(objects) == 0:
			here = false
		default:
			if v := objectsOf(s, objects); v != nil {
				all.Fields[s.Name] = v
			}
		}
	}

	if r.requires = here; here {
		r.call.Require(all)
	}

	return here, nil
}

// objectsOf returns the object that the source s names or picks, which may be none, or the list of all
// objects.
func objectsOf(s *v1beta1.Source, objects []namedObject) *structpb.Value {
	one := s.Resource.Name != nil || s.Pick == v1beta1.PickOne

	switch {
	case one && len(objects) == 0:
		return nil
	case one:
		return objects[0].Node().Value()
	}

	list := &structpb.ListValue{}
	for _, o := range objects {
		list.Values = append(list.Values, o.Node().Value())
	}

	return structpb.NewListValue(list)
}

// compute returns the value that the expression in f has for the source s. It returns false, and why, if
// there is none and need not be one.
func (r *resolver) compute(s *v1beta1.Source, f found) (text, why string, ok bool, _ error) {
	v, err := r.call.Evaluate(*f.expression)

	if absent := (*expression.AbsentError)(nil); errors.As(err, &absent) {
		return r.absent(s, f, err)
	}

	if err != nil {
		return "", "", false, errors.Wrapf(err, "%s[%s]", f.path, f.key)
	}

	f.Value = v
	if text, ok, err = f.text(s.Encoding); ok || err != nil {
		return text, "", ok, err
	}

	return r.absent(s, f, errNull)
}

// errNull is why an expression has no value whose text is JSON.
var errNull = errors.New("it is null in JSON")

// absent is what compute returns for an expression of the source s that has no value because of err.
func (r *resolver) absent(s *v1beta1.Source, f found, err error) (text, why string, ok bool, _ error) {
	if s.Required() {
		return "", "", false, errors.Errorf("%s[%s] has no value, but is required: %w", f.path, f.key, err)
	}

	return "", fmt.Sprintf("%s[%s]: %s", f.path, f.key, err), false, nil
}
