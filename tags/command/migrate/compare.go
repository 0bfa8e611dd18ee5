package migrate

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"maps"
	"os"
	"slices"
	"strconv"
	"strings"

	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/known/structpb"

	"github.com/crossplane/function-sdk-go/errors"
	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"

	"github.com/plexsphere/function-cloud-tags/input/v1beta1"
	"github.com/plexsphere/function-cloud-tags/tags/command"
	"github.com/plexsphere/function-cloud-tags/tags/command/explain"
	"github.com/plexsphere/function-cloud-tags/tags/command/remote"
	"github.com/plexsphere/function-cloud-tags/tags/command/terminal"
	fields "github.com/plexsphere/function-cloud-tags/tags/field"
	"github.com/plexsphere/function-cloud-tags/tags/locate"
	"github.com/plexsphere/function-cloud-tags/tags/manifest"
	"github.com/plexsphere/function-cloud-tags/tags/object"
	"github.com/plexsphere/function-cloud-tags/tags/require"
	"github.com/plexsphere/function-cloud-tags/tags/tagset"
	"github.com/plexsphere/function-cloud-tags/tags/words"
	"github.com/plexsphere/function-cloud-tags/tags/write"
)

// A cluster has composite resources, and all else that rendering them needs.
type cluster struct {
	*Command

	xrs      []*structpb.Struct
	observed map[string]*fnv1.Resource
	required []*structpb.Struct

	// pipelineContext is the context that the pipeline begins with.
	pipelineContext *structpb.Struct

	targets map[string]string

	// rendered has the decisions of this function on the resources of the last rendered pipeline.
	rendered []*explain.Rendered
}

// cluster reads the files of the flags.
func (c *Command) cluster() (_ *cluster, err error) {
	xrs, xrsErr := c.Reader.Objects(c.XR...)
	required, requiredErr := c.Reader.Required(c.RequiredResources...)
	observed, observedErr := c.Reader.Objects(c.ObservedResources...)
	values, valuesErr := c.Reader.Context(c.Context)

	if err := cmp.Or(xrsErr, requiredErr, observedErr, valuesErr); err != nil {
		return nil, err
	}

	out := &cluster{Command: c, xrs: xrs, required: required, pipelineContext: values, observed: make(map[string]*fnv1.Resource)}

	for _, o := range observed {
		if name := object.Annotations(object.FromStruct(o)).Field(object.ResourceNameAnnotation).Text(); name != "" {
			out.observed[name] = &fnv1.Resource{Resource: o}
		}
	}

	if c.Functions != "" {
		out.targets, err = remote.Targets(c.Functions)
	}

	return out, err
}

// compare renders the changed Composition of the old text and of the new one, for each of its composite resources, and says the
// differences. It returns the number of composite resources, and of differences that nobody has accepted.
func (c *cluster) compare(ctx context.Context, comp *composition, before, after string, say io.Writer) (compared, differs int, _ error) {
	oldSteps, oldErr := pipelineOf(before, comp.at)
	newSteps, newErr := pipelineOf(after, comp.at)

	if err := cmp.Or(oldErr, newErr); err != nil {
		return 0, 0, err
	}

	// Steps after the last changed one get the same resources from both, unless there is a difference.
	same := len(oldSteps) - comp.last - 1
	oldSteps, newSteps = oldSteps[:len(oldSteps)-same], newSteps[:len(newSteps)-same]

	apiVersion, kind := text(comp.node, "spec", "compositeTypeRef", "apiVersion"), text(comp.node, "spec", "compositeTypeRef", "kind")

	bar := terminal.Progress(os.Stderr, len(c.xrs), "composite resources")
	defer func() { _ = bar.Finish() }() // Nobody misses a bar that can't be written.

	for _, xr := range c.xrs {
		_ = bar.Add(1) // As above.

		o := object.FromStruct(xr)
		if kind != object.Kind(o) || apiVersion != object.APIVersion(o) {
			continue
		}

		d, err := c.difference(ctx, xr, oldSteps, newSteps)
		if err != nil {
			return 0, 0, errors.Wrap(err, words.Name(object.Title(o)))
		}

		compared++
		_ = bar.Clear() // As above.

		differs += c.sayDifference(say, words.Name(object.Title(o)), d)
	}

	if compared == 0 && len(c.xrs) > 0 {
		_, _ = fmt.Fprintf(say, "  not compared: no --xr is of kind %s in %s; a claim names its composite resource in spec.resourceRef\n", kind, apiVersion)
	}

	return compared, differs, nil
}

