package field

import (
	_ "embed"
	"iter"
	"maps"
	"math"
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
var BuiltIn = sync.OnceValue(func() *Index {
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
// versions, but with the same tag field. So every group stands for itself and for its
// namespaced twin, which has an m before the last two labels. Below it are the
// versions that have kinds with the same tag field in common, and the field. The
// versions of the twin are behind m/, which alone stands for the same versions. The
// field is the last four columns of a Line without spec.forProvider and
// status.atProvider, or a - for none. Below that are the kinds.
//
//	ec2.aws.upbound.io
//	 v1beta1 m/: -
//	  InternetGatewayAttachment
//	 v1beta1,v1beta2 m/v1beta1: tags Map - tagsAll,tags
//	  EBSVolume
//	  Instance
func FormatIndex(kinds iter.Seq2[schema.GroupVersionKind, Field]) string {
	type place struct{ group, kind, field string }

	// Versions of what has a tag field in common: of the group, and of its twin.
	versions := make(map[place]*[2][]string)

	for gvk, f := range kinds {
		group, namespaced := untwin(gvk.Group)

		p := place{group: group, kind: gvk.Kind, field: formatIndexField(f)}
		if versions[p] == nil {
			versions[p] = &[2][]string{}
		}

		n := 0
		if namespaced {
			n = 1
		}

		versions[p][n] = append(versions[p][n], gvk.Version)
	}

	// Kinds by group, and by versions and field.
	index := make(map[string]map[string][]string)

	for p, vs := range versions {
		field := strings.Join(vs[0], ",")

		switch {
		case len(vs[1]) == 0:
		case slices.Equal(vs[0], vs[1]):
			field += " m/"
		default:
			field = strings.TrimSpace(field + " m/" + strings.Join(vs[1], ","))
		}

		if index[p.group] == nil {
			index[p.group] = make(map[string][]string)
		}

		field += ": " + p.field
		index[p.group][field] = append(index[p.group][field], p.kind)
	}

	out := &strings.Builder{}

	for _, group := range slices.Sorted(maps.Keys(index)) {
		out.WriteString(group + "\n")

		for _, field := range slices.Sorted(maps.Keys(index[group])) {
			out.WriteString(" " + field + "\n")

			slices.Sort(index[group][field])

			for _, kind := range index[group][field] {
				out.WriteString("  " + kind + "\n")
			}
		}
	}

	return out.String()
}

// twin returns the namespaced twin of a group: ec2.aws.m.upbound.io is that of
// ec2.aws.upbound.io.
func twin(group string) string {
	at := lastLabels(group)
	return group[:at] + "m." + group[at:]
}

// untwin returns the group that the supplied one is the namespaced twin of, or the
// group itself if it is none.
func untwin(group string) (string, bool) {
	at := lastLabels(group)

	of, ok := strings.CutSuffix(group[:at], "m.")
	if !ok || of != "" && !strings.HasSuffix(of, ".") {
		return group, false
	}

	return of + group[at:], true
}

// lastLabels returns where the last two labels of a group begin.
func lastLabels(group string) int {
	last := max(0, strings.LastIndexByte(group, '.'))
	return strings.LastIndexByte(group[:last], '.') + 1
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
		group    string
		versions []schema.GroupVersion
		field    uint8
	)

	// The same field may be late-initialized in one family and not in another.
	type place struct {
		dialect *dialect
		field   string
	}

	known := make(map[place]uint8)

	var of *dialect

	for line := range strings.SplitSeq(text, "\n") {
		switch {
		case strings.HasPrefix(line, "#") || line == "":
		case strings.HasPrefix(line, "  "):
			for _, gv := range versions {
				i.fields[gv.WithKind(line[2:])] = field
			}
		case strings.HasPrefix(line, " "):
			v, s, _ := strings.Cut(line[1:], ": ")

			versions = parseIndexVersions(versions[:0], group, v)
			for _, gv := range versions {
				i.groups[gv.Group] = true
			}

			p := place{dialect: of, field: s}

			n, ok := known[p]
			if !ok {
				f, err := parseIndexField(s)
				if err != nil {
					return nil, err
				}

				of.complete(&f)

				if len(i.distinct) > math.MaxUint8 {
					return nil, errors.New("the index has too many different tag fields")
				}

				n = uint8(len(i.distinct)) //nolint:gosec // At most 255.
				known[p] = n
				i.distinct = append(i.distinct, f)
			}

			field = n
		default:
			group = line
			of, _, _ = dialectOf(group)
		}
	}

	return i, nil
}

// parseIndexVersions appends the supplied versions of a group and its twin.
func parseIndexVersions(to []schema.GroupVersion, group, versions string) []schema.GroupVersion {
	own, twins, hasTwin := strings.Cut(versions, "m/")
	own = strings.TrimSuffix(own, " ")

	to = appendVersions(to, group, own)

	if !hasTwin {
		return to
	}

	if twins == "" {
		twins = own
	}

	return appendVersions(to, twin(group), twins)
}

func appendVersions(to []schema.GroupVersion, group, versions string) []schema.GroupVersion {
	for more := versions != ""; more; {
		var v string

		v, versions, more = strings.Cut(versions, ",")
		to = append(to, schema.GroupVersion{Group: group, Version: v})
	}

	return to
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
