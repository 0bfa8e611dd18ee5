package stamp

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"maps"
	"slices"

	"google.golang.org/protobuf/types/known/structpb"

	"github.com/plexsphere/function-cloud-tags/tags/object"
	"github.com/plexsphere/function-cloud-tags/tags/stamp/tagset"
)

// A tag of another system has the value that the status reports. But the provider writes back what
// the resource has: if somebody changes the tag in the cloud, the status reports the new value, then
// the old one that the provider has written back meanwhile, and then the new one that the resource
// has by then. Function and provider would chase each other's last state for ever. So a change is
// followed once, and the value before it isn't followed until the status has reported it and the new
// one again.

// ignoredAnnotation is on composed resources with tags of other systems that have changed, and
// remembers these: the changes as JSON, by tag.
const ignoredAnnotation = "cloudtags.fn.plexsphere.com/ignored"

var ignoredPath = object.MustParsePath("metadata.annotations[" + ignoredAnnotation + "]")

// A followedChange is one of the value of another system's tag.
type followedChange struct {
	// From is a digest of the value before it.
	From string `json:"from"`

	// Reported is true if the status has reported that value since.
	Reported bool `json:"reported,omitempty"`
}

// followedChanges by tag.
type followedChanges map[string]followedChange

// changesOf returns the changes that an annotation of o remembers. What others have written there is
// nothing.
func changesOf(o object.Object) followedChanges {
	out := make(followedChanges)
	if err := json.Unmarshal([]byte(object.Annotations(o).Field(ignoredAnnotation).Text()), &out); err != nil {
		return make(followedChanges)
	}

	return out
}

// follow returns the value that another system's tag is to have, of which the status reports the
// entries now, and the observed field has the entries held.
func (p *plan) follow(now, held []tagset.Entry) []tagset.Entry {
	if len(held) == 0 {
		return now
	}

	if p.before == nil {
		p.before, p.changes = changesOf(p.target.Observed), make(followedChanges)
	}

	name := nameOf(now[0].ID)
	last, isFollowed := p.before[name]

	switch is, was := digestOf(now), digestOf(held); {
	case is == was && isFollowed && !last.Reported:
		p.changes[name] = last
	case is == was: // It has settled.
	case isFollowed && is == last.From:
		p.changes[name] = followedChange{From: last.From, Reported: true}
		return held
	default:
		p.changes[name] = followedChange{From: was}
	}

	return now
}

// held are the tags of other systems that the resource has because of ignoreTags and that the
// provider doesn't report, or not yet: they stay until removeTags takes them away.
func (p *plan) held(there *tagset.Set) (out [][]tagset.Entry) {
	if there == nil || len(p.target.Field.Observed) == 0 || p.target.Owners().Unknown {
		return nil
	}

	for of := range there.Tags() {
		if e := &of[0]; !p.set.Has(e.ID) && len(p.labelsOf(e)) == 0 && (p.cloud == nil || !p.cloud.Has(e.ID)) && !p.target.Owners().Stays(e, true) {
			out = append(out, of)
		}
	}

	return out
}

// remember the changes of other systems' tags.
func (p *plan) remember() error {
	if len(p.changes) == 0 {
		return nil
	}

	r := p.target.Resource
	if !p.Stamped.IsZero() {
		r = p.Stamped
	}

	// An earlier step may have followed others.
	changes := changesOf(r)
	maps.Copy(changes, p.changes)

	j, err := json.Marshal(changes)
	if err != nil {
		return err
	}

	p.Stamped, err = object.Set(r, ignoredPath, object.NodeOf(structpb.NewStringValue(string(j))))

	return err
}

// noteIgnored tells what is kept from now on, or that nothing can be.
func (p *plan) noteIgnored() {
	t := p.target
	if len(p.ignore) == 0 || t.Observed.IsZero() {
		return
	}

	there := t.Reported(t.There, &p.Keys)

	var kept []string

	for _, of := range p.foreign {
		if len(of) > 0 && p.set.Has(of[0].ID) && (there == nil || !there.Has(of[0].ID)) {
			kept = append(kept, of[0].Key)
		}
	}

	p.note(NoteKept, kept)

	if p.cloud == nil && (len(t.Field.Observed) == 0 || there != nil && hasOthers(t, there)) {
		p.Notes = append(p.Notes, Note{Kind: NoteUnreported})
	}
}

// maxName is the most bytes of a tag's ID that is its name in an annotation.
const maxName = 63

// nameOf the tag with the ID in an annotation.
func nameOf(id string) string {
	if len(id) <= maxName {
		return id
	}

	return digest(id)
}

// digestOf the values of the entries of one tag.
func digestOf(of []tagset.Entry) string {
	values := make([]string, len(of))
	for i := range of {
		values[i] = encoded(of[i].Value)
	}

	slices.Sort(values)

	j, err := json.Marshal(values)
	if err != nil {
		return "" // Strings can be encoded.
	}

	return digest(string(j))
}

func digest(text string) string {
	sum := sha256.Sum256([]byte(text))
	return hex.EncodeToString(sum[:6])
}
