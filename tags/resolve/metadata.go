package resolve

import (
	"context"
	"maps"

	"github.com/crossplane/function-sdk-go/errors"

	"github.com/plexsphere/function-cloud-tags/input/v1beta1"
	"github.com/plexsphere/function-cloud-tags/tags/object"
)

// Metadata are labels and annotations of Kubernetes objects that a rule may copy.
type Metadata struct {
	Rule *v1beta1.MetadataRule

	Labels      map[string]string
	Annotations map[string]string
}

// allMetadata resolves what kubernetesMetadata copies.
func (r *resolver) allMetadata(ctx context.Context) error {
	for i := range r.in.KubernetesMetadata {
		if err := ctx.Err(); err != nil {
			return err
		}

		m, err := r.metadata(&r.in.KubernetesMetadata[i])
		if err != nil {
			return errors.Wrapf(err, "cannot resolve kubernetesMetadata[%d]", i)
		}

		r.set.Metadata = append(r.set.Metadata, m)
	}

	return nil
}

// metadata returns what the rule copies from objects that are known before resources are composed, later
// names over earlier ones.
func (r *resolver) metadata(rule *v1beta1.MetadataRule) (Metadata, error) {
	out := Metadata{Rule: rule, Labels: make(map[string]string), Annotations: make(map[string]string)}

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
		m, err := MetadataOf(rule, o.Object, o.of)
		if err != nil {
			return Metadata{}, err
		}

		maps.Copy(out.Labels, m.Labels)
		maps.Copy(out.Annotations, m.Annotations)
	}

	return out, nil
}

// MetadataOf returns the labels and annotations of o that the rule may copy. Errors put of before the paths
// of its fields.
func MetadataOf(rule *v1beta1.MetadataRule, o object.Object, of string) (out Metadata, err error) {
	in := namedObject{Object: o, of: of}
	out.Rule = rule

	if rule.ToFieldPaths.Labels != nil {
		if out.Labels, err = in.strings(rule.Source.LabelsFieldPath); err != nil {
			return Metadata{}, err
		}
	}

	if rule.ToFieldPaths.Annotations != nil {
		out.Annotations, err = in.strings(rule.Source.AnnotationsFieldPath)
	}

	return out, err
}
