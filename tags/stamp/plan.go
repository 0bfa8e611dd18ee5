package stamp

import (
	"slices"

	"google.golang.org/protobuf/types/known/structpb"

	"github.com/plexsphere/function-cloud-tags/input/v1beta1"
	"github.com/plexsphere/function-cloud-tags/tags"
	"github.com/plexsphere/function-cloud-tags/tags/field"
	"github.com/plexsphere/function-cloud-tags/tags/object"
	"github.com/plexsphere/function-cloud-tags/tags/stamp/tagset"
	"github.com/plexsphere/function-cloud-tags/tags/target"
)

// A plan is what becomes of one resource, or of one field of what it launches.
type plan struct {
	Result

	target *target.Target
	labels *Labels

	// decision on the tags, or nil if they can't be read. It is done if it has come to be the Result.
	decision *Decision
	done     bool

	// restored is true if the provider's own tags had to be put to those that earlier steps set.
	restored bool
}

// newPlan returns the plan for t with the labels l, of which nothing is decided yet.
func newPlan(t *target.Target, l *Labels) *plan {
	return &plan{
		Result: Result{Resource: t.Name, APIVersion: t.Kind.APIVersion, Kind: t.Kind.Kind.Kind, Provider: t.Profile.Name},
		target: t, labels: l,
	}
}

// becomes returns what the resource becomes.
func (p *plan) becomes() object.Object {
	if p.Stamped.IsZero() {
		return p.target.Resource
	}

	return p.Stamped
}

// plan what becomes of the tags of t, which has the labels l.
func (s *Stamper) plan(t *target.Target, l *Labels) (*plan, error) {
	p := newPlan(t, l)

	if len(l.transformed.Tags)+len(l.transformed.Refused) > 0 {
		p.Unprofiled = t.Unprofiled
	}

	if t.Field.Immutable && isMade(t) {
		p.failsBy(p.freeze())
		return p, nil
	}

	// Without anything to do, the provider's tags still have to be kept, and a field that
	// has become empty may have to be there.
	asked := len(l.transformed.Tags)+len(s.Remove)+len(s.Ignore) > 0 || !l.transformed.Reserved().Empty()
	if !asked && !t.Field.Atomic && !t.Field.LateInit && !t.Copies.IsThere() && isEmpty(t.There) {
		return p, nil
	}

	state, err := s.stateOf(p)
	if p.failsBy(err) {
		return p, nil
	}

	if p.decision, err = Decide(state); err != nil || p.decision.lacking > 0 {
		return p, err
	}

	if err := p.carryOut(); err != nil {
		return nil, err
	}

	return p, nil
}

// planReserved plans what becomes of the tags of t that have reserved keys, and of no others.
func (s *Stamper) planReserved(t *target.Target, l *Labels) *plan {
	p := newPlan(t, l)
	p.done = true

	set, _, err := desired(t, l)
	if err != nil {
		return p // It is left alone, as what has no tags.
	}

	p.decision = decideReserved(&State{Labels: l, Tags: set, Earlier: s.Earlier[t.Name]})
	p.Trusted = p.decision.trusted

	if set.Changed() {
		p.Stamped, err = write(t, &l.Keys, set)
		p.failsBy(err)
	}

	return p
}

// failsBy is true if there is an error, by which the tag field is left alone.
func (p *plan) failsBy(err error) bool {
	if err != nil {
		p.Mismatch = err.Error()
	}

	return err != nil
}

// stateOf the tags of p's target.
func (s *Stamper) stateOf(p *plan) (*State, error) {
	t, keys := p.target, &p.labels.Keys

	set, restored, err := desired(t, p.labels)
	if err != nil {
		return nil, err
	}

	p.restored = restored
	state := &State{
		Labels: p.labels, Tags: set, Others: t.Staying(keys, false), Reports: len(t.Field.Observed) > 0,
		Earlier: s.Earlier[t.Name], Added: t.Field.ProviderTags, Slots: s.slots(t),
	}

	if len(s.Ignore) > 0 || slices.ContainsFunc(s.Input.Sources, func(src v1beta1.Source) bool { return src.OnConflict == tags.Refuse }) {
		state.Cloud, state.Outdated = t.Cloud(keys), t.IsGhost()
		state.Observed, state.Followed = t.Reported(t.There, keys), changesOf(t.Observed)
	}

	if state.Others != nil || state.Observed != nil {
		state.Owners = t.Owners()
	}

	if t.Copies.IsThere() {
		state.Copies, err = tagset.Read(t.Copies, t.Field, keys)
		p.failsBy(err)
	}

	return state, nil
}

