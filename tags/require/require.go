// Package require asks Crossplane for what a request lacks.
//
// Crossplane calls the function again once it has fetched what a response requires,
// until two responses in a row require the same. So each response must require all
// that its request's answers were needed for, and nothing must be required if there
// is no need.
package require

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"iter"
	"maps"
	"slices"

	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/known/structpb"
	"k8s.io/apimachinery/pkg/runtime/schema"

	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"

	"github.com/plexsphere/function-cloud-tags/tags/object"
	"github.com/plexsphere/function-cloud-tags/tags/words"
)

// Requirements of one call.
type Requirements struct {
	req *fnv1.RunFunctionRequest

	// OnlyBootstrapped says that the function asks for no schemas. Then there are only the schemas in requiredSchemas of the
	// pipeline step: see Bootstrapped.
	OnlyBootstrapped bool

	// bootstrapped schemas by kind. The pipeline step asked for them.
	bootstrapped map[schema.GroupVersionKind]object.Node

	// required are all requirements of the call. waiting reports whether the request lacks an answer to one.
	required *fnv1.Requirements
	waiting  bool
}

// New returns the Requirements of the call with this request.
func New(req *fnv1.RunFunctionRequest) *Requirements {
	return &Requirements{req: req, required: &fnv1.Requirements{
		Resources:      make(map[string]*fnv1.ResourceSelector),
		ExtraResources: make(map[string]*fnv1.ResourceSelector), //nolint:staticcheck // Releases before v2.2 read it.
		Schemas:        make(map[string]*fnv1.SchemaSelector),
	}}
}

// Waiting reports whether something is required that the request has no answer for.
func (r *Requirements) Waiting() bool { return r.waiting }

// AddTo adds the requirements to a response. If nothing is required, the response gets none.
func (r *Requirements) AddTo(rsp *fnv1.RunFunctionResponse) {
	if proto.Size(r.required) > 0 {
		rsp.Requirements = r.required
	}
}

// Bootstrapped returns the OpenAPI schema of a kind if requirements.requiredSchemas of the pipeline step has this kind. Otherwise,
// it returns the zero Node.
func (r *Requirements) Bootstrapped(k schema.GroupVersionKind) object.Node {
	if r.bootstrapped == nil {
		r.bootstrapped = make(map[schema.GroupVersionKind]object.Node)
		schemas := r.req.GetRequiredSchemas()

		for _, name := range slices.Sorted(maps.Keys(schemas)) {
			s := object.OfSchema(schemas[name])
			if gvk, ok := kindOf(s); ok {
				r.bootstrapped[gvk] = s
			}
		}
	}

	// The function has asked for this schema itself. So it isn't bootstrapped, and is required again: otherwise it would be
	// missing in the next call.
	if _, answered := r.answerTo(k); answered {
		return object.Node{}
	}

	return r.bootstrapped[k]
}

// Schema returns the OpenAPI schema of a kind, or a zero Node if there is none, or if it is not here yet.
func (r *Requirements) Schema(k schema.GroupVersionKind) object.Node {
	answer, answered := r.answerTo(k)
	if answered && r.asksForSchemas() {
		return answer
	}

	return r.Bootstrapped(k)
}

// IsOperation reports whether the request is of an Operation, which has no composite resource. A Composition always has
// an observed one.
func IsOperation(req *fnv1.RunFunctionRequest) bool { return req.GetObserved().GetComposite() == nil }

// RequireSchemas requires the OpenAPI schemas of the kinds: see Schema. It leaves out a kind in these cases:
//   - OnlyBootstrapped is set.
//   - Crossplane can't fetch schemas.
//   - The pipeline step itself asked for the schema.
func (r *Requirements) RequireSchemas(kinds iter.Seq[schema.GroupVersionKind]) {
	for k := range kinds {
		if !r.asksForSchemas() || r.Bootstrapped(k).IsObject() {
			continue
		}

		apiVersion, kind := k.ToAPIVersionAndKind()
		r.required.Schemas[schemaName(k)] = &fnv1.SchemaSelector{ApiVersion: apiVersion, Kind: kind}

		_, answered := r.answerTo(k)
		r.waiting = r.waiting || !answered
	}
}

// asksForSchemas reports whether schemas may be asked for, and Crossplane can fetch them.
func (r *Requirements) asksForSchemas() bool {
	return !r.OnlyBootstrapped && r.can(fnv1.Capability_CAPABILITY_REQUIRED_SCHEMAS)
}

