// Package stamp writes tags to the tag fields of desired composed resources.
package stamp

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"google.golang.org/protobuf/types/known/structpb"
	"k8s.io/apimachinery/pkg/runtime/schema"

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
}

// An Outcome is what came of stamping resources. Everything in it is sorted.
type Outcome struct {
	// Stamped resources by name: those that changed.
	Stamped map[string]*structpb.Struct

	// Skips of labels, by provider, reason and qualified key.
	Skips []Skip

	// Withheld tags of resources, by name.
	Withheld []Withheld

	// NotTaggable resources have no tag field that we know.
	NotTaggable []Resource

	// Mismatches are resources whose tag field has another shape than we know it
	// to have, so that it was left alone.
	Mismatches []Mismatch
}

// A Resource is a desired composed resource.
type Resource struct {
	Name       string
	APIVersion string
	Kind       string
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

// Stamp the supplied resources. They are not changed, but stamped ones share what
// did not change with them. An error means that nothing may be written.
func (s *Stamper) Stamp(desired map[string]*fnv1.Resource) (*Outcome, error) {
	out := &Outcome{Stamped: make(map[string]*structpb.Struct)}
	if s.Transformer.Empty() {
		return out, nil
	}

	skipped := make(skips)

	for _, name := range slices.Sorted(maps.Keys(desired)) {
		r := desired[name].GetResource()
		k := s.kindOf(r)

		f, _ := s.Fields.Locate(k)
		if f.Shape == field.None {
			out.NotTaggable = append(out.NotTaggable, Resource{Name: name, APIVersion: apiVersionOf(r), Kind: k.Kind})
			continue
		}

		profile := tags.ProfileOf(k.Profile)
		transformed := s.Transformer.Transform(profile)

		for _, l := range transformed.Skipped {
			skipped.add(l, profile.Limit(l.Reason), "")
		}

		if len(transformed.Tags) == 0 {
			continue
		}

		h, err := s.read(r, &f, transformed.Tags)
		if err != nil {
			out.Mismatches = append(out.Mismatches, Mismatch{Resource: name, Why: err.Error()})
			continue
		}

		m := merge{
			stamper: s,
			field:   &f,
			profile: profile,
			slots:   profile.MaxTags - int(s.Input.ReservedTags[profile.Name]),
			skip:    func(l tags.SkippedLabel, limit string) { skipped.add(l, limit, name) },
		}

		changed, err := m.merge(h, transformed.Tags)
		if err != nil {
			return nil, errors.Wrapf(err, "cannot tag composed resource %q", name)
		}

		if len(m.withheld) > 0 {
			out.Withheld = append(out.Withheld, Withheld{Resource: name, Keys: slices.Sorted(slices.Values(m.withheld))})
		}

		if !changed {
			continue
		}

		stamped, err := structpath.Set(r, f.Path, h.encode())
		if err != nil {
			out.Mismatches = append(out.Mismatches, Mismatch{Resource: name, Why: err.Error()})
			continue
		}

		out.Stamped[name] = stamped
	}

	out.Skips = skipped.sorted()

	return out, nil
}

// read the tags that the supplied resource has in the supplied field.
func (s *Stamper) read(r *structpb.Struct, f *field.Field, handled []tags.Tag) (held, error) {
	v, err := structpath.Get(r, f.Path)
	if err != nil {
		return nil, err
	}

	return read(v, f, handled)
}

func (s *Stamper) kindOf(r *structpb.Struct) field.Kind {
	k := field.Kind{GroupVersionKind: schema.FromAPIVersionAndKind(apiVersionOf(r), r.GetFields()["kind"].GetStringValue())}

	if s.Provider != "" {
		k.Profile = tags.ProfileOf(s.Provider).Name
	}

	v, err := structpath.Get(r, "spec.forProvider")
	k.ForProvider = err == nil && v.GetStructValue() != nil

	return k
}

func apiVersionOf(r *structpb.Struct) string {
	return r.GetFields()["apiVersion"].GetStringValue()
}

// merge merges tags into what one tag field holds.
type merge struct {
	stamper *Stamper
	field   *field.Field
	profile *tags.Profile

	// slots that the resource has for tags.
	slots int

	// skip a label because of the supplied limit.
	skip func(l tags.SkippedLabel, limit string)

	// withheld are the keys of tags that are there with another value.
	withheld []string
}

// merge the supplied tags, sorted by qualified key, and return true if the field
// has to be written.
func (m *merge) merge(h held, admitted []tags.Tag) (bool, error) {
	added := make([]tags.Tag, 0, len(admitted))
	changed := false

	for _, t := range admitted {
		if n := m.field.MaxLength; n > 0 && utf8.RuneCountInString(t.Key+m.field.Separator+t.Value) > n {
			m.skip(m.profile.Skip(t, tags.ValueTooLong), fmt.Sprintf("at most %d characters with the key and %q", n, m.field.Separator))
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

		if h.count()+len(added) >= m.slots {
			m.skip(m.profile.Skip(t, tags.CountCap), m.countLimit())
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

	switch m.stamper.Input.Sources[t.Source].OnConflict {
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
	if n := m.stamper.Input.ReservedTags[m.profile.Name]; n > 0 {
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

// add a label that was skipped for the supplied resource, or for all if it's empty.
func (s skips) add(l tags.SkippedLabel, limit, resource string) {
	k := skipKey{label: l, limit: limit}

	if resource == "" {
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
