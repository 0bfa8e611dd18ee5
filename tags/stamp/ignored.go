package stamp

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"maps"
	"slices"

	"google.golang.org/protobuf/types/known/structpb"

	"github.com/plexsphere/function-cloud-tags/tags"
	"github.com/plexsphere/function-cloud-tags/tags/object"
	"github.com/plexsphere/function-cloud-tags/tags/tagset"
	"github.com/plexsphere/function-cloud-tags/tags/words"
)

// ignoreTags keeps tags of other systems as the cloud has them, by writing the cloud's values to the tag field. With ignoreTags [backup],
// the cloud's backup: daily stays, although no step desires it. See testdata/cases/ignore.yaml and ignore-observed.yaml.
func (d *Decision) ignoreTags() {
	if len(d.Labels.ignoreMatchers) == 0 {
		return
	}

	d.insteadOfLabel, d.followedNow = make(map[int][]tagset.Entry), make(map[string]followedChange)

	// A tag that an earlier run kept may be in the observed field, and no longer in the status. An earlier run kept it if Crossplane owns it
	// though no step desires it, so owners must be known. Runs keep tags only if the status has a path for tags (Field.Observed).
	if !d.Target.Owners().Unknown && len(d.Target.Field.Observed) > 0 {
		for entries := range d.ObservedTags.Tags() {
			if d.keptByEarlierRun(&entries[0]) {
				d.ignoreTag(entries)
			}
		}
	}

	for entries := range d.CloudTags.Tags() {
		d.ignoreTag(entries)
	}
}

// keptByEarlierRun reports whether the observed entry e can only come from an earlier run, which kept it by ignoreTags. So none of these
// holds:
//   - A step desires e, or a label has its key.
//   - Another field manager owns e.
//   - The provider reports e from the cloud.
//
// ignoreTag checks that ignoreTags still names e. As long as it does, only removeTags removes e.
func (d *Decision) keptByEarlierRun(e *tagset.Entry) bool {
	isDesired := d.Tags.Has(e.ID) || len(d.Labels.positionsOf(e)) > 0
	return !isDesired && !d.CloudTags.Has(e.ID) && !d.Target.Owners().Stays(e, true /* fieldDesired: ignoreTags would desire e */)
}

// ignoreTag writes the cloud's entries of a tag to the field, if an entry of ignoreTags names the tag: backup: weekly of an earlier step
// becomes the cloud's backup: daily. A label backup gets the fate Ignored, here or in the method fill. If the entry of ignoreTags has
// onConflict Retain, tags of labels and of earlier steps keep their values.
func (d *Decision) ignoreTag(entries []tagset.Entry) {
	entries, m := d.ignoredEntries(entries)
	if m == nil {
		return
	}

	// On DigitalOcean, which ignores case, a tag can have several labels: env and Env.
	labelPositions, isDesired := d.Labels.positionsOf(&entries[0]), d.Tags.Has(entries[0].ID)

	hasLabel := len(labelPositions) > 0
	if m.entries[0].Retain && (hasLabel || isDesired) {
		return
	}

	entries = d.follow(entries) // The cloud's values or, while the provider still writes old values, the field's.

	switch {
	case hasLabel && !isDesired: // If a slot is free, fill puts the tag instead of the first label, and makes this label Ignored.
		d.insteadOfLabel[labelPositions[0]] = entries
		labelPositions = labelPositions[1:]
	case isDesired && d.Tags.GrowthByPutEntries(entries) <= 0 && d.Tags.HasRoomFor(&entries[0]): // The tag needs no slot.
		d.Tags.PutEntries(entries)
	default: // fill puts the tag if a slot is free.
		d.otherSystemsTags = append(d.otherSystemsTags, entries)
	}

	for _, i := range labelPositions {
		d.records[i].Fate = tags.Ignored
	}
}

// ignoredEntries returns those entries of one tag that ignoreTags names, and the matcher of the first of them, or nil. It leaves out
// entries with reserved keys, entries with keys that only the cloud may set, such as aws:createdBy, and values that the field can't hold.
func (d *Decision) ignoredEntries(entries []tagset.Entry) (theirs []tagset.Entry, firstMatcher *matcher) {
	l := d.Labels

	for i := range entries {
		e := &entries[i]

		// The field may be unable to hold the value, such as a list in a map of strings.
		fieldCanHold := e.FitsIn(l.Limits) && (e.IsTextual() || l.Form().HasLists)
		if l.decidesOnReserved(e) || l.belongsToCloud(e) || !fieldCanHold {
			continue
		}

		m := d.firstMatching(l.ignoreMatchers, e)
		if m == nil {
			continue
		}

		// Even if the input itself has a reserved key in ignoreTags, the cloud's tag with this key isn't kept.
		if key, isReserved := l.reservedKey(e); isReserved {
			d.notes.add(NoteProtected, key)
			continue
		}

		if firstMatcher == nil {
			firstMatcher = m
		}

		theirs = append(theirs, *e)
	}

	return theirs, firstMatcher
}

// splitOtherSystemsTags splits otherSystemsTags into incomplete tags, of which the field has at least one entry, and missing tags, of which
// it has none. If the cloud has zone=a, zone=b and backup=daily, and the field has zone=a, then zone is incomplete, and backup is missing.
func (d *Decision) splitOtherSystemsTags() (incomplete, missing [][]tagset.Entry) {
	for _, entries := range d.otherSystemsTags {
		switch {
		case len(entries) == 0: // removeTags has removed all entries.
		case d.Tags.Has(entries[0].ID):
			incomplete = append(incomplete, entries)
		default:
			missing = append(missing, entries)
		}
	}

	return incomplete, missing
}

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
func readFollowedChanges(o object.Object) map[string]followedChange {
	out := make(map[string]followedChange)

	// The text null makes out nil.
	if err := json.Unmarshal([]byte(object.Annotations(o).Field(ignoredAnnotation).Text()), &out); err != nil || out == nil {
		return make(map[string]followedChange)
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
