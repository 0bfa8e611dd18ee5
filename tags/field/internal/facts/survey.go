package facts

import (
	"cmp"
	"compress/gzip"
	"io"
	"maps"
	"slices"
	"strings"

	"google.golang.org/protobuf/types/known/structpb"

	"github.com/crossplane/function-sdk-go/errors"

	"github.com/plexsphere/function-cloud-tags/tags/field/crds"
)

// looksLikeTags are the names of the fields that the survey is of.
var looksLikeTags = []string{
	"identityPoolTags", "labels", "metadata", "resourceLabels", "resourceTags", "tag", "tagSet", "tagSpecifications", "tagging", "tags",
	"userLabels", "userPoolTags", "volumeTags",
}

// Survey the fields that look like tags of the kind that the supplied definition
// defines: those below spec.forProvider, those in objects there, and those in
// entries of tagSpecifications.
func Survey(provider, source string, d crds.Definition) []Line {
	l := Line{Provider: provider, Source: source, GroupVersionKind: d.GroupVersionKind, Scope: d.Scope, Path: "-", Shape: "-"}

	at := object(d.Schema, "properties", "status", "properties", "atProvider", "properties")
	for _, name := range surveyed {
		if shapeOf(object(at, name)) != "" {
			l.Observed = append(l.Observed, atProvider+name)
		}
	}

	shapes := make(map[string]string)

	for name, s := range properties(object(d.Schema, "properties", "spec", "properties", "forProvider")) {
		surveyField(shapes, name, name, s)

		for nested, s := range properties(s) {
			surveyField(shapes, name+"."+nested, nested, s)
		}

		if name == "tagSpecifications" {
			surveyField(shapes, name+"[].tags", "tags", object(s, "items", "properties", "tags"))
		}
	}

	if len(shapes) == 0 {
		return []Line{l}
	}

	var lines []Line

	for _, path := range slices.Sorted(maps.Keys(shapes)) {
		l.Path, l.Shape = forProvider+path, shapes[path]
		lines = append(lines, l)
	}

	return lines
}

func surveyField(shapes map[string]string, path, name string, s *structpb.Struct) {
	if !slices.Contains(looksLikeTags, name) {
		return
	}

	if shape := shapeOf(s); shape != "" {
		shapes[path] = shape
	}
}

// shapeOf puts the supplied schema as the survey does, or returns nothing if it
// could not hold tags.
func shapeOf(s *structpb.Struct) string {
	switch text(s, "type") {
	case "object":
		if text(object(s, "additionalProperties"), "type") == "string" {
			return "map<string>"
		}

		return ""
	case "array":
	default:
		return ""
	}

	shape := "list<string>"

	items := object(s, "items")
	if text(items, "type") == "object" {
		var fields []string
		for name, s := range properties(items) {
			fields = append(fields, name+":"+text(s, "type"))
		}

		slices.Sort(fields)

		shape = "list{" + strings.Join(fields, ",") + "}"

		var required []string
		for _, v := range items.GetFields()["required"].GetListValue().GetValues() {
			required = append(required, v.GetStringValue())
		}

		if len(required) > 0 {
			shape += " required=" + strings.Join(required, ",")
		}
	}

	if t := text(s, "x-kubernetes-list-type"); t != "" {
		shape += " listType=" + t
	}

	return shape
}

// object returns the object in the supplied one that the supplied names lead to.
func object(s *structpb.Struct, names ...string) *structpb.Struct {
	for _, name := range names {
		s = s.GetFields()[name].GetStructValue()
	}

	return s
}

func properties(s *structpb.Struct) map[string]*structpb.Struct {
	out := make(map[string]*structpb.Struct)
	for name := range object(s, "properties").GetFields() {
		out[name] = object(s, "properties", name)
	}

	return out
}

func text(s *structpb.Struct, name string) string { return s.GetFields()[name].GetStringValue() }

// Replace the lines that are of the same repository as the supplied ones. Those of
// a repository that has none come behind all others.
func Replace(lines, with []Line) []Line {
	with = slices.SortedFunc(slices.Values(with), func(a, b Line) int {
		return cmp.Or(
			cmp.Compare(a.Group, b.Group),
			cmp.Compare(a.Version, b.Version),
			cmp.Compare(a.Kind, b.Kind),
			cmp.Compare(a.Path, b.Path),
		)
	})

	repo := func(l Line) string {
		r, _, _ := strings.Cut(l.Source, "@")
		return l.Provider + " " + r
	}

	var out []Line

	for _, l := range lines {
		if len(with) == 0 || repo(l) != repo(with[0]) {
			out = append(out, l)
		}
	}

	at := slices.IndexFunc(lines, func(l Line) bool { return len(with) > 0 && repo(l) == repo(with[0]) })
	if at < 0 {
		at = len(out)
	}

	return slices.Insert(out, at, with...)
}

const header = "# provider\tsource version\tgroup\tversion\tkind\tscope\tfield path\tshape\tobserved paths\n"

// Write the supplied lines as Read reads them.
func Write(w io.Writer, lines []Line) error {
	z, err := gzip.NewWriterLevel(w, gzip.BestCompression)
	if err != nil {
		return errors.Wrap(err, "cannot compress")
	}

	if _, err := io.WriteString(z, header); err != nil {
		return err
	}

	for _, l := range lines {
		observed := strings.Join(l.Observed, ",")
		if observed == "" {
			observed = "-"
		}

		columns := []string{l.Provider, l.Source, l.Group, l.Version, l.Kind, l.Scope, l.Path, l.Shape, observed}
		if _, err := io.WriteString(z, strings.Join(columns, "\t")+"\n"); err != nil {
			return err
		}
	}

	return z.Close()
}
