package survey

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"google.golang.org/protobuf/types/known/structpb"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/plexsphere/function-cloud-tags/tags/field"
	objects "github.com/plexsphere/function-cloud-tags/tags/object"
)

// What somebody makes of the JSON of a field.Listing who has nothing else but its schema.
type (
	listedIndex struct {
		Surveys []struct{ Source, Oldest, Newest string }
		Groups  []struct {
			Name, Releases string
			Kinds          []listedKind
		}
	}

	listedKind struct {
		Kind, Family, Provider string
		Versions               []string
		TagFields              []listedField
		Launched               []struct {
			TagsOf, Change, ItemKey, Value string
			Items, If, Unless              []string
			TagFields                      []listedField
		}
	}

	listedField struct {
		FieldPath, Shape, Why, Releases string

		KeyValueList struct {
			Key, Value string
			Extra      map[string]any
		}
		StringList struct {
			Separator string
			MaxLength int
		}

		Reported                                            []string
		Atomic, OnRequest, Fixed, Immutable, Within, Sorted bool
	}
)

// TestListing writes index.txt with nothing but the JSON of what the index lists: so nothing of it is lost, neither
// there nor where the text is read.
func TestListing(t *testing.T) {
	text, err := json.Marshal(field.BuiltIn().List())
	if err != nil {
		t.Fatal(err)
	}

	var listed listedIndex

	from := json.NewDecoder(bytes.NewReader(text))
	from.DisallowUnknownFields()

	if err := from.Decode(&listed); err != nil { //nolint:musttag // Fields are found by their names, whatever the case.
		t.Fatal(err)
	}

	want, err := os.ReadFile("../index.txt")
	if err != nil {
		t.Fatal(err)
	}

	if diff := cmp.Diff(string(want), indexOf(t, &listed)); diff != "" {
		t.Errorf("want index.txt of its own listing, got -want, +got:\n%s", diff)
	}
}

// indexOf the listing is the text of the index.
func indexOf(t *testing.T, listed *listedIndex) string {
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
			entries := []field.Entry{entryOf(t, k.TagFields)}
			for _, l := range k.Launched {
				entries = append(entries, entryOf(t, l.TagFields))
			}

			for _, v := range k.Versions {
				gvk := schema.GroupVersionKind{Group: g.Name, Version: v, Kind: k.Kind}
				if kinds[gvk] != "" {
					t.Errorf("%s is listed twice", gvk)
				}

				kinds[gvk] = formatKind(entries)
			}
		}
	}

	return out.String() + format(maps.All(kinds), releases)
}

// entryOf the listed fields.
func entryOf(t *testing.T, listed []listedField) field.Entry {
	t.Helper()

	var e field.Entry

	for _, l := range listed {
		f := field.Field{
			Shape: field.Shape(l.Shape), Key: l.KeyValueList.Key, Value: l.KeyValueList.Value, Separator: l.StringList.Separator, MaxLength: l.StringList.MaxLength,
			Atomic: l.Atomic, OnRequest: l.OnRequest, Fixed: l.Fixed, Immutable: l.Immutable, Within: l.Within, Sorted: l.Sorted,
		}

		if l.FieldPath != "" {
			f.Path = objects.MustParsePath(l.FieldPath)
		}

		for _, path := range l.Reported {
			f.Observed = append(f.Observed, objects.MustParsePath(path))
		}

		extra, err := structpb.NewStruct(l.KeyValueList.Extra)
		if err != nil {
			t.Fatal(err)
		}

		f.Extra = extra.GetFields()

		if asked := l.OnRequest || l.Fixed || l.Immutable; asked != (l.Why != "") {
			t.Errorf("%s: want a reason of what is on request, fixed or immutable, and of nothing else, got %q", l.FieldPath, l.Why)
		}

		e = append(e, field.Held{Field: f, Releases: l.Releases})
	}

	return e
}
