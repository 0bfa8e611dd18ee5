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

// leftAlone returns the result of t, a resource that is left alone: "has no tag field" for a BucketPolicy. See
// testdata/cases/left-alone.yaml.
func (s *Stamper) leftAlone(t *locate.Target) Result {
	r := newPlan(t, nil).Result

	switch {
	case !s.asksForTags(): // There are no labels that the resource could lack.
	case t.Leave != locate.None:
		r.LeftAlone = t.Why(t.Leave)
	default:
		r.Lacks = t.Lacks
		if t.IsComposite() && t.Lacks != locate.Undeclared && !t.Lacks.IsUnknown() {
			r.Lacks = locate.Composite
		}

		r.LeftAlone = t.Why(r.Lacks)
	}

	r.Stamped = s.asIs(t)

	return r
}

// asIs returns t with the tags that it has from this function, or the zero Object if there are none. Without them,
// server-side apply would take these tags away: Crossplane has applied them, and desires them no longer. Adopted
// resources never have such tags. See testdata/cases/as-is.yaml.
func (s *Stamper) asIs(t *locate.Target) object.Object {
	switch {
	case t.Leave == locate.None && t.Lacks.IsUnknown():
		return s.keepWhereOwned(t)
	case t.Leave == locate.Ignored && t.Place != nil && t.Lacks == locate.None:
		return s.keepIgnored(t)
	default:
		return object.Object{}
	}
}

// keepIgnored keeps the tags of t, which is annotated to be left alone, and the tags of the resources that it launches.
func (s *Stamper) keepIgnored(t *locate.Target) object.Object {
	l := &launch{Stamper: s, target: t, labels: s.knownLabelsOf(t), resource: t.Resource}
	l.keep(t)

	for _, at := range t.Launched {
		if at.Of.Value == "" && at.Of.List.IsZero() && at.Of.Applies(t.Resource, t.Observed) {
			l.keep(l.target.In(at, "", l.resource, t.Observed))
		}
	}

	return l.kept()
}

// keepWhereOwned keeps the tags of t in all fields below spec.forProvider that Crossplane owns entries of: nobody knows which
// of them is the tag field.
func (s *Stamper) keepWhereOwned(t *locate.Target) object.Object {
	l := &launch{Stamper: s, target: t, labels: s.knownLabelsOf(t), resource: t.Resource}
	forProvider := t.Observed.Node().Field("spec").Field("forProvider")

	for owned := range t.Owned() {
		for f := range fieldsIn(forProvider, owned, object.Segments{{Field: "spec"}, {Field: "forProvider"}}) {
			l.keep(t.At(&f, l.resource))
		}
	}

	return l.kept()
}

// kept returns the resource with the tags that it keeps, or the zero Object if it has not changed.
func (l *launch) kept() object.Object {
	if !l.changed {
		return object.Object{}
	}

	return l.resource
}

// keep puts the tags of this function that the observed field of t has back into the desired field: plexsphere:env:
// prod, if Crossplane applied it and no step desires it.
func (l *launch) keep(t *locate.Target) {
	labels := l.labels.in(t)

	set, err := tagset.Read(t.Before, t.Field, &labels.Keys)
	there := t.Reported(t.There, &labels.Keys)

	if err != nil || t.BeforeErr != nil || there == nil {
		return
	}

	kept := false

	for e := range there.All() {
		// An atomic field has a single owner: once an earlier step's tags are applied, all others are gone.
		stays := t.Owners().Of(e).Ours || t.Owners().Atomic && set.Len() > 0

		if stays && labels.belongsToFunction(e) && !set.Holds(e) && (e.Opaque || !set.Has(e.ID)) {
			set.Join(*e)

			kept = true
		}
	}

	if !kept {
		return
	}

	if r, err := write(t, &labels.Keys, set); err == nil && !r.IsZero() {
		l.resource, l.changed = r, true
	}
}

// fieldsIn yields the fields of the observed object that a manager owns entries of, and that look like tag fields:
// maps, lists of strings, and lists of objects with a key. The path leads to the object. In spec.forProvider with the
// owned f:labels and f:region, it yields spec.forProvider.labels.
func fieldsIn(observed, owned object.Node, path object.Segments) iter.Seq[field.Field] {
	return func(yield func(field.Field) bool) {
		for name, v := range observed.Fields() {
			in := owned.Field("f:" + string(name))
			at := append(slices.Clone(path), object.Segment{Field: string(name)})

			p, err := object.ParsePath(at.String())
			if !in.IsThere() || err != nil {
				continue
			}

			if f, ok := fieldOf(v); ok {
				f.Path, f.Within = p, true

				if !yield(f) {
					return
				}
			}

			if !v.IsObject() {
				continue
			}

			for f := range fieldsIn(v, in, at) {
				if !yield(f) {
					return
				}
			}
		}
	}
}

// fieldOf returns a tag field that could have the observed value. In a list of objects, the name of the key's field begins
// or ends with key: [{tagKey: env, tagValue: prod}].
func fieldOf(v object.Node) (f field.Field, ok bool) {
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

// separatorOf returns the separator of the tag s: = if s has one, or else a colon.
func separatorOf(s string) string {
	if strings.Contains(s, "=") {
		return "="
	}

	return ":"
}
