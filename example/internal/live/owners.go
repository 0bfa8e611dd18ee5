package live

import (
	"bytes"
	"fmt"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/structured-merge-diff/v6/fieldpath"
)

// Owners are what field managers own in a field, by their names: its elements as package fieldpath
// writes them, sorted, such as .env of a map, [key="env"] of a keyed list and [="env=prod"] of
// a set. The empty text is the field itself.
type Owners map[string][]string

// composedOwner begins the names of the field managers of composed resources: Crossplane has one per XR. Owners leaves
// out the rest of the name.
const composedOwner = "apiextensions.crossplane.io/composed"

// WantOwners of a field of a composed resource, and no others.
func (s *Stack) WantOwners(name string, path []string, want Owners) {
	s.T.Helper()
	Eventually(s.T, func() error {
		r, err := s.find(name)
		if err != nil {
			return err
		}

		got, err := ownersOf(r, path)
		if err != nil {
			return err
		}

		return Differs(want, got)
	})
}

// ownersOf the field at a path of an object.
func ownersOf(o *unstructured.Unstructured, path []string) (Owners, error) {
	out := Owners{}

	for _, m := range o.GetManagedFields() {
		owned := &fieldpath.Set{}
		if err := owned.FromJSON(bytes.NewReader(m.FieldsV1.GetRawBytes())); err != nil {
			return nil, fmt.Errorf("cannot read what %s owns: %w", m.Manager, err)
		}

		manager := m.Manager
		if strings.HasPrefix(manager, composedOwner) {
			manager = composedOwner
		}

		for p := range owned.All() {
			if e, ok := below(p, path); ok {
				out[manager] = append(out[manager], e)
			}
		}
	}

	for manager, elements := range out {
		slices.Sort(elements)
		out[manager] = slices.Compact(elements)
	}

	return out, nil
}

// below returns the element of a field that a path leads to or through. It is empty if the path leads to the
// field itself.
func below(p fieldpath.Path, field []string) (element string, ok bool) {
	if len(p) < len(field) {
		return "", false
	}

	for i, name := range field {
		if p[i].FieldName == nil || *p[i].FieldName != name {
			return "", false
		}
	}

	if len(p) > len(field) {
		element = p[len(field)].String()
	}

	return element, true
}
