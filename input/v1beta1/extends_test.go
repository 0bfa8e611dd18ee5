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
			own := input(t, extends+"\n"+tc.Input)
			before, below := proto.CloneOf(own), proto.CloneOf(tc.Standard)

			in, err := (&v1beta1.Decoder{}).Join(t.Context(), nil, own, standardOf(tc.Standard))
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

			if !proto.Equal(before, own) || !proto.Equal(below, tc.Standard) {
				t.Errorf("\nNeither should be changed: %v, %v", own, tc.Standard)
			}
		})
	}
}

// TestDecodeExtends proves that the structure of an input is looked at before its standard is here, and
// nothing else.
func TestDecodeExtends(t *testing.T) {
	cases := map[string]struct {
		reason string
		input  string
		want   string
	}{
		"Alone":     {reason: "An input of extends alone is one.", input: ""},
		"OfBoth":    {reason: "What only both together can break should wait.", input: "sources: [{type: Expression, expressions: {a: required.zone.metadata.name}}]\ntoContextKey: crossplane.io/a"},
		"Structure": {reason: "A mistake in the structure should be told at once.", input: "keyprefix: a\nsources: [{type: Value}]", want: "unknown field"},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			in, err := v1beta1.Decode(input(t, extends+"\n"+tc.input))
			if !strings.Contains(message(err), tc.want) || (err == nil) != (tc.want == "") {
				t.Fatalf("\n%s\nDecode(...): want %q, got: %v", tc.reason, tc.want, err)
			}

			if err == nil && in.Extends == nil {
				t.Errorf("\n%s\nDecode(...): want extends", tc.reason)
			}
		})
	}
}

// drawable are values of fields of which inputs and standards are drawn. Some break rules, alone or together
// with others.
var drawable = map[string][]string{
	"provider":     {`{value: aws}`, `{fromFieldPath: spec.provider}`},
	"keyPrefix":    {`""`, `"acme:"`, `"plexsphere:"`},
	"keyFormats":   {`[{provider: gcp}]`, `[{provider: aws, prefix: "a:"}, {provider: gcp, lowercase: true}]`, `[{provider: hetzner, prefix: "a:"}]`, `[]`},
	"valueFormats": {`[{provider: gcp, lowercase: true}]`, `[{provider: azure, replace: {a: b}}, {provider: gcp}]`},
	"sources": {
		`[{type: Value, name: a, values: {a: "1"}}]`, `[{type: Value, name: b, values: {b: "1"}}, {type: Expression, expressions: {z: required.zone.metadata.name}}]`,
		`[{type: RequiredResource, name: zone, prefix: a/, resource: {apiVersion: v1, kind: A, name: {value: a}}}]`,
		`[{type: RequiredResource, name: zone, trusted: true, prefix: a/, resource: {apiVersion: v1, kind: A, name: {value: a}}}]`,
		`[{type: Value, values: {c: "1"}, include: {source: zone, fromFieldPath: spec.keys}}]`,
		`[{type: Value, trusted: true, values: {d: "1"}, include: {source: zone, fromFieldPath: spec.keys}}]`,
		`[{type: ContextField, contextKey: k, fromFieldPath: a}]`, `[{type: Value}]`,
	},
	"reservedKeys":       {`[a]`, `[a, "b*"]`},
	"reservedTags":       {`{aws: 3}`, `{aws: 1, gcp: 2}`},
	"limitPolicy":        {`ApplyStrict`, `ApplyPartial`},
	"resources":          {`[{kind: A}]`, `[{kind: B}, {name: x}]`},
	"tagFields":          {`[{apiVersion: v1, kind: A, shape: None}]`, `[{apiVersion: v1, kind: B, fieldPath: spec.a, shape: StringList}]`},
	"removeTags":         {`[{key: a}]`, `[{key: b}, {fromFieldPath: spec.a}]`},
	"ignoreTags":         {`[{key: a}]`, `[{key: "b*", onConflict: Retain}]`},
	"tagPolicy":          {`{rules: [{key: a}]}`, `{enforcement: Error, rules: [{key: b}, {key: c, required: false}]}`, `{enforcement: Warn, rules: [{key: d}]}`, `{enforcement: Error}`},
	"kubernetesMetadata": {`[{source: {type: CompositeMetadata}, select: {all: true}}]`, `[{source: {type: CompositeMetadata}, select: {prefixes: [a]}, copy: [Labels]}]`},
	"toContextKey":       {`k`, `crossplane.io/k`, `l`},
	"statusFieldPath":    {`status.tags`},
	"profileRules":       {`Cloud`, `Contract`},
	"launchedResources":  {`Tag`, `Leave`},
	"providerTags":       {`None`, `Reserve`},
	"fieldDiscovery":     {`Index`, `Schema`},
	"coverage":           {`{}`, `{keys: [a]}`},
	"ttl":                {`5m`, `1h`},
}

