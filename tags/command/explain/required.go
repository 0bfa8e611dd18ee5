package explain

import (
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/known/structpb"

	"github.com/crossplane/function-sdk-go/errors"

	"github.com/plexsphere/function-cloud-tags/tags/command"
	"github.com/plexsphere/function-cloud-tags/tags/manifest"
	"github.com/plexsphere/function-cloud-tags/tags/object"
)

// required returns the objects that the step may require, each once. A cluster has no two objects of one kind,
// namespace and name.
func (c *Command) required(r *manifest.Reader) ([]*structpb.Struct, error) {
	objects, err := r.Objects(c.RequiredResources...)
	if err != nil {
		return nil, err
	}

	type identity struct{ apiVersion, kind, namespace, name string }

	var out []*structpb.Struct

	seen := make(map[identity]*structpb.Struct)

	for _, o := range objects {
		tree := object.Tree(o)
		id := identity{object.APIVersion(tree), object.Kind(tree), object.Namespace(tree), object.Name(tree)}

		switch other := seen[id]; {
		case other == nil:
			seen[id], out = o, append(out, o)
		case !proto.Equal(o, other):
			return nil, errors.Errorf("--required-resources have two different objects %s: give the one that is in the cluster", command.Title(o))
		}
	}

	return out, nil
}
