package stamp

import (
	"strings"
	"testing"

	"google.golang.org/protobuf/types/known/structpb"

	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"

	"github.com/plexsphere/function-cloud-tags/input/v1beta1"
	"github.com/plexsphere/function-cloud-tags/tags"
	"github.com/plexsphere/function-cloud-tags/tags/field"
	"github.com/plexsphere/function-cloud-tags/tags/object"
	"github.com/plexsphere/function-cloud-tags/tags/tagstest"
	"github.com/plexsphere/function-cloud-tags/tags/target"
)

// A shape is a tag field, and how it holds tags.
type shape struct {
	field field.Field

	// spec with the tags of the supplied keys and values.
	spec func(keysAndValues ...string) string

	// tag that an item is, of a list or of a joined string.
	tag func(item *structpb.Value) (key, value string)
}

// join what the supplied function makes of each of the supplied keys and values.
func join(keysAndValues []string, entry func(key, value string) string) string {
	out := make([]string, 0, len(keysAndValues)/2)
	for i := 0; i < len(keysAndValues); i += 2 {
		out = append(out, entry(keysAndValues[i], keysAndValues[i+1]))
	}

	return strings.Join(out, ", ")
}

// shapes of tag fields.
var shapes = map[string]shape{
	"Map": {field: field.Field{Path: object.MustParsePath("spec.tags"), Shape: field.Map}, spec: func(kv ...string) string {
		return `{"tags": {` + join(kv, func(k, v string) string { return `"` + k + `": "` + v + `"` }) + `}}`
	}},
	"KeyValueList": {field: field.Field{Path: object.MustParsePath("spec.tags"), Shape: field.KeyValueList, Key: "k", Value: "v"}, spec: func(kv ...string) string {
		return `{"tags": [` + join(kv, func(k, v string) string { return `{"k": "` + k + `", "v": "` + v + `"}` }) + `]}`
	}, tag: func(item *structpb.Value) (key, value string) {
		fields := item.GetStructValue().GetFields()
		return fields["k"].GetStringValue(), fields["v"].GetStringValue()
	}},
	"StringList": {field: field.Field{Path: object.MustParsePath("spec.tags"), Shape: field.StringList, Separator: "="}, spec: func(kv ...string) string {
		return `{"tags": [` + join(kv, func(k, v string) string { return `"` + k + `=` + v + `"` }) + `]}`
	}, tag: cut},
	"Joined": {field: field.Field{Path: object.MustParsePath("spec.tags"), Shape: field.Joined, Separator: "=", Delimiter: ", ", Atomic: true}, spec: func(kv ...string) string {
		return `{"tags": "` + join(kv, func(k, v string) string { return k + `=` + v }) + `"}`
	}, tag: cut},
}

// cut the supplied string into the key and the value of a tag.
func cut(item *structpb.Value) (key, value string) {
	key, value, _ = strings.Cut(item.GetStringValue(), "=")
	return key, value
}

// TestStampActive tests, in each shape, that the active tags are those that labels
// have become: that were written or replaced, or were there. Tags that were withheld
// or skipped, and those of others, are not.
func TestStampActive(t *testing.T) {
	replaced := func(l tags.Label) tags.Label { return under(tags.Replace, l)[0] }

	g := tagstest.NewGolden(t)

	for kind, s := range shapes {
		t.Run(kind, func(t *testing.T) {
			stamper := &Stamper{
				Finder: target.Finder{
					Input: &v1beta1.CloudTags{
						Sources:      []v1beta1.Source{{OnConflict: tags.Retain}, {OnConflict: tags.Replace}},
						ReservedTags: map[string]v1beta1.TagCount{"aws": 43},
					},
					Provider: "aws",
					Fields:   everywhere(s.field),
				},
				Transformer: transformer(
					label("written", "1"),
					label("there", "1"),
					label("withheld", "1"),
					replaced(label("replaced", "1")),
					replaced(label("there too", "1")),
					replaced(label("xcapped", "1")),
					label("empty", ""),
					label("c*", "1"),
					label("aws:x", "1"),
					label("long", strings.Repeat("v", 257)),
				),
			}

			spec := s.spec("Name", "x", "ours:there", "1", "ours:withheld", "9", "ours:replaced", "9", "ours:there too", "1")

			check(t, g, "Only tags that the resource has because of labels, or as labels want them, are active.", stamper, desiring(spec))
		})
	}
}

