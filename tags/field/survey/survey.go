// Package survey knows the fields of a provider's kinds that look like tags, from release to
// release, and makes the built-in index. The surveys are the text files beside its code, one
// per provider. See the command generate.
package survey

import (
	"fmt"
	"io/fs"
	"maps"
	"regexp"
	"slices"
	"strings"

	"google.golang.org/protobuf/types/known/structpb"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/crossplane/function-sdk-go/errors"
)

// A Survey has the kinds of a provider, by release.
type Survey struct {
	// Source is the provider's repository, e.g. crossplane-contrib/provider-upjet-aws.
	Source string

	// Releases that were surveyed, by version. The last can be the release to come, as the default branch was on a day:
	// v2.6.0-2026-08-05.
	Releases []string

	// Kinds are the pruned schemas of each kind by release. A release that doesn't serve
	// the kind is not there.
	Kinds map[schema.GroupVersionKind]map[string]Schema
}

// Add adds the schema of a kind in a release.
func (s *Survey) Add(release string, gvk schema.GroupVersionKind, pruned Schema) {
	if s.Kinds == nil {
		s.Kinds = make(map[schema.GroupVersionKind]map[string]Schema)
	}

	if s.Kinds[gvk] == nil {
		s.Kinds[gvk] = make(map[string]Schema)
	}

	s.Kinds[gvk][release] = pruned

	if !slices.Contains(s.Releases, release) {
		s.Releases = append(s.Releases, release)
		slices.SortFunc(s.Releases, compareReleases)
	}
}

// Forget removes a release.
func (s *Survey) Forget(release string) {
	s.Releases = slices.DeleteFunc(s.Releases, func(r string) bool { return r == release })

	maps.DeleteFunc(s.Kinds, func(_ schema.GroupVersionKind, in map[string]Schema) bool {
		delete(in, release)
		return len(in) == 0
	})
}

// upcoming matches a name that stands for the provider's default branch, as the release to come: the newest
// release, and the date of the branch's newest commit, as in v2.6.0-2026-08-05. If a provider tags no releases, each
// date is a release.
var upcoming = regexp.MustCompile(`.-\d{4}-\d{2}-\d{2}$`)

// ForgetUpcoming forgets default branches that tell nothing of a release to come: all before the last release or
// branch, and also the last one if the index is the same without it.
func (s *Survey) ForgetUpcoming() {
	for _, r := range slices.Clone(s.Releases) {
		if upcoming.MatchString(r) && (r != s.Releases[len(s.Releases)-1] || !s.adds(r)) {
			s.Forget(r)
		}
	}
}

// adds reports whether the index would be another one without the release.
func (s *Survey) adds(release string) bool {
	others := *s
	others.Releases = slices.DeleteFunc(slices.Clone(s.Releases), func(r string) bool { return r == release })

	return !maps.Equal(s.fields(), others.fields())
}

var number = regexp.MustCompile(`\d+`)

// compareReleases orders releases by their numbers: v1.10.0 is after v1.9.2.
func compareReleases(a, b string) int {
	padded := func(n string) string { return strings.Repeat("0", max(0, 20-len(n))) + n }

	return strings.Compare(number.ReplaceAllStringFunc(a, padded), number.ReplaceAllStringFunc(b, padded))
}

// ranges returns the ranges of releases for which isSo holds, e.g. v1.0.0..v1.4.0,v2.1.0... The last range
// is open if it has the newest release.
func (s *Survey) ranges(isSo func(release string) bool) string {
	var out []string

	for i := 0; i < len(s.Releases); i++ {
		first := i
		for i < len(s.Releases) && isSo(s.Releases[i]) {
			i++
		}

		switch r := s.Releases[first]; i {
		case first:
		case len(s.Releases):
			out = append(out, r+"..")
		case first + 1:
			out = append(out, r)
		default:
			out = append(out, r+".."+s.Releases[i-1])
		}
	}

	return strings.Join(out, ",")
}

