package explain

import (
	"fmt"
	"slices"
	"strings"

	"github.com/plexsphere/function-cloud-tags/input/v1beta1"
	"github.com/plexsphere/function-cloud-tags/tags"
	"github.com/plexsphere/function-cloud-tags/tags/field"
	"github.com/plexsphere/function-cloud-tags/tags/resolve"
)

// explained labels are rows of a table, and providers are columns.
type explained struct {
	labels    []tags.Label
	providers []*Explanation

	// origins of the labels, or nil if they are those of a file.
	origins map[tags.Label]Origin

	// notes that are on no provider.
	notes []string
}

// An Explanation is what becomes of a set of labels under one tag profile.
type Explanation struct {
	Provider string              `json:"provider"`
	Tags     map[string]string   `json:"tags"`
	Skipped  []tags.SkippedLabel `json:"skipped"`

	// Sources of the tags by key, if there are several.
	Sources map[string]Origin `json:"sources,omitempty"`

	// Notes on what labels and tags alone don't say.
	Notes []string `json:"notes,omitempty"`

	profile *tags.Profile

	// cells of labels in the column. One that another one took the place of has none.
	cells map[tags.Label]cell
}

// An Origin is the source that a label came from, and what it overrode there.
type Origin struct {
	Source    string   `json:"source"`
	Overrides []Origin `json:"overrides,omitempty"`

	// Value that was overridden.
	Value string `json:"value,omitempty"`
}

// addLabels of the supplied set, with where they came from. The supplied function has
// the titles of their sources.
func (e *explained) addLabels(set *resolve.Set, title func(tags.Label) string) {
	e.origins = make(map[tags.Label]Origin)

	overridden := make(map[string][]tags.Label)
	for _, o := range set.Overridden {
		overridden[o.TagKey] = append(overridden[o.TagKey], o)
	}

	// add the supplied label, which overrode others, the latest last.
	add := func(l tags.Label, others []tags.Label) {
		from := Origin{Source: title(l)}
		for _, o := range slices.Backward(others) {
			from.Overrides = append(from.Overrides, Origin{Source: title(o), Value: o.Value})
		}

		e.labels = append(e.labels, l)
		e.origins[l] = from
	}

	for _, l := range set.Labels {
		others := overridden[l.TagKey]
		add(l, others)

		// The latest trusted label can stand against the one that overrode it.
		for i, o := range slices.Backward(others) {
			if o.Trusted && !l.Trusted {
				add(o, others[:i])
				break
			}
		}
	}

	for _, l := range set.Claims {
		add(l, nil)
	}
}

// explain what becomes of the labels of the supplied set under the profiles of the
// supplied providers, or of all if there are none.
func (e *explained) explain(set *resolve.Set, in *v1beta1.CloudTags, providers []string) {
	t, known := set.Transformer(in), tags.ProfileNames()
	if len(providers) == 0 {
		providers = known
	}

	for _, provider := range providers {
		p := in.ProfileRules.ProfileOf(provider, "", "")

		i := slices.IndexFunc(e.providers, func(x *Explanation) bool { return x.profile == p })
		if i < 0 {
			i = len(e.providers)
			e.providers = append(e.providers, e.explanation(t, p, in))
		}

		if !slices.ContainsFunc(known, func(name string) bool { return strings.EqualFold(name, provider) }) {
			e.providers[i].notef("%q has no tag profile, so that of %s applies. Known are %s", provider, p.Name, strings.Join(known, ", "))
		}
	}
}

func (x *Explanation) notef(format string, args ...any) {
	x.Notes = append(x.Notes, fmt.Sprintf(format, args...))
}

// explanation of what becomes of labels under the supplied profile.
func (e *explained) explanation(t *tags.Transformer, p *tags.Profile, in *v1beta1.CloudTags) *Explanation {
	free, slots := p.MaxTags, ""
	if e.origins != nil {
		free, slots = freeSlots(p, in)
	}

	kept, refused := t.Transform(p).Fit(free)

	x := &Explanation{
		Provider: p.Name,
		Tags:     make(map[string]string, len(kept)),
		Skipped:  p.Skips(refused),
		Sources:  make(map[string]Origin),
		profile:  p,
		cells:    make(map[tags.Label]cell),
	}

	for _, t := range kept {
		x.Tags[t.Key] = t.Value
		x.cells[t.Label] = cell{visible(t.Key), green}

		if from, ok := e.origins[t.Label]; ok {
			x.Sources[t.Key] = from
		}
	}

	capped, trusted := 0, []string{}

	for _, r := range refused {
		x.cells[r.Label] = cell{string(r.Reason), red}

		if r.Reason == tags.CountCap {
			capped++

			if r.Trusted {
				trusted = append(trusted, r.QualifiedKey)
			}
		}
	}

	switch own := len(field.ProviderTags(p.Name)); {
	case e.origins == nil && len(kept) > p.MaxTags-own:
		x.notef("for kinds whose provider adds its own tags, %d of the %d tags are these, and %d labels more are skipped", own, p.MaxTags, len(kept)-p.MaxTags+own)
	case e.origins != nil && capped > 0:
		x.Notes = append(x.Notes, slots)
	}

	switch {
	case len(trusted) > 0:
		x.notef("the function fails: trusted labels have no tag slot: %s", strings.Join(trusted, ", "))
	case capped > 0 && in.LimitPolicy == v1beta1.LimitPolicyApplyStrict:
		x.notef("the function fails: limitPolicy ApplyStrict, and %d labels have no tag slot", capped)
	}

	return x
}

// freeSlots of a resource without tags are those for labels, and why there are no more.
// Resources of some kinds have more, but which kinds there are isn't known.
func freeSlots(p *tags.Profile, in *v1beta1.CloudTags) (free int, why string) {
	reserved, own := int(in.ReservedTags[p.Name]), len(field.ProviderTags(p.Name))
	if in.ProviderTags == v1beta1.ProviderTagsNone {
		own = 0
	}

	free = max(p.MaxTags-reserved-own, 0)
	why = fmt.Sprintf("%d of the %d tags of a resource are for labels", free, p.MaxTags)

	if reserved > 0 {
		why += fmt.Sprintf(", since reservedTags keeps %d", reserved)
	}

	if own > 0 {
		why += fmt.Sprintf(", and %d are the provider's own: for kinds whose provider adds its own tags, others have them for labels, too", own)
	}

	return free, why
}
