package explain

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"google.golang.org/protobuf/types/known/structpb"

	"github.com/crossplane/function-sdk-go/errors"
	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"

	"github.com/plexsphere/function-cloud-tags/input/v1beta1"
	"github.com/plexsphere/function-cloud-tags/tags/command"
	"github.com/plexsphere/function-cloud-tags/tags/expression"
	"github.com/plexsphere/function-cloud-tags/tags/field"
	"github.com/plexsphere/function-cloud-tags/tags/manifest"
	"github.com/plexsphere/function-cloud-tags/tags/object"
	"github.com/plexsphere/function-cloud-tags/tags/profile"
	"github.com/plexsphere/function-cloud-tags/tags/require"
	"github.com/plexsphere/function-cloud-tags/tags/resolve"
	"github.com/plexsphere/function-cloud-tags/tags/words"
)

// clouds explains which tags the labels of a composite resource are on each cloud.
func (c *Command) clouds(ctx context.Context, r *manifest.Reader) (answer, error) {
	step, run, err := c.trace(ctx, r)
	if err != nil {
		return nil, err
	}

	e := &comparison{differences: run.Set.PerResource.Differences()}
	e.faults = run.faults()
	e.notes = slices.Concat(e.faults, run.notes, words.Map(e.differences, func(d resolve.Difference) string {
		return d.Why + ", which differs per composed resource: --rendered shows what it comes to"
	}))
	run.Set.Labels = run.Set.CommonLabels()

	providers := c.providers(e, step, run)
	e.addLimits(run.Input)
	e.addHandedOn(run.Input)
	e.addOrigins(run)
	e.explain(run, providers)

	return e, nil
}

// trace runs the step of the Composition for the composite resource and, if there are any, its rendered resources. It returns the step,
// and a trace of the run.
func (c *Command) trace(ctx context.Context, r *manifest.Reader) (*manifest.Step, *trace, error) {
	step, err := r.StepFor(c.XR, c.XRD, c.Composition, c.Step, c.RequiredResources...) //nolint:contextcheck // It reads files.
	if err != nil {
		return nil, nil, err
	}

	req, err := c.request(r, step)
	if err != nil {
		return nil, nil, err
	}

	run, files := &trace{function: c.Function, early: earlyByOrder(step)}, &files{objects: step.Required}
	if err := run.follow(ctx, command.Function(run.call).Fetching(require.Source{Find: files.find}), req); err != nil {
		return nil, nil, errors.New(files.withFlag(err.Error()))
	}

	run.notes = words.Map(run.notes, files.withFlag)

	run.notes = append(settings(step.Input), run.notes...) // Before --profile-rules has replaced one.

	if c.ProfileRules != "" && c.ProfileRules != step.Input.ProfileRules {
		run.notes = append(run.notes, "--profile-rules "+string(c.ProfileRules)+" applies, which is not what the Composition says")
	}

	if c.XR == "" {
		run.notes = append(run.notes, "the composite resource is an example, made of the schema in "+c.XRD+": --xr explains a real one")
	}

	run.notes = append(run.notes, c.contextNotes(step.Input)...)

	return step, run, nil
}

// files are the objects that files have, and what the function requires beyond these.
type files struct {
	objects []*structpb.Struct
	lacking []*fnv1.ResourceSelector
}

// find returns the objects that the selector selects.
func (f *files) find(ctx context.Context, selector *fnv1.ResourceSelector) ([]*structpb.Struct, error) {
	found, err := require.In(f.objects).Find(ctx, selector)
	if len(found) == 0 {
		f.lacking = append(f.lacking, selector)
	}

	return found, err
}

// withFlag returns the text with the flag that gives an object, if the text is about an object that no file has.
func (f *files) withFlag(text string) string {
	isAbout := func(s *fnv1.ResourceSelector) bool {
		return strings.Contains(text, words.Name(s.GetKind())+" ("+words.Name(s.GetApiVersion())+")")
	}
	if !slices.ContainsFunc(f.lacking, isAbout) {
		return text
	}

	return text + ": give it with --required-resources"
}

// contextNotes says that nobody has given the pipeline's context, if the input reads it.
func (c *Command) contextNotes(in *v1beta1.CloudTags) []string {
	needsContext := func(s v1beta1.Source) bool {
		return s.Type == v1beta1.SourceTypeContextField || s.Include != nil && (s.Include.ContextKey != "" || s.Include.Expression.Mentions(expression.Context))
	}
	readsContext := slices.ContainsFunc(in.Sources, needsContext) ||
		slices.ContainsFunc(in.RemoveTags, func(r v1beta1.RemoveTag) bool { return r.ContextKey != "" }) ||
		slices.ContainsFunc(in.IgnoreTags, func(i v1beta1.IgnoreTag) bool { return i.ContextKey != "" })

	if c.PipelineContext != "" || !readsContext {
		return nil
	}

	return []string{"what is in the pipeline's context isn't known without --pipeline-context"}
}

