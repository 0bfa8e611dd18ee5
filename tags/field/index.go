package field

import (
	_ "embed"
	"iter"
	"slices"
	"strings"
	"sync"

	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/crossplane/function-sdk-go/errors"
)

//go:generate go run ./internal/generate

// indexText is the built-in index. It is generated, but made for reading the
// changes that a new version of a provider brings. See parseIndex.
//
//go:embed index.txt
var indexText string

// An Index locates the tag fields of the kinds that it has.
type Index struct {
	// fields of kinds, as positions in distinct: kinds are many, fields are few.
	fields   map[schema.GroupVersionKind]uint8
	distinct []Field

	groups map[string]bool
}

// BuiltIn returns the index of the kinds of the providers that people run. It is
// read when it's first called.
var BuiltIn = sync.OnceValue(func() *Index { //nolint:gochecknoglobals // A function.
	i, err := parseIndex(indexText)
	if err != nil {
		panic(err) // It's a constant, and a test reads it.
	}

	return i
})

// Locate the tag field of the supplied kind. A kind of a provider that makes no
// resources of a cloud is known to have none.
func (i *Index) Locate(k Kind) (Field, bool) {
	if n, ok := i.fields[k.GroupVersionKind]; ok {
		return i.distinct[n], true
	}

	if d, _, ok := dialectOf(k.Group); ok && d.Profile == "" {
		return Field{Shape: None}, true
	}

	return Field{}, false
}

// HasGroup is true if the index has kinds of the supplied API group.
func (i *Index) HasGroup(group string) bool { return i.groups[group] }

// All kinds of the index and their tag fields, by group, kind and version.
func (i *Index) All() iter.Seq2[schema.GroupVersionKind, Field] {
	return func(yield func(schema.GroupVersionKind, Field) bool) {
		kinds := make([]schema.GroupVersionKind, 0, len(i.fields))
		for gvk := range i.fields {
			kinds = append(kinds, gvk)
		}

		slices.SortFunc(kinds, Compare)

		for _, gvk := range kinds {
			if !yield(gvk, i.distinct[i.fields[gvk]]) {
				return
			}
		}
	}
}

// Compare two kinds by group, kind and version.
func Compare(a, b schema.GroupVersionKind) int {
	if c := strings.Compare(a.Group, b.Group); c != 0 {
		return c
	}

	if c := strings.Compare(a.Kind, b.Kind); c != 0 {
		return c
	}

	return strings.Compare(a.Version, b.Version)
}

// FormatIndex puts the supplied kinds, which must be sorted, and their tag fields
// as parseIndex reads them.
//
// Most kinds of a provider come twice, cluster scoped and namespaced, and in several
// versions, but with the same tag field. So they come in blocks: API groups and
// their versions that have the same kinds with the same tag fields, then each tag
// field, and below it the kinds that have it. A field is the last four columns of a
// Line without spec.forProvider and status.atProvider, or a - for none.
//
//	ec2.aws.m.upbound.io/v1beta1 ec2.aws.upbound.io/v1beta1,v1beta2
//	 -
//	  Route
//	 tags Map - tagsAll,tags
//	  EBSVolume
//	  Instance
func FormatIndex(kinds iter.Seq2[schema.GroupVersionKind, Field]) string {
	type place struct{ service, kind, field string }

	// API versions by what they have in common. They come sorted.
	versions := make(map[place][]schema.GroupVersion)
	places := make([]place, 0)

	for gvk, f := range kinds {
		_, service, _ := dialectOf(gvk.Group)

		p := place{service: service, kind: gvk.Kind, field: formatIndexField(f)}
		if _, ok := versions[p]; !ok {
			places = append(places, p)
		}

		versions[p] = append(versions[p], gvk.GroupVersion())
	}

	// Kinds by the API versions and the field that they have.
	blocks := make(map[[2]string][]string)

	for _, p := range places {
		b := [2]string{formatVersions(versions[p]), p.field}
		blocks[b] = append(blocks[b], p.kind)
	}

	keys := make([][2]string, 0, len(blocks))
	for b := range blocks {
		keys = append(keys, b)
	}

	slices.SortFunc(keys, func(a, b [2]string) int { return slices.Compare(a[:], b[:]) })

	out := &strings.Builder{}
	block := ""

	for _, b := range keys {
		if b[0] != block {
			block = b[0]
			out.WriteString(block + "\n")
		}

		out.WriteString(" " + b[1] + "\n")

		slices.Sort(blocks[b])

		for _, kind := range blocks[b] {
			out.WriteString("  " + kind + "\n")
		}
	}

	return out.String()
}

// formatVersions puts every group once, with its versions behind it.
func formatVersions(gvs []schema.GroupVersion) string {
	out := &strings.Builder{}

	for i, gv := range gvs {
		switch {
		case i > 0 && gv.Group == gvs[i-1].Group:
			out.WriteString("," + gv.Version)
		case i > 0:
			out.WriteString(" " + gv.String())
		default:
			out.WriteString(gv.String())
		}
	}

	return out.String()
}

func formatIndexField(f Field) string {
	if f.Shape == None {
		return absent
	}

	c := f.columns()
	c[0] = strings.TrimPrefix(c[0], forProvider)
	c[3] = strings.ReplaceAll(c[3], atProvider, "")

	return strings.Join(c[:], " ")
}

// parseIndex reads what FormatIndex writes. Lines that begin with a # are comments.
func parseIndex(text string) (*Index, error) {
	i := &Index{
		fields: make(map[schema.GroupVersionKind]uint8, 2*strings.Count(text, "\n  ")),
		groups: make(map[string]bool),
	}

	var (
		versions []schema.GroupVersion
		field    uint8
	)

	known := make(map[string]uint8)

	for line := range strings.Lines(text) {
		line = strings.TrimSuffix(line, "\n")

		switch {
		case strings.HasPrefix(line, "#") || line == "":
		case strings.HasPrefix(line, "  "):
			for _, gv := range versions {
				i.fields[gv.WithKind(line[2:])] = field
			}
		case strings.HasPrefix(line, " "):
			n, ok := known[line]
			if !ok {
				f, err := parseIndexField(line[1:])
				if err != nil {
					return nil, err
				}

				if len(i.distinct) > 255 {
					return nil, errors.New("the index has too many different tag fields")
				}

				n = uint8(len(i.distinct)) //nolint:gosec // At most 255.
				known[line] = n
				i.distinct = append(i.distinct, f)
			}

			field = n
		default:
			versions = versions[:0]

			for s := range strings.SplitSeq(line, " ") {
				group, vs, _ := strings.Cut(s, "/")
				i.groups[group] = true

				for v := range strings.SplitSeq(vs, ",") {
					versions = append(versions, schema.GroupVersion{Group: group, Version: v})
				}
			}
		}
	}

	return i, nil
}

func parseIndexField(s string) (Field, error) {
	if s == absent {
		return Field{Shape: None}, nil
	}

	c := strings.Split(s, " ")
	if len(c) != 4 {
		return Field{}, errors.Errorf("%q of the index has not four columns", s)
	}

	f, err := parseColumns([4]string(c))
	if err != nil {
		return Field{}, errors.Wrap(err, "cannot parse a tag field of the index")
	}

	f.Path = forProvider + f.Path

	for n := range f.Observed {
		f.Observed[n] = atProvider + f.Observed[n]
	}

	return f, nil
}
