package stamp

import (
	"fmt"
	"slices"

	"github.com/plexsphere/function-cloud-tags/tags/locate"
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

	// ObservedTags has the tags of the observed field. It is nil if the field can't be read, or if the input has neither ignoreTags nor a
	// source with onConflict Error.
	ObservedTags *tagset.Set

	// OtherManagersTags has the tags of the observed field that other field managers own, such as owner: me of kubectl edit.
	// These tags stay. In an atomic field, they stay only if no step desires the field.
	OtherManagersTags *tagset.Set

	// CloudTags has the tags that the provider reports from the cloud. It is nil if the provider reports none, or if the input has neither
	// ignoreTags nor a source with onConflict Error.
	CloudTags *tagset.Set

	// EarlierTrustedTags has the tags that earlier steps of the function set from trusted sources, key to value.
	EarlierTrustedTags map[string]string

	// CopiedTags has the tags that kubernetesMetadata copied to the field, or is nil.
	CopiedTags *tagset.Set

	// FollowedBefore has the changes by other systems in the cloud that earlier runs have taken over to the tag field because of ignoreTags,
	// such as from backup: daily to backup: weekly. Only this package can make and read it.
	FollowedBefore followedChanges

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

// followedChanges has each followed change by the name of its tag, such as backup: see nameOf.
type followedChanges map[string]followedChange

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
