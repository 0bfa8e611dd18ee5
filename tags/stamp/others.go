package stamp

import (
	"cmp"
	"maps"
	"slices"
	"strings"

	"google.golang.org/protobuf/types/known/structpb"

	"github.com/crossplane/function-sdk-go/errors"

	"github.com/plexsphere/function-cloud-tags/input/v1beta1"
	"github.com/plexsphere/function-cloud-tags/tags"
	"github.com/plexsphere/function-cloud-tags/tags/field"
	"github.com/plexsphere/function-cloud-tags/tags/stamp/tagset"
	"github.com/plexsphere/function-cloud-tags/tags/target"
)

// isOthers is true if another field manager has the entry e in the observed field, where it stays,
// and the resource doesn't desire it yet. The desired entry would take its place.
func (p *plan) isOthers(e *tagset.Entry) bool {
	return p.others != nil && p.others.Holds(e) && !p.set.Holds(e)
}

// countOthers is how many tags of others stay beside those that are desired, without those that the
// provider adds: for these there are slots anyway.
func (p *plan) countOthers() (n int) {
	if p.others == nil {
		return 0
	}

	hasSlot := func(e *tagset.Entry) bool {
		return p.in.ProviderTags != v1beta1.ProviderTagsNone && slices.Contains(p.target.Field.ProviderTags, e.Key)
	}

	for e := range p.others.All() {
		if !p.set.Holds(e) && !hasSlot(e) {
			n++
		}
	}

	return n
}

// grows returns how many more tag slots are taken after adopting the entries of one tag.
func (p *plan) grows(of []tagset.Entry) int {
	n := p.set.Grows(of)

	for i := range of {
		if p.isOthers(&of[i]) {
			n--
		}

		if p.Shape != field.StringList {
			break // All of them take the place of one tag.
		}
	}

	return n
}

// takes returns how many more tag slots are taken once the label at position i is a tag.
func (p *plan) takes(i int) int {
	if of, external := p.ignored[i]; external {
		return p.grows(of)
	}

	e := p.entry(i)

	n := p.set.Adds(e)
	if n > 0 && p.isOthers(e) {
		n--
	}

	return n
}

// entry of the label at position i. It is spelled as others have spelled it, where the provider
// takes both for one: it is the one that the label replaces.
func (p *plan) entry(i int) *tagset.Entry {
	e := p.entries[i]

	if p.others != nil && p.others.Has(e.ID) && p.Shape != field.StringList {
		e.Key = p.others.Find(e.ID).Key
	}

	return &e
}

// put the label at position i where it takes a tag slot, or the tag that another system has
// instead.
func (p *plan) put(i int) error {
	if of, external := p.ignored[i]; external {
		p.fates[i] = fateIgnored
		p.set.Adopt(of)

		return nil
	}

	if err := p.overwrites(i); err != nil {
		return err
	}

	p.fates[i] = fateStamped
	p.set.Put(p.entry(i))

	return nil
}

// isOpen is true if it is not decided yet whether the label at position i is a tag.
func (p *plan) isOpen(i int) bool {
	_, decided := p.fates[i]
	_, external := p.ignored[i]

	return !decided && (external || !p.without.has(i))
}

// replaceOthers puts the labels of which others have the tags: they take no slot.
func (p *plan) replaceOthers() error {
	if p.others == nil {
		return nil
	}

	var at []int

	for e := range p.others.All() {
		if !e.Opaque {
			at = append(at, p.byID[e.ID]...)
		}
	}

	slices.Sort(at)

	for _, i := range slices.Compact(at) {
		if !p.isOpen(i) || p.takes(i) > 0 {
			continue
		}

		if err := p.put(i); err != nil {
			return err
		}
	}

	return nil
}

// overwrites returns an error if the label at position i is of a source that accepts no other
// value, and its tag is there at another one, which Crossplane has never applied.
func (p *plan) overwrites(i int) error {
	t := &p.tags[i]
	if t.Reserved || t.OnConflict() != tags.Refuse {
		return nil
	}

	id := p.ID(t.Key)

	if there := p.target.Reported(p.target.There, &p.Keys); there != nil && there.Has(id) {
		for e := range there.With(id) {
			if tagset.IsText(e.Value, t.Value) || p.target.Owners().Of(&e).Ours {
				return nil
			}
		}

		e := there.Find(id)

		return errors.Errorf("%s has set the tag %q to %s, and %s with onConflict Error has the value %q for it",
			managerName(p.target.Owners().Of(e).Manager), t.Key, quote(e), t.Source.Name, t.Value)
	}

	if p.cloud == nil || p.target.IsGhost() {
		return nil
	}

	e := p.cloud.Find(id)
	if e == nil || tagset.IsText(e.Value, t.Value) {
		return nil
	}

	return errors.Errorf("the cloud has the tag %q at %s, and %s with onConflict Error has the value %q for it",
		t.Key, quote(e), t.Source.Name, t.Value)
}

