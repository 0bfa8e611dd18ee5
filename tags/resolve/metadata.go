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

// Metadata are the labels and annotations of Kubernetes objects that an entry of kubernetesMetadata may copy.
type Metadata struct {
	Entry *v1beta1.MetadataCopy

	// Path is the path of the entry in messages, such as kubernetesMetadata[0].
	Path string

	Labels, Annotations ByItem

	// PerResource returns the labels and annotations that the entry may copy to one composed resource, if its expressions read this
	// resource, as desired.metadata.labels does. For all other entries, it is nil.
	PerResource func(c *ComposedResource) (Metadata, error)
}

// ByItem has the labels or annotations of the items of a list, by the names of the items. For example, it is {"web": {"tier":
// "front"}} for an item with name: web. If the entry has no itemName, it has the labels or annotations of whole objects, and the
// name is empty.
type ByItem map[string]map[string]string

// wholeObject is the name in ByItem for labels or annotations of a whole object, not of an item of a list.
const wholeObject = ""

// add adds labels or annotations of an item. They replace earlier labels or annotations of the item with the same keys.
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

// newMetadata returns the Metadata of the entry, without labels and annotations.
func newMetadata(entry *v1beta1.MetadataCopy) Metadata {
	return Metadata{Entry: entry, Labels: make(ByItem), Annotations: make(ByItem)}
}

// resolveMetadata resolves each entry of kubernetesMetadata, and adds its labels and annotations to the set. An error names the entry:
// "cannot resolve kubernetesMetadata[0]".
func (r *resolver) resolveMetadata(ctx context.Context) error {
	for i := range r.input.KubernetesMetadata {
		if err := ctx.Err(); err != nil {
			return err
		}

		path := r.input.Where("kubernetesMetadata[%d]", i)

		metadata, err := r.metadataFor(&r.input.KubernetesMetadata[i])
		if err != nil {
			return errors.Wrapf(err, "cannot resolve %s", path)
		}

		metadata.Path = path
		r.set.Metadata = append(r.set.Metadata, metadata)
	}

	return nil
}

// metadataFor returns the labels and annotations that the entry may copy. They are empty for an entry that reads composed resources. If
// several objects have the same key, the last one wins, in the order of findObjects. See testdata/metadata.yaml.
func (r *resolver) metadataFor(entry *v1beta1.MetadataCopy) (Metadata, error) {
	out := newMetadata(entry)

	switch entry.Source.Type {
	case v1beta1.MetadataSourceTypeComposedResource:
		return out, nil // MetadataOf reads the resource later.
	case v1beta1.MetadataSourceTypeExpression:
		return r.computedMetadata(entry)
	case v1beta1.MetadataSourceTypeCompositeMetadata, v1beta1.MetadataSourceTypeRequiredResource:
	}

	objects, err := r.objectsOf(&v1beta1.Source{Resource: entry.Source.Resource}) // Without a Resource, it is the composite resource.
	copiesNone := errors.Is(err, errWaiting) || isAbsence(err) && !entry.Source.Required()
	if err != nil && !copiesNone {
		return Metadata{}, err
	}

	for _, o := range objects {
		if err := out.addObject(o); err != nil {
			return Metadata{}, err
		}
	}

	return out, nil
}

// computedMetadata returns the labels and annotations that the expressions of the entry compute. If an expression reads a composed
// resource, as desired.metadata.labels does, the Metadata has only a PerResource. The objects that expressions read are required
// here.
func (r *resolver) computedMetadata(entry *v1beta1.MetadataCopy) (Metadata, error) {
	if !entry.Source.DiffersPerResource() {
		return r.evaluateMetadata(entry)
	}

	for _, e := range []expression.Expression{entry.Source.Labels, entry.Source.Annotations} {
		if err := r.requireObjects(e); err != nil && !errors.Is(err, errWaiting) {
			return Metadata{}, err
		}
	}

	out := newMetadata(entry)
	out.PerResource = func(c *ComposedResource) (Metadata, error) {
		r.evaluator.For(c.Name, c.Desired, c.Observed) // So expressions read c.

		m, err := r.evaluateMetadata(entry)

		return m, errors.Wrapf(err, "for composed resource %q", c.Name)
	}

	return out, nil
}

