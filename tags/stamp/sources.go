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

// A ResolveError says that the labels of a resource can't be known.
type ResolveError struct{ error }

// Unwrap returns the error that keeps the labels from being known.
func (e *ResolveError) Unwrap() error { return e.error }

// resourceLabels are the labels of one resource, of a group of resources, or of all, and their tags in each kind of tag
// field.
type resourceLabels struct {
	*tags.Transformer

	stamper *Stamper
	inKinds map[tagset.FieldKind]*Labels
}

// maxGroups is how many groups of resources have their labels kept, since there can be a thousand labels in each.
const maxGroups = 16

// labelsOf returns the labels of t: of all resources, of its group, or its own. If a source selects Buckets only, all
// Buckets are a group. A label with the expression desired.spec.region makes labels of t's own, which are not kept.
func (s *Stamper) labelsOf(t *locate.Target) (*resourceLabels, error) {
	group, alike, transformer := resolve.LabelGroup{}, true, s.Transformer
	if s.PerResource != nil {
		group, alike = s.PerResource.Group(s.composedOf(t))
	}

	if out := s.shared[group]; alike && out != nil {
		return out, nil
	}

	if s.PerResource != nil {
		set, err := s.PerResource.Set(s.composedOf(t))
		if err != nil {
			return nil, &ResolveError{err}
		}

		transformer = set.Transformer(s.Input)
	}

	out := s.resourceLabels(transformer)
	if !alike {
		return out, nil
	}

	if s.shared == nil || len(s.shared) == maxGroups {
		s.shared = make(map[resolve.LabelGroup]*resourceLabels)
	}

	s.shared[group] = out

	return out, nil
}

// sets returns a function that reports whether this step may set tags with a key on a resource: the key of a label of any
// resource, or a key that begins with keyPrefix. It asks no selector, since selectors ask it.
func (s *Stamper) sets() func(t *locate.Target, key string) bool {
	shared := s.resourceLabels(s.Transformer)
	differing := sync.OnceValue(func() (out []tags.Label) {
		for _, d := range s.PerResource.Differences() {
			out = append(out, d.Labels...)
		}

		return out
	})

	return func(t *locate.Target, key string) bool {
		l := shared.in(t)

		return l.belongsToFunction(&tagset.Entry{ID: l.ID(key), Key: key}) || slices.ContainsFunc(differing(), func(label tags.Label) bool {
			tag, _ := l.transformed.Judge(label)
			return l.ID(tag.Key) == l.ID(key)
		})
	}
}

// knownLabelsOf returns the labels of t as far as they are known. Nothing may fail for a resource that is left alone.
func (s *Stamper) knownLabelsOf(t *locate.Target) *resourceLabels {
	l, err := s.labelsOf(t)
	if err != nil {
		return s.resourceLabels(s.Transformer)
	}

	return l
}

func (s *Stamper) resourceLabels(t *tags.Transformer) *resourceLabels {
	return &resourceLabels{Transformer: t, stamper: s, inKinds: make(map[tagset.FieldKind]*Labels)}
}

// in returns the tags of the labels in the tag field of t, and of all resources like it.
func (l *resourceLabels) in(t *locate.Target) *Labels { return l.inField(t.Field, t.Profile) }

// inField returns the tags of the labels in the field f of resources with the tag profile p. All maps of aws share the
// tags, with plexsphere:env in them.
func (l *resourceLabels) inField(f *field.Field, p *profile.Profile) *Labels {
	k := tagset.FieldKindOf(f, p)

	out, ok := l.inKinds[k]
	if !ok {
		out = newLabels(k, l.Transform(k.Profile))
		if !k.Profile.HandsOn {
			out = out.withMatchers(l.stamper.Remove, l.stamper.Ignore)
		}

		l.inKinds[k] = out
	}

	return out
}

// RequireConfigs asks for the ProviderConfigs of the targets that labels may come from, such as the default one of a Bucket.
// It does so whether the targets can have tags or not: their schemas, and the tags that selectors read, may not be
// known yet.
func (s *Stamper) RequireConfigs(targets *locate.Targets) {
	if !s.PerResource.HasAccounts() {
		return
	}

	for _, t := range targets.All {
		if t.Leave != locate.None || !locate.MaySelect(s.Input.Resources, t) {
			continue
		}

		c := *s.composedOf(t)
		c.Selects = func(entries []v1beta1.ResourceSelector) bool { return locate.MaySelect(entries, t) }
		s.PerResource.Require(&c)
	}
}

// composedOf returns t as resolve reads it. It has a ProviderConfig, such as default of aws.m.upbound.io, only if
// sources take labels from ProviderConfigs.
func (s *Stamper) composedOf(t *locate.Target) *resolve.Composed {
	if c, ok := s.composed[t]; ok {
		return c
	}

	c := &resolve.Composed{
		Name: t.Name, Desired: t.Received, Observed: t.Observed,
		Selects: func(entries []v1beta1.ResourceSelector) bool { return s.targets.Selects(entries, t) },
	}

	if s.PerResource.HasAccounts() {
		ref := t.Resource.Node().Field("spec").Field("providerConfigRef")
		config, _ := field.ConfigOf(t.Kind.GroupKind(), s.PerResource.NamespaceOf(t.Resource), ref.Field("kind").Text(), ref.Field("name").Text())
		c.Config = resolve.Config(config)
	}

	if s.composed == nil {
		s.composed = make(map[*locate.Target]*resolve.Composed)
	}

	s.composed[t] = c

	return c
}
