// Package stamp writes tags to the tag fields of desired composed resources. Its files stand here from the run down to what it tells. Each uses
// files below it, and TestFilesUseLowerFiles has the exceptions:
//   - stamp.go stamps each resource, or leaves it alone.
//   - launch.go stamps the fields for launched resources.
//   - collect.go makes the Outcome of all plans.
//   - trace.go keeps the plans of a run for the command explain.
//   - field.go plans a tag field: it reads the State, decides, and writes.
//   - ignored.go decides on tags of other systems, which ignoreTags names.
//   - immutable.go plans a tag field that can't change.
//   - records.go makes the records and notes of a decision.
//   - initial.go writes the tags of spec.initProvider.
//   - plan.go has the Plan of a tag field.
//   - decide.go decides which tags a field is to have.
//   - stamper.go has what all resources share in a run, and finds the labels of each.
//   - state.go has the State of a tag field, which a decision reads.
//   - labels.go has labels as tags for the fields of one kind.
//   - outcome.go has results, notes and skips, which package report tells.
package stamp

import (
	"context"
	"maps"
	"slices"
	"strings"

	"github.com/crossplane/function-sdk-go/errors"

	"github.com/plexsphere/function-cloud-tags/tags/field"
	"github.com/plexsphere/function-cloud-tags/tags/locate"
	"github.com/plexsphere/function-cloud-tags/tags/object"
	"github.com/plexsphere/function-cloud-tags/tags/tagset"
	"github.com/plexsphere/function-cloud-tags/tags/write"
)

// Stamp decides on the tags of the targets, and returns copies of the changed resources. For example, Outcome.Changed has the Bucket with
// the tag plexsphere:env, and the Bucket's Result has the record of the label. An error is the error of ctx, a ResolveError, a LimitError,
// the Budget's error, or a conflict with a tag. After an error, nothing may be written. See testdata/cases/stamp.yaml.
func (s *Stamper) Stamp(ctx context.Context, targets *locate.Targets) (*Outcome, error) {
	out := newOutcomeBuilder(s, len(targets.All))
	s.memoryBytes = 0

	for _, t := range targets.All {
		if err := ctx.Err(); err != nil {
			return nil, err
		}

		// t.Resource already has the labels and annotations that kubernetesMetadata copies, even if it gets no tags.
		if t.HasCopies {
			out.Changed[t.Name] = t.Resource
		}

		switch {
		case !t.Selected:
			s.addUnselected(out, targets, t)
		case !t.HasField():
			out.addResult(s.leaveAlone(t))
		default:
			p, err := s.planAll(t, out)
			if err != nil {
				return nil, err
			}

			// A tag in the status has selected t. The status may keep this tag after somebody has deleted it in the cloud.
			if t.ByCloudTags && t.MayReportDeletedTags() {
				p.Notes = append(p.Notes, Note{Kind: NoteStaysSelected})
			}

			if err := out.add(p); err != nil {
				return nil, err
			}
		}
	}

	outcome, err := out.finish()
	if s.Trace != nil && err == nil {
		s.Trace.Outcome = outcome
	}

	return outcome, err
}

// planAll returns the resourcePlan, the plan for the tags of t itself, with the notes of all plans. There are more plans if t launches
// resources: an Instance has the field volumeTags for the tags of its volumes. planAll adds each plan to out, first resourcePlan.
func (s *Stamper) planAll(t *locate.Target, out *outcomeBuilder) (*Plan, error) {
	labels, err := s.resourceLabelsOf(t)
	if err != nil {
		return nil, err
	}

	resourcePlan, err := s.planField(t, s.labelsFor(labels, t))
	if err == nil {
		out.addPlan(resourcePlan, resourcePlan)
		err = s.planLaunched(resourcePlan, labels, out)
	}

	verb := "tag"
	if t.Profile.HandsLabelsOn {
		verb = "hand labels on to"
	}

	// Without an error, Wrapf returns nil.
	return resourcePlan, errors.Wrapf(err, "cannot %s composed resource %q", verb, t.Name)
}

