package locate

import (
	"maps"

	"github.com/plexsphere/function-cloud-tags/tags/object"
	"github.com/plexsphere/function-cloud-tags/tags/profile"
	"github.com/plexsphere/function-cloud-tags/tags/tagset"
)

// UseCopies replaces the desired resources of targets by the changed ones, to which kubernetesMetadata has copied metadata.
func (ts *Targets) UseCopies(changed map[string]object.Object) {
	for _, t := range ts.All {
		r, ok := changed[t.Name]
		if !ok {
			continue
		}

		t.Resource, t.HasCopies = r, true

		if t.Place != nil {
			t.InitialValue = t.InitialOf(r)
		}

		if t.HasField() {
			t.TakeCopies()
		}
	}
}

// TakeCopies takes what was copied out of the tag field, and out of this field in spec.initProvider, and sets CopiedEntries and CopiedInitial. So
// Stamp can give labels precedence: the copied {team: a} becomes a tag only if no label has the key team. Copies of labels and
// annotations that are no tags stay in the field. TakeCopies reports whether it has changed Resource. Volumes of an Instance get the tags of the
// Instance, so CopiedEntries of volumeTags also has what was copied to tags.
func (t *Target) TakeCopies() bool {
	if !t.HasCopies || t.Received.IsZero() || t.DesiredErr != nil {
		return false
	}

	entries, isTaken := t.takeCopiesAt(t.Field.Path, &t.DesiredValue)
	initial, isInitialTaken := object.Node{}, false

	if !t.Initial.IsZero() {
		initial, isInitialTaken = t.takeCopiesAt(t.Initial, &t.InitialValue)
	}

	if ofResource := t.CopiedEntries; ofResource.IsObject() && entries.IsObject() {
		fields := ofResource.FieldMap()
		maps.Copy(fields, entries.FieldMap())
		t.CopiedEntries = object.MapNode(fields)
	} else if isTaken {
		t.CopiedEntries = entries
	}

	t.CopiedInitial = initial

	return isTaken || isInitialTaken
}

// takeCopiesAt does the same for the field at the path, and sets v to the field's value without copies.
func (t *Target) takeCopiesAt(path object.Path, v *object.Node) (entries object.Node, isTaken bool) {
	before, beforeErr := t.Received.At(path)
	after, err := t.Resource.At(path)

	if beforeErr != nil || err != nil || after.Equal(before) {
		return object.Node{}, false
	}

	*v = before

	if nonTags := tagset.NonTags(after, t.Field); len(nonTags) > 0 && (before.IsNull() || before.IsObject()) {
		fields := before.FieldMap()
		maps.Copy(fields, nonTags)
		*v = object.MapNode(fields)
	}

	restored, err := object.Set(t.Resource, path, *v)

	// Copying may also have made parents of the field, such as spec.initProvider.
	for n := len(path.Segments()) - 1; n > 0 && err == nil && isMadeEmpty(t.Received, restored, path.First(n)); n-- {
		restored, err = object.Set(restored, path.First(n), object.Node{})
	}

	if err != nil {
		return object.Node{}, false
	}

	t.Resource = restored

	return copiedEntries(*v, after, t.Profile), true
}

// isMadeEmpty reports whether after has {} at the path, where before has nothing.
func isMadeEmpty(before, after object.Object, path object.Path) bool {
	previous, _ := before.At(path) // An error means that there is no such field.
	v, err := after.At(path)

	return err == nil && previous.IsNull() && v.IsObject() && v.IsEmpty()
}

// copiedEntries returns the entries that copying has added to a tag field or changed. before and after are the field's values:
// for {team: a} and {team: a, zone: b}, copiedEntries returns {zone: b}. If one value isn't a map, it returns all of after. Azure
// ignores the case of keys: for {Zone: a} and {Zone: a, zone: b}, copiedEntries returns both, which are entries of one tag.
func copiedEntries(before, after object.Node, p *profile.Profile) object.Node {
	if !before.IsObject() || !after.IsObject() {
		return after
	}

	keyID := func(key string) string { return key }
	if p.FoldKeys {
		keyID = p.Fold
	}

	previous, fields, isCopied := before.FieldMap(), after.FieldMap(), make(map[string]bool)

	for key, v := range fields {
		if previousValue, ok := previous[key]; !ok || !previousValue.Equal(v) {
			isCopied[keyID(key)] = true
		}
	}

	maps.DeleteFunc(fields, func(key string, _ object.Node) bool { return !isCopied[keyID(key)] })

	return object.MapNode(fields)
}
