package explain

import (
	"context"
	"slices"

	"google.golang.org/protobuf/types/known/structpb"

	"github.com/crossplane/function-sdk-go/errors"
	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"

	"github.com/plexsphere/function-cloud-tags/input/v1beta1"
	"github.com/plexsphere/function-cloud-tags/tags"
	"github.com/plexsphere/function-cloud-tags/tags/command/manifest"
	"github.com/plexsphere/function-cloud-tags/tags/object"
	"github.com/plexsphere/function-cloud-tags/tags/require"
	"github.com/plexsphere/function-cloud-tags/tags/resolve"
)

// maxCalls is how often Crossplane calls a function until it has all it requires.
const maxCalls = 5

// hierarchy explains what the labels of a composite resource come to.
func (c *Command) hierarchy(ctx context.Context, r *manifest.Reader) (*explained, error) {
	step, err := r.Step(c.Composition, c.Step)
	if err != nil {
		return nil, err
	}

	xr, err := c.composite(r, step)
	if err != nil {
		return nil, err
	}

	req := &fnv1.RunFunctionRequest{
		Meta:              &fnv1.RequestMeta{Capabilities: []fnv1.Capability{fnv1.Capability_CAPABILITY_CAPABILITIES, fnv1.Capability_CAPABILITY_REQUIRED_RESOURCES}},
		Observed:          &fnv1.State{Composite: &fnv1.Resource{Resource: xr}},
		RequiredResources: make(map[string]*fnv1.Resources),
	}

	if req.Context, err = c.pipelineContext(r); err != nil {
		return nil, err
	}

	objects := []*structpb.Struct{}

	for _, path := range c.RequiredResources {
		more, err := r.Objects(path)
		if err != nil {
			return nil, err
		}

		objects = append(objects, more...)
	}

	set, err := resolveWith(ctx, step.Input, req, objects)
	if err != nil {
		return nil, err
	}

	providers, note := c.providers(step.Input, &set)

	e := explain(set.Transformer(step.Input), tags.Rules(step.Input.ProfileRules), step.Input, providers)
	e.origins(step.Input, &set, xr)

	e.notes = set.Empty

	if note != "" {
		e.notes = append(e.notes, note)
	}

	needsContext := func(s v1beta1.Source) bool { return s.Type == v1beta1.SourceTypeContextField }
	if c.Context == "" && slices.ContainsFunc(step.Input.Sources, needsContext) {
		e.notes = append(e.notes, "what is in the pipeline's context isn't known without --context")
	}

	return e, nil
}

// composite returns the composite resource: the only object that is of the kind which
// the Composition of the supplied step is for.
func (c *Command) composite(r *manifest.Reader, step *manifest.Step) (*structpb.Struct, error) {
	objects, err := r.Objects(c.XR)
	if err != nil {
		return nil, err
	}

	of := step.Composite

	found := slices.DeleteFunc(slices.Clone(objects), func(o *structpb.Struct) bool {
		return object.APIVersion(o) != of.APIVersion || object.Kind(o) != of.Kind
	})

	switch {
	case len(found) == 1:
		return found[0], nil
	case len(found) > 1:
		return nil, errors.Errorf("cannot explain %s: it has several composite resources, and one can be explained at a time: %s", c.XR, objectNames(found))
	case len(objects) == 0:
		return nil, errors.Errorf("cannot explain %s: there is no object in it", c.XR)
	default:
		return nil, errors.Errorf("cannot explain %s: the Composition %s is for kind %s of apiVersion %s, and it has no such object, but %s",
			c.XR, step.Composition, of.Kind, of.APIVersion, objectNames(objects))
	}
}

// objectNames are the names of the supplied objects, with their apiVersions.
func objectNames(of []*structpb.Struct) string {
	out := make([]string, len(of))
	for i, o := range of {
		out[i] = manifest.NameOf(o) + " (" + object.APIVersion(o) + ")"
	}

	return list(out)
}

