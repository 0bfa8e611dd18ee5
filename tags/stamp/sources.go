package stamp

import (
	"slices"
	"sync"

	"github.com/plexsphere/function-cloud-tags/input/v1beta1"
	"github.com/plexsphere/function-cloud-tags/tags"
	"github.com/plexsphere/function-cloud-tags/tags/field"
	"github.com/plexsphere/function-cloud-tags/tags/locate"
	"github.com/plexsphere/function-cloud-tags/tags/profile"
	"github.com/plexsphere/function-cloud-tags/tags/resolve"
	"github.com/plexsphere/function-cloud-tags/tags/tagset"
)

// A ResolveError says why the labels of a resource can't be known.
type ResolveError struct{ error }

// Unwrap returns the error that keeps the labels from being known.
func (e *ResolveError) Unwrap() error { return e.error }

// resourceLabels has the labels of one resource, of a group of resources, or of all resources.
type resourceLabels struct {
	*tags.Transformer

	stamper *Stamper

	// byFieldKind has the labels as tags for each kind of tag field.
	byFieldKind map[tagset.FieldKind]*Labels
}

// maxGroups is the number of groups of resources whose labels are kept. Each group can have a thousand labels.
const maxGroups = 16

// resourceLabelsOf returns the labels of t. It shares them with other resources if it can:
//   - with all resources, if labels don't depend on the resource
//   - with its group. If a source selects Buckets only, all Buckets are a group.
//   - with none, if a label of t has an expression, such as desired.spec.region. These labels are not kept.
func (s *Stamper) resourceLabelsOf(t *locate.Target) (*resourceLabels, error) {
	group, isShared, transformer := resolve.LabelGroup{}, true, s.Transformer
	if s.PerResource != nil {
		group, isShared = s.PerResource.Group(s.composedOf(t))
	}

	if out := s.labelsByGroup[group]; isShared && out != nil {
		return out, nil
	}

	if s.PerResource != nil {
		set, err := s.PerResource.LabelSetOf(s.composedOf(t))
		if err != nil {
			return nil, &ResolveError{err}
		}

		transformer = set.Transformer(s.Input)
	}

	out := s.newResourceLabels(transformer)
	if !isShared {
		return out, nil
	}

	if s.labelsByGroup == nil || len(s.labelsByGroup) == maxGroups {
		s.labelsByGroup = make(map[resolve.LabelGroup]*resourceLabels)
	}

	s.labelsByGroup[group] = out

	return out, nil
}

// maySetKey returns a function that reports whether this step may set a tag with the key on t. Such a key begins with keyPrefix, or a
// label of any resource or of the provider config of t has it. The function doesn't evaluate matchCloudTags, which calls it.
func (s *Stamper) maySetKey() func(t *locate.Target, key string) bool {
	common := s.newResourceLabels(s.Transformer)
	labelsPerResource := sync.OnceValue(func() (out []tags.Label) {
		for _, d := range s.PerResource.Differences() {
			out = append(out, d.Labels...)
		}

		return out
	})

	return func(t *locate.Target, key string) bool {
		l := common.labelsFor(t)
		if l.belongsToFunction(&tagset.Entry{ID: l.ID(key), Key: key}) {
			return true
		}

		hasKey := func(label tags.Label) bool {
			tag, _ := l.transformed.Judge(label)
			return l.ID(tag.Key) == l.ID(key)
		}

		return slices.ContainsFunc(labelsPerResource(), hasKey) || slices.ContainsFunc(s.PerResource.ConfigLabels(s.perhapsSelected(t)), hasKey)
	}
}

// knownResourceLabelsOf returns the labels of t for a resource that is left alone, which may not make the run fail. If the
// labels of t can't be known, it returns the labels of all resources.
func (s *Stamper) knownResourceLabelsOf(t *locate.Target) *resourceLabels {
	l, err := s.resourceLabelsOf(t)
	if err != nil {
		return s.newResourceLabels(s.Transformer)
	}

	return l
}

// newResourceLabels returns the labels of the transformer t, not yet as tags for any kind of tag field.
func (s *Stamper) newResourceLabels(t *tags.Transformer) *resourceLabels {
	return &resourceLabels{Transformer: t, stamper: s, byFieldKind: make(map[tagset.FieldKind]*Labels)}
}

// labelsFor returns the labels as tags for the tag field of t. Targets with the same field kind share the result.
func (l *resourceLabels) labelsFor(t *locate.Target) *Labels {
	return l.labelsForField(t.Field, t.Profile)
}

// labelsForField returns the labels as tags for the field f, with the tag profile p. All aws tag fields of shape Map share one
// result. For example, it has the tag plexsphere:env.
func (l *resourceLabels) labelsForField(f *field.Field, p *profile.Profile) *Labels {
	k := tagset.FieldKindOf(f, p)

	out, ok := l.byFieldKind[k]
	if !ok {
		out = newLabels(k, l.Transform(k.Profile))
		if !k.Profile.PassesLabelsOn {
			out = out.withMatchers(l.stamper.RemoveTags, l.stamper.IgnoreTags)
		}

		l.byFieldKind[k] = out
	}

	return out
}

// RequireConfigs asks Crossplane for the ProviderConfigs that labels of the targets may come from, such as the default one of
// a Bucket. It also asks for targets that may turn out to have no tags: schemas, and tags that selectors read, may not be known
// yet.
func (s *Stamper) RequireConfigs(targets *locate.Targets) {
	if !s.PerResource.ReadsConfigs() {
		return
	}

	for _, t := range targets.All {
		if t.LeaveReason != locate.None || !locate.MaySelect(s.Input.Resources, t) {
			continue
		}

		s.PerResource.RequireConfig(s.perhapsSelected(t))
	}
}

// perhapsSelected returns t in the form that package resolve reads. An entry selects it whatever tags the entry asks for.
func (s *Stamper) perhapsSelected(t *locate.Target) *resolve.ComposedResource {
	c := *s.composedOf(t)
	c.Selects = func(entries []v1beta1.ResourceSelector) bool { return locate.MaySelect(entries, t) }

	return &c
}

// composedOf returns t in the form that package resolve reads. It names the ProviderConfig, such as default of
// aws.m.upbound.io, only if sources take labels from ProviderConfigs.
func (s *Stamper) composedOf(t *locate.Target) *resolve.ComposedResource {
	if c, ok := s.composedByTarget[t]; ok {
		return c
	}

	c := &resolve.ComposedResource{
		Name: t.Name, Desired: t.Received, Observed: t.Observed,
		Selects: func(entries []v1beta1.ResourceSelector) bool { return s.targets.Selects(entries, t) },
	}

	if s.PerResource.ReadsConfigs() {
		ref := t.Resource.Node().Field("spec").Field("providerConfigRef")
		config, _ := field.ConfigOf(t.Kind.GroupKind(), s.PerResource.NamespaceOf(t.Resource), ref.Field("kind").Text(), ref.Field("name").Text())
		c.Config = resolve.Config(config)
	}

	if s.composedByTarget == nil {
		s.composedByTarget = make(map[*locate.Target]*resolve.ComposedResource)
	}

	s.composedByTarget[t] = c

	return c
}
