package stamp

import (
	"fmt"
	"slices"
	"strconv"

	"google.golang.org/protobuf/types/known/structpb"

	"github.com/crossplane/function-sdk-go/errors"

	"github.com/plexsphere/function-cloud-tags/input/v1beta1"
	"github.com/plexsphere/function-cloud-tags/tags"
	"github.com/plexsphere/function-cloud-tags/tags/field"
	"github.com/plexsphere/function-cloud-tags/tags/structpath"
)

// merge merges tags into what one tag field holds. In this order: reserved keys that are
// nobody's are taken away, labels become tags, tags of other systems get the value that
// the cloud has, tags are removed, and what the resource has no tag slot for is skipped.
type merge struct {
	*plan

	stamper *Stamper
	target  *Target

	// held is what the field holds.
	held held

	// cloud are the tags that the cloud has, and spec those of the observed field. Both
	// are nil if they are not known, or nobody needs to.
	cloud, spec held

	// why tags of labels are not missing, by position: they were there, or are not to
	// be. There is no cause if the tag is as the label has it.
	why map[int]cause

	// there is true of labels whose tag was there, or the cloud has for another system, by
	// position: what the tag is decides on what rules do to it.
	there map[int]bool

	// ignored are what missing labels are in the cloud, by position.
	ignored map[int]entry

	// foreign are the tags of other systems that the field doesn't have.
	foreign []entry

	// replacing are the positions of labels with reserved keys whose tags were there in
	// another case.
	replacing []int

	// cut is the position of the first label without a tag slot, or the number of
	// labels. The cause of those behind it is not looked at.
	cut int

	// lacking is how many trusted labels have no tag slot, and lackingKeys the keys of
	// the first of them.
	lacking     int
	lackingKeys []string

	// trusted tags of reserved keys of earlier steps, by key.
	trusted map[string]string

	// taken are the tags that earlier steps set with reserved keys, protected the keys
	// that could have been changed or removed, and unkept those of other systems' tags
	// that there is no slot for.
	taken, protected, unkept []string
}

// A cause is why a tag is not as its label has it.
type cause int

const (
	retainedTag cause = iota + 1
	ignoredTag
	removedTag
)

// merge everything, and return true if the field may have to be written.
func (m *merge) merge() (bool, error) {
	m.why, m.there, m.ignored = make(map[int]cause, min(len(m.tags), m.profile.MaxTags)), make(map[int]bool), make(map[int]entry)

	changed := m.takeAway()

	replaced, err := m.label()
	if err != nil {
		return false, err
	}

	changed = replaced || changed

	if m.cloud != nil && len(m.plan.ignore) > 0 {
		changed = m.ignore() || changed
	}

	changed = m.remove() || changed

	filled, err := m.fill()

	return filled || changed, err
}

// takeAway the tags with reserved keys that no trusted source has.
func (m *merge) takeAway() bool {
	changed := false

	if !m.transformed.Reserves() {
		return false
	}

	for _, e := range m.held.all() {
		key, reserved := m.reserved(&e)
		if !reserved || m.isProviders(&e) || m.replaces(&e) {
			continue
		}

		claim, claimed := m.first(m.claimed, &e)
		_, lost := m.first(m.lost, &e)

		switch {
		case claimed:
			m.replacing = append(m.replacing, m.byClaim[tags.FoldKey(claim)][0])
		case !lost && m.isEarlier(&e):
			continue
		default:
			m.taken = append(m.taken, key)
		}

		m.held.remove(e)

		changed = true
	}

	return changed
}

// replaces is true if a label of a trusted source replaces the supplied entry where it is,
// or is what it says.
func (m *merge) replaces(e *entry) bool {
	return !e.opaque && slices.ContainsFunc(m.byID[e.id], func(i int) bool {
		t := &m.tags[i]
		return t.Reserved || t.Trusted && e.key == t.Key && isText(e.value, t.Value)
	})
}

