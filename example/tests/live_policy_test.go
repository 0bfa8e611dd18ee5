package tests

import (
	"context"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"google.golang.org/protobuf/types/known/structpb"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"pgregory.net/rapid"

	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"

	"github.com/plexsphere/function-cloud-tags/example/internal/functions"
	"github.com/plexsphere/function-cloud-tags/example/internal/live"
	"github.com/plexsphere/function-cloud-tags/example/internal/scenario"
	conditions "github.com/plexsphere/function-cloud-tags/tags/report"
	"github.com/plexsphere/function-cloud-tags/tags/require"
	"github.com/plexsphere/function-cloud-tags/tags/tagstest"
)

// A judge is an input whose policy the API server has, and with which the function is called.
type judge struct {
	name      string
	composite string   // Kind that the Composition is for.
	input     string   // In YAML.
	flags     []string // Of policy.

	// kinds that the policy is for, with the namespace that their objects are in.
	kinds []judgedKind

	// keys and values that labels are drawn of. They are below the prefix in labels, and with these values in annotations,
	// or in the map spec.labels if there is no prefix.
	prefix              string
	keys, values, texts []string

	// refused has a label that is refused. If it is empty, none at all is.
	refused object
}

// A judgedKind has labels that the resource gets.
type judgedKind struct{ apiVersion, kind, namespace, resource string }

const (
	ofBucket = `{apiVersion: s3.aws.m.upbound.io/v1beta1, kind: Bucket, metadata: {namespace: default}, spec: {forProvider: {}, providerConfigRef: {kind: %s, name: judged}}}`
	ofDisk   = `{apiVersion: compute.gcp.m.upbound.io/v1beta1, kind: Disk, metadata: {namespace: default}, spec: {forProvider: {}}}`
	ofLegacy = `{apiVersion: s3.aws.upbound.io/v1beta1, kind: Bucket, spec: {forProvider: {}, providerConfigRef: {name: judged}}}`
)

// composites are composite resources of each scope, and claims, for the resource.
func composites(r live.Release, resource string) []judgedKind {
	const apiVersion = "platform.example.org/v1alpha1"

	stack := judgedKind{apiVersion, "Stack", "default", resource}
	if r == live.V1 {
		stack.namespace = ""
	}

	return []judgedKind{stack, {apiVersion, "LegacyStack", "", resource}, {apiVersion, "LegacyClaim", "default", resource}}
}

