package resolve_test

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"
	"google.golang.org/protobuf/types/known/structpb"
	"pgregory.net/rapid"

	"github.com/plexsphere/function-cloud-tags/tags/object"
	"github.com/plexsphere/function-cloud-tags/tags/tagstest"
)

// A choice is the part of a composite resource about its class, and what was picked before.
type choice struct {
	name     string            // Empty if it names none.
	labels   map[string]string // Nil if it has none.
	bound    bool
	recorded *candidate
}

// A candidate is a class. There are more than one composite resource selects.
type candidate struct {
	kind, namespace, name string
	labels                map[string]string
}

func (c *candidate) title() string { return c.kind + " " + c.namespace + "/" + c.name }

// has reports whether the class has all labels that are wanted.
func (c *candidate) has(wanted map[string]string) bool {
	for key, value := range wanted {
		if c.labels[key] != value {
			return false
		}
	}

	return true
}

// A selection is how an input selects classes.
type selection struct {
	named, unless, trusted, optional bool

	// labels says what matchLabels have: nothing, a field, a value, both, any or all.
	labels string

	// defaults reports whether there are defaultMatchLabels, and namespace the one to look in.
	defaults  bool
	namespace string
}

// The labels that inputs have.
var (
	valueLabels   = map[string]string{"region": "eu"}
	defaultLabels = map[string]string{"default": "true"}
)

// team is the namespace of composite resources.
const team = "team"

// picks returns the class that should be picked of all, or nil, and whether that is a failure.
func (s *selection) picks(c *choice, all []candidate) (picked *candidate, fails bool) {
	wanted, byName, known := map[string]string{}, s.named && c.name != "", true

	if !byName {
		if s.labels == "field" || s.labels == "both" || s.labels == "any" {
			maps.Copy(wanted, c.labels)
		}

		if s.labels == "value" || s.labels == "both" {
			maps.Copy(wanted, valueLabels)
		}

		anything := s.labels == "all" || s.labels == "any" && (c.labels != nil || !s.defaults)
		if len(wanted) == 0 && !anything {
			known = s.defaults
			maps.Copy(wanted, defaultLabels)
		}
	}

	var found []candidate

	for _, class := range all {
		switch {
		case !known:
		case byName && (class.name != c.name || class.namespace != "" && class.namespace != s.namespace):
		case !byName && s.namespace != "" && class.namespace != s.namespace:
		case !byName && s.trusted && s.namespace == "" && class.namespace != "":
		case !byName && !class.has(wanted):
		default:
			found = append(found, class)
		}
	}

	for _, class := range found {
		if c.recorded != nil && class.title() == c.recorded.title() {
			return &class, false
		}
	}

	switch {
	case s.unless && c.bound:
		return nil, false
	case len(found) == 0:
		return nil, !s.optional
	}

	out := slices.MinFunc(found, func(a, b candidate) int {
		return cmp.Or(strings.Compare(a.name, b.name), strings.Compare(a.namespace, b.namespace), strings.Compare(a.kind, b.kind))
	})

	return &out, false
}

// drawSelection draws how an input selects classes.
func drawSelection(t *rapid.T) *selection {
	s := &selection{
		named: rapid.Bool().Draw(t, "named"), unless: rapid.Bool().Draw(t, "unless"), trusted: rapid.Bool().Draw(t, "trusted"),
		optional:  rapid.Bool().Draw(t, "optional"),
		labels:    rapid.SampledFrom([]string{"", "field", "value", "both", "any", "all"}).Draw(t, "labels"),
		namespace: rapid.SampledFrom([]string{"", "platform", team}).Draw(t, "namespace"),
	}

	s.defaults = rapid.Bool().Draw(t, "defaults") || !s.named && s.labels == ""

	return s
}

// input of the selection.
func (s *selection) input() string {
	const field = `"fromFieldPath": "spec.selector"`

	value := fmt.Sprintf(`"value": {"region": %q}`, valueLabels["region"])
	labels := map[string]string{"field": field, "value": value, "both": field + ", " + value, "any": field + `, "empty": "Any"`, "all": `"all": true`}

	out := []string{`"kinds": [{"apiVersion": "a/v1", "kind": "A"}, {"apiVersion": "a/v1", "kind": "B"}]`}
	if s.named {
		out = append(out, `"name": {"fromFieldPath": "spec.className"}`)
	}

	if s.labels != "" {
		out = append(out, `"matchLabels": {`+labels[s.labels]+`}`)
	}

	if s.defaults {
		out = append(out, `"defaultMatchLabels": {"default": "true"}`)
	}

	if s.unless {
		out = append(out, `"unless": {"fromFieldPath": "spec.bound"}`)
	}

	switch s.namespace {
	case "":
	case team:
		out = append(out, `"namespace": {"fromFieldPath": "metadata.namespace"}`)
	default:
		out = append(out, fmt.Sprintf(`"namespace": {"value": %q}`, s.namespace))
	}

	policy := "Required"
	if s.optional {
		policy = "Optional"
	}

	return fmt.Sprintf(`"keyPrefix": "", "statusFieldPath": "status.cloudTags", "sources": [{
		"type": "RequiredResource", "name": "class", "pick": "One", "fromFieldPath": "spec.tags", "trusted": %t, "policy": {"fromFieldPath": %q}, "resource": {%s}
	}]`, s.trusted, policy, strings.Join(out, ", "))
}

// drawLabels draws labels of a class, or those that a composite resource selects.
func drawLabels(t *rapid.T, label string) map[string]string {
	out := map[string]string{}

	for _, values := range [][]string{{"grade", "", "gold", "silver"}, {"region", "", "eu", "us"}, {"default", "", "", "true"}} {
		if v := rapid.SampledFrom(values[1:]).Draw(t, label+" "+values[0]); v != "" {
			out[values[0]] = v
		}
	}

	return out
}

