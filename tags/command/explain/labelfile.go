package explain

import (
	"cmp"
	"context"
	"maps"
	"slices"

	"google.golang.org/protobuf/types/known/structpb"

	"github.com/crossplane/function-sdk-go/errors"

	"github.com/plexsphere/function-cloud-tags/input/v1beta1"
	"github.com/plexsphere/function-cloud-tags/tags/manifest"
	"github.com/plexsphere/function-cloud-tags/tags/object"
	"github.com/plexsphere/function-cloud-tags/tags/words"
)

// labels explains a file of labels as the labels of a composite resource.
func (c *Command) labels(ctx context.Context, r *manifest.Reader) (answer, error) {
	labels, err := c.readLabels(r)
	if err != nil {
		return nil, errors.Wrapf(err, "cannot read labels from %s", c.File)
	}

	input := map[string]any{
		"apiVersion": v1beta1.APIVersion, "kind": v1beta1.Kind, "providerTags": v1beta1.ProviderTagsNone,
		"sources": []map[string]any{{"type": v1beta1.SourceTypeCompositeField, "fromFieldPath": "labels"}},
	}
	if c.ProfileRules != "" {
		input["profileRules"] = c.ProfileRules
	}

	xr := &structpb.Struct{Fields: map[string]*structpb.Value{"labels": labels}}
	req := manifest.Request(xr, nil)

	req.Input, _ = v1beta1.ToStruct(input) // Texts and lists of them can't fail.

	run := &trace{function: c.Function}
	if err := run.follow(ctx, run.call, req); err != nil {
		return nil, err
	}

	e := &comparison{labels: run.Set.Labels, notes: run.notes}
	e.explain(run, c.Provider)

	return e, nil
}

// readLabels returns the map of labels of the file. Without --field-path, the map is the whole file. With --field-path spec.labels, it is
// this field of the only object with such a field.
func (c *Command) readLabels(r *manifest.Reader) (*structpb.Value, error) {
	values, err := r.Values(c.File)
	if err != nil {
		return nil, err
	}

	var path object.Path

	if c.FieldPath != "" {
		if path, err = object.ParsePath(c.FieldPath); err != nil {
			return nil, err
		}
	}

	if len(values) > 1 && !path.IsZero() {
		// Leave out objects without the field.
		values = slices.DeleteFunc(values, func(v *structpb.Value) bool {
			at, err := object.Get(object.FromStruct(v.GetStructValue()), path)
			return err == nil && at == nil
		})

		if len(values) == 0 {
			return nil, errors.Errorf("no object has a field %s: give the --field-path of the labels", path)
		}
	}

	if len(values) > 1 {
		return nil, errors.Errorf("it has several objects: give a file with one of %s",
			words.Names(words.Map(values, func(v *structpb.Value) string {
				return cmp.Or(object.Title(object.FromStruct(v.GetStructValue())), object.KindOf(v))
			})))
	}

	v := append(values, structpb.NewNullValue())[0] // An empty file counts as null.
	if path.IsZero() {
		return v, checkLabels(v)
	}

	at, err := object.Get(object.FromStruct(v.GetStructValue()), path)

	switch {
	case err != nil:
		return nil, err
	case at == nil:
		return nil, errors.Errorf("there is no field %s%s", path, found(v))
	default:
		_, err := object.StringMap(at, path.String())
		return at, err
	}
}

// checkLabels returns an error if the value is no map of labels.
func checkLabels(v *structpb.Value) error {
	for _, f := range v.GetStructValue().GetFields() {
		// Values of labels are no objects or lists.
		if f.GetStructValue() != nil || f.GetListValue() != nil {
			return errors.Errorf("it is an object, and no map of labels: say with --field-path where the labels are%s", found(v))
		}
	}

	_, err := object.StringMap(v, "labels")

	return err
}

// found returns the end of a message: ". Maps of strings are at spec.labels". It is empty if the object has none.
func found(v *structpb.Value) string {
	paths := stringMaps(nil, nil, v)
	if len(paths) == 0 {
		return ""
	}

	return ". Maps of strings are at " + words.Names(words.Map(paths, object.Segments.String))
}

// stringMaps appends the paths of all maps of strings in the value at the path.
func stringMaps(to []object.Segments, at object.Segments, v *structpb.Value) []object.Segments {
	for i, item := range v.GetListValue().GetValues() {
		to = stringMaps(to, append(slices.Clone(at), object.Segment{IsIndex: true, Index: uint(i)}), item)
	}

	fields := v.GetStructValue().GetFields()

	// The name and namespace of an object are no labels.
	if _, err := object.StringMap(v, ""); err == nil && len(fields) > 0 && len(at) > 0 && at.String() != "metadata" {
		return append(to, at)
	}

	for _, name := range slices.Sorted(maps.Keys(fields)) {
		to = stringMaps(to, append(slices.Clone(at), object.Segment{Field: name}), fields[name])
	}

	return to
}
