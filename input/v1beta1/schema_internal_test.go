package v1beta1

import (
	"bytes"
	"encoding/json"
	"iter"
	"maps"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"sigs.k8s.io/yaml"
)

// all schemas that the supplied one is made of.
func (s *schema) all() iter.Seq[*schema] {
	return func(yield func(*schema) bool) {
		if s == nil || !yield(s) {
			return
		}

		for _, of := range slices.Concat(slices.Collect(maps.Values(s.Properties)), []*schema{s.Items, s.AdditionalProperties}) {
			of.all()(yield)
		}
	}
}

// TestSchema proves that Go has what the CRD names, and nothing else.
func TestSchema(t *testing.T) {
	s := loadSchema()

	def := struct {
		Spec struct {
			Versions []struct{ Schema map[string]json.RawMessage }
		}
	}{}
	if err := yaml.Unmarshal(crd, &def); err != nil {
		t.Fatal(err)
	}

	d := json.NewDecoder(bytes.NewReader(def.Spec.Versions[0].Schema["openAPIV3Schema"]))
	d.DisallowUnknownFields()

	if err := d.Decode(&schema{}); err != nil {
		t.Errorf("\nGo should know every keyword of the CRD.\nDecode(...): %v", err)
	}

	named := map[string]map[string]bool{"types": {}, "rules": {}, "patterns": {}, "formats": {}}

	for of := range s.all() {
		named["types"][of.Type] = true
		named["formats"][of.Format] = true

		if max(of.MinLength, of.MinItems, of.MinProperties) > 1 {
			t.Errorf("\nOne should be enough, or the message says too little: %+v", of)
		}

		if of.Pattern != nil {
			named["patterns"][of.Pattern.String()] = true
		}

		for _, r := range of.Rules {
			named["rules"][r.Rule] = true
		}
	}

	known := map[string]map[string]bool{
		"types":    {"integer": true, "": true}, // Of no type is what can be anything.
		"rules":    keys(rules),
		"patterns": keys(patterns),
		"formats":  keys(formats),
	}
	maps.Copy(known["types"], keys(typeNames))
	maps.Copy(known["formats"], map[string]bool{"": true, "int32": true}) // All integers are of 32 bits.

	if diff := cmp.Diff(named, known); diff != "" {
		t.Errorf("\nGo should have what the CRD names: -CRD, +Go:\n%s", diff)
	}
}

func keys[V any](of map[string]V) map[string]bool {
	out := make(map[string]bool, len(of))
	for name := range of {
		out[name] = true
	}

	return out
}
