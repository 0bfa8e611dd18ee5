// Package stamp writes tags to the tag fields of desired composed resources.
package stamp

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/known/structpb"

	"github.com/crossplane/function-sdk-go/errors"
	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"

	"github.com/plexsphere/function-cloud-tags/input/v1beta1"
	"github.com/plexsphere/function-cloud-tags/tags"
	"github.com/plexsphere/function-cloud-tags/tags/field"
	"github.com/plexsphere/function-cloud-tags/tags/structpath"
)

// A Stamper stamps desired composed resources.
type Stamper struct {
	// Input that says what becomes of tags that are there, and how many tag slots
	// of a resource are reserved.
	Input *v1beta1.CloudTags

	// Provider that the input asks for, or empty if it doesn't name any.
	Provider string

	// Transformer of the labels to stamp.
	Transformer *tags.Transformer

	// Fields locates tag fields.
	Fields field.Locator

	// Observed composed resources.
	Observed map[string]*fnv1.Resource
}

// An Outcome is what came of stamping resources. Everything in it is sorted.
type Outcome struct {
	// Stamped resources by name: those that changed.
	Stamped map[string]*structpb.Struct

	// Active tags of resources, by name.
	Active []Active

	// Skips of labels, by provider, reason and qualified key.
	Skips []Skip

	// Withheld tags of resources, by name.
	Withheld []Withheld

	// LeftAlone are resources that were not looked at further, by name.
	LeftAlone []LeftAlone

	// Mismatches are resources whose tag field has another shape than we know it
	// to have, so that it was left alone.
	Mismatches []Mismatch
}

// LeftAlone is a resource that was left alone, and why.
type LeftAlone struct {
	Resource   string
	APIVersion string
	Kind       string
	Why        string
}

// Active are the tags of a resource that labels have become, whether they were
// stamped or were there.
type Active struct {
	Resource string

	// Provider is the name of the tag profile.
	Provider string

	// Tags by key.
	Tags map[string]string
}

// A Skip is a label that was skipped.
type Skip struct {
	tags.SkippedLabel

	// Limit that the label broke, in a few words.
	Limit string

	// Resources for which it was skipped, or nil if it was skipped for every
	// resource that has the tag profile.
	Resources []string
}

// Withheld are tags of a resource that were not written.
type Withheld struct {
	Resource string

	// Keys of the tags that earlier steps set to another value, sorted.
	Keys []string
}

func (o *Outcome) mismatch(t *Target, err error) {
	o.Mismatches = append(o.Mismatches, Mismatch{Resource: t.Name, Why: err.Error()})
}

// A Mismatch is a resource whose tag field was left alone, and why.
type Mismatch struct {
	Resource string
	Why      string
}

// Stamp the supplied targets. Their resources are not changed, but stamped ones
// share with them what did not change. An error means that nothing may be written.
func (s *Stamper) Stamp(targets []Target) (*Outcome, error) {
	out := &Outcome{Stamped: make(map[string]*structpb.Struct)}

	if s.Transformer.Empty() {
		return out, nil
	}

	skipped := make(skips)

	for i := range targets {
		t := &targets[i]

		if t.leave != "" {
			out.LeftAlone = append(out.LeftAlone, LeftAlone{Resource: t.Name, APIVersion: apiVersionOf(t.Resource), Kind: kindOf(t.Resource), Why: t.leave})
			continue
		}

		if err := s.stamp(t, out, skipped); err != nil {
			return nil, errors.Wrapf(err, "cannot tag composed resource %q", t.Name)
		}
	}

	out.Skips = skipped.sorted()

	return out, nil
}

