package stamp

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"slices"

	"github.com/plexsphere/function-cloud-tags/tags/field"
	"github.com/plexsphere/function-cloud-tags/tags/tagset"
)

// ignoreTags gives the tags of other systems the value that the cloud has.
func (d *Decision) ignoreTags() {
	if len(d.Labels.ignore) == 0 {
		return
	}

	d.instead = make(map[int][]tagset.Entry)

	if d.Observed != nil && d.Reports && !d.Owners.Unknown {
		for of := range d.Observed.Tags() {
			if d.isHeld(&of[0]) {
				d.ignoreTag(of)
			}
		}
	}

	if d.Cloud != nil {
		for of := range d.Cloud.Tags() {
			d.ignoreTag(of)
		}
	}
}

// isHeld is true if the resource has the observed entry e of another system because of ignoreTags and the
// provider doesn't report it, or not yet: it stays until removeTags takes it away.
func (d *Decision) isHeld(e *tagset.Entry) bool {
	return !d.Tags.Has(e.ID) && len(d.Labels.labelsOf(e)) == 0 && (d.Cloud == nil || !d.Cloud.Has(e.ID)) && !d.Owners.Stays(e, true)
}

// ignoreTag gives a tag the value of its entries in the cloud, if the tag is another system's.
func (d *Decision) ignoreTag(of []tagset.Entry) {
	of, rule := d.external(of)
	if rule == nil {
		return
	}

	labels, has := d.Labels.labelsOf(&of[0]), d.Tags.Has(of[0].ID)
	if rule.retain && (len(labels) > 0 || has) {
		return
	}

	of = d.follow(of)

	switch {
	case len(labels) > 0 && !has: // The first label's slot is the one of the tag.
		d.instead[labels[0]], labels = of, labels[1:]
	case has && d.Tags.Grows(of) <= 0:
		d.Tags.Adopt(of)
	default:
		d.foreign = append(d.foreign, of)
	}

	for _, i := range labels {
		d.judged[i].Fate = Ignored
	}
}

// external returns what is another system's of the entries that the cloud has, and the rule that says so, or
// nil if nothing is.
func (d *Decision) external(of []tagset.Entry) (theirs []tagset.Entry, rule *keyRule) {
	l := d.Labels

	for i := range of {
		e := &of[i]

		// What a trusted source says of a reserved key stands. The cloud would
		// refuse the tags that it sets itself.
		_, claimed := e.First(l.claimed)
		_, forfeited := e.First(l.forfeited)

		if claimed || forfeited || l.isClouds(e) || !e.IsTextual() && l.Shape != field.MapOfLists || !e.FitsIn(l.Limits) {
			continue
		}

		r := d.rule(l.ignore, e)
		if r == nil {
			continue
		}

		// Nobody else has a say in it.
		if key, reserved := l.reserved(e); reserved {
			d.notes.add(NoteProtected, "", key)
			continue
		}

		if rule == nil {
			rule = r
		}

		theirs = append(theirs, *e)
	}

	return theirs, rule
}

// A tag of another system has the value that the status reports. But the provider writes back what
// the resource has: if somebody changes the tag in the cloud, the status reports the new value, then
// the old one that the provider has written back meanwhile, and then the new one that the resource
// has by then. Function and provider would chase each other's last state for ever. So a change is
// followed once, and the value before it isn't followed until the status has reported it and the new
// one again.

// A followedChange is one of the value of another system's tag.
type followedChange struct {
	// From is a digest of the value before it.
	From string `json:"from"`

	// Reported is true if the status has reported that value since.
	Reported bool `json:"reported,omitempty"`
}

// followedChanges by tag.
type followedChanges map[string]followedChange

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

// foreignTags returns the tags of other systems: those that are there, but with fewer entries than in
// the cloud, and those that are missing.
func (d *Decision) foreignTags() (grown, missing [][]tagset.Entry) {
	for _, of := range d.foreign {
		switch {
		case len(of) == 0:
		case d.Tags.Has(of[0].ID):
			grown = append(grown, of)
		default:
			missing = append(missing, of)
		}
	}

	return grown, missing
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
