package v1beta1

import (
	"bytes"
	"encoding/json"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"google.golang.org/protobuf/types/known/structpb"
	"k8s.io/apimachinery/pkg/util/validation/field"
	"sigs.k8s.io/yaml"
)

// TestSchema proves that Go has all types, patterns and formats of the CRD, and no others.
func TestSchema(t *testing.T) {
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

	named := map[string]map[string]bool{"types": {}, "patterns": {}, "formats": {}}

	loadSchema().walk("", func(name string, s *schema) {
		if name == "contextKey" && len(s.checks) == 0 {
			t.Error("\nWhat reads a key of the context should be known to toContextKey.")
		}

		named["types"][s.Type] = true
		named["formats"][s.Format] = true

		if max(s.MinLength, s.MinItems, s.MinProperties) > 1 {
			t.Errorf("\nOne should be enough, or the message says too little: %+v", s)
		}

		if s.Pattern != nil {
			named["patterns"][s.Pattern.String()] = true
		}
	})

	known := map[string]map[string]bool{
		"types":    {"integer": true, "": true}, // A value without a type can be anything.
		"patterns": keys(patterns),
		"formats":  keys(formats),
	}
	maps.Copy(known["types"], keys(typeNames))
	maps.Copy(known["formats"], map[string]bool{"": true, "int32": true}) // All integers are of 32 bits.

	if diff := cmp.Diff(named, known); diff != "" {
		t.Errorf("\nGo should have what the CRD names: -CRD, +Go:\n%s", diff)
	}
}

// walk calls visit for s, the schema of the field with this name, and for all schemas in it. The items
// of a list and the values of a map have no name.
func (s *schema) walk(name string, visit func(name string, s *schema)) {
	if s == nil {
		return
	}

	visit(name, s)

	for name, property := range s.Properties {
		property.walk(name, visit)
	}

	s.Items.walk("", visit)
	s.AdditionalProperties.walk("", visit)
}

func keys[V any](m map[string]V) map[string]bool {
	out := make(map[string]bool, len(m))
	for name := range m {
		out[name] = true
	}

	return out
}

// TestRulesAreBounded proves that neither a rule nor an input keeps the function busy.
func TestRulesAreBounded(t *testing.T) {
	costly := condition{}
	if err := costly.UnmarshalText([]byte("!(self + self).contains(self + 'b') && !(self + self).contains(self + 'c')")); err != nil {
		t.Fatal(err)
	}

	if ok, cost := costly.holds(structpb.NewStringValue(strings.Repeat("a", 8000))); ok || cost < maxRulesCost {
		t.Errorf("\nA condition that costs too much should end, and not hold.\nholds(...): %t, %d", ok, cost)
	}

	if ok, cost := costly.holds(structpb.NewStringValue("a")); !ok || cost == 0 {
		t.Errorf("\nThe same condition should hold where it costs little.\nholds(...): %t, %d", ok, cost)
	}

	removed, err := structpb.NewValue(slices.Repeat([]any{map[string]any{"key": "a"}}, 1000))
	if err != nil {
		t.Fatal(err)
	}

	// This admission has spent nearly all: from the beginning it would take a second.
	a := admission{rulesCost: maxRulesCost - 1000, ended: t.Context().Err}
	a.value(field.NewPath("removeTags"), loadSchema().Properties["removeTags"], removed)

	if len(a.mistakes) != 1 || !strings.HasSuffix(a.mistakes[0].Error(), "from here on its rules are not checked") || a.rulesCost > maxRulesCost+100 {
		t.Errorf("\nAn input of many values should be refused once.\nvalue(...): cost %d, %d mistakes", a.rulesCost, len(a.mistakes))
	}

	for _, text := range []string{"self.", "self.a(", "other.a == 1"} {
		if err := new(condition).UnmarshalText([]byte(text)); err == nil {
			t.Errorf("\nA CRD whose rule is none should be refused.\nUnmarshalText(%q): want an error", text)
		}
	}
}
