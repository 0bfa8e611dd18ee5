package resolve

import (
	"context"

	"google.golang.org/protobuf/types/known/structpb"

	"github.com/crossplane/function-sdk-go/errors"

	"github.com/plexsphere/function-cloud-tags/input/v1beta1"
	"github.com/plexsphere/function-cloud-tags/tags/object"
	"github.com/plexsphere/function-cloud-tags/tags/require"
)

// Extend returns the input in, joined with the standard that it extends. in was decoded from s. Extend requires the object with
// the standard, e.g. data.cloudtags of the ConfigMap platform/tag-standard, and returns in while Crossplane fetches the
// object. The error is a *v1beta1.StandardError if there is no such standard, or if it is broken. Other errors are about
// both inputs together.
func Extend(ctx context.Context, inputs *v1beta1.Decoder, in *v1beta1.CloudTags, s *structpb.Struct, required *require.Requirements) (*v1beta1.CloudTags, error) {
	if in.Extends == nil {
		return in, nil
	}

	standard, err := standardOf(in.Extends, required)
	if err != nil {
		return nil, &v1beta1.StandardError{Err: errors.Wrap(err, "cannot resolve extends")}
	}

	if standard == nil {
		return in, nil
	}

	joined, err := inputs.Join(ctx, in, s, standard)
	if broken := (*v1beta1.StandardError)(nil); errors.As(err, &broken) {
		return nil, errors.Wrapf(err, "cannot resolve extends: %s of %s", in.Extends.FromFieldPath, standard.Title)
	}

	return joined, errors.Wrap(err, "invalid input")
}

// standardOf returns the standard that e names, such as data.cloudtags of the ConfigMap platform/tag-standard. It is
// nil while Crossplane fetches the object.
func standardOf(e *v1beta1.Extends, required *require.Requirements) (*v1beta1.Standard, error) {
	selector := require.Named(e.APIVersion, e.Kind, e.Namespace, e.Name)
	objects, answered := required.Resources(selector)

	switch {
	case !answered:
		return nil, nil //nolint:nilnil // It is not here yet.
	case len(objects) == 0:
		return nil, noObjects(required, []v1beta1.ResourceKind{{APIVersion: e.APIVersion, Kind: e.Kind}}, selector, false)
	}

	title := object.Title(objects[0])
	n, err := objects[0].At(e.FromFieldPath)

	switch {
	case err != nil:
		return nil, errors.Wrap(err, title)
	case !n.IsThere():
		return nil, errors.Errorf("%s has no %s", title, e.FromFieldPath)
	case n.IsString() && len(n.Text()) > maxStandard, !n.IsString() && n.JSONSize(maxStandard) > maxStandard:
		return nil, errors.Errorf("%s of %s has more than %d bytes, as text or as the JSON of an object", e.FromFieldPath, title, maxStandard)
	default:
		return &v1beta1.Standard{Title: title, Value: n.Value()}, nil
	}
}
