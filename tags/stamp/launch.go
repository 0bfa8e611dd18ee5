package stamp

import (
	"cmp"

	"github.com/crossplane/function-sdk-go/errors"

	"github.com/plexsphere/function-cloud-tags/tags/field"
	"github.com/plexsphere/function-cloud-tags/tags/locate"
	"github.com/plexsphere/function-cloud-tags/tags/object"
)

// A fieldStamper stamps several fields of one resource, one after the other, such as volumeTags and rootBlockDevice.tags of an Instance.
type fieldStamper struct {
	*Stamper

	// resourcePlan is the plan of the resource itself. Whenever a field changes, resourcePlan.Stamped becomes the resource with this change.
	resourcePlan *Plan
	labels       *resourceLabels

	// out gets the plan of each field. The fieldStamper keeps no plans, since a list can have thousands of items.
	out *outcomeBuilder
}

// planLaunched plans the tags of the fields for launched resources. For example, an Instance launches volumes, and has their tags in
// volumeTags. planLaunched adds the notes of each field's plan to resourcePlan, the plan of the resource itself, and both to out. See testdata/cases/launched.yaml.
func (s *Stamper) planLaunched(resourcePlan *Plan, labels *resourceLabels, out *outcomeBuilder) error {
	t, d := resourcePlan.target, resourcePlan.decision
	hasNoWork := len(t.Launched)+len(t.NeverWritten) == 0 || resourcePlan.LeftAlone != ""
	runFails := d != nil && len(d.trustedWithoutSlot) > 0 // In the end, Stamp returns a LimitError: see limits.

	if hasNoWork || runFails {
		return nil
	}

	fs := &fieldStamper{Stamper: s, resourcePlan: resourcePlan, labels: labels, out: out}

	for _, place := range t.Launched {
		var err error

		switch {
		case !place.LaunchedField.Applies(t.Resource, t.Observed), fs.hasAttachedVolume(place): // The field gets no labels, but earlier steps may have set reserved keys.
			fs.removeReservedAt(place)
		case place.LaunchedField.IsSwitch(): // Such as propagateTags of an ECS Service.
			err = fs.switchOn(place)
		case place.LaunchedField.IsInList():
			err = fs.stampItems(place)
		default:
			err = fs.stampField(fs.targetAt(place), place)
		}

		if err != nil {
			return errors.Wrapf(err, "%s", place.LaunchedField.Name())
		}
	}

	for _, path := range t.NeverWritten { // A change of these fields could replace a running resource, for example.
		fs.noteReserved(path)
		fs.noteReserved(field.InitialPath(path))
	}

	return nil
}

// report adds the notes of p, the plan of a field, to resourcePlan, and p to out.
func (fs *fieldStamper) report(p *Plan) {
	fs.resourcePlan.addNotesOf(p)
	fs.out.addPlan(fs.resourcePlan, p)
}

// addNotesOf adds notes, the mismatch, trusted tags and withheld labels of fieldPlan to p, the plan of the resource itself.
// If onConflict Retain keeps env: dev in volumeTags, the label env: prod is withheld, and the result of the Instance says so.
func (p *Plan) addNotesOf(fieldPlan *Plan) {
	p.Mismatch = cmp.Or(p.Mismatch, fieldPlan.Mismatch)

	for _, note := range fieldPlan.Notes {
		if len(note.Keys) > 0 && note.Field == "" {
			p.Notes.addOwned(note.Kind, note.Manager, note.Keys...)
		} else {
			p.Notes = append(p.Notes, note)
		}
	}

	for _, record := range fieldPlan.Records {
		if record.Withheld() {
			p.Records = append(p.Records, record)
		}
	}

	for key, value := range fieldPlan.Trusted {
		if _, ok := p.Trusted[key]; !ok {
			p.Trusted = withKey(p.Trusted, key, value)
		}
	}
}

// stampField stamps the field of t, such as spec.forProvider.volumeTags of an Instance. place is the place of the field.
func (fs *fieldStamper) stampField(t *locate.Target, place *locate.LaunchedPlace) error {
	p, err := fs.planNamed(t, place.LaunchedField.Name())
	if err != nil {
		return err
	}

	fs.apply(p)

	return nil
}

// planNamed plans the labels of the field of t, and sets launchedName, the field's name in messages.
func (fs *fieldStamper) planNamed(t *locate.Target, name string) (*Plan, error) {
	p, err := fs.planField(t, fs.labels.labelsFor(t))
	if err == nil {
		p.launchedName = name
	}

	return p, err
}

// targetAt returns the target whose tag field is at the place, in the resource with the fields that are stamped so far.
func (fs *fieldStamper) targetAt(place *locate.LaunchedPlace) *locate.Target {
	t := fs.resourcePlan.target
	return t.LaunchedTarget(place, "" /* no item */, fs.resourcePlan.stampedResource(), t.Observed)
}

// apply takes over the stamped resource of p, the plan of a field, and reports p.
func (fs *fieldStamper) apply(p *Plan) {
	if !p.Stamped.IsZero() {
		fs.resourcePlan.Stamped = p.Stamped
	}

	fs.report(p)
}

// switchOn sets a field that tells the cloud to pass the resource's tags on to launched resources, such as propagateTags: SERVICE of an
// ECS Service, and propagateTags: true of each replica of a DynamoDB Table. It does nothing if no label is a tag of the resource, or where
// an earlier step has set the field: an explicit false stays.
func (fs *fieldStamper) switchOn(place *locate.LaunchedPlace) error {
	p, path := fs.resourcePlan, place.LaunchedField.Path
	if !p.IsTagged() || place.LaunchedField.HasInitial(p.target.Resource) {
		return nil
	}

	if place.LaunchedField.IsInList() {
		path = object.MustParsePath(place.LaunchedField.List.String() + "[*]." + path.String())
	}

	before := p.stampedResource()

	after, changed, err := object.Update(before, path, func(v object.Node) (object.Node, error) {
		if v.IsNull() { // A missing field is null, too.
			v = place.LaunchedField.On()
		}

		return v, nil
	})
	if err != nil || !changed {
		return nil //nolint:nilerr // An error means that the field can't be there.
	}

	p.Stamped = after

	return fs.Budget.ChargeResponse(after.Node().Size() - before.Node().Size())
}
