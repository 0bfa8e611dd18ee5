package stamp

import (
	"context"
	"encoding/json"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"google.golang.org/protobuf/types/known/structpb"
	"pgregory.net/rapid"
	"sigs.k8s.io/structured-merge-diff/v6/fieldpath"
	"sigs.k8s.io/structured-merge-diff/v6/merge"
	"sigs.k8s.io/structured-merge-diff/v6/typed"

	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"
	"github.com/crossplane/function-sdk-go/resource"

	"github.com/plexsphere/function-cloud-tags/input/v1beta1"
	"github.com/plexsphere/function-cloud-tags/tags/field"
	"github.com/plexsphere/function-cloud-tags/tags/profile"
	"github.com/plexsphere/function-cloud-tags/tags/stamp/tagset"
	"github.com/plexsphere/function-cloud-tags/tags/target"
)

// ours is the field manager of the composite resources of tests.
const ours = "apiextensions.crossplane.io/composed/0a1b"

// applySchemas are the schemas of things with tags in a shape, as the API server has them.
var applySchemas = map[string]string{
	"Map":          `{map: {elementType: {scalar: string}}}`,
	"AtomicMap":    `{map: {elementType: {scalar: string}, elementRelationship: atomic}}`,
	"KeyValueList": `{list: {elementType: {map: {fields: [{name: k, type: {scalar: string}}, {name: v, type: {scalar: string}}]}}, elementRelationship: associative, keys: [k]}}`,
	"AtomicList":   `{list: {elementType: {map: {fields: [{name: k, type: {scalar: string}}, {name: v, type: {scalar: string}}]}}, elementRelationship: atomic}}`,
	"StringList":   `{list: {elementType: {scalar: string}, elementRelationship: associative}}`,
	"AtomicSet":    `{list: {elementType: {scalar: string}, elementRelationship: atomic}}`,
}

// An applied thing is what the API server has of a thing whose tags managers have written.
type applied struct {
	typed.ParseableType
	merge.Updater

	shape shape
	live  *typed.TypedValue

	managers fieldpath.ManagedFields
}

// sameVersion converts between versions that are the same.
type sameVersion struct{}

func (sameVersion) Convert(o *typed.TypedValue, _ fieldpath.APIVersion) (*typed.TypedValue, error) {
	return o, nil
}

func (sameVersion) IsMissingVersionError(error) bool { return false }

func newApplied(t rapid.TB, kind string) *applied {
	t.Helper()

	of := map[string]string{"AtomicMap": "Map", "AtomicList": "KeyValueList", "AtomicSet": "StringList"}
	s, ok := shapes[of[kind]]

	if !ok {
		s = shapes[kind]
	}

	p, err := typed.NewParser(typed.YAMLObject(`types: [{name: thing, map: {fields: [{name: spec, type: {map: {fields: [
		{name: region, type: {scalar: string}}, {name: tags, type: ` + applySchemas[kind] + `}]}}}]}}]`))
	if err != nil {
		t.Fatal(err)
	}

	a := &applied{ParseableType: p.Type("thing"), shape: s, managers: fieldpath.ManagedFields{}}
	a.Updater = *(&merge.UpdaterBuilder{Converter: sameVersion{}, ReturnInputOnNoop: true}).BuildUpdater()
	a.live = a.parse(t, `{"region": "a"}`)

	return a
}

// parse a spec.
func (a *applied) parse(t rapid.TB, spec string) *typed.TypedValue {
	t.Helper()

	v, err := a.FromUnstructured(map[string]any{"spec": resource.MustStructJSON(spec).AsMap()})
	if err != nil {
		t.Fatalf("%s: %v", spec, err)
	}

	return v
}

// spec with the tags, or without the field if there are none.
func (a *applied) spec(of map[string]string) string {
	if len(of) == 0 {
		return `{}`
	}

	return a.shape.spec(keysAndValues(of)...)
}

// apply the tags as the desired state of the manager, by server-side apply.
func (a *applied) apply(t rapid.TB, manager string, of map[string]string) {
	t.Helper()

	live, managers, err := a.Apply(a.live, a.parse(t, a.spec(of)), "v1", a.managers, manager, true)
	if err != nil {
		t.Fatal(err)
	}

	a.live, a.managers = live, managers
}

// update the thing as the manager does that has changed it to have the tags.
func (a *applied) update(t rapid.TB, manager string, of map[string]string) {
	t.Helper()

	live, managers, err := a.Update(a.live, a.parse(t, a.spec(of)), "v1", a.managers, manager)
	if err != nil {
		t.Fatal(err)
	}

	a.live, a.managers = live, managers
}