// evaluateMetadata returns the labels and annotations that the expressions of the entry compute. They are for all composed resources,
// or for the one that r.evaluator got last.
func (r *resolver) evaluateMetadata(entry *v1beta1.MetadataCopy) (Metadata, error) {
	out := newMetadata(entry)

	err := r.addComputed(out.Labels, entry.Source.Labels, "labels")
	if err == nil {
		err = r.addComputed(out.Annotations, entry.Source.Annotations, "annotations")
	}

	return out, err
}

// addComputed adds the map of strings that the expression e computes to out. If e has no value, or while Crossplane fetches objects
// that e reads, addComputed adds nothing. name is "labels" or "annotations", for messages.
func (r *resolver) addComputed(out ByItem, e expression.Expression, name string) error {
	if e.IsZero() {
		return nil
	}

	v, err := r.evaluate(e, name)
	if isAbsence(err) || errors.Is(err, errWaiting) {
		return nil
	}

	if err != nil {
		return errors.Wrap(err, name)
	}

	found, err := object.StringMap(v, name)
	out.add(wholeObject, found) // With an error, it is nil.

	return err
}

// MetadataOf returns the labels and annotations of the composed resource o that the entry may copy. The prefix comes before paths of
// fields in errors, such as `composed resource "bucket" ` before "metadata.labels is a list, not a map of strings".
func MetadataOf(entry *v1beta1.MetadataCopy, o object.Object, prefix string) (Metadata, error) {
	out := newMetadata(entry)
	err := out.addObject(namedObject{Object: o, pathPrefix: prefix})

	return out, err
}

// addObject adds those labels and annotations of o that the entry copies. A later object wins: tier: back of the second object replaces
// tier: front of the first.
func (m *Metadata) addObject(o namedObject) error {
	s, targets := &m.Entry.Source, m.Entry.ToFieldPaths

	if targets.Labels != nil {
		if err := o.addMapAt(m.Labels, s.LabelsFieldPath, s.ItemName); err != nil {
			return err
		}
	}

	if targets.Annotations != nil {
		return o.addMapAt(m.Annotations, s.AnnotationsFieldPath, s.ItemName)
	}

	return nil
}

// addMapAt adds the map of strings at the path to out, such as {app: shop} at metadata.labels. If there is an itemName, the path leads
// through a list, as spec.pools[*].labels does. Then addMapAt adds the map of each item by the item's name, which is in its field
// itemName.
func (o namedObject) addMapAt(out ByItem, path object.Path, itemName string) error {
	if itemName == "" {
		found, err := o.stringMapAt(path)
		out.add(wholeObject, found) // With an error, it is nil.

		return err
	}

	listPath, pathInItem := path.Split()

	items, err := o.valueAt(listPath, "not a list", "a list")
	if err != nil {
		return err
	}

	for i, item := range slices.Collect(items.Items()) {
		if item.IsNull() {
			continue
		}

		itemPath := fmt.Sprintf("%s%s[%d]", o.pathPrefix, listPath, i)
		if !item.IsObject() {
			return errors.Errorf("%s is %s, not an object", itemPath, item.Kind())
		}

		found, err := (namedObject{Object: item.Object(), pathPrefix: itemPath + "."}).stringMapAt(pathInItem)
		if err != nil {
			return err
		}

		if len(found) == 0 {
			continue
		}

		name := item.Field(itemName).Text()
		if name == "" {
			return errors.Errorf("%s.%s must be a string that is not empty: its labels and annotations are copied by it", itemPath, itemName)
		}

		out.add(name, found)
	}

	return nil
}
