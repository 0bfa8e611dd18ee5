package resolve

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"github.com/crossplane/function-sdk-go/errors"

	"github.com/plexsphere/function-cloud-tags/input/v1beta1"
	"github.com/plexsphere/function-cloud-tags/tags/expression"
	"github.com/plexsphere/function-cloud-tags/tags/object"
)

// Metadata are labels and annotations of Kubernetes objects that an entry may copy.
type Metadata struct {
	Entry *v1beta1.MetadataCopy

	// Path is the path of the entry in messages, such as kubernetesMetadata[0].
	Path string

	Labels, Annotations ByItem

	// PerResource returns the labels and annotations that the entry may copy to one composed resource. It is nil if they are the
	// same for all.
	PerResource func(c *Composed) (Metadata, error)
}

// ByItem has labels or annotations by the name of an item of a list, such as {"web": {"tier": "front"}} for itemName: name. An
// entry without an itemName has an object's labels or annotations by an empty name.
type ByItem map[string]map[string]string

// add the labels or annotations of an item, over those that it has from earlier objects and items.
func (b ByItem) add(item string, found map[string]string) {
	if b[item] == nil {
		b[item] = make(map[string]string, len(found))
	}

	maps.Copy(b[item], found)
}

// Items returns the names of the items that have labels or annotations, sorted.
func (m *Metadata) Items() []string {
	names := slices.AppendSeq(slices.Collect(maps.Keys(m.Labels)), maps.Keys(m.Annotations))
	slices.Sort(names)

	return slices.Compact(names)
}

func newMetadata(entry *v1beta1.MetadataCopy) Metadata {
	return Metadata{Entry: entry, Labels: make(ByItem), Annotations: make(ByItem)}
}

// allMetadata resolves the labels and annotations that kubernetesMetadata copies, entry by entry. An error names the
// entry: "cannot resolve kubernetesMetadata[0]".
func (r *resolver) allMetadata(ctx context.Context) error {
	for i := range r.in.KubernetesMetadata {
		if err := ctx.Err(); err != nil {
			return err
		}

		path := r.in.Where("kubernetesMetadata[%d]", i)

		m, err := r.metadata(&r.in.KubernetesMetadata[i])
		if err != nil {
			return errors.Wrapf(err, "cannot resolve %s", path)
		}

		m.Path = path
		r.set.Metadata = append(r.set.Metadata, m)
	}

	return nil
}

// metadata returns the labels and annotations that the entry may copy. Objects are read in the order of their names, and later ones win. Entries that
// copy from composed resources, or compute something else for each, have none yet. See testdata/metadata.yaml.
func (r *resolver) metadata(entry *v1beta1.MetadataCopy) (Metadata, error) {
	out := newMetadata(entry)

	var from []namedObject

	switch entry.Source.Type {
	case v1beta1.MetadataSourceTypeCompositeMetadata:
		from = []namedObject{r.xr}
	case v1beta1.MetadataSourceTypeComposedResource: // MetadataOf reads it later.
	case v1beta1.MetadataSourceTypeExpression:
		return r.computedMetadata(entry)
	case v1beta1.MetadataSourceTypeRequiredResource:
		var err error
		if from, err = r.look(&v1beta1.Source{Resource: entry.Source.Resource, Pick: v1beta1.PickAll}); err != nil && (entry.Source.Required() || !isAbsence(err)) {
			return Metadata{}, err
		}
	}

	for _, o := range from {
		if err := out.add(o); err != nil {
			return Metadata{}, err
		}
	}

	return out, nil
}

// computedMetadata returns the labels and annotations that the expressions of the entry give. It requires the objects that they read.
func (r *resolver) computedMetadata(entry *v1beta1.MetadataCopy) (Metadata, error) {
	if !entry.Source.DiffersPerResource() {
		return r.evaluateMetadata(entry)
	}

	for _, e := range []expression.Expression{entry.Source.Labels, entry.Source.Annotations} {
		if _, err := r.requireObjects(e); err != nil {
			return Metadata{}, err
		}
	}

	out := newMetadata(entry)
	out.PerResource = func(c *Composed) (Metadata, error) {
		r.call.For(c.Name, c.Desired, c.Observed)

		m, err := r.evaluateMetadata(entry)

		return m, errors.Wrapf(err, "for composed resource %q", c.Name)
	}

	return out, nil
}

// evaluateMetadata evaluates the expressions of the entry.
func (r *resolver) evaluateMetadata(entry *v1beta1.MetadataCopy) (Metadata, error) {
	out := newMetadata(entry)

	err := r.addComputed(out.Labels, entry.Source.Labels, "labels")
	if err == nil {
		err = r.addComputed(out.Annotations, entry.Source.Annotations, "annotations")
	}

	return out, err
}

// addComputed adds the map of strings that e gives to out. An expression without a value gives nothing, and neither does one whose
// objects Crossplane still fetches. name is the map's name in messages.
func (r *resolver) addComputed(out ByItem, e expression.Expression, name string) error {
	if e.IsZero() {
		return nil
	}

	v, err := r.evaluate(e, name)
	if isAbsence(err) || errors.Is(err, errWaits) {
		return nil
	}

	if err != nil {
		return errors.Wrap(err, name)
	}

	found, err := object.StringMap(v, name)
	out.add("", found)

	return err
}

// MetadataOf returns the labels and annotations of the composed resource o that the entry may copy. Errors have the prefix before
// paths of fields: `composed resource "bucket" metadata.labels is a list, not a map of strings`.
func MetadataOf(entry *v1beta1.MetadataCopy, o object.Object, prefix string) (Metadata, error) {
	out := newMetadata(entry)
	err := out.add(namedObject{Object: o, prefix: prefix})

	return out, err
}

// add adds the labels and annotations of o, over earlier ones: tier: back of the second object takes the place of tier:
// front.
func (m *Metadata) add(o namedObject) error {
	s, to := &m.Entry.Source, m.Entry.ToFieldPaths

	if to.Labels != nil {
		if err := o.addTo(m.Labels, s.LabelsFieldPath, s.ItemName); err != nil {
			return err
		}
	}

	if to.Annotations != nil {
		return o.addTo(m.Annotations, s.AnnotationsFieldPath, s.ItemName)
	}

	return nil
}

// addTo adds the map of strings at the path to out: {app: shop} of metadata.labels. If items of lists have a name, the
// path has a [*], as spec.pools[*].labels does: then it adds the map of each item that has entries, by the item's name.
func (o namedObject) addTo(out ByItem, path object.Path, itemName string) error {
	if itemName == "" {
		found, err := o.strings(path)
		out.add("", found)

		return err
	}

	list, within := path.Split()

	items, err := o.valueAt(list, "not a list", "a list")
	if err != nil {
		return err
	}

	for i, item := range slices.Collect(items.Items()) {
		if item.IsNull() {
			continue
		}

		name := fmt.Sprintf("%s%s[%d]", o.prefix, list, i)
		if !item.IsObject() {
			return errors.Errorf("%s is %s, not an object", name, item.Kind())
		}

		found, err := (namedObject{Object: item.Object(), prefix: name + "."}).strings(within)
		if err != nil {
			return err
		}

		key := item.Field(itemName).Text()
		if key == "" && len(found) > 0 {
			return errors.Errorf("%s.%s must be a string that is not empty: its labels and annotations are copied by it", name, itemName)
		}

		if len(found) > 0 {
			out.add(key, found)
		}
	}

	return nil
}
