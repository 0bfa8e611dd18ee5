package awspolicy

import (
	"slices"
	"strings"
	"testing"

	"github.com/plexsphere/function-cloud-tags/input/v1beta1"
	"github.com/plexsphere/function-cloud-tags/tags/field"
	"github.com/plexsphere/function-cloud-tags/tags/tagstest"
)

// TestTypes tells which kinds the resource types of testdata/types.txt are. Nobody but a reader knows whether these are
// right: types that providers have no kinds of are none.
func TestTypes(t *testing.T) {
	text := tagstest.ReadFile(t, "testdata/types.txt")

	all, got := taggable(), &strings.Builder{}

	for line := range strings.Lines(string(text)) {
		words := strings.Fields(line)
		if words[0] == "#" {
			continue
		}

		for _, resource := range words[1:] {
			var kinds []string

			for _, p := range kindsOf(words[0] + ":" + resource) {
				if len(all[p]) > 0 {
					kinds = append(kinds, p.service+"/"+p.kind)
				}
			}

			slices.Sort(kinds)
			got.WriteString(strings.Join(append([]string{words[0] + ":" + resource}, kinds...), " ") + "\n")
		}
	}

	tagstest.Text(t, "testdata/kinds.txt", got.String())
}

// TestListed proves that types.txt has nothing that there isn't, and nothing that types are called anyway.
func TestListed(t *testing.T) {
	all := taggable()

	for name, kinds := range listed {
		for _, p := range kinds {
			if len(all[p]) == 0 {
				t.Errorf("types.txt, %s: the index has no kind with tags of %v", name, p)
			}
		}

		delete(listed, name)

		without := kindsOf(name)

		listed[name] = kinds

		isOther := func(p serviceKind) bool { return !slices.Contains(without, p) }
		if strings.Contains(name, ":") && len(kinds) == len(without) && !slices.ContainsFunc(kinds, isOther) {
			t.Errorf("types.txt, %s: it is called so", name)
		}
	}
}

// TestAWS proves that rules for all of AWS are for no other cloud, and for all kinds of AWS but those that can be of
// another cloud, too, and the only one of a provider of 2021.
func TestAWS(t *testing.T) {
	for gvk, e := range field.BuiltIn().All() {
		family, _ := field.FamilyOf(gvk.GroupKind())
		got := slices.ContainsFunc(ofAWS(), func(s v1beta1.ResourceSelector) bool {
			return s.APIVersion.Matches(gvk.GroupVersion().String()) && s.Kind.Matches(gvk.Kind)
		})
		want := family.Profile == "aws" && !slices.Contains([]string{"hive", "hypershift", "rosa"}, family.Name) && !strings.Contains(gvk.Group, "awscontrolapi")

		if hasTags(e) && got != want {
			t.Errorf("%s of %s: want selected %t, got %t", gvk, family.Name, want, got)
		}
	}
}
