package live

import (
	"maps"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// ofTags is where the resource has its tags.
var ofTags = []string{"spec", "forProvider", "tags"}

// A Provider of one resource, as those are that are built with upjet.
type Provider struct {
	*Stack

	// Name of the resource, which has tags.
	Name string

	// Adds are the tags that it sets before it does anything.
	Adds map[string]any

	// Cloud is what the resource's tags are in the cloud.
	Cloud map[string]any
}

// Reconcile the resource once. A map that isn't there is filled with what the cloud has. One
// that is there is what the cloud gets, though it be empty. When the resource is
// written, an empty map is not in its JSON.
func (p *Provider) Reconcile() error {
	r, err := p.find(p.Name)
	if err != nil {
		return err
	}

	tags := maps.Clone(Field[object](r, ofTags...))
	if len(p.Adds) > 0 && tags == nil {
		tags = make(object)
	}

	maps.Copy(tags, p.Adds)

	if tags == nil {
		tags = p.Cloud
	}

	unstructured.RemoveNestedField(r.Object, ofTags...)

	if len(tags) > 0 {
		if err := unstructured.SetNestedMap(r.Object, tags, ofTags...); err != nil {
			return err
		}
	}

	r, err = p.Of(r).Update(p.T.Context(), r, metav1.UpdateOptions{FieldManager: "provider"})
	if err != nil {
		return err // It has changed meanwhile.
	}

	p.Cloud = tags

	if err := unstructured.SetNestedMap(r.Object, maps.Clone(tags), "status", "atProvider", "tags"); err != nil {
		return err
	}

	_, err = p.Of(r).UpdateStatus(p.T.Context(), r, metav1.UpdateOptions{FieldManager: "provider"})

	return err
}
