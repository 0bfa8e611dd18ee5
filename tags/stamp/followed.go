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

// ignoreTags [backup] leaves the tag backup to the cloud: the function copies its value from the status to the tag field. The provider
// copies the value from the tag field to the cloud. If somebody changes backup in the cloud from daily to weekly, the two could swap the
// values for ever:
//  1. The status has weekly, so the function writes weekly to the tag field. Meanwhile the provider writes the old daily to the cloud.
//  2. The status has daily, so the function writes daily to the tag field. Meanwhile the provider writes weekly to the cloud.
//  3. The status has weekly again, as in 1.
//
// So the function follows the change to weekly in 1, but not the change to daily in 2: the tag field keeps weekly. In 3, the status has
// weekly, which the provider has written in 2. From then on, the function follows any change, even one to daily.

// ignoredAnnotation is on composed resources with such tags. For each change that the function follows, it has the old value, to which the
// function must not go back, as JSON by tag: {"backup": {"from": "4f1a…"}}. The text 4f1a… is a digest of the value daily.
const ignoredAnnotation = "cloudtags.fn.plexsphere.com/ignored"

var ignoredPath = object.MustParsePath("metadata.annotations[" + ignoredAnnotation + "]")

// readFollowedChanges returns the changes in the annotation of o. It returns none if o has no annotation, or if somebody else has written
// the annotation, so that it can't be decoded.
func readFollowedChanges(o object.Object) followedChanges {
	out := make(followedChanges)

	// The text null makes out nil.
	if err := json.Unmarshal([]byte(object.Annotations(o).Field(ignoredAnnotation).Text()), &out); err != nil || out == nil {
		return make(followedChanges)
	}

	return out
}

// writeFollowedChanges writes the changes that this run follows to the annotation. Changes that earlier steps of the pipeline wrote stay
// there.
func (p *Plan) writeFollowedChanges() error {
	followed := p.decision.followedNow
	if len(followed) == 0 {
		return nil
	}

	r := p.stampedResource()

	changes := readFollowedChanges(r)
	maps.Copy(changes, followed)

	j, err := json.Marshal(changes)
	if err != nil {
		return err
	}

	p.Stamped, err = object.Set(r, ignoredPath, object.NodeOf(structpb.NewStringValue(string(j))))

	return err
}

// follow returns the entries to write for another system's tag: reported, which are in the status, or the entries of the field. If the
// field has backup: daily, and the status reports weekly for the first time, follow returns weekly. If the status then falls back to daily,
// the provider has written the field's old value, so follow still returns weekly. See testdata/cases/followed.yaml.
func (d *Decision) follow(reported []tagset.Entry) []tagset.Entry {
	id := reported[0].ID
	if !d.ObservedTags.Has(id) {
		return reported
	}

	observed := slices.Collect(d.ObservedTags.EntriesWith(id))
	name := nameOf(id)
	last, isFollowed := d.FollowedBefore[name]
	reportedDigest, observedDigest := digestOf(reported), digestOf(observed)

	switch {
	case reportedDigest == observedDigest:
		if isFollowed && !last.OldValueReturned { // Both are weekly now. Until daily has returned, the next run needs the change, too.
			d.followedNow[name] = last
		}
	case isFollowed && reportedDigest == last.From: // The provider has written daily to the cloud, the old value of the tag field.
		d.followedNow[name] = followedChange{From: last.From, OldValueReturned: true}
		return observed
	default: // Somebody has changed the tag in the cloud.
		d.followedNow[name] = followedChange{From: observedDigest}
	}

	return reported
}

// maxName is the most bytes that the name of a tag in the annotation may have.
const maxName = 63

// nameOf returns the name that the annotation has for the tag with the ID: the ID, or a digest of a long ID.
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

	j, _ := json.Marshal(values) //nolint:errchkjson // Strings can be encoded.

	return textDigest(string(j))
}

// textDigest returns the first bytes of the SHA-256 digest of the text, in hexadecimal.
func textDigest(text string) string {
	sum := sha256.Sum256([]byte(text))
	return hex.EncodeToString(sum[:6])
}
