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

// leftAlone is the result of t, which is left alone.
func (s *Stamper) leftAlone(t *locate.Target) Result {
	r := newPlan(t, nil).Result

	switch {
	case !s.asksForTags(): // There is nothing that it could have been tagged with.
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

// asIs returns what t becomes so that it keeps what it has from this function, though it is left
// alone: server-side apply takes away what Crossplane has applied and desires no longer. It is zero
// if there is nothing to keep. Adopted resources never carry labels, so that they keep nothing.
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

// keepIgnored keeps the tags of t, which is annotated to be left alone, and of what it launches.
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

// keepWhereOwned keeps the tags of t, of which nobody knows a tag field, in all fields below
// spec.forProvider in which Crossplane owns any.
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

// kept is what the resource has become, or zero if it has not changed.
func (l *launch) kept() object.Object {
	if !l.changed {
		return object.Object{}
	}

	return l.resource
}

// keep the tags of the field of t.
func (l *launch) keep(t *locate.Target) {
	labels := l.labels.in(t)

	set, err := tagset.Read(t.Before, t.Field, &labels.Keys)
	there := t.Reported(t.There, &labels.Keys)

	if err != nil || t.BeforeErr != nil || there == nil {
		return
	}

	kept := false

	for e := range there.All() {
		// An atomic field that an earlier step desires has nobody else's tags once that is
		// applied.
		stays := t.Owners().Of(e).Ours || t.Owners().Atomic && set.Len() > 0

		if stays && labels.isOurs(e) && !set.Holds(e) && (e.Opaque || !set.Has(e.ID)) {
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

// fieldsIn are the fields of the observed object in which a manager owns anything, and which could
// hold tags, by what they hold. The path leads to the object.
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

// fieldOf returns the tag field that the observed value could be that of. In a list of objects, the
// field that begins or ends with key is that of the tag's key.
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

// separatorOf a string that is a tag.
func separatorOf(s string) string {
	if strings.Contains(s, "=") {
		return "="
	}

	return ":"
}
