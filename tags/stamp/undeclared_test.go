package stamp

import (
	"encoding/json"
	"strings"
	"testing"

	"sigs.k8s.io/structured-merge-diff/v6/typed"

	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"

	"github.com/plexsphere/function-cloud-tags/input/v1beta1"
	"github.com/plexsphere/function-cloud-tags/tags/tagstest"
)

// TestUndeclared proves the row of the page of symptoms about a release of a provider that lacks the tag field: server-side
// apply refuses the resource in these words, but with fieldDiscovery: Schema the function writes nothing that the schema
// lacks.
func TestUndeclared(t *testing.T) {
	const refused = "field not declared in schema"

	page := tagstest.ReadFile(t, "../command/explain/README.md")

	row, found := "", false
	for line := range strings.Lines(string(page)) {
		if strings.HasPrefix(line, "| `Synced: … "+refused+"` |") {
			row, found = line, true
		}
	}

	if !found || !strings.Contains(row, "`fieldDiscovery: Schema`") {
		t.Errorf("want a row on the page of symptoms about %q with fieldDiscovery: Schema as the mend, got %q", refused, row)
	}

	older, err := typed.NewParser(typed.YAMLObject(`types:
- name: vpc
  map:
    fields:
    - {name: apiVersion, type: {scalar: string}}
    - {name: kind, type: {scalar: string}}
    - {name: spec, type: {map: {fields: [{name: forProvider, type: {map: {fields: [{name: region, type: {scalar: string}}]}}}]}}}
`))
	if err != nil {
		t.Fatal(err)
	}

	for discovery, want := range map[v1beta1.FieldDiscovery]string{v1beta1.FieldDiscoveryAuto: refused, v1beta1.FieldDiscoverySchema: ""} {
		tc := stampCase{
			Input:    v1beta1.CloudTags{FieldDiscovery: discovery},
			Labels:   map[string]string{"a": "1"},
			Resource: tagstest.MustStructJSON(`{"apiVersion": "ec2.aws.m.upbound.io/v1beta1", "kind": "VPC", "spec": {"forProvider": {"region": "a"}}}`),
			Schema:   map[string]json.RawMessage{"spec.forProvider.region": json.RawMessage(`{"type": "string"}`)},
		}
		desired := tc.desired()

		out, err := stampAll(tc.stamper(new([]string)), desired)
		if err != nil {
			t.Fatal(err)
		}

		applied := Apply(&fnv1.State{Resources: desired}, out.Changed).GetResources()["r"].GetResource().AsMap()

		_, err = older.Type("vpc").FromUnstructured(applied)
		if got := err; (got == nil) != (want == "") || got != nil && !strings.Contains(got.Error(), want) {
			t.Errorf("fieldDiscovery: %s: want the error %q of server-side apply, got %v of %v", discovery, want, got, applied)
		}
	}
}
