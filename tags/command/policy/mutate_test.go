package policy

import (
	"bytes"
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"google.golang.org/protobuf/types/known/structpb"
	admissionv1 "k8s.io/api/admissionregistration/v1"
	"k8s.io/api/admissionregistration/v1beta1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/version"
	"k8s.io/apiserver/pkg/admission"
	"k8s.io/apiserver/pkg/admission/plugin/cel"
	"k8s.io/apiserver/pkg/admission/plugin/policy/mutating/patch"
	"k8s.io/apiserver/pkg/admission/plugin/webhook/matchconditions"
	"k8s.io/apiserver/pkg/admission/plugin/webhook/predicates/rules"
	celconfig "k8s.io/apiserver/pkg/apis/cel"
	"k8s.io/apiserver/pkg/cel/environment"
	"pgregory.net/rapid"
	"sigs.k8s.io/yaml"

	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"

	input "github.com/plexsphere/function-cloud-tags/input/v1beta1"
	"github.com/plexsphere/function-cloud-tags/tags/field"
	"github.com/plexsphere/function-cloud-tags/tags/object"
	"github.com/plexsphere/function-cloud-tags/tags/require"
	"github.com/plexsphere/function-cloud-tags/tags/resolve"
	"github.com/plexsphere/function-cloud-tags/tags/stamp"
	"github.com/plexsphere/function-cloud-tags/tags/tagstest"
	"github.com/plexsphere/function-cloud-tags/tags/tagstest/managed"
	"github.com/plexsphere/function-cloud-tags/tags/target"
	"github.com/plexsphere/function-cloud-tags/tags/words"
)

// A mutator is as much of the API server as changes objects: its rules, its CEL and its patches.
type mutator struct {
	policy     *v1beta1.MutatingAdmissionPolicy
	compiler   *cel.CompositedCompiler
	conditions matchconditions.Matcher
	patcher    patch.Patcher
}

// newMutators returns a mutator for each policy in the manifests, compiled as the API server does that is of the version behind the
// given one: it takes new expressions only of what the one before it knows.
func newMutators(tb rapid.TB, v *version.Version, manifests []byte) []*mutator {
	tb.Helper()

	docs := bytes.Split(manifests, []byte("\n---\n"))
	out := make([]*mutator, len(docs)/2)

	for i := range out {
		policy, binding := &v1beta1.MutatingAdmissionPolicy{}, &v1beta1.MutatingAdmissionPolicyBinding{}

		for at, into := range []any{policy, binding} {
			if err := yaml.UnmarshalStrict(docs[2*i+at], into); err != nil {
				tb.Fatal(err)
			}
		}

		if binding.Kind != "MutatingAdmissionPolicyBinding" || binding.Spec.PolicyName != policy.GetName() {
			tb.Fatalf("the binding of the policy %q should be behind it, not %v", policy.GetName(), binding)
		}

		out[i] = compileMutator(tb, v, policy)
	}

	return out
}

func compileMutator(tb rapid.TB, v *version.Version, policy *v1beta1.MutatingAdmissionPolicy) *mutator {
	tb.Helper()

	compiler := compilerOf(tb, v, words.Map(policy.Spec.Variables, func(v v1beta1.Variable) expression {
		return expression{name: v.Name, text: v.Expression, types: anyTypes}
	}))

	var conditions []cel.ExpressionAccessor
	for i := range policy.Spec.MatchConditions {
		conditions = append(conditions, (*matchconditions.MatchCondition)(&admissionv1.MatchCondition{
			Name: policy.Spec.MatchConditions[i].Name, Expression: policy.Spec.MatchConditions[i].Expression,
		}))
	}

	fail := admissionv1.Fail
	patches := vars
	patches.HasPatchTypes = true

	return &mutator{
		policy:     policy,
		compiler:   compiler,
		conditions: matchconditions.NewMatcher(compiler.CompileCondition(conditions, vars, environment.NewExpressions), &fail, "policy", "mutate", policy.Name),
		patcher: patch.NewJSONPatcher(compiler.CompileMutatingEvaluator(
			&patch.JSONPatchCondition{Expression: policy.Spec.Mutations[0].JSONPatch.Expression}, patches, environment.NewExpressions)),
	}
}

