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
	"github.com/plexsphere/function-cloud-tags/tags/words"
)

// ignoredAnnotation is on composed resources with changed tags of other systems. It has the changes that the function
// follows, as JSON by tag: {"backup": {"from": "4f1a…"}}.
const ignoredAnnotation = "cloudtags.fn.plexsphere.com/ignored"

var ignoredPath = object.MustParsePath("metadata.annotations[" + ignoredAnnotation + "]")

// remembered returns the changes in the annotation of o. It returns none if the annotation can't be decoded, since somebody else
// wrote it then.
func remembered(o object.Object) followedChanges {
	out := make(followedChanges)
	if err := json.Unmarshal([]byte(object.Annotations(o).Field(ignoredAnnotation).Text()), &out); err != nil {
		return make(followedChanges)
	}

	return out
}

// remember writes the changes of other systems' tags to the annotation: {"backup": {"from": "4f1a…"}}. Changes of
// earlier steps stay there.
func (p *plan) remember() error {
	followed := p.decision.follows
	if len(followed) == 0 {
		return nil
	}

	r := p.stampedResource()

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

// A tag of another system gets the value in the status. But the provider writes the resource's value back to the cloud. If
// somebody changes backup from daily to weekly there, the status has weekly, then daily, since the provider has written this
// back meanwhile, and then weekly, since the resource has it by then. Function and provider would follow each other for ever.
// So the function follows a change once. It follows the value before the change only after the status has reported both values
// again.

// follow returns the value that another system's tag is to have. now are the entries that the status reports. If the
// resource has backup: daily, and the status reports weekly for the first time, follow returns weekly. If the status
// then reports daily again, it returns weekly, too. See testdata/cases/followed.yaml.
func (d *Decision) follow(now []tagset.Entry) []tagset.Entry {
	if d.Observed == nil || !d.Observed.Has(now[0].ID) {
		return now
	}

	held := slices.Collect(d.Observed.EntriesWith(now[0].ID))
	name := nameOf(now[0].ID)
	last, isFollowed := d.Followed[name]

	if d.follows == nil {
		d.follows = make(followedChanges)
	}

	switch value, before := digestOf(now), digestOf(held); {
	case value == before && isFollowed && !last.Reported:
		d.follows[name] = last
	case value == before: // The tag has settled.
	case isFollowed && value == last.From:
		d.follows[name] = followedChange{From: last.From, Reported: true}
		return held
	default:
		d.follows[name] = followedChange{From: before}
	}

	return now
}

// maxName is how many bytes the name of a tag in the annotation may have.
const maxName = 63

// nameOf returns the name of the tag with the ID in the annotation: the ID, or a digest of a long one.
func nameOf(id string) string {
	if len(id) <= maxName {
		return id
	}

	return textDigest(id)
}

// digestOf returns a digest of the values of the entries of one tag, in any order: env=a and env=b have the digest of
// env=b and env=a.
func digestOf(entries []tagset.Entry) string {
	values := words.Map(entries, func(e tagset.Entry) string { return tagset.Encoded(e.Value) })
	slices.Sort(values)

	j, err := json.Marshal(values)
	if err != nil {
		return "" // Strings can be encoded.
	}

	return textDigest(string(j))
}

// textDigest returns a digest of the text.
func textDigest(text string) string {
	sum := sha256.Sum256([]byte(text))
	return hex.EncodeToString(sum[:6])
}