func TestStampActiveOnly(t *testing.T) {
	cases := map[string]situation{
		"AllThere":           {reason: "Tags that are there are active though nothing has to be written.", before: []string{"ours:a", "1", "Name", "x"}},
		"AllWithheld":        {reason: "A resource all of whose tags were withheld has none that are active.", before: []string{"ours:a", "9"}},
		"EmptyValueWithheld": {reason: "An empty value that an earlier step set is another value.", before: []string{"ours:a", ""}},
	}

	runAll(t, cases, func(t *testing.T, g *tagstest.Golden, tc situation) {
		t.Helper()

		tc.labels = []tags.Label{label("a", "1")}
		tc.runIn(t, g, shapes)
	})
}

// TestStampActiveEmptyValue tests an entry that is no more than a key, for which the
// label has an empty value.
func TestStampActiveEmptyValue(t *testing.T) {
	cases := map[string]situation{
		"MapNull":                    {reason: "A null in a map of strings is no tag: the API server drops it. So the tag is not there, and an earlier step doesn't want it to be.", field: shapes["Map"].field, spec: `{"tags": {"ours:a": null}}`},
		"KeyValueListWithoutValue":   {reason: "An entry without a value is a tag with an empty one.", field: shapes["KeyValueList"].field, spec: `{"tags": [{"k": "ours:a"}]}`},
		"KeyValueListNull":           {reason: "An entry whose value is null is a tag with an empty one, since the API server drops the null.", field: shapes["KeyValueList"].field, spec: `{"tags": [{"k": "ours:a", "v": null}]}`},
		"StringListWithoutSeparator": {reason: "A string without the separator is no tag of a key.", field: shapes["StringList"].field, spec: `{"tags": ["ours:a"]}`},
	}

	runAll(t, cases, func(t *testing.T, g *tagstest.Golden, tc situation) {
		t.Helper()

		tc.labels = []tags.Label{label("a", "")}
		tc.run(t, g)
	})
}

// TestStampActiveWithoutCase tests tags of a provider whose keys compare without
// case.
func TestStampActiveWithoutCase(t *testing.T) {
	situation{
		reason: "A key that is there in another case is there.", provider: "azure", before: []string{"OURS:A", "1", "Ours:B", "9"},
		labels: []tags.Label{label("a", "1"), label("b", "2"), label("c/d", "3")},
	}.runIn(t, tagstest.NewGolden(t), withoutCase)
}

