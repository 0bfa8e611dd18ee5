package stamp

import (
	"cmp"

	"github.com/plexsphere/function-cloud-tags/tags/object"
	"github.com/plexsphere/function-cloud-tags/tags/write"
)

// Providers of Crossplane merge spec.initProvider below spec.forProvider until the resource is made. So the tags that earlier steps set there
// are tags of earlier steps in a second place: the Tags of a State have both. A tag that this step writes goes to spec.forProvider, and
// leaves spec.initProvider. See testdata/cases/initial.yaml.

// writeInitial writes the Tags of the State that spec.initProvider is to have to p.Stamped, unless they don't change. writeErr is the error
// of writing spec.forProvider. After such an error, it only takes reserved keys away, and returns the error.
func (p *Plan) writeInitial(s *State, writeErr error) error {
	t := p.target
	if t.InitialValue.IsNull() && !s.Tags.HasInitial() {
		return writeErr
	}

	var v object.Node

	switch {
	case writeErr != nil:
		p.Stamped = object.Object{}

		set, err := t.DesiredTags(&p.labels.Keys)
		if err != nil {
			return writeErr
		}

		s.removeUntrustedInitial(set)
		v = set.InitialValue()
	case s.Tags.HasInitial():
		v = s.Tags.InitialValue()
	default:
		v = s.ineffectiveInitialList()
	}

	if write.IsSame(v, t.InitialValue) {
		return writeErr
	}

	r, err := write.Initial(p.stampedResource(), t.Initial, v)
	if err != nil {
		return err
	}

	p.Stamped = r

	return writeErr
}

// noteMovedInitial adds NoteInitialMoved if the entries of a list in spec.initProvider have gone to the list in spec.forProvider.
func (p *Plan) noteMovedInitial() {
	set := p.decision.Tags
	if !p.labels.Form().IsList || !set.HasInitial() || set.FieldLen() == 0 {
		return
	}

	for e := range set.All() {
		if e.Initial {
			p.Notes.add(NoteInitialMoved, cmp.Or(e.Key, e.String()))
		}
	}
}
