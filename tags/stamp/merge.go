package stamp

import (
	"fmt"
	"slices"
	"strconv"
	"unicode/utf8"

	"google.golang.org/protobuf/types/known/structpb"

	"github.com/crossplane/function-sdk-go/errors"

	"github.com/plexsphere/function-cloud-tags/input/v1beta1"
	"github.com/plexsphere/function-cloud-tags/tags"
	"github.com/plexsphere/function-cloud-tags/tags/field"
	"github.com/plexsphere/function-cloud-tags/tags/resolve"
	"github.com/plexsphere/function-cloud-tags/tags/structpath"
)

// merge merges tags into what one tag field holds. In this order: labels become tags,
// tags of other systems get the value that the cloud has, tags are removed, and what
// the resource has no tag slot for is skipped.
type merge struct {
	stamper     *Stamper
	target      *Target
	transformed *tags.Transformed

	// labels that are to be tags, in the order in which they take tag slots.
	labels []wanted

	// byID are the positions of labels by the id of their tags, if that is looked up.
	// Some labels have one id: keys that differ in case are different tags of a list
	// if they have different values.
	byID map[string][]int

	// skipped are labels that the resource has no room for.
	skipped []Skip

	// protected are tag keys that could have been changed or removed.
	protected []string
}

// A wanted tag is what a label is to become.
type wanted struct {
	tags.Tag

	// missing is true if the resource has no tag with the key yet.
	missing bool

	// why the tag is not as the label has it. What comes last counts.
	why cause
}

// A cause is why a tag is not as its label has it.
type cause int

const (
	retainedTag cause = iota + 1
	ignoredTag
	removedTag
	cappedTag
)

func (m *merge) skip(t tags.Tag, r tags.SkipReason, limit string) {
	m.skipped = append(m.skipped, Skip{SkippedLabel: m.target.profile.Skip(t, r), Limit: limit})
}

// merge everything into the supplied tags, and return true if the field has to be
// written. Observed are the tags that the cloud has, or nil if that isn't known.
func (m *merge) merge(h, observed held) (bool, error) {
	changed, err := m.label(h)
	if err != nil {
		return false, err
	}

	if observed != nil {
		changed = m.ignore(h, observed) || changed
	}

	changed = m.remove(h) || changed

	return m.fill(h) || changed, nil
}

// label decides on the labels whose tag is there, and on which are missing.
func (m *merge) label(h held) (bool, error) {
	f := &m.target.field
	changed := false
	m.labels = make([]wanted, 0, len(m.transformed.Tags))

	for _, t := range m.transformed.Tags {
		if f.Shape == field.StringList && m.transformed.Forges(t, f.Separator) {
			m.skip(t, tags.ReservedKey, m.target.profile.Limit(tags.ReservedKey))
			continue
		}

		if n := f.MaxLength; n > 0 && utf8.RuneCountInString(t.Key+f.Separator+t.Value) > n {
			m.skip(t, tags.ValueTooLong, fmt.Sprintf("at most %d characters for key, %q and value together", n, f.Separator))
			continue
		}

		l := wanted{Tag: t}

		v, ok := h.get(t.Key)
		if ok {
			replace, err := m.replaces(t, v)
			if err != nil {
				return false, err
			}

			if replace {
				changed = h.put(t.Key, t.Value) || changed
			} else {
				l.why = retainedTag
			}
		}

		l.missing = !ok
		m.labels = append(m.labels, l)
	}

	if len(m.stamper.Ignore)+len(m.stamper.Remove) > 0 {
		m.byID = make(map[string][]int, len(m.labels))

		for i := range m.labels {
			id := h.id(m.labels[i].Key)
			m.byID[id] = append(m.byID[id], i)
		}
	}

	return changed, nil
}

// replaces is true if the supplied tag is to replace the one of the same key that an
// earlier step has set to the supplied value.
func (m *merge) replaces(t tags.Tag, v *structpb.Value) (bool, error) {
	in := m.stamper.Input
	policy := in.Sources[t.Source].OnConflict

	if t.Reserved || policy == v1beta1.ConflictPolicyReplace {
		return true, nil
	}

	if policy == v1beta1.ConflictPolicyError {
		return false, errors.Errorf("an earlier step has set the tag %q to %s, and %s with onConflict Error has the value %q for it",
			t.Key, quote(v), in.SourceName(t.Source), t.Value)
	}

	return false, nil
}

// ignore gives the tags of other systems the value that the cloud has.
func (m *merge) ignore(h, observed held) bool {
	changed := false

	for _, e := range observed.entries() {
		// What a trusted source says of a reserved key stands. The cloud would
		// refuse the tags that it sets itself.
		if m.trusts(e) || m.isClouds(e) || !isTextual(e.value) {
			continue
		}

		labelled := len(m.byID[e.id]) > 0

		k := m.match(m.stamper.Ignore, e)
		if k == nil || k.Retain && (labelled || h.has(e.id)) {
			continue
		}

		for _, i := range m.byID[e.id] {
			m.labels[i].missing = false
			m.labels[i].why = ignoredTag
		}

		changed = h.keep(e) || changed
	}

	return changed
}

