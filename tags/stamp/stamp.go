// Package stamp writes tags to the tag fields of desired composed resources.
package stamp

import (
	"context"

	"github.com/crossplane/function-sdk-go/errors"
	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"

	"github.com/plexsphere/function-cloud-tags/input/v1beta1"
	"github.com/plexsphere/function-cloud-tags/tags"
	"github.com/plexsphere/function-cloud-tags/tags/field"
	"github.com/plexsphere/function-cloud-tags/tags/locate"
	"github.com/plexsphere/function-cloud-tags/tags/object"
	"github.com/plexsphere/function-cloud-tags/tags/require"
	"github.com/plexsphere/function-cloud-tags/tags/resolve"
)

// A Stamper stamps desired composed resources. The Input of its Finder also says how many tag slots of a resource are
// reserved.
type Stamper struct {
	locate.Finder

	// Transformer of the labels to stamp. PerResource has the labels of each resource if they differ, or is nil.
	Transformer *tags.Transformer
	PerResource *resolve.PerResource

	// Remove are the tags to remove, and Ignore the tags of other systems.
	Remove, Ignore []resolve.TagKey

	// Rendered says that a run of this step has made the desired resources, so that none of their tags conflicts with a label.
	Rendered bool

	// Audits says that results have the changes of tags.
	Audits bool

	// Earlier are the tags with reserved keys that earlier steps of this function had from trusted sources: by resource, key
	// to value.
	Earlier map[string]map[string]string

	// targets are the targets that Targets has found. shared has the labels of each group of resources, and composed has the
	// resources that labels are resolved for.
	targets  *locate.Targets
	shared   map[resolve.LabelGroup]*resourceLabels
	composed map[*locate.Target]*resolve.Composed

	// inItems is how many bytes labels count in items of lists so far. added is how many bytes labels add to these items, and
	// to composite resources.
	inItems, added int
}

// New returns a Stamper of the resources of req with the labels of set.
func New(in *v1beta1.CloudTags, set *resolve.LabelSet, req *fnv1.RunFunctionRequest, required *require.Requirements) *Stamper {
	xr := object.Of(req.GetObserved().GetComposite())

	s := &Stamper{
		Finder: locate.Finder{
			Input:          in,
			Provider:       set.Provider,
			CompositeGroup: object.GVK(xr).Group,
			Fields:         func(schemas field.Schemas) field.Locator { return field.ForInput(in, schemas) },
			Schemas:        Schemas(required),
			Observed:       req.GetObserved().GetResources(),
			Owner:          locate.ComposedOwner(xr),
		},
		Transformer: set.Transformer(in),
		PerResource: set.PerResource,
		Remove:      set.Remove,
		Ignore:      set.Ignore,
	}
	s.Sets = s.sets()

	return s
}

// Schemas returns the schemas of kinds that Crossplane has fetched.
func Schemas(required *require.Requirements) field.Schemas {
	return field.Schemas{Of: required.Schema, Given: required.Bootstrapped}
}

// Targets returns the desired resources as targets, each with its tag field. It returns the error of ctx once ctx has one.
func (s *Stamper) Targets(ctx context.Context, desired map[string]*fnv1.Resource) (_ *locate.Targets, err error) {
	in := s.Input
	manages := s.asksForTags() || len(in.Sources)+len(in.RemoveTags)+len(in.IgnoreTags)+len(in.ReservedKeys) > 0 || in.TagPolicy != nil

	s.targets, err = s.Find(ctx, desired, manages)

	return s.targets, err
}

// Stamp decides on the tags of the targets, and changes none of them. The Outcome has e.g. the Bucket with
// plexsphere:env: prod in Changed, and a Result that says so. An error means that nothing may be written: it is the
// error of ctx, a ResolveError, a LimitError, or a conflict with a tag. See testdata/cases/stamp.yaml.
func (s *Stamper) Stamp(ctx context.Context, targets *locate.Targets) (*Outcome, error) {
	out := newOutcomes(s, len(targets.All))
	s.inItems, s.added = 0, 0

	for _, t := range targets.All {
		if err := ctx.Err(); err != nil {
			return nil, err
		}

		if t.HasCopies {
			out.Changed[t.Name] = t.Resource
		}

		switch {
		case !t.Managed:
			s.addUnselected(out, targets, t)
		case !t.HasField():
			out.addResult(s.leftAlone(t))
		default:
			p, err := s.planAll(t, out.addPlan)
			if err != nil {
				return nil, err
			}

			if t.ByCloudTags && t.IsGhost() {
				p.Notes = append(p.Notes, Note{Kind: NoteStaysSelected})
			}

			out.add(p)
		}

		if s.added > maxAdded {
			return nil, tooMuch("labels that are handed on (tagFields, shape Labels)", "hand them on to fewer resources")
		}
	}

	return out.outcome()
}

// planAll plans the tags of t, and then the tags of the resources that it launches. It calls each with all plans, the
// plan of the whole resource first, and returns this plan: by then it has the notes of the others. An Instance has
// plans for tags and volumeTags.
func (s *Stamper) planAll(t *locate.Target, each func(whole, p *plan)) (*plan, error) {
	labels, err := s.labelsOf(t)
	if err != nil {
		return nil, err
	}

	p, err := s.plan(t, labels.in(t))
	if err == nil {
		each(p, p)
		err = s.launch(p, labels, each)
	}

	return p, errors.Wrapf(err, "cannot %s composed resource %q", doing[t.Profile.HandsOn], t.Name)
}

// doing says in messages what stamping is, for resources that labels are handed on to, and for others.
var doing = map[bool]string{true: "hand labels on to", false: "tag"}

// asksForTags reports whether there is anything to do about the tags of resources in this run.
func (s *Stamper) asksForTags() bool {
	return !s.Transformer.Empty() || s.PerResource != nil || len(s.Remove)+len(s.Ignore) > 0
}
