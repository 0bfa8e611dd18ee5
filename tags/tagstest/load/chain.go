package load

import (
	"fmt"

	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/known/structpb"

	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"

	"github.com/plexsphere/function-cloud-tags/tags/require"
)

// A Selection says how sources select their objects.
type Selection string

// The selections.
const (
	// Names are written out.
	Names Selection = "names"

	// Chain is by expressions: the composite resource leads to the first object, and each object to the next.
	Chain Selection = "chain"
)

// links are the objects of a chain, and how a source selects each.
var links = []struct {
	source, object string
	by             map[Selection]string
}{
	{
		source: "workspace",
		object: `{"apiVersion": "a/v1", "kind": "Workspace", "metadata": {"name": "payments", "labels": {"zone": "eu", "a/workspace": "payments"}}}`,
		by:     map[Selection]string{Names: `"value": "payments"`, Chain: `"expression": "xr.metadata.name"`},
	},
	{
		source: "zone",
		object: `{"apiVersion": "a/v1", "kind": "Zone", "metadata": {"name": "eu", "labels": {"a/zone": "eu"}}, "spec": {"organization": "acme"}}`,
		by:     map[Selection]string{Names: `"value": "eu"`, Chain: `"expression": "required.workspace.metadata.labels['zone']"`},
	},
	{
		source: "organization",
		object: `{"apiVersion": "a/v1", "kind": "Organization", "metadata": {"name": "acme", "labels": {"a/organization": "acme"}}}`,
		by:     map[Selection]string{Names: `"value": "acme"`, Chain: `"expression": "required.zone.spec.organization"`},
	},
}

// Selecting returns a settled request with so many resources, with so many labels of the composite resource, and with three objects.
// Sources select the objects by the selection, and take a label of each.
func Selecting(by Selection, resources, labels int, function Function) (*fnv1.RunFunctionRequest, error) {
	var objects []*structpb.Struct

	in := Input(Field, labels)
	sources := in.GetFields()["sources"].GetListValue()

	for _, l := range links {
		o := object([]byte(l.object), "")
		objects = append(objects, o)

		s := fmt.Sprintf(`{"type": "RequiredResource", "name": %q, "prefix": "a/", "resource": {"apiVersion": "a/v1", "kind": %q, "name": {%s}}}`,
			l.source, o.GetFields()["kind"].GetStringValue(), l.by[by])
		sources.Values = append(sources.Values, structpb.NewStructValue(object([]byte(s), "")))
	}

	answered := &fnv1.RunFunctionRequest{}

	req, err := Request(Settled, resources, labels, func(req *fnv1.RunFunctionRequest) (rsp *fnv1.RunFunctionResponse, err error) {
		req.Input, answered = in, req

		// The last call has all objects.
		for range len(links) + 1 {
			if rsp, err = function(proto.CloneOf(req)); err != nil {
				return nil, err
			}

			require.Answer(req, rsp.GetRequirements(), objects)
		}

		rsp.Requirements = nil

		return rsp, nil
	})
	if err == nil {
		req.Input, req.RequiredResources, req.ExtraResources = in, answered.GetRequiredResources(), answered.GetExtraResources() //nolint:staticcheck // Old Crossplane has them there.
	}

	return req, err
}
