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

	// labels that are to be tags, by the id of the tag.
	labels map[string]tags.Tag

	// missing tags, in the order in which they take tag slots.
	missing []tags.Tag

	// skipped are labels that the resource has no room for.
	skipped []Skip

	// why tags are not as their labels have them, by the id of the tag. What comes
	// last counts.
	why map[string]cause

	// protected are tag keys that could have been changed or removed.
	protected []string
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
	m.labels = make(map[string]tags.Tag, len(m.transformed.Tags))
	m.why = make(map[string]cause)

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

	for _, t := range m.transformed.Tags {
		if f.Shape == field.StringList && m.transformed.Forges(t, f.Separator) {
			m.skip(t, tags.ReservedKey, m.target.profile.Limit(tags.ReservedKey))
			continue
		}

		if n := f.MaxLength; n > 0 && utf8.RuneCountInString(t.Key+f.Separator+t.Value) > n {
			m.skip(t, tags.ValueTooLong, fmt.Sprintf("at most %d characters for key, %q and value together", n, f.Separator))
			continue
		}

		id := h.id(t.Key)
		m.labels[id] = t

		v, ok := h.get(t.Key)
		if !ok {
			m.missing = append(m.missing, t)
			continue
		}

		replace, err := m.replaces(t, v)
		if err != nil {
			return false, err
		}

		if replace {
			changed = h.put(t.Key, t.Value) || changed
		} else {
			m.why[id] = retainedTag
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
		label, labelled := m.labels[e.id]

		// What a trusted source says of a reserved key stands. The cloud would
		// refuse the tags that it sets itself.
		if labelled && label.Reserved || m.target.profile.Reserves(e.key) || !isTextual(e.value) {
			continue
		}

		k := m.match(m.stamper.Ignore, e)
		if k == nil || k.Retain && (labelled || h.has(e.id)) {
			continue
		}

		if labelled {
			m.missing = slices.DeleteFunc(m.missing, func(t tags.Tag) bool { return t.Key == label.Key })
			m.why[e.id] = ignoredTag
		}

		changed = h.keep(e) || changed
	}

	return changed
}

// remove the tags that resources don't get.
func (m *merge) remove(h held) bool {
	changed := false

	for _, e := range h.entries() {
		if m.match(m.stamper.Remove, e) != nil {
			h.remove(e.id)

			m.why[e.id] = removedTag
			changed = true
		}
	}

	m.missing = slices.DeleteFunc(m.missing, func(t tags.Tag) bool {
		e := entry{id: h.id(t.Key), key: t.Key, value: structpb.NewStringValue(t.Value)}
		if m.match(m.stamper.Remove, e) == nil {
			return false
		}

		m.why[e.id] = removedTag

		return true
	})

	return changed
}

// match returns the first of the supplied keys that matches the supplied tag, or nil if
// none does or the tag must be left alone.
func (m *merge) match(keys []resolve.TagKey, e entry) *resolve.TagKey {
	if m.transformed.IsProviders(e.key) {
		return nil
	}

	protected := false

	for i := range keys {
		k := &keys[i]

		switch {
		case !matches(k.Pattern, e.key, m.target.profile) || k.Value != nil && !e.hasValue(*k.Value):
		case k.Untrusted && m.transformed.IsReserved(e.key):
			protected = true
		default:
			return k
		}
	}

	if protected && !slices.Contains(m.protected, e.key) {
		m.protected = append(m.protected, e.key)
	}

	return nil
}

// fill the tag slots that are free with the tags that are missing.
func (m *merge) fill(h held) bool {
	p := m.target.profile
	slots := p.MaxTags - int(m.stamper.Input.ReservedTags[p.Name])
	changed := false

	for _, t := range m.missing {
		if h.adds(t.Key, t.Value) && h.count() >= slots {
			m.skip(t, tags.CountCap, m.countLimit())
			m.why[h.id(t.Key)] = cappedTag

			continue
		}

		changed = h.put(t.Key, t.Value) || changed
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

	for id, t := range m.labels {
		v, ok := h.get(t.Key)

		switch {
		case ok && isText(v, t.Value) || m.why[id] == 0:
			active.Tags[t.Key] = t.Value
		case m.why[id] == retainedTag:
			withheld.Retained = append(withheld.Retained, t.Key)
		case m.why[id] == ignoredTag:
			withheld.Ignored = append(withheld.Ignored, t.Key)
		case m.why[id] == removedTag:
			withheld.Removed = append(withheld.Removed, t.Key)
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