// isEarlier is true if an earlier step of the function has the supplied entry of a trusted
// source.
func (m *merge) isEarlier(e *entry) bool {
	is := false

	for key, value := range m.stamper.Earlier[m.target.Name] {
		if m.shape == field.StringList && e.item.GetStringValue() == key+m.separator+value || m.shape != field.StringList && e.key == key && isText(e.value, value) {
			m.trusts(key, value)

			is = true
		}
	}

	return is
}

// trusts tells that the resource has the supplied tag of a trusted source.
func (m *merge) trusts(key, value string) {
	if m.trusted == nil {
		m.trusted = make(map[string]string)
	}

	m.trusted[key] = value
}

// label decides on the labels whose tag is there.
func (m *merge) label() (bool, error) {
	var there []int

	if len(m.byID) > 0 {
		for _, e := range entriesOf(m.held) {
			there = append(there, m.byID[e.id]...)
		}
	}

	slices.Sort(there)

	changed := false

	for _, i := range there {
		m.there[i] = true
		t := &m.tags[i]
		v, _ := m.held.get(t.Key)

		replace, err := m.conflict(t, v)
		if err != nil {
			return false, err
		}

		if !replace {
			m.why[i] = retainedTag
			continue
		}

		m.why[i] = 0
		changed = m.held.put(t.Key, t.Value, t.Reserved) || changed
	}

	// They take the slots of the tags that they replace.
	for _, i := range m.replacing {
		if _, is := m.why[i]; !is && !m.without.has(i) {
			m.why[i] = 0
			m.there[i] = true
			m.held.put(m.tags[i].Key, m.tags[i].Value, true)
		}
	}

	return changed, nil
}