// pipelineContext is the context of the pipeline, or nil if none is given.
func (c *Command) pipelineContext(r *manifest.Reader) (*structpb.Struct, error) {
	if c.Context == "" {
		return nil, nil //nolint:nilnil // None is neither a context nor an error.
	}

	objects, err := r.Objects(c.Context)
	if err != nil {
		return nil, err
	}

	if len(objects) != 1 {
		return nil, errors.Errorf("cannot read %s: the context is one map of context key to value, not %d objects", c.Context, len(objects))
	}

	return objects[0], nil
}

// providers whose profiles to apply, and a note on them. They are none if the input
// doesn't say.
func (c *Command) providers(in *v1beta1.CloudTags, set *resolve.Set) (providers []string, note string) {
	switch {
	case len(c.Provider) > 0:
		return c.Provider, ""
	case in.ProviderValue() != "":
		providers = []string{in.ProviderValue()}
	case set.Provider != "":
		providers = []string{set.Provider}
		note = "the provider is the composite resource's or its class's choice, which is for resources of no known provider only: --provider shows the others"
	default:
		return nil, ""
	}

	for i := range in.TagFields {
		if p := in.TagFields[i].Provider; p != "" {
			providers = append(providers, p)
		}
	}

	return providers, note
}

// resolveWith resolves the supplied input for the supplied request. What it requires is
// among the supplied objects.
func resolveWith(ctx context.Context, in *v1beta1.CloudTags, req *fnv1.RunFunctionRequest, objects []*structpb.Struct) (resolve.Set, error) {
	for range maxCalls {
		required := require.New(req)

		set, err := resolve.Resolve(ctx, in, req, required)
		if err != nil || !required.Waiting() {
			return set, err
		}

		rsp := &fnv1.RunFunctionResponse{}
		required.AddTo(rsp)

		for name, selector := range rsp.GetRequirements().GetResources() {
			answer := &fnv1.Resources{}

			for _, o := range objects {
				if require.Selects(selector, o) {
					answer.Items = append(answer.Items, &fnv1.Resource{Resource: o})
				}
			}

			req.RequiredResources[name] = answer
		}
	}

	return resolve.Set{}, errors.Errorf("what is required didn't settle after %d calls", maxCalls)
}

// An Origin is the source that a label came from, and what it overrode there.
type Origin struct {
	Source    string   `json:"source"`
	Overrides []Origin `json:"overrides,omitempty"`

	// Value that was overridden.
	Value string `json:"value,omitempty"`
}

// origins adds to the explanation where the labels of the supplied set came from.
func (e *explained) origins(in *v1beta1.CloudTags, set *resolve.Set, xr *structpb.Struct) {
	name := func(l tags.Label) string { return resolve.Title(&in.Sources[l.Source], xr) }

	overridden := make(map[string][]tags.Label)
	for _, o := range set.Overridden {
		overridden[o.TagKey] = append(overridden[o.TagKey], o.Label)
	}

	e.hierarchy = true

	// add a row for the supplied label, which overrode others, the latest last.
	add := func(l tags.Label, others []tags.Label) {
		r := row{label: l, origin: Origin{Source: name(l)}}

		for _, o := range slices.Backward(others) {
			r.origin.Overrides = append(r.origin.Overrides, Origin{Source: name(o), Value: o.Value})
		}

		e.rows = append(e.rows, r)

		for i := range e.providers {
			x := &e.providers[i]

			if f, ok := x.fates[identify(l)]; ok && f.reason == "" {
				if x.Sources == nil {
					x.Sources = make(map[string]Origin)
				}

				x.Sources[f.key] = r.origin
			}
		}
	}

	for _, l := range set.Labels {
		others := overridden[l.TagKey]
		add(l, others)

		// A trusted label can stand against the one that overrode it.
		for i, o := range slices.Backward(others) {
			if o.Trusted && !l.Trusted && e.knows(o) {
				add(o, others[:i])
				break
			}
		}
	}

	for _, l := range set.Claims {
		add(l, nil)
	}
}

// knows is true if the supplied label has a fate under any profile.
func (e *explained) knows(l tags.Label) bool {
	return slices.ContainsFunc(e.providers, func(x Explanation) bool {
		_, ok := x.fates[identify(l)]
		return ok
	})
}
