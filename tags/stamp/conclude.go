package stamp

import (
	"cmp"
	"slices"
	"strings"

	"github.com/plexsphere/function-cloud-tags/tags/tagset"
)

// begin writes to r what doesn't depend on the rest of the decision.
func (d *Decision) begin(r *Result) {
	r.Trusted = d.trusted
	r.note(NoteCopyReserved, "", d.forbidden)
	r.note(NoteCopyCapped, "", d.uncopied)
}

// noteKept says in r which tags of other systems are desired because of ignoreTags.
func (d *Decision) noteKept(r *Result) {
	var keys []string

	for _, of := range d.foreign {
		if len(of) > 0 && d.Tags.Has(of[0].ID) {
			keys = append(keys, of[0].Key)
		}
	}

	r.note(NoteKept, "", keys)
}

// conclude says in r which labels are tags now, which are withheld, and what else there is to say of tags that
// stay.
func (d *Decision) conclude(r *Result, judged []Judged) {
	w := &r.Withheld
	r.Active = make(map[string]string, min(len(judged), d.Tags.Len()))

	for i := range judged {
		switch j := &judged[i]; j.Fate {
		case Tagged:
			r.activate(j)
		case Retained:
			w.Retained = append(w.Retained, j.Key)
		case Ignored:
			w.Ignored = append(w.Ignored, j.Key)
		case Removed:
			w.Removed = append(w.Removed, j.Key)
		case Skipped, Undecided, TakenAway: // These are no tags.
		}
	}

	w.Protected, w.Unkept = d.protected, d.unkept
	d.noteOthers(r)
	r.note(NoteOtherValue, "", d.otherValues())
}

// hasText is true if the field has a tag of the label at its value. Two tags can come to one string of a list,
// and only one key be found then.
func (d *Decision) hasText(l *fieldLabel) bool {
	e := d.Tags.Find(l.entry.ID)
	return e != nil && tagset.IsText(e.Value, l.Value)
}

// activate says in r that the label is a tag.
func (r *Result) activate(j *Judged) {
	r.Active[j.Key] = j.Value

	if j.Reserved {
		r.Trusted = put(r.Trusted, j.Key, j.Value)
	}
}

// noteOthers says in r which tags of others stay, though somebody wants them away.
func (d *Decision) noteOthers(r *Result) {
	others := d.others()
	if d.Tags.Len() == 0 {
		others = d.Others // Those of an atomic field, too.
	}

	if others == nil {
		return
	}

	var notes []Note

	add := func(kind NoteKind, manager, key string) {
		i := slices.IndexFunc(notes, func(n Note) bool { return n.Kind == kind && n.Manager == manager })
		if i < 0 {
			i = len(notes)
			notes = append(notes, Note{Kind: kind, Manager: manager})
		}

		notes[i].Keys = append(notes[i].Keys, key)
	}

	for e := range others.All() {
		if d.Tags.Holds(e) || d.adds(e) {
			continue
		}

		of := d.Owners.Of(e)

		if key, reserved := d.Labels.reserved(e); reserved {
			add(NoteReserved, of.Manager, key)
		} else if of.Others && d.Labels.isPrefixed(e) {
			key, _, _ := strings.Cut(e.String(), d.Labels.Separator)
			add(NoteLeftover, of.Manager, cmp.Or(e.Key, key))
		}

		if !e.Opaque && d.Labels.names(d.Labels.remove, e) {
			add(NoteOwned, of.Manager, e.Key)
		}
	}

	slices.SortFunc(notes, func(a, b Note) int { return cmp.Or(cmp.Compare(a.Kind, b.Kind), strings.Compare(a.Manager, b.Manager)) })

	for _, n := range notes {
		r.note(n.Kind, n.Manager, n.Keys)
	}
}

// otherValues are the tags that stay, since removeTags names them at other values only.
func (d *Decision) otherValues() (keys []string) {
	if len(d.Labels.remove) == 0 {
		return nil
	}

	for e := range d.Tags.All() {
		if !e.Opaque && !d.adds(e) && d.Labels.names(d.Labels.remove, e) {
			keys = append(keys, e.Key)
		}
	}

	return keys
}
