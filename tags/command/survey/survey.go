// Package survey knows which fields that look like tags the kinds of a provider have,
// from release to release, and makes the built-in index of that.
package survey

import (
	"fmt"
	"io/fs"
	"maps"
	"slices"
	"strconv"
	"strings"

	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/crossplane/function-sdk-go/errors"
)

// A Survey is what the releases of a provider say of the kinds that they serve.
type Survey struct {
	// Source is the provider's repository, e.g. crossplane-contrib/provider-upjet-aws.
	Source string

	// Releases that were surveyed, by version.
	Releases []string

	// Kinds are the pruned schemas of each kind by release. A release that doesn't serve
	// the kind is not there.
	Kinds map[schema.GroupVersionKind]map[string]Schema
}

// Add what a release says of a kind.
func (s *Survey) Add(release string, gvk schema.GroupVersionKind, is Schema) {
	if s.Kinds == nil {
		s.Kinds = make(map[schema.GroupVersionKind]map[string]Schema)
	}

	if s.Kinds[gvk] == nil {
		s.Kinds[gvk] = make(map[string]Schema)
	}

	s.Kinds[gvk][release] = is

	if !slices.Contains(s.Releases, release) {
		s.Releases = append(s.Releases, release)
		slices.SortFunc(s.Releases, compareReleases)
	}
}

// Forget what a release says.
func (s *Survey) Forget(release string) {
	s.Releases = slices.DeleteFunc(s.Releases, func(r string) bool { return r == release })

	for gvk, in := range s.Kinds {
		delete(in, release)

		if len(in) == 0 {
			delete(s.Kinds, gvk)
		}
	}
}

// compareReleases by their numbers: v1.10.0 is after v1.9.2.
func compareReleases(a, b string) int {
	numbers := func(s string) []int {
		var out []int

		for part := range strings.FieldsFuncSeq(s, func(r rune) bool { return r < '0' || r > '9' }) {
			n, _ := strconv.Atoi(part) // Digits only.
			out = append(out, n)
		}

		return out
	}

	if c := slices.Compare(numbers(a), numbers(b)); c != 0 {
		return c
	}

	return strings.Compare(a, b)
}

// ranges of releases that the supplied ones make, e.g. v1.0.0..v1.4.0,v2.1.0.., of
// which the last is open if it has the newest release.
func (s *Survey) ranges(in map[string]bool) string {
	var out []string

	for i := 0; i < len(s.Releases); i++ {
		if !in[s.Releases[i]] {
			continue
		}

		from := i
		for i+1 < len(s.Releases) && in[s.Releases[i+1]] {
			i++
		}

		switch {
		case i+1 == len(s.Releases):
			out = append(out, s.Releases[from]+"..")
		case from == i:
			out = append(out, s.Releases[from])
		default:
			out = append(out, s.Releases[from]+".."+s.Releases[i])
		}
	}

	return strings.Join(out, ",")
}

// within are the releases of the supplied ranges.
func (s *Survey) within(ranges string) ([]string, error) {
	var out []string

	for r := range strings.SplitSeq(ranges, ",") {
		from, to, isRange := strings.Cut(r, "..")
		if !isRange {
			to = from
		}

		a, b := slices.Index(s.Releases, from), slices.Index(s.Releases, to)
		if to == "" {
			b = len(s.Releases) - 1
		}

		if a < 0 || b < a {
			return nil, errors.Errorf("%q is no range of releases", r)
		}

		out = append(out, s.Releases[a:b+1]...)
	}

	return out, nil
}

// String is the survey as Parse reads it: the source and the releases, and the schemas.
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
	// Kinds by schema, and by API version and releases.
	blocks := make(map[Schema]map[string][]string)

	for gvk, in := range s.Kinds {
		releases := make(map[Schema]map[string]bool)
		for release, is := range in {
			put(releases, is, release, true)
		}

		for is, held := range releases {
			place := gvk.GroupVersion().String() + " " + s.ranges(held)
			put(blocks, is, place, append(blocks[is][place], gvk.Kind))
		}
	}

	out := &strings.Builder{}
	fmt.Fprintf(out, "source %s\n", s.Source)

	for _, r := range s.Releases {
		fmt.Fprintf(out, "release %s\n", r)
	}

	writeBlocks(out, blocks)

	return out.String()
}

// put a value into a map of maps.
func put[K, L comparable, V any](m map[K]map[L]V, k K, l L, v V) {
	if m[k] == nil {
		m[k] = make(map[L]V)
	}

	m[k][l] = v
}

// writeBlocks writes kinds below what they have in common, sorted.
func writeBlocks[K ~string](out *strings.Builder, blocks map[K]map[string][]string) {
	for _, head := range slices.Sorted(maps.Keys(blocks)) {
		fmt.Fprintln(out, head)

		for _, line := range slices.Sorted(maps.Keys(blocks[head])) {
			fmt.Fprintln(out, " "+line)

			for _, kind := range slices.Sorted(slices.Values(blocks[head][line])) {
				fmt.Fprintln(out, "  "+kind)
			}
		}
	}
}

// Parse reads what String writes.
func Parse(text string) (*Survey, error) {
	s := &Survey{}

	var (
		is       Schema
		gv       schema.GroupVersion
		releases []string
		err      error
	)

	for line := range strings.SplitSeq(strings.TrimSuffix(text, "\n"), "\n") {
		word, rest, _ := strings.Cut(line, " ")

		switch {
		case word == "source":
			s.Source = rest
		case word == "release":
			s.Releases = append(s.Releases, rest)
		case strings.HasPrefix(line, "  "):
			for _, r := range releases {
				s.Add(r, gv.WithKind(line[2:]), is)
			}
		case strings.HasPrefix(line, " "):
			version, ranges, _ := strings.Cut(rest, " ")
			gv.Group, gv.Version, _ = strings.Cut(version, "/")
			releases, err = s.within(ranges)
		default:
			is, err = parseSchema(line)
		}

		if err != nil {
			return nil, err
		}
	}

	return s, nil
}

// ReadAll reads the surveys in the supplied folder, by name.
func ReadAll(folder fs.FS) (map[string]*Survey, error) {
	files, err := fs.Glob(folder, "*.txt")
	if err != nil {
		return nil, err
	}

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
