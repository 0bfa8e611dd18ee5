package locate

import (
	"github.com/plexsphere/function-cloud-tags/input/v1beta1"
	"github.com/plexsphere/function-cloud-tags/tags/field"
	"github.com/plexsphere/function-cloud-tags/tags/object"
)

// A Launched place is where the tags go of what resources of a kind launch.
type Launched struct {
	Place

	Of field.Launched
}

// launches finds the places of what the kind k launches, whose own tags go to the place own.
func (ts *Targets) launches(k *Kind, own *Place) {
	if ts.finder.Input.LaunchedResources != v1beta1.LaunchedResourcesTag || own.Lacks != None || own.Profile.HandsOn {
		return
	}

	own.Unused = field.UnusedLaunches(k.GroupKind())

	for _, l := range ts.asked.Launched(k.Kind) {
		if !l.Path.Equal(own.Field.Path) {
			p := &Launched{Place: Place{Profile: own.Profile, Refuser: own.Refuser}, Of: l}
			p.Field = &p.Of.Field
			p.Field.Limits = p.Of.LimitsOf(ts.schemaAtHand(k))
			own.Launched = append(own.Launched, p)
		}
	}
}

// In returns the target that stands for the place of what t launches: in all of the resource, or in
// the item of the place's list that has the key item.
func (t *Target) In(at *Launched, item string, desired, observed object.Object) *Target {
	in := *t
	in.Place, in.Profile, in.Resource, in.Observed = &at.Place, at.Profile, desired, observed

	if item != "" {
		in.managers.within = itemPath(at.Of.List, at.Of.Key, item)
	}

	in.read()

	return &in
}

// At returns the target that stands for the field f of t, whatever the kind of t is.
func (t *Target) At(f *field.Field, desired object.Object) *Target {
	return t.In(&Launched{Place: Place{Profile: t.Profile, Field: f}}, "", desired, t.Observed)
}