// can reports whether Crossplane says that it has a capability.
func (r *Requirements) can(c fnv1.Capability) bool {
	return slices.Contains(r.req.GetMeta().GetCapabilities(), c)
}

// answerTo returns the answer to the requirement of the kind's schema, and false if there is none.
func (r *Requirements) answerTo(k schema.GroupVersionKind) (object.Node, bool) {
	if len(r.req.GetRequiredSchemas()) == 0 {
		return object.Node{}, false
	}

	answer, ok := r.req.GetRequiredSchemas()[schemaName(k)]

	return object.OfSchema(answer), ok
}

// schemaName returns the name of the requirement of a kind's schema.
func schemaName(k schema.GroupVersionKind) string {
	apiVersion, kind := k.ToAPIVersionAndKind()
	return nameOf("schema", []string{apiVersion, kind})
}

// Old reports whether Crossplane is older than v2.2. Such a version sends no capabilities.
func (r *Requirements) Old() bool { return !r.can(fnv1.Capability_CAPABILITY_CAPABILITIES) }

// Named returns the selector of the object with the name. The namespace is empty if the kind has none.
func Named(apiVersion, kind, namespace, name string) *fnv1.ResourceSelector {
	out := &fnv1.ResourceSelector{ApiVersion: apiVersion, Kind: kind, Match: &fnv1.ResourceSelector_MatchName{MatchName: name}}
	if namespace != "" {
		out.Namespace = &namespace
	}

	return out
}

// Resources requires the objects that the selector selects, and returns them, sorted by namespace and name. It returns
// false if they are not here yet. Objects that the selector doesn't select are left out: Crossplane before v2.0 ignores
// the namespace of a selector.
//
// A selector must have a name or match labels. With empty match labels it selects all objects of the kind.
func (r *Requirements) Resources(selector *fnv1.ResourceSelector) ([]object.Object, bool) {
	labels := []string{}
	for _, key := range slices.Sorted(maps.Keys(selector.GetMatchLabels().GetLabels())) {
		labels = append(labels, key, selector.GetMatchLabels().GetLabels()[key])
	}

	name := nameOf("resource", []string{selector.GetApiVersion(), selector.GetKind(), selector.GetNamespace(), selector.GetMatchName()}, labels)

	required, answers := r.required.GetResources(), r.req.GetRequiredResources()

	// Crossplane before v2.2 doesn't say what it can do, and before v2.0 has
	// another field for this.
	if r.Old() {
		required, answers = r.required.GetExtraResources(), r.req.GetExtraResources() //nolint:staticcheck // See above.
	}

	required[name] = selector
	answer, answered := answers[name]
	r.waiting = r.waiting || !answered

	objects := words.Map(answer.GetItems(), object.Of)
	objects = slices.DeleteFunc(objects, func(o object.Object) bool { return !Selects(selector, o) })
	slices.SortStableFunc(objects, object.Compare)

	return objects, answered
}

// OfStep returns the objects that requirements.requiredResources of the pipeline step selects, by the requirementName of each
// entry. Objects that the function itself has required are left out.
func (r *Requirements) OfStep() map[string]*fnv1.Resources {
	out := maps.Clone(r.req.GetRequiredResources())
	maps.DeleteFunc(out, func(name string, _ *fnv1.Resources) bool { return r.required.GetResources()[name] != nil })

	return out
}

// Answer puts the required objects into the request, which is then the request of the next call. Crossplane does the same if
// there are no other objects.
func (r *Requirements) Answer(objects []*structpb.Struct) { Answer(r.req, r.required, objects) }

// AnswerFrom is Answer with what the source has.
func (r *Requirements) AnswerFrom(ctx context.Context, source Source) error {
	return AnswerFrom(ctx, r.req, r.required, source)
}

// Answer answers the required resources in the request, as Crossplane does if there are no other objects.
func Answer(req *fnv1.RunFunctionRequest, required *fnv1.Requirements, objects []*structpb.Struct) {
	find := func(selector *fnv1.ResourceSelector) ([]*structpb.Struct, error) {
		return selectedOf(objects, selector), nil
	}

	_ = answerResources(req, required, find) // Objects in memory can be found.
}

// A Source has what responses require, as a cluster does.
type Source struct {
	// Find returns the objects that the selector selects.
	Find func(ctx context.Context, selector *fnv1.ResourceSelector) ([]*structpb.Struct, error)

	// Schema returns the OpenAPI schema of the kind, or nil if the kind has none. Without this function, nobody answers required schemas.
	Schema func(ctx context.Context, kind schema.GroupVersionKind) (*structpb.Struct, error)

	// Empty says that nobody has given the source anything.
	Empty bool
}

