package stamp

import (
	"cmp"
	"slices"
	"strings"

	"github.com/plexsphere/function-cloud-tags/input/v1beta1"
	"github.com/plexsphere/function-cloud-tags/tags/locate"
	"github.com/plexsphere/function-cloud-tags/tags/object"
	"github.com/plexsphere/function-cloud-tags/tags/tagset"
	"github.com/plexsphere/function-cloud-tags/tags/write"
)

// planField returns the plan for the tag field of t with the labels l. It decides on the tags, and writes them to a copy of the resource.
// Tags that can't change stay as they are. If the tag field has the wrong type, such as a list where the kind wants a map, the plan has
// a Mismatch and no tags.
func (s *Stamper) planField(t *locate.Target, l *Labels) (*Plan, error) {
	p := newPlan(t, l)

	// If there are labels, the result says why the generic tag profile applies. WhyGeneric is empty if another one applies.
	if len(l.transformed.Tags)+len(l.transformed.Skipped) > 0 {
		p.Unprofiled = t.WhyGeneric
	}

	if (t.Field.Immutable || t.NeverUpdated) && t.MayExistInCloud() {
		// If freeze fails, the plan has a Mismatch and leaves the field alone. The run goes on.
		p.recordMismatch(p.freeze(s.EarlierTrustedTags[t.Name]))
		return p, nil
	}

	if !s.needsDecision(t, l) {
		return p, nil
	}

	if err := s.Budget.ChargeLabels(len(l.all) + len(l.unfit)); err != nil {
		return p, err
	}

	state, err := s.stateOf(p)
	if p.recordMismatch(err) {
		return p, nil
	}

	if s.Trace != nil {
		p.before = state.beforeDecision()
	}

	if p.decision, err = Decide(state); err != nil {
		return p, err
	}

	p.allRecords = p.decision.completeRecords(t.APIProfile) // The cloud's own API may refuse some of the decided tags.

	// If a trusted label has no slot, Stamp returns a LimitError in the end: see limits.
	if len(p.decision.trustedWithoutSlot) > 0 {
		return p, nil
	}

	if err := p.carryOut(); err != nil {
		return p, err
	}

	return p, s.Budget.ChargeResponse(p.stampedResource().Node().Size() - t.Resource.Node().Size())
}

// needsDecision reports whether there is anything to decide for the tag field of t and the labels l. Any of these reasons will do:
//   - There are labels, copied metadata, or entries of removeTags or ignoreTags.
//   - There are reserved keys. Tags of earlier steps with such keys are removed.
//   - The field is atomic. It may need the provider's own tags (see desiredTags), or an empty value such as [] (see package write).
//   - The provider fills a missing field with the cloud's tags (LateInit). An empty field prevents this: see package write.
//   - The observed field has tags. If all of them would go, one may have to be kept: see keepLastTag.
func (s *Stamper) needsDecision(t *locate.Target, l *Labels) bool {
	hasEntries := len(l.transformed.Tags)+len(s.RemoveTags)+len(s.IgnoreTags) > 0 || t.CopiedEntries.IsThere() || t.CopiedInitial.IsThere()
	mayNeedField := t.Field.Atomic || t.Field.LateInit || !write.IsEmpty(t.ObservedValue)

	return hasEntries || mayNeedField || !l.transformed.Reserved().Empty()
}

