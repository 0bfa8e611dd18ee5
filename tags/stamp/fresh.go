package stamp

import (
	"fmt"
	"maps"
	"slices"

	"google.golang.org/protobuf/types/known/structpb"

	"github.com/plexsphere/function-cloud-tags/tags"
	"github.com/plexsphere/function-cloud-tags/tags/field"
	"github.com/plexsphere/function-cloud-tags/tags/object"
	"github.com/plexsphere/function-cloud-tags/tags/stamp/tagset"
)

// fresh is what becomes of a resource that has no tags yet. So it is with all resources of a
// kind, and hardly another way with those that have tags of which nothing is wished, or just
// these tags: what is decided once holds for most resources of most composite resources.
type fresh struct {
	// plan for the resource. There is none if it would depend on anything but its tags.
	plan *plan

	// value of the tag field.
	value object.Node

	// slots that are free.
	slots int

	// added are all the tags, as what changes.
	added map[string]Values

	// byLabel is what is thought of labels, once that has been asked for.
	byLabel map[labelKey]judged
}

// labelKey is what no two labels have in common: one of a trusted source may stand beside another
// of the same tag key.
type labelKey struct {
	tagKey string
	source *tags.Source
}

// judged is what is thought of a label: its tag, unless the profile refuses it, and why it is
// refused, if it is, by the profile or by the tag field with its limit.
type judged struct {
	tag    *tags.Tag
	reason tags.SkipReason
	limit  string
}

// freshKey is what resources differ in of which not the same becomes if they have no tags.
type freshKey struct {
	*wishes

	providerTags string

	// place, unless the entries of a field are the same wherever it is.
	place *place
}

// freshOf returns what becomes of resources of the supplied target's kind that have no tags.
func (s *Stamper) freshOf(t *Target) *fresh {
	is := t.freshOf()
	if *is != nil {
		return *is
	}

	if len(s.Remove)+len(s.Ignore) > 0 || s.refuses() || t.field.Atomic || t.field.Fixed {
		*is = &fresh{}
		return *is
	}

	if *is = s.differing(t); *is != nil {
		return *is
	}

	*is = s.sharedFresh(t, t.labels)

	return *is
}

// sharedFresh is what becomes of resources like the supplied target that have the supplied labels,
// or those that don't differ, and no tags.
func (s *Stamper) sharedFresh(t *Target, labels *tags.Transformer) *fresh {
	k := freshKey{wishes: s.wishesOf(t, labels), providerTags: fmt.Sprintf("%q", t.field.ProviderTags)}
	if t.field.Shape != field.Map {
		k.place = t.place
	}

	f, ok := s.fresh[k]
	if !ok {
		if f = s.newFresh(t, k.wishes); s.fresh == nil {
			s.fresh = make(map[freshKey]*fresh)
		}

		s.fresh[k] = f
	}

	return f
}

// differing is what becomes of resources like the supplied target that have no tags, if that differs
// only in values from what becomes of others. It is nil if that is not so.
func (s *Stamper) differing(t *Target) *fresh {
	if t.labels == nil || t.field.Shape != field.Map {
		return nil
	}

	base, differs := t.labels.Base()
	if base == nil {
		return nil
	}

	like := s.sharedFresh(t, base)
	if like.plan == nil {
		return nil
	}

	p := *like.plan
	p.Active, p.Trusted = maps.Clone(p.Active), maps.Clone(p.Trusted)

	for _, l := range differs {
		of := like.judged(l)

		tag, same := p.judgesAlike(of, l)
		if !same {
			return nil
		}

		if of.reason == "" {
			replace(p.Active, tag.Key, tag.Value)
			replace(p.Trusted, tag.Key, tag.Value)
		}
	}

	return &fresh{plan: &p, slots: like.slots}
}

// replace the value of the supplied key, if there is one.
func replace(in map[string]string, key, value string) {
	if _, ok := in[key]; ok {
		in[key] = value
	}
}

// judged returns what was thought of the supplied label, whatever its value.
func (f *fresh) judged(l tags.Label) judged {
	if f.byLabel == nil {
		d := f.plan.transformed
		f.byLabel = make(map[labelKey]judged, len(d.Tags)+len(d.Refused))

		for i := range d.Tags {
			t := &d.Tags[i]
			reason, limit := f.plan.refuses(t)
			f.byLabel[labelKey{t.TagKey, t.Source}] = judged{tag: t, reason: reason, limit: limit}
		}

		for _, r := range d.Refused {
			f.byLabel[labelKey{r.TagKey, r.Source}] = judged{reason: r.Reason}
		}
	}

	return f.byLabel[labelKey{l.TagKey, l.Source}]
}

// judgesAlike returns the tag of the supplied label, and true if of it is thought what was thought
// of the label with another value.
func (w *wishes) judgesAlike(of judged, l tags.Label) (tags.Tag, bool) {
	// Whether another label has the key doesn't depend on values, unless the profile refuses one.
	if of.tag == nil {
		tag, reason := w.transformed.Judge(l)
		return tag, reason == of.reason || of.reason == tags.KeyCollision && reason == ""
	}

	tag, reason := w.transformed.Revalue(*of.tag, l.Value)
	if reason != "" {
		return tag, false
	}

	reason, limit := w.refuses(&tag)

	return tag, reason == of.reason && limit == of.limit
}

