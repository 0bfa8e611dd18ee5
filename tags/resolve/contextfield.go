package resolve

import (
	"github.com/crossplane/function-sdk-go/errors"

	"github.com/plexsphere/function-cloud-tags/input/v1beta1"
	"github.com/plexsphere/function-cloud-tags/tags/object"
)

// contextField sources take labels from a map at a field path below a key of the
// pipeline's context.
var contextField = sourceType{
	find: func(r *resolver, s *v1beta1.Source) ([]labels, error) {
		in, err := r.presentContext(s.ContextKey)
		if err != nil {
			return nil, err
		}

		return in.labels(s)
	},
	title: func(_ *resolver, s *v1beta1.Source) string {
		return "context[" + s.ContextKey + "]." + s.FromFieldPath.String()
	},
}

// contextObject returns the object under key in the pipeline's context, such as example.org/labels, or a zero one if
// there is none. Without a key it returns the composite resource.
func (r *resolver) contextObject(key string) (namedObject, error) {
	if key == "" {
		return r.xr, nil
	}

	name := "context[" + key + "]"

	v := r.context.GetFields()[key]
	if v.GetStructValue() == nil && !object.IsNull(v) {
		return namedObject{}, errors.Errorf("%s is %s, not an object", name, object.KindOf(v))
	}

	if _, ok := r.contexts[key]; !ok {
		r.contexts[key] = object.Tree(v.GetStructValue())
	}

	return namedObject{Object: r.contexts[key], name: name, prefix: name + "."}, nil
}

// presentContext is contextObject, but without an object the error is a *absence.
func (r *resolver) presentContext(key string) (namedObject, error) {
	o, err := r.contextObject(key)
	if err == nil && o.IsZero() {
		err = &absence{failure: o.name + " is required, but there is none", note: o.name + " isn't there"}
	}

	return o, err
}
