package stamp

import (
	"iter"
	"slices"
	"strconv"

	"google.golang.org/protobuf/types/known/structpb"

	"github.com/crossplane/function-sdk-go/errors"

	"github.com/plexsphere/function-cloud-tags/input/v1beta1"
	"github.com/plexsphere/function-cloud-tags/tags"
	"github.com/plexsphere/function-cloud-tags/tags/field"
	"github.com/plexsphere/function-cloud-tags/tags/object"
	"github.com/plexsphere/function-cloud-tags/tags/profile"
	"github.com/plexsphere/function-cloud-tags/tags/stamp/tagset"
	"github.com/plexsphere/function-cloud-tags/tags/target"
)

// A plan is what becomes of the tags of one resource. In this order: reserved keys that are
// nobody's are taken away, labels become tags, tags of other systems get the value that the
// cloud has, tags are removed, and what the resource has no tag slot for is skipped.
type plan struct {
	Result

	// wishes for resources with this kind of tag field.
	*wishes

	in     *v1beta1.CloudTags
	target *target.Target

	// decided is true if it could be decided on the resource's tags.
	decided bool

	// earlier are the tags with reserved keys that earlier steps have of trusted sources.
	earlier map[string]string

	// set is what the field holds.
	set *tagset.Set

	// cloud are the tags that the cloud has. It is nil if they are not known, or nobody needs
	// to.
	cloud *tagset.Set

	// others are the tags that other field managers have in the observed field, where they
	// stay. It is nil if there are none.
	others *tagset.Set

	// fates of labels that don't lack a tag slot, by position.
	fates map[int]fate

	// there is true of labels whose tag was there, or the cloud has for another system, by
	// position: what the tag is decides on what rules do to it.
	there map[int]bool

	// ignored are what missing labels are in the cloud, by position.
	ignored map[int][]tagset.Entry

	// foreign are the tags of other systems that the field doesn't have.
	foreign [][]tagset.Entry

	// before are the changes of other systems' tags that the last run has followed, and changes
	// those that this one does, by tag.
	before, changes followedChanges

	// replacing are the positions of labels with reserved keys whose tags were there in
	// another case.
	replacing []int

	// cut is the position of the first label without a tag slot, or the number of
	// labels. The fate of those behind it is not looked at.
	cut int

	// lacking is how many trusted labels have no tag slot, and lackingKeys the keys of
	// the first of them.
	lacking     int
	lackingKeys []string

	// taken are the tags that earlier steps set with reserved keys, protected the keys
	// that could have been changed or removed, and unkept those of other systems' tags
	// that there is no slot for.
	taken, protected, unkept []string
}

// A fate of a label.
type fate int

const (
	// fateStamped labels are tags. All others have the tag that the fate says.
	fateStamped fate = iota
	fateRetained
	fateIgnored
	fateRemoved
)

// result of the target, of which nothing is decided yet.
func result(t *target.Target) Result {
	return Result{Resource: t.Name, APIVersion: t.Kind.APIVersion, Kind: t.Kind.Kind.Kind, Provider: t.Profile.Name}
}

// leftAlone is the result of the supplied target, which is left alone.
func (s *Stamper) leftAlone(t *target.Target) Result {
	r := result(t)

	switch {
	case !s.asksForTags(): // There is nothing that it could have been tagged with.
	case t.Leave != target.None:
		r.LeftAlone = t.Why(t.Leave)
	default:
		r.LeftAlone, r.NoField, r.Unknown = t.Why(t.Lacks), t.Lacks.IsNoField(), t.Lacks.IsUnknown()

		if r.Composite = r.NoField && t.IsComposite(); r.Composite {
			r.LeftAlone = t.Why(target.Composite)
		}
	}

	r.Stamped = s.asIs(t)

	return r
}