// addUnselected adds a result for t, which the input doesn't select, in two cases:
//   - The input would select t if the cloud had the tags of matchCloudTags. The tags that t has stay: see keepAppliedTags. If there are
//     labels, removeTags or ignoreTags, LeftAlone says so.
//   - The Stamper audits, and t loses tags of this function. If the observed Bucket has plexsphere:env, and no step desires it,
//     Changes.Removed has plexsphere:env.
func (s *Stamper) addUnselected(o *outcomeBuilder, targets *locate.Targets, t *locate.Target) {
	if t.LeaveReason != locate.None { // The resource's own fields ask to leave it alone.
		return
	}

	isDeselected := t.WhyUnselected() == locate.NotInCloud

	// Finder.Find has located the tag fields of selected resources only. Locate returns false if t has none.
	isAudited := s.Audits && !t.Observed.IsZero() && targets.Locate(t)

	if !isDeselected && !isAudited { // So it is for most, and a plan would be an allocation.
		return
	}

	p := newPlan(t, nil)

	if isDeselected {
		s.keepAppliedTags(p)

		if s.hasTagWork() {
			p.LeftAlone = t.WhyLeftAlone(locate.NotInCloud)
		}
	}

	if isAudited {
		l := s.labelsFor(s.resourceLabelsOrCommon(t), t)
		p.Changes.Removed = changesOf(t, p.stampedResource(), l).Removed

		maps.DeleteFunc(p.Changes.Removed, func(key string, _ Values) bool { return !l.keyBelongsToFunction(key) })
	}

	if p.LeftAlone != "" || !p.Changes.IsEmpty() || !p.Stamped.IsZero() {
		o.addResult(p.Result)
	}
}

// leaveAlone returns the result of t, which is left alone. The result of a BucketPolicy says "has no tag field". See
// testdata/cases/left-alone.yaml.
func (s *Stamper) leaveAlone(t *locate.Target) Result {
	p := newPlan(t, nil)

	switch {
	case !s.hasTagWork(): // Without labels, nobody expects tags, so the result needs no reason.
	case t.LeaveReason != locate.None:
		p.LeftAlone = t.WhyLeftAlone(t.LeaveReason)
	default:
		p.NoFieldReason = t.WhyWithoutField()
		p.LeftAlone = t.WhyLeftAlone(p.NoFieldReason)
	}

	s.keepAppliedTags(p)

	return p.Result
}

// keepAppliedTags keeps the tags of this function that Crossplane has applied before in the resource of p, which is left alone. If no step
// desired these tags, server-side apply would remove them. Three kinds of resources that are left alone can have such tags:
//   - resources with the ignore annotation
//   - resources without the tags of matchCloudTags
//   - resources whose tag field nobody knows any more
//
// See testdata/cases/as-is.yaml.
func (s *Stamper) keepAppliedTags(p *Plan) {
	t := p.target
	isUnknown := t.LeaveReason == locate.None && t.NoFieldReason.IsUnknown()
	isIgnored := t.LeaveReason == locate.Ignored && t.Place != nil && t.NoFieldReason == locate.None // Without a Place, NoFieldReason is None before Locate looks for the field.

	switch {
	case isUnknown:
		fs := &fieldStamper{Stamper: s, resourcePlan: p, labels: s.resourceLabelsOrCommon(t)}
		forProvider := t.Observed.Node().Field("spec").Field("forProvider")

		for owned := range t.OwnedInForProvider() {
			fs.keepInOwnedFields(forProvider, owned, object.Segments{{Field: "spec"}, {Field: "forProvider"}})
		}
	case isIgnored, !t.Selected: // Only matchCloudTags keeps t from being selected.
		fs := &fieldStamper{Stamper: s, resourcePlan: p, labels: s.resourceLabelsOrCommon(t)}
		fs.keepTags(t)

		for _, place := range t.Launched {
			isTagField := !place.LaunchedField.IsSwitch() && !place.LaunchedField.IsInList() // A switch holds no tags.
			if isTagField && place.LaunchedField.Applies(t.Resource, t.Observed) {
				fs.keepTags(fs.targetAt(place))
			}
		}
	}
}

