package resolve

import (
	"context"

	"google.golang.org/protobuf/types/known/structpb"

	"github.com/crossplane/function-sdk-go/errors"
	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"

	"github.com/plexsphere/function-cloud-tags/input/v1beta1"
	"github.com/plexsphere/function-cloud-tags/tags/object"
	"github.com/plexsphere/function-cloud-tags/tags/require"
)

// Input returns the input of the request, joined with its standard if Crossplane has sent that: see Extend. hash is the hash of the step's own
// input. A Composition and an Operation each refuse the settings of the other.
func Input(ctx context.Context, decoder *v1beta1.Decoder, req *fnv1.RunFunctionRequest, hash v1beta1.Hash, required *require.Requirements) (*v1beta1.CloudTags, error) {
	step, err := decoder.Decode(ctx, req.GetInput(), hash)
	if err != nil {
		return nil, errors.Wrap(err, "invalid input")
	}

	in, err := Extend(ctx, decoder, step, req.GetInput(), required)

	// An Operation ignores settings of a standard for Compositions, so that only its step is checked.
	switch {
	case err != nil:
		return nil, err
	case require.IsOperation(req):
		err = step.CheckOperation()
	default:
		err = in.CheckComposition()
	}

	return in, errors.Wrap(err, "invalid input")
}

// Extend returns the input, joined with the standard that the input extends, such as the text at data.cloudtags of the ConfigMap
// platform/tag-standard. While Crossplane fetches the ConfigMap, Extend returns the input as it is. If there is no such standard, or if
// the standard is broken, the error is a *v1beta1.StandardError. Other errors say that the input and the standard don't fit together.
// The parameter encoded is the message from which the input was decoded.
func Extend(ctx context.Context, decoder *v1beta1.Decoder, input *v1beta1.CloudTags, encoded *structpb.Struct, required *require.Requirements) (*v1beta1.CloudTags, error) {
	if input.Extends == nil {
		return input, nil
	}

	standard, err := standardOf(input.Extends, required)
	if err != nil {
		return nil, &v1beta1.StandardError{Err: errors.Wrap(err, "cannot resolve extends")}
	}

	if standard == nil {
		return input, nil
	}

	joined, err := decoder.Join(ctx, input, encoded, standard)
	if errors.As(err, new(*v1beta1.StandardError)) {
		return nil, errors.Wrapf(err, "cannot resolve extends: %s of %s", input.Extends.FromFieldPath, standard.Title)
	}

	return joined, errors.Wrap(err, "invalid input")
}

// standardOf returns the standard that e names, or nil while Crossplane fetches its object.
func standardOf(e *v1beta1.Extends, required *require.Requirements) (*v1beta1.Standard, error) {
	selector := require.Named(e.APIVersion, e.Kind, e.Namespace, e.Name)
	objects, answered := required.Resources(selector)

	switch {
	case !answered:
		return nil, nil //nolint:nilnil // Crossplane still fetches the object.
	case len(objects) == 0:
		return nil, noObjectsError(required, new(v1beta1.RequiredResource), []v1beta1.ResourceKind{{APIVersion: e.APIVersion, Kind: e.Kind}}, selector)
	}

	title := object.Title(objects[0])
	standard, err := objects[0].At(e.FromFieldPath)
	if err != nil {
		return nil, errors.Wrap(err, title)
	}

	if !standard.IsThere() {
		return nil, errors.Errorf("%s has no %s", title, e.FromFieldPath)
	}

	size := len(standard.Text())
	if !standard.IsString() {
		size = standard.JSONSize(maxStandard) // JSONSize stops counting above maxStandard.
	}

	if size > maxStandard {
		return nil, errors.Errorf("%s of %s has more than %d bytes, as text or as the JSON of an object", e.FromFieldPath, title, maxStandard)
	}

	return &v1beta1.Standard{Title: title, Value: standard.Value()}, nil
}
