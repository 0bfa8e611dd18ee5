package explain

import (
	"maps"
	"slices"

	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/known/structpb"

	"github.com/crossplane/function-sdk-go/errors"
	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"

	"github.com/plexsphere/function-cloud-tags/tags/command/manifest"
	"github.com/plexsphere/function-cloud-tags/tags/object"
	"github.com/plexsphere/function-cloud-tags/tags/require"
	"github.com/plexsphere/function-cloud-tags/tags/words"
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
		of := object.Tree(o)
		id := identity{object.APIVersion(of), object.Kind(of), object.Namespace(of), object.Name(of)}

		switch other := seen[id]; {
		case other == nil:
			seen[id], out = o, append(out, o)
		case !proto.Equal(o, other):
			return nil, errors.Errorf("--required-resources have two different objects %s: give the one that is in the cluster", title(o))
		}
	}

	return out, nil
}

// answer the requirements in req with the objects. What is required by name is one object at most: one that was
// written without a namespace may be that of any.
func answer(req *fnv1.RunFunctionRequest, required *require.Requirements, objects []*structpb.Struct) error {
	asked := &fnv1.RunFunctionResponse{}
	required.AddTo(asked)
	require.Answer(req, asked.GetRequirements(), objects)

	for _, name := range slices.Sorted(maps.Keys(req.GetRequiredResources())) {
		items := req.GetRequiredResources()[name].GetItems()

		if asked.GetRequirements().GetResources()[name].GetMatchName() != "" && len(items) > 1 {
			return errors.Errorf("--required-resources have %s with and without a namespace: give both the namespace that they have in the cluster", title(object.Of(items[0]).Struct()))
		}
	}

	return nil
}

// title names the object in messages.
func title(o *structpb.Struct) string {
	return words.Name(object.Title(object.Tree(o))) + " (" + words.Name(object.APIVersion(object.Tree(o))) + ")"
}
