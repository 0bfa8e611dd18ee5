package metadata

import (
	"fmt"
	"maps"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"

	"github.com/plexsphere/function-cloud-tags/input/v1beta1"
	"github.com/plexsphere/function-cloud-tags/tags"
	"github.com/plexsphere/function-cloud-tags/tags/locate"
	"github.com/plexsphere/function-cloud-tags/tags/require"
	"github.com/plexsphere/function-cloud-tags/tags/resolve"
	"github.com/plexsphere/function-cloud-tags/tags/stamp"
	"github.com/plexsphere/function-cloud-tags/tags/tagstest"
)

// both are the maps that items have.
var both = []string{"labels", "annotations"}

// drawItems draws items of a list, some without a name, or with the name of another one.
func drawItems(t *rapid.T, label string) []any {
	return rapid.SliceOfN(rapid.Custom(func(t *rapid.T) any {
		if rapid.IntRange(0, 7).Draw(t, "null") == 0 {
			return nil
		}

		item := drawMaps(t)
		if name := rapid.SampledFrom([]any{nil, "", 1.0, "a", "a", "b", "c"}).Draw(t, "name"); name != nil {
			item["name"] = name
		}

		return item
	}), 0, 5).Draw(t, label)
}

// drawMaps draws an object that may have labels and annotations.
func drawMaps(t *rapid.T) map[string]any {
	out := map[string]any{}

	for _, name := range both {
		switch rapid.SampledFrom([]string{"absent", "null", "there", "there"}).Draw(t, name) {
		case "null":
			out[name] = nil
		case "there":
			found := map[string]any{}
			for key, value := range rapid.MapOfN(rapid.SampledFrom([]string{"x", "y", "z"}), rapid.SampledFrom([]string{"1", "2"}), 0, 2).Draw(t, "of "+name) {
				found[key] = value
			}

			out[name] = found
		}
	}

	return out
}

// byName returns the labels and annotations of items by their name, later items over earlier ones. It is false if an
// item has some, but no name.
func byName(items []any) (map[string]map[string]map[string]any, bool) {
	out := map[string]map[string]map[string]any{}

	for _, item := range items {
		item, _ := item.(map[string]any)
		name, _ := item["name"].(string)

		for _, field := range both {
			found, _ := item[field].(map[string]any)
			if name == "" && len(found) > 0 {
				return nil, false
			}

			if out[name] == nil {
				out[name] = map[string]map[string]any{"labels": {}, "annotations": {}}
			}

			maps.Copy(out[name][field], found)
		}
	}

	return out, true
}

// give an object labels and annotations, over its own. It returns whether that changes the object.
func give(to map[string]any, found map[string]map[string]any) (changes bool) {
	for _, field := range both {
		before, _ := to[field].(map[string]any)

		after := maps.Clone(before)
		if after == nil {
			after = map[string]any{}
		}

		maps.Copy(after, found[field])

		if !maps.Equal(before, after) {
			to[field], changes = after, true
		}
	}

	return changes
}

// TestPairs proves that items and resources get the metadata of the items with their name, and no other, in any order
// and from any object.
func TestPairs(test *testing.T) {
	rapid.Check(test, func(t *rapid.T) {
		items := drawItems(t, "items")
		composed := rapid.Bool().Draw(t, "composed")

		source := map[string]any{"type": "CompositeMetadata", "itemName": "name", "labelsFieldPath": "spec.items[*].labels", "annotationsFieldPath": "spec.items[*].annotations"}
		if composed {
			source["type"], source["name"] = "ComposedResource", "source"
		}

		in, err := v1beta1.Decode(tagstest.Struct(map[string]any{
			"apiVersion": v1beta1.APIVersion, "kind": v1beta1.Kind, "provider": map[string]any{"value": "aws"},
			"kubernetesMetadata": []any{map[string]any{
				"source": source, "select": map[string]any{"all": true}, "resources": []any{map[string]any{"kind": "Thing"}},
				"toFieldPaths": map[string]any{
					"labels": []any{"metadata.labels", "spec.pools[*].labels"}, "annotations": []any{"metadata.annotations", "spec.pools[*].annotations"},
				},
			}},
		}))
		if err != nil {
			t.Fatal(err)
		}

		// Whichever of the two is no source has items that nobody should see.
		xr, other := items, drawItems(t, "other items")
		if composed {
			xr, other = other, items
		}

		from := func(items []any) map[string]any {
			return map[string]any{"apiVersion": "example.org/v1", "kind": "Source", "metadata": map[string]any{"name": "x"}, "spec": map[string]any{"items": items}}
		}
		desired := map[string]*fnv1.Resource{"source": {Resource: tagstest.Struct(from(other))}}
		want, named := byName(items)
		changed := map[string]map[string]any{}

		for _, name := range []string{"a", "b", "d"} {
			thing := func(metadata map[string]any, pools []any) map[string]any {
				return map[string]any{"apiVersion": "example.org/v1", "kind": "Thing", "metadata": metadata, "spec": map[string]any{"pools": pools}}
			}
			metadata, pools := drawMaps(t), drawItems(t, "pools of "+name)
			desired[name] = &fnv1.Resource{Resource: tagstest.Struct(thing(metadata, pools))}

			changes := give(metadata, want[name])

			for _, item := range pools {
				item, _ := item.(map[string]any)
				if key, _ := item["name"].(string); key != "" {
					changes = give(item, want[key]) || changes
				}
			}

			if changes {
				changed[name] = thing(metadata, pools)
			}
		}

		req := &fnv1.RunFunctionRequest{Observed: &fnv1.State{Composite: &fnv1.Resource{Resource: tagstest.Struct(from(xr))}}, Desired: &fnv1.State{Resources: desired}}

		got, err := copyAll(test, in, req)
		if (err == nil) != named {
			t.Fatalf("Copy(...): %v, but that all items with metadata have names is %t", err, named)
		}

		if err == nil {
			if diff := cmp.Diff(changed, got); diff != "" {
				t.Fatalf("Copy(...): -want, +got:\n%s", diff)
			}
		}
	})
}

// copyAll resolves and copies what the input says. It returns the changed resources.
func copyAll(t *testing.T, in *v1beta1.CloudTags, req *fnv1.RunFunctionRequest) (map[string]map[string]any, error) {
	t.Helper()

	set, err := resolve.Resolve(t.Context(), in, req, require.New(req), nil)
	if err != nil {
		return nil, fmt.Errorf("Resolve: %w", err)
	}

	s := &stamp.Stamper{Finder: locate.Finder{Input: in, NewLocator: byProfile}, Transformer: tags.NewTransformer(nil, nil)}

	r, err := Select(set.Metadata, targetsOf(t, s, req.GetDesired().GetResources()), s.Transformer).Copy(t.Context(), nil)
	if err != nil {
		return nil, fmt.Errorf("Copy: %w", err)
	}

	out := make(map[string]map[string]any, len(r.Changed))
	for name, o := range r.Changed {
		out[name] = o.Struct().AsMap()
	}

	return out, nil
}
