// Package stamp writes tags to the tag fields of desired composed resources.
package stamp

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

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

	h, err := s.read(t, transformed.Tags)
	if err != nil {
		out.Mismatches = append(out.Mismatches, Mismatch{Resource: t.Name, Why: err.Error()})
		return nil
	}

	m := merge{input: s.Input, field: &t.field, profile: t.profile}

	changed, err := m.merge(h, transformed.Tags)
	if err != nil {
		return err
	}

	if changed {
		stamped, err := structpath.Set(t.Resource, t.field.Path, h.encode())
		if err != nil {
			out.Mismatches = append(out.Mismatches, Mismatch{Resource: t.Name, Why: err.Error()})
			return nil
		}

		out.Stamped[t.Name] = stamped
	}

	for _, sk := range m.skipped {
		skipped.add(sk.SkippedLabel, sk.Limit, true, t.Name)
	}

	if len(m.withheld) > 0 {
		out.Withheld = append(out.Withheld, Withheld{Resource: t.Name, Keys: slices.Sorted(slices.Values(m.withheld))})
	}

	return nil
}

// read the tags that the supplied target has.
func (s *Stamper) read(t *Target, handled []tags.Tag) (held, error) {
	v, err := structpath.Get(t.Resource, t.field.Path)
	if err != nil {
		return nil, err
	}

	if !t.field.Atomic {
		return read(v, &t.field, t.profile, handled)
	}

	h, err := read(v, &t.field, t.profile, slices.Concat(handled, providersTags))
	if err != nil {
		return nil, err
	}

	s.keepProviders(h, t)

	return h, nil
}

// providersTags are the tags that providers add to the spec of their resources.
// https://github.com/crossplane/upjet/blob/main/pkg/config/resource.go
var providersTags = []tags.Tag{{Key: "crossplane-kind"}, {Key: "crossplane-name"}, {Key: "crossplane-providerconfig"}}

// keepProviders puts the tags that the provider has added to the observed spec of
// the supplied target. Server-side apply replaces the whole of an atomic list, so
// Crossplane and the provider would otherwise undo each other's work for ever.
func (s *Stamper) keepProviders(h held, t *Target) {
	v, err := structpath.Get(s.Observed[t.Name].GetResource(), t.field.Path)
	if err != nil || v == nil {
		return
	}

	observed, err := read(v, &t.field, t.profile, providersTags)
	if err != nil {
		return
	}

	for _, tag := range providersTags {
		value, ok := observed.get(tag.Key)
		if _, desired := h.get(tag.Key); ok && !desired {
			h.put(tag.Key, value.GetStringValue())
		}
	}
}

// merge merges tags into what one tag field holds.
type merge struct {
	input   *v1beta1.CloudTags
	field   *field.Field
	profile *tags.Profile

	// skipped are labels that the resource has no room for.
	skipped []Skip

	// withheld are the keys of tags that are there with another value.
	withheld []string
}

func (m *merge) skip(t tags.Tag, r tags.SkipReason, limit string) {
	m.skipped = append(m.skipped, Skip{SkippedLabel: m.profile.Skip(t, r), Limit: limit})
}

// merge the supplied tags, sorted by qualified key, and return true if the field
// has to be written.
func (m *merge) merge(h held, admitted []tags.Tag) (bool, error) {
	slots := m.profile.MaxTags - int(m.input.ReservedTags[m.profile.Name])
	added := make([]tags.Tag, 0, len(admitted))
	changed := false

	for _, t := range admitted {
		if n := m.field.MaxLength; n > 0 && utf8.RuneCountInString(t.Key+m.field.Separator+t.Value) > n {
			m.skip(t, tags.ValueTooLong, fmt.Sprintf("at most %d characters with the key and %q", n, m.field.Separator))
			continue
		}

		if v, ok := h.get(t.Key); ok {
			replace, err := m.conflict(t, v)
			if err != nil {
				return false, err
			}

			if replace {
				h.put(t.Key, t.Value)

				changed = true
			}

			continue
		}

		if h.count()+len(added) >= slots {
			m.skip(t, tags.CountCap, m.countLimit())
			continue
		}

		added = append(added, t)
	}

	slices.SortFunc(added, func(a, b tags.Tag) int { return strings.Compare(a.Key, b.Key) })

	for _, t := range added {
		h.put(t.Key, t.Value)
	}

	return changed || len(added) > 0, nil
}

// conflict returns true if the supplied tag is to replace the one of the same key
// that an earlier step has set to the supplied value.
func (m *merge) conflict(t tags.Tag, v *structpb.Value) (bool, error) {
	same := v.GetStringValue() == t.Value
	if _, ok := v.GetKind().(*structpb.Value_StringValue); !ok && v != nil {
		same = false
	}

	switch m.input.Sources[t.Source].OnConflict {
	case v1beta1.ConflictPolicyError:
		return false, errors.Errorf("an earlier step has set the tag %q to %s, and sources[%d] with onConflict Error has the value %q for it",
			t.Key, quote(v), t.Source, t.Value)
	case v1beta1.ConflictPolicyReplace:
		return !same, nil
	default:
		if !same {
			m.withheld = append(m.withheld, t.Key)
		}

		return false, nil
	}
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

// skips are labels that were skipped, and the limits that they broke, with the
// resources that they were skipped for, in order.
type skips map[skipKey][]string

type skipKey struct {
	label tags.SkippedLabel
	limit string
}

// add a label that was skipped for the supplied resource. Only some resources of the
// profile skip it, or all do.
func (s skips) add(l tags.SkippedLabel, limit string, some bool, resource string) {
	k := skipKey{label: l, limit: limit}

	if !some {
		s[k] = nil
		return
	}

	s[k] = append(s[k], resource)
}

func (s skips) sorted() []Skip {
	reasons := tags.SkipReasons()
	out := make([]Skip, 0, len(s))

	for k, resources := range s {
		out = append(out, Skip{SkippedLabel: k.label, Limit: k.limit, Resources: resources})
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
