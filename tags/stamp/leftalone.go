package stamp

import (
	"iter"
	"slices"
	"strings"

	"github.com/plexsphere/function-cloud-tags/tags/field"
	"github.com/plexsphere/function-cloud-tags/tags/locate"
	"github.com/plexsphere/function-cloud-tags/tags/object"
	"github.com/plexsphere/function-cloud-tags/tags/tagset"
)

// leaveAlone returns the result of t, which is left alone. The result of a BucketPolicy says "has no tag field". See
// testdata/cases/left-alone.yaml.
func (s *Stamper) leaveAlone(t *locate.Target) Result {
	r := newPlan(t, nil).Result

	switch {
	case !s.hasTagWork(): // Without labels, nobody asks why.
	case t.LeaveReason != locate.None:
		r.LeftAlone = t.WhyLeftAlone(t.LeaveReason)
	default:
		r.NoFieldReason = t.NoFieldReason

		hasExactReason := t.NoFieldReason == locate.Undeclared || t.NoFieldReason.IsUnknown()
		if t.IsComposite() && !hasExactReason {
			r.NoFieldReason = locate.Composite
		}

		r.LeftAlone = t.WhyLeftAlone(r.NoFieldReason)
	}

	r.Stamped = s.withAppliedTags(t)

	return r
}

// withAppliedTags returns the desired resource with the tags of this function that Crossplane has applied before, or the zero Object if
// nothing changes. If no step desired these tags, server-side apply would remove them. Only two kinds of resources that are left alone
// can have such tags: resources with the ignore annotation, and resources whose tag field nobody knows any more. See
// testdata/cases/as-is.yaml.
func (s *Stamper) withAppliedTags(t *locate.Target) object.Object {
	switch {
	case t.LeaveReason == locate.None && t.NoFieldReason.IsUnknown():
		return s.keepInOwnedFields(t)
	case t.LeaveReason == locate.Ignored && t.Place != nil && t.NoFieldReason == locate.None: // The tag field is known.
		return s.keepIgnored(t)
	default:
		return object.Object{}
	}
}

// keepIgnored is withAppliedTags for t with the annotation cloudtags.fn.plexsphere.com/ignore. It keeps applied tags in the tag field and
// in fields for launched resources.
func (s *Stamper) keepIgnored(t *locate.Target) object.Object {
	fs := &fieldStamper{Stamper: s, target: t, labels: s.knownResourceLabelsOf(t), resource: t.Resource}
	fs.keepTags(t)

	for _, place := range t.Launched {
		f := &place.LaunchedField
		if holdsTags := !f.IsSwitch() && !f.IsInList(); holdsTags && f.Applies(t.Resource, t.Observed) {
			fs.keepTags(fs.target.LaunchedTarget(place, "", fs.resource, t.Observed))
		}
	}

	return fs.changedResource()
}

// keepInOwnedFields is withAppliedTags for t whose tag field nobody knows. It keeps applied tags in each field below spec.forProvider in
// which Crossplane owns entries.
func (s *Stamper) keepInOwnedFields(t *locate.Target) object.Object {
	fs := &fieldStamper{Stamper: s, target: t, labels: s.knownResourceLabelsOf(t), resource: t.Resource}
	forProvider := t.Observed.Node().Field("spec").Field("forProvider")

	for owned := range t.OwnedInForProvider() {
		for f := range ownedFieldsIn(forProvider, owned, object.Segments{{Field: "spec"}, {Field: "forProvider"}}) {
			fs.keepTags(t.WithField(&f, fs.resource))
		}
	}

	return fs.changedResource()
}

// changedResource returns the resource with its stamped fields, or the zero Object if no field has changed.
func (fs *fieldStamper) changedResource() object.Object {
	if !fs.changed {
		return object.Object{}
	}

	return fs.resource
}

// keepTags copies tags of this function that Crossplane has applied from the observed field of t to the desired field. It copies
// plexsphere:env: prod if no step desires plexsphere:env.
func (fs *fieldStamper) keepTags(t *locate.Target) {
	labels := fs.labels.labelsFor(t)

	desired, err := tagset.Read(t.DesiredValue, t.Field, &labels.Keys)
	observed := t.ReadTags(t.ObservedValue, &labels.Keys)

	if isReadable := err == nil && t.DesiredErr == nil; !isReadable || observed == nil {
		return
	}

	hasCopied := false

	for e := range observed.All() {
		// If Crossplane applies tags of earlier steps to an atomic field, all other entries go.
		goes := t.Owners().Of(e).Ours || t.Owners().Atomic && desired.Len() > 0
		isDesired := desired.HasTagOf(e) || !e.Opaque && desired.Has(e.ID)

		if isLost := goes && !isDesired; isLost && labels.belongsToFunction(e) {
			desired.Append(*e)

			hasCopied = true
		}
	}

	if !hasCopied {
		return
	}

	if r, err := writeField(t, &labels.Keys, desired); err == nil && !r.IsZero() {
		fs.resource, fs.changed = r, true
	}
}

// ownedFieldsIn yields the fields within the observed object that may be tag fields, and in which a field manager owns entries. They are
// maps, lists of strings, and lists of objects with a key. path is the path of the object, and owned is the part of
// metadata.managedFields for the object. If spec.forProvider has f:labels and f:region there, ownedFieldsIn yields
// spec.forProvider.labels.
func ownedFieldsIn(observed, owned object.Node, path object.Segments) iter.Seq[field.Field] {
	return func(yield func(field.Field) bool) {
		for name, v := range observed.Fields() {
			ownedPart := owned.Field("f:" + string(name))
			segments := append(slices.Clone(path), object.Segment{Field: string(name)})

			p, err := object.ParsePath(segments.String())
			if !ownedPart.IsThere() || err != nil {
				continue
			}

			if f, ok := guessField(v); ok {
				f.Path, f.Within = p, true

				if !yield(f) {
					return
				}
			}

			if !v.IsObject() {
				continue
			}

			for f := range ownedFieldsIn(v, ownedPart, segments) {
				if !yield(f) {
					return
				}
			}
		}
	}
}

// guessField returns a tag field with the shape of the observed value v. ok is false if no tag field has such a value. In a list of
// objects, the name of the key's field begins or ends with key: [{tagKey: env, tagValue: prod}].
func guessField(v object.Node) (f field.Field, ok bool) {
	switch {
	case v.IsObject():
		return field.Field{Shape: field.Map}, true
	case !v.IsList():
		return field.Field{}, false
	}

	for item := range v.Items() {
		if !item.IsObject() {
			return field.Field{Shape: field.StringList, Separator: separatorOf(item.Text())}, true
		}

		for name := range item.Fields() {
			if lower := strings.ToLower(string(name)); strings.HasPrefix(lower, "key") || strings.HasSuffix(lower, "key") {
				return field.Field{Shape: field.KeyValueList, Key: string(name)}, true
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