// judges are inputs with a map, of which one tag is required, another has few values, and few fit; with metadata whose keys
// and values are formatted; and with configs of providers.
func judges(r live.Release) []judge {
	const v1beta1 = "aws.m.upbound.io/v1beta1"

	configs := []judgedKind{{"aws.upbound.io/v1beta1", "ProviderConfig", "", ofLegacy}}
	if r != live.V1 { // v1 has no others.
		configs = append(configs,
			judgedKind{v1beta1, "ProviderConfig", "default", fmt.Sprintf(ofBucket, "ProviderConfig")}, judgedKind{v1beta1, "ClusterProviderConfig", "", fmt.Sprintf(ofBucket, "ClusterProviderConfig")})
	}

	var out []judge

	for _, k := range composites(r, fmt.Sprintf(ofBucket, "ClusterProviderConfig")) {
		j := judge{
			name: "map-" + strings.ToLower(k.kind), composite: k.kind, kinds: []judgedKind{k}, flags: []string{"--required", "--action", "Deny"},
			input: `{
				keyPrefix: "", profileRules: Cloud, reservedKeys: [cost-center], reservedTags: {aws: 42}, tagPolicy: {rules: [{key: owner}, {key: team, required: false, values: [a, "b*"]}]},
				sources: [{type: Value, values: {fixed: x}}, {type: CompositeField, fromFieldPath: spec.labels}]
			}`,
			keys:   []string{"owner", "owner", "owner", "Owner", "team", "Team", "cost-center", "Cost-Center", "fixed", "env", "a", "A", "a/b", "a b", "ü", "a#b", "aws:a", "AWS:a", "", strings.Repeat("k", 128), strings.Repeat("k", 129)},
			values: []string{"", "a", "a", "b1", "c", "ü", "a#b", strings.Repeat("v", 256), strings.Repeat("v", 257), strings.Repeat("ü", 256)},
		}

		// A Composition doesn't say what its composite resources are claimed by, so that nothing is required there.
		if k.kind == "LegacyClaim" {
			j.composite, j.flags, j.refused = "LegacyStack", nil, object{"cost-center": "a"}
			j.input = `{
				keyPrefix: "", profileRules: Cloud, reservedKeys: [cost-center], reservedTags: {aws: 42},
				sources: [{type: Value, values: {fixed: x}}, {type: CompositeField, fromFieldPath: spec.labels}]
			}`
		}

		out = append(out, j)
	}

	return append(out,
		judge{
			name: "metadata", composite: "Stack", kinds: composites(r, ofDisk), prefix: "judged.example.org/", refused: object{"zone": "a"},
			input: `{
				keyPrefix: "", profileRules: Cloud, reservedKeys: [zone, "entigo_*"], keyFormats: [{provider: gcp, replace: {".": _}, lowercase: true}], valueFormats: [{provider: gcp, lowercase: true}],
				sources: [{type: CompositeMetadata, prefix: judged.example.org/}]
			}`,
			keys:   []string{"env", "Env", "zone", "Zone", "zone.a", "entigo.x", "entigo_x", "ENTIGO.x", "a.b", "a_b", "x-y", "goog-x", "Goog.x", "9x", strings.Repeat("k", 63)},
			values: []string{"", "a", "A", "a_b", "a.b", "A-B"},
			texts:  []string{"", "a", "A", "a b", "ü", "Ü", strings.Repeat("v", 63), strings.Repeat("V", 64)},
		},
		judge{
			name: "config", composite: "Stack", kinds: configs, prefix: "judged.example.org/", refused: object{"aws.a": "b"},
			input: `{
				keyPrefix: "", profileRules: Cloud, reservedKeys: [cost-center], reservedTags: {aws: 44}, keyFormats: [{provider: aws, replace: {"aws.": "aws:"}}],
				sources: [{type: ProviderConfig, prefix: judged.example.org/, names: [judged], trusted: true, include: {except: ["x*"]}}]
			}`,
			keys:   []string{"cost-center", "cost-center", "COST-center", "a", "b", "c", "d", "xa", "x.b", "aws.a", "Aws.a"},
			values: []string{"", "a"},
			texts:  []string{"", "a b", "a#b", strings.Repeat("v", 256), strings.Repeat("v", 257)},
		},
	)
}

// testPolicyAgrees asks the API server and the function about the same objects.
func testPolicyAgrees(c live.Test) {
	root, err := scenario.Root()
	if err != nil {
		c.T.Fatal(err)
	}

	function := start(c.T, root).Functions[functions.CloudTags]
	all := judges(c.Release)

	for i := range all {
		all[i].apply(c)
	}

	rapid.Check(c.T, func(t *rapid.T) {
		j := &all[rapid.IntRange(0, len(all)-1).Draw(t, "input")]
		kind := rapid.SampledFrom(j.kinds).Draw(t, "kind")
		o := j.draw(t, kind)

		refused, err := j.refuses(c, o)
		if err != nil {
			t.Fatal(err)
		}

		switch said := j.ask(c, t, function, o, kind); {
		case slices.Contains(said, "KeyCollision"): // The policy doesn't know what collides.
		case (refused == "") != slices.Contains(said, conditions.ReasonAllPropagated):
			t.Fatalf("\nThe policy should refuse what the function can't make tags of, and nothing else.\nThe function says %q, and the API server %q of\n%v", said, refused, o.Object)
		}
	})
}

// step is the input of the function.
func (j *judge) step(c live.Test) object {
	in := live.Parse(c.T, j.input).Object
	in["apiVersion"], in["kind"] = "cloudtags.fn.plexsphere.com/v1beta1", "CloudTags"

	return in
}

// apply the policy of the input, and wait until it is in force.
func (j *judge) apply(c live.Test) {
	c.T.Helper()

	file := filepath.Join(c.T.TempDir(), "composition.yaml")

	composition := live.Composition("judged", array{}, j.step(c))
	live.Field[object](composition, "spec", "compositeTypeRef")["kind"] = j.composite

	tagstest.WriteFiles(c.T, map[string]string{file: marshal(c.T, composition.Object)})

	provider := map[bool]string{true: "gcp", false: "aws"}[j.name == "metadata"]
	args := append([]string{"--composition", file, "--name", "judged-" + j.name, "--provider", provider, "--selector", "judged=" + j.name}, j.flags...)

	for _, k := range j.kinds {
		args = append(args, "--match", k.apiVersion+"/"+k.kind)
	}

	applyPolicy(c, args...)

	for _, k := range j.kinds {
		live.Eventually(c.T, func() error {
			refused, err := j.refuses(c, j.object(k, j.refused, nil))
			if err == nil && refused == "" {
				err = fmt.Errorf("a %s that the policy refuses is accepted", k.kind)
			}

			return err
		})
	}
}

