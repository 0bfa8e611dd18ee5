package stamp

import (
	"fmt"
	"iter"
	"slices"

	"github.com/plexsphere/function-cloud-tags/tags"
	"github.com/plexsphere/function-cloud-tags/tags/locate"
	"github.com/plexsphere/function-cloud-tags/tags/object"
	"github.com/plexsphere/function-cloud-tags/tags/profile"
	"github.com/plexsphere/function-cloud-tags/tags/tagset"
)

// A State has the tags of one tag field before anything is decided, and everything else that Decide reads. Decide changes Tags only.
type State struct {
	// Target is the resource with the tag field.
	Target *locate.Target

	// Labels has the labels for the resource, and the entries of removeTags and ignoreTags.
	Labels *Labels

	// Tags has the tags that earlier steps of the pipeline desire. Decide changes them to the tags that the field is to have.
	Tags *tagset.Set

	// ObservedTags has the tags of the observed field. It is nil if the field can't be read, or if the input has no ignoreTags, and no
	// label onConflict Error.
	ObservedTags *tagset.Set

	// OtherManagersTags has the tags of the observed field that other field managers own, such as owner: me of kubectl edit.
	// These tags stay. In an atomic field, they stay only if no step desires the field.
	OtherManagersTags *tagset.Set

	// CloudTags has the tags that the provider reports from the cloud. It is nil if the provider reports none, or if the input has no
	// ignoreTags, and no label onConflict Error.
	CloudTags *tagset.Set

	// EarlierTrustedTags has the tags that earlier steps of the function set from trusted sources, key to value.
	EarlierTrustedTags map[string]string

	// CopiedTags has the tags that kubernetesMetadata copied to the field, or is nil.
	CopiedTags *tagset.Set

	// FollowedBefore has the changes by other systems in the cloud that earlier runs have taken over to the tag field because of ignoreTags,
	// such as from backup: daily to backup: weekly, by the name of the tag: see nameOf. Only this package can make and read it.
	FollowedBefore map[string]followedChange

	// AlreadyStamped reports whether Tags already has the tags of this step: see AlreadyStamped of the Stamper.
	AlreadyStamped bool

	// ReservedSlots is the number in reservedTags of the input. This many tag slots stay free for tags that others set in the cloud.
	// ReservesForProvider reports whether slots are kept free for the provider's own tags, too.
	ReservedSlots       int
	ReservesForProvider bool
}

// A followedChange is a change of another system's tag in the cloud that the resource follows, such as from daily to weekly: see follow.
type followedChange struct {
	// From is a digest of the value before the change, daily.
	From string `json:"from"`

	// OldValueReturned reports whether the old value "daily" has been in the status once more after the change. That happens if the provider
	// writes the old value of the tag field to the cloud.
	OldValueReturned bool `json:"reported,omitempty"`
}

// desiredTags returns the tags of t that earlier steps desire. In an atomic list, it adds the tags that the provider has set itself, such
// as crossplane-kind. Server-side apply replaces an atomic list as a whole: without these tags in the list, it would remove them, and the
// provider would add them again, for ever. restored reports whether the field has to be written for these tags. If earlier steps desire no
// tags, the provider's tags alone are no reason to write the field. See testdata/cases/atomic-list.yaml.
func desiredTags(t *locate.Target, l *Labels) (set *tagset.Set, restored bool, err error) {
	if t.DesiredErr != nil {
		return nil, false, t.DesiredErr
	}

	set, err = t.DesiredTags(&l.Keys)
	if err != nil || !t.Field.Atomic || !l.Form().IsList {
		return set, false, err // Server-side apply removes the provider's tags only from atomic lists.
	}

	hasDesiredTags := set.FieldLen() > 0

	// The key of a string is the longest known key that it begins with. providerKeys has no keys of labels. So crossplane-kind=a=b has the key
	// crossplane-kind, even if a label has the key crossplane-kind=a.
	for entries := range t.ReadTags(t.ObservedValue, &l.providerKeys).Tags() {
		e := entries[0] // Each of the provider's tags has one entry.
		if locate.ProviderSets(t.Field, l.Profile.Fold(e.Key)) && !set.Has(e.ID) {
			restored = set.Restore(e) || restored // Restore returns false if the set has the string already, with a label's key.
		}
	}

	return set, restored && hasDesiredTags, nil
}

