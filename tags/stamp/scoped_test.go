package stamp_test

import (
	"encoding/json"
	"fmt"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"

	"github.com/plexsphere/function-cloud-tags/input/v1beta1"
	"github.com/plexsphere/function-cloud-tags/tags/tagstest"
)

// ofMaps are the fields of an input for resources whose tags are a map.
const ofMaps = `"keyPrefix": "", "provider": {"value": "aws"}, "tagFields": [{"apiVersion": "*", "kind": "*", "fieldPath": "spec.forProvider.tags", "shape": "Map"}]`

// A scoped is a source, and the resources that it is for: all, or the ones that its fields match.
type scoped struct {
	source                string
	name, kind, tier, tag string
}

// text of the source, as the input has it.
func (s scoped) text() string {
	var fields []string

	for _, f := range []struct{ value, text string }{{s.name, `"name": %q`}, {s.kind, `"kind": %q`}, {s.tier, `"matchLabels": {"tier": %q}`}, {s.tag, `"matchTags": {"owned": %q}`}} {
		if f.value != "" {
			fields = append(fields, fmt.Sprintf(f.text, f.value))
		}
	}

	if len(fields) == 0 {
		return s.source + "}"
	}

	return s.source + `, "resources": [{"name": "nowhere"}, {` + strings.Join(fields, ", ") + "}]}"
}

// A thing is a resource that sources may be for.
type thing struct{ name, kind, tier, tag string }

// has reports whether the source is for the thing.
func (s scoped) has(t thing) bool {
	return (s.name == "" || s.name == t.name) && (s.kind == "" || s.kind == t.kind) && (s.tier == "" || s.tier == t.tier) && (s.tag == "" || s.tag == t.tag)
}

func (t thing) resource() *fnv1.Resource {
	return &fnv1.Resource{Resource: tagstest.MustStructJSON(fmt.Sprintf(`{"apiVersion": "example.org/v1", "kind": %q, "metadata": {"name": %[2]q, "labels": {"tier": %[3]q}}, "spec": {"forProvider": {"tags": {"owned": %[4]q, "b": "earlier", "zone": "earlier"}}}}`, t.kind, t.name, t.tier, t.tag))}
}

// drawScoped draws a source.
func drawScoped(t *rapid.T) scoped {
	maybe := func(label string, values ...string) string {
		return rapid.SampledFrom(append(values, "", "")).Draw(t, label)
	}
	value := rapid.SampledFrom([]string{"1", "2", "3"})

	values := `"type": "Value", "values": `
	if rapid.Bool().Draw(t, "computed") {
		values, value = `"type": "Expression", "expressions": `, rapid.SampledFrom([]string{"'1'", "name", "desired.spec.none"})
	}

	text, err := json.Marshal(rapid.MapOfN(rapid.SampledFrom([]string{"a", "b", "c", "zone"}), value, 1, 3).Draw(t, "labels"))
	if err != nil {
		t.Fatal(err)
	}

	return scoped{
		source: fmt.Sprintf(`{%s%s, "trusted": %t, "onConflict": %q`, values, text, rapid.Bool().Draw(t, "trusted"), rapid.SampledFrom([]string{"Retain", "Replace"}).Draw(t, "conflict")),
		name:   maybe("name", "r0", "r1"), kind: maybe("kind", "A", "B"), tier: maybe("tier", "gold"), tag: maybe("tag", "yes"),
	}
}

// TestScoped compares the tags of resources with the tags of an input that has only the sources for the resource.
func TestScoped(t *testing.T) {
	test := t

	rapid.Check(t, func(t *rapid.T) {
		sources := rapid.SliceOfN(rapid.Custom(drawScoped), 1, 5).Draw(t, "sources")
		things, desired := make([]thing, 5), make(map[string]*fnv1.Resource)

		for i := range things {
			things[i] = thing{
				name: fmt.Sprintf("r%d", i), kind: rapid.SampledFrom([]string{"A", "B"}).Draw(t, "kind"),
				tier: rapid.SampledFrom([]string{"gold", "tin"}).Draw(t, "tier"), tag: rapid.SampledFrom([]string{"yes", "no"}).Draw(t, "tag"),
			}
			desired[things[i].name] = things[i].resource()
		}

		// A source that is for all, and has no labels.
		input := func(values []scoped) *v1beta1.CloudTags {
			texts := []string{`{"type": "Value", "values": {}}`}
			for _, s := range values {
				texts = append(texts, s.text())
			}

			return decode(test, ofMaps+`, "reservedKeys": ["zone"], "sources": [`+strings.Join(texts, ", ")+"]")
		}

		all := stampedAll(test, input(sources), desired)

		for _, r := range things {
			values := slices.DeleteFunc(slices.Clone(sources), func(s scoped) bool { return !s.has(r) })
			for i := range values {
				values[i] = scoped{source: values[i].source}
			}

			want := stampedAll(test, input(values), map[string]*fnv1.Resource{r.name: r.resource()})
			if diff := cmp.Diff(tagsOf(want, r.name), tagsOf(all, r.name)); diff != "" {
				t.Fatalf("\nA source should be for the resources that it selects, as if the others had an input without it.\nStamp(...) of %+v: -want, +got:\n%s", r, diff)
			}
		}
	})
}

// TestScopedScales compares the memory that it takes to stamp many resources with labels of all, and with labels of which one
// is for resources of one kind only.
func TestScopedScales(t *testing.T) {
	if tagstest.Race {
		t.Skip("under the race detector, more is allocated")
	}

	desired := make(map[string]*fnv1.Resource)
	for i := range 400 {
		r := thing{name: fmt.Sprintf("r%d", i), kind: []string{"A", "B"}[i%2], tag: "yes"}
		desired[r.name] = r.resource()
	}

	values := make(map[string]string)
	for i := range 200 {
		values[fmt.Sprintf("k%03d", i)] = "v"
	}

	text, err := json.Marshal(values)
	if err != nil {
		t.Fatal(err)
	}

	takes := func(more string) uint64 {
		in := decode(t, fmt.Sprintf(`%s, "sources": [{"type": "Value", "values": %s}, {"type": "Value", "values": {"k000": "own"}%s}]`, ofMaps, text, more))

		var before, after runtime.MemStats

		runtime.ReadMemStats(&before)
		stampedAll(t, in, desired)
		runtime.ReadMemStats(&after)

		return after.TotalAlloc - before.TotalAlloc
	}

	all, some := takes(""), takes(`, "resources": [{"kind": "A"}]`)
	if some > all*5/4 {
		t.Errorf("\nResources with the same labels should share them.\nStamp(...): want at most a quarter more than the %d KB of labels of all, got %d KB", all>>10, some>>10)
	}
}