// keepTags keeps tags of this function that Crossplane has applied, and that no step desires now. It copies such tags, for example
// plexsphere:env: prod, from the observed to the desired field of t.
func (fs *fieldStamper) keepTags(t *locate.Target) {
	labels := fs.labelsFor(fs.labels, t)

	desired, err := tagset.Read(t.DesiredValue, t.Field, &labels.Keys)
	if err != nil || t.DesiredErr != nil {
		return
	}

	before := desired.Len() // If it is 0, no step desires the field.

	for e := range t.ReadTags(t.ObservedValue, &labels.Keys).All() {
		// A step desires e if it desires the string of e or a tag with the key of e. An opaque string has no key.
		isDesired := desired.HasTagOf(e) || !e.Opaque && desired.Has(e.ID)

		// Crossplane removes its own entries if no step desires them. If a step desires an atomic field, Crossplane replaces all entries.
		isReplaced := t.Owners().Atomic && before > 0
		isRemoved := t.Owners().Of(e).Ours || isReplaced

		if isRemoved && !isDesired && labels.belongsToFunction(e) {
			desired.Append(*e)
		}
	}

	if desired.Len() == before { // No tag is lost.
		return
	}

	if r, err := write.Field(t, &labels.Keys, desired); err == nil && !r.IsZero() {
		fs.resourcePlan.Stamped = r
	}
}

// keepInOwnedFields keeps applied tags of a resource whose tag field nobody knows. It looks for tags in the fields of the observed object,
// and in the objects within it. A field may be the tag field if both hold:
//   - It is a map, a list of strings, or a list of objects with a key.
//   - Crossplane owns the field or a part of it: owned has the field.
//
// path is the path of the object, and owned is what Crossplane owns in the object, by metadata.managedFields. If owned has f:labels and
// f:region for spec.forProvider, the map spec.forProvider.labels keeps its tags, and the string spec.forProvider.region can't have any.
func (fs *fieldStamper) keepInOwnedFields(observed, owned object.Node, path object.Segments) {
	for name, v := range observed.Fields() {
		ownedPart := owned.Field("f:" + string(name))
		segments := append(slices.Clone(path), object.Segment{Field: string(name)})

		p, err := object.ParsePath(segments.String())
		if err != nil || !ownedPart.IsThere() { // A field with the name * has no path, since * stands for all items of a list.
			continue
		}

		if f, ok := guessField(v); ok {
			f.Path, f.Within = p, true // Within: true makes keepTags write nothing if the desired resource lacks the object around the field.
			fs.keepTags(fs.resourcePlan.target.WithField(&f, fs.resourcePlan.stampedResource()))
		}

		fs.keepInOwnedFields(v, ownedPart, segments)
	}
}

// guessField returns a tag field with the shape of the observed value v. ok is false if no tag field has such a value. In a list of
// objects, the name of the key's field begins or ends with key: [{tagKey: env, tagValue: prod}]. The field of the value stays unnamed:
// keepTags copies whole objects.
func guessField(v object.Node) (f field.Field, ok bool) {
	switch {
	case v.IsObject():
		return field.Field{Layout: field.Layout{Shape: field.Map}}, true
	case !v.IsList():
		return field.Field{}, false
	}

	for item := range v.Items() {
		if !item.IsObject() {
			return field.Field{Layout: field.Layout{Shape: field.StringList, Separator: separatorOf(item.Text())}}, true
		}

		for name := range item.Fields() {
			if lower := strings.ToLower(string(name)); strings.HasPrefix(lower, "key") || strings.HasSuffix(lower, "key") {
				return field.Field{Layout: field.Layout{Shape: field.KeyValueList}, Key: string(name)}, true
			}
		}
	}

	return field.Field{}, false
}

// separatorOf returns the separator in a string of a list: an equals sign in env=prod, and a colon in env:prod.
func separatorOf(entry string) string {
	if strings.Contains(entry, "=") {
		return "="
	}

	return ":"
}