// stamp one target, and add to the outcome what comes of it.
func (s *Stamper) stamp(t *Target, out *Outcome, skipped skips) error {
	transformed := s.Transformer.Transform(t.profile)

	for _, l := range transformed.Skipped {
		skipped.add(l, t.profile.Limit(l.Reason), t.profile.Narrow, t.Name)
	}

	if len(transformed.Tags) == 0 {
		return nil
	}

	h, kept, err := s.read(t, transformed.Tags)
	if err != nil {
		out.mismatch(t, err)
		return nil
	}

	m := merge{input: s.Input, field: &t.field, profile: t.profile, active: make(map[string]string)}

	changed, err := m.merge(h, transformed)
	if err != nil {
		return err
	}

	if changed || kept {
		v := h.encode()
		if t.field.Atomic {
			v = s.inObservedOrder(v, t)
		}

		stamped, err := structpath.Set(t.Resource, t.field.Path, v)
		if err != nil {
			out.mismatch(t, err)
			return nil
		}

		out.Stamped[t.Name] = stamped
	}

	if len(m.active) > 0 {
		out.Active = append(out.Active, Active{Resource: t.Name, Provider: t.profile.Name, Tags: m.active})
	}

	for _, sk := range m.skipped {
		skipped.add(sk.SkippedLabel, sk.Limit, true, t.Name)
	}

	if len(m.withheld) > 0 {
		out.Withheld = append(out.Withheld, Withheld{Resource: t.Name, Keys: slices.Sorted(slices.Values(m.withheld))})
	}

	return nil
}

// read the tags that the supplied target has, and return true if the provider's own
// had to be put to those that earlier steps set.
func (s *Stamper) read(t *Target, handled []tags.Tag) (held, bool, error) {
	v, err := structpath.Get(t.Resource, t.field.Path)
	if err != nil {
		return nil, false, err
	}

	if t.field.Atomic {
		handled = slices.Concat(handled, providersTags)
	}

	h, err := read(v, &t.field, t.profile, handled)
	if err != nil {
		return nil, false, err
	}

	before := h.count()
	kept := t.field.Atomic && s.keepProviders(h, t)

	return h, kept && before > 0, nil
}

// providersTags are the tags that providers add to the spec of their resources, such
// as provider-aws did to lists before v0.45.
var providersTags = []tags.Tag{{Key: "crossplane-kind"}, {Key: "crossplane-name"}, {Key: "crossplane-providerconfig"}}

// keepProviders puts the tags that the provider has added to the observed spec of
// the supplied target, and returns true if any had to be. Server-side apply replaces
// the whole of an atomic list, so Crossplane and the provider would otherwise undo
// each other's work for ever.
func (s *Stamper) keepProviders(h held, t *Target) bool {
	v, err := structpath.Get(s.Observed[t.Name].GetResource(), t.field.Path)
	if err != nil || v == nil {
		return false
	}

	observed, err := read(v, &t.field, t.profile, providersTags)
	if err != nil {
		return false
	}

	kept := false

	for _, tag := range providersTags {
		value, ok := observed.get(tag.Key)
		if _, desired := h.get(tag.Key); ok && !desired {
			kept = h.put(tag.Key, value.GetStringValue()) || kept
		}
	}

	return kept
}

// inObservedOrder returns the supplied value of the field of the supplied target, or
// the observed one if it has the same items in another order, which is the provider's.
func (s *Stamper) inObservedOrder(v *structpb.Value, t *Target) *structpb.Value {
	observed, err := structpath.Get(s.Observed[t.Name].GetResource(), t.field.Path)
	if err != nil || v.GetListValue() == nil {
		return v
	}

	left := slices.Clone(observed.GetListValue().GetValues())
	for _, item := range v.GetListValue().GetValues() {
		i := slices.IndexFunc(left, func(o *structpb.Value) bool { return proto.Equal(o, item) })
		if i < 0 {
			return v
		}

		left = slices.Delete(left, i, i+1)
	}

	if len(left) > 0 {
		return v
	}

	return observed
}

// merge merges tags into what one tag field holds.
type merge struct {
	input   *v1beta1.CloudTags
	field   *field.Field
	profile *tags.Profile

	// skipped are labels that the resource has no room for.
	skipped []Skip

	// active are the tags that the resource has after all.
	active map[string]string

	// withheld are the keys of tags that are there with another value.
	withheld []string
}

func (m *merge) skip(t tags.Tag, r tags.SkipReason, limit string) {
	m.skipped = append(m.skipped, Skip{SkippedLabel: m.profile.Skip(t, r), Limit: limit})
}

