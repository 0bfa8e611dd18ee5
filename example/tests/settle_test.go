package tests

import (
	"context"
	"maps"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"google.golang.org/protobuf/types/known/structpb"
	"sigs.k8s.io/yaml"

	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"

	"github.com/plexsphere/function-cloud-tags/example/internal/engine"
	"github.com/plexsphere/function-cloud-tags/example/internal/functions"
)

// tree of a YAML text.
func tree(t *testing.T, text string) *structpb.Struct {
	t.Helper()

	j, err := yaml.YAMLToJSON([]byte(text))
	if err != nil {
		t.Fatal(err)
	}

	out := &structpb.Struct{}
	if err := out.UnmarshalJSON(j); err != nil {
		t.Fatal(err)
	}

	return out
}

// TestProviderConfigsSettle counts how often Crossplane calls the function until what it requires
// settles. It should require the same on each call, and be called at most once more than without
// a source of type ProviderConfig.
func TestProviderConfigsSettle(t *testing.T) {
	t.Parallel()

	const (
		v2      = `{name: v2, base: {apiVersion: s3.aws.m.upbound.io/v1beta1, kind: Bucket, spec: {forProvider: {}}}}`
		own     = `{name: own, base: {apiVersion: s3.aws.m.upbound.io/v1beta1, kind: Bucket, spec: {providerConfigRef: {kind: ProviderConfig, name: prod}, forProvider: {}}}}`
		shared  = `{name: shared, base: {apiVersion: s3.aws.m.upbound.io/v1beta1, kind: Bucket, spec: {providerConfigRef: {kind: ClusterProviderConfig, name: shared}, forProvider: {}}}}`
		v1      = `{name: v1, base: {apiVersion: ec2.aws.upbound.io/v1beta1, kind: VPC, spec: {forProvider: {}}}}`
		legacy  = `{name: legacy, base: {apiVersion: ec2.aws.upbound.io/v1beta1, kind: VPC, spec: {providerConfigRef: {name: legacy}, forProvider: {}}}}`
		unknown = `{name: unknown, base: {apiVersion: compute.acme.example.org/v1alpha1, kind: Machine, spec: {forProvider: {}}}}`

		field   = `{type: CompositeField, fromFieldPath: spec.labels}`
		another = `{type: RequiredResource, resource: {apiVersion: v1, kind: Namespace, name: {value: a}}, prefix: tags.example.org/}`
		config  = `{type: ProviderConfig, prefix: tags.example.org/}`

		byTags = `, resources: [{name: own-*, matchTags: {env: prod}}]`
		prod   = `{name: own-prod, base: {apiVersion: s3.aws.m.upbound.io/v1beta1, kind: Own, spec: {providerConfigRef: {kind: ClusterProviderConfig, name: shared}, forProvider: {tags: {env: prod}}}}}`
		test   = `{name: own-test, base: {apiVersion: s3.aws.m.upbound.io/v1beta1, kind: Own, spec: {forProvider: {tags: {env: test}}}}}`
		schema = `{components: {schemas: {Own: {type: object, x-kubernetes-group-version-kind: [{group: s3.aws.m.upbound.io, version: v1beta1, kind: Own}],
			properties: {spec: {type: object, properties: {forProvider: {type: object, properties: {tags: {type: object, additionalProperties: {type: string}}}}}}}}}}}`
	)

	cases := map[string]struct {
		reason    string
		resources string
		sources   string
		input     string // More fields of it.
		absent    bool

		// want are the names of the configs that are asked for, once each.
		want []string
	}{
		"V2":          {reason: "A reference that isn't there means default.", resources: v2, sources: field, want: []string{"ClusterProviderConfig default"}},
		"V1":          {reason: "Of v1, too.", resources: v1, sources: field, want: []string{"ProviderConfig default"}},
		"Namespaced":  {reason: "A config can be in the namespace of the resource.", resources: own, sources: field, want: []string{"ProviderConfig prod in a"}},
		"TwoAccounts": {reason: "Each config is asked for once, however many resources have it.", resources: own + "," + shared + "," + v2 + "," + v1 + "," + legacy, sources: field, want: []string{"ClusterProviderConfig default", "ClusterProviderConfig shared", "ProviderConfig default", "ProviderConfig legacy", "ProviderConfig prod in a"}},
		"Absent":      {reason: "What isn't there is asked for no more often.", resources: own + "," + legacy, sources: field, absent: true, want: []string{"ProviderConfig legacy", "ProviderConfig prod in a"}},
		"Schemas":     {reason: "Schemas are asked for at the same time.", resources: v2 + "," + unknown, sources: field, want: []string{"ClusterProviderConfig default"}},
		"Objects":     {reason: "Objects of other sources are, too.", resources: v2 + "," + legacy + "," + unknown, sources: field + "," + another, want: []string{"ClusterProviderConfig default", "ProviderConfig legacy"}},
		"Tags":        {reason: "A config is asked for before the schema says where the tags are that select its resource.", resources: prod + "," + legacy, sources: field, input: byTags, want: []string{"ClusterProviderConfig shared"}},
		"OtherTags":   {reason: "That of a resource which turns out to have other tags is asked for on each call.", resources: test + "," + legacy, sources: field, input: byTags, want: []string{"ClusterProviderConfig default"}},
	}

	root, _ := all(t)
	running := start(t, root)

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()

			in := engine.Input{Composite: tree(t, `{apiVersion: example.org/v1, kind: XR, metadata: {name: x, namespace: a}, spec: {labels: {a: b}}}`), Schemas: []*structpb.Struct{tree(t, schema)}}
			if !tc.absent {
				for _, o := range []string{
					`{apiVersion: v1, kind: Namespace, metadata: {name: a}}`,
					`{apiVersion: aws.m.upbound.io/v1beta1, kind: ClusterProviderConfig, metadata: {name: default, labels: {tags.example.org/account: x}}}`,
					`{apiVersion: aws.m.upbound.io/v1beta1, kind: ClusterProviderConfig, metadata: {name: shared}}`,
					`{apiVersion: aws.m.upbound.io/v1beta1, kind: ProviderConfig, metadata: {name: prod, namespace: a}}`,
					`{apiVersion: aws.upbound.io/v1beta1, kind: ProviderConfig, metadata: {name: legacy}}`,
				} {
					in.Required = append(in.Required, tree(t, o))
				}
			}

			calls := func(sources string) []*fnv1.Requirements {
				in.Composition = tree(t, `{metadata: {name: c}, spec: {compositeTypeRef: {apiVersion: example.org/v1, kind: XR}, mode: Pipeline, pipeline: [
					{step: make, functionRef: {name: function-test-resources}, input: {apiVersion: testfunction.example.org/v1, kind: Resources, resources: [`+tc.resources+`]}},
					{step: tag, functionRef: {name: function-cloud-tags}, input: {apiVersion: cloudtags.fn.plexsphere.com/v1beta1, kind: CloudTags, sources: [`+sources+`]`+tc.input+`}}]}}`)

				return required(t, in, running.Functions)
			}

			before, after := calls(tc.sources), calls(tc.sources+","+config)
			if len(after) > len(before)+1 {
				t.Errorf("\n%s\nwant at most %d calls, got %d", tc.reason, len(before)+1, len(after))
			}

			for i, r := range after {
				if diff := cmp.Diff(names(after[0]), names(r)); diff != "" {
					t.Errorf("\nEach call should require the same.\n-the first call, +call %d:\n%s", i+1, diff)
				}
			}

			if diff := cmp.Diff(tc.want, configs(after[0])); diff != "" {
				t.Errorf("\n%s\n-want configs, +got:\n%s", tc.reason, diff)
			}
		})
	}
}

