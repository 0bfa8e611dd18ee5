package explain

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"sync"

	"google.golang.org/protobuf/types/known/structpb"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/crossplane/function-sdk-go/errors"
	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"

	"github.com/plexsphere/function-cloud-tags/input/v1beta1"
	"github.com/plexsphere/function-cloud-tags/tags/command"
	"github.com/plexsphere/function-cloud-tags/tags/command/cluster"
	"github.com/plexsphere/function-cloud-tags/tags/locate"
	"github.com/plexsphere/function-cloud-tags/tags/manifest"
	"github.com/plexsphere/function-cloud-tags/tags/object"
	"github.com/plexsphere/function-cloud-tags/tags/report"
	"github.com/plexsphere/function-cloud-tags/tags/require"
	"github.com/plexsphere/function-cloud-tags/tags/words"
)

// A live composite resource is one in a cluster, with what the function needs to know of it.
type live struct {
	*cluster.Cluster

	xr object.Object

	// asked is the object that is asked about. If it is a composed resource, resource is its name in the pipeline.
	asked    object.Object
	resource string

	// step that makes the tags.
	step *manifest.Step

	// composed has the composed resources by their names in the pipeline.
	composed map[string]object.Object

	// given are objects in files, which count before the cluster's objects.
	given []*structpb.Struct

	// found has the objects that were required, by their selector. refused has the kinds that nobody may read.
	found   map[string][]*structpb.Struct
	refused map[v1beta1.ResourceKind]bool

	// unread says what could not be read, and why. absent has the composed resources that the cluster doesn't have, and secrets those that
	// nobody reads.
	unread, absent, secrets []string
}

// asked explains an object of the cluster.
func (c *Command) asked(ctx context.Context, r *manifest.Reader) (out answer, err error) {
	err = c.Kubectl.Open(ctx, func(ctx context.Context, from *cluster.Cluster) error {
		l := &live{Cluster: from, found: make(map[string][]*structpb.Struct), refused: make(map[v1beta1.ResourceKind]bool)}
		if l.given, err = r.Required(c.RequiredResources...); err != nil {
			return err
		}

		if err := l.findComposite(ctx, c.Type, c.Name); err != nil {
			return err
		}

		if err := l.readStep(ctx, c.Step); err != nil {
			return err
		}

		l.readComposed(ctx)

		out, err = c.explainLive(ctx, r, l)

		return err
	})

	return out, err
}

// readStep reads the step in the revision of the Composition. If nobody may read that, it reads the Composition.
func (l *live) readStep(ctx context.Context, name string) error {
	var (
		composition *structpb.Struct
		from        string
	)

	for _, ref := range []struct{ field, kind string }{{"compositionRevisionRef", "CompositionRevision"}, {"compositionRef", "Composition"}} {
		called := machinery(l.xr).Field(ref.field).Field("name").Text()
		if called == "" || composition != nil {
			continue
		}

		gvk := schema.GroupVersionKind{Group: "apiextensions.crossplane.io", Version: "v1", Kind: ref.kind}

		o, err := l.Object(ctx, gvk, "", called)
		if err != nil {
			l.unread = append(l.unread, err.Error())
			continue
		}

		composition, from = o, object.Title(object.FromStruct(o))
		composition.Fields["kind"] = structpb.NewStringValue("Composition") // A revision has the same spec.
	}

	if composition == nil {
		return errors.Errorf("%s has no Composition that can be read%s%s", title(l.xr), strings.Join(words.Map(l.unread, func(why string) string { return ": " + why }), ""), because(l.xr))
	}

	step, err := manifest.StepOf(ctx, []*structpb.Struct{composition}, name, l.source())
	if err != nil {
		return errors.Wrapf(err, "%s, by %s", title(l.xr), words.Name(from))
	}

	l.step = step

	// Crossplane reads composite resources in the version that the Composition is for.
	if version := step.Composite.APIVersion; version != object.APIVersion(l.xr) {
		gvk := schema.FromAPIVersionAndKind(version, step.Composite.Kind)

		xr, err := l.Object(ctx, gvk, object.Namespace(l.xr), object.Name(l.xr))
		if err != nil {
			return err
		}

		l.xr = object.FromStruct(xr)
	}

	return nil
}

// maxReads is the greatest number of objects that are read at the same time.
const maxReads = 10

