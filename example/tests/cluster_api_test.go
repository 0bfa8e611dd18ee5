package tests

import (
	"errors"
	"fmt"
	"io"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	k8syaml "k8s.io/apimachinery/pkg/util/yaml"

	"github.com/plexsphere/function-cloud-tags/tags/tagstest"
)

// places are maps of labels and annotations, by where they are: the name of a composed
// resource, or the kind of any other object, and the path of the field.
type places map[string]map[string]string

// A flow is a row of Cluster API's table of metadata propagation.
type flow struct {
	From string   `json:"from"`
	To   []string `json:"to"`

	// Only labels or only annotations are propagated. Without it, both are.
	Only string `json:"only"`

	// Node reports whether only the labels for Nodes are propagated.
	Node bool `json:"node"`
}

// carries reports whether a key is propagated.
func (f flow) carries(key string) bool { return !f.Node || toNode(key) }

// toNode reports whether Nodes get the label of their Machine: its domain is node-role.kubernetes.io, or one of two
// domains, or a subdomain of these.
func toNode(key string) bool {
	domain, _, _ := strings.Cut(key, "/")
	belongs := func(to string) bool { return domain == to || strings.HasSuffix(domain, "."+to) }

	return domain == "node-role.kubernetes.io" || belongs("node-restriction.kubernetes.io") || belongs("node.cluster.x-k8s.io")
}

// TestClusterAPI tests the labels and annotations of the composed resources in the scenario cluster-api: exactly those
// that Cluster API would propagate. Each place gives a key of its own. TestScenarios tests that the function gives
// the scenario's expected output.
func TestClusterAPI(t *testing.T) {
	given, got := clusterAPI(t)
	want := make(places)

	for place, entries := range given {
		if !strings.HasPrefix(place, "Cluster") {
			want[place] = maps.Clone(entries)
		}
	}

	var flows []flow

	tagstest.ReadYAML(t, filepath.Join("testdata", "cases", "cluster-api.yaml"), &flows)

	for _, f := range flows {
		for _, kind := range []string{"labels", "annotations"} {
			if f.Only == "" || f.Only == kind {
				want.propagate(t, f, kind, given)
			}
		}
	}

	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("labels and annotations of composed resources: -want, +got:\n%s", diff)
	}
}

// propagate adds the entries of a kind, labels or annotations, to the places of the flow.
func (p places) propagate(t *testing.T, f flow, kind string, given places) {
	t.Helper()

	place := f.From + "." + kind
	single := func(key string) bool {
		n := 0

		for _, entries := range given {
			if _, ok := entries[key]; ok {
				n++
			}
		}

		return n == 1 && f.carries(key)
	}

	if !slices.ContainsFunc(slices.Collect(maps.Keys(given[place])), single) {
		t.Errorf("%s has no key of its own that is propagated", place)
	}

	from := maps.Clone(p[place])
	if from == nil {
		from = maps.Clone(given[place])
	}

	maps.DeleteFunc(from, func(key, _ string) bool { return !f.carries(key) })

	for _, to := range f.To {
		to += "." + kind
		if p[to] == nil {
			p[to] = make(map[string]string)
		}

		maps.Copy(p[to], from)
	}
}

// clusterAPI returns the labels and annotations of the scenario cluster-api: given has the entries of
// its XR, its ClusterClass and the earlier step of its pipeline, and got the entries of its
// composed resources.
func clusterAPI(t *testing.T) (given, got places) {
	t.Helper()

	given, got = places{}, places{}

	for _, o := range slices.Concat(objects(t, "xr.yaml"), objects(t, "required", "clusterclass.yaml")) {
		given.add(t, fmt.Sprint(o["kind"]), o)
	}

	for _, o := range objects(t, "composition.yaml") {
		for _, resource := range list(t, o, "spec", "pipeline", 0, "input", "resources") {
			given.add(t, fmt.Sprint(at(t, resource, "name")), at(t, resource, "base"))
		}
	}

	for _, o := range objects(t, "expected.yaml") {
		if o["kind"] == "Cluster" || o["kind"] == "Result" {
			continue
		}

		name := fmt.Sprint(at(t, o, "metadata", "annotations", annotationName))
		got.add(t, name, o)

		// Crossplane's own are not of interest.
		delete(got[name+".metadata.annotations"], annotationName)
		delete(got[name+".metadata.labels"], "crossplane.io/composite")
	}

	maps.DeleteFunc(got, func(_ string, m map[string]string) bool { return len(m) == 0 })

	return given, got
}

// annotationName is the annotation with the name of a composed resource in the pipeline.
const annotationName = "crossplane.io/composition-resource-name"

// objects returns the objects in a file of the scenario cluster-api.
func objects(t *testing.T, file ...string) []map[string]any {
	t.Helper()

	return decode(t, read(t, filepath.Join("..", "metadata", "cluster-api", filepath.Join(file...))))
}

// decode returns the objects in a YAML text.
func decode(t *testing.T, text string) []map[string]any {
	t.Helper()

	var out []map[string]any

	for d := k8syaml.NewYAMLOrJSONDecoder(strings.NewReader(text), 4096); ; {
		var o map[string]any

		if err := d.Decode(&o); errors.Is(err, io.EOF) {
			return out
		} else if err != nil {
			t.Fatal(err)
		}

		if o != nil {
			out = append(out, o)
		}
	}
}

// at returns the value at a path of fields and indices.
func at(t *testing.T, v any, path ...any) any {
	t.Helper()

	for i, step := range path {
		switch step := step.(type) {
		case string:
			o, _ := v.(map[string]any)
			v = o[step]
		case int:
			items, _ := v.([]any)
			if step >= len(items) {
				t.Fatalf("there is no item %v", path[:i+1])
			}

			v = items[step]
		}

		if v == nil {
			t.Fatalf("there is no field %v", path[:i+1])
		}
	}

	return v
}

// list at a path of fields and indices.
func list(t *testing.T, v any, path ...any) []any {
	t.Helper()

	out, ok := at(t, v, path...).([]any)
	if !ok {
		t.Fatalf("%v is not a list", path)
	}

	return out
}

// add the labels and annotations in v, which is at path.
// They are in fields called metadata.
func (p places) add(t *testing.T, path string, v any) {
	t.Helper()

	switch v := v.(type) {
	case map[string]any:
		for name, field := range v {
			if name == "metadata" {
				p.addMetadata(t, path+".metadata", field)
			}

			p.add(t, path+"."+name, field)
		}
	case []any:
		for i, item := range v {
			p.add(t, fmt.Sprintf("%s[%d]", path, i), item)
		}
	}
}

func (p places) addMetadata(t *testing.T, path string, metadata any) {
	t.Helper()

	fields, _ := metadata.(map[string]any)

	for _, name := range []string{"labels", "annotations"} {
		entries, _ := fields[name].(map[string]any)
		if len(entries) == 0 {
			continue
		}

		m := map[string]string{}

		for key, value := range entries {
			s, ok := value.(string)
			if !ok {
				t.Fatalf("%s.%s has %s, which is not a string", path, name, key)
			}

			m[key] = s
		}

		p[path+"."+name] = m
	}
}
