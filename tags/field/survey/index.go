package survey

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/crossplane/function-sdk-go/errors"

	"github.com/plexsphere/function-cloud-tags/tags/field"
	objects "github.com/plexsphere/function-cloud-tags/tags/object"
	"github.com/plexsphere/function-cloud-tags/tags/words"
)

const header = `# The tag fields of the kinds of the providers that people run, by the families.
# Generated from the surveys by go generate: do not edit. These were surveyed:
`

// Index returns the text of the built-in index, made of the surveys.
func Index(surveys map[string]*Survey) (string, error) {
	out := &strings.Builder{}
	out.WriteString(header)

	kinds := make(map[schema.GroupVersionKind]string)
	groups := make(map[string]string)

	for _, name := range slices.Sorted(maps.Keys(surveys)) {
		s := surveys[name]
		fmt.Fprintf(out, "# %s %s..%s\n", s.Source, s.Releases[0], s.Releases[len(s.Releases)-1])

		if err := s.addTo(kinds, groups); err != nil {
			return "", err
		}
	}

	return out.String() + format(kinds, groups), nil
}

// addTo adds what the index says of all kinds, and the releases that serve each API group.
func (s *Survey) addTo(kinds map[schema.GroupVersionKind]string, groups map[string]string) error {
	served := make(map[[2]string]bool)

	for gvk, in := range s.Kinds {
		for release := range in {
			served[[2]string{gvk.Group, release}] = true
		}
	}

	for gvk := range s.Kinds {
		group := s.ranges(func(r string) bool { return served[[2]string{gvk.Group, r}] })

		entries := s.entries(gvk)

		if e := entries[0]; len(e) == 1 && e[0].Releases == group {
			e[0].Releases = ""
		}

		text := formatKind(entries, s.second(gvk))

		// Several providers of a cloud can have settings of the same name.
		if has, ok := kinds[gvk]; ok && has != text {
			return errors.Errorf("%s is of several providers, which don't agree", gvk)
		}

		kinds[gvk], groups[gvk.Group] = text, group
		if group == s.Releases[0]+".." {
			groups[gvk.Group] = ""
		}
	}

	return nil
}

// fields are what the index says of all kinds, without the releases in which it is so.
func (s *Survey) fields() map[schema.GroupVersionKind]string {
	out := make(map[schema.GroupVersionKind]string, len(s.Kinds))

	for gvk := range s.Kinds {
		entries, second := s.entries(gvk), s.second(gvk)

		for _, e := range append(slices.Clone(entries), second) {
			for i := range e {
				e[i].Releases = ""
			}
		}

		out[gvk] = formatKind(entries, second)
	}

	return out
}

// entries returns the entries of the kind: for its tag field, and for each launched field that a release
// has.
func (s *Survey) entries(gvk schema.GroupVersionKind) []field.Variants {
	out := []field.Variants{s.entry(gvk, field.Read)}

	for i := range field.ReadLaunched(gvk, objects.Node{}) {
		e := s.entryIfAny(gvk, func(gvk schema.GroupVersionKind, node objects.Node) field.Field {
			return field.ReadLaunched(gvk, node)[i]
		})
		if e != nil {
			out = append(out, e)
		}
	}

	return out
}

// second returns the entry of the kind for its second tag system, or nil if no release has it.
func (s *Survey) second(gvk schema.GroupVersionKind) field.Variants {
	return s.entryIfAny(gvk, field.ReadSecond)
}

// entryIfAny is entry for a field beside the tag field. It returns nil if no release has the field.
func (s *Survey) entryIfAny(gvk schema.GroupVersionKind, read func(schema.GroupVersionKind, objects.Node) field.Field) field.Variants {
	e := s.entry(gvk, read)
	if len(e) == 1 {
		e[0].Releases = "" // The releases of the version are in the index anyhow.
	}

	if !slices.ContainsFunc(e, func(h field.Variant) bool { return h.Field.Shape != field.None }) {
		return nil
	}

	return e
}