// object that the API server returns.
func (a *applied) object(t rapid.TB) *structpb.Struct {
	t.Helper()

	var managers []any

	for _, name := range slices.Sorted(maps.Keys(a.managers)) {
		b, err := a.managers[name].Set().ToJSON()
		if err != nil {
			t.Fatal(err)
		}

		var fields any
		if err := json.Unmarshal(b, &fields); err != nil {
			t.Fatal(err)
		}

		operation := "Update"
		if a.managers[name].Applied() {
			operation = "Apply"
		}

		managers = append(managers, map[string]any{"manager": name, "operation": operation, "apiVersion": "example.org/v1", "fieldsType": "FieldsV1", "fieldsV1": fields})
	}

	o, _ := a.live.AsValue().Unstructured().(map[string]any)
	if o == nil {
		o = map[string]any{}
	}

	all := maps.Clone(o)
	all["apiVersion"], all["kind"], all["metadata"] = "example.org/v1", "Thing", map[string]any{"managedFields": managers}

	s, err := structpb.NewStruct(all)
	if err != nil {
		t.Fatal(err)
	}

	return s
}

// tags that the thing has, in any order.
func (a *applied) tags(t rapid.TB) []string {
	t.Helper()

	kv := tagsOf(a.object(t), a.shape)

	var out []string
	for i := 0; i < len(kv); i += 2 {
		out = append(out, kv[i]+"="+kv[i+1])
	}

	slices.Sort(out)

	return out
}

// drawTags draws a few tags.
func drawTags(t *rapid.T, label string) map[string]string {
	return rapid.MapOfN(rapid.SampledFrom([]string{"a", "b", "c", "ours:a", "ours:b"}), rapid.SampledFrom([]string{"1", "2"}), 0, 4).Draw(t, label)
}

// drawApplied draws a thing that Crossplane, another system and a provider have written.
func drawApplied(t *rapid.T, kind string) *applied {
	a := newApplied(t, kind)

	for range rapid.IntRange(0, 5).Draw(t, "writes") {
		switch manager := rapid.SampledFrom([]string{ours, ours, "backup", "provider", "apiextensions.crossplane.io/composed/ffff"}).Draw(t, "manager"); manager {
		case "provider":
			a.update(t, manager, drawTags(t, manager))
		default:
			a.apply(t, manager, drawTags(t, manager))
		}
	}

	return a
}

// TestFinal proves that what is thought to stay is what server-side apply leaves, whoever has
// written before.
func TestFinal(t *testing.T) {
	for kind := range applySchemas {
		t.Run(kind, func(t *testing.T) {
			rapid.Check(t, func(t *rapid.T) {
				a := drawApplied(t, kind)

				f := a.shape.field
				f.Atomic = rapid.SampledFrom([]bool{f.Atomic, a.managers[ours] != nil && kind[:3] == "Ato"}).Draw(t, "known to be atomic")

				desired := drawTags(t, "desired")
				r := thing(a.spec(desired))

				observed := a.object(t)
				of := targetOf(t, f, r, observed)
				keys := tagset.Keys{Kind: tagset.KindOf(of.Field, of.Profile), Patterns: profile.NewKeySet("*")}

				set, err := of.Final(of.Before, &keys)
				if err != nil {
					t.Fatal(err)
				}

				var got []string
				for e := range set.All() {
					got = append(got, e.Key+"="+tagset.TextOf(e.Value))
				}

				before := a.tags(t)
				a.apply(t, ours, desired)
				want := a.tags(t)

				// Of an object that is another's by its key alone, the value goes.
				if kind == "KeyValueList" {
					got, want = keysOf(got), keysOf(want)
				}

				slices.Sort(got)

				if diff := cmp.Diff(want, got); diff != "" {
					t.Fatalf("%v has %q, and %v is desired: -what apply leaves, +final:\n%s", observed.GetFields()["metadata"], before, desired, diff)
				}
			})
		})
	}
}

// keysOf tags.
func keysOf(of []string) []string {
	out := slices.Clone(of)
	for i := range out {
		out[i], _, _ = strings.Cut(out[i], "=")
	}

	slices.Sort(out)

	return out
}

// targetOf the resource, whose tags are in the field f.
func targetOf(t *rapid.T, f field.Field, desired, observed *structpb.Struct) *target.Target {
	finder := &target.Finder{
		Input: &v1beta1.CloudTags{}, Provider: "aws", Fields: fixed(somewhere(f)), Owner: ours,
		Observed: map[string]*fnv1.Resource{"r": {Resource: observed}},
	}

	targets, err := finder.Find(context.Background(), map[string]*fnv1.Resource{"r": {Resource: desired}}, true)
	if err != nil {
		t.Fatal(err)
	}

	return targets.All[0]
}
