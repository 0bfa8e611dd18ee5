package locate

import (
	"slices"
	"strings"

	"github.com/plexsphere/function-cloud-tags/tags/field"
	"github.com/plexsphere/function-cloud-tags/tags/object"
)

// An attachedVolume is a volume that a desired resource attaches to an instance.
type attachedVolume struct {
	// by is the name of the resource in the Composition.
	by string

	to field.Instance
}

// AttachmentTo returns the name of a desired resource that attaches a volume to t, or may do so, and whether there is one. Fields such as
// volumeTags of t would overwrite the volume's own tags: see tags/stamp/testdata/cases/attached.yaml.
func (ts *Targets) AttachmentTo(t *Target, a *field.Attachment) (name string, found bool) {
	if a == nil || ts == nil {
		return "", false
	}

	if _, isKnown := ts.attached[a]; !isKnown {
		if ts.attached == nil {
			ts.attached = make(map[*field.Attachment][]attachedVolume)
		}

		ts.attached[a] = ts.volumesAttachedBy(a)
	}

	i := slices.IndexFunc(ts.attached[a], func(v attachedVolume) bool { return mayBe(v.to, t) })
	if i < 0 {
		return "", false
	}

	return ts.attached[a][i].by, true
}

// volumesAttachedBy returns the volumes that desired resources of the kind a attach, sorted by the names of these resources.
func (ts *Targets) volumesAttachedBy(a *field.Attachment) (out []attachedVolume) {
	for _, t := range ts.All {
		if a.Is(t.Kind.GroupKind()) {
			out = append(out, attachedVolume{t.Name, a.InstanceOf(t.Resource, t.Observed)})
		}
	}

	return out
}

// mayBe reports whether the instance may be t:
//   - By an ID, it is t if t has the ID in the cloud. A t without an ID isn't made yet.
//   - By a name, it is t if t has the name, or no name yet.
//   - By a selector, it is t if t desires the labels. Labels of Crossplane count as desired, since Crossplane adds them.
//   - Without any, nobody knows yet.
func mayBe(instance field.Instance, t *Target) bool {
	switch {
	case instance.ID != "":
		isObserved := t.Observed.Node().Field("status").Field("atProvider").Field("id").IsText(instance.ID)
		return isObserved || object.Annotations(t.Resource).Field("crossplane.io/external-name").IsText(instance.ID)
	case instance.Name != "":
		name, desiredName := object.Name(t.Observed), object.Name(t.Resource)
		return instance.Name == name || instance.Name == desiredName || name == "" && desiredName == ""
	}

	for key, value := range instance.Selector.Field("matchLabels").Fields() {
		isCrossplanes := strings.HasPrefix(string(key), "crossplane.io/")
		if !isCrossplanes && !object.Labels(t.Received).Field(string(key)).Equal(value) {
			return false
		}
	}

	return true
}