// encoded is the value of the tag field, once somebody needs it.
func (f *fresh) encoded() (object.Node, error) {
	if f.value.IsThere() {
		return f.value, nil
	}

	fields := make(map[string]*structpb.Value, len(f.plan.Active))
	for key, value := range f.plan.Active {
		fields[key] = structpb.NewStringValue(value)
	}

	var err error

	f.value, err = object.Encode(object.NodeOf(structpb.NewStructValue(&structpb.Struct{Fields: fields})))

	return f.value, err
}

// changes are all the tags, as what changes.
func (f *fresh) changes() map[string]Values {
	if f.added == nil {
		f.added = make(map[string]Values, len(f.plan.Active))
		for key, value := range f.plan.Active {
			f.added[key] = Values{After: value}
		}
	}

	return f.added
}

// freshOf is where it is what becomes of the target without tags: with others of its kind, unless
// its labels differ from theirs.
func (t *Target) freshOf() **fresh {
	if t.labels != nil {
		return &t.own
	}

	return &t.fresh
}

func (s *Stamper) newFresh(t *Target, w *wishes) *fresh {
	p := &plan{
		Result: Result{Provider: t.profile.Name},
		in:     s.Input, target: &Target{kind: t.kind, place: t.place, profile: t.profile}, wishes: w,
	}

	var err error
	if p.set, err = tagset.Read(object.Node{}, t.field, &p.Keys); err != nil || p.decide() != nil || p.lacking > 0 || p.set.Len() == 0 {
		return &fresh{}
	}

	value, err := object.Encode(object.NodeOf(p.set.Value()))
	if err != nil {
		return &fresh{}
	}

	p.conclude()

	f := &fresh{plan: p, value: value}

	if p.cut == len(p.tags) {
		reserved, providers := p.reservedSlots()
		f.slots = p.Profile.MaxTags - reserved - providers - p.set.Len()
	}

	return f
}

// planFor returns the plan for the supplied target, and false if its tags need a closer look.
func (f *fresh) planFor(t *Target) (*plan, bool) {
	if f.plan == nil || t.beforeErr != nil {
		return nil, false
	}

	ours, others, ok := f.count(t)
	if !ok || others > f.slots || ours != 0 && ours != len(f.plan.Active) {
		return nil, false
	}

	p := *f.plan
	p.target = t
	p.Resource, p.APIVersion, p.Kind = t.Name, t.kind.apiVersion, t.kind.kind

	if ours > 0 {
		return &p, true
	}

	v, err := f.encoded()
	if err != nil {
		return nil, false
	}

	if others > 0 || t.field.KubernetesLabels && t.before.IsThere() {
		v = t.before.With(v)
	}

	p.Stamped, err = writeValue(t, v)

	return &p, err == nil
}

// count which tags of the supplied target are just those of labels, and which have nothing to do
// with any label. It returns false if there are others.
func (f *fresh) count(t *Target) (ours, others int, ok bool) {
	if t.field.Shape != field.Map || !t.before.IsObject() {
		return 0, 0, !t.before.IsThere() || t.field.Shape != field.Map && t.before.IsList() && t.before.IsEmpty()
	}

	for name, v := range t.before.Fields() {
		if t.field.IsOthers(name) {
			continue
		}

		value, isOurs := f.plan.Active[string(name)]

		switch {
		case isOurs && v.IsText(value):
			ours++
		case isOurs || f.concerns(string(name)):
			return 0, 0, false
		default:
			others++
		}
	}

	return ours, others, true
}

// concerns is true if anything is wished of the tag with the supplied key.
func (f *fresh) concerns(key string) bool {
	return len(f.plan.byID[f.plan.ID(key)]) > 0 || f.plan.transformed.Reserved().Has(key)
}

// few are as many tags as are looked for one by one.
const few = 8

// change returns which tags are added to a resource that is observed with the first value of the
// tag field and desired with the second one: those of all labels, or none. It returns false if
// there may be more to say.
func (f *fresh) change(observed, desired object.Node) (added map[string]Values, ok bool) {
	if f == nil || f.plan == nil || !desired.IsObject() || observed.IsThere() && !observed.IsObject() {
		return nil, false
	}

	ours, others := 0, 0

	for name, v := range desired.Fields() {
		if value, isOurs := f.plan.Active[string(name)]; isOurs && v.IsText(value) {
			ours++
			continue
		}

		others++
		if others > few || isProviders(f.plan.target.field, name) || !observed.Field(string(name)).Equal(v) {
			return nil, false
		}
	}

	there := 0

	for name, v := range observed.Fields() {
		value, isOurs := f.plan.Active[string(name)]

		switch {
		case isOurs && v.IsText(value):
			there++
		case isOurs:
			return nil, false
		case !isProviders(f.plan.target.field, name):
			others--
		}
	}

	switch {
	case ours != len(f.plan.Active) || others != 0:
		return nil, false
	case there == ours:
		return nil, true
	case there == 0:
		return f.changes(), true
	default:
		return nil, false
	}
}

// isProviders is true if providers set the tag with the supplied key, or what else manages
// resources with the supplied field.
func isProviders[K string | []byte](f *field.Field, key K) bool {
	return slices.Contains(providersKeys, string(key)) || slices.Contains(f.ProviderTags, string(key))
}

var providersKeys = tags.ProvidersKeys()
