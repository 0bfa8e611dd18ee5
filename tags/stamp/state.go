package stamp

import (
	"fmt"
	"slices"

	"github.com/plexsphere/function-cloud-tags/tags/locate"
	"github.com/plexsphere/function-cloud-tags/tags/profile"
	"github.com/plexsphere/function-cloud-tags/tags/tagset"
)

// A State is what the tags of one resource are before anything is decided: all that Decide needs.
type State struct {
	// Labels and rules for the resource.
	Labels *Labels

	// Tags that earlier steps desire.
	Tags *tagset.Set

	// Observed are the tags of the observed field, if rules or sources of labels depend on them. Otherwise,
	// or if they can't be read, it is nil.
	Observed *tagset.Set

	// Others are those of them that other field managers own, so that they stay if nobody desires the
	// field. It is nil if there are none. Owners say who owns what is observed.
	Others *tagset.Set
	Owners *locate.Owners

	// Cloud are the tags that the provider reports the cloud to have, if rules or sources of labels depend
	// on them. Otherwise, or if it reports none, it is nil.
	Cloud *tagset.Set

	// Reports is true if providers report the tags of such resources, and Outdated if they also report
	// tags that have gone.
	Reports, Outdated bool

	// Earlier are the tags with reserved keys that earlier steps of the function have of trusted sources.
	Earlier map[string]string

	// Copies are the tags that the metadata is that was copied to the field, or nil if there is none.
	Copies *tagset.Set

	// Followed are the changes of other systems' tags that the last run has followed.
	Followed followedChanges

	// Added are the keys of the tags that the provider adds itself.
	Added []string

	// Rendered is true if Tags are those of a run of this step, so that none conflicts with a label.
	Rendered bool

	Slots Slots
}

// Slots are how many tags a resource may have.
type Slots struct {
	// Max is the most tags that it can have in the cloud, and Reserved how many of these the input keeps
	// free.
	Max, Reserved int

	// Added is true if slots are kept free for the tags that the provider adds, and AddedToField if it
	// adds them to the tag field, too.
	Added, AddedToField bool

	// MaxInField is the most entries of the tag field, by the schema of the kind. It is less than none if
	// there is no such limit. Field is the path of the tag field, as messages name it.
	MaxInField int
	Field      string
}

// A followedChange is one of the value of another system's tag.
type followedChange struct {
	// From is a digest of the value before it.
	From string `json:"from"`

	// Reported is true if the status has reported that value since.
	Reported bool `json:"reported,omitempty"`
}

// followedChanges by tag.
type followedChanges map[string]followedChange

// adds is true if the provider sets the tag e itself.
func (s *State) adds(e *tagset.Entry) bool {
	return s.Labels.isProviders(e) || slices.Contains(s.Added, e.Key)
}

// toAdd is how many slots are needed for tags that the provider is yet to add to the resource, and how many
// of these for the tag field.
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

// free is how many more tags the resource may have in the cloud, and its tag field by the schema of the kind.
// It is less than none if there are too many.
func (s *State) free() int {
	toAdd, inField := s.toAdd()
	taken := s.Tags.Len() + s.countOthers()
	free := s.Slots.Max - s.Slots.Reserved - toAdd - taken

	if s.Slots.MaxInField >= 0 {
		free = min(free, s.Slots.MaxInField-inField-taken)
	}

	return free
}

// limit says how many tags the resource may have: the limit that leaves fewer to labels.
func (s *State) limit() string {
	limit, reserved := s.Labels.Profile.Limit(profile.CountCap), s.Slots.Reserved
	toAdd, inField := s.toAdd()

	if most := s.Slots.MaxInField; most >= 0 && most-inField < s.Slots.Max-reserved-toAdd {
		limit = fmt.Sprintf("at most %d %ss in %s, by the schema of the kind", most, s.Labels.Profile.Noun(), s.Slots.Field)
		reserved, toAdd = 0, inField
	}

	limit = LimitOf(limit, reserved, toAdd)

	if n := s.countOthers(); n > 0 {
		limit += fmt.Sprintf(", %d of other field managers", n)
	}

	return limit
}

// LimitOf adds to the limit of tags how many slots the input reserves, and how many the tags take that the provider adds.
func LimitOf(limit string, reserved, toAdd int) string {
	if reserved > 0 {
		limit += fmt.Sprintf(", %d of them reserved", reserved)
	}

	if toAdd > 0 {
		limit += fmt.Sprintf(", %d for those that the provider adds", toAdd)
	}

	return limit
}