// mutated returns what the policies make of the object, and how many of them are for it.
func mutated(tb rapid.TB, mutators []*mutator, r *request, ns *corev1.Namespace) (out *unstructured.Unstructured, mutates int) {
	tb.Helper()

	out = r.object

	attributes := r.attributes()

	for _, m := range mutators {
		if !slices.ContainsFunc(m.policy.Spec.MatchConstraints.ResourceRules, func(rule v1beta1.NamedRuleWithOperations) bool {
			return (&rules.Matcher{Rule: rule.RuleWithOperations, Attr: attributes}).Matches()
		}) {
			continue
		}

		attr := r.versioned(tb)

		match := m.conditions.Match(context.Background(), attr, nil, nil)
		if match.Error != nil {
			tb.Fatalf("the policy should know what it is for, but: %v", match.Error)
		}

		if !match.Matches {
			continue
		}

		mutates++

		patched, err := m.patcher.Patch(m.compiler.CreateContext(context.Background()), patch.Request{
			MatchedResource: r.resource, VersionedAttributes: attr, Namespace: ns,
			ObjectInterfaces: admission.NewObjectInterfacesFromScheme(runtime.NewScheme()),
		}, celconfig.RuntimeCELCostBudget)
		if err != nil {
			tb.Fatalf("%s should come to a patch of %v, but: %v", m.policy.Name, r.object.Object, err)
		}

		out, _ = patched.(*unstructured.Unstructured)
	}

	return out, mutates
}

// stamped returns what the function makes of the object as a composed resource of one that has its metadata.
func stamped(tb rapid.TB, in *input.CloudTags, o *unstructured.Unstructured, ns *corev1.Namespace) (map[string]any, error) {
	tb.Helper()

	xr := tree(tb, map[string]any{"apiVersion": "platform.example.org/v1alpha1", "kind": "Zone", "metadata": o.Object["metadata"]})
	resource := tree(tb, o.Object)
	req := &fnv1.RunFunctionRequest{
		Meta:     &fnv1.RequestMeta{Capabilities: []fnv1.Capability{fnv1.Capability_CAPABILITY_CAPABILITIES, fnv1.Capability_CAPABILITY_REQUIRED_RESOURCES}},
		Observed: &fnv1.State{Composite: &fnv1.Resource{Resource: xr}},
		Desired:  &fnv1.State{Resources: map[string]*fnv1.Resource{"x": {Resource: resource}}},
	}

	content, err := runtime.DefaultUnstructuredConverter.ToUnstructured(ns)
	if err != nil {
		tb.Fatal(err)
	}

	required := require.New(req)
	if _, err := resolve.Resolve(context.Background(), in, req, required); err != nil {
		tb.Fatal(err)
	}

	required.Answer([]*structpb.Struct{tree(tb, content)})

	required = require.New(req)

	set, err := resolve.Resolve(context.Background(), in, req, required)
	if err != nil {
		tb.Fatal(err)
	}

	stamper := stamp.New(in, &set, req, required)

	targets, err := stamper.Targets(context.Background(), req.GetDesired().GetResources())
	if err != nil {
		tb.Fatal(err)
	}

	outcome, err := stamper.Stamp(context.Background(), targets)
	if err != nil {
		return nil, err
	}

	return stamp.Apply(req.GetDesired(), outcome.Changed).GetResources()["x"].GetResource().AsMap(), nil
}

func tree(tb rapid.TB, of map[string]any) *structpb.Struct {
	tb.Helper()

	out, err := structpb.NewStruct(runtime.DeepCopyJSON(of))
	if err != nil {
		tb.Fatal(err)
	}

	return out
}

