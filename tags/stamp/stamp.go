// Package stamp writes tags to the tag fields of desired composed resources.
package stamp

import (
	"context"
	"maps"

	"github.com/crossplane/function-sdk-go/errors"
	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"

	"github.com/plexsphere/function-cloud-tags/tags"
	"github.com/plexsphere/function-cloud-tags/tags/field"
	"github.com/plexsphere/function-cloud-tags/tags/object"
	"github.com/plexsphere/function-cloud-tags/tags/resolve"
	"github.com/plexsphere/function-cloud-tags/tags/target"
)

// A Stamper stamps desired composed resources. The Input of its Finder also says what becomes of tags
// that are there, and how many tag slots of a resource are reserved.
type Stamper struct {
	target.Finder

	// Transformer of the labels to stamp. PerResource has those of resources of which not
	// all are the same, or is nil.
	Transformer *tags.Transformer
	PerResource *resolve.PerResource

	// Remove and Ignore are the tags to remove, and those of other systems.
	Remove, Ignore []resolve.TagKey

	// Audits says whether to tell what changes in tags.
	Audits bool

	// Earlier are the tags with reserved keys that earlier steps of this function have
	// of trusted sources: by resource, key to value.
	Earlier map[string]map[string]string

	// shared are the labels of all resources, if they are the same, and composed what the labels of
	// single ones depend on, if not.
	shared   *resourceLabels
	composed map[*target.Target]*resolve.Composed
}

// An Outcome is what came of stamping resources.
type Outcome struct {
	// Results of all resources whose tags are managed, by name.
	Results []Result

	// Skips of labels, by provider, reason and qualified key.
	Skips []Skip

	// CloudRefuses are labels that are tags by the contract's rules, and that the cloud's own
	// API refuses: with the rule of the API that they break as the reason and limit, sorted as
	// Skips are.
	CloudRefuses []Skip

	// Changed resources, by name: what they become, with the metadata that was copied to them.
	Changed map[string]object.Object

	// Finals are what tag fields have in the end, by name of the resource, if the input wants
	// them in the status. Those without tags are not among them.
	Finals []Final

	// Changes of tags, by name of the resource, if the Stamper audits.
	Changes []Change
}

// Apply what resources of the supplied state, by name, have become. It returns a copy of the
// state, which shares all that hasn't changed.
func Apply(desired *fnv1.State, changed map[string]object.Object) *fnv1.State {
	if len(changed) == 0 {
		return desired
	}

	desired = object.Copy(desired)
	desired.Resources = maps.Clone(desired.GetResources())

	for name, o := range changed {
		desired.Resources[name] = o.On(desired.GetResources()[name])
	}

	return desired
}

// A Result is what comes of stamping one resource. All lists in it are sorted.
type Result struct {
	// Resource is the name of the composed resource.
	Resource   string
	APIVersion string
	Kind       string

	// Provider is the name of the tag profile.
	Provider string

	// Unprofiled is why that is the generic one, if there are labels for the resource and it has
	// a tag field.
	Unprofiled target.Unprofiled `json:"unprofiled,omitzero"`

	// LeftAlone is why the resource was not looked at further, or empty if it was.
	LeftAlone string

	// NoField is true if the kind is known to have no tag field, and Unknown if the
	// resource is managed, but nobody knows whether its kind has one.
	NoField, Unknown bool

	// Composite is true if the resource is a composite resource without a tag field, as far as
	// what is observed tells: its own Composition tags what it composes.
	Composite bool

	// Mismatch is why the tag field was left alone, or empty if it wasn't: it has another
	// shape than we know it to have.
	Mismatch string

	// Stamped is what the resource becomes, or none if it doesn't change. It shares with
	// the resource what did not change.
	Stamped object.Object

	// Active are the tags that labels have become, by key, whether they were stamped or
	// were there.
	Active map[string]string

	Withheld Withheld

	// Notes are what else there is to say about the resource's tags, in any order.
	Notes []Note

	// Trusted are the tags with reserved keys that labels of trusted sources have become,
	// by key.
	Trusted map[string]string
}

// HasNews is true if there is anything to say about the resource, beside what labels are skipped.
func (r *Result) HasNews() bool {
	w := &r.Withheld

	return r.LeftAlone != "" || r.Mismatch != "" || len(r.Notes)+len(w.Retained)+len(w.Ignored)+len(w.Removed)+len(w.Protected)+len(w.Unkept) > 0
}

// Withheld are labels that did not become tags of a resource, though its provider
// admits them, and what else was left as it is. All are tag keys.
type Withheld struct {
	// Retained tags have the value that an earlier step set.
	Retained []string

	// Ignored tags have the value that the cloud has, and Removed ones are not there,
	// because of ignoreTags and removeTags. The lists of resources can share memory.
	Ignored, Removed []string

	// Protected tags have reserved keys, or those of trusted sources, so that ignoreTags
	// and removeTags of fields did not touch them.
	Protected []string

	// Unkept tags of other systems are not there, because the resource has no tag slot
	// left that ignoreTags could give them.
	Unkept []string
}

