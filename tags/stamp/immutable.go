package stamp

import (
	"slices"
	"strings"

	"github.com/plexsphere/function-cloud-tags/tags"
	"github.com/plexsphere/function-cloud-tags/tags/locate"
	"github.com/plexsphere/function-cloud-tags/tags/object"
	"github.com/plexsphere/function-cloud-tags/tags/tagset"
	"github.com/plexsphere/function-cloud-tags/tags/write"
)

// freeze plans to keep the tags with which the resource was made. With other tags, its provider would refuse every update, or it makes none
// since managementPolicies lack Update. A resource
// that was made with env: dev keeps env: dev, whatever labels, earlier steps, removeTags and ignoreTags say.
func (p *Plan) freeze(earlierTrusted map[string]string) error {
	t := p.target
	if t.DesiredErr != nil {
		return t.DesiredErr // Nobody can write the field: spec.forProvider is a string, for example.
	}

	set, err := tagsWhenMade(t, p.labels)
	if err != nil {
		return err
	}

	p.allRecords = p.labels.newRecords()
	p.decision = &Decision{State: &State{Target: t, Labels: p.labels, Tags: set, EarlierTrustedTags: earlierTrusted}, records: p.allRecords}

	// Labels whose value isn't in the field stay Undecided: see noteImmutable.
	for i := range p.allRecords {
		if p.decision.labelIsTag(i) {
			p.allRecords[i].Fate = tags.Tagged
		}
	}

	if p.Stamped, err = write.Frozen(t, set); err != nil {
		return err
	}

	p.conclude()
	p.noteImmutable()

	return p.removeReservedInitial()
}

// removeReservedInitial takes tags with reserved keys that no trusted source gives out of spec.initProvider of a resource whose tags can't change.
// spec.forProvider has all tags that the resource was made with, so the merged tags stay as they are.
func (p *Plan) removeReservedInitial() error {
	t := p.target

	set, err := tagset.ReadWithInitial(object.Node{}, t.InitialValue, t.Field, &p.labels.Keys)
	if err != nil {
		return err
	}

	p.decision.removeUntrustedInitial(set)

	if v := set.InitialValue(); !write.IsSame(v, t.InitialValue) {
		p.Stamped, err = write.Initial(p.stampedResource(), t.Initial, v)
	}

	return err
}

// tagsWhenMade returns the tags that t was made with. For spec.forProvider.labels, these are the reported status.atProvider.labels, or else
// the tags of the observed field. tagsWhenMade leaves out tags that the cloud or the provider adds.
func tagsWhenMade(t *locate.Target, l *Labels) (*tagset.Set, error) {
	keys := l.allKeys()

	set := reportedUnderName(t, l, keys)
	if set == nil {
		value := t.ObservedValue
		if stuckWithoutTags(t) {
			value = object.Node{} // t was made without tags. The provider refuses the tags that the field got later.
		}

		var err error
		if set, err = tagset.Read(value, t.Field, keys); err != nil {
			return nil, err
		}
	}

	for e := range set.All() {
		// The provider adds its own tags again. In an atomic field they stay, since Crossplane replaces it as a whole: see desiredTags.
		if !t.Field.Atomic && locate.ProviderSets(t.Field, l.Profile.Fold(e.Key)) {
			set.Remove(e)
		}
	}

	return set, nil
}

// reportedUnderName returns the tags that the provider reports under the name of t's field, such as status.atProvider.labels, or nil. It
// leaves out two kinds of tags that t wasn't made with:
//   - Tags that only the cloud sets, such as aws:createdBy.
//   - Tags that the cloud lacks. On Google Cloud, status.atProvider.labels also has desired labels that the cloud lacks. There, the first
//     path of Field.Observed is status.atProvider.effectiveLabels, which has the labels of the cloud. See SetLabels in
//     tpgresource/labels.go of Google's Terraform provider.
func reportedUnderName(t *locate.Target, l *Labels, keys *tagset.Keys) *tagset.Set {
	i := indexUnderName(t)
	if i < 0 {
		return nil
	}

	underName, _ := t.Observed.At(t.Field.Observed[i]) // An error means that there is no such field.
	set := t.ReadTags(underName, keys)

	first, _ := t.Observed.At(t.Field.Observed[0]) // The first path has the tags that are in the cloud.
	inCloud := t.ReadTags(first, keys)             // If i is 0, these are the tags of set.

	for e := range set.All() {
		isMissing := inCloud != nil && !e.Opaque && !inCloud.Has(e.ID) // An opaque string has no ID.
		if isMissing || l.belongsToCloud(e) {
			set.Remove(e)
		}
	}

	return set
}

// indexUnderName returns the index of the path in Field.Observed that has the name of t's field, or -1. For spec.forProvider.labels, that
// path is status.atProvider.labels.
func indexUnderName(t *locate.Target) int {
	name, isInForProvider := strings.CutPrefix(t.Field.Path.String(), "spec.forProvider.")

	return slices.IndexFunc(t.Field.Observed, func(p object.Path) bool { return isInForProvider && p.String() == "status.atProvider."+name })
}

// stuckWithoutTags reports whether the cloud has no tags of t, and the provider refuses every update. Its caller has found no tags in the
// status of t, which alone proves nothing. The cloud has none if all of this is true:
//   - The provider would report tags under the name of the field, such as status.atProvider.labels.
//   - status.atProvider isn't empty, so the provider has looked at the cloud.
//   - The condition Synced is False with the reason ReconcileError: the provider refuses the update.
func stuckWithoutTags(t *locate.Target) bool {
	if reported := t.Observed.Node().Field("status").Field("atProvider"); indexUnderName(t) < 0 || reported.IsEmpty() {
		return false
	}

	synced := object.Condition(t.Observed, "Synced")

	return synced.Field("status").IsText("False") && synced.Field("reason").IsText("ReconcileError")
}

// noteImmutable adds NoteImmutable or NoteNeverUpdated for labels that are no tags of the resource, or have another value there: the resource was made with
// env: dev, and now has the label env: prod. Labels beyond the cap could never have been tags, and don't count.
func (p *Plan) noteImmutable() {
	kind := NoteImmutable
	if p.target.NeverUpdated {
		kind = NoteNeverUpdated
	}

	for i := range p.allRecords[:min(len(p.allRecords), p.labels.Profile.MaxTags)] {
		l := &p.labels.all[i]
		isMissed := l.Fate != tags.Removed || p.decision.Tags.Has(p.labels.entries[i].ID) // Nobody misses the tag if removeTags names it, and the field lacks it.

		if p.allRecords[i].Fate != tags.Tagged && isMissed { // A label isn't Tagged if its tag has another value: see freeze.
			p.Notes.add(kind, l.Key)
		}
	}
}

// keepFixed keeps the observed value of a Fixed tag field, such as parameters.labels of a StorageClass. With another value, the API
// server would refuse all changes of the resource. See testdata/cases/fixed-parameters.yaml.
func (p *Plan) keepFixed() {
	t := p.target
	if !t.Field.Fixed || t.Observed.IsZero() || t.ObservedErr != nil {
		return
	}

	if after, _ := p.stampedResource().At(t.Field.Path); write.IsSame(after, t.ObservedValue) {
		return
	}

	p.LeftAlone, p.Stamped = t.WhyLeftAlone(locate.Fixed), object.Object{} // The changes that the plan had are dropped.

	// For isSame, {} and null are the same, but not for the API server. So Stamped gets exactly the observed value.
	if !t.DesiredValue.Equal(t.ObservedValue) {
		p.Stamped, _ = object.Set(t.Resource, t.Field.Path, t.ObservedValue)
	}
}