// team is a namespace with the labels and annotations.
func team(labels, annotations map[string]string) *corev1.Namespace {
	return &corev1.Namespace{
		TypeMeta:   metav1.TypeMeta{APIVersion: "v1", Kind: "Namespace"},
		ObjectMeta: metav1.ObjectMeta{Name: "team-a", Labels: labels, Annotations: annotations},
	}
}

// known are the sources whose labels admission knows.
const known = `reservedKeys: [cost-center], sources: [
	{type: Value, values: {managed-by: platform, owner: nobody}},
	{type: RequiredResource, prefix: tags.example.org/, trusted: true, resource: {apiVersion: v1, kind: Namespace, name: {fromFieldPath: metadata.namespace}}},
	{type: CompositeMetadata, prefix: tags.example.org/, onConflict: Replace}
]`

// TestMutateEveryKind proves that an object of every kind of the index comes out tagged as the function tags it, or is left alone as the function
// leaves it. How many kinds there are of each is in the golden file.
func TestMutateEveryKind(t *testing.T) {
	if tagstest.Race {
		t.Skip("kinds come one after the other, so that there is no race to detect")
	}

	in := inputOf(t, known)
	mutators := newMutators(t, latest(), output(t, compositionOf(known), "--composition", "-", "--mutate"))
	counts := make(map[string]int)
	ns := team(map[string]string{prefix + "cost-center": "4711", prefix + "owner": "team-a", "other.example.org/x": "y"}, map[string]string{prefix + "owner": "Team A"})

	for gvk := range field.BuiltIn().All() {
		targets, _ := targetsOf(t, in, managed.Resource(gvk, &field.Field{Shape: field.None}, nil))
		located := targets.All[0]

		if !located.HasTags() {
			if _, mutates := mutated(t, mutators, creating(managed.Resource(gvk, &field.Field{Shape: field.None}, nil)), ns); mutates != 0 {
				t.Errorf("%v has no tag field, and should be changed by no policy, but is by %d", gvk, mutates)
			}

			counts["left alone: "+located.Why(located.Lacks)]++

			continue
		}

		compareMutated(t, in, mutators, withLabels(managed.Resource(gvk, located.Field, [][2]string{
			{"other", "x"}, {"cost-center", "1"}, {"plexsphere:env", "x"}, {"plexsphere_env", "x"}, {"plexsphere-env", "x"},
		})), ns, 1)

		counts["tagged: "+string(located.Field.Shape)]++

		if located.Field.Fixed || located.Field.Immutable {
			r := creating(managed.Resource(gvk, located.Field, nil))
			if r.old = r.object; true {
				if _, mutates := mutated(t, mutators, r, ns); mutates != 0 {
					t.Errorf("%v can't change, but %d policies change it", gvk, mutates)
				}
			}

			counts["of these, tagged only when they are made"]++
		}
	}

	var got []string
	for _, what := range sortedKeys(counts) {
		got = append(got, fmt.Sprintf("%d: %s", counts[what], what))
	}

	tagstest.NewGolden(t).Check(t, "Each kind of the index should be counted, by what becomes of it.", got)
}

// compareMutated compares what policies and the function make of the object.
func compareMutated(tb rapid.TB, in *input.CloudTags, mutators []*mutator, o *unstructured.Unstructured, ns *corev1.Namespace, policies int) {
	tb.Helper()
	o.SetNamespace(ns.GetName())

	want, err := stamped(tb, in, o, ns)
	if err != nil {
		return // A trusted label has no slot. Admission can't refuse.
	}

	got, mutates := mutated(tb, mutators, creating(o), ns)
	if diff := cmp.Diff(want, got.Object); diff != "" || mutates != policies {
		tb.Fatalf("%v %s should become what the function makes of it, by %d policies, but by %d (-function, +policy):\n%s", o.GroupVersionKind(), o.Object, policies, mutates, diff)
	}
}

// withLabels returns the object with labels and annotations of which some can't be tags everywhere.
func withLabels(o *unstructured.Unstructured) *unstructured.Unstructured {
	labels := o.GetLabels()
	if labels == nil {
		labels = make(map[string]string)
	}

	maps.Copy(labels, map[string]string{prefix + "env": "prod", prefix + "cost-center": "0"})
	o.SetLabels(labels)
	o.SetAnnotations(map[string]string{prefix + "long": strings.Repeat("long", 63), prefix + "a/b.c": "d"})

	return o
}

