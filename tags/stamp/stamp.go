// Package stamp writes tags to the tag fields of desired composed resources.
package stamp

import (
	"cmp"
	"slices"
	"strings"

	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/known/structpb"

	"github.com/crossplane/function-sdk-go/errors"
	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"

	"github.com/plexsphere/function-cloud-tags/input/v1beta1"
	"github.com/plexsphere/function-cloud-tags/tags"
	"github.com/plexsphere/function-cloud-tags/tags/field"
	"github.com/plexsphere/function-cloud-tags/tags/resolve"
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

	// Remove and Ignore are the tags to remove, and those of other systems.
	Remove, Ignore []resolve.TagKey

	// Metadata to copy, by the position of the input's rule.
	Metadata []resolve.Metadata

	// Observed composed resources.
	Observed map[string]*fnv1.Resource

	// Earlier are the tags with reserved keys that earlier steps of this function have
	// of trusted sources: by resource, key to value.
	Earlier map[string]map[string]string
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

	// Changes of tags, by name of the resource.
	Changes []Change

	// NotCopied is metadata that was not copied, by the position of the rule.
	NotCopied []NotCopied

	// Trusted are the tags with reserved keys that labels of trusted sources have
	// become: by resource, key to value.
	Trusted map[string]map[string]string
}

// LeftAlone is a resource that was left alone, and why.
type LeftAlone struct {
	Resource string

	// Provider is the name of the tag profile.
	Provider string

	APIVersion string
	Kind       string
	Why        string

	// NoField is true if the kind is known to have no tag field, and Unknown if the
	// resource is managed, but nobody knows whether its kind has one.
	NoField, Unknown bool
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

// Withheld are labels that did not become tags of a resource, though its provider
// admits them, and what else was left as it is. All are tag keys, sorted.
type Withheld struct {
	Resource string

	// Retained tags have the value that an earlier step set.
	Retained []string

	// Ignored tags have the value that the cloud has, and Removed ones are not there,
	// because of ignoreTags and removeTags.
	Ignored, Removed []string

	// Protected tags have reserved keys, so that ignoreTags and removeTags of fields
	// did not touch them.
	Protected []string
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

	skipped := make(skips)
	over := &LimitError{}

	for i := range targets {
		t := &targets[i]

		if !t.managed {
			continue
		}

		if t.leave != "" {
			// Otherwise there is nothing that it could have been tagged with.
			if s.tags() {
				out.LeftAlone = append(out.LeftAlone, LeftAlone{Resource: t.Name, Provider: t.profile.Name, APIVersion: apiVersionOf(t.Resource), Kind: kindOf(t.Resource), Why: t.leave, NoField: t.leave == whyNoField})
			}

			continue
		}

		m, err := s.stamp(t, out, skipped)
		if err != nil {
			return nil, errors.Wrapf(err, "cannot tag composed resource %q", t.Name)
		}

		over.add(t, m)
	}

	if s.Input.LimitPolicy == v1beta1.LimitPolicyApplyStrict && len(over.resources) > 0 {
		return nil, over
	}

	out.Skips = skipped.sorted()

	return out, nil
}

// tags is true if there is anything to do about the tags of resources in this run.
func (s *Stamper) tags() bool {
	return !s.Transformer.Empty() || len(s.Remove)+len(s.Ignore) > 0
}

// stamp one target, and add to the outcome what comes of it.
func (s *Stamper) stamp(t *Target, out *Outcome, skipped skips) (*merge, error) {
	transformed := s.Transformer.Transform(t.profile)

	for _, l := range transformed.Skipped {
		skipped.add(l, t.profile.Limit(l.Reason), t.profile.Narrow, t.Name)
	}

	m := &merge{stamper: s, target: t, transformed: transformed}

	// Without anything to do, the provider's tags still have to be kept.
	if len(transformed.Tags)+len(s.Remove)+len(s.Ignore) == 0 && !t.field.Atomic {
		return m, nil
	}

	k := s.known(t)

	h, kept, err := s.read(t, k)
	if err != nil {
		out.mismatch(t, err)
		return m, nil
	}

	changed, err := m.merge(h, s.observed(t, k))
	if err != nil {
		return nil, err
	}

	if changed || kept {
		if err := s.store(h, t, out); err != nil {
			out.mismatch(t, err)
			m.skipped = nil

			return m, nil
		}
	}

	for _, sk := range m.skipped {
		skipped.add(sk.SkippedLabel, sk.Limit, true, t.Name)
	}

	m.conclude(h, out)

	return m, nil
}

// encode what the supplied target's field has come to hold. A field that is empty is
// no field.
func (s *Stamper) encode(h held, t *Target) *structpb.Value {
	if h.count() == 0 {
		return nil
	}

	if t.field.Atomic {
		return s.inObservedOrder(h.encode(), t)
	}

	return h.encode()
}

// store what the supplied target's field has come to hold, unless it is what was there:
// what one step changes, a later one may change back.
func (s *Stamper) store(h held, t *Target, out *Outcome) error {
	before, err := structpath.Get(t.Resource, t.field.Path)
	if err != nil {
		return err
	}

	v := s.encode(h, t)
	if v == nil && isEmpty(before) || v != nil && proto.Equal(before, v) {
		return nil
	}

	stamped, err := write(t, v)
	if err != nil {
		return err
	}

	out.Stamped[t.Name] = stamped

	return nil
}

// isEmpty is true if the supplied value of a tag field has no tags.
func isEmpty(v *structpb.Value) bool {
	return len(v.GetStructValue().GetFields())+len(v.GetListValue().GetValues()) == 0
}

// write the supplied value to the supplied target's field, or remove the field if it is
// nil. What then is an empty object around it goes with it: a kind may require the field
// in there.
func write(t *Target, v *structpb.Value) (*structpb.Struct, error) {
	out, err := structpath.Set(t.Resource, t.field.Path, v)

	for path := around(t.field.Path); v == nil && err == nil && path != ""; path = around(path) {
		o, _ := structpath.Get(out, path)
		if o.GetStructValue() == nil || len(o.GetStructValue().GetFields()) > 0 {
			break
		}

		out, err = structpath.Set(out, path, nil)
	}

	return out, err
}

// around returns the path of the object around the supplied field, or nothing if that
// is no part of the field, but of the resource.
func around(path string) string {
	i := strings.LastIndexByte(path, '.')
	if i < 0 || strings.ContainsRune(path, '[') || path[:i] == "spec" || path[:i] == "spec.forProvider" {
		return ""
	}

	return path[:i]
}

// known are the keys by which tags are found on the supplied target: those of labels,
// of providers, and those to remove and to ignore.
func (s *Stamper) known(t *Target) known {
	if t.field.Shape != field.StringList {
		return known{} // All other shapes say what the keys are.
	}

	k := known{keys: tags.ProvidersKeys()}

	for _, t := range s.Transformer.Transform(t.profile).Tags {
		k.keys = append(k.keys, t.Key)
	}

	for _, t := range slices.Concat(s.Remove, s.Ignore) {
		k.patterns = append(k.patterns, t.Pattern)

		// What comes from a field must not hide a tag of a label.
		if !t.Untrusted {
			k.keys = append(k.keys, t.Pattern)
		}
	}

	return k
}

// read the tags that the supplied target has, and return true if the provider's own
// had to be put to those that earlier steps set.
func (s *Stamper) read(t *Target, k known) (held, bool, error) {
	v, err := structpath.Get(t.Resource, t.field.Path)
	if err != nil {
		return nil, false, err
	}

	h, err := read(v, &t.field, t.profile, k)
	if err != nil {
		return nil, false, err
	}

	before := h.count()
	kept := t.field.Atomic && s.keepProviders(h, t)

	return h, kept && before > 0, nil
}

// observed returns the tags that the cloud has, if the provider reports any.
func (s *Stamper) observed(t *Target, k known) held {
	if len(s.Ignore) == 0 {
		return nil
	}

	for _, path := range t.field.Observed {
		v, err := structpath.Get(s.Observed[t.Name].GetResource(), path)
		if err != nil || v == nil {
			continue
		}

		if h, err := read(v, &t.field, t.profile, k); err == nil {
			return h
		}
	}

	return nil
}

// keepProviders puts the tags that the provider has added to the observed spec of
// the supplied target, and returns true if any had to be. Server-side apply replaces
// the whole of an atomic list, so Crossplane and the provider would otherwise undo
// each other's work for ever.
func (s *Stamper) keepProviders(h held, t *Target) bool {
	v, err := structpath.Get(s.Observed[t.Name].GetResource(), t.field.Path)
	if err != nil || v == nil {
		return false
	}

	keys := tags.ProvidersKeys()
	desired, isList := h.(*heldList) // A map is never replaced as a whole.

	observed, err := read(v, &t.field, t.profile, known{keys: keys})
	if err != nil || !isList {
		return false
	}

	kept := false

	for _, e := range observed.entries() {
		if slices.Contains(keys, t.profile.Fold(e.key)) && !desired.has(e.id) {
			kept = desired.restore(e) || kept
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

	if !sameItems(observed.GetListValue().GetValues(), v.GetListValue().GetValues()) {
		return v
	}

	return observed
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
