package survey

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/plexsphere/function-cloud-tags/input/v1beta1"
	"github.com/plexsphere/function-cloud-tags/tags/field"
	"github.com/plexsphere/function-cloud-tags/tags/tagstest"
)

// TestListing writes index.txt with nothing but the JSON of what the index lists: so nothing of it is lost, neither
// there nor where the text is read.
func TestListing(t *testing.T) {
	text, err := json.Marshal(field.BuiltIn().List())
	if err != nil {
		t.Fatal(err)
	}

	var listed field.Listing
	if err := json.Unmarshal(text, &listed); err != nil {
		t.Fatal(err)
	}

	want := tagstest.ReadFile(t, "../index.txt")

	if diff := cmp.Diff(string(want), indexOf(t, &listed)); diff != "" {
		t.Errorf("want index.txt of its own listing, got -want, +got:\n%s", diff)
	}
}

// indexOf the listing is the text of the index.
func indexOf(t *testing.T, listed *field.Listing) string {
	t.Helper()

	out := &strings.Builder{}
	out.WriteString(header)

	for _, s := range listed.Surveys {
		fmt.Fprintf(out, "# %s %s..%s\n", s.Source, s.Oldest, s.Newest)
	}

	kinds, releases := make(map[schema.GroupVersionKind]string), make(map[string]string)

	for _, g := range listed.Groups {
		releases[g.Name] = g.Releases

		for _, k := range g.Kinds {
			entries := []field.Variants{entryOf(t, k.TagFields)}
			for _, l := range k.Launched {
				entries = append(entries, entryOf(t, l.TagFields))
			}

			for _, v := range k.Versions {
				gvk := schema.GroupVersionKind{Group: g.Name, Version: v, Kind: k.Kind}
				if kinds[gvk] != "" {
					t.Errorf("%s is listed twice", gvk)
				}

				kinds[gvk] = formatKind(entries, entryOf(t, k.SecondTagFields))
			}
		}
	}

	return out.String() + format(kinds, releases)
}

// entryOf the listed fields.
func entryOf(t *testing.T, listed []field.ListedField) field.Variants {
	t.Helper()

	var e field.Variants

	for _, l := range listed {
		f := field.FromTagField(&v1beta1.TagField{FieldPath: l.FieldPath, Shape: v1beta1.Shape(l.Shape), KeyValueList: l.KeyValueList, StringList: l.StringList})
		f.Observed, f.Atomic, f.OnRequest, f.Fixed, f.Immutable, f.Within, f.Sorted = l.Reported, l.Atomic, l.OnRequest, l.Fixed, l.Immutable, l.Within, l.Sorted

		if asked := l.OnRequest || l.Fixed || l.Immutable; asked != (l.Why != "") {
			t.Errorf("%s: want a reason of what is on request, fixed or immutable, and of nothing else, got %q", l.FieldPath, l.Why)
		}

		e = append(e, field.Variant{Field: f, Releases: l.Releases})
	}

	return e
}