// refuses returns why the policy refuses to create the object, or nothing if it doesn't.
func (j *judge) refuses(c live.Test, o *unstructured.Unstructured) (string, error) {
	_, err := c.ClientFor(o).Create(c.T.Context(), o, metav1.CreateOptions{DryRun: []string{metav1.DryRunAll}})
	if err != nil && strings.Contains(err.Error(), "ValidatingAdmissionPolicy 'judged-"+j.name+"'") {
		return err.Error(), nil
	}

	return "", err
}

// object of the kind, with labels where the input reads them, and with annotations.
func (j *judge) object(k judgedKind, labels, annotations object) *unstructured.Unstructured {
	metadata := object{"name": "judged", "labels": object{"judged": j.name}, "annotations": object{}}
	o := &unstructured.Unstructured{Object: object{"apiVersion": k.apiVersion, "kind": k.kind, "metadata": metadata, "spec": object{}}}

	if k.namespace != "" {
		metadata["namespace"] = k.namespace
	}

	if j.prefix == "" {
		for key, value := range labels {
			_ = unstructured.SetNestedField(o.Object, value, "spec", "labels", key) // These are objects.
		}

		return o
	}

	for field, entries := range map[string]object{"labels": labels, "annotations": annotations} {
		for key, value := range entries {
			metadata[field].(object)[j.prefix+key] = value //nolint:forcetypeassert // It is one.
		}
	}

	return o
}

// draw an object of the kind.
func (j *judge) draw(t *rapid.T, k judgedKind) *unstructured.Unstructured {
	drawn := func(name string, values []string) object {
		out := object{}
		if len(values) == 0 {
			return out
		}

		for _, key := range rapid.SliceOfN(rapid.SampledFrom(j.keys), 0, 4).Draw(t, name) {
			out[key] = rapid.SampledFrom(values).Draw(t, "value")
		}

		return out
	}

	// Annotations with the keys of labels take their place, though the policy judges both.
	labels, annotations := drawn("labels", j.values), drawn("annotations", j.texts)
	maps.DeleteFunc(annotations, func(key string, _ any) bool { return labels[key] != nil })

	return j.object(k, labels, annotations)
}

// ask the function, and return the reasons of its condition and results.
func (j *judge) ask(c live.Test, t *rapid.T, f functions.Function, o *unstructured.Unstructured, k judgedKind) (reasons []string) {
	tree := tagstest.Struct(o.Object)

	rsp, err := called(t.Context(), f, &fnv1.RunFunctionRequest{
		Input:    tagstest.Struct(j.step(c)),
		Observed: &fnv1.State{Composite: &fnv1.Resource{Resource: tree}},
		Desired:  &fnv1.State{Resources: map[string]*fnv1.Resource{"resource": {Resource: tagstest.Struct(live.Parse(c.T, k.resource).Object)}}},
	}, tree)
	if err != nil {
		t.Fatal(err)
	}

	for _, condition := range rsp.GetConditions() {
		reasons = append(reasons, condition.GetReason())
	}

	for _, result := range rsp.GetResults() {
		reasons = append(reasons, result.GetReason())
	}

	return reasons
}

// called returns the function's answer once it has the objects that it requires.
func called(ctx context.Context, f functions.Function, req *fnv1.RunFunctionRequest, objects ...*structpb.Struct) (*fnv1.RunFunctionResponse, error) {
	req.Meta = &fnv1.RequestMeta{Capabilities: []fnv1.Capability{fnv1.Capability_CAPABILITY_CAPABILITIES, fnv1.Capability_CAPABILITY_REQUIRED_RESOURCES}}

	rsp, err := f.RunFunction(ctx, req)
	if err != nil || rsp.GetRequirements() == nil {
		return rsp, err
	}

	require.Answer(req, rsp.GetRequirements(), objects)

	return f.RunFunction(ctx, req)
}