// beforeDecision returns a copy of s with Tags that Decide doesn't change.
func (s *State) beforeDecision() *State {
	before := *s
	before.Tags = s.Tags.Clone()

	return &before
}

// present yields the tags of the desired field, and then those that only other field managers have set in the observed field.
func (s *State) present() iter.Seq[*tagset.Entry] {
	return func(yield func(*tagset.Entry) bool) {
		for e := range s.Tags.All() {
			if !yield(e) {
				return
			}
		}

		for e := range s.OtherManagersTags.All() {
			if s.Tags.Counterpart(e) == nil && !yield(e) {
				return
			}
		}
	}
}

// addedByProvider reports whether the provider sets the tag e itself: a tag that many providers set, such as crossplane-kind, or a tag that
// the provider sets on this kind, such as managed-by-cnrm.
func (s *State) addedByProvider(e *tagset.Entry) bool {
	return s.Labels.setByProvider(e) || slices.Contains(s.Target.Field.ProviderTags, e.Key)
}

// providerTagsToAdd returns how many tags the provider still has to add to the resource: 2 if it adds three tags, and the Tags of s have
// one of them, crossplane-kind. It returns 0 if no slots are kept free for the provider's tags.
func (s *State) providerTagsToAdd() (count int) {
	for _, key := range s.Target.Field.ProviderTags {
		if s.ReservesForProvider && !s.Tags.Has(s.Labels.ID(key)) {
			count++
		}
	}

	return count
}

// providerTagsForField returns how many of the providerTagsToAdd the provider also adds to the tag field: all of them, or none.
func (s *State) providerTagsForField() int {
	if s.Target.Field.AddsToField {
		return s.providerTagsToAdd()
	}

	return 0
}

// slots returns how many tags may come from labels, steps and field managers: with a cap of 50, and 3 tags that the provider still adds,
// 47. If the schema of the kind limits the tag field, the smaller of the two limits counts, and limitedByField says which one it is.
func (s *State) slots() (slots int, limitedByField bool) {
	slots = s.Labels.Profile.MaxTags - s.ReservedSlots - s.providerTagsToAdd()
	if s.Labels.Limits == nil {
		return slots, false
	}

	slotsInField := s.Labels.Limits.Max - s.providerTagsForField() // Tags that others set in the cloud (reservedTags) need no slots in the field.

	return min(slots, slotsInField), slotsInField < slots
}

// freeSlots returns how many more tags the resource may have. With 47 slots, 38 tags and 2 more tags of other field managers, it returns 7.
// If there are too many tags, it returns a negative number.
func (s *State) freeSlots() int {
	slots, _ := s.slots()
	return slots - s.Tags.Len() - s.countStayingTags()
}

// limitText returns the limit of slots for messages, such as "at most 50 tags on a resource, 2 of them reserved".
func (s *State) limitText() string {
	limit, reserved, toAdd := s.Labels.Profile.Limit(profile.CountCap), s.ReservedSlots, s.providerTagsToAdd()

	if _, limitedByField := s.slots(); limitedByField {
		limit = fmt.Sprintf("at most %d %ss in %s, by the schema of the kind", s.Labels.Limits.Max, s.Labels.Profile.Noun(), s.Target.Field.Path)
		reserved, toAdd = 0, s.providerTagsForField()
	}

	if reserved > 0 {
		limit += fmt.Sprintf(", %d of them reserved", reserved)
	}

	if toAdd > 0 {
		limit += fmt.Sprintf(", %d for those that the provider adds", toAdd)
	}

	if n := s.countStayingTags(); n > 0 {
		limit += fmt.Sprintf(", %d of other field managers", n)
	}

	return limit
}

