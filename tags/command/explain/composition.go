package explain

import (
	"cmp"
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
		Meta:     &fnv1.RequestMeta{Capabilities: []fnv1.Capability{fnv1.Capability_CAPABILITY_CAPABILITIES, fnv1.Capability_CAPABILITY_REQUIRED_RESOURCES}},
		Observed: &fnv1.State{Composite: &fnv1.Resource{Resource: xr}},
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

	providers := c.providers(step.Input, &set)

	e := explain(set.Transformer(step.Input), step.Input.ProfileRules, step.Input, providers)
	e.hierarchy = true
	e.addRows(&set, func(l tags.Label) string { return resolve.Title(&step.Input.Sources[l.Source.Position], xr) })
	e.notes = slices.Concat(set.Empty, c.notes(step.Input, &set))

	return e, nil
}

// notes on what isn't known.
func (c *Command) notes(in *v1beta1.CloudTags, set *resolve.Set) (out []string) {
	if len(c.Provider) == 0 && in.ProviderValue() == "" && set.Provider != "" {
		out = append(out, "the provider is the composite resource's or its class's choice, which is for resources of no known provider only: --provider shows the others")
	}

	needsContext := func(s v1beta1.Source) bool { return s.Type == v1beta1.SourceTypeContextField }
	if c.Context == "" && slices.ContainsFunc(in.Sources, needsContext) {
		out = append(out, "what is in the pipeline's context isn't known without --context")
	}

	return out
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
		out[i] = object.Title(o) + " (" + object.APIVersion(o) + ")"
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

// providers whose profiles to apply. They are none if the input doesn't say.
func (c *Command) providers(in *v1beta1.CloudTags, set *resolve.Set) []string {
	named := cmp.Or(in.ProviderValue(), set.Provider)
	if len(c.Provider) > 0 || named == "" {
		return c.Provider
	}

	providers := []string{named}

	for i := range in.TagFields {
		if p := in.TagFields[i].Provider; p != "" {
			providers = append(providers, p)
		}
	}

	return providers
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

		required.Answer(objects)
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

// addRows of the labels of the supplied set, with where they came from. The supplied
// function has the titles of their sources.
func (e *explained) addRows(set *resolve.Set, title func(tags.Label) string) {
	overridden := make(map[string][]tags.Label)
	for _, o := range set.Overridden {
		overridden[o.TagKey] = append(overridden[o.TagKey], o)
	}

	// add a row for the supplied label, which overrode others, the latest last.
	add := func(l tags.Label, others []tags.Label) {
		r := row{Label: l, origin: Origin{Source: title(l)}}

		for _, o := range slices.Backward(others) {
			r.origin.Overrides = append(r.origin.Overrides, Origin{Source: title(o), Value: o.Value})
		}

		e.rows = append(e.rows, r)

		for _, x := range e.providers {
			if f, ok := x.fate(l); ok && f.reason == "" {
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
			}
		}
	}

	for _, l := range set.Claims {
		add(l, nil)
	}
}

// knows is true if the supplied label has a fate under any profile.
func (e *explained) knows(l tags.Label) bool {
	return slices.ContainsFunc(e.providers, func(x *Explanation) bool {
		_, ok := x.fate(l)
		return ok
	})
}