// stateOf returns the state of p's tag field. It reads the tags of the cloud only if ignoreTags or a label with onConflict Error needs
// them.
func (s *Stamper) stateOf(p *Plan) (*State, error) {
	t, keys := p.target, &p.labels.Keys

	set, restored, err := desiredTags(t, p.labels)
	if err != nil {
		return nil, err
	}

	p.restoredProviderTags = restored

	// In an atomic field, the tags of other managers are removed if a step desires the field. Whether a step does is known only after the
	// decision. So OtherManagersTags has all tags of other managers, and the method stayingTags of State leaves out those that go.
	state := &State{
		Target: t, Labels: p.labels, Tags: set, OtherManagersTags: t.OtherManagersTags(keys),
		EarlierTrustedTags: s.EarlierTrustedTags[t.Name], AlreadyStamped: s.AlreadyStamped,
		ReservedSlots: int(s.Input.ReservedTags[t.Profile.Name]), ReservesForProvider: s.Input.ProviderTags != v1beta1.ProviderTagsNone,
	}

	if len(s.IgnoreTags) > 0 || p.labels.mayConflict {
		state.CloudTags, state.ObservedTags = t.ReportedTags(keys), t.ReadTags(t.ObservedValue, keys)
		state.FollowedBefore = readFollowedChanges(t.Observed) // For example, backup: daily has become weekly in the cloud.
	}

	// If the copied entries can't be read, none becomes a tag, and the Mismatch says why. Labels still become tags.
	if t.CopiedEntries.IsThere() || t.CopiedInitial.IsThere() {
		state.CopiedTags, err = tagset.ReadWithInitial(t.CopiedEntries, t.CopiedInitial, t.Field, keys)
		p.recordMismatch(err)
	}

	return state, nil
}

// carryOut writes the decision of p to a copy of the resource, and adds records and notes to the result.
func (p *Plan) carryOut() error {
	d := p.decision
	p.Notes = d.notes
	otherValues := d.keysWithOtherValues() // Before keepLastTag, since a tag that it puts back doesn't belong here.
	p.keepLastTag()                        // Some tag fields can't become empty.

	// If the field can't be written, the error becomes the Mismatch of p, and the run goes on.
	if p.recordMismatch(p.writeTags()) {
		return nil
	}

	// They go to an annotation of the resource.
	if err := p.writeFollowedChanges(); err != nil {
		return err
	}

	p.keepFixed()
	p.noteMovedInitial()
	p.noteValueless()
	p.noteLastTag()
	p.noteIgnored()

	// LeftAlone is set if the decision changes a tag field that the API server lets nobody change: see keepFixed.
	if p.LeftAlone == "" {
		p.conclude()
		d.noteStayingTags(&p.Notes)
		p.Notes.add(NoteOtherValue, otherValues...)
	}

	return nil
}

// writeTags writes the decided tags to the tag field of a copy of the resource, unless the field doesn't change.
func (p *Plan) writeTags() (err error) {
	set, f, items := p.decision.Tags, p.target.Field, p.partlyOwnedItems()
	mayChange := set.Changed() || p.restoredProviderTags || len(items) > 0 // set.Changed is false for restored tags.
	mayNeedEmptyField := set.FieldLen() == 0 && (f.LateInit || f.Atomic)   // See write.Field.

	if mayChange || mayNeedEmptyField {
		p.Stamped, err = write.Field(p.target, &p.labels.Keys, set, items...)
	}

	return p.writeInitial(p.decision.State, err)
}

// partlyOwnedItems returns the items of a keyed list that no step desires, but that p has to write, since Crossplane owns a part of each.
// For example, kubectl edit owns the item {key: env}, and Crossplane owns the value prod in this item. If Crossplane no longer applied the
// item, server-side apply would remove prod, and leave {key: env} without a value.
func (p *Plan) partlyOwnedItems() (items []object.Node) {
	f := p.target.Field
	if f.Key == "" || f.Atomic {
		return nil // The field is no keyed list.
	}

	for e := range p.decision.stayingTags().All() {
		if !p.wouldLosePart(e) {
			continue
		}

		item := map[string]object.Node{f.Key: object.TextNode(e.Key), f.Value: e.Value}

		for name := range f.Extra {
			if v := e.Item.Field(name); v.IsThere() {
				item[name] = v
			}
		}

		items = append(items, object.MapNode(item))
	}

	return items
}

// wouldLosePart reports whether the item of e would stay without its key or its value if Crossplane no longer applied the item. That needs
// two owners: Crossplane, and another field manager that owns the key or the value, but not both.
func (p *Plan) wouldLosePart(e *tagset.Entry) bool {
	owner := p.target.Owners().Of(e)
	hasTwoOwners := owner.Ours && !owner.OtherOwnsKeyAndValue // e stays, so another field manager owns something of e.
	hasValue := !e.Opaque && e.Value.IsThere()

	return hasTwoOwners && hasValue && !p.decision.Tags.HasTagOf(e)
}

