package explain

import (
	"slices"

	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/known/structpb"

	"github.com/crossplane/function-sdk-go/errors"

	"github.com/plexsphere/function-cloud-tags/tags/command"
	"github.com/plexsphere/function-cloud-tags/tags/manifest"
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

	var out []*structpb.Struct

	for _, same := range words.Grouped(objects, identity) {
		if slices.ContainsFunc(same, func(o *structpb.Struct) bool { return !proto.Equal(o, same[0]) }) {
			return nil, errors.Errorf("--required-resources have two different objects %s: give the one that is in the cluster", command.Title(same[0]))
		}

		out = append(out, same[0])
	}

	return out, nil
}

// identity returns the apiVersion, kind, namespace and name of the object.
func identity(s *structpb.Struct) [4]string {
	o := object.Tree(s)
	return [4]string{object.APIVersion(o), object.Kind(o), object.Namespace(o), object.Name(o)}
}
