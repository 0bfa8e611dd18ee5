// Package stamp writes tags to the tag fields of desired composed resources.
package stamp

import (
	"context"
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

	// Provider that a field of the composite resource or a class asks for, or empty if
	// none does. It decides on resources of providers that nothing else is known of.
	Provider string

	// CompositeGroup is the API group of the composite resource. Its kinds are not
	// managed resources.
	CompositeGroup string

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

	plans map[fieldKind]*plan
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
	// because of ignoreTags and removeTags. The lists of resources can share memory.
	Ignored, Removed []string

	// Protected tags have reserved keys, or those of trusted sources, so that ignoreTags
	// and removeTags of fields did not touch them.
	Protected []string

	// Unkept tags of other systems are not there, because the resource has no tag slot
	// left that ignoreTags could give them.
	Unkept []string
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
// share with them what did not change. An error means that nothing may be written: it is
// that of the supplied context once that has one, a LimitError, a TrustedLimitError, or a
// conflict with what is there.
func (s *Stamper) Stamp(ctx context.Context, targets []Target) (*Outcome, error) {
	out := &Outcome{Stamped: make(map[string]*structpb.Struct)}

	s.plans = make(map[fieldKind]*plan)

	taken := make(map[skipKey][]string)
	over, lacking := &LimitError{}, &TrustedLimitError{}

	for i := range targets {
		if err := ctx.Err(); err != nil {
			return nil, err
		}

		t := &targets[i]

		if !t.managed {
			continue
		}

		if t.leave != "" {
			// Otherwise there is nothing that it could have been tagged with.
			if s.tags() {
				out.LeftAlone = append(out.LeftAlone, LeftAlone{
					Resource: t.Name, Provider: t.profile.Name, APIVersion: apiVersionOf(t.Resource), Kind: kindOf(t.Resource),
					Why: t.leave, NoField: t.noField, Unknown: t.unknown,
				})
			}

			continue
		}

		m, err := s.stamp(t, out)
		if err != nil {
			return nil, errors.Wrapf(err, "cannot tag composed resource %q", t.Name)
		}

		if m == nil {
			continue
		}

		lacking.add(m)
		over.add(m, m.cap())

		for _, key := range m.taken {
			k := skipKey{label: m.profile.Skip(tags.Tag{QualifiedKey: m.transformed.QualifiedKey(key), Key: key}, tags.ReservedKey), limit: takenAway}
			if of := taken[k]; len(of) == 0 || of[len(of)-1] != t.Name {
				taken[k] = append(of, t.Name)
			}
		}
	}

	if len(lacking.resources) > 0 {
		return nil, lacking
	}

	if s.Input.LimitPolicy == v1beta1.LimitPolicyApplyStrict && len(over.resources) > 0 {
		return nil, over
	}

	skipped := newSkips()
	for _, p := range s.plans {
		skipped.plan(p)
	}

	for k, resources := range taken {
		skipped.add(k.label, k.limit, true, resources)
	}

	out.Skips = skipped.sorted()

	return out, nil
}

// takenAway is why an earlier step's tag with a reserved key is there no longer.
const takenAway = "an earlier step set it, which only trusted sources may"

// tags is true if there is anything to do about the tags of resources in this run.
func (s *Stamper) tags() bool {
	return !s.Transformer.Empty() || len(s.Remove)+len(s.Ignore) > 0
}

// stamp one target, and add to the outcome what comes of it. It returns nil if nothing
// could be merged into its tags.
func (s *Stamper) stamp(t *Target, out *Outcome) (*merge, error) {
	p := s.planFor(t)
	p.resources = append(p.resources, t.Name)

	// Without anything to do, the provider's tags still have to be kept, and a field that
	// has become empty may have to be there.
	if len(p.transformed.Tags)+len(s.Remove)+len(s.Ignore) == 0 && !p.transformed.Reserves() && !t.field.Atomic && !t.field.LateInit {
		return nil, nil //nolint:nilnil // Nothing to do is no error.
	}

	h, kept, err := s.read(t, p.known)
	if err != nil {
		out.mismatch(t, err)
		return nil, nil //nolint:nilnil // It is told of.
	}

	m := &merge{plan: p, stamper: s, target: t, held: h}
	m.cloud, m.spec = s.observed(t, p.known)

	changed, err := m.merge()
	if err != nil || m.lacking > 0 {
		return m, err
	}

	if changed || kept || h.count() == 0 && t.field.LateInit {
		if err := s.store(h, t, out); err != nil {
			out.mismatch(t, err)
			return nil, nil //nolint:nilnil // It is told of.
		}
	}

	p.merged = append(p.merged, t.Name)
	m.conclude(out)

	return m, nil
}

// encode what the supplied target's field has come to hold. A field that is empty is
// no field, unless the provider would fill that.
func (s *Stamper) encode(h held, t *Target) *structpb.Value {
	if h.count() == 0 {
		if s.isRefilled(t) && !s.isOurs(t) {
			return structpb.NewStructValue(&structpb.Struct{})
		}

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
	before, err := structpath.Get(t.Resource, t.field.Path.String())
	if err != nil {
		return err
	}

	v := s.encode(h, t)
	leaves := v == nil && s.isRefilled(t)

	if !leaves && (v == nil && isEmpty(before) || v != nil && proto.Equal(before, v)) {
		return nil
	}

	stamped, err := write(t, v)
	if err == nil && leaves {
		stamped, err = structpath.Set(stamped, emptiedPath, structpb.NewStringValue("true"))
	}

	if err != nil {
		return err
	}

	out.Stamped[t.Name] = stamped

	return nil
}

// emptiedPath is that of an annotation of composed resources whose last tag has gone, and
// whose field is to be there again, without tags. Crossplane tells it to the next run.
const emptiedPath = "metadata.annotations[cloudtags.fn.plexsphere.com/emptied]"

// isRefilled is true if the provider of the supplied target fills a map of tags that isn't
// there with those that the cloud has, and there are any but the provider's own, or the
// map has been emptied before: what is empty is left alone, and the provider drops it once
// the cloud has none of the tags.
func (s *Stamper) isRefilled(t *Target) bool {
	if !t.field.LateInit || t.field.Atomic || t.field.Shape != field.Map {
		return false
	}

	observed := s.Observed[t.Name].GetResource()

	v, err := structpath.Get(observed, t.field.Path.String())
	if err != nil {
		return false
	}

	if v == nil {
		emptied, err := structpath.Get(observed, emptiedPath)
		return err == nil && emptied != nil
	}

	if v.GetStructValue() == nil {
		return false
	}

	providers := tags.ProvidersKeys()
	for key := range v.GetStructValue().GetFields() {
		if !slices.Contains(providers, key) {
			return true
		}
	}

	return len(v.GetStructValue().GetFields()) == 0
}

// isOurs is true if Crossplane alone owns all tags that the supplied target is observed to
// have. Server-side apply can't make an empty map of these, only remove the field: it
// makes null of the map, which the API server refuses.
func (s *Stamper) isOurs(t *Target) bool {
	observed := s.Observed[t.Name].GetResource()

	if managers, err := structpath.Get(observed, "metadata.managedFields"); err != nil || managers.GetListValue() == nil {
		return false // Nobody says who owns them.
	}

	v, err := structpath.Get(observed, t.field.Path.String())
	if err != nil || isEmpty(v) {
		return false
	}

	ours := owned(observed, &t.field)
	for key := range v.GetStructValue().GetFields() {
		if !ours(entry{key: key}) {
			return false
		}
	}

	return true
}

// isEmpty is true if the supplied value of a tag field has no tags.
func isEmpty(v *structpb.Value) bool {
	return len(v.GetStructValue().GetFields())+len(v.GetListValue().GetValues()) == 0
}

// write the supplied value to the supplied target's field, or remove the field if it is
// nil. What then is an empty object around it goes with it: a kind may require the field
// in there.
func write(t *Target, v *structpb.Value) (*structpb.Struct, error) {
	if err := itemless(t); err != nil {
		return nil, err
	}

	out, err := structpath.Set(t.Resource, t.field.Path.String(), v)

	for path := around(t.field.Path.String()); v == nil && err == nil && path != ""; path = around(path) {
		o, _ := structpath.Get(out, path)
		if o.GetStructValue() == nil || len(o.GetStructValue().GetFields()) > 0 {
			break
		}

		out, err = structpath.Set(out, path, nil)
	}

	return out, err
}

// itemless returns an error if the supplied target lacks the only item of a list that its
// field is in. Other fields of an item may be required, so none is made.
func itemless(t *Target) error {
	for list, _, ok := strings.Cut(t.field.Path.String(), "[0]"); ok; {
		v, err := structpath.Get(t.Resource, list)
		if err != nil || v != nil && v.GetListValue() == nil {
			return err // Set says what is wrong.
		}

		if len(v.GetListValue().GetValues()) == 0 {
			return errors.Errorf("%s has no item to hold tags", list)
		}

		next, _, found := strings.Cut(t.field.Path.String()[len(list)+len("[0]"):], "[0]")
		list, ok = list+"[0]"+next, found
	}

	return nil
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

// read the tags that the supplied target has, and return true if the provider's own
// had to be put to those that earlier steps set.
func (s *Stamper) read(t *Target, k known) (held, bool, error) {
	v, err := structpath.Get(t.Resource, t.field.Path.String())
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

// observed returns the tags that the cloud has, and those of the observed field, if the
// provider reports any and it matters.
func (s *Stamper) observed(t *Target, k known) (cloud, spec held) {
	refuses := slices.ContainsFunc(s.Input.Sources, func(src v1beta1.Source) bool { return src.OnConflict == v1beta1.ConflictPolicyError })

	if len(s.Ignore) > 0 || refuses {
		for _, path := range t.field.Observed {
			if cloud = s.readObserved(t, path.String(), k); cloud != nil {
				break
			}
		}
	}

	if cloud != nil && refuses {
		spec = s.readObserved(t, t.field.Path.String(), k)
	}

	return cloud, spec
}

// readObserved returns the tags of the supplied field of what is observed of the supplied
// target, or nil if they can't be read.
func (s *Stamper) readObserved(t *Target, path string, k known) held {
	v, err := structpath.Get(s.Observed[t.Name].GetResource(), path)
	if err != nil || v == nil {
		return nil
	}

	h, err := read(v, &t.field, t.profile, k)
	if err != nil {
		return nil
	}

	return h
}

// keepProviders puts the tags that the provider has added to the observed spec of
// the supplied target, and returns true if any had to be. Server-side apply replaces
// the whole of an atomic list, so Crossplane and the provider would otherwise undo
// each other's work for ever.
func (s *Stamper) keepProviders(h held, t *Target) bool {
	keys := tags.ProvidersKeys()
	desired, isList := h.(*heldList) // A map is never replaced as a whole.

	observed := s.readObserved(t, t.field.Path.String(), known{keys: t.profile.KeySet(keys...)})
	if observed == nil || !isList {
		return false
	}

	kept := false

	for _, e := range entriesOf(observed) {
		if slices.Contains(keys, t.profile.Fold(e.key)) && !desired.has(e.id) {
			kept = desired.restore(e) || kept
		}
	}

	return kept
}

// inObservedOrder returns the supplied value of the field of the supplied target, or
// the observed one if it has the same items in another order, which is the provider's.
func (s *Stamper) inObservedOrder(v *structpb.Value, t *Target) *structpb.Value {
	observed, err := structpath.Get(s.Observed[t.Name].GetResource(), t.field.Path.String())
	if err != nil || v.GetListValue() == nil {
		return v
	}

	if !sameItems(observed.GetListValue().GetValues(), v.GetListValue().GetValues()) {
		return v
	}

	return observed
}
