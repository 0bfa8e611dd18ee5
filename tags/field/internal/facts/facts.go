// Package facts reads and writes surveys: which fields that look like tags the kinds
// of a provider have, from release to release. The built-in index is made from them.
package facts

import (
	"bufio"
	"bytes"
	"io"
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

	// Kinds are the facts of each kind by release. A release that doesn't serve the
	// kind is not there.
	Kinds map[schema.GroupVersionKind]map[string]Facts
}

// Add what a release says of a kind.
func (s *Survey) Add(release string, gvk schema.GroupVersionKind, f Facts) {
	if s.Kinds == nil {
		s.Kinds = make(map[schema.GroupVersionKind]map[string]Facts)
	}

	if s.Kinds[gvk] == nil {
		s.Kinds[gvk] = make(map[string]Facts)
	}

	s.Kinds[gvk][release] = f

	if !slices.Contains(s.Releases, release) {
		s.Releases = append(s.Releases, release)
		slices.SortFunc(s.Releases, compareReleases)
	}
}

// Forget what a release says.
func (s *Survey) Forget(release string) {
	s.Releases = slices.DeleteFunc(s.Releases, func(r string) bool { return r == release })

	for gvk, facts := range s.Kinds {
		delete(facts, release)

		if len(facts) == 0 {
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
func (s *Survey) ranges(in func(release string) bool) string {
	var out []string

	for i := 0; i < len(s.Releases); i++ {
		if !in(s.Releases[i]) {
			continue
		}

		from := i
		for i+1 < len(s.Releases) && in(s.Releases[i+1]) {
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

		switch {
		case !isRange:
			to = from
		case to == "" && len(s.Releases) > 0:
			to = s.Releases[len(s.Releases)-1]
		}

		a, b := slices.Index(s.Releases, from), slices.Index(s.Releases, to)
		if a < 0 || b < a {
			return nil, errors.Errorf("%q is no range of releases", r)
		}

		out = append(out, s.Releases[a:b+1]...)
	}

	return out, nil
}

// Write the survey as Read reads it: the source and the releases, and the API groups.
// Below each group are the versions and releases that have kinds with the same facts in
// common, and the facts. Below that are the kinds.
//
//	source crossplane-contrib/provider-upjet-aws
//	release v1.0.0
//	release v1.1.0
//	ec2.aws.upbound.io
//	 v1beta1 v1.0.0..: -
//	  Route
//	 v1beta1 v1.0.0..: tags=map <tags=map <tagsAll=map
//	  Instance
//	  VPC
func (s *Survey) Write(w io.Writer) error {
	// Kinds by group, and by versions, releases and facts.
	groups := make(map[string]map[string][]string)

	for gvk, facts := range s.Kinds {
		if groups[gvk.Group] == nil {
			groups[gvk.Group] = make(map[string][]string)
		}

		distinct := make(map[Facts]bool)
		for _, f := range facts {
			distinct[f] = true
		}

		for f := range distinct {
			held := s.ranges(func(r string) bool {
				is, ok := facts[r]
				return ok && is == f
			})

			line := gvk.Version + " " + held + ": " + string(f)
			groups[gvk.Group][line] = append(groups[gvk.Group][line], gvk.Kind)
		}
	}

	out := &strings.Builder{}
	out.WriteString("source " + s.Source + "\n")

	for _, r := range s.Releases {
		out.WriteString("release " + r + "\n")
	}

	for _, group := range slices.Sorted(maps.Keys(groups)) {
		out.WriteString(group + "\n")

		for _, line := range slices.Sorted(maps.Keys(groups[group])) {
			out.WriteString(" " + line + "\n")

			for _, kind := range slices.Sorted(slices.Values(groups[group][line])) {
				out.WriteString("  " + kind + "\n")
			}
		}
	}

	_, err := io.WriteString(w, out.String())

	return err
}

// Read a survey.
func Read(r io.Reader) (*Survey, error) {
	s := &Survey{Kinds: make(map[schema.GroupVersionKind]map[string]Facts)}

	var (
		group    string
		version  string
		releases []string
		facts    Facts
	)

	for sc := bufio.NewScanner(r); ; {
		if !sc.Scan() {
			return s, errors.Wrap(sc.Err(), "cannot read")
		}

		line := sc.Text()

		if source, ok := strings.CutPrefix(line, "source "); ok {
			s.Source = source
			continue
		}

		if release, ok := strings.CutPrefix(line, "release "); ok {
			s.Releases = append(s.Releases, release)
			continue
		}

		if kind, ok := strings.CutPrefix(line, "  "); ok {
			gvk := schema.GroupVersionKind{Group: group, Version: version, Kind: kind}
			for _, r := range releases {
				s.Add(r, gvk, facts)
			}

			continue
		}

		if line, ok := strings.CutPrefix(line, " "); ok {
			held, f, _ := strings.Cut(line, ": ")

			var (
				ranges string
				err    error
			)

			version, ranges, _ = strings.Cut(held, " ")
			facts = Facts(f)

			if releases, err = s.within(ranges); err != nil {
				return nil, err
			}

			if _, err := facts.Schema(); err != nil {
				return nil, err
			}

			continue
		}

		group = line
	}
}

// ReadAll reads the surveys in the supplied folder, by name.
func ReadAll(folder fs.FS) ([]*Survey, error) {
	files, err := fs.Glob(folder, "*.txt")
	if err != nil {
		return nil, err
	}

	var all []*Survey

	for _, file := range files {
		b, err := fs.ReadFile(folder, file)
		if err != nil {
			return nil, err
		}

		s, err := Read(bytes.NewReader(b))
		if err != nil {
			return nil, errors.Wrapf(err, "cannot read survey %s", file)
		}

		all = append(all, s)
	}

	return all, nil
}
