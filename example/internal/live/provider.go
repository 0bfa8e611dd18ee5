package live

import (
	"maps"
	"slices"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// Fields of the resource with its tags, and with the tags that the cloud has.
var (
	ofTags     = []string{"spec", "forProvider", "tags"}
	ofReported = []string{"status", "atProvider", "tags"}
)

// holding is a schema of a managed resource, as those are that are built with upjet. While spec.held
// is there, late initialization that is off can't be turned on again.
const holding = `{type: object, properties: {
  spec: {
    type: object,
    properties: {
      held: {type: boolean},
      managementPolicies: {type: array, maxItems: 8, default: ["*"], items: {type: string, maxLength: 16}},
      forProvider: {type: object, properties: {
        region: {type: string}, tags: {type: object, x-kubernetes-map-type: granular, additionalProperties: {type: string}},
      }},
    },
    x-kubernetes-validations: [{
      rule: "!has(self.held) || '*' in oldSelf.managementPolicies || !('*' in self.managementPolicies)",
      message: spec.held is there,
    }],
  },
  status: {type: object, x-kubernetes-preserve-unknown-fields: true},
}}`

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

// tagsWith returns the tags that r desires, and those that the provider adds before it looks at any.
// It is nil if there is no map of tags, and none is added.
func tagsWith(r *unstructured.Unstructured, adds map[string]any) object {
	tags := maps.Clone(Field[object](r, ofTags...))
	if len(adds) > 0 && tags == nil {
		tags = make(object)
	}

	maps.Copy(tags, adds)

	return tags
}

// Reconcile reconciles the resource once, as upjet does:
//
//   - It compares the tags of the resource and of the cloud.
//   - It fills an absent map of the resource with the cloud's tags. It doesn't fill an empty map.
//   - It updates the cloud by the comparison: the cloud loses the tags that the resource has just got.
//
// When it writes the resource, an empty map is not in its JSON. Its status never loses a key.
func (p *Provider) Reconcile() error {
	r, err := p.find(p.Name)
	if err != nil {
		return err
	}

	tags := tagsWith(r, p.Adds)

	wanted := make(object)
	maps.Copy(wanted, tags)

	if tags == nil && lateInitializes(r) {
		tags = maps.Clone(p.Cloud)
	}

	unstructured.RemoveNestedField(r.Object, ofTags...)

	if len(tags) > 0 {
		if err := unstructured.SetNestedMap(r.Object, tags, ofTags...); err != nil {
			return err
		}
	}

	return p.update(r, func(r *unstructured.Unstructured) error {
		reported := make(object)
		for _, tags := range []object{Field[object](r, ofReported...), p.Cloud, wanted} {
			maps.Copy(reported, tags)
		}

		p.Cloud = wanted

		return unstructured.SetNestedMap(r.Object, reported, ofReported...)
	})
}

// WantCloud reconciles the resource, and wants its tags in the cloud to be these.
func (p *Provider) WantCloud(want map[string]any) {
	p.T.Helper()
	Eventually(p.T, p.Reconcile)

	if err := Differs(want, p.Cloud); err != nil {
		p.T.Errorf("tags in the cloud: %v", err)
	}
}

// update writes a resource as its provider does. Then report sets the status of the written resource, and the status
// is written.
func (s *Stack) update(r *unstructured.Unstructured, report func(r *unstructured.Unstructured) error) error {
	options := metav1.UpdateOptions{FieldManager: "provider"}

	r, err := s.ClientFor(r).Update(s.T.Context(), r, options)
	if err != nil {
		return err // It has changed meanwhile.
	}

	if err := report(r); err != nil {
		return err
	}

	_, err = s.ClientFor(r).UpdateStatus(s.T.Context(), r, options)

	return err
}

// lateInitializes reports whether the provider may fill absent fields of the resource.
func lateInitializes(r *unstructured.Unstructured) bool {
	policies := Field[array](r, "spec", "managementPolicies")

	return len(policies) == 0 || slices.Contains(policies, any("*")) || slices.Contains(policies, any("LateInitialize"))
}
