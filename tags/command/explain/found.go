package explain

import (
	"maps"
	"slices"
	"strings"

	"google.golang.org/protobuf/types/known/structpb"

	"github.com/crossplane/crossplane-runtime/v2/pkg/fieldpath"

	"github.com/plexsphere/function-cloud-tags/tags/command/manifest"
	"github.com/plexsphere/function-cloud-tags/tags/structpath"
)

// maxNamed is the most paths or objects that a message names.
const maxNamed = 10

// isNested is true if the supplied value is an object that has objects or lists, which
// no map of labels has.
func isNested(v *structpb.Value) bool {
	for _, f := range v.GetStructValue().GetFields() {
		if f.GetStructValue() != nil || f.GetListValue() != nil {
			return true
		}
	}

	return false
}

// found says where in the supplied object there are maps of strings, or nothing if
// there are none.
func found(v *structpb.Value) string {
	paths := stringMaps(nil, nil, v)

	// What identifies an object is no map of labels.
	paths = slices.DeleteFunc(paths, func(p string) bool { return p == "metadata" })
	if len(paths) == 0 {
		return ""
	}

	return ". Maps of strings are at " + list(paths)
}

// stringMaps appends the paths of all maps of strings in the supplied value, which is
// at the supplied path.
func stringMaps(to []string, at fieldpath.Segments, v *structpb.Value) []string {
	for i, item := range v.GetListValue().GetValues() {
		to = stringMaps(to, append(slices.Clone(at), fieldpath.Segment{Type: fieldpath.SegmentIndex, Index: uint(i)}), item)
	}

	fields := v.GetStructValue().GetFields()

	if _, err := structpath.StringMap(v, ""); err == nil && len(fields) > 0 && len(at) > 0 {
		return append(to, at.String())
	}

	for _, name := range slices.Sorted(maps.Keys(fields)) {
		to = stringMaps(to, append(slices.Clone(at), fieldpath.Field(name)), fields[name])
	}

	return to
}

// names of the supplied objects.
func names(of []*structpb.Value) string {
	out := make([]string, len(of))

	for i, v := range of {
		if out[i] = manifest.NameOf(v.GetStructValue()); out[i] == "" {
			out[i] = structpath.KindOf(v)
		}
	}

	return list(out)
}

func list(of []string) string {
	if len(of) > maxNamed {
		of = append(of[:maxNamed:maxNamed], "…")
	}

	return strings.Join(of, ", ")
}