// remove the tags that resources don't get.
func (m *merge) remove(h held) bool {
	if len(m.stamper.Remove) == 0 {
		return false
	}

	changed := false

	drop := func(e entry) {
		if m.match(m.stamper.Remove, e) != nil {
			h.remove(e)

			changed = true
		}
	}

	for _, e := range h.entries() {
		drop(e)

		for _, other := range e.others {
			drop(other)
		}

		if h.has(e.id) {
			continue
		}

		for _, i := range m.byID[e.id] {
			m.labels[i].why = removedTag
		}
	}

	for i := range m.labels {
		if l := &m.labels[i]; l.missing && m.match(m.stamper.Remove, m.entry(h, l.Tag)) != nil {
			l.missing = false
			l.why = removedTag
		}
	}

	return changed
}

// entry is what the supplied tag will be in the field.
func (m *merge) entry(h held, t tags.Tag) entry {
	e := entry{id: h.id(t.Key), key: t.Key, value: structpb.NewStringValue(t.Value)}

	if f := &m.target.field; f.Shape == field.StringList {
		e.item = structpb.NewStringValue(t.Key + f.Separator + t.Value)
	}

	return e
}

// match returns the first of the supplied keys that matches the supplied tag, or nil if
// none does or the tag must be left alone.
func (m *merge) match(keys []resolve.TagKey, e entry) *resolve.TagKey {
	named := func(k resolve.TagKey) bool { return matches(k.Pattern, e.key, m.target.profile) }
	if !slices.ContainsFunc(keys, named) {
		return nil
	}

	if _, ok := m.claims(e, m.transformed.IsProviders); ok {
		return nil
	}

	reserved, protected := m.claims(e, m.transformed.IsReserved)
	if !protected {
		reserved, protected = e.key, m.trusts(e)
	}

	touched := false

	for i := range keys {
		k := &keys[i]

		switch {
		case !named(*k) || k.Value != nil && !e.hasValue(*k.Value):
		case k.Untrusted && protected:
			touched = true
		default:
			return k
		}
	}

	if touched && !slices.Contains(m.protected, reserved) {
		m.protected = append(m.protected, reserved)
	}

	return nil
}

// trusts is true if a label of a trusted source has the reserved key of the supplied
// entry.
func (m *merge) trusts(e entry) bool {
	return slices.ContainsFunc(m.byID[e.id], func(i int) bool { return m.labels[i].Reserved })
}

// isClouds is true if the key of the supplied entry starts with a prefix that the
// provider keeps to itself. A separator may be part of that.
func (m *merge) isClouds(e entry) bool {
	p := m.target.profile
	return p.Reserves(e.key) || !slices.Contains(p.Unreserved, e.key) && p.Reserves(e.item.GetStringValue())
}

// claims returns a key that the supplied entry may be taken for a tag of, and that the
// supplied function is true of, if there is any. In a list of strings these are all
// that a separator follows.
func (m *merge) claims(e entry, is func(key string) bool) (string, bool) {
	if is(e.key) {
		return e.key, true
	}

	f := &m.target.field
	if f.Shape != field.StringList {
		return "", false
	}

	return cutShortest(e.item.GetStringValue(), f.Separator, is)
}

// fill the tag slots that are free with the tags that are missing.
func (m *merge) fill(h held) bool {
	p := m.target.profile
	slots := p.MaxTags - int(m.stamper.Input.ReservedTags[p.Name])
	changed := false

	for i := range m.labels {
		l := &m.labels[i]

		switch {
		case !l.missing:
		case h.adds(l.Key, l.Value) && h.count() >= slots:
			m.skip(l.Tag, tags.CountCap, m.countLimit())
			l.why = cappedTag
		default:
			changed = h.put(l.Key, l.Value) || changed
		}
	}

	return changed
}

func (m *merge) countLimit() string {
	p := m.target.profile

	limit := p.Limit(tags.CountCap)
	if n := m.stamper.Input.ReservedTags[p.Name]; n > 0 {
		limit += fmt.Sprintf(", %d of them reserved", n)
	}

	return limit
}

// conclude adds to the outcome which labels are tags now, and which are withheld.
func (m *merge) conclude(h held, out *Outcome) {
	active := Active{Resource: m.target.Name, Provider: m.target.profile.Name, Tags: make(map[string]string, len(m.labels))}
	withheld := Withheld{Resource: m.target.Name, Protected: slices.Sorted(slices.Values(m.protected))}

	for i := range m.labels {
		l := &m.labels[i]

		// Two tags can come to one string of a list, and only one key be found then.
		v, ok := h.get(l.Key)

		switch {
		case ok && isText(v, l.Value) || l.why == 0:
			active.Tags[l.Key] = l.Value
		case l.why == retainedTag:
			withheld.Retained = append(withheld.Retained, l.Key)
		case l.why == ignoredTag:
			withheld.Ignored = append(withheld.Ignored, l.Key)
		case l.why == removedTag:
			withheld.Removed = append(withheld.Removed, l.Key)
		}
	}

	if len(active.Tags) > 0 {
		out.Active = append(out.Active, active)
	}

	slices.Sort(withheld.Retained)
	slices.Sort(withheld.Ignored)
	slices.Sort(withheld.Removed)

	if len(withheld.Retained)+len(withheld.Ignored)+len(withheld.Removed)+len(withheld.Protected) > 0 {
		out.Withheld = append(out.Withheld, withheld)
	}
}

// isTextual is true if the supplied value of a tag can be given to a tag.
func isTextual(v *structpb.Value) bool {
	switch v.GetKind().(type) {
	case nil, *structpb.Value_StringValue:
		return true
	default:
		return false
	}
}

// quote puts the value of a tag for messages.
func quote(v *structpb.Value) string {
	if s, ok := v.GetKind().(*structpb.Value_StringValue); ok {
		return strconv.Quote(s.StringValue)
	}

	return structpath.KindOf(v)
}