// valued are the items of a keyed list that others have there, but at a value that Crossplane alone owns,
// since it was that of a label. The items stay, so that their value has to be desired: server-side apply
// would leave them without one, which API servers and clouds may refuse.
func (p *plan) valued() (items []*structpb.Value) {
	f := p.target.Field
	if f.Shape != field.KeyValueList || f.Atomic || p.others == nil {
		return nil
	}

	for e := range p.others.All() {
		if of := p.target.Owners().Of(e); e.Opaque || p.set.Holds(e) || !of.Ours || of.Valued || e.Value == nil {
			continue
		}

		item := map[string]*structpb.Value{f.Key: structpb.NewStringValue(e.Key), f.Value: e.Value}

		for name := range f.Extra {
			if v := e.Item.GetStructValue().GetFields()[name]; v != nil {
				item[name] = v
			}
		}

		items = append(items, structpb.NewStructValue(&structpb.Struct{Fields: item}))
	}

	return items
}

// managerName is how messages put a field manager.
func managerName(name string) string {
	return "the field manager " + cmp.Or(name, "(none)")
}

// noteKey is what Notes about tags of others are told by.
type noteKey struct {
	kind    NoteKind
	manager string
}

// noteOthers tells of tags of others that stay, though somebody wants them away.
func (p *plan) noteOthers() {
	others := p.others
	if p.set.Len() == 0 {
		others = p.target.Staying(&p.Keys, false) // Those of an atomic field, too.
	}

	if others == nil {
		return
	}

	notes := make(map[noteKey][]string)

	for e := range others.All() {
		if p.set.Holds(e) || p.isProviders(e) || target.AddsItself(p.target.Field, e.Key) {
			continue
		}

		of := p.target.Owners().Of(e)
		add := func(kind NoteKind, key string) {
			k := noteKey{kind, of.Manager}
			notes[k] = append(notes[k], key)
		}

		if key, reserved := p.reserved(e); reserved {
			add(NoteReserved, key)
		} else if of.Others && !of.Applied && p.isPrefixed(e) {
			key, _, _ := strings.Cut(e.String(), p.Separator)
			add(NoteLeftover, cmp.Or(e.Key, key))
		}

		if !e.Opaque && p.names(p.remove, e) {
			add(NoteOwned, e.Key)
		}
	}

	for _, k := range slices.SortedFunc(maps.Keys(notes), func(a, b noteKey) int {
		return cmp.Or(cmp.Compare(a.kind, b.kind), strings.Compare(a.manager, b.manager))
	}) {
		slices.Sort(notes[k])
		p.Notes = append(p.Notes, Note{Kind: k.kind, Keys: slices.Compact(notes[k]), Manager: k.manager})
	}
}

// isPrefixed is true if the entry e has a key that begins as those of labels do, if they begin with
// anything.
func (w *wishes) isPrefixed(e *tagset.Entry) bool {
	return w.transformed.HasPrefix(cmp.Or(e.String(), e.Key))
}

// noteOtherValues tells of tags that stay, since removeTags names them at other values only.
func (p *plan) noteOtherValues() {
	if len(p.remove) == 0 {
		return
	}

	var keys []string

	for e := range p.set.All() {
		if !e.Opaque && !p.isProviders(e) && !slices.Contains(p.target.Field.ProviderTags, e.Key) && p.names(p.remove, e) {
			keys = append(keys, e.Key)
		}
	}

	p.note(NoteOtherValue, keys)
}

// names is true if any of the rules is for a tag with the key of e, at whatever value.
func (w *wishes) names(rules []keyRule, e *tagset.Entry) bool {
	return slices.ContainsFunc(rules, func(r keyRule) bool {
		named := r.keys.Has(e.Key)
		for _, keys := range r.values {
			named = named || keys.Has(e.Key)
		}

		return named && (!r.untrusted || w.protects(e) == "")
	})
}
