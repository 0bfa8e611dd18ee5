package stamp

import (
	"slices"

	"github.com/crossplane/function-sdk-go/errors"

	"github.com/plexsphere/function-cloud-tags/tags/locate"
	"github.com/plexsphere/function-cloud-tags/tags/object"
	"github.com/plexsphere/function-cloud-tags/tags/tagset"
	"github.com/plexsphere/function-cloud-tags/tags/words"
)

// carryOut writes the decision of p to a copy of the resource, and then notes which facts people should know, such as
// LastTagStays.
func (p *plan) carryOut() error {
	d := p.decision
	p.Trusted, p.Notes = d.trusted, d.notes

	// After an error, the resource is left alone, and the run goes on.
	if p.failsBy(p.write()) {
		return nil
	}

	if err := p.remember(); err != nil {
		return err
	}

	p.keepFixed()
	p.noteLast()
	p.noteIgnored()

	if p.LeftAlone == "" {
		p.conclude()
		d.noteOthers(&p.Notes)
		p.Notes.add(NoteOtherValue, "", d.otherValues()...)
	}

	return nil
}

// conclude hands the records of labels to the result, and adds tags with reserved keys to the trusted tags.
func (p *plan) conclude() {
	p.Records, p.done = p.judged, true

	for i := range p.judged {
		if j := &p.judged[i]; j.Fate == Tagged && j.Reserved {
			p.Trusted = put(p.Trusted, j.Key, j.Value)
		}
	}
}

// write the tags that p has decided on to the tag field, unless they are as they were.
func (p *plan) write() (err error) {
	set, f, items := p.decision.Tags, p.target.Field, p.withValues()

	// The provider would fill a missing field again, and an atomic field has to say that it is empty.
	staysEmpty := set.Len() == 0 && (f.LateInit || f.Atomic)

	if set.Changed() || p.restoredProviderTags || len(items) > 0 || staysEmpty {
		p.Stamped, err = write(p.target, &p.labels.Keys, set, items...)
	}

	return err
}

// withValues returns the items of a keyed list that p doesn't set, but has to write: Crossplane owns such an item, and not the whole
// of it. Say kubectl edit owns the item {key: env}, and Crossplane its value: prod. If nobody desired the item any more, server-side
// apply would take prod, and leave {key: env} without a value.
func (p *plan) withValues() (items []object.Node) {
	f, others := p.target.Field, p.decision.others()
	if f.Key == "" || f.Atomic || others == nil {
		return nil
	}

	for e := range others.All() {
		owner := p.target.Owners().Of(e)
		ownedInPart := owner.Ours && !owner.Whole

		if e.Opaque || p.decision.Tags.Holds(e) || !ownedInPart || !e.Value.IsThere() {
			continue
		}

		item := map[string]object.Node{f.Key: object.TextNode(e.Key), f.Value: e.Value}

		for name := range f.Extra {
			if v := e.Item.Field(name); v.IsThere() {
				item[name] = v
			}
		}

		items = append(items, object.MapNode(item))
	}

	return items
}

// write writes the tags, and the items of a list after them, to the field of t: {env: prod} to spec.forProvider.tags.
// It returns the zero Object if the field is as in t.Before. So a later step can change a field back to its first value.
func write(t *locate.Target, keys *tagset.Keys, set *tagset.Set, items ...object.Node) (object.Object, error) {
	v := set.Value()
	if len(items) > 0 {
		v = v.Append(items...)
	}

	if isEmpty(v) {
		return writeEmpty(t, keys, v)
	}

	if t.Before.Equal(v) {
		return object.Object{}, nil
	}

	if v = inObservedOrder(t, v); t.Before.Equal(v) {
		return object.Object{}, nil
	}

	if limit := t.Field.Limits.RefusesWhole(v.Text()); v.IsString() && limit != "" {
		return object.Object{}, errors.Errorf("%s can't be the text of all tags, %s", t.Field.Path, limit)
	}

	if size := sizeOf(v); keys.Metadata == "annotations" && size > maxAnnotations {
		return object.Object{}, errors.Errorf("%s would have %d bytes, and Kubernetes admits %d", t.Field.Path, size, maxAnnotations)
	}

	r, err := undoEmptied(t)
	if err != nil {
		return object.Object{}, err
	}

	return writeTo(t, r, v)
}