// TestStampObservedOrder tests lists that server-side apply replaces as a whole. If
// the provider has put the items in another order, that is the order that they keep.
func TestStampObservedOrder(t *testing.T) {
	cases := map[string]struct {
		reason   string
		atomic   bool
		before   []string
		observed string
	}{
		"SameItems":     {reason: "The same items in another order are in the provider's order.", atomic: true, before: []string{"Name", "x", "b", "2"}, observed: "ours:a 1 b 2 Name x"},
		"WithProviders": {reason: "What is kept of the provider's own tags counts.", atomic: true, before: []string{"Name", "x"}, observed: "crossplane-name thing ours:a 1 Name x"},
		"MoreObserved":  {reason: "An item that is no longer desired is not brought back.", atomic: true, before: []string{"Name", "x"}, observed: "ours:a 1 old 1 Name x"},
		"OtherValue":    {reason: "An item that has another value than is observed changes.", atomic: true, before: []string{"Name", "x"}, observed: "ours:a 9 Name x"},
		"Twice":         {reason: "An item that is desired twice is not the same as one that is observed once.", atomic: true, before: []string{"Name", "x", "Name", "x"}, observed: "ours:a 1 Name x"},
		"TwiceObserved": {reason: "An item that is observed twice is not the same as one that is desired once.", atomic: true, before: []string{"Name", "x"}, observed: "ours:a 1 Name x Name x"},
		"NotAtomic":     {reason: "A list whose entries server-side apply merges has its own order.", before: []string{"Name", "x"}, observed: "ours:a 1 Name x"},
	}

	g := tagstest.NewGolden(t)

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			for kind, s := range map[string]shape{"KeyValueList": shapes["KeyValueList"], "StringList": shapes["StringList"]} {
				t.Run(kind, func(t *testing.T) {
					s.field.Atomic = tc.atomic
					observed := thing(s.spec(strings.Fields(tc.observed)...))

					stamper := &Stamper{
						Finder: target.Finder{
							Input:    &v1beta1.CloudTags{Sources: []v1beta1.Source{{OnConflict: tags.Retain}}},
							Provider: "aws",
							Fields:   everywhere(s.field),
							Observed: map[string]*fnv1.Resource{"r": {Resource: observed}},
						},
						Transformer: transformer(label("a", "1")),
					}

					check(t, g, tc.reason, stamper, desiring(s.spec(tc.before...)))
				})
			}
		})
	}
}

// TestStampSorted tests lists that the provider keeps in order: another order would be a
// difference for ever.
func TestStampSorted(t *testing.T) {
	f := shapes["StringList"].field
	f.Atomic, f.Sorted = true, true

	runAll(t, map[string]situation{
		"Others":   {reason: "Ours are among others.", labels: []tags.Label{label("a", "1")}, spec: `{"tags": ["z", "b"]}`},
		"Observed": {reason: "The order in which they are observed doesn't matter.", labels: []tags.Label{label("a", "1")}, spec: `{"tags": ["z"]}`, observedSpec: `{"tags": ["z", "ours:a=1"]}`},
		"Nothing":  {reason: "What others have put in another order is left alone without labels.", spec: `{"tags": ["z", "b"]}`},
	}, func(t *testing.T, g *tagstest.Golden, tc situation) {
		t.Helper()

		tc.field = f
		tc.run(t, g)
	})
}

// TestStampMapOfLists tests maps whose keys have several values.
func TestStampMapOfLists(t *testing.T) {
	f := field.Field{Path: object.MustParsePath("spec.tags"), Shape: field.MapOfLists, Observed: []object.Path{object.MustParsePath("status.tags")}}
	a := []tags.Label{label("a", "1")}

	runAll(t, map[string]situation{
		"Fresh":    {reason: "A tag is a list of one value.", labels: a},
		"Others":   {reason: "What others have is left as it is.", labels: a, spec: `{"tags": {"x": ["1", "2"], "y": []}}`},
		"There":    {reason: "The same value is no change.", labels: a, spec: `{"tags": {"ours:a": ["1"]}}`},
		"Retained": {reason: "Several values are another value.", labels: a, spec: `{"tags": {"ours:a": ["1", "2"]}}`},
		"Replaced": {reason: "Several values are replaced by one.", policy: tags.Replace, labels: a, spec: `{"tags": {"ours:a": ["1", "2"]}}`},
		"Removed":  {reason: "Several values go with their key.", labels: a, remove: keys("x"), spec: `{"tags": {"x": ["1", "2"]}}`},
		"Ignored":  {reason: "Several values of the cloud are kept.", labels: a, ignore: keys("x"), spec: `{"tags": {"x": ["1"]}}`, observedSpec: `{"tags": {"x": ["1"]}}`, status: `{"tags": {"x": ["2", "3"]}}`},
		"NoMap":    {reason: "What is no map is named.", labels: a, spec: `{"tags": ["x"]}`},
	}, func(t *testing.T, g *tagstest.Golden, tc situation) {
		t.Helper()

		tc.field = f
		tc.run(t, g)
	})
}
