package stamp

import (
	"iter"
	"slices"

	"github.com/plexsphere/function-cloud-tags/tags/profile"
	"github.com/plexsphere/function-cloud-tags/tags/tagset"
)

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
// reserved keys of tags that no label replaces. In a field for launched resources, takenAway also has replaced keys in another case, such as
// Owner, since nobody looks there for the label's tag. See testdata/cases/earlier.yaml, reserved.yaml and launched-reserved.yaml.
func (s *State) decideReserved() (replacing []int, takenAway []string) {
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
			takenAway = append(takenAway, key)
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
