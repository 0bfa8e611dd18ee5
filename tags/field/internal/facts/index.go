package facts

import (
	"iter"
	"maps"
	"slices"

	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/crossplane/function-sdk-go/errors"

	"github.com/plexsphere/function-cloud-tags/tags/field"
)

// An Index is what the built-in index has of surveys.
type Index struct {
	// Kinds and their entries.
	Kinds map[schema.GroupVersionKind]field.Entry

	// Groups and the releases that serve them, or nothing if these are all.
	Groups map[string]string
}

// All kinds by group, kind and version.
func (i *Index) All() iter.Seq2[schema.GroupVersionKind, field.Entry] {
	return func(yield func(schema.GroupVersionKind, field.Entry) bool) {
		for _, gvk := range slices.SortedFunc(maps.Keys(i.Kinds), field.Compare) {
			if !yield(gvk, i.Kinds[gvk]) {
				return
			}
		}
	}
}

// NewIndex reads the kinds of the supplied surveys by the dialects.
func NewIndex(surveys ...*Survey) (*Index, error) {
	i := &Index{Kinds: make(map[schema.GroupVersionKind]field.Entry), Groups: make(map[string]string)}

	for _, s := range surveys {
		groups := s.groups()

		for name, releases := range groups {
			if releases == s.Releases[0]+".." {
				releases = ""
			}

			i.Groups[name] = releases
		}

		for gvk := range s.Kinds {
			e, err := s.entry(gvk)
			if err != nil {
				return nil, err
			}

			if len(e) == 1 && e[0].Releases == groups[gvk.Group] {
				e[0].Releases = ""
			}

			// Several providers of a cloud can have settings of the same name.
			if has, ok := i.Kinds[gvk]; ok && (len(has) > 1 || len(e) > 1 || field.Line(gvk, has[0].Field) != field.Line(gvk, e[0].Field)) {
				return nil, errors.Errorf("%s is of several providers, which don't agree", gvk)
			}

			i.Kinds[gvk] = e
		}
	}

	return i, nil
}

// groups are the API groups of the survey, with the ranges of releases that serve them.
func (s *Survey) groups() map[string]string {
	served := make(map[string]map[string]bool)

	for gvk, facts := range s.Kinds {
		if served[gvk.Group] == nil {
			served[gvk.Group] = make(map[string]bool)
		}

		for r := range facts {
			served[gvk.Group][r] = true
		}
	}

	groups := make(map[string]string, len(served))
	for name, in := range served {
		groups[name] = s.ranges(func(r string) bool { return in[r] })
	}

	return groups
}

// entry of the supplied kind: one field if all releases that serve it agree on its path
// and shape, and else several, the newest last.
func (s *Survey) entry(gvk schema.GroupVersionKind) (field.Entry, error) {
	var e field.Entry

	in := make([]map[string]bool, 0, 1)

	// The newest first: it reports most.
	for _, r := range slices.Backward(s.Releases) {
		facts, ok := s.Kinds[gvk][r]
		if !ok {
			continue
		}

		types, err := facts.Schema()
		if err != nil {
			return nil, err
		}

		f := field.Read(gvk.GroupKind(), types)

		n := slices.IndexFunc(e, func(h field.Held) bool { return agree(h.Field, f) })
		if n < 0 {
			e, in = append(e, field.Held{Field: f}), append(in, make(map[string]bool))
			n = len(e) - 1
		}

		in[n][r] = true

		for _, path := range f.Observed {
			if h := &e[n].Field; !slices.ContainsFunc(h.Observed, path.Equal) {
				h.Observed = append(h.Observed, path)
			}
		}
	}

	for n := range e {
		e[n].Releases = s.ranges(func(r string) bool { return in[n][r] })
	}

	slices.Reverse(e)

	return e, nil
}

// agree is true if the supplied fields are written in the same way.
func agree(a, b field.Field) bool {
	a.Observed, b.Observed = nil, nil
	return field.Line(schema.GroupVersionKind{}, a) == field.Line(schema.GroupVersionKind{}, b)
}