// pipelineOf returns the steps of a Composition in the text: the first one if at is 0.
func pipelineOf(text string, at int) ([]*structpb.Struct, error) {
	objects, err := (&manifest.Reader{Stdin: strings.NewReader(text)}).Objects(manifest.Stdin)
	if err != nil {
		return nil, err
	}

	compositions := slices.DeleteFunc(objects, func(o *structpb.Struct) bool {
		return !isComposition(object.APIVersion(object.FromStruct(o)), object.Kind(object.FromStruct(o)))
	})

	steps := compositions[at].GetFields()["spec"].GetStructValue().GetFields()["pipeline"].GetListValue().GetValues()

	return words.Map(steps, (*structpb.Value).GetStructValue), nil
}

// A difference of a resource in a tag. If the key is *, the difference is in something else.
type difference struct{ resource, key, before, after string }

// accepts reports whether --accept names the difference.
func (c *Command) accepts(d difference) bool {
	return slices.ContainsFunc(c.Accept, func(a string) bool {
		resource, key, _ := strings.Cut(a, "/")
		return (resource == d.resource || resource == "*") && (key == d.key || key == "*")
	})
}

// sayDifference says the differences for a composite resource, and returns the number of those that nobody has accepted.
func (c *cluster) sayDifference(out io.Writer, xr string, all []difference) (n int) {
	if len(all) == 0 {
		_, _ = fmt.Fprintf(out, "  %s: the same tags\n", xr)
	}

	for _, d := range all {
		note := " (accepted)"
		if !c.accepts(d) {
			note = ""
			n++
		}

		_, _ = fmt.Fprintf(out, "  %s: resource %s: %s was %s, is %s%s\n", xr, words.Name(d.resource), words.Name(d.key), d.before, d.after, note)
	}

	return n
}

// difference renders the composite resource with the old and the new steps, and returns the differences.
func (c *cluster) difference(ctx context.Context, xr *structpb.Struct, before, after []*structpb.Struct) (out []difference, _ error) {
	old, err := c.render(ctx, xr, before)
	if err != nil {
		return nil, errors.Wrap(err, "the old pipeline")
	}

	now, err := c.render(ctx, xr, after)
	if err != nil {
		return nil, errors.Wrap(err, "the new pipeline")
	}

	for _, name := range keysOf(old, now) {
		d, err := c.differ(name, old[name], now[name])
		if err != nil {
			return nil, err
		}

		out = append(out, d...)
	}

	return out, nil
}

// keysOf returns the keys of both maps, in order.
func keysOf[V any](a, b map[string]V) []string {
	both := maps.Clone(a)
	maps.Copy(both, b)

	return slices.Sorted(maps.Keys(both))
}

// whyLost returns the reason why the resource lacks the tag, such as `: label env: value-too-long …`. It is empty if no label has the
// key.
func (c *cluster) whyLost(resource, key string) string {
	for _, r := range c.rendered {
		for i := range r.Labels {
			if l := &r.Labels[i]; r.Resource == resource && l.TagKey == key {
				return ": " + l.String()
			}
		}
	}

	return ""
}

// differ returns the differences of a resource before and after. Nil is no resource.
func (c *cluster) differ(name string, before, after *fnv1.Resource) (out []difference, _ error) {
	if before == nil || after == nil {
		says := map[bool]string{true: "desired", false: "not desired"}
		return []difference{{resource: name, key: "*", before: says[before != nil], after: says[after != nil]}}, nil
	}

	oldTags, oldRest, oldErr := tagsOf(name, before)
	newTags, newRest, newErr := tagsOf(name, after)

	if err := cmp.Or(oldErr, newErr); err != nil {
		return nil, err
	}

	for _, key := range keysOf(oldTags, newTags) {
		if oldTags[key] == newTags[key] {
			continue
		}

		d := difference{resource: name, key: key, before: cmp.Or(oldTags[key], "absent"), after: newTags[key]}
		if d.after == "" {
			d.after = "absent" + c.whyLost(name, key)
		}

		out = append(out, d)
	}

	if !proto.Equal(oldRest, newRest) {
		out = append(out, difference{resource: name, key: "*", before: "something beside its tags", after: "something else"})
	}

	return out, nil
}