// slotTakenByOther reports whether the slot of the entry e is taken anyway, by another field manager's tag that stays though no step
// desires it. A label that replaces this tag needs no further slot: env: prod takes the slot of env: dev. In a list of strings, only the
// same string counts: env=prod can't take the slot of env=dev.
func (s *State) slotTakenByOther(e *tagset.Entry) bool {
	return s.stayingTags().HasTagOf(e) && !s.Tags.HasTagOf(e)
}

// stayingTags returns the tags of other field managers that stay beside the desired tags, such as owner: me of kubectl edit. In an
// atomic field none stays: once a step desires the field, Crossplane owns all of it.
func (s *State) stayingTags() *tagset.Set {
	if s.Target.Owners().Atomic {
		return nil
	}

	return s.OtherManagersTags
}

// countStayingTags counts the tags of other field managers that stay beside the desired tags. If somebody adds owner: me by kubectl edit,
// it returns 1. The provider's own tags, such as crossplane-kind, don't count if slots are kept free for them.
func (s *State) countStayingTags() (n int) {
	for e := range s.stayingTags().All() {
		hasSlot := s.ReservesForProvider && slices.Contains(s.Target.Field.ProviderTags, e.Key)
		if !hasSlot && !s.Tags.HasTagOf(e) {
			n++
		}
	}

	return n
}

// entryToPut returns the entry that put writes for the label at position i. Its key has the spelling of another field manager's tag, if
// there is one. On Azure, which ignores case, the entry of the label env replaces the tag Env of kubectl edit, and has the key Env.
func (s *State) entryToPut(i int) *tagset.Entry {
	e := &s.Labels.entries[i]

	staying := s.stayingTags().Find(e.ID)
	if staying == nil || s.Labels.Form().HasStrings {
		return e // In a list of strings, env=prod can't replace Env=dev of another field manager.
	}

	spelled := *e
	spelled.Key = staying.Key

	return &spelled
}

// untrustedKey returns the reserved key of the entry e if no trusted source gives e. For example, owner is a reserved key, and e is owner: me.
// found is false in these cases:
//   - No key of e is reserved.
//   - A trusted label gives e: see trustedPositionOf.
//   - An earlier step of this function has set e from a trusted source, and this step has no trusted label with the key. Such a label
//     decides, even if it was skipped.
//   - The provider sets e itself, and would add it again. But an entry of a joined string, such as a=1,b=2, can have another key as well,
//     which may be reserved (IsAmbiguous).
//
// All decisions on tags with reserved keys ask untrustedKey, also for tags that nobody can take away.
func (s *State) untrustedKey(e *tagset.Entry) (key string, found bool) {
	key, isReserved := s.Labels.reservedKey(e)
	if !isReserved || s.Labels.setByProvider(e) && !e.IsAmbiguous() {
		return "", false
	}

	if _, isLabels := s.Labels.trustedPositionOf(e); isLabels {
		return "", false
	}

	if !s.Labels.decidesOnReserved(e) {
		for range s.earlierTrusted(e) {
			return "", false
		}
	}

	return key, true
}

// earlierTrusted yields the tags that e can be read as, and that earlier steps of this function have set from trusted sources. The string
// owner=a=b is the tag owner: a=b, and also the tag owner=a: b. Both may be trusted.
func (s *State) earlierTrusted(e *tagset.Entry) iter.Seq2[string, string] {
	return func(yield func(key, value string) bool) {
		for key, value := range s.EarlierTrustedTags {
			if e.IsTag(key, value) && !yield(key, value) {
				return
			}
		}
	}
}

