package stamp

import (
	"encoding/json"
	"maps"

	"google.golang.org/protobuf/types/known/structpb"

	"github.com/plexsphere/function-cloud-tags/tags/object"
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

// noteIgnored says which tags are kept because of ignoreTags, or that none can be.
func (p *plan) noteIgnored() {
	t, d := p.target, p.decision
	if len(p.labels.ignore) == 0 || t.Observed.IsZero() {
		return
	}

	p.Notes.add(NoteKept, "", d.kept()...)

	if d.Cloud == nil && (!d.Reports || d.Observed != nil && hasOthers(t, d.Observed) && t.HasLooked()) {
		p.Notes = append(p.Notes, Note{Kind: NoteUnreported})
	}
}