// keepLastTag keeps one observed tag if no tag is desired, and Crossplane owns all observed tags. In two cases, the API server would make
// null of an empty object, and then refuse the resource in each run, and two runs (see package write) can't help:
//   - Another field manager owns the field itself, as {"f:tags": {}}, but no tag in it, so the field would stay without tags. For example,
//     a provider first wrote a tag there. Then a label replaced this tag, and now the label is gone. The note is NoteLeftover.
//   - The tag field is the only field of its parent, and earlier steps desire the parent, such as spec.forProvider: {}. Without the field,
//     the parent would be empty. The note is NoteLastKept.
//
// Tags of an atomic field have no owners of their own, and package write keeps such a field without tags. The two cases are Held and Only
// in testdata/cases/refilled.yaml.
func (p *Plan) keepLastTag() {
	t, keys := p.target, &p.labels.Keys
	if p.decision.Tags.FieldLen() > 0 || t.Owners().Atomic || !write.OwnedByCrossplane(t, keys) {
		return
	}

	note, manager := NoteLeftover, t.Owners().HeldBy

	if manager == "" { // No other field manager owns the tag field.
		if !write.IsOnlyFieldOfParent(t) {
			return
		}

		note = NoteLastKept
	}

	byID := func(a, b *tagset.Entry) int { return strings.Compare(a.ID, b.ID) }
	observed := slices.SortedStableFunc(t.ReadTags(t.ObservedValue, keys).All(), byID)

	firstUnreserved := slices.IndexFunc(observed, func(e *tagset.Entry) bool {
		_, isReserved := p.labels.reservedKey(e)
		return !isReserved
	})

	kept := observed[max(firstUnreserved, 0)] // If all tags have reserved keys, the index is -1, and the first tag stays.
	p.decision.Tags.Put(kept)
	p.Notes.addOwned(note, manager, cmp.Or(kept.Key, kept.String()))
}

// noteLastTag adds NoteLastStays if the last tag stays in the cloud. There are two cases:
//   - The provider fills even an empty field with the cloud's tags, or doesn't tell the cloud of an empty field (LastStays).
//   - The schema admits no empty field, so the field is removed, and the provider fills a missing field.
func (p *Plan) noteLastTag() {
	t, keys := p.target, &p.labels.Keys

	lastStays := t.Field.LastStays || t.Field.LateInit && write.SchemaRefusesEmpty(t)
	getsNoTags := p.LeftAlone == "" && p.decision.Tags.FieldLen() == 0

	// The cloud can have a last tag only if the status reports one, or the tag field had one.
	if lastStays && getsNoTags && (t.HasOtherTags(t.ReportedTags(keys)) || write.WasTagged(t, keys)) {
		p.Notes = append(p.Notes, Note{Kind: NoteLastStays})
	}
}

// noteValueless adds NoteValueless for entries without a value that no label has filled.
func (p *Plan) noteValueless() {
	for e := range p.decision.Tags.All() {
		if e.LacksValue {
			p.Notes.add(NoteValueless, e.Key)
		}
	}
}

// planReserved returns a plan for a field that gets no labels, such as volumeTags of an Instance whose block devices have tags of their
// own. The plan is only about tags with reserved keys: see decideReserved. If owner is a reserved key, the plan takes owner: me away, or
// replaces it by the tag of a trusted label. It leaves env: prod.
func (s *Stamper) planReserved(t *locate.Target, l *Labels) *Plan {
	p := newPlan(t, l)

	set, _, err := desiredTags(t, l)
	if err != nil {
		return p // A field that can't be read is left alone.
	}

	state := &State{Target: t, Labels: l, Tags: set, EarlierTrustedTags: s.EarlierTrustedTags[t.Name]}
	_, takenAway := state.decideReserved()

	p.allRecords, p.Trusted = takenAway, state.trustedTags()
	p.getsDecidedTags = true // Only the records of such plans are reported.

	if set.Changed() {
		p.Stamped, err = write.Field(t, &l.Keys, set)
	}

	p.recordMismatch(p.writeInitial(state, err)) // Without an error, there is no Mismatch.

	return p
}