// within returns the releases of the ranges: see ranges.
func (s *Survey) within(ranges string) (out []string) {
	for r := range strings.SplitSeq(ranges, ",") {
		from, to, isRange := strings.Cut(r, "..")

		first, last := slices.Index(s.Releases, from), len(s.Releases)-1
		if !isRange {
			last = first
		} else if to != "" {
			last = slices.Index(s.Releases, to)
		}

		if first >= 0 && first <= last {
			out = append(out, s.Releases[first:last+1]...)
		}
	}

	return out
}

// String returns the survey as Parse reads it: the source and the releases, and the schemas.
// Below each schema are the API versions and releases in which kinds have it, and below
// that are the kinds.
//
//	source crossplane-contrib/provider-upjet-aws
//	release v1.0.0
//	release v1.1.0
//	{}
//	 ec2.aws.upbound.io/v1beta1 v1.0.0..
//	  Route
func (s *Survey) String() string {
	var rows [][3]string

	for gvk, in := range s.Kinds {
		for _, pruned := range slices.Compact(slices.Sorted(maps.Values(in))) {
			releases := s.ranges(func(r string) bool { return in[r] == pruned })
			rows = append(rows, [3]string{string(pruned), gvk.GroupVersion().String() + " " + releases, gvk.Kind})
		}
	}

	var out strings.Builder

	out.WriteString("source " + s.Source + "\n")

	for _, r := range s.Releases {
		out.WriteString("release " + r + "\n")
	}

	return out.String() + outline(rows)
}

// outline returns the rows sorted, each column in a line below the one before. A column that several
// rows share stands once.
func outline(rows [][3]string) string {
	slices.SortFunc(rows, func(a, b [3]string) int { return slices.Compare(a[:], b[:]) })

	out, last := &strings.Builder{}, [3]string{}

	for _, row := range rows {
		for i := range row {
			if !slices.Equal(row[:i+1], last[:i+1]) {
				fmt.Fprintln(out, strings.Repeat(" ", i)+row[i])
			}
		}

		last = row
	}

	return out.String()
}

// Parse reads what String writes, and nothing else.
func Parse(text string) (*Survey, error) {
	s := &Survey{}

	var (
		pruned   Schema
		gv       schema.GroupVersion
		releases []string
	)

	for line := range strings.Lines(text) {
		line = strings.TrimSuffix(line, "\n")
		word, rest, _ := strings.Cut(line, " ")

		switch {
		case word == "source":
			s.Source = rest
		case word == "release":
			s.Releases = append(s.Releases, rest)
		case strings.HasPrefix(line, "  "):
			for _, r := range releases {
				s.Add(r, gv.WithKind(line[2:]), pruned)
			}
		case word == "":
			version, ranges, _ := strings.Cut(rest, " ")
			gv.Group, gv.Version, _ = strings.Cut(version, "/")
			releases = s.within(ranges)
		default:
			if err := (&structpb.Struct{}).UnmarshalJSON([]byte(line)); err != nil {
				return nil, errors.Wrapf(err, "%q is no schema", line)
			}

			pruned = Schema(line)
		}
	}

	if s.String() != text {
		return nil, errors.New("its releases, schemas, places and kinds are not in order")
	}

	return s, nil
}

// ReadAll reads the surveys in the folder, by the name of the file without .txt.
func ReadAll(folder fs.FS) (map[string]*Survey, error) {
	files, _ := fs.Glob(folder, "*.txt") // It fails for the pattern only.
	all := make(map[string]*Survey, len(files))

	for _, file := range files {
		b, err := fs.ReadFile(folder, file)
		if err != nil {
			return nil, err
		}

		if all[strings.TrimSuffix(file, ".txt")], err = Parse(string(b)); err != nil {
			return nil, errors.Wrapf(err, "cannot read survey %s", file)
		}
	}

	return all, nil
}
