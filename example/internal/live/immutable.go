package live

import (
	"errors"
	"fmt"
	"maps"
	"time"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// immutable is a schema of a managed resource whose status is whatever its provider says.
const immutable = `{type: object, properties: {
  spec: {type: object, properties: {forProvider: {type: object, properties: {
    region: {type: string}, tags: {type: object, additionalProperties: {type: string}},
  }}}},
  status: {type: object, x-kubernetes-preserve-unknown-fields: true},
}}`

// An ImmutableProvider is one of one resource whose tags can't change, as those are that are built
// with upjet and whose Terraform provider has ForceNew there: it refuses every update of a
// resource whose tags differ from those that the cloud has.
type ImmutableProvider struct {
	*Stack

	// Name of the resource, which has tags.
	Name string

	// Adds are the tags that it sets before it does anything.
	Adds map[string]any

	// Fails is true if nothing can be made.
	Fails bool

	// Made is true if the cloud has what the resource is of, and Cloud its tags.
	Made  bool
	Cloud map[string]any
}

// ErrRefused is what Reconcile returns if it refuses an update.
var ErrRefused = errors.New("refused")

// Reconcile the resource once, as crossplane-runtime does: add the provider's own tags, make what
// is not there, find out what differs, fill a map that isn't there with what the cloud has, and
// update what differed before. It returns ErrRefused where upjet's assertNoForceNew fails.
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

	if err := p.write(r, func(r *unstructured.Unstructured) error {
		r.Object["status"] = p.status(refused)
		return nil
	}); err != nil {
		return err
	}

	return refused
}

// status that the provider writes once it has refused an update, or not. What is empty is not in its JSON.
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

// annotate when the provider began to make what the resource is of, and how it ended.
func annotate(r *unstructured.Unstructured, what ...string) {
	annotations := r.GetAnnotations()

	for _, is := range what {
		annotations["crossplane.io/external-create-"+is] = time.Now().UTC().Format(time.RFC3339)
	}

	r.SetAnnotations(annotations)
}
