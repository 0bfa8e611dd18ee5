package v1beta1_test

import (
	"context"
	"maps"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/testing/protocmp"
	"google.golang.org/protobuf/types/known/structpb"
	"pgregory.net/rapid"
	"sigs.k8s.io/yaml"

	"github.com/crossplane/function-sdk-go/errors"

	"github.com/plexsphere/function-cloud-tags/input/v1beta1"
	"github.com/plexsphere/function-cloud-tags/tags/tagstest"
)

// extends is the field of an input that extends a standard.
const extends = `extends: {apiVersion: v1, kind: ConfigMap, name: tags, namespace: platform, fromFieldPath: data.tags}`

// standardOf returns a standard of any value.
func standardOf(v *structpb.Value) *v1beta1.Standard {
	return &v1beta1.Standard{Title: "ConfigMap platform/tags", Value: v}
}

// TestJoin joins the inputs of testdata/joined.yaml with their standards.
func TestJoin(t *testing.T) {
	var cases []struct {
		Name     string          `json:"name"`
		Reason   string          `json:"reason"`
		Input    string          `json:"input"`
		Standard *structpb.Value `json:"standard"`
	}
	tagstest.ReadYAML(t, "testdata/joined.yaml", &cases)

	g := tagstest.NewGolden(t)

	for _, tc := range cases {
		t.Run(tc.Name, func(t *testing.T) {
			step := input(t, extends+"\n"+tc.Input)
			before, below := proto.CloneOf(step), proto.CloneOf(tc.Standard)

			in, err := (&v1beta1.Decoder{}).Join(t.Context(), nil, step, standardOf(tc.Standard))
			got := []string{}

			switch {
			case errors.As(err, new(*v1beta1.StandardError)):
				got = append([]string{"the standard is broken"}, split(err)...)
			case err != nil:
				got = append([]string{"both together are invalid"}, split(err)...)
			default:
				for _, s := range in.Origins.Settings {
					line := s.Path + ": " + in.Where("%s", s.Path)
					if s.Overrides != "" {
						line += " instead of " + s.Overrides
					}

					got = append(got, line)
				}
			}

			g.Check(t, tc.Reason, got)

			if !proto.Equal(before, step) || !proto.Equal(below, tc.Standard) {
				t.Errorf("\nNeither should be changed: %v, %v", step, tc.Standard)
			}
		})
	}
}

// drawn returns an input that was drawn, without apiVersion and kind: some of the drawable fields, or all of those that
// are given.
func drawn(t *rapid.T, drawable map[string][]any, name string, all ...string) map[string]any {
	out := make(map[string]any)
	fields, absent := all, 0

	if all == nil {
		fields, absent = slices.Sorted(maps.Keys(drawable)), 1
	}

	for _, field := range fields {
		if i := rapid.IntRange(-absent*len(drawable[field]), len(drawable[field])-1).Draw(t, name+"."+field); i >= 0 {
			out[field] = drawable[field][i]
		}
	}

	return out
}

// fields returns an input of the right kind with these fields.
func fields(t *rapid.T, m map[string]any) *structpb.Struct {
	m = maps.Clone(m)
	m["apiVersion"], m["kind"] = v1beta1.APIVersion, v1beta1.Kind

	s, err := structpb.NewStruct(m)
	if err != nil {
		t.Fatal(err)
	}

	return s
}