// tagsOf returns the tags of a resource with their quoted values, and the rest of the resource. A tag in spec.initProvider counts where none
// in spec.forProvider does.
func tagsOf(name string, r *fnv1.Resource) (map[string]string, *structpb.Struct, error) {
	t, located := locateTags(name, object.Of(r))
	tags := make(map[string]string)

	if !located {
		return tags, object.Of(r).Struct(), nil
	}

	set, err := t.EffectiveTags(&tagset.Keys{FieldKind: tagset.FieldKindOf(t.Field, t.Profile)})
	if err != nil {
		return nil, nil, errors.Wrapf(err, "resource %s", name)
	}

	for e := range set.All() {
		tags[e.Key] = strconv.Quote(tagset.TextOf(e.Value))
	}

	rest := object.Of(r)

	// The new annotation means the same as the old one, so neither is a difference.
	for _, path := range []object.Path{t.Field.Path, ignoredHere, ignoredThere} {
		if rest, err = object.Set(rest, path, object.Node{}); err != nil {
			return nil, nil, err
		}
	}

	if !t.Initial.IsZero() {
		if rest, err = write.Initial(rest, t.Initial, object.Node{}); err != nil {
			return nil, nil, err
		}
	}

	return tags, rest.Struct(), nil
}

// locateTags returns the resource with its tag field by the built-in index. It returns false if the index knows no such field.
func locateTags(name string, o object.Object) (*locate.Target, bool) {
	index := func(fields.Schemas) fields.Locator { return fields.Chain{fields.BuiltIn(), fields.ByProfile{}} }
	targets := (&locate.Finder{Input: &v1beta1.CloudTags{}, NewLocator: index}).NewTargets()
	t := targets.Read(name, o)

	return t, targets.Locate(t)
}

// render returns the composed resources that the steps desire for the composite resource.
func (c *cluster) render(ctx context.Context, xr *structpb.Struct, steps []*structpb.Struct) (map[string]*fnv1.Resource, error) {
	req := manifest.Request(xr, c.pipelineContext)
	req.Observed.Resources = c.observed
	req.Desired = &fnv1.State{}
	c.rendered = nil

	for _, s := range steps {
		name := s.GetFields()["step"].GetStringValue()
		req.Input = s.GetFields()["input"].GetStructValue()

		rsp, err := c.call(ctx, s, req)
		if err != nil {
			return nil, errors.Wrapf(err, "step %s", words.Name(name))
		}

		req.Desired, req.Context = rsp.GetDesired(), rsp.GetContext()
	}

	return req.GetDesired().GetResources(), nil
}

// call calls the function of the step. A fatal result is an error.
func (c *cluster) call(ctx context.Context, s *structpb.Struct, req *fnv1.RunFunctionRequest) (*fnv1.RunFunctionResponse, error) {
	f, err := c.function(s)
	if err != nil {
		return nil, err
	}

	last := command.Function(func(ctx context.Context, next *fnv1.RunFunctionRequest) (*fnv1.RunFunctionResponse, error) {
		req = next
		return f(ctx, req)
	})

	rsp, err := last.Fetching(require.In(c.required))(ctx, proto.CloneOf(req))
	if err == nil {
		err = command.Fatal(rsp)
	}

	if err != nil || !runsThisFunction(s) {
		return rsp, err
	}

	resources, err := explain.Resources(ctx, c.Function, req, rsp)
	c.rendered = append(c.rendered, resources...)

	return rsp, err
}

// runsThisFunction reports whether the step has an input of this function.
func runsThisFunction(s *structpb.Struct) bool {
	in := object.FromStruct(s.GetFields()["input"].GetStructValue())
	return object.APIVersion(in) == v1beta1.APIVersion && object.Kind(in) == v1beta1.Kind
}

// function returns the function that the step calls: this one, or a function that listens somewhere.
func (c *cluster) function(s *structpb.Struct) (command.Function, error) {
	if runsThisFunction(s) {
		return c.Function.On, nil
	}

	if s.GetFields()["requirements"] != nil || s.GetFields()["credentials"] != nil {
		return nil, errors.New("steps with requirements or credentials aren't rendered here: compare the output of crossplane composition render")
	}

	name := s.GetFields()["functionRef"].GetStructValue().GetFields()["name"].GetStringValue()

	to, ok := c.targets[name]
	if !ok {
		return nil, errors.Errorf("it calls %s: start that with --insecure, and say where it listens in the file of --functions, with the annotations %s: %s and %s",
			words.Name(name), remote.AnnotationRuntime, remote.RuntimeListens, remote.AnnotationTarget)
	}

	return func(ctx context.Context, req *fnv1.RunFunctionRequest) (*fnv1.RunFunctionResponse, error) {
		f, err := remote.Connect(to)
		if err != nil {
			return nil, err
		}
		defer f.Close()

		if !f.Listens(ctx) {
			return nil, errors.Errorf("it calls %s, which doesn't listen at %s: start it there with --insecure", words.Name(name), to)
		}

		return f.RunFunction(ctx, req)
	}, nil
}
