package locate

import (
	"github.com/plexsphere/function-cloud-tags/input/v1beta1"
	"github.com/plexsphere/function-cloud-tags/tags/field"
	"github.com/plexsphere/function-cloud-tags/tags/object"
	"github.com/plexsphere/function-cloud-tags/tags/profile"
)

// A LaunchedPlace is the place for the tags of resources that others launch, such as volumeTags of an Instance.
type LaunchedPlace struct {
	Place

	Of field.Launched
}

// addLaunchedPlaces finds the places for tags of launched resources of the kind k, and adds them to k's own place. An Instance has
// one, at spec.forProvider.volumeTags. It finds none unless launchedResources of the input is Tag.
func (ts *Targets) addLaunchedPlaces(k *TargetKind, to *Place) {
	if ts.finder.Input.LaunchedResources != v1beta1.LaunchedResourcesTag || to.Lacks != None || to.Profile.HandsOn {
		return
	}

	to.Unused = field.UnusedLaunches(k.GroupKind())

	for _, l := range ts.asked.Launched(k.Kind) {
		if l.Path.Equal(to.Field.Path) {
			continue
		}

		p := &LaunchedPlace{Of: l}
		p.Field = &p.Of.Field
		p.Profile, p.Refuser = ts.profilesOf(k, to.Field, profile.LaunchedKind(k.Tagged().Kind, l.Name()))
		p.Field.Limits = p.Of.LimitsOf(ts.schemaAtHand(k))
		ts.addMetadataPlace(k, &p.Place)
		to.Launched = append(to.Launched, p)
	}
}

// In returns a target for the launched place at, as if it were the tag field of t. The place is in the whole resource, or in
// one item of a list. For example, item is "volume" for the item of tagSpecifications with resourceType: volume.
func (t *Target) In(at *LaunchedPlace, item string, desired, observed object.Object) *Target {
	in := *t
	in.Place, in.Profile, in.Resource, in.Observed = &at.Place, at.Profile, desired, observed

	if item != "" {
		in.managers.within = itemPath(at.Of.List, at.Of.Key, item)
	}

	in.atShown()
	in.read()

	return &in
}

// At returns a target for the field f of t, as if f were the tag field. It doesn't matter which kind t has.
func (t *Target) At(f *field.Field, desired object.Object) *Target {
	return t.In(&LaunchedPlace{Place: Place{Profile: t.Profile, Field: f}}, "", desired, t.Observed)
}