// readComposed reads the composed resources that the composite resource names. Resources that can't be read are noted.
func (l *live) readComposed(ctx context.Context) {
	refs := slices.Collect(machinery(l.xr).Field("resourceRefs").Items())
	found, errs := make([]object.Object, len(refs)), make([]error, len(refs))

	var reads sync.WaitGroup

	free := make(chan struct{}, maxReads)

	for i, ref := range refs {
		free <- struct{}{}

		reads.Go(func() {
			found[i], errs[i] = l.referenced(ctx, ref, object.Namespace(l.xr))

			<-free
		})
	}

	reads.Wait()

	l.composed = make(map[string]object.Object, len(refs))

	for i, ref := range refs {
		called := words.Name(ref.Field("kind").Text()) + " " + words.Name(ref.Field("name").Text())

		switch {
		case ref.Field("kind").IsText("Secret") && ref.Field("apiVersion").IsText("v1"):
			l.secrets = append(l.secrets, called)
		case cluster.IsMissing(errs[i]):
			l.absent = append(l.absent, called)
		case errs[i] != nil:
			l.unread = append(l.unread, called+": "+errs[i].Error())
		default:
			l.composed[object.Annotations(found[i]).Field(object.ResourceNameAnnotation).Text()] = found[i]
		}
	}

	delete(l.composed, "") // Somebody else has such an object.
}

// source returns what the function may require: objects in files, and what the cluster has. An object that nobody may read is noted, and counts as
// not there.
func (l *live) source() require.Source {
	find := func(ctx context.Context, s *fnv1.ResourceSelector) ([]*structpb.Struct, error) {
		given, _ := require.In(l.given).Find(ctx, s) // Objects in memory can be found.
		key := s.String()

		if found, known := l.found[key]; known || len(given) > 0 {
			return slices.Concat(given, found), nil
		}

		found, err := l.Find(ctx, s)
		if cluster.IsRefused(err) {
			l.refused[v1beta1.ResourceKind{APIVersion: s.GetApiVersion(), Kind: s.GetKind()}] = true
			l.unread = append(l.unread, selected(s)+": "+err.Error())
			err = nil
		}

		l.found[key] = found

		return found, err
	}

	return require.Source{Find: find, Schema: func(ctx context.Context, gvk schema.GroupVersionKind) (*structpb.Struct, error) {
		known, err := l.Schema(ctx, gvk)
		if cluster.IsRefused(err) {
			err = nil // A note says which schemas aren't known.
		}

		return known, err
	}}
}

// selected returns what the selector selects in a few words.
func selected(s *fnv1.ResourceSelector) string {
	out := words.Name(s.GetKind()) + " " + words.Name(s.GetMatchName())
	if s.GetMatchName() == "" {
		out = words.Name(s.GetKind()) + " by labels"
	}

	if ns := s.GetNamespace(); ns != "" {
		out += " in " + words.Name(ns)
	}

	return out
}

// request returns the request that Crossplane would make at the end of the pipeline: what it has applied is desired.
func (l *live) request(values *structpb.Struct) *fnv1.RunFunctionRequest {
	req := report.Untold(manifest.Request(l.xr.Struct(), values))
	req.Meta.Capabilities = append(req.GetMeta().GetCapabilities(), fnv1.Capability_CAPABILITY_REQUIRED_SCHEMAS)
	req.Input = l.step.Written
	req.Observed.Resources = make(map[string]*fnv1.Resource, len(l.composed))
	req.Desired = &fnv1.State{Resources: make(map[string]*fnv1.Resource, len(l.composed))}

	for name, o := range l.composed {
		req.Observed.Resources[name] = &fnv1.Resource{Resource: o.Struct()}
		req.Desired.Resources[name] = &fnv1.Resource{Resource: locate.Applied(o, l.xr)}
	}

	return req
}

// explainLive runs the function for the composite resource.
func (c *Command) explainLive(ctx context.Context, r *manifest.Reader, l *live) (answer, error) {
	values, err := r.Context(c.PipelineContext)
	if err != nil {
		return nil, err
	}

	req := l.request(values)
	c.replaceRules(req)

	run := &trace{function: c.Function, early: cmp.Or(earlyByOrder(l.step), l.earlyByCondition())}
	call := func() error { return run.follow(ctx, command.Function(run.call).Fetching(l.source()), req) }

	failure := call()
	if failure != nil && len(l.refused) > 0 {
		l.makeOptional(req.GetInput())
		failure = call()
	}

	if err := ctx.Err(); err != nil || run.rsp == nil {
		return nil, cmp.Or(err, failure)
	}

	out := &rendering{RecordedRun: runOf(run.rsp), isRecorded: true, fails: failure != nil}
	if failure == nil { // Otherwise, the function fails before it looks at resources.
		run.notes = slices.Concat(settings(l.step.Input), run.notes, c.contextNotes(l.step.Input))
		out.add(run)
	}

	l.restrict(out)

	out.Causes = out.causes(l)
	out.Notes = append(out.Notes, l.notes()...)

	return out, nil
}
