package explain

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"google.golang.org/protobuf/types/known/structpb"

	"github.com/crossplane/function-sdk-go/errors"
	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"

	"github.com/plexsphere/function-cloud-tags/input/v1beta1"
	"github.com/plexsphere/function-cloud-tags/tags"
	"github.com/plexsphere/function-cloud-tags/tags/command/manifest"
	"github.com/plexsphere/function-cloud-tags/tags/field"
	"github.com/plexsphere/function-cloud-tags/tags/object"
	"github.com/plexsphere/function-cloud-tags/tags/profile"
	"github.com/plexsphere/function-cloud-tags/tags/require"
	"github.com/plexsphere/function-cloud-tags/tags/resolve"
	"github.com/plexsphere/function-cloud-tags/tags/words"
)

// A resolved step has the labels that its sources give for a composite resource.
type resolved struct {
	*manifest.Step

	xr  *structpb.Struct
	set resolve.Set

	// req is the request that the labels are resolved for, and required what Crossplane must fetch for it.
	req      *fnv1.RunFunctionRequest
	required *require.Requirements

	// objects that answer the requirements. Those of a recorded request are answered.
	objects []*structpb.Struct

	// notes on labels that can't be known, or that sources don't give.
	notes []string
}

// hierarchy explains which tags the labels of a composite resource become.
func (c *Command) hierarchy(ctx context.Context, r *manifest.Reader) (explanation, error) {
	of, err := c.resolve(ctx, r)
	if err != nil {
		return nil, err
	}

	e := &explained{notes: of.notes}

	for _, mentioned := range of.set.PerResource.Mentioned() {
		e.notes = append(e.notes, mentioned+", which differs per composed resource: --rendered shows what it comes to")
	}

	for _, scoped := range of.set.PerResource.Scoped() {
		e.notes = append(e.notes, scoped+", which --rendered shows")
	}

	providers := c.providers(e, of)
	e.addLimits(of.Input)
	e.addHandedOn(of.Input)

	if err := e.explain(of, providers); err != nil {
		return nil, err
	}

	return e, nil
}

// title returns the title of the label's source.
func (r *resolved) title(l tags.Label) string {
	s := &r.Input.Sources[l.Source.Position]
	if s.Type == v1beta1.SourceTypeValue && s.Name == "" && r.Input.Origins.IsStandard(fmt.Sprintf("sources[%d]", l.Source.Position)) {
		return r.Input.Origins.Standard
	}

	return resolve.Title(s, r.xr)
}

// resolve the labels of the composite resource.
func (c *Command) resolve(ctx context.Context, r *manifest.Reader) (*resolved, error) {
	objects, err := c.required(r)
	if err != nil {
		return nil, err
	}

	step, err := r.Step(c.Composition, c.Step, objects...)
	if err != nil {
		return nil, err
	}

	overruled := c.ProfileRules != "" && c.ProfileRules != step.Input.ProfileRules
	step.Input.ProfileRules = cmp.Or(c.ProfileRules, step.Input.ProfileRules)

	if c.Rendered != "" {
		settle(step.Input)
	}

	xr, err := c.composite(r, step)
	if err != nil {
		return nil, err
	}

	req, err := c.request(r, xr)
	if err != nil {
		return nil, err
	}

	set, required, err := resolveWith(ctx, step.Input, req, objects)
	if err != nil {
		return nil, err
	}

	of := &resolved{Step: step, xr: xr, set: set, req: req, required: required, objects: objects}
	of.addNotes()

	if overruled {
		of.notes = append(of.notes, "--profile-rules "+string(c.ProfileRules)+" applies, which is not what the Composition says")
	}

	needsContext := func(s v1beta1.Source) bool {
		return s.Type == v1beta1.SourceTypeContextField || s.Include != nil && s.Include.ContextKey != ""
	}
	if c.Context == "" && slices.ContainsFunc(step.Input.Sources, needsContext) {
		of.notes = append(of.notes, "what is in the pipeline's context isn't known without --context")
	}

	return of, nil
}

// addNotes on the settings of the input, and on what its sources find.
func (r *resolved) addNotes() {
	r.notes = slices.Concat(settings(r.Input), words.Map(r.set.Hops, resolve.Hop.String), words.Map(r.set.Empty, resolve.Lack.String))

	for _, absent := range r.set.Absent {
		r.notes = append(r.notes, absent.String()+": no label")
	}
}

// request of a step for the composite resource, as Crossplane makes it.
func (c *Command) request(r *manifest.Reader, xr *structpb.Struct) (*fnv1.RunFunctionRequest, error) {
	values, err := r.Context(c.Context)
	if err != nil {
		return nil, err
	}

	return manifest.Request(xr, values), nil
}

