package explain

import (
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/known/structpb"

	"github.com/crossplane/function-sdk-go/errors"

	"github.com/plexsphere/function-cloud-tags/tags/command/manifest"
	"github.com/plexsphere/function-cloud-tags/tags/object"
	"github.com/plexsphere/function-cloud-tags/tags/words"
)

// required returns the objects that the step may require, each once. A cluster has no two objects of one kind,
// namespace and name.
func (c *Command) required(r *manifest.Reader) ([]*structpb.Struct, error) {
	objects, err := r.Objects(c.RequiredResources...)
	if err != nil {
		return nil, err
	}

	type identity struct{ apiVersion, kind, name string }

	var out []*structpb.Struct

	seen := make(map[identity][]*structpb.Struct)

	for _, o := range objects {
		id := identity{object.APIVersion(object.Tree(o)), object.Kind(object.Tree(o)), object.Name(object.Tree(o))}
		namespace, again := object.Namespace(object.Tree(o)), false

		for _, other := range seen[id] {
			there := object.Namespace(object.Tree(other))

			switch {
			case there != namespace && (there == "" || namespace == ""):
				return nil, errors.Errorf("--required-resources have %s with a namespace and without one: give both the namespace that they have in the cluster", title(o))
			case there != namespace:
			case !proto.Equal(o, other):
				return nil, errors.Errorf("--required-resources have two different objects %s: give the one that is in the cluster", title(o))
			default:
				again = true
			}
		}

		if seen[id] = append(seen[id], o); !again {
			out = append(out, o)
		}
	}

	return out, nil
}

// title names the object in messages.
func title(o *structpb.Struct) string {
	return words.Name(object.Title(object.Tree(o))) + " (" + words.Name(object.APIVersion(object.Tree(o))) + ")"
}
