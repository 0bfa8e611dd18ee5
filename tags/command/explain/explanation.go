package explain

import (
	"fmt"
	"slices"
	"strings"

	"github.com/plexsphere/function-cloud-tags/input/v1beta1"
	"github.com/plexsphere/function-cloud-tags/tags"
	"github.com/plexsphere/function-cloud-tags/tags/field"
)

// explained labels are rows of a table, and providers are columns.
type explained struct {
	rows      []row
	providers []*Explanation

	// notes that are on no provider.
	notes []string

	// hierarchy is true if it is known where labels came from.
	hierarchy bool
}

// A row is one label, and where it came from.
type row struct {
	tags.Label

	origin Origin
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

	// fates of labels.
	fates map[identity]fate
}

// An identity tells labels apart, which their qualified keys don't: those of a key
// that came with its prefix, and of one that didn't, can be the same.
type identity struct {
	tagKey string
	source *tags.Source
}

// A fate is the tag key that a label got, or the reason why it was skipped.
type fate struct {
	key    string
	reason tags.SkipReason
}

// fate of the supplied label, if it has one: it has none where another one took its place.
func (x *Explanation) fate(l tags.Label) (fate, bool) {
	f, ok := x.fates[identity{l.TagKey, l.Source}]
	return f, ok
}

// explain what becomes of labels under the profiles of the supplied providers, or of
// all if there are none. The input is nil if there is none.
func explain(t *tags.Transformer, rules tags.Rules, in *v1beta1.CloudTags, providers []string) *explained {
	known := tags.ProfileNames()
	if len(providers) == 0 {
		providers = known
	}

	e := &explained{}

	for _, provider := range providers {
		p := rules.ProfileOf(provider, "", "")

		i := slices.IndexFunc(e.providers, func(x *Explanation) bool { return x.profile == p })
		if i < 0 {
			i = len(e.providers)
			e.providers = append(e.providers, explanation(t, p, in))
		}

		if !slices.ContainsFunc(known, func(name string) bool { return strings.EqualFold(name, provider) }) {
			e.providers[i].notef("%q has no tag profile, so that of %s applies. Known are %s", provider, p.Name, strings.Join(known, ", "))
		}
	}

	return e
}

func (x *Explanation) notef(format string, args ...any) {
	x.Notes = append(x.Notes, fmt.Sprintf(format, args...))
}

// explanation of what becomes of labels under the supplied profile.
func explanation(t *tags.Transformer, p *tags.Profile, in *v1beta1.CloudTags) *Explanation {
	s := slotsOf(p, in)
	kept, refused := t.Transform(p).Fit(s.free())

	x := &Explanation{
		Provider: p.Name,
		Tags:     make(map[string]string, len(kept)),
		Skipped:  p.Skips(refused),
		Sources:  make(map[string]Origin),
		profile:  p,
		fates:    make(map[identity]fate, len(kept)+len(refused)),
	}

	for _, t := range kept {
		x.Tags[t.Key] = t.Value
		x.fates[identity{t.TagKey, t.Source}] = fate{key: t.Key}
	}

	capped, trusted := 0, []string{}

	for _, r := range refused {
		x.fates[identity{r.TagKey, r.Source}] = fate{reason: r.Reason}

		if r.Reason != tags.CountCap {
			continue
		}

		capped++

		if r.Trusted {
			trusted = append(trusted, r.QualifiedKey)
		}
	}

	if own := len(field.ProviderTags(p.Name)); in == nil && own > 0 && len(kept) > p.MaxTags-own {
		x.notef("for kinds whose provider adds its own tags, %d of the %d tags are these, and %d labels more are skipped", own, p.MaxTags, len(kept)-p.MaxTags+own)
	}

	if in == nil || capped == 0 {
		return x
	}

	x.notef("%s", s)

	if len(trusted) > 0 {
		x.notef("the function fails: trusted labels have no tag slot: %s", strings.Join(trusted, ", "))
	} else if in.LimitPolicy == v1beta1.LimitPolicyApplyStrict {
		x.notef("the function fails: limitPolicy ApplyStrict, and %d labels have no tag slot", capped)
	}

	return x
}

// slots of a resource without tags. Resources of some kinds have more for labels, but
// which kinds there are isn't known.
type slots struct {
	all int

	// reserved are those that reservedTags keeps free, and own those of tags that
	// providers add themselves to resources of some kinds.
	reserved, own int
}

func slotsOf(p *tags.Profile, in *v1beta1.CloudTags) slots {
	s := slots{all: p.MaxTags}

	if in != nil {
		s.reserved = int(in.ReservedTags[p.Name])
	}

	if in != nil && in.ProviderTags != v1beta1.ProviderTagsNone {
		s.own = len(field.ProviderTags(p.Name))
	}

	return s
}

// free are those for labels.
func (s slots) free() int { return max(s.all-s.reserved-s.own, 0) }

// String says what the slots are that labels don't get.
func (s slots) String() string {
	out := fmt.Sprintf("%d of the %d tags of a resource are for labels", s.free(), s.all)

	if s.reserved > 0 {
		out += fmt.Sprintf(", since reservedTags keeps %d", s.reserved)
	}

	if s.own > 0 {
		out += fmt.Sprintf(", and %d are the provider's own: for kinds whose provider adds its own tags, others have them for labels, too", s.own)
	}

	return out
}