// settings says which settings of the input are its standard's, which are its own, and which of its standard it
// overrides. An input without a standard has none to tell apart.
func settings(in *v1beta1.CloudTags) []string {
	if in.Origins == nil {
		return nil
	}

	var standard, own, overridden []string

	for _, s := range in.Origins.Settings {
		other := words.Show(s.Overrides, words.MaxText)

		switch {
		case s.Standard && s.Overrides != "":
			standard = append(standard, fmt.Sprintf("%s (the step says %s, which is less strict)", s.Written, other))
		case s.Standard:
			standard = append(standard, s.Written)
		case s.Overrides != "":
			overridden = append(overridden, fmt.Sprintf("%s (the standard says %s)", s.Written, other))

			fallthrough
		default:
			own = append(own, s.Written)
		}
	}

	out := []string{}

	for _, of := range []struct {
		whose string
		what  []string
	}{{"the standard of " + in.Origins.Standard + " says", standard}, {"the step says", own}, {"the step overrides", overridden}} {
		if len(of.what) > 0 {
			out = append(out, of.whose+": "+strings.Join(of.what, ", "))
		}
	}

	return out
}

// addHandedOn notes to which kinds the labels are handed on.
func (e *explained) addHandedOn(in *v1beta1.CloudTags) {
	for i := range in.TagFields {
		if f := &in.TagFields[i]; field.OfRule(f).Shape == field.Labels {
			e.notes = append(e.notes, fmt.Sprintf("%s: kind %s of %s gets the labels as they are, without those of reserved keys, at %s", in.Where("tagFields[%d]", i), f.Kind, f.APIVersion, f.FieldPath))
		}
	}
}

// addLimits notes which rules of the input also depend on tags that aren't known here.
func (e *explained) addLimits(in *v1beta1.CloudTags) {
	var of []string

	for _, rule := range []struct {
		name string
		has  bool
	}{{"removeTags", len(in.RemoveTags) > 0}, {"ignoreTags", len(in.IgnoreTags) > 0}, {"tagPolicy", in.TagPolicy != nil}} {
		if rule.has {
			of = append(of, rule.name)
		}
	}

	if len(of) > 0 {
		e.notes = append(e.notes, strings.Join(of, ", ")+": applied to labels only; tags of earlier steps and of the cloud are not known here")
	}
}

// composite returns the composite resource: the only object that is of the kind which
// the step's Composition is for.
func (c *Command) composite(r *manifest.Reader, step *manifest.Step) (*structpb.Struct, error) {
	objects, err := r.Objects(c.XR)
	if err != nil {
		return nil, err
	}

	found := slices.DeleteFunc(slices.Clone(objects), func(o *structpb.Struct) bool {
		return step.Composite != v1beta1.ResourceKind{APIVersion: object.APIVersion(object.Tree(o)), Kind: object.Kind(object.Tree(o))}
	})
	switch {
	case len(found) == 1 && c.XRD != "":
		return found[0], r.Default(c.XRD, found[0])
	case len(found) == 1:
		return found[0], nil
	case len(found) != 0:
		return nil, errors.Errorf("cannot explain %s: it has several composite resources, and one can be explained at a time: %s", c.XR, words.Names(words.Map(found, title), 0))
	case len(objects) == 0:
		return nil, errors.Errorf("cannot explain %s: there is no object in it", c.XR)
	default:
		return nil, errors.Errorf("cannot explain %s: the Composition %s is for kind %s of apiVersion %s, and it has no such object, but %s",
			c.XR, step.Composition, step.Composite.Kind, step.Composite.APIVersion, words.Names(words.Map(objects, title), 0))
	}
}

// resolveWith resolves the input for the request. Required resources are found among the objects.
func resolveWith(
	ctx context.Context, in *v1beta1.CloudTags, req *fnv1.RunFunctionRequest, objects []*structpb.Struct,
) (resolve.Set, *require.Requirements, error) {
	for {
		required := require.New(req)

		set, err := resolve.Resolve(ctx, in, req, required)
		if err != nil || !required.Waiting() {
			return set, required, err
		}

		// All, so that nothing waits for the same again.
		if err := answer(req, required, objects); err != nil {
			return set, nil, err
		}
	}
}

// providers returns the providers whose profiles to apply, or none if nothing names one: those that the flags or the
// input name, or all. Those of the Composition's bases come first. It notes if the name holds for some resources only.
func (c *Command) providers(e *explained, of *resolved) []string {
	in := of.Input

	if len(c.Provider) > 0 {
		return c.Provider
	}

	if p := in.ProviderValue(); p != "" {
		return append([]string{p}, providersOfFields(in)...)
	}

	var first []string

	for _, base := range of.Bases {
		if family, ok := field.FamilyOf(base); ok && family.Profile != "" {
			first = append(first, family.Profile)
		}
	}

	if of.set.Provider == "" {
		return words.Distinct(slices.Concat(first, providersOfFields(in), profile.Names()))
	}

	e.notes = append(e.notes, "the provider is the composite resource's or its class's choice, which is for resources of no known provider only: --provider shows the others")

	return words.Distinct(slices.Concat(first, []string{of.set.Provider}, providersOfFields(in)))
}

// providersOfFields are the providers that entries of tagFields name.
func providersOfFields(in *v1beta1.CloudTags) (out []string) {
	for i := range in.TagFields {
		if p := in.TagFields[i].Provider; p != "" {
			out = append(out, p)
		}
	}

	return out
}