// drawCandidates draws classes.
func drawCandidates(t *rapid.T, label string) (out []candidate) {
	for _, kind := range []string{"A", "B"} {
		for _, namespace := range []string{"", "platform", team, evil} {
			for _, name := range []string{"c0", "c1", "c2"} {
				if rapid.IntRange(0, 3).Draw(t, label) == 0 {
					out = append(out, candidate{kind, namespace, name, drawLabels(t, label)})
				}
			}
		}
	}

	return out
}

// drawChoice draws a composite resource, and returns what it says and its object.
func drawChoice(t *rapid.T, all []candidate) (*choice, *structpb.Struct) {
	c, spec := &choice{}, map[string]any{}

	if name := rapid.SampledFrom([]any{nil, nil, "", "c0", "c1", "none"}).Draw(t, "className"); name != nil {
		c.name, _ = name.(string)
		spec["className"] = name
	}

	switch rapid.SampledFrom([]string{"absent", "null", "empty", "labels", "labels"}).Draw(t, "selector") {
	case "null":
		spec["selector"] = nil
	case "empty":
		c.labels, spec["selector"] = map[string]string{}, map[string]any{}
	case "labels":
		c.labels = drawLabels(t, "selector")
		spec["selector"] = asAny(c.labels)
	}

	if bound := rapid.SampledFrom([]any{"absent", nil, "", map[string]any{}, map[string]any{"name": "x"}}).Draw(t, "bound"); bound != "absent" {
		c.bound, spec["bound"] = bound != nil, bound
	}

	if len(all) > 0 && rapid.Bool().Draw(t, "recorded") {
		before := rapid.SampledFrom(all).Draw(t, "before")
		c.recorded = &before
	}

	xr := tagstest.MustStructJSON(fmt.Sprintf(`{"metadata": {"namespace": %q, "name": "x"}}`, team))
	xr.Fields["spec"] = must(structpb.NewValue(spec))

	return c, xr
}

// asAny is the map as JSON has it.
func asAny(texts map[string]string) map[string]any {
	out := make(map[string]any, len(texts))
	for key, value := range texts {
		out[key] = value
	}

	return out
}

// must returns v. It panics if there is an error.
func must[T any](v T, err error) T {
	if err != nil {
		panic(err) // It is JSON.
	}

	return v
}

// TestClasses picks classes by all that an input and a composite resource can say of them together.
func TestClasses(test *testing.T) {
	rapid.Check(test, func(t *rapid.T) {
		s := drawSelection(t)
		in := decode(test, s.input())
		all := drawCandidates(t, "classes")
		c, xr := drawChoice(t, all)

		// pick with what the status has recorded, and tell what is picked.
		pick := func(all []candidate) string {
			t.Helper()

			if recorded := c.recorded; recorded != nil {
				xr.Fields["status"] = must(structpb.NewValue(map[string]any{"cloudTags": map[string]any{"classes": map[string]any{
					"class": map[string]any{"apiVersion": "a/v1", "kind": recorded.kind, "namespace": recorded.namespace, "name": recorded.name},
				}}}))
			}

			var objects []*structpb.Struct
			for _, class := range all {
				o := tagstest.MustStructJSON(fmt.Sprintf(`{"apiVersion": "a/v1", "kind": %q, "metadata": {"name": %q}, "spec": {"tags": {"class": %q}}}`, class.kind, class.name, class.title()))
				metadata := o.GetFields()["metadata"].GetStructValue().GetFields()
				metadata["labels"] = must(structpb.NewValue(asAny(class.labels)))

				if class.namespace != "" {
					metadata["namespace"] = structpb.NewStringValue(class.namespace)
				}

				objects = append(objects, o)
			}

			set, calls, err := cluster{objects: rapid.Permutation(objects).Draw(t, "order")}.reconcile(in, request(xr))
			if len(calls) > 2 {
				t.Fatalf("\nWhat a class is selected by is known at once, so that the second call should settle.\nResolve(...): %d calls", len(calls))
			}

			got, labelled := "", ""
			if class, ok := set.Classes["class"]; ok {
				got = object.Kind(class) + " " + object.Namespace(class) + "/" + object.Name(class)
			}

			if len(set.Labels) > 0 {
				labelled = set.Labels[0].Value
			}

			want, fails := s.picks(c, all)

			title := ""
			if want != nil {
				title = want.title()
			}

			if diff := gocmp.Diff([]any{title, title, fails}, []any{got, labelled, err != nil}); diff != "" {
				t.Fatalf("\nThe class, its label, and whether it is a failure, should be those of the rules.\nResolve(...): %v: -want, +got:\n%s", err, diff)
			}

			if want != nil {
				c.recorded = want
			}

			return got
		}

		before := pick(all)
		if before == "" {
			return
		}

		// The composite resource may be bound meanwhile.
		if c.bound = rapid.Bool().Draw(t, "bound then"); c.bound {
			xr.Fields["spec"].GetStructValue().Fields["bound"] = structpb.NewStringValue("x")
		} else {
			delete(xr.GetFields()["spec"].GetStructValue().GetFields(), "bound")
		}

		others := slices.DeleteFunc(drawCandidates(t, "later"), func(class candidate) bool { return class.title() == before })
		if after := pick(append(others, *c.recorded)); after != before {
			t.Fatalf("\nA class that is still there and matches should stay picked, whatever else comes and goes.\nResolve(...): %s, before %s", after, before)
		}

		// Without it, the rules hold again.
		pick(others)
	})
}