// merge the supplied tags, in the order in which they take tag slots, and return true
// if the field has to be written.
func (m *merge) merge(h held, transformed *tags.Transformed) (bool, error) {
	missing := make([]tags.Tag, 0, len(transformed.Tags))
	changed := false

	for _, t := range transformed.Tags {
		if m.field.Shape == field.StringList && transformed.Forges(t, m.field.Separator) {
			m.skip(t, tags.ReservedKey, m.profile.Limit(tags.ReservedKey))
			continue
		}

		if n := m.field.MaxLength; n > 0 && utf8.RuneCountInString(t.Key+m.field.Separator+t.Value) > n {
			m.skip(t, tags.ValueTooLong, fmt.Sprintf("at most %d characters for key, %q and value together", n, m.field.Separator))
			continue
		}

		v, ok := h.get(t.Key)
		if !ok {
			missing = append(missing, t)
			continue
		}

		replace, err := m.conflict(t, v)
		if err != nil {
			return false, err
		}

		changed = replace && h.put(t.Key, t.Value) || changed

		if replace || isText(v, t.Value) {
			m.active[t.Key] = t.Value
		}
	}

	slots := m.profile.MaxTags - int(m.input.ReservedTags[m.profile.Name])

	for _, t := range missing {
		if h.adds(t.Key, t.Value) && h.count() >= slots {
			m.skip(t, tags.CountCap, m.countLimit())
			continue
		}

		changed = h.put(t.Key, t.Value) || changed
		m.active[t.Key] = t.Value
	}

	return changed, nil
}

// conflict returns true if the supplied tag is to replace the one of the same key
// that an earlier step has set to the supplied value.
func (m *merge) conflict(t tags.Tag, v *structpb.Value) (bool, error) {
	policy := m.input.Sources[t.Source].OnConflict

	switch {
	case t.Reserved || policy == v1beta1.ConflictPolicyReplace:
		return true, nil
	case policy == v1beta1.ConflictPolicyError:
		return false, errors.Errorf("an earlier step has set the tag %q to %s, and %s with onConflict Error has the value %q for it",
			t.Key, quote(v), m.input.SourceName(t.Source), t.Value)
	case !isText(v, t.Value):
		m.withheld = append(m.withheld, t.Key)
	}

	return false, nil
}

func (m *merge) countLimit() string {
	limit := m.profile.Limit(tags.CountCap)
	if n := m.input.ReservedTags[m.profile.Name]; n > 0 {
		limit += fmt.Sprintf(", %d of them reserved", n)
	}

	return limit
}

// quote puts the value of a tag for messages.
func quote(v *structpb.Value) string {
	if s, ok := v.GetKind().(*structpb.Value_StringValue); ok {
		return strconv.Quote(s.StringValue)
	}

	return structpath.KindOf(v)
}

// skips are labels that were skipped and the limits that they broke.
type skips map[skipKey]*skippedFor

type skipKey struct {
	label tags.SkippedLabel
	limit string
}

// skippedFor are the resources that a label was skipped for, in order.
type skippedFor struct {
	resources []string

	// all resources of the profile, so that none has to be named.
	all bool
}

// add a label that was skipped for the supplied resource. Only some resources of the
// profile skip it, or all do.
func (s skips) add(l tags.SkippedLabel, limit string, some bool, resource string) {
	k := skipKey{label: l, limit: limit}

	of, ok := s[k]
	if !ok {
		of = &skippedFor{}
		s[k] = of
	}

	of.all = of.all || !some

	// Two labels can come to one key, and be skipped for one resource.
	if n := len(of.resources); n == 0 || of.resources[n-1] != resource {
		of.resources = append(of.resources, resource)
	}
}

func (s skips) sorted() []Skip {
	reasons := tags.SkipReasons()
	out := make([]Skip, 0, len(s))

	for k, of := range s {
		skip := Skip{SkippedLabel: k.label, Limit: k.limit}
		if !of.all {
			skip.Resources = of.resources
		}

		out = append(out, skip)
	}

	slices.SortFunc(out, func(a, b Skip) int {
		return cmp.Or(
			strings.Compare(a.Provider, b.Provider),
			cmp.Compare(slices.Index(reasons, a.Reason), slices.Index(reasons, b.Reason)),
			strings.Compare(a.Limit, b.Limit),
			strings.Compare(a.QualifiedKey, b.QualifiedKey),
			strings.Compare(a.TagKey, b.TagKey),
		)
	})

	return out
}
