package field

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/plexsphere/function-cloud-tags/tags/profile"
	"github.com/plexsphere/function-cloud-tags/tags/tagstest"
)

//go:generate go test . -run ^(TestREADME|TestListingSchema)$ -update

// TestREADME tests the tables in the README against families and the index.
func TestREADME(t *testing.T) {
	tagstest.Section(t, "README.md", "natives", nativesTable())
	tagstest.Section(t, "README.md", "immutable", immutableTable())
	tagstest.Section(t, "README.md", "launched", launchedTable())
}

// immutableTable is the table of kinds whose tag field can't change, in Markdown.
func immutableTable() string {
	out := &strings.Builder{}
	out.WriteString("| Family | Kind | Releases |\n|---|---|---|\n")

	for _, key := range slices.SortedFunc(maps.Keys(immutables), func(a, b [2]string) int { return slices.Compare(a[:], b[:]) }) {
		releases := "all"
		if immutables[key].older {
			releases = "older ones"
		}

		fmt.Fprintf(out, "| %s | %s | %s |\n", key[0], strings.TrimPrefix(key[1], "/"), releases)
	}

	return out.String()
}

// launchedTable is the table of launched fields, in Markdown.
func launchedTable() string {
	out := &strings.Builder{}
	out.WriteString("| Family | Kind | Field | Tags of | A change takes effect | `Tag` |\n|---|---|---|---|---|---|\n")

	for _, l := range slices.SortedFunc(slices.Values(launched), func(a, b launch) int {
		return cmp.Or(cmp.Compare(a.family, b.family), cmp.Compare(a.kind, b.kind), cmp.Compare(a.field, b.field))
	}) {
		used := "no"
		if l.isUsed() {
			used = "yes"
		}

		fmt.Fprintf(out, "| %s | %s | `%s` | %s | %s | %s |\n", l.family, l.kind, l.field, l.TagsOf, l.Change, used)
	}

	return out.String()
}

// nativesTable is the table of native families, in Markdown: how many of their kinds are tagged, and
// where.
func nativesTable() string {
	type row struct {
		kinds [2]map[schema.GroupKind]bool // Tagged, and on request only.
		paths map[string]bool
	}

	natives := slices.DeleteFunc(slices.Clone(families), func(f *family) bool { return !f.Native })

	all := make(map[string]row)
	for _, f := range natives {
		all[f.Name] = row{[2]map[schema.GroupKind]bool{make(map[schema.GroupKind]bool), make(map[schema.GroupKind]bool)}, make(map[string]bool)}
	}

	for gvk, e := range BuiltIn().All() {
		fam, _ := familyOf(gvk.GroupKind())

		for _, h := range e {
			if !fam.Native || h.Field.Shape == None {
				continue
			}

			asked := 0
			if h.Field.OnRequest {
				asked = 1
			}

			all[fam.Name].kinds[asked][gvk.GroupKind()] = true
			all[fam.Name].paths[h.Field.Path.String()] = true
		}
	}

	out := &strings.Builder{}
	out.WriteString("| Family | API groups: kinds | Tag profile | Kinds | On request | Fields |\n|---|---|---|---|---|---|\n")

	for _, f := range natives {
		var groups []string

		for group, all := range shares {
			for _, s := range all {
				if s.family.Name == f.Name {
					groups = append(groups, strings.TrimSuffix("`"+group+"`: `"+joined(s.kinds)+"`", ": ``"))
				}
			}
		}

		slices.Sort(groups)

		r := all[f.Name]
		maps.DeleteFunc(r.kinds[1], func(k schema.GroupKind, _ bool) bool { return r.kinds[0][k] })

		fmt.Fprintf(out, "| %s | %s | %s | %d | %d | `%s` |\n", f.Name, strings.Join(groups, "; "), f.Profile,
			len(r.kinds[0]), len(r.kinds[1]), strings.Join(slices.Sorted(maps.Keys(r.paths)), "`, `"))
	}

	return out.String()
}

// joined are the patterns with commas between them, as Markdown's code.
func joined(patterns []profile.Pattern) string {
	texts := make([]string, len(patterns))
	for i, p := range patterns {
		texts[i] = p.String()
	}

	return strings.Join(texts, "`, `")
}
