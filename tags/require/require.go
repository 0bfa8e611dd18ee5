// Package require asks Crossplane for what a request lacks.
//
// Crossplane calls the function again once it has fetched what a response requires,
// until two responses in a row require the same. So each response must require all
// that its request's answers were needed for, and nothing must be required if there
// is no need.
package require

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"maps"
	"slices"
	"strings"

	"google.golang.org/protobuf/types/known/structpb"
	"k8s.io/apimachinery/pkg/runtime/schema"

	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"
	"github.com/crossplane/function-sdk-go/request"
)

// Requirements of one call.
type Requirements struct {
	req *fnv1.RunFunctionRequest

	// bootstrapped schemas by kind. The pipeline step asked for them.
	bootstrapped map[schema.GroupVersionKind]*structpb.Struct

	required *fnv1.Requirements
	waiting  bool
}

// New returns the Requirements of the supplied request's call.
func New(req *fnv1.RunFunctionRequest) *Requirements { return &Requirements{req: req} }

// Waiting is true if something is required that the request has no answer for.
func (r *Requirements) Waiting() bool { return r.waiting }

// AddTo adds the requirements to the supplied response.
func (r *Requirements) AddTo(rsp *fnv1.RunFunctionResponse) { rsp.Requirements = r.required }

// Schema returns the OpenAPI schema of the supplied kind, or nil if it can't be had,
// or is not here yet. Then it is required, unless ask is false.
func (r *Requirements) Schema(k schema.GroupVersionKind, ask bool) *structpb.Struct {
	if r.bootstrapped == nil {
		r.bootstrapped = make(map[schema.GroupVersionKind]*structpb.Struct)
		schemas := r.req.GetRequiredSchemas()

		for _, name := range slices.Sorted(maps.Keys(schemas)) {
			s := schemas[name].GetOpenapiV3()
			if gvk, ok := kindOf(s); ok {
				r.bootstrapped[gvk] = s
			}
		}
	}

	apiVersion, kind := k.ToAPIVersionAndKind()
	name := nameOf("schema", []string{apiVersion, kind})
	answer, answered := r.req.GetRequiredSchemas()[name]

	// A schema that we asked for must be asked for again, or it isn't there in
	// the next call.
	if s, ok := r.bootstrapped[k]; ok && !answered {
		return s
	}

	if !ask || !request.HasCapability(r.req, fnv1.Capability_CAPABILITY_REQUIRED_SCHEMAS) {
		return nil
	}

	if r.required == nil {
		r.required = &fnv1.Requirements{}
	}

	if r.required.Schemas == nil {
		r.required.Schemas = make(map[string]*fnv1.SchemaSelector)
	}

	r.required.Schemas[name] = &fnv1.SchemaSelector{ApiVersion: apiVersion, Kind: kind}
	r.waiting = r.waiting || !answered

	return answer.GetOpenapiV3()
}

// Resources returns the objects that the supplied selector selects, sorted by
// namespace and name, and requires them. It returns false if they are not here yet.
//
// A selector must have a name or labels. Without, it would select everything.
func (r *Requirements) Resources(selector *fnv1.ResourceSelector) ([]*structpb.Struct, bool) {
	name := nameOf("resource", []string{selector.GetApiVersion(), selector.GetKind(), selector.GetNamespace(), selector.GetMatchName()},
		flatten(selector.GetMatchLabels().GetLabels()))

	if r.required == nil {
		r.required = &fnv1.Requirements{}
	}

	answers := r.req.GetRequiredResources()
	required := &r.required.Resources

	// Crossplane before v2.2 doesn't say what it can do, and before v2.0 has
	// another field for this.
	if !request.AdvertisesCapabilities(r.req) {
		answers = r.req.GetExtraResources()   //nolint:staticcheck // See above.
		required = &r.required.ExtraResources //nolint:staticcheck // See above.
	}

	if *required == nil {
		*required = make(map[string]*fnv1.ResourceSelector)
	}

	(*required)[name] = selector
	answer, answered := answers[name]
	r.waiting = r.waiting || !answered

	objects := make([]*structpb.Struct, 0, len(answer.GetItems()))
	for _, item := range answer.GetItems() {
		objects = append(objects, item.GetResource())
	}

	slices.SortStableFunc(objects, func(a, b *structpb.Struct) int {
		return cmp.Or(strings.Compare(text(a, "namespace"), text(b, "namespace")), strings.Compare(text(a, "name"), text(b, "name")))
	})

	return objects, answered
}

// text of the supplied field of an object's metadata.
func text(o *structpb.Struct, name string) string {
	return o.GetFields()["metadata"].GetStructValue().GetFields()[name].GetStringValue()
}

// flatten a map to its keys and values, sorted by key.
func flatten(m map[string]string) []string {
	out := make([]string, 0, 2*len(m))
	for _, k := range slices.Sorted(maps.Keys(m)) {
		out = append(out, k, m[k])
	}

	return out
}

// kindOf returns the kind that the supplied schema says it is of.
func kindOf(s *structpb.Struct) (schema.GroupVersionKind, bool) {
	kinds := s.GetFields()["x-kubernetes-group-version-kind"].GetListValue().GetValues()
	if len(kinds) != 1 {
		return schema.GroupVersionKind{}, false
	}

	f := kinds[0].GetStructValue().GetFields()

	return schema.GroupVersionKind{
		Group:   f["group"].GetStringValue(),
		Version: f["version"].GetStringValue(),
		Kind:    f["kind"].GetStringValue(),
	}, true
}

// nameOf returns the name of a requirement. It differs for any two selectors, since
// Crossplane may answer what the last reconcile asked for under the same name.
func nameOf(what string, selector ...[]string) string {
	h := sha256.Sum256(fmt.Appendf(nil, "%q", selector))
	return what + "-" + hex.EncodeToString(h[:8])
}