// TestMutateAgain proves of a kind of each policy that fields and what is around them are made, that tags with reserved keys go, and that policies
// leave alone what they have made.
func TestMutateAgain(t *testing.T) {
	in := inputOf(t, known)
	mutators := newMutators(t, latest(), output(t, compositionOf(known), "--composition", "-", "--mutate"))
	ns := team(map[string]string{prefix + "owner": "team-a"}, map[string]string{prefix + "owner": "Team A"})

	for _, gvk := range onePerPolicy(t) {
		f := locate(t, in, gvk)

		for _, o := range []*unstructured.Unstructured{managed.Resource(gvk, &field.Field{Shape: field.None}, nil), managed.Resource(gvk, f, nil), managed.Resource(gvk, f, [][2]string{{"COST-center", "1"}, {"Name", "y"}, {"plexsphere.owner", ""}})} {
			compareMutated(t, in, mutators, withLabels(o), ns, 1)

			if f.Fixed || f.Immutable {
				continue
			}

			made, _ := mutated(t, mutators, creating(o), ns)
			r := creating(made)
			r.old = o

			if again, _ := mutated(t, mutators, r, ns); !cmp.Equal(made.Object, again.Object) {
				t.Errorf("policies should leave alone what they have made:\n%s", cmp.Diff(made.Object, again.Object))
			}
		}
	}
}

// locate returns the tag field of the kind.
func locate(tb rapid.TB, in *input.CloudTags, gvk schema.GroupVersionKind) *field.Field {
	tb.Helper()

	targets, _ := targetsOf(tb, in, managed.Resource(gvk, &field.Field{Shape: field.None}, nil))

	return targets.All[0].Field
}

// TestMutateLeftAlone proves that policies leave alone what the function leaves alone whatever its kind.
func TestMutateLeftAlone(t *testing.T) {
	in := inputOf(t, known)
	mutators := newMutators(t, latest(), output(t, compositionOf(known), "--composition", "-", "--mutate"))

	for _, gvk := range onePerPolicy(t) {
		f := locate(t, in, gvk)
		ignored := managed.Resource(gvk, f, nil)
		ignored.SetAnnotations(map[string]string{target.IgnoreAnnotation: "true"})
		compareMutated(t, in, mutators, ignored, team(nil, nil), 0)

		family, _ := field.FamilyOf(gvk.GroupKind())
		adopted := managed.Resource(gvk, f, nil)

		if c, leaves := target.ControllerOf(gvk.Group); leaves {
			if err := unstructured.SetNestedField(adopted.Object, c.Value, words.Map(c.Path.Segments(), func(s object.Segment) string { return s.Field })...); err != nil {
				t.Fatal(err)
			}
		} else if family.Native {
			continue // Its controller can't be told to leave it alone.
		} else if err := unstructured.SetNestedSlice(adopted.Object, []any{"Observe", "LateInitialize"}, "spec", "managementPolicies"); err != nil {
			t.Fatal(err)
		}

		compareMutated(t, in, mutators, adopted, team(nil, nil), 0)
	}
}

