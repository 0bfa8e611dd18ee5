package engine

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/known/structpb"

	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"

	"github.com/plexsphere/function-cloud-tags/tags/object"
	"github.com/plexsphere/function-cloud-tags/tags/require"
)

// maxCalls is how often Crossplane calls a function that requires something else each time.
const maxCalls = 6

// A cluster has what functions can require.
type cluster struct {
	objects []*structpb.Struct

	// schemas are OpenAPI documents.
	schemas []*structpb.Struct
}

// call a function until two of its responses require the same. The step requires
// something, too, whatever the function does.
func (c cluster) call(ctx context.Context, f Function, step *fnv1.Requirements, req *fnv1.RunFunctionRequest) (*fnv1.RunFunctionResponse, error) {
	var required *fnv1.Requirements

	c.answer(req, step)

	for range maxCalls {
		rsp, err := f.RunFunction(ctx, req)
		if err != nil {
			return nil, err
		}

		if fatal(rsp) || proto.Equal(required, rsp.GetRequirements()) {
			return rsp, nil
		}

		required = rsp.GetRequirements()

		// Nothing stays of what was answered before.
		req = proto.CloneOf(req)
		req.ExtraResources, req.RequiredResources, req.RequiredSchemas = nil, nil, nil //nolint:staticcheck // Functions may still ask so.
		req.Context = rsp.GetContext()

		c.answer(req, step)
		c.answer(req, required)
	}

	return nil, fmt.Errorf("requirements didn't stabilize after the maximum number of iterations (%d)", maxCalls-1)
}

func fatal(rsp *fnv1.RunFunctionResponse) bool {
	return slices.ContainsFunc(rsp.GetResults(), func(r *fnv1.Result) bool { return r.GetSeverity() == fnv1.Severity_SEVERITY_FATAL })
}

// answer what is required, in the request.
func (c cluster) answer(req *fnv1.RunFunctionRequest, required *fnv1.Requirements) {
	for name, s := range required.GetExtraResources() { //nolint:staticcheck // As above.
		req.ExtraResources = put(req.GetExtraResources(), name, c.resources(s)) //nolint:staticcheck // As above.
	}

	for name, s := range required.GetResources() {
		req.RequiredResources = put(req.GetRequiredResources(), name, c.resources(s))
	}

	for name, s := range required.GetSchemas() {
		req.RequiredSchemas = put(req.GetRequiredSchemas(), name, c.schema(s))
	}
}

// put a value into a map, which may be nil, and return it.
func put[T any](in map[string]T, name string, v T) map[string]T {
	if in == nil {
		in = make(map[string]T)
	}

	in[name] = v

	return in
}

// resources that a selector selects, sorted.
func (c cluster) resources(s *fnv1.ResourceSelector) *fnv1.Resources {
	out := &fnv1.Resources{}

	for _, o := range c.objects {
		if require.Selects(s, object.FromStruct(o)) {
			out.Items = append(out.Items, &fnv1.Resource{Resource: o})
		}
	}

	slices.SortStableFunc(out.GetItems(), func(a, b *fnv1.Resource) int {
		return strings.Compare(namespacedName(a.GetResource()), namespacedName(b.GetResource()))
	})

	return out
}

func namespacedName(o *structpb.Struct) string {
	metadata := o.GetFields()["metadata"].GetStructValue().GetFields()
	return metadata["namespace"].GetStringValue() + "/" + metadata["name"].GetStringValue()
}
