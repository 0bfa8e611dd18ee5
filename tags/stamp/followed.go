package stamp

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"maps"
	"slices"

	"google.golang.org/protobuf/types/known/structpb"

	"github.com/plexsphere/function-cloud-tags/tags/object"
	"github.com/plexsphere/function-cloud-tags/tags/tagset"
)

// ignoredAnnotation is on composed resources with tags of other systems that have changed, and
// remembers these: the changes as JSON, by tag.
const ignoredAnnotation = "cloudtags.fn.plexsphere.com/ignored"

var ignoredPath = object.MustParsePath("metadata.annotations[" + ignoredAnnotation + "]")

// remembered returns the changes that an annotation of o remembers. What others have written there is
// nothing.
func remembered(o object.Object) followedChanges {
	out := make(followedChanges)
	if err := json.Unmarshal([]byte(object.Annotations(o).Field(ignoredAnnotation).Text()), &out); err != nil {
		return make(followedChanges)
	}

	return out
}

// remember the changes of other systems' tags.
func (p *plan) remember() error {
	followed := p.decision.followed
	if len(followed) == 0 {
		return nil
	}

	r := p.becomes()

	// An earlier step may have followed others.
	changes := remembered(r)
	maps.Copy(changes, followed)

	j, err := json.Marshal(changes)
	if err != nil {
		return err
	}

	p.Stamped, err = object.Set(r, ignoredPath, object.NodeOf(structpb.NewStringValue(string(j))))

	return err
}

// A tag of another system has the value that the status reports. But the provider writes back what
// the resource has: if somebody changes the tag in the cloud, the status reports the new value, then
// the old one that the provider has written back meanwhile, and then the new one that the resource
// has by then. Function and provider would chase each other's last state for ever. So a change is
// followed once, and the value before it isn't followed until the status has reported it and the new
// one again.

// follow returns the value that another system's tag is to have, of which the status reports the
// entries now.
func (d *Decision) follow(now []tagset.Entry) []tagset.Entry {
	if d.Observed == nil || !d.Observed.Has(now[0].ID) {
		return now
	}

	held := slices.Collect(d.Observed.With(now[0].ID))
	name := nameOf(now[0].ID)
	last, isFollowed := d.Followed[name]

	if d.followed == nil {
		d.followed = make(followedChanges)
	}

	switch is, was := digestOf(now), digestOf(held); {
	case is == was && isFollowed && !last.Reported:
		d.followed[name] = last
	case is == was: // It has settled.
	case isFollowed && is == last.From:
		d.followed[name] = followedChange{From: last.From, Reported: true}
		return held
	default:
		d.followed[name] = followedChange{From: was}
	}

	return now
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
		values[i] = tagset.Encoded(of[i].Value)
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