// plan what becomes of the tags of t, which has the labels l.
func (s *Stamper) plan(t *target.Target, l *resourceLabels) (*plan, error) {
	p := &plan{Result: result(t), wishes: l.wishesFor(t), in: s.Input, target: t, earlier: s.Earlier[t.Name]}

	if len(p.transformed.Tags)+len(p.transformed.Refused) > 0 {
		p.Unprofiled = t.Unprofiled
	}

	if t.Field.Immutable && isMade(t) {
		if err := p.freeze(); err != nil {
			p.Mismatch = err.Error()
		}

		return p, nil
	}

	// Without anything to do, the provider's tags still have to be kept, and a field that
	// has become empty may have to be there.
	if len(p.transformed.Tags)+len(s.Remove)+len(s.Ignore) == 0 && p.transformed.Reserved().Empty() && !t.Field.Atomic && !t.Field.LateInit && !t.Copies.IsThere() && isEmpty(t.There) {
		return p, nil
	}

	set, kept, err := desired(t, p.wishes)
	if err != nil {
		p.Mismatch = err.Error()
		return p, nil //nolint:nilerr // It is told of.
	}

	p.set = set
	p.cloud, p.others = s.cloud(t, p.wishes), t.Staying(&p.Keys, true)

	if err := p.decide(); err != nil || p.lacking > 0 {
		return p, err
	}

	valued := p.valued()

	if set.Changed() || kept || len(valued) > 0 || set.Len() == 0 && (t.Field.LateInit || t.Field.Atomic) {
		if p.Stamped, err = write(t, p.wishes, set, valued...); err != nil {
			p.Mismatch = err.Error()
			return p, nil //nolint:nilerr // It is told of.
		}
	}

	if err := p.remember(); err != nil {
		return nil, err
	}

	keep(p)
	p.noteLast()
	p.noteIgnored()

	if p.LeftAlone == "" {
		p.conclude()
	}

	return p, nil
}

// planReserved plans what becomes of the tags of t that have reserved keys, and of no others.
func (s *Stamper) planReserved(t *target.Target, l *resourceLabels) *plan {
	p := &plan{Result: result(t), wishes: l.wishesFor(t), in: s.Input, target: t, earlier: s.Earlier[t.Name], decided: true}
	p.cut = len(p.tags)

	var err error
	if p.set, _, err = desired(t, p.wishes); err != nil {
		return p // It is left alone, as what has no tags.
	}

	p.takeAway()

	claimed := p.replacing

	for e := range p.set.All() {
		for _, i := range p.byID[e.ID] {
			if !e.Opaque && p.tags[i].Reserved {
				claimed = append(claimed, i)
			}
		}
	}

	for _, i := range claimed {
		p.set.Put(p.entry(i))
	}

	if p.set.Changed() {
		if p.Stamped, err = write(t, p.wishes, p.set); err != nil {
			p.Mismatch = err.Error()
		}
	}

	return p
}

