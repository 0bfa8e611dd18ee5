package resolve

import (
	"context"
	"fmt"
	"maps"

	"github.com/crossplane/function-sdk-go/errors"

	"github.com/plexsphere/function-cloud-tags/input/v1beta1"
	"github.com/plexsphere/function-cloud-tags/tags/object"
)

// Metadata are labels and annotations of Kubernetes objects that a rule may copy.
type Metadata struct {
	Rule *v1beta1.MetadataRule

	// Path is where messages say that the rule was written.
	Path string

	Labels      map[string]string
	Annotations map[string]string

	// Items of lists have them by the name of the item, if the rule has an itemName.
	Items map[string]Metadata
}

// allMetadata resolves what kubernetesMetadata copies.
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

// metadata returns what the rule copies from objects that are known before resources are composed, later
// names over earlier ones.
func (r *resolver) metadata(rule *v1beta1.MetadataRule) (Metadata, error) {
	out := Metadata{Rule: rule}

	var from []namedObject

	switch rule.Source.Type {
	case v1beta1.MetadataSourceTypeCompositeMetadata:
		from = []namedObject{r.xr}
	case v1beta1.MetadataSourceTypeComposedResource: // It is copied once that is stamped.
	case v1beta1.MetadataSourceTypeRequiredResource:
		var err error
		if from, err = r.look(&v1beta1.Source{Resource: rule.Source.Resource, Pick: v1beta1.PickAll}); err != nil && (rule.Source.Required() || !isAbsence(err)) {
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

// MetadataOf returns the labels and annotations of o that the rule may copy. Errors put of before the paths
// of its fields.
func MetadataOf(rule *v1beta1.MetadataRule, o object.Object, of string) (Metadata, error) {
	out := Metadata{Rule: rule}
	err := out.add(namedObject{Object: o, of: of})

	return out, err
}

// add the labels and annotations of o, over those that are there.
func (m *Metadata) add(o namedObject) error {
	s := &m.Rule.Source

	if m.Rule.ToFieldPaths.Labels != nil {
		if err := o.each(s.LabelsFieldPath, s.ItemName, func(item string, found map[string]string) {
			m.change(item, func(of *Metadata) { of.Labels = joined(of.Labels, found) })
		}); err != nil {
			return err
		}
	}

	if m.Rule.ToFieldPaths.Annotations != nil {
		return o.each(s.AnnotationsFieldPath, s.ItemName, func(item string, found map[string]string) {
			m.change(item, func(of *Metadata) { of.Annotations = joined(of.Annotations, found) })
		})
	}

	return nil
}

// joined returns m with the entries of other, over its own. It may be either of them.
func joined(m, other map[string]string) map[string]string {
	if m == nil {
		return other
	}

	maps.Copy(m, other)

	return m
}

// Of returns the metadata of the item, or the object's without a name.
func (m *Metadata) Of(item string) Metadata {
	if item == "" {
		return *m
	}

	return m.Items[item]
}

// change the metadata of the item, or the object's without a name.
func (m *Metadata) change(item string, f func(of *Metadata)) {
	if item == "" {
		f(m)
		return
	}

	if m.Items == nil {
		m.Items = make(map[string]Metadata)
	}

	of := m.Items[item]
	f(&of)
	m.Items[item] = of
}

// each calls f with the map of strings at the path. If items of lists have a name, the path has a [*]: then f gets
// the map of each item that has entries, with the item's name.
func (o namedObject) each(path object.Path, itemName string, f func(item string, found map[string]string)) error {
	if itemName == "" {
		found, err := o.strings(path)
		f("", found)

		return err
	}

	list, within := path.Split()

	items, err := o.at(list, "not a list", "a list")
	if err != nil {
		return err
	}

	i := -1

	for item := range items.Items() {
		i++

		if item.IsNull() {
			continue
		}

		of := fmt.Sprintf("%s%s[%d]", o.of, list, i)
		if !item.IsObject() {
			return errors.Errorf("%s is %s, not an object", of, item.Kind())
		}

		found, err := (namedObject{Object: item.Object(), of: of + "."}).strings(within)
		if err != nil {
			return err
		}

		name := item.Field(itemName).Text()
		if name == "" && len(found) > 0 {
			return errors.Errorf("%s.%s must be a string that is not empty: its labels and annotations are copied by it", of, itemName)
		}

		if len(found) > 0 {
			f(name, found)
		}
	}

	return nil
}
