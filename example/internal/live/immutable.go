package live

import (
	"errors"
	"fmt"
	"maps"
	"time"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// immutable is a schema of a managed resource. Its provider may write any status.
const immutable = `{type: object, properties: {
  spec: {type: object, properties: {forProvider: {type: object, properties: {
    region: {type: string}, tags: {type: object, additionalProperties: {type: string}},
  }}}},
  status: {type: object, x-kubernetes-preserve-unknown-fields: true},
}}`

// An ImmutableProvider is the provider of one resource whose tags can't change. Providers that are built with upjet
// have such resources if the Terraform provider has ForceNew at the tags: if the tags of the resource
// differ from the tags in the cloud, such a provider refuses every update.
type ImmutableProvider struct {
	*Stack

	// Name of the resource, which has tags.
	Name string

	// Adds are the tags that the provider sets first of all.
	Adds map[string]any

	// Fails reports whether the cloud makes nothing.
	Fails bool

	// Made reports whether the resource is in the cloud. Cloud are its tags there.
	Made  bool
	Cloud map[string]any
}

// ErrRefused is what Reconcile returns if it refuses an update.
var ErrRefused = errors.New("refused")

// Reconcile reconciles the resource once, as crossplane-runtime does:
//
//   - It adds the provider's own tags, and makes the resource in the cloud.
//   - It compares the tags, and then fills an absent map with the cloud's tags.
//   - It returns ErrRefused where upjet's assertNoForceNew fails.
func (p *ImmutableProvider) Reconcile() error {
	r, err := p.find(p.Name)
	if err != nil {
		return err
	}

	tags := tagsWith(r, p.Adds)

	var refused error

	switch {
	case !p.Made && p.Fails:
		annotate(r, "pending", "failed")
	case !p.Made:
		annotate(r, "pending", "succeeded")

		p.Made, p.Cloud = true, maps.Clone(tags)
	case len(tags)+len(p.Cloud) > 0 && !cmp.Equal(tags, p.Cloud):
		if tags == nil {
			tags = maps.Clone(p.Cloud)
		}

		refused = fmt.Errorf("%w: cannot change the value of the argument \"tags\": %s", ErrRefused, cmp.Diff(p.Cloud, Field[object](r, ofTags...)))
	}

	if len(tags) > 0 {
		if err := unstructured.SetNestedMap(r.Object, tags, ofTags...); err != nil {
			return err
		}
	}

	if err := p.update(r, func(r *unstructured.Unstructured) error {
		r.Object["status"] = p.status(refused)
		return nil
	}); err != nil {
		return err
	}

	return refused
}

// status returns the status that the provider writes. refused is the error of a refused update. Empty fields are
// not in its JSON.
func (p *ImmutableProvider) status(refused error) object {
	condition := object{"type": "Synced", "status": "True", "reason": "ReconcileSuccess", "lastTransitionTime": time.Now().UTC().Format(time.RFC3339)}
	if refused != nil || p.Fails {
		condition["status"], condition["reason"] = "False", "ReconcileError"
	}

	reported := object{}
	if p.Made {
		reported["id"] = p.Name
	}

	if len(p.Cloud) > 0 {
		reported["tags"], reported["tagsAll"] = maps.Clone(p.Cloud), maps.Clone(p.Cloud)
	}

	return object{"atProvider": reported, "conditions": array{condition}}
}

// annotate writes the time of each step to the resource: pending when the provider begins to make it, and then
// succeeded or failed.
func annotate(r *unstructured.Unstructured, steps ...string) {
	annotations := r.GetAnnotations()

	for _, step := range steps {
		annotations["crossplane.io/external-create-"+step] = time.Now().UTC().Format(time.RFC3339)
	}

	r.SetAnnotations(annotations)
}
