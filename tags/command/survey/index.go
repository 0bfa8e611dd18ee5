package survey

import (
	"fmt"
	"iter"
	"maps"
	"slices"
	"strings"

	"google.golang.org/protobuf/types/known/structpb"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/crossplane/function-sdk-go/errors"

	"github.com/plexsphere/function-cloud-tags/tags/field"
	objects "github.com/plexsphere/function-cloud-tags/tags/object"
)

const header = `# The tag fields of the kinds of the providers that people run, by the families.
# Generated from the surveys by go generate: do not edit. These were surveyed:
`

// Index is the text of the built-in index of the supplied surveys.
func Index(surveys map[string]*Survey) (string, error) {
	out := &strings.Builder{}
	out.WriteString(header)

	kinds := make(map[schema.GroupVersionKind]field.Entry)
	groups := make(map[string]string)

	for _, name := range slices.Sorted(maps.Keys(surveys)) {
		s := surveys[name]
		fmt.Fprintf(out, "# %s %s..%s\n", s.Source, s.Releases[0], s.Releases[len(s.Releases)-1])

		if err := s.addTo(kinds, groups); err != nil {
			return "", err
		}
	}

	format(out, maps.All(kinds), groups)

	return out.String(), nil
}

// addTo adds the entries of all kinds, and the releases that serve each API group.
func (s *Survey) addTo(kinds map[schema.GroupVersionKind]field.Entry, groups map[string]string) error {
	served := make(map[string]map[string]bool)

	for gvk, in := range s.Kinds {
		for release := range in {
			put(served, gvk.Group, release, true)
		}
	}

	read := make(map[Schema]*structpb.Struct)

	for gvk, in := range s.Kinds {
		for _, is := range in {
			if read[is] == nil {
				read[is] = is.Struct()
			}
		}

		group := s.ranges(served[gvk.Group])

		e := s.entry(gvk, read)
		if len(e) == 1 && e[0].Releases == group {
			e[0].Releases = ""
		}

		// Several providers of a cloud can have settings of the same name.
		if has, ok := kinds[gvk]; ok && formatEntry(has) != formatEntry(e) {
			return errors.Errorf("%s is of several providers, which don't agree", gvk)
		}

		kinds[gvk], groups[gvk.Group] = e, group
		if group == s.Releases[0]+".." {
			groups[gvk.Group] = ""
		}
	}

	return nil
}

// entry of the supplied kind: one field if all releases that serve it agree on its path
// and shape, and else several, the newest last.
func (s *Survey) entry(gvk schema.GroupVersionKind, read map[Schema]*structpb.Struct) field.Entry {
	var (
		e  field.Entry
		in []map[string]bool
	)

	// The newest first: it reports most.
	for _, r := range slices.Backward(s.Releases) {
		is, ok := s.Kinds[gvk][r]
		if !ok {
			continue
		}

		f := field.Read(gvk.GroupKind(), objects.Tree(read[is]).Node())

		n := slices.IndexFunc(e, func(h field.Held) bool { return h.Field.WrittenAs(f) })
		if n < 0 {
			n, e, in = len(e), append(e, field.Held{Field: f}), append(in, make(map[string]bool))
		}

		in[n][r] = true

		for _, path := range f.Observed {
			if h := &e[n].Field; !slices.ContainsFunc(h.Observed, path.Equal) {
				h.Observed = append(h.Observed, path)
			}
		}
	}

	for n := range e {
		e[n].Releases = s.ranges(in[n])
	}

	slices.Reverse(e)

	return e
}

// format writes the supplied kinds, with the releases that serve their groups, as the
// built-in index has them: see field.BuiltIn.
func format(out *strings.Builder, kinds iter.Seq2[schema.GroupVersionKind, field.Entry], groups map[string]string) {
	type place struct{ group, kind, entry string }

	// Versions of what has an entry in common: of the group, and of its twin.
	versions := make(map[place]*[2][]string)

	for gvk, e := range kinds {
		group, twin := gvk.Group, 0
		if of, ok := untwin(group); ok {
			group, twin = of, 1
		}

		p := place{group: group, kind: gvk.Kind, entry: formatEntry(e)}
		if versions[p] == nil {
			versions[p] = &[2][]string{}
		}

		versions[p][twin] = append(versions[p][twin], gvk.Version)
	}

	// Kinds by group, and by versions and entry.
	blocks := make(map[string]map[string][]string)

	for p, vs := range versions {
		own, twins := joined(vs[0]), joined(vs[1])

		switch {
		case twins == "":
		case own == twins:
			own += " m/"
		default:
			own = strings.TrimSpace(own + " m/" + twins)
		}

		head := p.group
		if r := groups[p.group]; r != "" {
			head += " " + r
		}

		if r := groups[field.Twin(p.group)]; r != "" {
			head += " m/" + r
		}

		line := own + ": " + p.entry
		put(blocks, head, line, append(blocks[head][line], p.kind))
	}

	writeBlocks(out, blocks)
}

func joined(versions []string) string {
	return strings.Join(slices.Sorted(slices.Values(versions)), ",")
}

// untwin returns the group that the supplied one is the namespaced twin of. It returns
// false if the group is none.
func untwin(group string) (string, bool) {
	for i := range len(group) {
		if of, ok := strings.CutPrefix(group[i:], "m."); ok && field.Twin(group[:i]+of) == group {
			return group[:i] + of, true
		}
	}

	return "", false
}

// formatEntry as the index has it.
func formatEntry(e field.Entry) string {
	var out []string

	for _, h := range e {
		text := "-"

		if h.Field.Shape != field.None {
			columns := strings.Join(h.Field.Columns(), " ")
			text = strings.NewReplacer("spec.forProvider.", "", "status.atProvider.", "").Replace(columns)
		}

		if h.Releases != "" {
			text = "@" + h.Releases + " " + text
		}

		out = append(out, text)
	}

	return strings.Join(out, "; ")
}
