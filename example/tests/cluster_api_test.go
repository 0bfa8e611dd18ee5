package tests

import (
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	k8syaml "k8s.io/apimachinery/pkg/util/yaml"
)

// places are maps of labels and annotations, by where they are: the name of a composed
// resource, or the kind of any other object, and the path of the field.
type places map[string]map[string]string

// A flow is what Cluster API propagates from a place to others.
type flow struct {
	from string
	to   []string

	// carries is true for the keys that are propagated. Without it, all are.
	carries func(key string) bool
}

// clusterAPIFlows is Cluster API's table of metadata propagation, in the order in which
// what is propagated takes precedence over what is there. It is
// docs/book/src/developer/architecture/controllers/metadata-propagation.md.
//
// A ControlPlane is a KubeadmControlPlane, an InfraMachine a DockerMachine, and a
// BootstrapConfig a KubeadmConfig. There are two MachineDeployments, worker and gpu-worker. The two kinds of Machines are
// those of the control plane and of the MachineSet of the former.
func clusterAPIFlows() []flow {
	var out []flow

	both := func(from string, to ...string) {
		for _, field := range []string{"labels", "annotations"} {
			f := flow{from: from + "." + field}
			for _, place := range to {
				f.to = append(f.to, place+"."+field)
			}

			out = append(out, f)
		}
	}

	// ClusterClass, over which Cluster Topology takes precedence.
	both("ClusterClass.spec.controlPlane.metadata", "control-plane.metadata", "control-plane.spec.machineTemplate.metadata")
	both("Cluster.spec.topology.controlPlane.metadata", "control-plane.metadata", "control-plane.spec.machineTemplate.metadata")
	both("ClusterClass.spec.workers.machineDeployments[1].template.metadata", "worker.metadata", "worker.spec.template.metadata")
	both("Cluster.spec.topology.machineDeployments[0].metadata", "worker.metadata", "worker.spec.template.metadata")
	both("ClusterClass.spec.workers.machineDeployments[0].template.metadata", "gpu-worker.metadata", "gpu-worker.spec.template.metadata")
	both("Cluster.spec.topology.machineDeployments[1].metadata", "gpu-worker.metadata", "gpu-worker.spec.template.metadata")

	// KubeadmControlPlane.
	both("control-plane.spec.machineTemplate.metadata", "control-plane-machine.metadata", "control-plane-infra-machine.metadata", "control-plane-bootstrap-config.metadata")

	// MachineDeployment.
	out = append(
		out,
		flow{from: "worker.metadata.annotations", to: []string{"machine-set.metadata.annotations"}},
		flow{from: "worker.spec.template.metadata.labels", to: []string{"machine-set.metadata.labels", "machine-set.spec.template.metadata.labels"}},
		flow{from: "worker.spec.template.metadata.annotations", to: []string{"machine-set.spec.template.metadata.annotations"}},
	)

	// MachineSet.
	both("machine-set.spec.template.metadata", "worker-machine.metadata", "worker-infra-machine.metadata", "worker-bootstrap-config.metadata")

	// Machine.
	return append(
		out,
		flow{from: "control-plane-machine.metadata.labels", to: []string{"control-plane-node.metadata.labels"}, carries: toNode},
		flow{from: "worker-machine.metadata.labels", to: []string{"worker-node.metadata.labels"}, carries: toNode},
	)
}

// toNode is true for the labels of Machines that Nodes get: those that have the domain
// node-role.kubernetes.io, or belong to one of two domains, as its subdomains do.
func toNode(key string) bool {
	domain, _, _ := strings.Cut(key, "/")
	belongs := func(to string) bool { return domain == to || strings.HasSuffix(domain, "."+to) }

	return domain == "node-role.kubernetes.io" || belongs("node-restriction.kubernetes.io") || belongs("node.cluster.x-k8s.io")
}

// TestClusterAPI tests that the composed resources of the scenario cluster-api have the labels
// and annotations that Cluster API would propagate to them, and no others. From each place it shows a key
// that is given nowhere else. TestScenarios tests that what the scenario expects is what the function does.
func TestClusterAPI(t *testing.T) {
	given, got := clusterAPI(t)
	want := make(places)

	for place, entries := range given {
		if !strings.HasPrefix(place, "Cluster") {
			want[place] = maps.Clone(entries)
		}
	}

	for _, f := range clusterAPIFlows() {
		single := func(key string) bool {
			n := 0

			for _, entries := range given {
				if _, ok := entries[key]; ok {
					n++
				}
			}

			return n == 1 && (f.carries == nil || f.carries(key))
		}

		if !slices.ContainsFunc(slices.Collect(maps.Keys(given[f.from])), single) {
			t.Errorf("%s has no key of its own that is propagated", f.from)
		}

		from := maps.Clone(want[f.from])
		if from == nil {
			from = maps.Clone(given[f.from])
		}

		maps.DeleteFunc(from, func(key, _ string) bool { return f.carries != nil && !f.carries(key) })

		for _, to := range f.to {
			if want[to] == nil {
				want[to] = make(map[string]string)
			}

			maps.Copy(want[to], from)
		}
	}

	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("labels and annotations of composed resources: -want, +got:\n%s", diff)
	}
}

// clusterAPI returns the labels and annotations that the scenario cluster-api is given,
// by its XR, its ClusterClass and the earlier step of its pipeline, and those that its
// composed resources get.
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

// annotationName is the annotation that says which composed resource an object is.
const annotationName = "crossplane.io/composition-resource-name"

// objects in a file of the scenario cluster-api.
func objects(t *testing.T, file ...string) []map[string]any {
	t.Helper()

	f, err := os.Open(filepath.Join("..", "metadata", "cluster-api", filepath.Join(file...)))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close() //nolint:errcheck // Only open for reading.

	return decode(t, f)
}

// decode the objects in a YAML text.
func decode(t *testing.T, text io.Reader) []map[string]any {
	t.Helper()

	var out []map[string]any

	for d := k8syaml.NewYAMLOrJSONDecoder(text, 4096); ; {
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