// Targets are the desired resources, and where their tags go. It returns the error of ctx once that
// has one.
func (s *Stamper) Targets(ctx context.Context, desired map[string]*fnv1.Resource) (*target.Targets, error) {
	in := s.Input
	manages := s.asksForTags() || len(in.Sources)+len(in.RemoveTags)+len(in.IgnoreTags)+len(in.ReservedKeys) > 0 || in.TagPolicy != nil

	return s.Find(ctx, desired, manages)
}

// Require what the labels of the targets are in, whether they can have tags or not, and whether
// they have those that select them: that may not be known yet.
func (s *Stamper) Require(targets *target.Targets) {
	if s.PerResource == nil || !s.PerResource.HasAccounts() {
		return
	}

	for _, t := range targets.All {
		if t.Leave == target.None && target.MaySelect(s.Input.Resources, t) {
			s.PerResource.Require(s.composedOf(t))
		}
	}
}

// composedOf returns the composed resource that t is. Its labels can depend on its config only if
// sources take any from configs.
func (s *Stamper) composedOf(t *target.Target) *resolve.Composed {
	if c, ok := s.composed[t]; ok {
		return c
	}

	c := &resolve.Composed{Name: t.Name, Desired: t.Received, Observed: t.Observed}

	if s.PerResource.HasAccounts() {
		ref := t.Resource.Node().Field("spec").Field("providerConfigRef")
		config, _ := field.ConfigOf(t.Kind.GroupKind(), s.PerResource.NamespaceOf(t.Resource), ref.Field("kind").Text(), ref.Field("name").Text())
		c.Config = resolve.Config(config)
	}

	if s.composed == nil {
		s.composed = make(map[*target.Target]*resolve.Composed)
	}

	s.composed[t] = c

	return c
}

// A ResolveError says that the labels of a resource can't be known.
type ResolveError struct{ error }

// Unwrap returns the error that keeps the labels from being known.
func (e *ResolveError) Unwrap() error { return e.error }

// Stamp decides on the tags of the supplied targets, which are not changed. An error means
// that nothing may be written: it is that of ctx once that has one, a ResolveError, a LimitError,
// or a conflict with what is there.
func (s *Stamper) Stamp(ctx context.Context, targets *target.Targets) (*Outcome, error) {
	out := &Outcome{Results: make([]Result, 0, len(targets.All)), Changed: make(map[string]object.Object)}
	skipped, refused, over := newSkips(), newSkips(), newLimits(s.Input)

	for _, t := range targets.All {
		if err := ctx.Err(); err != nil {
			return nil, err
		}

		if t.HasCopies {
			out.Changed[t.Name] = t.Resource
		}

		if !t.Managed {
			s.recordLost(out, targets, t)
			continue
		}

		if t.Leave != target.None || t.Lacks != target.None {
			out.leave(s.leftAlone(t))
			continue
		}

		p, launched, err := s.planAll(t)
		if err != nil {
			return nil, err
		}

		s.record(out, p)
		skipped.add(p, launched)
		refused.addRefused(p, launched)
		over.add(p, launched)
	}

	if err := over.exceeded(); err != nil {
		return nil, err
	}

	refused.resources = skipped.resources
	out.Skips, out.CloudRefuses = skipped.sorted(), refused.sorted()

	return out, nil
}

// planAll plans what becomes of the tags of t, and of what it launches.
func (s *Stamper) planAll(t *target.Target) (p *plan, launched []*plan, err error) {
	l, err := s.labelsOf(t)
	if err != nil {
		return nil, nil, err
	}

	if p, err = s.plan(t, l); err == nil {
		launched, err = s.launch(p, l)
	}

	return p, launched, errors.Wrapf(err, "cannot tag composed resource %q", t.Name)
}

// leave the resource that r is of alone, as it is.
func (o *Outcome) leave(r Result) {
	o.Results = append(o.Results, r)

	if !r.Stamped.IsZero() {
		o.Changed[r.Resource] = r.Stamped
	}
}

// record in o what becomes of the resource that p is for.
func (s *Stamper) record(o *Outcome, p *plan) {
	o.Results = append(o.Results, p.Result)
	becomes := p.target.Resource

	if !p.Stamped.IsZero() {
		becomes = p.Stamped
		o.Changed[p.Resource] = becomes
	}

	if !s.Input.StatusFieldPath.IsZero() {
		if f := finalOf(p, becomes); len(f.Tags) > 0 {
			o.Finals = append(o.Finals, f)
		}
	}

	if !s.Audits {
		return
	}

	if c := change(p.target, becomes, p.Keys); !c.isEmpty() {
		o.Changes = append(o.Changes, c)
	}
}

// asksForTags is true if there is anything to do about the tags of resources in this run.
func (s *Stamper) asksForTags() bool {
	return !s.Transformer.Empty() || s.PerResource != nil || len(s.Remove)+len(s.Ignore) > 0
}
