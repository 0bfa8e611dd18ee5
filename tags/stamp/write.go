package stamp

import (
	"slices"

	"github.com/crossplane/function-sdk-go/errors"

	"github.com/plexsphere/function-cloud-tags/tags/field"
	"github.com/plexsphere/function-cloud-tags/tags/locate"
	"github.com/plexsphere/function-cloud-tags/tags/object"
	"github.com/plexsphere/function-cloud-tags/tags/tagset"
	"github.com/plexsphere/function-cloud-tags/tags/words"
)

// carryOut writes what p has decided, and says so.
func (p *plan) carryOut() error {
	d := p.decision
	p.Trusted, p.Notes = d.trusted, d.notes

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

// conclude says that the records of labels are what has come of the resource.
func (p *plan) conclude() {
	p.Labels, p.done = p.judged, true

	for i := range p.judged {
		if j := &p.judged[i]; j.Fate == Tagged && j.Reserved {
			p.Trusted = put(p.Trusted, j.Key, j.Value)
		}
	}
}

// write what p has decided to the tag field, unless that is as it was.
func (p *plan) write() (err error) {
	set, f, items := p.decision.Tags, p.target.Field, p.withValues()

	if set.Changed() || p.restored || len(items) > 0 || set.Len() == 0 && (f.LateInit || f.Atomic) {
		p.Stamped, err = write(p.target, &p.labels.Keys, set, items...)
	}

	return err
}

// withValues are the items of a keyed list that others have there, but not as a whole: the value was that of a label, so
// that Crossplane alone owns it, or only the value is another's. The items stay, so that they have to be desired:
// server-side apply would leave them without a value, or take them away, and of the last item it would make null.
func (p *plan) withValues() (items []object.Node) {
	f, others := p.target.Field, p.decision.others()
	if f.Shape != field.KeyValueList || f.Atomic || others == nil {
		return nil
	}

	for e := range others.All() {
		if of := p.target.Owners().Of(e); e.Opaque || p.decision.Tags.Holds(e) || !of.Ours || of.Whole || !e.Value.IsThere() {
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

// write the tags, and behind them the items of a list, to the field of t. It returns nil if that is
// as it was: what one step changes, a later one may change back.
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

	if limit := t.Field.Limits.RefusesWhole(v.Text()); t.Field.Shape == field.Joined && limit != "" {
		return object.Object{}, errors.Errorf("%s can't be the text of all tags, %s", t.Field.Path, limit)
	}

	if size := sizeOf(v); keys.Metadata == "annotations" && size > maxAnnotations {
		return object.Object{}, errors.Errorf("%s would have %d bytes, and Kubernetes admits %d", t.Field.Path, size, maxAnnotations)
	}

	r, err := filledAgain(t)
	if err != nil {
		return object.Object{}, err
	}

	return writeTo(t, r, v)
}

// maxAnnotations is the most bytes that the keys and values of an object's annotations have together. The API server
// refuses an object with more: see TotalAnnotationSizeLimitB in the package api/validation of k8s.io/apimachinery.
const maxAnnotations = 256 << 10

// sizeOf the keys and values of a map of strings.
func sizeOf(v object.Node) (size int) {
	for key, value := range v.Fields() {
		size += len(key) + len(value.Text())
	}

	return size
}

// isEmpty is true if the value n of a tag field has no tags, nor anything else.
func isEmpty(n object.Node) bool { return n.IsEmpty() && n.Text() == "" }

// writeValue writes the value v to the field of t.
func writeValue(t *locate.Target, v object.Node) (object.Object, error) {
	return writeTo(t, t.Resource, v)
}

// writeTo writes the value v to the field of r, which is what t has become.
func writeTo(t *locate.Target, r object.Object, v object.Node) (object.Object, error) {
	if err := homeless(t); err != nil {
		return object.Object{}, err
	}

	return object.Set(r, t.Field.Path, v)
}

// removeField of t. What then is an empty object around it goes with it:
// a kind may require the field in there.
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

// around returns the path of the object around the field at the path. It is false if that is
// no part of the field, but of the resource.
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

// homeless returns an error if t lacks the object that its field must be
// in, or the only item of a list that it is in. Other fields of these may be required, so none
// is made.
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
			return err // Set says what is wrong.
		}

		if v.IsEmpty() {
			return errors.Errorf("%s has no item to hold tags", list)
		}
	}

	return nil
}

// inObservedOrder returns the value v for the field of t, or the observed value if it has the same items in
// another order, which is the provider's and stays: an atomic list is written as a whole.
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