// slots of t.
func (s *Stamper) slots(t *target.Target) Slots {
	out := Slots{
		Max: t.Profile.MaxTags, Reserved: int(s.Input.ReservedTags[t.Profile.Name]), MaxInField: -1,
		Added: s.Input.ProviderTags != v1beta1.ProviderTagsNone, AddedToField: t.Field.AddsToField,
	}

	if l := t.Field.Limits; l != nil {
		out.MaxInField = l.Max
	}

	return out
}

// desired returns the tags that are desired of t, and true if the provider's own had to be put to those that
// earlier steps set. Server-side apply replaces the whole of an atomic list, so Crossplane and the provider
// would otherwise undo each other's work for ever.
func desired(t *target.Target, l *Labels) (set *tagset.Set, restored bool, err error) {
	if t.BeforeErr != nil {
		return nil, false, t.BeforeErr
	}

	set, err = tagset.Read(t.Before, t.Field, &l.Keys)
	if err != nil || !t.Field.Atomic || !l.IsList() {
		return set, false, err
	}

	theirs := t.Reported(t.There, &l.providers)
	if theirs == nil {
		return set, false, nil
	}

	before := set.Len()

	for of := range theirs.Tags() {
		if e := of[0]; target.AddsItself(t.Field, l.Profile.Fold(e.Key)) && !set.Has(e.ID) {
			restored = set.Restore(e) || restored
		}
	}

	return set, restored && before > 0, nil
}

// carryOut what p has decided, and say so.
func (p *plan) carryOut() (err error) {
	d, t := p.decision, p.target
	p.Trusted = d.trusted
	p.note(NoteCopyReserved, "", d.forbidden)
	p.note(NoteCopyCapped, "", d.uncopied)

	items := p.withValues()

	if d.Tags.Changed() || p.restored || len(items) > 0 || d.Tags.Len() == 0 && (t.Field.LateInit || t.Field.Atomic) {
		if p.Stamped, err = write(t, &p.labels.Keys, d.Tags, items...); p.failsBy(err) {
			return nil
		}
	}

	if err := p.remember(d.followed); err != nil {
		return err
	}

	p.keepFixed()
	p.noteLast()
	p.noteIgnored()

	if p.LeftAlone == "" {
		p.done = true
		d.conclude(&p.Result)
	}

	return nil
}

// withValues are the items of a keyed list that others have there, but at a value that Crossplane alone owns,
// since it was that of a label. The items stay, so that their value has to be desired: server-side apply
// would leave them without one, which API servers and clouds may refuse.
func (p *plan) withValues() (items []*structpb.Value) {
	f, others := p.target.Field, p.decision.others()
	if f.Shape != field.KeyValueList || f.Atomic || others == nil {
		return nil
	}

	for e := range others.All() {
		if of := p.target.Owners().Of(e); e.Opaque || p.decision.Tags.Holds(e) || !of.Ours || of.Valued || e.Value == nil {
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

// keepFixed keeps the tags that the resource was made with, if they can't change: the API server would refuse
// whatever else changes in the resource, too.
func (p *plan) keepFixed() {
	t := p.target
	if !t.Field.Fixed || t.Observed.IsZero() || t.ThereErr != nil {
		return
	}

	after := t.Before
	if !p.Stamped.IsZero() {
		after, _ = p.Stamped.At(t.Field.Path)
	}

	if after.Equal(t.There) || isEmpty(after) && isEmpty(t.There) {
		return
	}

	p.LeftAlone, p.Stamped = t.Why(target.Fixed), object.Object{}

	if !t.Before.Equal(t.There) {
		p.Stamped, _ = object.Set(t.Resource, t.Field.Path, t.There)
	}
}

// noteIgnored says what is kept from now on because of ignoreTags, or that nothing can be.
func (p *plan) noteIgnored() {
	t, d := p.target, p.decision
	if len(p.labels.ignore) == 0 || t.Observed.IsZero() {
		return
	}

	p.note(NoteKept, "", d.kept())

	if d.Cloud == nil && (!d.Reports || d.Observed != nil && hasOthers(t, d.Observed)) {
		p.Notes = append(p.Notes, Note{Kind: NoteUnreported})
	}
}