// conflict is true if the supplied tag is to replace the one of the same key that an
// earlier step has set to the supplied value.
func (m *merge) conflict(t *tags.Tag, v *structpb.Value) (bool, error) {
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

// overwrites returns an error if the supplied tag of a source that accepts no other value
// would overwrite one of the cloud, which no step has ever set.
func (m *merge) overwrites(t *tags.Tag) error {
	in := m.stamper.Input
	if m.cloud == nil || t.Reserved || in.Sources[t.Source].OnConflict != v1beta1.ConflictPolicyError {
		return nil
	}

	v, ok := m.cloud.get(t.Key)
	if !ok || isText(v, t.Value) {
		return nil
	}

	if m.spec != nil && m.spec.has(m.spec.id(t.Key)) {
		return nil
	}

	return errors.Errorf("the cloud has the tag %q at %s, and %s with onConflict Error has the value %q for it", t.Key, quote(v), in.SourceName(t.Source), t.Value)
}

// ignore gives the tags of other systems the value that the cloud has.
func (m *merge) ignore() bool {
	changed := false

	for _, e := range entriesOf(m.cloud) {
		e, rule := m.external(e)
		all := m.labelsOf(&e)
		labels, has := all, m.held.has(e.id)

		if rule == nil || rule.retain && (len(labels) > 0 || has) {
			continue
		}

		// The first label's slot is the one of the tag.
		if len(labels) > 0 && !has {
			m.ignored[labels[0]] = e
			m.there[labels[0]] = true
			labels = labels[1:]
		}

		for _, i := range labels {
			m.why[i] = ignoredTag
		}

		switch {
		case has && m.held.grows(e) <= 0:
			changed = m.held.keep(e) || changed
		case has || len(all) == 0:
			m.foreign = append(m.foreign, e)
		}
	}

	return changed
}

// external returns what is another system's of the supplied entry of the cloud and those
// for which it stands, as one entry, and the rule that says so, or nil if nothing is.
func (m *merge) external(e entry) (entry, *keyRule) {
	var rule *keyRule

	all := slices.DeleteFunc(append([]entry{e}, e.others...), func(e entry) bool {
		// What a trusted source says of a reserved key stands. The cloud would
		// refuse the tags that it sets itself.
		_, claimed := m.first(m.claimed, &e)
		_, lost := m.first(m.lost, &e)

		if claimed || lost || m.isClouds(&e) || !isTextual(e.value) {
			return true
		}

		r := m.rule(m.plan.ignore, &e)
		if r == nil {
			return true
		}

		// Nobody else has a say in it.
		if key, reserved := m.reserved(&e); reserved {
			m.protected = append(m.protected, key)
			return true
		}

		if rule == nil {
			rule = r
		}

		return false
	})

	if rule != nil {
		e, e.others = all[0], all[1:]
	}

	return e, rule
}

// rule returns the first of the supplied rules that holds for the supplied tag, or nil if
// none does.
func (m *merge) rule(rules []keyRule, e *entry) *keyRule {
	rule, protected := m.match(rules, e)
	if rule == nil && protected != "" {
		m.protected = append(m.protected, protected)
	}

	return rule
}

// remove the tags that resources don't get.
func (m *merge) remove() bool {
	if len(m.plan.remove) == 0 {
		return false
	}

	changed := false

	drop := func(e entry) {
		if m.rule(m.plan.remove, &e) != nil {
			m.held.remove(e)

			changed = true
		}
	}

	for _, e := range entriesOf(m.held) {
		drop(e)

		for _, other := range e.others {
			drop(other)
		}

		if m.held.has(e.id) {
			continue
		}

		for _, i := range m.byID[e.id] {
			m.why[i] = removedTag
		}
	}

	for i, e := range m.ignored {
		if kept := m.kept(e); len(kept) == 0 {
			delete(m.ignored, i)
			m.why[i] = removedTag
		} else {
			m.ignored[i] = kept[0]
		}
	}

	foreign := m.foreign
	m.foreign = nil

	for _, e := range foreign {
		m.foreign = append(m.foreign, m.kept(e)...)
	}

	return changed
}

// kept returns what is kept of the supplied entry of the cloud and those for which it
// stands, as one entry, or nothing.
func (m *merge) kept(e entry) []entry {
	all := append([]entry{e}, e.others...)
	all = slices.DeleteFunc(all, func(e entry) bool { return m.rule(m.plan.remove, &e) != nil })

	if len(all) == 0 {
		return nil
	}

	all[0].others = all[1:]

	return all[:1]
}

// fill the tag slots that are free with the tags that are missing: those of trusted labels,
// then those of others, then those of other systems.
func (m *merge) fill() (bool, error) {
	free := m.slots() - m.held.count()
	changed := false
	m.cut = len(m.tags)

	for i := range m.tags {
		t := &m.tags[i]

		e, ignored := m.ignored[i]
		if _, decided := m.why[i]; decided || !ignored && m.without.has(i) {
			continue
		}

		needs := 0
		if m.held.adds(t.Key, t.Value) {
			needs = 1
		}

		if ignored {
			needs = m.held.grows(e)
		}

		switch {
		case needs <= free || needs == 0:
		case t.Trusted:
			m.lacking++

			if m.lacking <= maxLimitKeys {
				m.lackingKeys = append(m.lackingKeys, t.Key)
			}

			continue
		default:
			m.cut = i
		}

		if m.cut == i {
			break
		}

		free -= needs

		if ignored {
			m.why[i] = ignoredTag
			changed = m.held.keep(e) || changed

			continue
		}

		if err := m.overwrites(t); err != nil {
			return false, err
		}

		m.why[i] = 0
		changed = m.held.put(t.Key, t.Value, false) || changed
	}

	for _, e := range m.foreign {
		if needs := m.held.grows(e); needs <= free {
			free -= max(needs, 0)
			changed = m.held.keep(e) || changed
		} else {
			m.unkept = append(m.unkept, e.key)
		}
	}

	return changed, nil
}

// slots that the resource has for tags that its provider doesn't set.
func (m *merge) slots() int {
	reserved, providers := m.reservedSlots()
	return m.profile.MaxTags - reserved - providers
}

// reservedSlots returns how many slots the input reserves, and how many the provider needs
// for tags that aren't there yet.
func (m *merge) reservedSlots() (reserved, providers int) {
	in := m.stamper.Input

	if in.ProviderTags != v1beta1.ProviderTagsNone {
		for _, key := range m.target.field.ProviderTags {
			if !m.held.has(m.held.id(key)) {
				providers++
			}
		}
	}

	return int(in.ReservedTags[m.profile.Name]), providers
}

// countLimit puts how many tags the resource may have.
func (m *merge) countLimit() string {
	reserved, providers := m.reservedSlots()
	limit := m.profile.Limit(tags.CountCap)

	if reserved > 0 {
		limit += fmt.Sprintf(", %d of them reserved", reserved)
	}

	if providers > 0 {
		limit += fmt.Sprintf(", %d for those that the provider adds", providers)
	}

	return limit
}

// cap tells the plan which labels the resource has no slot for, and returns how many.
func (m *merge) cap() int {
	if m.cut == len(m.tags) {
		return 0
	}

	limit := m.countLimit()

	c, ok := m.slotless[limit]
	if !ok {
		c = &slotless{but: make(map[int][]int)}
		m.slotless[limit] = c
	}

	n := len(m.tags) - m.cut - m.without.from(m.cut)

	for i := range m.why {
		if i >= m.cut && !m.without.has(i) {
			c.but[i] = append(c.but[i], len(c.resources))
			n--
		}
	}

	c.resources = append(c.resources, m.target.Name)
	c.cuts = append(c.cuts, m.cut)

	return n
}

// conclude adds to the outcome which labels are tags now, and which are withheld.
func (m *merge) conclude(out *Outcome) {
	active := Active{Resource: m.target.Name, Provider: m.profile.Name, Tags: make(map[string]string, len(m.why))}
	withheld := Withheld{Resource: m.target.Name, Unkept: m.unkept}

	for i, why := range m.why {
		t := &m.tags[i]

		// Two tags can come to one string of a list, and only one key be found then.
		v, ok := m.held.get(t.Key)

		switch {
		case ok && isText(v, t.Value) || why == 0:
			active.Tags[t.Key] = t.Value

			if t.Reserved {
				m.trusts(t.Key, t.Value)
			}
		case why == retainedTag:
			withheld.Retained = append(withheld.Retained, t.Key)
		case why == ignoredTag:
			withheld.Ignored = append(withheld.Ignored, t.Key)
		case why == removedTag:
			withheld.Removed = append(withheld.Removed, t.Key)
		}
	}

	withheld.Removed = m.withAll(&m.without, withheld.Removed)
	withheld.Protected = m.withAll(&m.plan.protected, m.protected)

	if len(active.Tags) > 0 {
		out.Active = append(out.Active, active)
	}

	if len(m.trusted) > 0 {
		if out.Trusted == nil {
			out.Trusted = make(map[string]map[string]string)
		}

		out.Trusted[m.target.Name] = m.trusted
	}

	slices.Sort(withheld.Retained)
	slices.Sort(withheld.Ignored)
	slices.Sort(withheld.Unkept)

	if len(withheld.Retained)+len(withheld.Ignored)+len(withheld.Removed)+len(withheld.Protected)+len(withheld.Unkept) > 0 {
		out.Withheld = append(out.Withheld, withheld)
	}
}

// withAll returns the supplied keys, sorted, with those of all labels at the supplied
// positions that were missing. All resources share a list of nothing else.
func (m *merge) withAll(of *positions, keys []string) []string {
	slices.Sort(keys)
	keys = slices.Compact(keys)

	if len(of.keys) == 0 {
		return keys
	}

	there := 0

	for i := range m.there {
		if of.has(i) {
			there++
		}
	}

	if there == 0 && len(keys) == 0 {
		return of.keys
	}

	out := keys

	for _, i := range of.sorted {
		if !m.there[i] {
			out = append(out, of.key[i])
		}
	}

	slices.Sort(out)

	return slices.Compact(out)
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
