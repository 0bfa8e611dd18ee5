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

	// Observed has the tags of the observed field. It is nil if they can't be read, or if neither ignoreTags nor a source of
	// labels depends on them.
	Observed *tagset.Set

	// OtherManagersTags has the tags of the observed field that other field managers own. These stay even if nobody desires
	// the field. It is nil if there are none.
	OtherManagersTags *tagset.Set

	// Owners has the field managers of the observed tags.
	Owners *locate.Owners

	// Cloud has the tags that the provider reports from the cloud. It is nil if the provider reports none, or if neither
	// ignoreTags nor a source of labels depends on them.
	Cloud *tagset.Set

	// CloudMayBeOutdated says that the cloud may lack tags of Cloud, since some providers never drop a reported tag.
	CloudMayBeOutdated bool

	// IsReported says that providers report the tags of such resources.
	IsReported bool

	// EarlierTrustedTags has the tags with reserved keys that earlier steps of the function had from trusted sources, key to
	// value.
	EarlierTrustedTags map[string]string

	// Copies has the tags that kubernetesMetadata copied to the field. It is nil if there are none.
	Copies *tagset.Set

	// Followed has the changes of other systems' tags that the last run has followed: see follow.
	Followed followedChanges

	// ProviderKeys has the keys of tags that the provider adds itself, such as crossplane-kind.
	ProviderKeys []string

	// AlreadyStamped says that Tags already has the tags of this step. Then no tag conflicts with a label.
	AlreadyStamped bool

	Slots Slots
}

// Slots says how many tags a resource may have.
type Slots struct {
	// Max is the cap of the tag profile. Reserved is the number of slots that reservedTags of the input keeps free.
	Max, Reserved int

	// ForProviderTags says that slots are kept free for the provider's own tags. ProviderTagsInField says that the provider
	// adds them to the tag field, too.
	ForProviderTags, ProviderTagsInField bool

	// MaxInField is the limit of entries in the tag field by the schema of the kind, or -1 if the schema has no limit.
	MaxInField int

	// Field is the path of the tag field, for messages.
	Field string
}

// A followedChange is a change of another system's tag in the cloud that the resource gets, too: see follow.
type followedChange struct {
	// From is a digest of the value before the change.
	From string `json:"from"`

	// Reported says that after the change, the status has reported the value before the change once more.
	Reported bool `json:"reported,omitempty"`
}

// followedChanges has followed changes by the name of the tag: see nameOf.
type followedChanges map[string]followedChange

// addedByProvider reports whether the provider sets the tag e itself, such as crossplane-kind.
func (s *State) addedByProvider(e *tagset.Entry) bool {
	return s.Labels.setByProvider(e) || slices.Contains(s.ProviderKeys, e.Key)
}

// missingProviderTags returns the number of tags that the provider still has to add to the resource. If it adds three tags, and
// the resource already has crossplane-kind, n is 2. inField is the number of these tags that the provider also adds to the
// tag field. Both are 0 if no slots are kept free for them.
func (s *State) missingProviderTags() (n, inField int) {
	if !s.Slots.ForProviderTags {
		return 0, 0
	}

	for _, key := range s.ProviderKeys {
		if !s.Tags.Has(s.Labels.ID(key)) {
			n++
		}
	}

	if s.Slots.ProviderTagsInField {
		return n, n
	}

	return n, 0
}

// freeSlots returns how many more tags the resource may have, in the cloud and in its tag field. If 50 tags are allowed, 3 slots
// are for tags that the provider adds, and 40 tags are there, it returns 7. If there are too many tags, it is negative.
func (s *State) freeSlots() int {
	toAdd, inField := s.missingProviderTags()
	taken := s.Tags.Len() + s.countOthers()
	free := s.Slots.Max - s.Slots.Reserved - toAdd - taken

	if s.Slots.MaxInField >= 0 {
		free = min(free, s.Slots.MaxInField-inField-taken)
	}

	return free
}

// limitText returns the text of the limit for messages, such as "at most 50 tags on a resource, 2 of them reserved". Both the
// cloud and the tag field have a limit. limitText takes the limit that leaves fewer slots to labels.
func (s *State) limitText() string {
	limit, reserved := s.Labels.Profile.Limit(profile.CountCap), s.Slots.Reserved
	toAdd, inField := s.missingProviderTags()

	forLabels := s.Slots.Max - reserved - toAdd
	if maxTags := s.Slots.MaxInField; maxTags >= 0 && maxTags-inField < forLabels {
		limit = fmt.Sprintf("at most %d %ss in %s, by the schema of the kind", maxTags, s.Labels.Profile.Noun(), s.Slots.Field)
		reserved, toAdd = 0, inField
	}

	limit = addToLimit(limit, reserved, toAdd)

	if n := s.countOthers(); n > 0 {
		limit += fmt.Sprintf(", %d of other field managers", n)
	}

	return limit
}

// addToLimit adds to the text of a limit the number of reserved slots, and the number of slots for tags that the provider adds.
func addToLimit(limit string, reserved, toAdd int) string {
	if reserved > 0 {
		limit += fmt.Sprintf(", %d of them reserved", reserved)
	}

	if toAdd > 0 {
		limit += fmt.Sprintf(", %d for those that the provider adds", toAdd)
	}

	return limit
}
