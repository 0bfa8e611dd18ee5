package stamp

import (
	"fmt"
	"slices"

	"github.com/plexsphere/function-cloud-tags/tags/locate"
	"github.com/plexsphere/function-cloud-tags/tags/profile"
	"github.com/plexsphere/function-cloud-tags/tags/tagset"
)

// A State has the tags of one resource before anything is decided, and all else that Decide reads.
type State struct {
	// Labels for the resource, and the entries of removeTags and ignoreTags.
	Labels *Labels

	// Tags are the tags that earlier steps desire.
	Tags *tagset.Set

	// Observed are the tags of the observed field, if ignoreTags or sources of labels depend on them. Otherwise, or if they
	// can't be read, it is nil.
	Observed *tagset.Set

	// Others are the tags of the observed field that other field managers own, so that they stay if nobody desires the
	// field. It is nil if there are none. Owners have the field managers of observed tags.
	Others *tagset.Set
	Owners *locate.Owners

	// Cloud are the tags in the cloud, by the provider's report, if ignoreTags or sources of labels depend on them.
	// Otherwise, or if the provider reports none, it is nil.
	Cloud *tagset.Set

	// Reports says that providers report the tags of such resources, and Outdated that the cloud may have lost some of the
	// reported tags.
	Reports, Outdated bool

	// Earlier are the tags with reserved keys that earlier steps of the function had from trusted sources.
	Earlier map[string]string

	// Copies are the tags of copied metadata in the field, or nil if there is none.
	Copies *tagset.Set

	// Followed are the changes of other systems' tags that the last run has followed.
	Followed followedChanges

	// Added are the keys of tags that the provider adds itself, such as crossplane-kind.
	Added []string

	// Rendered says that Tags are the result of a run of this step, so that none conflicts with a label.
	Rendered bool

	Slots Slots
}

// Slots say how many tags a resource may have.
type Slots struct {
	// Max is the cap of the cloud, and Reserved how many slots the input keeps free.
	Max, Reserved int

	// Added says that slots are kept free for the provider's own tags, and AddedToField that the provider adds these to the
	// tag field, too.
	Added, AddedToField bool

	// MaxInField is the most entries of the tag field, by the schema of the kind, or -1 if the schema sets no limit. Field is
	// the path of the tag field, for messages.
	MaxInField int
	Field      string
}

// A followedChange is a change of another system's tag: see follow.
type followedChange struct {
	// From is a digest of the value before the change.
	From string `json:"from"`

	// Reported says that the status has reported the value before the change once more since.
	Reported bool `json:"reported,omitempty"`
}

// followedChanges are changes by tag.
type followedChanges map[string]followedChange

// adds reports whether the provider sets the tag e itself.
func (s *State) adds(e *tagset.Entry) bool {
	return s.Labels.setByProvider(e) || slices.Contains(s.Added, e.Key)
}

// toAdd returns how many tags the provider has still to add to the resource, and how many of them it adds to the tag field.
// If it adds three, and crossplane-kind is there, n is 2.
func (s *State) toAdd() (n, inField int) {
	if !s.Slots.Added {
		return 0, 0
	}

	for _, key := range s.Added {
		if !s.Tags.Has(s.Labels.ID(key)) {
			n++
		}
	}

	if s.Slots.AddedToField {
		inField = n
	}

	return n, inField
}

// free returns how many more tags the resource may have, in the cloud and in its tag field. With 50 slots, 3 of them for the
// provider's own tags, and 40 tags, it is 7. With too many tags it is negative.
func (s *State) free() int {
	toAdd, inField := s.toAdd()
	taken := s.Tags.Len() + s.countOthers()
	free := s.Slots.Max - s.Slots.Reserved - toAdd - taken

	if s.Slots.MaxInField >= 0 {
		free = min(free, s.Slots.MaxInField-inField-taken)
	}

	return free
}

// limit returns the limit that leaves fewer slots to labels, in the words of messages: "at most 50 tags on a resource, 2 of
// them reserved".
func (s *State) limit() string {
	limit, reserved := s.Labels.Profile.Limit(profile.CountCap), s.Slots.Reserved
	toAdd, inField := s.toAdd()

	if maxTags := s.Slots.MaxInField; maxTags >= 0 && maxTags-inField < s.Slots.Max-reserved-toAdd {
		limit = fmt.Sprintf("at most %d %ss in %s, by the schema of the kind", maxTags, s.Labels.Profile.Noun(), s.Slots.Field)
		reserved, toAdd = 0, inField
	}

	limit = limitWith(limit, reserved, toAdd)

	if n := s.countOthers(); n > 0 {
		limit += fmt.Sprintf(", %d of other field managers", n)
	}

	return limit
}

// limitWith adds to the limit of tags how many slots the input reserves, and how many the provider's own tags take.
func limitWith(limit string, reserved, toAdd int) string {
	if reserved > 0 {
		limit += fmt.Sprintf(", %d of them reserved", reserved)
	}

	if toAdd > 0 {
		limit += fmt.Sprintf(", %d for those that the provider adds", toAdd)
	}

	return limit
}
