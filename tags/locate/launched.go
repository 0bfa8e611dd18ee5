package locate

import (
	"github.com/plexsphere/function-cloud-tags/input/v1beta1"
	"github.com/plexsphere/function-cloud-tags/tags/field"
	"github.com/plexsphere/function-cloud-tags/tags/object"
	"github.com/plexsphere/function-cloud-tags/tags/profile"
)

// A LaunchedPlace is a field for tags of launched resources, such as volumeTags of an Instance.
type LaunchedPlace struct {
	Place

	// LaunchedField is the field, with facts that only launched fields have, such as the List whose items have the field. Place.Field points
	// to its Field.
	LaunchedField field.Launched
}

// addLaunchedPlaces adds the places for tags of launched resources to parent, the place of the kind k. The place of an Instance
// gets volumeTags and rootBlockDevice.tags. addLaunchedPlaces adds nothing unless launchedResources of the input is Tag.
func (ts *Targets) addLaunchedPlaces(k *TargetKind, parent *Place) {
	if ts.finder.Input.LaunchedResources != v1beta1.LaunchedResourcesTag || parent.Profile.HandsLabelsOn || profile.IsSecondSystem(parent.Profile.Name) {
		return
	}

	parent.NeverWritten = field.NeverWrittenLaunches(k.GroupKind()) // Such as ebsBlockDevice.tags of an Instance.

	for _, l := range ts.recordingSchemas.Launched(k.Kind) { // recordingSchemas asks Crossplane for schemas.
		if l.Path.Equal(parent.Field.Path) { // An entry of tagFields has made volumeTags the tag field.
			continue
		}

		l.Limits = l.LimitsOf(ts.schemaAtHand(k)) // schemaAtHand asks Crossplane for no schema.
		p := &LaunchedPlace{LaunchedField: l}
		p.IsLaunched = true
		p.Field, p.Initial = &p.LaunchedField.Field, field.InitialPath(p.LaunchedField.Path)
		p.Profile, p.APIProfile = ts.profilesOf(k, parent.Field.EntryProvider, profile.LaunchedKind(k.Tagged().Kind, l.Name()))
		ts.setPlaceForInstanceMetadata(k, &p.Place)
		parent.Launched = append(parent.Launched, p)
	}
}

// LaunchedTarget returns a copy of t whose tag field is the launched place. desired and observed are the resource or, for a field in the
// items of a list, one item. itemKey identifies the item: volume for {resourceType: volume} of tagSpecifications. For a field of the
// resource, it is empty.
func (t *Target) LaunchedTarget(place *LaunchedPlace, itemKey string, desired, observed object.Object) *Target {
	launched := t.withPlace(&place.Place, desired, observed)

	if itemKey != "" { // itemPath becomes f:spec, f:forProvider, f:tagSpecifications, k:{"resourceType":"volume"}.
		launched.managers.itemPath = fieldsV1ItemPath(place.LaunchedField.List, place.LaunchedField.Key, itemKey)
	}

	return launched
}

// WithField returns a copy of t whose tag field is f, and whose desired resource is the given one.
func (t *Target) WithField(f *field.Field, desired object.Object) *Target {
	return t.withPlace(&Place{Profile: t.Profile, Field: f}, desired, t.Observed)
}

// withPlace returns a copy of t whose tag field is at the place in the given resources.
func (t *Target) withPlace(place *Place, desired, observed object.Object) *Target {
	out := *t
	out.setPlace(place)
	out.Resource, out.Observed, out.CopiedInitial = desired, observed, object.Node{}

	out.applyInstanceMetadataRules()
	out.readTagField()

	return &out
}