// TestJoinProperty proves that a joined input equals an input with the settings of both.
func TestJoinProperty(t *testing.T) {
	d := &v1beta1.Decoder{}

	var drawable map[string][]any
	tagstest.ReadYAML(t, "testdata/drawable.yaml", &drawable)

	for f := range reflect.TypeFor[v1beta1.CloudTags]().Fields() {
		name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		if _, ok := drawable[name]; !ok && !slices.Contains([]string{"-", "", "extends"}, name) {
			t.Errorf("\nEach field should be drawn: %s isn't.", name)
		}
	}

	rapid.Check(t, func(t *rapid.T) {
		var all []string
		if rapid.Bool().Draw(t, "sources alone") { // Some sources read objects of others, also of a standard's sources.
			all = []string{"sources"}
		}

		upper, standard := drawn(t, drawable, "input", all...), drawn(t, drawable, "standard", all...)

		written, below, extending := fields(t, both(upper, standard)), fields(t, standard), fields(t, upper)
		extending.Fields["extends"] = fields(t, map[string]any{"extends": map[string]any{"apiVersion": "v1", "kind": "ConfigMap", "name": "tags", "fromFieldPath": "data.tags"}}).GetFields()["extends"]

		value := structpb.NewStructValue(below)
		if rapid.Bool().Draw(t, "text") {
			text, _ := yaml.Marshal(below.AsMap())
			value = structpb.NewStringValue(string(text))
		}

		above, alone := v1beta1.Decode(extending)
		joined, err := d.Join(context.Background(), above, extending, standardOf(value))
		want, wantErr := v1beta1.Decode(written)

		if alone != nil {
			return // A broken input is refused before its standard is here.
		}

		refused := wantErr != nil || len(common(upper, standard)) > 0
		if refused != (err != nil) {
			t.Fatalf("\nWhat is joined should be admitted as what is written out.\nJoin(...): %v\nDecode(...): %v", err, wantErr)
		}

		if err != nil {
			return
		}

		if diff := cmp.Diff(encoded(t, want), encoded(t, joined), protocmp.Transform()); diff != "" {
			t.Fatalf("\nWhat is joined should be what is written out.\nJoin(...): -want, +got:\n%s", diff)
		}

		for _, s := range joined.Origins.Settings {
			if _, ok := upper[strings.FieldsFunc(s.Path, func(r rune) bool { return r == '.' || r == '[' })[0]]; !ok && !s.Standard {
				t.Fatalf("\n%s should be the standard's.", s.Path)
			}
		}

		if kept, _ := d.Join(context.Background(), above, extending, standardOf(value)); kept != joined {
			t.Fatal("\nWhat was joined should be kept.")
		}
	})
}

// both returns an input that has all settings of both itself.
func both(upper, standard map[string]any) map[string]any {
	out := make(map[string]any)

	list := func(m map[string]any, name string) []any {
		l, _ := m[name].([]any)
		return l
	}
	set := func(name string, items []any) {
		if _, above := upper[name]; above || standard[name] != nil {
			out[name] = items
		}
	}

	maps.Copy(out, standard)
	maps.Copy(out, upper)

	for _, name := range []string{"sources", "kubernetesMetadata", "reservedKeys"} {
		set(name, slices.Concat(list(standard, name), list(upper, name)))
	}

	for _, name := range []string{"tagFields", "removeTags", "ignoreTags"} {
		set(name, slices.Concat(list(upper, name), list(standard, name)))
	}

	for _, name := range []string{"keyFormats", "valueFormats"} {
		provider := func(f any) any { return f.(map[string]any)["provider"] } //nolint:forcetypeassert // It is drawn so.
		kept := slices.DeleteFunc(slices.Clone(list(standard, name)), func(f any) bool {
			return slices.ContainsFunc(list(upper, name), func(o any) bool { return provider(o) == provider(f) })
		})
		set(name, append(kept, list(upper, name)...))
	}

	if upper["limitPolicy"] == "ApplyStrict" || standard["limitPolicy"] == "ApplyStrict" {
		out["limitPolicy"] = "ApplyStrict"
	}

	above, _ := upper["tagPolicy"].(map[string]any)
	below, _ := standard["tagPolicy"].(map[string]any)

	if above != nil && below != nil {
		policy := map[string]any{}
		if rules := slices.Concat(list(below, "rules"), list(above, "rules")); len(rules) > 0 {
			policy["rules"] = rules
		}

		if above["enforcement"] == "Error" || below["enforcement"] == "Error" {
			policy["enforcement"] = "Error"
		}

		out["tagPolicy"] = policy
	}

	return out
}

// common are the names that sources of both have.
func common(upper, standard map[string]any) (out []any) {
	names := func(m map[string]any) (out []any) {
		sources, _ := m["sources"].([]any)
		for _, s := range sources {
			if name := s.(map[string]any)["name"]; name != nil { //nolint:forcetypeassert // It is drawn so.
				out = append(out, name)
			}
		}

		return out
	}

	return slices.DeleteFunc(names(upper), func(name any) bool { return !slices.Contains(names(standard), name) })
}