// In returns the Source that has these objects, and no schemas.
func In(objects []*structpb.Struct) Source {
	return Source{Empty: len(objects) == 0, Find: func(_ context.Context, selector *fnv1.ResourceSelector) ([]*structpb.Struct, error) {
		return selectedOf(objects, selector), nil
	}}
}

// selectedOf returns the objects that the selector selects.
func selectedOf(objects []*structpb.Struct, selector *fnv1.ResourceSelector) []*structpb.Struct {
	return words.MapIf(objects, func(o *structpb.Struct) (*structpb.Struct, bool) { return o, Selects(selector, object.FromStruct(o)) })
}

// AnswerFrom answers the requirements in the request with what the source has. An error is the first error of the source.
func AnswerFrom(ctx context.Context, req *fnv1.RunFunctionRequest, required *fnv1.Requirements, source Source) error {
	find := func(selector *fnv1.ResourceSelector) ([]*structpb.Struct, error) { return source.Find(ctx, selector) }
	if err := answerResources(req, required, find); err != nil {
		return err
	}

	if source.Schema == nil || len(required.GetSchemas()) == 0 {
		return nil
	}

	req.RequiredSchemas = make(map[string]*fnv1.Schema, len(required.GetSchemas()))

	for _, name := range slices.Sorted(maps.Keys(required.GetSchemas())) {
		s := required.GetSchemas()[name]

		known, err := source.Schema(ctx, schema.FromAPIVersionAndKind(s.GetApiVersion(), s.GetKind()))
		if err != nil {
			return err
		}

		req.RequiredSchemas[name] = &fnv1.Schema{OpenapiV3: known}
	}

	return nil
}

// answerResources answers the required resources in the request with what find finds.
func answerResources(req *fnv1.RunFunctionRequest, required *fnv1.Requirements, find finder) (err error) {
	if req.RequiredResources, err = find.answers(required.GetResources()); err == nil {
		req.ExtraResources, err = find.answers(required.GetExtraResources()) //nolint:staticcheck // Crossplane before v2.2 answers there.
	}

	return err
}

// A finder returns the objects that the selector selects.
type finder func(*fnv1.ResourceSelector) ([]*structpb.Struct, error)

// answers returns the objects that each selector selects.
func (f finder) answers(required map[string]*fnv1.ResourceSelector) (map[string]*fnv1.Resources, error) {
	out := make(map[string]*fnv1.Resources, len(required))

	for _, name := range slices.Sorted(maps.Keys(required)) {
		found, err := f(required[name])
		if err != nil {
			return nil, err
		}

		out[name] = &fnv1.Resources{Items: words.Map(found, func(o *structpb.Struct) *fnv1.Resource { return &fnv1.Resource{Resource: o} })}
	}

	return out, nil
}

// Selects reports whether the selector selects the object, as Crossplane selects. A name selects an
// object in the selector's namespace, or of a kind without namespaces. Labels are looked for in all
// namespaces unless the selector has one.
func Selects(s *fnv1.ResourceSelector, o object.Object) bool {
	if object.APIVersion(o) != s.GetApiVersion() || object.Kind(o) != s.GetKind() {
		return false
	}

	namespace := object.Namespace(o)

	if m, ok := s.GetMatch().(*fnv1.ResourceSelector_MatchName); ok {
		return object.Name(o) == m.MatchName && (namespace == s.GetNamespace() || namespace == "")
	}

	if s.GetNamespace() != "" && namespace != s.GetNamespace() {
		return false
	}

	return object.HasLabels(o, s.GetMatchLabels().GetLabels())
}

// kindOf returns the kind that a schema says it is of.
func kindOf(s object.Node) (schema.GroupVersionKind, bool) {
	kinds := slices.Collect(s.Field("x-kubernetes-group-version-kind").Items())
	if len(kinds) != 1 {
		return schema.GroupVersionKind{}, false
	}

	text := func(name string) string { return kinds[0].Field(name).Text() }

	return schema.GroupVersionKind{Group: text("group"), Version: text("version"), Kind: text("kind")}, true
}

// nameOf returns the name of a requirement. It differs for any two selectors, since Crossplane may answer
// what the last reconcile required under the same name.
func nameOf(thing string, selector ...[]string) string {
	h := sha256.Sum256(fmt.Appendf(nil, "%q", selector))
	return thing + "-" + hex.EncodeToString(h[:8])
}