// drawn returns an input that was drawn, without apiVersion and kind: some of the fields that there are, or all of those
// that are given.
func drawn(t *rapid.T, name string, all ...string) map[string]any {
	out := make(map[string]any)
	fields, absent := all, 0

	if all == nil {
		fields, absent = slices.Sorted(maps.Keys(drawable)), 1
	}

	for _, field := range fields {
		if i := rapid.IntRange(-absent*len(drawable[field]), len(drawable[field])-1).Draw(t, name+"."+field); i >= 0 {
			var v any
			if err := yaml.Unmarshal([]byte(drawable[field][i]), &v); err != nil {
				t.Fatal(err)
			}

			out[field] = v
		}
	}

	return out
}

// fields returns an input of the right kind with these fields.
func fields(t *rapid.T, of map[string]any) *structpb.Struct {
	of = maps.Clone(of)
	of["apiVersion"], of["kind"] = v1beta1.APIVersion, v1beta1.Kind

	s, err := structpb.NewStruct(of)
	if err != nil {
		t.Fatal(err)
	}

	return s
}

// TestJoinProperty proves that a joined input is what somebody would write who had no standard.
func TestJoinProperty(t *testing.T) {
	d := &v1beta1.Decoder{}

	for f := range reflect.TypeFor[v1beta1.CloudTags]().Fields() {
		name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		if _, ok := drawable[name]; !ok && !slices.Contains([]string{"-", "", "extends"}, name) {
			t.Errorf("\nEach field should be drawn: %s isn't.", name)
		}
	}

	rapid.Check(t, func(t *rapid.T) {
		var all []string
		if rapid.Bool().Draw(t, "sources alone") { // Some read what others find, also those of a standard.
			all = []string{"sources"}
		}

		own, standard := drawn(t, "input", all...), drawn(t, "standard", all...)

		written, below, extending := fields(t, both(own, standard)), fields(t, standard), fields(t, own)
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
			return // What is broken alone is told before the standard is here.
		}

		refused := wantErr != nil || len(common(own, standard)) > 0
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
			if _, ok := own[strings.FieldsFunc(s.Path, func(r rune) bool { return r == '.' || r == '[' })[0]]; !ok && !s.Standard {
				t.Fatalf("\n%s should be the standard's.", s.Path)
			}
		}

		if kept, _ := d.Join(context.Background(), above, extending, standardOf(value)); kept != joined {
			t.Fatal("\nWhat was joined should be kept.")
		}
	})
}

// both is what somebody would write who had no standard.
func both(own, standard map[string]any) map[string]any {
	out := make(map[string]any)

	list := func(of map[string]any, name string) []any {
		l, _ := of[name].([]any)
		return l
	}
	set := func(name string, items []any) {
		if _, above := own[name]; above || standard[name] != nil {
			out[name] = items
		}
	}

	maps.Copy(out, standard)
	maps.Copy(out, own)

	for _, name := range []string{"sources", "kubernetesMetadata", "reservedKeys"} {
		set(name, slices.Concat(list(standard, name), list(own, name)))
	}

	for _, name := range []string{"tagFields", "removeTags", "ignoreTags"} {
		set(name, slices.Concat(list(own, name), list(standard, name)))
	}

	for _, name := range []string{"keyFormats", "valueFormats"} {
		provider := func(f any) any { return f.(map[string]any)["provider"] } //nolint:forcetypeassert // It is drawn so.
		kept := slices.DeleteFunc(slices.Clone(list(standard, name)), func(f any) bool {
			return slices.ContainsFunc(list(own, name), func(o any) bool { return provider(o) == provider(f) })
		})
		set(name, append(kept, list(own, name)...))
	}

	if own["limitPolicy"] == "ApplyStrict" || standard["limitPolicy"] == "ApplyStrict" {
		out["limitPolicy"] = "ApplyStrict"
	}

	above, _ := own["tagPolicy"].(map[string]any)
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
func common(own, standard map[string]any) (out []any) {
	names := func(of map[string]any) (out []any) {
		sources, _ := of["sources"].([]any)
		for _, s := range sources {
			if name := s.(map[string]any)["name"]; name != nil { //nolint:forcetypeassert // It is drawn so.
				out = append(out, name)
			}
		}

		return out
	}

	return slices.DeleteFunc(names(own), func(name any) bool { return !slices.Contains(names(standard), name) })
}
