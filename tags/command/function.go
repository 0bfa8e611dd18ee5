package command

import (
	"cmp"
	"context"
	"maps"
	"slices"

	"google.golang.org/protobuf/proto"

	"github.com/crossplane/function-sdk-go/errors"
	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"

	"github.com/plexsphere/function-cloud-tags/tags/object"
	"github.com/plexsphere/function-cloud-tags/tags/require"
)

// A Function is called by commands as Crossplane calls it.
type Function func(ctx context.Context, req *fnv1.RunFunctionRequest) (*fnv1.RunFunctionResponse, error)

// maxFetches is the number of times that Crossplane fetches required objects in one run.
const maxFetches = 5

// Fetching returns a Function that calls f as Crossplane does in a cluster with the objects of the source. It calls f again with what
// f requires, until f requires nothing else, or fails.
func (f Function) Fetching(source require.Source) Function {
	return func(ctx context.Context, req *fnv1.RunFunctionRequest) (*fnv1.RunFunctionResponse, error) {
		var required *fnv1.Requirements

		for range maxFetches + 1 {
			rsp, err := f(ctx, req)
			if err != nil || Fatal(rsp) != nil || proto.Equal(required, rsp.GetRequirements()) {
				return rsp, err
			}

			required = rsp.GetRequirements()
			req = proto.CloneOf(req)
			req.Context = rsp.GetContext()

			if err := cmp.Or(require.AnswerFrom(ctx, req, required, source), ambiguous(req, required)); err != nil {
				return nil, err
			}
		}

		return nil, errors.Errorf("it requires something else on each of %d calls, and Crossplane calls no more: let fewer objects lead from one to the next", maxFetches+1)
	}
}

// ambiguous returns an error if several objects answer to a name: an object without a namespace may be in any.
func ambiguous(req *fnv1.RunFunctionRequest, required *fnv1.Requirements) error {
	for _, name := range slices.Sorted(maps.Keys(required.GetResources())) {
		items := req.GetRequiredResources()[name].GetItems()

		if required.GetResources()[name].GetMatchName() != "" && len(items) > 1 {
			return errors.Errorf("--required-resources have %s with and without a namespace: give both the namespace that they have in the cluster", object.FullTitle(object.Of(items[0])))
		}
	}

	return nil
}

// Fatal returns the fatal result of the response as an error, or nil.
func Fatal(rsp *fnv1.RunFunctionResponse) error {
	for _, r := range rsp.GetResults() {
		if r.GetSeverity() == fnv1.Severity_SEVERITY_FATAL {
			return errors.New(r.GetMessage())
		}
	}

	return nil
}
