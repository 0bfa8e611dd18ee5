package main

import (
	"bytes"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"sigs.k8s.io/yaml"

	"github.com/plexsphere/function-cloud-tags/example/internal/live"
	"github.com/plexsphere/function-cloud-tags/input/v1beta1"
)

// TestScale runs the command with few XRs, whose provider config is watched.
func TestScale(t *testing.T) {
	if os.Getenv("CROSSPLANE") == "" {
		t.Skip("CROSSPLANE=1 go test ./example/scale runs a cluster.")
	}

	const xrs, resources = 10, 5

	c := &cli{XRs: xrs, Resources: resources, Source: providerConfig, Release: live.V2, Settled: time.Second, Quiet: time.Second}

	r, err := c.run(t.Context())
	if err != nil {
		t.Fatal(err)
	}

	one := &writes{Total: xrs * resources, Min: 1, Median: 1, Max: 1}
	none := &writes{}

	want := map[string]*writes{
		made: one, settled + " for 1s": none, edited: none, restarted: none, relabeled: one, counted: none,
		added: {Total: resources, Max: 1},
	}

	got := make(map[string]*writes)
	calls := make(map[string]int)

	for _, p := range r.Phases {
		got[p.Name], calls[p.Name] = p.OfResources, p.Calls
	}

	if diff := cmp.Diff(want, got, cmpopts.IgnoreUnexported(writes{}), cmpopts.IgnoreFields(writes{}, "Managers")); diff != "" {
		t.Errorf("writes of resources: -want, +got:\n%s", diff)
	}

	if diff := cmp.Diff(map[string]int{"apiextensions.crossplane.io/composed": xrs * resources}, r.Phases[0].OfResources.Managers); diff != "" {
		t.Errorf("who has written resources: -want, +got:\n%s", diff)
	}

	// All XRs are reconciled when any field of the config changes.
	for _, name := range []string{made, edited, restarted, relabeled, counted, added} {
		if calls[name] < xrs {
			t.Errorf("%s: want a call for each of %d XRs, got %d calls", name, xrs, calls[name])
		}
	}

	for _, name := range parts {
		if r.PeakBytes[name] == 0 || r.Phases[0].CPUSeconds[name] == 0 {
			t.Errorf("%s: want some CPU time and memory, got %.2f s and %d bytes", name, r.Phases[0].CPUSeconds[name], r.PeakBytes[name])
		}
	}

	var out bytes.Buffer
	if err := r.table(&out); err != nil {
		t.Fatal(err)
	}

	t.Log(out.String())
}

func TestTable(t *testing.T) {
	w := newWrites()
	w.add([]live.Write{{Managers: []string{"a", "b"}}, {Managers: []string{"a"}}})
	w.add(nil)
	w.add([]live.Write{{Managers: []string{"a"}}})
	w.sum()

	xrs := newWrites()
	xrs.add([]live.Write{{Managers: []string{"user"}}})
	xrs.sum()

	r := &report{
		Crossplane: "v2.4.0", Source: compositeField, XRs: 1, Resources: 3, Platform: "linux/amd64", Processors: 2,
		Time:      time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC),
		Phases:    []phase{{Name: made, TaggedSeconds: 1.25, QuietSeconds: 2.5, Calls: 3, CallsPerXR: 3, OfResources: w, OfXRs: xrs, CPUSeconds: map[string]float64{parts[0]: 0.5}, Unresponsive: 1}},
		PeakBytes: map[string]int{parts[0]: 12e6},
	}

	var out bytes.Buffer
	if err := r.table(&out); err != nil {
		t.Fatal(err)
	}

	want := `1 XRs of 3 resources, source composite-field, Crossplane v2.4.0, linux/amd64, 2 CPUs, 2026-01-02

when tagged after quiet after calls per XR writes of resources of each of each XR circuits open
XRs are made 1.2 s 2.5 s 3 3.0 3 0–1–2 1 1

CPU seconds when function-cloud-tags crossplane kube-apiserver etcd
XRs are made 0.5 0.0 0.0 0.0
peak MB 12 0 0 0

who has written when XRs are made resources XRs
a 2 0
a, b 1 0
user 0 1
`

	// Columns are as wide as they are.
	var got strings.Builder
	for line := range strings.Lines(out.String()) {
		got.WriteString(strings.Join(strings.Fields(line), " ") + "\n")
	}

	if diff := cmp.Diff(want, got.String()); diff != "" {
		t.Errorf("table(): -want, +got:\n%s", diff)
	}
}

// TestSource proves that the function accepts the input of each source, since a cluster is only run with one source.
func TestSource(t *testing.T) {
	for _, s := range []source{compositeField, providerConfig, requiredResource} {
		in := map[string]any{}
		if err := yaml.Unmarshal([]byte(s.input(time.Minute)), &in); err != nil {
			t.Fatal(err)
		}

		in["apiVersion"], in["kind"] = "cloudtags.fn.plexsphere.com/v1beta1", "CloudTags"

		if _, err := v1beta1.DecodeObject(in); err != nil {
			t.Errorf("%s: %v", s, err)
		}
	}
}
