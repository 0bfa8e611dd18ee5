package field

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/plexsphere/function-cloud-tags/tags/profile"
	"github.com/plexsphere/function-cloud-tags/tags/tagstest"
)

// TestREADME tests that the table of native families in the README is what the index says.
func TestREADME(t *testing.T) { tagstest.Section(t, "README.md", "natives", nativesTable()) }

// nativesTable is the table of native families, in Markdown: how many of their kinds are tagged, and
// where.
func nativesTable() string {
	type row struct {
		kinds [2]map[schema.GroupKind]bool // Tagged, and on request only.
		paths map[string]bool
	}

	all := make(map[string]row)
	for _, f := range natives {
		all[f.Name] = row{[2]map[schema.GroupKind]bool{make(map[schema.GroupKind]bool), make(map[schema.GroupKind]bool)}, make(map[string]bool)}
	}

	for gvk, e := range BuiltIn().All() {
		of, _ := familyOf(gvk.GroupKind())

		for _, h := range e {
			if !of.Native || h.Field.Shape == None {
				continue
			}

			asked := 0
			if h.Field.OnRequest {
				asked = 1
			}

			all[of.Name].kinds[asked][gvk.GroupKind()] = true
			all[of.Name].paths[h.Field.Path.String()] = true
		}
	}

	out := &strings.Builder{}
	out.WriteString("| Family | API groups: kinds | Tag profile | Kinds | On request | Fields |\n|---|---|---|---|---|---|\n")

	for _, f := range natives {
		var groups []string

		for group, claims := range claimed {
			for _, c := range claims {
				if c.Name == f.Name {
					groups = append(groups, strings.TrimSuffix("`"+group+"`: `"+joined(c.kinds)+"`", ": ``"))
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
