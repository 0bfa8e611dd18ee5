package resolve

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"google.golang.org/protobuf/types/known/structpb"

	"github.com/plexsphere/function-cloud-tags/input/v1beta1"
	"github.com/plexsphere/function-cloud-tags/tags/object"
)

// requiredResource sources take labels from objects that Crossplane fetches.
var requiredResource = sourceType{
	find: func(ctx context.Context, r *resolver, s *v1beta1.Source) ([]labels, error) {
		objects, err := r.objects(s.Resource, s.Pick)
		if err != nil || len(objects) == 0 {
			return nil, err
		}

		if s.Pick == v1beta1.PickOne {
			picked, err := r.pick(s, objects)
			if err != nil {
				return nil, err
			}

			objects = []*structpb.Struct{picked}
		}

		return ofAll(ctx, s, objects)
	},
	title: func(s *v1beta1.Source, xr *structpb.Struct) string {
		return selectedTitle(s.Resource, xr)
	},
	kinds: func(s *v1beta1.Source, _ v1beta1.ResourceKind) []v1beta1.ResourceKind {
		return s.Resource.ResourceKinds()
	},
}

// ofAll returns the labels of all supplied objects.
func ofAll(ctx context.Context, s *v1beta1.Source, objects []*structpb.Struct) (out []labels, err error) {
	read, none := field, ""
	if s.Prefix != "" {
		read = prefixed
	}

	for _, o := range objects {
		if err := ctx.Err(); err != nil {
			return nil, err
		}

		name := object.Title(o)

		found, err := read(s, place{Struct: o, name: name, of: name + " "})
		if note, ok := optional(s, err); ok {
			none = cmp.Or(none, note)
			continue
		}

		if err != nil {
			return nil, err
		}

		out = append(out, found...)
	}

	if len(out) > 0 {
		return out, nil
	}

	if n := len(objects); n > 1 {
		none += fmt.Sprintf(", and so with all %d objects", n)
	}

	return nil, &nothing{note: none}
}

// selectedTitle is what people call what the supplied resource selects for the supplied
// composite resource.
func selectedTitle(res *v1beta1.RequiredResource, xr *structpb.Struct) string {
	kinds := res.ResourceKinds()
	names := make([]string, len(kinds))

	for i, k := range kinds {
		names[i] = k.Kind
	}

	title := strings.Join(names, " or ")

	// A source whose name can't be told resolves by its labels, or not at all.
	name, err := (&resolver{xr: place{Struct: xr}}).string(res.Name, "")

	switch {
	case err == nil && name != "":
		return title + " " + name
	case res.MatchLabels == nil:
		return title
	case !res.MatchLabels.FromFieldPath.IsZero():
		return title + " with the labels of " + res.MatchLabels.FromFieldPath.String()
	case res.MatchLabels.All:
		return "every " + title
	default:
		return title + " with " + pairs(res.MatchLabels.Value)
	}
}

// pairs of the supplied labels, sorted.
func pairs(labels map[string]string) string {
	out := make([]string, 0, len(labels))
	for _, k := range slices.Sorted(maps.Keys(labels)) {
		out = append(out, k+"="+labels[k])
	}

	return strings.Join(out, ",")
}
