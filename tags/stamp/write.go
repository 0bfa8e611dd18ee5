package stamp

import (
	"github.com/plexsphere/function-cloud-tags/tags/object"
	"github.com/plexsphere/function-cloud-tags/tags/tagset"
	"github.com/plexsphere/function-cloud-tags/tags/write"
)

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

// conclude sets what is told of p, since the resource gets the decided tags.
func (p *Plan) conclude() {
	p.Records, p.Trusted, p.getsDecidedTags = p.allRecords, p.decision.trustedTags(), true
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