// keep the tags that the target of the supplied plan was made with, if they can't change: the
// API server would refuse whatever else changes in the resource, too.
func keep(p *plan) {
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

// decide on everything about the tags.
func (p *plan) decide() error {
	p.fates, p.there, p.ignored = make(map[int]fate, min(len(p.tags), p.Profile.MaxTags)), make(map[int]bool), make(map[int][]tagset.Entry)

	p.takeAway()

	if err := p.label(); err != nil {
		return err
	}

	p.ignoreTags()
	p.removeTags()

	return p.fill()
}

// takeAway the tags with reserved keys that no trusted source has.
func (p *plan) takeAway() {
	for e := range p.set.All() {
		key, reserved := p.reserved(e)
		if !reserved || p.isProviders(e) && !e.IsAmbiguous() || p.replaces(e) {
			continue
		}

		claim, claimed := e.First(p.claimed)
		_, lost := e.First(p.lost)

		switch {
		case claimed:
			p.replacing = append(p.replacing, p.byClaim[profile.FoldKey(claim)])
		case !lost && p.isEarlier(e):
			continue
		default:
			p.taken = append(p.taken, key)
		}

		p.set.Remove(e)
	}
}

// replaces is true if a label of a trusted source replaces the supplied entry where it is,
// or is what it says.
func (p *plan) replaces(e *tagset.Entry) bool {
	return !e.Opaque && slices.ContainsFunc(p.byID[e.ID], func(i int) bool {
		t := &p.tags[i]
		return t.Reserved || t.Trusted && e.Key == t.Key && tagset.IsText(e.Value, t.Value)
	})
}

// isEarlier is true if an earlier step of the function has the supplied entry of a trusted
// source.
func (p *plan) isEarlier(e *tagset.Entry) bool {
	is := false

	for key, value := range p.earlier {
		if e.Is(key, value) {
			p.trust(key, value)

			is = true
		}
	}

	return is
}

// trust that the resource has the supplied tag of a trusted source.
func (p *plan) trust(key, value string) {
	if p.Trusted == nil {
		p.Trusted = make(map[string]string)
	}

	p.Trusted[key] = value
}

// label decides on the labels whose tag is there. It returns an error if the source of one
// accepts no other value.
func (p *plan) label() error {
	var there []int

	for e := range p.set.All() {
		if !e.Opaque {
			there = append(there, p.byID[e.ID]...)
		}
	}

	slices.Sort(there)

	for _, i := range slices.Compact(there) {
		t := &p.tags[i]
		p.there[i], p.fates[i] = true, fateStamped

		switch {
		case t.Reserved || t.OnConflict() == tags.Replace:
			p.set.Put(p.entry(i))
		case t.OnConflict() == tags.Refuse:
			return errors.Errorf("an earlier step has set the tag %q to %s, and %s with onConflict Error has the value %q for it",
				t.Key, quote(p.set.Find(p.entries[i].ID)), t.Source.Name, t.Value)
		default:
			p.fates[i] = fateRetained
		}
	}

	// They take the slots of the tags that they replace.
	for _, i := range p.replacing {
		if !p.without.has(i) {
			p.fates[i] = fateStamped
			p.there[i] = true
			p.set.Put(p.entry(i))
		}
	}

	p.putTwins()

	return nil
}

// putTwins puts the labels that differ from others in case alone once more: an entry of one of them
// can have stood in the way of another, and be gone since.
func (p *plan) putTwins() {
	for _, twins := range p.twins {
		for _, i := range twins {
			if f, decided := p.fates[i]; decided && f == fateStamped {
				p.set.Put(p.entry(i))
			}
		}
	}
}

// ignoreTags gives the tags of other systems the value that the cloud has.
func (p *plan) ignoreTags() {
	if len(p.ignore) == 0 {
		return
	}

	there := p.target.Reported(p.target.There, &p.Keys)

	for _, of := range p.held(there) {
		p.ignoreTag(of, there)
	}

	if p.cloud == nil {
		return
	}

	for of := range p.cloud.Tags() {
		p.ignoreTag(of, there)
	}
}

// ignoreTag gives the tag of which the cloud has the entries their value, if it is another system's.
// The observed field has the tags there.
func (p *plan) ignoreTag(of []tagset.Entry, there *tagset.Set) {
	of, rule := p.external(of)
	if rule == nil {
		return
	}

	all := p.labelsOf(&of[0])
	labels, has := all, p.set.Has(of[0].ID)

	if rule.retain && (len(labels) > 0 || has) {
		return
	}

	if there != nil {
		of = p.follow(of, slices.Collect(there.With(of[0].ID)))
	}

	// The first label's slot is the one of the tag.
	if len(labels) > 0 && !has {
		p.ignored[labels[0]] = of
		p.there[labels[0]] = true
		labels = labels[1:]
	}

	for _, i := range labels {
		p.fates[i] = fateIgnored
	}

	switch {
	case has && p.set.Grows(of) <= 0:
		p.set.Adopt(of)
	case has || len(all) == 0:
		p.foreign = append(p.foreign, of)
	}
}

// external returns what is another system's of the supplied entries of the cloud, and the
// rule that says so, or nil if nothing is.
func (p *plan) external(of []tagset.Entry) (theirs []tagset.Entry, rule *keyRule) {
	for i := range of {
		e := &of[i]

		// What a trusted source says of a reserved key stands. The cloud would
		// refuse the tags that it sets itself.
		_, claimed := e.First(p.claimed)
		_, lost := e.First(p.lost)

		if claimed || lost || p.isClouds(e) || !e.IsTextual() && p.target.Field.Shape != field.MapOfLists || !e.FitsIn(p.target.Field.Limits) {
			continue
		}

		r := p.rule(p.ignore, e)
		if r == nil {
			continue
		}

		// Nobody else has a say in it.
		if key, reserved := p.reserved(e); reserved {
			p.protected = append(p.protected, key)
			continue
		}

		if rule == nil {
			rule = r
		}

		theirs = append(theirs, *e)
	}

	return theirs, rule
}

// rule returns the first of the supplied rules that holds for the supplied tag, or nil if
// none does.
func (p *plan) rule(rules []keyRule, e *tagset.Entry) *keyRule {
	if slices.Contains(p.target.Field.ProviderTags, e.Key) {
		return nil // They would come back.
	}

	rule, protected := p.match(rules, e)
	if rule == nil && protected != "" {
		p.protected = append(p.protected, protected)
	}

	return rule
}

// removeTags that resources don't get.
func (p *plan) removeTags() {
	if len(p.remove) == 0 {
		return
	}

	for of := range p.set.Tags() {
		for i := range of {
			if e := &of[i]; p.rule(p.remove, e) != nil {
				p.set.Remove(e)
			}
		}

		if p.set.Has(of[0].ID) {
			continue
		}

		for _, i := range p.byID[of[0].ID] {
			p.fates[i] = fateRemoved
		}
	}

	for i, of := range p.ignored {
		if p.ignored[i] = p.kept(of); len(p.ignored[i]) == 0 {
			delete(p.ignored, i)
			p.fates[i] = fateRemoved
		}
	}

	for i, of := range p.foreign {
		p.foreign[i] = p.kept(of)
	}
}

// kept are what removeTags keeps of the supplied entries of the cloud.
func (p *plan) kept(of []tagset.Entry) []tagset.Entry {
	return slices.DeleteFunc(slices.Clone(of), func(e tagset.Entry) bool { return p.rule(p.remove, &e) != nil })
}

// fill the tag slots that are free: with the tags of trusted labels, with what tags of other systems
// that are there have more in the cloud, with the tags of other labels, with the missing tags of other
// systems, and with copied metadata. So the tags that one run has come to take no others' slots in the
// next. What needs no slot is put first, since it can free some.
func (p *plan) fill() error {
	if err := p.replaceOthers(); err != nil {
		return err
	}

	copies, _ := p.adopt(p.copies(), 0)
	grown, missing := p.foreignTags()

	free, err := p.fillLabels(p.freeSlots(), p.countTrusted())
	if err != nil {
		return err
	}

	unkept, free := p.adopt(grown, free)

	if free, err = p.fillLabels(free, len(p.tags)); err != nil {
		return err
	}

	more, free := p.adopt(missing, free)
	for _, of := range slices.Concat(unkept, more) {
		p.unkept = append(p.unkept, of[0].Key)
	}

	copies, _ = p.adopt(copies, free)
	p.note(NoteCopyCapped, firstKeys(copies))

	return nil
}

// countTrusted is how many tags are of trusted labels. They come first.
func (p *plan) countTrusted() int {
	if i := slices.IndexFunc(p.tags, func(t tags.Tag) bool { return !t.Trusted }); i >= 0 {
		return i
	}

	return len(p.tags)
}

// foreignTags returns the tags of other systems: those that are there, but with fewer entries than in
// the cloud, and those that are missing.
func (p *plan) foreignTags() (grown, missing [][]tagset.Entry) {
	for _, of := range p.foreign {
		switch {
		case len(of) == 0:
		case p.set.Has(of[0].ID):
			grown = append(grown, of)
		default:
			missing = append(missing, of)
		}
	}

	return grown, missing
}

// adopt those of the tags, each with its entries, for which there are free slots. It returns the others,
// and how many slots are left.
func (p *plan) adopt(all [][]tagset.Entry, free int) (left [][]tagset.Entry, slots int) {
	for _, of := range all {
		needs := p.grows(of)
		if !fits(needs, free) || !of[0].FitsIn(p.target.Field.Limits) {
			left = append(left, of)
			continue
		}

		free -= max(needs, 0)
		p.set.Adopt(of)
	}

	return left, free
}

// firstKeys are the keys of the tags.
func firstKeys(all [][]tagset.Entry) []string {
	keys := make([]string, len(all))
	for i, of := range all {
		keys[i] = of[0].Key
	}

	return keys
}

// fillLabels fills so many slots with the tags of labels that are missing, up to the position end. It
// returns how many slots are left.
func (p *plan) fillLabels(free, end int) (int, error) {
	for ; p.cut < end; p.cut++ {
		if !p.isOpen(p.cut) {
			continue
		}

		needs := p.takes(p.cut)

		if !fits(needs, free) {
			if !p.tags[p.cut].Trusted {
				return free, nil
			}

			p.lack(p.tags[p.cut].Key)

			continue
		}

		if err := p.put(p.cut); err != nil {
			return free, err
		}

		free -= needs
	}

	return free, nil
}

// lack a tag slot for the trusted label with the supplied tag key.
func (p *plan) lack(key string) {
	p.lacking++

	if p.lacking <= maxLimitKeys {
		p.lackingKeys = append(p.lackingKeys, key)
	}
}

// slotless returns the positions of the labels that the resource has no tag slot for.
func (p *plan) slotless() iter.Seq[int] {
	return func(yield func(int) bool) {
		if !p.decided {
			return
		}

		for i := p.cut; i < len(p.tags); i++ {
			if p.lacksSlot(i) && !yield(i) {
				return
			}
		}
	}
}

// countSlotless returns how many labels the resource has no tag slot for.
func (p *plan) countSlotless() (n int) {
	for range p.slotless() {
		n++
	}

	return n
}

// lacksSlot is true if the resource has no tag slot for the label at the position i. A tag that
// rules remove needs one only if the cloud has it for another system, at another value than the
// rules name.
func (p *plan) lacksSlot(i int) bool {
	if _, decided := p.fates[i]; decided || i < p.cut {
		return false
	}

	_, ignored := p.ignored[i]

	return ignored || !p.without.has(i)
}

// conclude says which labels are tags now, and which are withheld.
func (p *plan) conclude() {
	p.decided = true
	w := &p.Withheld

	for i, f := range p.fates {
		t := &p.tags[i]

		// Two tags can come to one string of a list, and only one key be found then.
		e := p.set.Find(p.entries[i].ID)

		switch {
		case f == fateStamped || e != nil && tagset.IsText(e.Value, t.Value):
			if p.Active == nil {
				p.Active = make(map[string]string, len(p.fates))
			}

			p.Active[t.Key] = t.Value

			if t.Reserved {
				p.trust(t.Key, t.Value)
			}
		case f == fateRetained:
			w.Retained = append(w.Retained, t.Key)
		case f == fateIgnored:
			w.Ignored = append(w.Ignored, t.Key)
		default:
			w.Removed = append(w.Removed, t.Key)
		}
	}

	w.Removed = p.withAll(&p.without, w.Removed)
	w.Protected = p.withAll(&p.wishes.protected, p.protected)
	w.Unkept = p.unkept

	p.noteOthers()
	p.noteOtherValues()

	slices.Sort(w.Retained)
	slices.Sort(w.Ignored)
	slices.Sort(w.Unkept)
}

// withAll returns the supplied keys, sorted, with those of all labels at the supplied
// positions that were missing. All resources share a list of nothing else.
func (p *plan) withAll(of *positions, keys []string) []string {
	slices.Sort(keys)
	keys = slices.Compact(keys)

	there := 0

	for i := range p.there {
		if of.has(i) {
			there++
		}
	}

	if there == 0 && len(keys) == 0 {
		return of.keys
	}

	for _, i := range of.sorted {
		if !p.there[i] {
			keys = append(keys, of.key[i])
		}
	}

	slices.Sort(keys)

	return slices.Compact(keys)
}

// quote puts the value of a tag for messages.
func quote(e *tagset.Entry) string {
	if s, ok := e.Value.GetKind().(*structpb.Value_StringValue); ok {
		return strconv.Quote(s.StringValue)
	}

	return object.KindOf(e.Value)
}