// TestMutateTwins proves that policies do as the function does with keys that differ only in case.
func TestMutateTwins(t *testing.T) {
	const (
		ours   = `sources: [{type: Value, values: {a: b}, onConflict: Replace}]`
		theirs = `sources: [{type: RequiredResource, prefix: tags.example.org/, trusted: true, resource: {apiVersion: v1, kind: Namespace, name: {fromFieldPath: metadata.namespace}}}]`
		both   = `sources: [
			{type: Value, values: {A: x, "a:b": c}, onConflict: Replace},
			{type: RequiredResource, prefix: tags.example.org/, onConflict: Replace, resource: {apiVersion: v1, kind: Namespace, name: {fromFieldPath: metadata.namespace}}}
		]`
	)

	alerts := schema.GroupVersionKind{Group: "alertsmanagement.azure.com", Version: "v1api20230301", Kind: "PrometheusRuleGroup"}
	database := schema.GroupVersionKind{Group: "databases.databricks.crossplane.io", Version: "v1alpha1", Kind: "DatabaseInstance"}
	droplet := schema.GroupVersionKind{Group: "compute.do.crossplane.io", Version: "v1alpha1", Kind: "Droplet"}

	cases := map[string]struct {
		reason string
		kind   schema.GroupVersionKind
		input  string
		labels map[string]string
		there  [][2]string
	}{
		"Map":       {"A label replaces the first of a map's tags with its key, and the others go.", alerts, ours, nil, [][2]string{{"a", "x"}, {"c", "y"}, {"A", "z"}}},
		"List":      {"So it does in a list of strings.", droplet, ours, nil, [][2]string{{"a", "x"}, {"c", "y"}, {"A", "z"}}},
		"SameValue": {"Of several tags, the first becomes the label to the letter.", droplet, ours, nil, [][2]string{{"A", "b"}, {"c", "y"}, {"a", "z"}}},
		"OneOfBoth": {"Labels that differ in case are tags of their own in a list of strings: a tag is that of the label with its very key.", droplet, theirs, map[string]string{"a": "v", "A": "v"}, [][2]string{{"a", "x"}}},
		"NewBoth":   {"The provider takes two labels for one string, which is new.", droplet, theirs, map[string]string{"a": "v", "A": "v"}, nil},
		"Third":     {"A tag with neither key stays.", droplet, theirs, map[string]string{"ab": "v", "AB": "v"}, [][2]string{{"aB", "x"}}},
		"Becomes":   {"A tag goes if what it would become is there.", droplet, both, map[string]string{"a": "X"}, [][2]string{{"c", "y"}, {"a", "z"}, {"A", "x"}}},
		"Joined":    {"Keys can have the separator in them, and come to one string.", droplet, both, map[string]string{"a": "b:c"}, [][2]string{{"c", "y"}}},
		"Reserved":  {"A reserved key is spelled as the label has it, where the tag is.", droplet, `reservedKeys: [a], ` + theirs, map[string]string{"a": "v"}, [][2]string{{"A", "v"}, {"c", "y"}}},
		"KeyValues": {"So it is in a list of keys and values.", database, `reservedKeys: [a], ` + theirs, map[string]string{"a": "v"}, [][2]string{{"A", "v"}, {"c", "y"}}},
		"OfMap":     {"In a map it is another key.", alerts, `reservedKeys: [a], ` + theirs, map[string]string{"a": "v"}, [][2]string{{"A", "v"}, {"c", "y"}}},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			fields := `keyPrefix: "", ` + tc.input
			in := inputOf(t, fields)
			labels := make(map[string]string)

			for key, value := range tc.labels {
				labels[prefix+key] = value
			}

			mutators := newMutators(t, latest(), output(t, compositionOf(fields), "--composition", "-", "--mutate", "--match", tc.kind.GroupVersion().String()+"/"+tc.kind.Kind))
			compareMutated(t, in, mutators, managed.Resource(tc.kind, locate(t, in, tc.kind), tc.there), team(nil, labels), 1)
		})
	}
}