// request returns the request that Crossplane makes of the step for the composite resource and, if there are any, its
// rendered resources.
func (c *Command) request(r *manifest.Reader, step *manifest.Step) (*fnv1.RunFunctionRequest, error) {
	xr, err := c.composite(r, step)
	if err != nil {
		return nil, err
	}

	values, err := r.Context(c.PipelineContext)
	if err != nil {
		return nil, err
	}

	req := manifest.Request(xr, values)
	req.Input = step.Written

	c.replaceRules(req)

	if c.Rendered != "" {
		resources, err := composed(r, c.Rendered, object.FromStruct(xr))
		if err != nil {
			return nil, err
		}

		req.Desired, req.Observed.Resources = &fnv1.State{Resources: resources}, maps.Clone(resources)

		// Desired resources that come from a cluster are observed there.
		maps.DeleteFunc(req.GetObserved().GetResources(), func(_ string, r *fnv1.Resource) bool { return uidOf(object.Of(r)) == "" })
	}

	return req, nil
}

// replaceRules replaces the profileRules of the input by --profile-rules, if it is given.
func (c *Command) replaceRules(req *fnv1.RunFunctionRequest) {
	if c.ProfileRules != "" {
		req.Input.Fields["profileRules"] = structpb.NewStringValue(string(c.ProfileRules))
	}
}

// addHandedOn notes to which kinds the labels are handed on.
func (e *comparison) addHandedOn(in *v1beta1.CloudTags) {
	for i := range in.TagFields {
		if f := &in.TagFields[i]; field.FromTagField(f).Shape == field.Labels {
			e.notes = append(e.notes, fmt.Sprintf("%s: kind %s of %s gets the labels as they are, without those of reserved keys, at %s", in.Where("tagFields[%d]", i), f.Kind, f.APIVersion, f.FieldPath))
		}
	}
}

// addLimits notes the entries of the input that also depend on tags in a cluster.
func (e *comparison) addLimits(in *v1beta1.CloudTags) {
	var rules []string
	if len(in.RemoveTags) > 0 {
		rules = append(rules, "removeTags")
	}

	if len(in.IgnoreTags) > 0 {
		rules = append(rules, "ignoreTags")
	}

	if in.TagPolicy != nil {
		rules = append(rules, "tagPolicy")
	}

	if len(rules) > 0 {
		e.notes = append(e.notes, strings.Join(rules, ", ")+": applied to labels only; tags of earlier steps and of the cloud are not known here")
	}
}

// composite returns the composite resource: the only object of the kind that the step's Composition is for. Without --xr, it is an example by the
// definition of the kind.
func (c *Command) composite(r *manifest.Reader, step *manifest.Step) (*structpb.Struct, error) {
	if c.XR == "" {
		example, err := step.Example()
		return example, errors.Wrapf(err, "cannot read %s", c.XRD)
	}

	objects := step.Composites

	found := slices.DeleteFunc(slices.Clone(objects), func(o *structpb.Struct) bool {
		return step.Composite != v1beta1.ResourceKind{APIVersion: object.APIVersion(object.FromStruct(o)), Kind: object.Kind(object.FromStruct(o))}
	})
	title := func(o *structpb.Struct) string { return object.FullTitle(object.FromStruct(o)) }

	switch {
	case len(found) == 1 && c.XRD != "":
		return found[0], r.Default(c.XRD, found[0])
	case len(found) == 1:
		return found[0], nil
	case len(found) != 0:
		return nil, errors.Errorf("cannot explain %s: it has several composite resources: give a file with one of %s", c.XR, words.Names(words.Map(found, title)))
	case len(objects) == 0:
		return nil, errors.Errorf("cannot explain %s: there is no object in it: give a file with a composite resource", c.XR)
	default:
		return nil, errors.Errorf("cannot explain %s: the Composition %s is for kind %s of apiVersion %s, and it has no such object, but %s",
			c.XR, step.Composition, step.Composite.Kind, step.Composite.APIVersion, words.Names(words.Map(objects, title)))
	}
}

// providers returns the providers whose profiles apply, in this order: the providers of the flags, the one that the
// input names by value, or else the providers of the Composition's bases and of the composite resource. All others
// follow if nothing names a provider, or with --all.
func (c *Command) providers(e *comparison, step *manifest.Step, run *trace) []string {
	if len(c.Provider) > 0 {
		return c.Provider
	}

	out := field.ProfilesOf(step.Bases)

	switch p := run.Input.ProviderValue(); {
	case p != "":
		out = []string{p}
	case run.Set.Provider != "":
		out = append(out, run.Set.Provider)
		e.notes = append(e.notes, "the provider is the composite resource's or its class's choice, which is for resources of no known provider only: --all shows the others")
	case len(out) > 0 && !c.All:
		e.notes = append(e.notes, "the clouds are those of bases that the Composition has in its text: --all shows the others")
	}

	all := c.All || len(out) == 0

	out = append(out, words.Map(run.Input.TagFields, func(f v1beta1.TagField) string { return f.Provider })...)
	if all {
		out = append(out, profile.Names()...)
	}

	return slices.DeleteFunc(words.Distinct(out), func(provider string) bool { return provider == "" })
}