// entry of the kind, with the fields that are read from its schemas: one if all releases that
// serve the kind agree on path and shape, and else several, the newest last.
func (s *Survey) entry(gvk schema.GroupVersionKind, read func(schema.GroupVersionKind, objects.Node) field.Field) field.Variants {
	var e field.Variants

	in := s.Kinds[gvk]
	held := make(map[Schema]int) // The position of each in the entry, from 1.

	// The newest first: it reports most.
	for _, r := range slices.Backward(s.Releases) {
		pruned, ok := in[r]
		if !ok || held[pruned] > 0 {
			continue
		}

		f := read(gvk, pruned.Node())

		n := slices.IndexFunc(e, func(h field.Variant) bool { return h.Field.WrittenAs(f) })
		if n < 0 {
			n, e = len(e), append(e, field.Variant{Field: f})
		}

		held[pruned] = n + 1

		for _, path := range f.Observed {
			if h := &e[n].Field; !slices.ContainsFunc(h.Observed, path.Equal) {
				h.Observed = append(h.Observed, path)
			}
		}
	}

	for n := range e {
		e[n].Releases = s.ranges(func(r string) bool { return held[in[r]] == n+1 })
	}

	slices.Reverse(e)

	return e
}

// format returns the text that the built-in index has of kinds: see field.BuiltIn. It is given what
// the index says of each kind, and the releases that serve each API group, if not all do.
func format(kinds map[schema.GroupVersionKind]string, groups map[string]string) string {
	type place struct{ group, kind, entry string }

	// Versions of what has an entry in common: of the group, and with true of its twin.
	versions := make(map[place]map[bool][]string)

	for _, gvk := range slices.SortedFunc(maps.Keys(kinds), field.Compare) {
		group, isTwin := field.TwinOf(gvk.Group)
		p := place{group: group, kind: gvk.Kind, entry: kinds[gvk]}

		if versions[p] == nil {
			versions[p] = make(map[bool][]string)
		}

		versions[p][isTwin] = append(versions[p][isTwin], gvk.Version)
	}

	var rows [][3]string

	for p, both := range versions {
		head, cluster, twins := p.group, strings.Join(both[false], ","), strings.Join(both[true], ",")

		switch {
		case twins == "":
		case cluster == twins:
			cluster += " m/"
		default:
			cluster = strings.TrimSpace(cluster + " m/" + twins)
		}

		if r := groups[p.group]; r != "" {
			head += " " + r
		}

		if r := groups[field.Twin(p.group)]; r != "" {
			head += " m/" + r
		}

		rows = append(rows, [3]string{head, cluster + ": " + p.entry, p.kind})
	}

	return outline(rows)
}

// formatKind is what the index says of a kind with the entries, and the entry of its second tag system: see Survey.entries and second.
func formatKind(entries []field.Variants, second field.Variants) string {
	out := strings.Join(words.Map(entries, formatVariants), " + ")
	if second != nil {
		out += " or " + formatVariants(second)
	}

	return out
}

// formatVariants returns the variants as the index has them.
func formatVariants(e field.Variants) string {
	out := make([]string, len(e))

	for i, h := range e {
		if h.Releases != "" {
			out[i] = "@" + h.Releases + " "
		}

		if h.Field.Shape == field.None {
			out[i] += "-"
		} else {
			c := h.Field.Columns()
			out[i] += strings.Join([]string{short(c[0], "spec.forProvider."), c[1], c[2], short(c[3], "status.atProvider.")}, " ")
		}
	}

	return strings.Join(out, "; ")
}

// short form of the paths, which have commas between them: without where most are, and with
// a dot in front of those that are elsewhere.
func short(paths, below string) string {
	out := strings.Split(paths, ",")

	for i, path := range out {
		if within, ok := strings.CutPrefix(path, below); ok {
			out[i] = within
		} else if path != "-" {
			out[i] = "." + path
		}
	}

	return strings.Join(out, ",")
}