// maxAnnotations is the most bytes that the keys and values of an object's annotations have together. The API server
// refuses an object with more: see TotalAnnotationSizeLimitB in the package api/validation of k8s.io/apimachinery.
const maxAnnotations = 256 << 10

// sizeOf returns how many bytes the keys and values of a map of strings have.
func sizeOf(v object.Node) (size int) {
	for key, value := range v.Fields() {
		size += len(key) + len(value.Text())
	}

	return size
}

// isEmpty reports whether the value n of a tag field has neither tags nor anything else: {}, [], "", null or nothing.
func isEmpty(n object.Node) bool { return n.IsEmpty() && n.Text() == "" }

// writeValue writes the value v to the field of t.
func writeValue(t *locate.Target, v object.Node) (object.Object, error) {
	return writeTo(t, t.Resource, v)
}

// writeTo writes the value v to the field of r, the resource of t as it is by now.
func writeTo(t *locate.Target, r object.Object, v object.Node) (object.Object, error) {
	if err := homeless(t); err != nil {
		return object.Object{}, err
	}

	return object.Set(r, t.Field.Path, v)
}

// removeField removes the field of t, and objects around the field if they are empty then: without tags,
// spec.forProvider.tagging goes, too. A kind may require tags in it.
func removeField(t *locate.Target) (object.Object, error) {
	out, err := writeValue(t, object.Node{})

	for path, ok := around(t.Field.Path); ok && err == nil; path, ok = around(path) {
		o, _ := out.At(path)
		if !o.IsObject() || !o.IsEmpty() {
			break
		}

		out, err = object.Set(out, path, object.Node{})
	}

	return out, err
}

// around returns the path of the object around the field at the path, such as spec.forProvider.tagging of
// spec.forProvider.tagging.tags. It returns false if that object belongs to the resource, as spec.forProvider does.
func around(path object.Path) (object.Path, bool) {
	n := len(path.Segments()) - 1
	if n == 0 || slices.ContainsFunc(path.Segments(), func(sg object.Segment) bool { return sg.Type == object.SegmentIndex }) {
		return object.Path{}, false
	}

	o := path.First(n)

	switch o.String() {
	case "metadata", "spec", "spec.forProvider", "spec.forProvider.manifest":
		return o, false
	default:
		return o, true
	}
}

// homeless returns an error if t lacks the object around its field, or the only item of a list around it:
// "spec.forProvider.settings has no item to hold tags". None is made, since it may require other fields. See
// testdata/cases/list-of-one.yaml.
func homeless(t *locate.Target) error {
	if path := t.Field.Path; t.Field.Within {
		around := path.First(len(path.Segments()) - 1)

		if v, err := t.Resource.At(around); err != nil || !v.IsObject() {
			return errors.Errorf("there is no object %s to hold tags", around)
		}
	}

	for i, sg := range t.Field.Path.Segments() {
		if sg.Type != object.SegmentIndex || sg.Index != 0 {
			continue
		}

		list := t.Field.Path.First(i)

		v, err := t.Resource.At(list)
		if err != nil || v.IsThere() && !v.IsList() {
			return err // object.Set says why.
		}

		if v.IsEmpty() {
			return errors.Errorf("%s has no item to hold tags", list)
		}
	}

	return nil
}

// inObservedOrder returns the value v for the field of t, or the observed value if this has the same items in another
// order. An atomic list is written as a whole, so that the provider's order stays: [b=1, a=1] instead of [a=1, b=1].
func inObservedOrder(t *locate.Target, v object.Node) object.Node {
	if !t.Field.Atomic || t.Field.Sorted || !v.IsList() {
		return v
	}

	sorted := func(v object.Node) []string {
		return slices.Sorted(slices.Values(words.Map(slices.Collect(v.Items()), tagset.Encoded)))
	}

	if slices.Equal(sorted(t.There), sorted(v)) {
		return t.There
	}

	return v
}
