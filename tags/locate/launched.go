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

	LaunchedField field.Launched
}

// addLaunchedPlaces adds the fields for tags of launched resources to the place of the kind k. An Instance gets one, at
// spec.forProvider.volumeTags. It adds none unless launchedResources of the input is Tag.
func (ts *Targets) addLaunchedPlaces(k *TargetKind, parent *Place) {
	if ts.finder.Input.LaunchedResources != v1beta1.LaunchedResourcesTag || parent.NoFieldReason != None || parent.Profile.PassesLabelsOn {
		return
	}

	parent.NeverWritten = field.NeverWrittenLaunches(k.GroupKind())

	for _, l := range ts.notingSchemas.Launched(k.Kind) {
		if l.Path.Equal(parent.Field.Path) {
			continue
		}

		p := &LaunchedPlace{LaunchedField: l}
		p.Field = &p.LaunchedField.Field
		p.Profile, p.APIProfile = ts.profilesOf(k, parent.Field, profile.LaunchedKind(k.Tagged().Kind, l.Name()))
		p.Field.Limits = p.LaunchedField.LimitsOf(ts.schemaAtHand(k))
		ts.setForInstanceMetadata(k, &p.Place)
		parent.Launched = append(parent.Launched, p)
	}
}

// LaunchedTarget returns a copy of t whose tag field is the launched place. If that is in an item of a list, item is the
// item's key, such as volume for the item of tagSpecifications with resourceType: volume. Then desired and observed are the
// item. Otherwise item is empty.
func (t *Target) LaunchedTarget(place *LaunchedPlace, item string, desired, observed object.Object) *Target {
	launched := *t
	launched.Place, launched.Profile, launched.Resource, launched.Observed = &place.Place, place.Profile, desired, observed

	if item != "" {
		launched.managers.itemPath = fieldsV1ItemPath(place.LaunchedField.List, place.LaunchedField.Key, item)
	}

	launched.applyInstanceMetadataRules()
	launched.readTagField()

	return &launched
}

// WithField returns a copy of t whose tag field is f, and whose desired resource is the given one.
func (t *Target) WithField(f *field.Field, desired object.Object) *Target {
	return t.LaunchedTarget(&LaunchedPlace{Place: Place{Profile: t.Profile, Field: f}}, "", desired, t.Observed)
}