// decideReserved takes each tag with an untrustedKey out of Tags, such as owner: me of an earlier step. If this step has the trusted label
// owner: team-a, its tag takes the place of owner: me, and also of Owner: me. decideReserved returns the positions of these labels, and the
// records of tags that no label replaces. In a field for launched resources, takenAway also has tags with replaced keys in another case, such as
// Owner, since nobody looks there for the label's tag. See testdata/cases/earlier.yaml, reserved.yaml and launched-reserved.yaml.
func (s *State) decideReserved() (replacing []int, takenAway []tags.Judged) {
	l := s.Labels

	for e := range s.Tags.All() {
		key, isUntrusted := s.untrustedKey(e)
		if !isUntrusted {
			continue
		}

		if i, hasSameKey := l.positionOf(e); hasSameKey && l.all[i].Reserved {
			replacing = append(replacing, i) // A label with a reserved key is trusted. Its tag gets the position of e.
			continue
		}

		s.Tags.Remove(e)

		labelKey, hasLabel := e.KeyIn(l.reservedByLabels)
		isReplaced := hasLabel && !e.IsUncut()

		if !isReplaced || s.Target.IsLaunched {
			takenAway = append(takenAway, l.transformed.TakenAway(key))
		}

		if isReplaced && !s.slotTakenByOther(e) { // The tag Owner leaves its slot to the label with the key owner.
			replacing = append(replacing, l.firstWithReservedKey[profile.FoldKey(labelKey)])
		}
	}

	replacing = slices.DeleteFunc(replacing, func(i int) bool {
		e := s.entryToPut(i)
		if s.Tags.HasRoomFor(e) {
			s.Tags.Put(e)
			return false
		}

		for old := range s.Tags.EntriesWith(e.ID) {
			s.Tags.Remove(&old)
		}

		return true // The label waits for room, as one without a tag does.
	})

	return replacing, takenAway
}

// trustedTags returns the Tags that trusted sources give, key to value. Later steps of this function keep them: see EarlierTrustedTags.
// Tags of earlier steps are among them if their keys are reserved in this step.
func (s *State) trustedTags() (out map[string]string) {
	for e := range s.Tags.All() {
		if i, isLabels := s.Labels.trustedPositionOf(e); isLabels {
			out = withKey(out, s.Labels.all[i].Key, s.Labels.all[i].Value)
			continue
		}

		if _, isReserved := s.Labels.reservedKey(e); !isReserved {
			continue
		}

		for key, value := range s.earlierTrusted(e) {
			out = withKey(out, key, value)
		}
	}

	return out
}

// withKey sets the value at the key in the map into, and returns the map. If into is nil, withKey returns a new map.
func withKey(into map[string]string, key, value string) map[string]string {
	if into == nil {
		into = make(map[string]string)
	}

	into[key] = value

	return into
}

// removeUntrustedInitial removes entries of spec.initProvider from the set if they have reserved keys that no trusted source gives.
func (s *State) removeUntrustedInitial(set *tagset.Set) {
	for e := range set.All() {
		if _, isUntrusted := s.untrustedKey(e); isUntrusted && e.Initial {
			set.Remove(e)
		}
	}
}

// ineffectiveInitialList returns the list in spec.initProvider beside a list in spec.forProvider. Providers drop its tags, but merge its items
// by position: {key: env} and {value: dev} make {key: env, value: dev}. So no item stays that could make a tag with a reserved key:
//   - The list ends before the first item with a reserved key, unless a trusted source gives the tag.
//   - If an item of spec.forProvider lacks its key or value, no item stays.
func (s *State) ineffectiveInitialList() object.Node {
	t := s.Target

	initial, err := tagset.Read(t.InitialValue, t.Field, &s.Labels.Keys)
	if err != nil || s.Labels.transformed.Reserved().Empty() {
		return t.InitialValue
	}

	for e := range s.Tags.All() {
		if t.Field.Key != "" && (e.Opaque || tagset.IsText(e.Value, "")) { // It is an incomplete item of a list of objects.
			return object.Node{}
		}
	}

	items := slices.Collect(t.InitialValue.Items()) // A joined string has no items.

	for i, e := range slices.Collect(initial.All()) {
		if _, isUntrusted := s.untrustedKey(e); isUntrusted {
			return object.ListNode(items[:min(i, len(items))])
		}
	}

	return t.InitialValue
}