// required returns what the function requires on each call.
func required(t *testing.T, in engine.Input, all map[string]functions.Function) (out []*fnv1.Requirements) {
	t.Helper()

	tag := all[functions.CloudTags]

	_, err := engine.Render(t.Context(), in, map[string]engine.Function{
		functions.TestResources: all[functions.TestResources],
		functions.CloudTags: functions.Func(func(ctx context.Context, req *fnv1.RunFunctionRequest) (*fnv1.RunFunctionResponse, error) {
			rsp, err := tag.RunFunction(ctx, req)
			out = append(out, rsp.GetRequirements())

			return rsp, err
		}),
	})
	if err != nil {
		t.Fatal(err)
	}

	return out
}

// names of all that is required.
func names(r *fnv1.Requirements) [][]string {
	return [][]string{slices.Sorted(maps.Keys(r.GetResources())), slices.Sorted(maps.Keys(r.GetSchemas())), slices.Sorted(maps.Keys(r.GetExtraResources()))} //nolint:staticcheck // It may still ask so.
}

// configs that are required.
func configs(r *fnv1.Requirements) (out []string) {
	for _, s := range r.GetResources() {
		if s.GetKind() == "Namespace" {
			continue
		}

		name := s.GetKind() + " " + s.GetMatchName()
		if s.GetNamespace() != "" {
			name += " in " + s.GetNamespace()
		}

		out = append(out, name)
	}

	slices.Sort(out)

	return out
}
