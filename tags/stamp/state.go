package stamp

import (
	"fmt"
	"slices"

	"github.com/plexsphere/function-cloud-tags/tags/locate"
	"github.com/plexsphere/function-cloud-tags/tags/profile"
	"github.com/plexsphere/function-cloud-tags/tags/tagset"
)

// A State has the tags of one tag field before anything is decided, and everything else that Decide reads.
type State struct {
	// Labels has the labels for the resource, and the entries of removeTags and ignoreTags.
	Labels *Labels

	// Tags has the tags that earlier steps desire.
	Tags *tagset.Set

	// Observed has the tags of the observed field. It is nil if the field can't be read, or if the input has neither ignoreTags nor a
	// source with onConflict Error.
	Observed *tagset.Set

	// OtherManagersTags has the tags of the observed field that other field managers own, such as owner: me of kubectl edit, or is nil.
	// These tags stay if no step desires the field.
	OtherManagersTags *tagset.Set

	// Owners has the field managers of the observed tags. It is nil if both Observed and OtherManagersTags are.
	Owners *locate.Owners

	// Cloud has the tags that the provider reports from the cloud. It is nil if the provider reports none, or if the input has neither
	// ignoreTags nor a source with onConflict Error.
	Cloud *tagset.Set

	// CloudMayBeOutdated reports whether the cloud may lack tags of Cloud, since some providers never drop a reported tag.
	CloudMayBeOutdated bool

	// IsReported reports whether the field's kind has a place in the status for the cloud's tags, such as status.atProvider.tagsAll.
	IsReported bool

	// EarlierTrustedTags has the tags with reserved keys that earlier steps of the function set from trusted sources, key to value.
	EarlierTrustedTags map[string]string

	// Copies has the tags that kubernetesMetadata copied to the field, or is nil.
	Copies *tagset.Set

	// Followed has the changes of other systems' tags that earlier runs have followed: see follow.
	Followed followedChanges

	// ProviderKeys has the keys of tags that the provider adds itself, such as crossplane-kind.
	ProviderKeys []string

	// AlreadyStamped reports whether Tags already has the tags of this step, so that no tag conflicts with a label.
	AlreadyStamped bool

	Slots Slots
}

// Slots says how many tags a resource may have.
type Slots struct {
	// Max is the cap of the tag profile. Reserved is the number of slots that reservedTags of the input keeps free.
	Max, Reserved int

	// ForProviderTags reports whether slots are kept free for the provider's own tags. ProviderTagsInField reports whether the provider
	// adds these tags to the tag field, too.
	ForProviderTags, ProviderTagsInField bool

	// MaxInField is the most entries that the tag field may have by the schema of the kind, or field.NoLimit.
	MaxInField int

	// Field is the path of the tag field, for messages.
	Field string
}

// A followedChange is a change of another system's tag in the cloud that the resource follows, such as from daily to weekly: see follow.
type followedChange struct {
	// From is a digest of the value before the change, daily.
	From string `json:"from"`

	// Reported reports whether the status has had daily once more after the change.
	Reported bool `json:"reported,omitempty"`
}

// followedChanges has followed changes by the name of the tag, such as backup: see nameOf.
type followedChanges map[string]followedChange

// addedByProvider reports whether the provider sets the tag e itself, such as crossplane-kind.
func (s *State) addedByProvider(e *tagset.Entry) bool {
	return s.Labels.setByProvider(e) || slices.Contains(s.ProviderKeys, e.Key)
}

// missingProviderTags returns how many tags the provider still has to add to the resource: 2 if it adds three tags, and the resource
// already has crossplane-kind. inField is how many of these tags the provider also adds to the tag field. Both are 0 if no slots are kept
// free for the provider's tags.
func (s *State) missingProviderTags() (toAdd, inField int) {
	if !s.Slots.ForProviderTags {
		return 0, 0
	}

	for _, key := range s.ProviderKeys {
		if !s.Tags.Has(s.Labels.ID(key)) {
			toAdd++
		}
	}

	if s.Slots.ProviderTagsInField {
		return toAdd, toAdd
	}

	return toAdd, 0
}

// freeSlots returns how many more tags the resource may have, in the cloud and in its tag field. If the cap is 50, 3 slots are for tags
// that the provider adds, and there are 40 tags, it returns 7. If there are too many tags, it returns a negative number.
func (s *State) freeSlots() int {
	toAdd, inField := s.missingProviderTags()
	taken := s.Tags.Len() + s.countStayingTags()

	return min(s.Slots.Max-s.Slots.Reserved-toAdd, s.Slots.MaxInField-inField) - taken
}

// limitText returns the limit of tags for messages, such as "at most 50 tags on a resource, 2 of them reserved". Both the cloud and the tag
// field can have a limit. The text has the limit that leaves fewer slots to labels.
func (s *State) limitText() string {
	limit, reserved := s.Labels.Profile.Limit(profile.CountCap), s.Slots.Reserved
	toAdd, inField := s.missingProviderTags()

	forLabels := s.Slots.Max - reserved - toAdd
	if maxInField := s.Slots.MaxInField; maxInField-inField < forLabels {
		limit = fmt.Sprintf("at most %d %ss in %s, by the schema of the kind", maxInField, s.Labels.Profile.Noun(), s.Slots.Field)
		reserved, toAdd = 0, inField
	}

	limit = addToLimit(limit, reserved, toAdd)

	if n := s.countStayingTags(); n > 0 {
		limit += fmt.Sprintf(", %d of other field managers", n)
	}

	return limit
}

// addToLimit returns the text of a limit with the number of reserved slots, and of slots for tags that the provider adds.
func addToLimit(limit string, reserved, toAdd int) string {
	if reserved > 0 {
		limit += fmt.Sprintf(", %d of them reserved", reserved)
	}

	if toAdd > 0 {
		limit += fmt.Sprintf(", %d for those that the provider adds", toAdd)
	}

	return limit
}
