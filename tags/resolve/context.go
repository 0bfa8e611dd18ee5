package resolve

import (
	"github.com/crossplane/function-sdk-go/errors"

	"github.com/plexsphere/function-cloud-tags/tags/object"
)

// contextName returns the name in messages of the object below a key of the pipeline's context: context[example.org/labels].
func contextName(key string) string { return "context[" + key + "]" }

// contextObject returns the object below a key of the pipeline's context, such as example.org/labels. If the key is absent or
// null, it returns an object for which IsZero is true. For an empty key, it returns the composite resource.
func (r *resolver) contextObject(key string) (namedObject, error) {
	if key == "" {
		return r.xr, nil
	}

	name := contextName(key)

	if _, ok := r.contextObjects[key]; !ok {
		value := object.NodeOf(r.context.GetFields()[key]) // An absent key gives none, which is null, too.
		if !value.IsObject() && !value.IsNull() {
			return namedObject{}, errors.Errorf("%s is %s, not an object", name, value.Kind())
		}

		r.contextObjects[key] = value.Object()
	}

	return namedObject{Object: r.contextObjects[key], name: name, pathPrefix: name + "."}, nil
}
