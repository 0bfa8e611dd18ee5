package explain

import (
	"cmp"
	"context"
	"fmt"
	"maps"
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
	"github.com/plexsphere/function-cloud-tags/tags/resolve"
	"github.com/plexsphere/function-cloud-tags/tags/words"
)

// Categories of Crossplane's kinds.
const (
	categoryComposite = "composite"
	categoryClaim     = "claim"
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

// findComposite finds the composite resource: the object itself, or the composite resource of a claim or of a composed resource.
func (l *live) findComposite(ctx context.Context, kind, name string) error {
	k, o, err := l.named(ctx, kind, name)
	if err != nil {
		return err
	}

	l.asked = o
	ref := o.Node().Field("spec").Field("resourceRef")

	switch {
	case slices.Contains(k.Categories, categoryComposite):
		l.xr = o
		return nil
	case slices.Contains(k.Categories, categoryClaim):
		if ref.Field("name").Text() == "" {
			return errors.Errorf("%s has no composite resource yet%s", title(o), because(o))
		}
	default:
		l.resource = object.Annotations(o).Field(object.ResourceNameAnnotation).Text()
		ref = controllerOf(o)

		if l.resource == "" || !ref.IsThere() {
			return errors.Errorf("%s is no composite resource, no claim, and composed by none: no Composition says which tags it has", title(o))
		}
	}

	l.xr, err = l.referenced(ctx, ref, object.Namespace(o))

	return errors.Wrapf(err, "cannot read the composite resource of %s", title(o))
}

// maxAlike is the greatest number of kinds of one name that are looked at.
const maxAlike = 10

// named returns the object of the kind with the name. Kinds of several groups may have the name of the kind: then the one counts that has
// such an object.
func (l *live) named(ctx context.Context, kind, name string) (cluster.Kind, object.Object, error) {
	var namespace string

	asking := sync.WaitGroup{}
	asking.Go(func() { namespace = l.Namespace(ctx) }) // kubectl takes as long as the API server.

	kinds, err := l.Kinds(ctx)

	asking.Wait()

	if err != nil {
		return cluster.Kind{}, object.Object{}, err
	}

	alike := kinds.Named(kind)
	names := words.Map(alike, func(k cluster.Kind) string { return strings.TrimSuffix(k.Plural+"."+k.Group, ".") })

	switch {
	case len(alike) == 0:
		return cluster.Kind{}, object.Object{}, errors.Errorf("the cluster has no kind %s: kubectl api-resources lists what it has", words.Name(kind))
	case len(alike) > maxAlike:
		return cluster.Kind{}, object.Object{}, errors.Errorf("%s is the name of several kinds: name one of %s", words.Name(kind), words.Names(names))
	}

	var (
		found  []object.Object
		asked  cluster.Kind
		titles []string
		first  error
	)

	for i, k := range alike {
		o, err := l.Object(ctx, k.GroupVersionKind, namespace, name)

		switch {
		case err == nil:
			asked, found, titles = k, append(found, object.FromStruct(o)), append(titles, names[i]+"/"+name)
		case first == nil || cluster.IsMissing(first): // A right that is missing says more.
			first = err
		}
	}

	switch {
	case len(found) == 0:
		return asked, object.Object{}, first
	case len(found) > 1:
		return asked, object.Object{}, errors.Errorf("several kinds have an object %s: name one of %s", words.Name(name), words.Names(titles))
	default:
		return asked, found[0], nil
	}
}

// referenced returns the object that the reference names. A reference without a namespace is to the given one.
func (l *live) referenced(ctx context.Context, ref object.Node, namespace string) (object.Object, error) {
	gvk := schema.FromAPIVersionAndKind(ref.Field("apiVersion").Text(), ref.Field("kind").Text())
	if gvk == object.GVK(l.asked) && ref.Field("name").IsText(object.Name(l.asked)) {
		return l.asked, nil
	}

	o, err := l.Object(ctx, gvk, cmp.Or(ref.Field("namespace").Text(), namespace), ref.Field("name").Text())

	return object.FromStruct(o), err
}

// controllerOf returns the reference to the object's controller.
func controllerOf(o object.Object) object.Node {
	for owner := range o.Node().Field("metadata").Field("ownerReferences").Items() {
		if owner.Field("controller").Value().GetBoolValue() {
			return owner
		}
	}

	return object.Node{}
}

// machinery returns the fields that Crossplane reads of a composite resource: spec.crossplane in v2, and spec in v1.
func machinery(xr object.Object) object.Node {
	spec := xr.Node().Field("spec")
	if v2 := spec.Field("crossplane"); v2.IsObject() {
		return v2
	}

	return spec
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

// restrict leaves out of the answer what nobody asks for: other resources than the one that is asked about. It also leaves out wrong
// notes, such as a source without objects, although nobody may read them.
func (l *live) restrict(x *rendering) {
	unknown := l.unknownSources()
	isUnknown := func(text string) bool {
		return slices.ContainsFunc(unknown, func(source string) bool { return strings.HasPrefix(text, source) })
	}

	x.Notes = slices.DeleteFunc(x.Notes, isUnknown)
	x.Events = slices.DeleteFunc(x.Events, func(e Event) bool {
		// Crossplane has applied the end of the pipeline: the resources at the step aren't known.
		return e.Reason == report.ReasonNoResources || isUnknown(e.Message) || l.resource != "" && !isAboutSources(e)
	})

	if (len(unknown) > 0 || l.resource != "") && !x.fails {
		x.Condition = nil // It counts such sources as empty, or counts other resources.
	}

	if l.resource != "" {
		x.Resources = slices.DeleteFunc(x.Resources, func(r *Rendered) bool { return r.Resource != l.resource })
	}
}

// unknownSources returns the sources of kinds that nobody may read, such as sources[1].
func (l *live) unknownSources() (out []string) {
	in := l.step.Input

	for i := range in.Sources {
		if l.isUnknown(&in.Sources[i]) {
			out = append(out, in.Where("sources[%d]", i))
		}
	}

	return out
}

// isUnknown reports whether nobody may read the objects of the source.
func (l *live) isUnknown(s *v1beta1.Source) bool {
	if s.Type == v1beta1.SourceTypeProviderConfig {
		return slices.ContainsFunc(slices.Collect(maps.Keys(l.refused)), func(k v1beta1.ResourceKind) bool { return strings.HasSuffix(k.Kind, "ProviderConfig") })
	}

	return slices.ContainsFunc(resolve.KindsRead(s, l.step.Composite), func(k v1beta1.ResourceKind) bool { return l.refused[k] })
}

// makeOptional makes the sources of kinds that nobody may read optional, so that the function tells about all other sources.
func (l *live) makeOptional(input *structpb.Struct) {
	written := input.GetFields()["sources"].GetListValue().GetValues()
	inherited := len(l.step.Input.Sources) - len(written) // The sources of a standard come first, and aren't written here.

	for i, source := range written {
		if l.isUnknown(&l.step.Input.Sources[inherited+i]) {
			source.GetStructValue().Fields["policy"] = structpb.NewStructValue(&structpb.Struct{Fields: map[string]*structpb.Value{
				"fromFieldPath": structpb.NewStringValue(string(v1beta1.FromFieldPathPolicyOptional)),
			}})
		}
	}
}

// notes says what the answer can't tell.
func (l *live) notes() (out []string) {
	if len(l.absent) > 0 && l.resource == "" {
		out = append(out, "the cluster doesn't have these composed resources: "+words.Names(l.absent))
	}

	if len(l.secrets) > 0 && l.resource == "" {
		out = append(out, "Secrets are never read: "+words.Names(l.secrets))
	}

	for _, name := range slices.Sorted(maps.Keys(l.composed)) {
		if o := l.composed[name]; (l.resource == "" || l.resource == name) && machinery(o).Field("resourceRefs").IsThere() {
			out = append(out, fmt.Sprintf("%s is a composite resource with resources of its own: ask for %s/%s", words.Name(name), strings.ToLower(object.Kind(o)), object.Name(o)))
		}
	}

	return append(out, "not known from the cluster: the context of earlier steps, values that this step or a later one has replaced, resources that were never applied, and objects that other functions require")
}

// earlyByCondition says that the step received no resources when Crossplane ran the function, if the condition has it.
func (l *live) earlyByCondition() string {
	c := object.Condition(l.xr, report.ConditionType)
	if !c.Field("reason").IsText(report.ReasonNoResources) {
		return ""
	}

	return whenCrossplaneRan + said(report.ConditionType, c)
}

// whenCrossplaneRan begins causes that the condition in the cluster has.
const whenCrossplaneRan = "when Crossplane ran the function, "

// title returns the kind and the name of the object.
func title(o object.Object) string { return words.Name(object.Title(o)) }

// because returns why Crossplane or a provider has not applied the object, by its conditions: ": Synced is False, ReconcilePaused: …". It
// returns nothing if they don't say so.
func because(o object.Object) string {
	for _, typ := range []string{"Synced", "Responsive"} {
		c := object.Condition(o, typ)
		generation, observed := o.Node().Field("metadata").Field("generation").Value(), c.Field("observedGeneration").Value()

		switch {
		case c.Field("status").IsText("False"):
			return ": " + said(typ, c)
		case observed != nil && observed.GetNumberValue() < generation.GetNumberValue():
			return ": it has changed since " + typ + " was True"
		}
	}

	return ""
}

// said returns what the condition says, such as Synced is False, ReconcilePaused: the reconciliation is paused.
func said(typ string, c object.Node) string {
	out := typ + " is " + words.Name(c.Field("status").Text()) + ", " + words.Name(c.Field("reason").Text())
	if message := report.WithoutDigests(c.Field("message").Text()); message != "" {
		out += ": " + words.Show(message, words.MaxText)
	}

	return out
}