// texts are values of labels, some of which only annotations and inputs can have.
var texts = []string{"", "v", "V1", "a.b", "true", "it's", `"\n${x}\`, "a\n\tb", "é=ü, ß", "İſK", "{{.}}", " x ", "%s", "v:x", "\x00", strings.Repeat("é", 130)}

// TestMutateProperty compares what policies and the function make of objects, by inputs, labels and tags that are drawn.
func TestMutateProperty(t *testing.T) {
	kinds := onePerPolicy(t)

	rapid.Check(t, func(t *rapid.T) {
		gvk := rapid.SampledFrom(kinds).Draw(t, "kind")
		fields := fieldsOf(t, knownSources().Draw(t, "input"))
		in := inputOf(t, fields)
		f := locate(t, in, gvk)

		keys := []string{"a", "b", "ab", "A", "zone", "x.y", "Name", "k0", "k1"}
		drawn := func(name string) map[string]string {
			m := rapid.MapOfN(rapid.SampledFrom(keys), rapid.SampledFrom(texts), 0, 5).Draw(t, name)
			out := make(map[string]string, len(m))

			for key, value := range m {
				out[prefix+key] = value
			}

			return out
		}

		var there [][2]string
		for _, key := range rapid.SliceOfNDistinct(rapid.SampledFrom(keys), 0, 4, rapid.ID[string]).Draw(t, "there") {
			there = append(there, [2]string{rapid.SampledFrom([]string{"", in.KeyPrefix}).Draw(t, "with prefix") + key, "there"})
		}

		slices.SortFunc(there, func(a, b [2]string) int { return strings.Compare(a[0], b[0]) })

		// What removeTags names stays in the object.
		there = slices.DeleteFunc(there, func(t [2]string) bool { return len(in.RemoveTags) > 0 && strings.HasSuffix(t[0], "b") })

		o := managed.Resource(gvk, f, there)
		labels := drawn("labels")
		maps.Copy(labels, o.GetLabels())
		o.SetLabels(labels)
		o.SetAnnotations(drawn("annotations"))

		compareMutated(t, in, newMutators(t, latest(), output(t, compositionOf(fields), "--composition", "-", "--mutate", "--match", gvk.GroupVersion().String()+"/"+gvk.Kind)), o,
			team(drawn("namespace's labels"), drawn("namespace's annotations")), 1)
	})
}

// knownSources returns a generator of inputs whose sources admission knows.
func knownSources() *rapid.Generator[map[string]any] {
	return rapid.Custom(func(t *rapid.T) map[string]any {
		values := map[string]any{"zone": "x", rapid.SampledFrom([]string{"zone", "ab:v"}).Draw(t, "more"): "x"}
		for i := range rapid.SampledFrom([]int{0, 2, 70}).Draw(t, "values") {
			values[fmt.Sprintf("k%d", i)] = texts[i%len(texts)]
		}

		sources := []any{
			map[string]any{"type": "Value", "values": values},
			map[string]any{"type": "RequiredResource", "prefix": prefix, "trusted": rapid.Bool().Draw(t, "trusted"), "resource": map[string]any{
				"apiVersion": "v1", "kind": "Namespace", "name": map[string]any{"fromFieldPath": "metadata.namespace"},
			}},
			map[string]any{"type": "CompositeMetadata", "prefix": prefix},
		}

		for i, s := range rapid.Permutation(sources).Draw(t, "order") {
			s, _ := s.(map[string]any)
			s["onConflict"] = rapid.SampledFrom([]string{"Retain", "Replace"}).Draw(t, "onConflict")
			s["keyForm"] = rapid.SampledFrom([]string{"Qualified", "Qualified", "Tag"}).Draw(t, "form")

			if rapid.IntRange(0, 3).Draw(t, "included") == 0 {
				s["include"] = map[string]any{"keys": []string{"a*", "zone"}, "except": []string{"ab"}}
			}

			sources[i] = s
		}

		out := map[string]any{
			"sources": sources[:rapid.IntRange(1, 3).Draw(t, "sources")], "keyPrefix": rapid.SampledFrom([]string{"", "plexsphere:", "acme-"}).Draw(t, "prefix"),
			"reservedKeys": rapid.SampledFrom([][]string{{}, {"zone"}, {"a*"}}).Draw(t, "reserved"),
			"providerTags": rapid.SampledFrom([]string{"Reserve", "None"}).Draw(t, "provider's tags"), "profileRules": rapid.SampledFrom([]string{"Contract", "Cloud"}).Draw(t, "rules"),
		}

		if rapid.IntRange(0, 2).Draw(t, "removes") == 0 {
			out["removeTags"] = []any{map[string]any{"key": "b"}}
		}

		return out
	})
}
