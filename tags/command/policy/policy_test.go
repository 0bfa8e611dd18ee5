package policy

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"reflect"
	"regexp"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/api/meta"
	apivalidation "k8s.io/apimachinery/pkg/api/validation"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	metav1validation "k8s.io/apimachinery/pkg/apis/meta/v1/validation"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/validation/field"
	"k8s.io/apimachinery/pkg/util/version"
	"k8s.io/client-go/kubernetes/scheme"
	"pgregory.net/rapid"

	"github.com/plexsphere/function-cloud-tags/tags/tagstest"
)

// prefix of the labels and annotations of most cases.
const prefix = "tags.example.org/"

// parse returns the command with the arguments.
func parse(tb rapid.TB, args ...string) *Command {
	tb.Helper()

	c := &Command{}

	if err := tagstest.ParseArgs(c, args); err != nil {
		tb.Fatal(err)
	}

	return c
}

// output of the command, which reads in as standard input.
func output(tb rapid.TB, in string, args ...string) []byte {
	tb.Helper()

	out := &bytes.Buffer{}
	if err := parse(tb, args...).write(context.Background(), strings.NewReader(in), out); err != nil {
		tb.Fatal(err)
	}

	return out.Bytes()
}

// compositionOf returns a Composition of Zones with a step whose input has the fields.
func compositionOf(input string) string {
	return tagstest.Composition("zone", "platform.example.org/v1alpha1", "Zone", input)
}

// resources by kind.
var resources = map[string]schema.GroupVersionResource{
	"Namespace":    {Version: "v1", Resource: "namespaces"},
	"ConfigMap":    {Version: "v1", Resource: "configmaps"},
	"Zone":         {Group: "platform.example.org", Version: "v1alpha1", Resource: "zones"},
	"Gateway":      {Group: "platform.example.org", Version: "v1alpha1", Resource: "gateways"},
	"Organization": {Group: "platform.example.org", Version: "v1alpha1", Resource: "organizations"},

	"ProviderConfig":        {Group: "aws.m.upbound.io", Version: "v1beta1", Resource: "providerconfigs"},
	"ClusterProviderConfig": {Group: "aws.m.upbound.io", Version: "v1beta1", Resource: "clusterproviderconfigs"},
}

// objectMeta is what an object is labelled with.
type objectMeta struct {
	Labels      map[string]string `json:"labels"`
	Annotations map[string]string `json:"annotations"`

	// Spec may have labels, too, and an object in a namespace may be another one than an object without.
	Spec      map[string]any `json:"spec"`
	Namespace string         `json:"namespace"`
}

// repeated text: <257*v> is v 257 times.
var repeated = regexp.MustCompile(`<(\d+)\*(.+?)>`)

// expand what stands for more in the metadata: repeated texts, and "50 keys" from k000 to k049. Keys without a
// slash get the usual prefix unless they begin as it does.
func (m objectMeta) expand() objectMeta {
	expanded := func(labels map[string]string) map[string]string {
		if labels == nil {
			return nil
		}

		repeat := func(s string) string {
			return repeated.ReplaceAllStringFunc(s, func(s string) string {
				parts := repeated.FindStringSubmatch(s)
				n, _ := strconv.Atoi(parts[1])

				return strings.Repeat(parts[2], n)
			})
		}

		out := make(map[string]string)

		for k, v := range labels {
			if n, ok := strings.CutSuffix(k, " keys"); ok {
				count, _ := strconv.Atoi(n)
				for k, v := range many(count, "k%03d", v) {
					out[k] = cmp.Or(labels[strings.TrimPrefix(k, prefix)], v)
				}

				continue
			}

			if k = repeat(k); !strings.Contains(k, "/") && !strings.HasPrefix(k, "tags") {
				k = prefix + k
			}

			out[k] = repeat(v)
		}

		return out
	}

	return objectMeta{Labels: expanded(m.Labels), Annotations: expanded(m.Annotations), Spec: runtime.DeepCopyJSON(m.Spec), Namespace: m.Namespace}
}

// objectOf returns an object of the kind with the metadata.
func objectOf(kind string, m objectMeta) *unstructured.Unstructured {
	o := &unstructured.Unstructured{}
	o.SetGroupVersionKind(resources[kind].GroupVersion().WithKind(kind))
	o.SetName("x")

	if kind == "ConfigMap" {
		o.SetNamespace("default")
	}

	if m.Labels != nil {
		o.SetLabels(m.Labels)
	}

	if m.Annotations != nil {
		o.SetAnnotations(m.Annotations)
	}

	if m.Spec != nil {
		o.Object["spec"] = m.Spec
	}

	if m.Namespace != "" {
		o.SetNamespace(m.Namespace)
	}

	return o
}

// many returns so many keys with the usual prefix, each of which the format makes of a number.
func many(n int, format, value string) map[string]string {
	out := make(map[string]string, n)
	for i := range n {
		out[prefix+fmt.Sprintf(format, i)] = value
	}

	return out
}

// An admissionCase is an object that a policy judges.
type admissionCase struct {
	objectMeta `json:",inline"`

	Reason      string `json:"reason"`
	Kind        string `json:"kind"` // Namespace by default.
	Subresource string `json:"subresource"`

	// Old is the object before the update, if it is one.
	Old *objectMeta `json:"old"`

	// Some says that the message names only some of the mistakes, by CEL's choice.
	Some bool `json:"some"`
}

// TestAdmission asks the policies of testdata/admission.yaml about objects.
func TestAdmission(t *testing.T) {
	var policies map[string]struct {
		Args  []string                 `json:"args"`
		Input string                   `json:"input"`
		Cases map[string]admissionCase `json:"cases"`
	}

	tagstest.ReadYAML(t, "testdata/admission.yaml", &policies)

	g := tagstest.NewGolden(t)

	for name, p := range policies {
		s := newServer(t, output(t, compositionOf(p.Input), p.Args...))

		for title, tc := range p.Cases {
			t.Run(name+"/"+title, func(t *testing.T) {
				kind := cmp.Or(tc.Kind, "Namespace")

				r := &request{resource: resources[kind], subresource: tc.Subresource, object: objectOf(kind, tc.expand())}
				if tc.Old != nil {
					r.old = objectOf(kind, tc.Old.expand())
				}

				refused, warnings := s.admit(t, r)

				mistakes := slices.Sorted(strings.SplitSeq(cmp.Or(refused, "admitted"), "; "))
				if tc.Some {
					mistakes = mistakes[:1]
				}

				g.Check(t, tc.Reason, append(mistakes, warnings...))

				// The API server validates objects before it asks policies.
				errs := metav1validation.ValidateLabels(r.object.GetLabels(), field.NewPath("labels"))
				errs = append(errs, apivalidation.ValidateAnnotations(r.object.GetAnnotations(), field.NewPath("annotations"))...)

				if len(errs) > 0 {
					t.Errorf("the case should be one that there can be, but: %v", errs.ToAggregate())
				}
			})
		}
	}
}

// anyMap is the map as objects have it.
func anyMap(m map[string]string) map[string]any {
	out := make(map[string]any, len(m))
	for k, v := range m {
		out[k] = v
	}

	return out
}

// everything is a policy of all providers and all that an input can say.
func everything(tb rapid.TB, rules string) []byte {
	tb.Helper()

	in := compositionOf(`keyPrefix: "Äcme-", profileRules: ` + rules + `, reservedKeys: ["Acme-zone", "x*"], keyFormats: [
			{provider: gcp, prefix: "acme_", replace: {ab: b, b: ab, ".": ""}, lowercase: true},
			{provider: azure, replace: {"\n\\": "'\""}, lowercase: true}
		], sources: [
			{type: CompositeMetadata, prefix: tags.example.org/},
			{type: CompositeMetadata, prefix: tag-keys.example.org/, keyForm: Tag, trusted: true},
			{type: CompositeMetadata, prefix: some.example.org/, include: {keys: ["a", "b*"]}},
			{type: RequiredResource, prefix: json.example.org/, encoding: JSON, include: {except: [owner]}, resource: {apiVersion: v1, kind: ConfigMap, name: {value: x}}},
			{type: RequiredResource, prefix: tags.example.org/, trusted: true, include: {except: [owner]}, resource: {apiVersion: v1, kind: Namespace, name: {value: x}}},
			{type: CompositeField, fromFieldPath: "spec.all[0].my-labels", encoding: Scalar},
			{type: Value, values: {fixed: x}, include: {except: [owner]}}
		], tagPolicy: {rules: [{key: owner, values: ["team-*", x]}, {key: owner, matches: "(team-[a-z0-9.-]{1,200}|x)*"}]}`)

	return output(tb, in, "--composition", "-", "--required", "--provider", "aws", "--provider", "azure", "--provider", "digitalocean", "--provider", "gcp",
		"--provider", "generic", "--provider", "hetzner", "--provider", "openstack")
}

// TestOldestVersion compiles policies as the first API server does that has ValidatingAdmissionPolicy of v1. Later
// ones know all that it knows.
func TestOldestVersion(t *testing.T) {
	for _, rules := range []string{"Contract", "Cloud"} {
		policy, _ := decodeManifests(t, everything(t, rules))
		refusals(t, compileFor(t, version.MajorMinor(1, 30), policy), &request{resource: resources["Zone"], object: objectOf("Zone", objectMeta{Labels: many(1, "k%03d", "v")})})
	}
}

// TestCost evaluates policies of all providers at once for objects with as much
// metadata as there can be. The API server stops at a cost, and then refuses.
func TestCost(t *testing.T) {
	cases := map[string]struct {
		reason   string
		kind     string
		metadata objectMeta
		old      *objectMeta
	}{
		"LongKeys":   {reason: "Long keys should not cost too much.", kind: "Zone", metadata: objectMeta{Labels: many(300, "%060d", strings.Repeat("v", 63))}},
		"LongValues": {reason: "As many and as long values as Kubernetes admits should not cost too much.", kind: "Zone", metadata: objectMeta{Annotations: many(900, "k%d", strings.Repeat("é", 127))}},
		"OneValue":   {reason: "A value as long as Kubernetes admits should not cost too much.", kind: "Zone", metadata: objectMeta{Annotations: many(1, "a%d", strings.Repeat("v", 250_000))}},
		"OneJSON": {
			reason: "A value as long as Kubernetes admits should not cost too much.", kind: "ConfigMap",
			metadata: objectMeta{Annotations: map[string]string{"json.example.org/a": `"` + strings.Repeat("v", 250_000) + `"`}},
		},
		"LongMap": {
			reason: "As many and as long values as there can be in a map that Kubernetes admits should not cost too much.", kind: "Zone",
			metadata: objectMeta{Spec: map[string]any{"all": []any{map[string]any{"my-labels": anyMap(many(900, "k%d", strings.Repeat("é", 127)))}}}},
		},
		"UnchangedValue": {
			reason: "To find that a long value is the same should not cost too much.", kind: "Zone",
			metadata: objectMeta{Labels: many(1, "b%d", "c"), Annotations: many(1, "a%d", strings.Repeat("v", 250_000))}, old: &objectMeta{Annotations: many(1, "a%d", strings.Repeat("v", 250_000))},
		},
	}

	// The clouds' own rules are the longer ones.
	policy, _ := decodeManifests(t, everything(t, "Cloud"))
	v := compileFor(t, latest(), policy)

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			r := &request{resource: resources[tc.kind], object: objectOf(tc.kind, tc.metadata)}
			if tc.old != nil {
				r.old = objectOf(tc.kind, *tc.old)
			}

			for _, m := range refusals(t, v, r) { // It fails if the cost is too much.
				if strings.Contains(m, "must be fit to be") || strings.Contains(m, "must be JSON") {
					t.Errorf("%s\nThe message should be one of the labels, but is: %s", tc.reason, m)
				}
			}
		})
	}
}

func TestDeterministic(t *testing.T) {
	want := string(everything(t, "Cloud"))

	for range 5 {
		if diff := gocmp.Diff(want, string(everything(t, "Cloud"))); diff != "" {
			t.Fatalf("the same flags should make the same policy (-one, +other):\n%s", diff)
		}
	}
}

// TestBuiltIn proves that kinds.txt has the kinds of Kubernetes, and that pluralOf returns their plurals.
func TestBuiltIn(t *testing.T) {
	want := []string{}

	for gvk, typ := range scheme.Scheme.AllKnownTypes() {
		// Lists and options have no labels.
		if _, ok := reflect.TypeAssert[metav1.Object](reflect.New(typ)); !ok {
			continue
		}

		want = appendUnique(want, gvk.Group+"/"+gvk.Kind)

		plural, _ := meta.UnsafeGuessKindToResource(gvk)
		if diff := gocmp.Diff(plural.Resource, pluralOf(gvk.Kind)); diff != "" {
			t.Errorf("\nThe plural should be the one that Kubernetes has.\npluralOf(%q): -want, +got:\n%s", gvk.Kind, diff)
		}
	}

	slices.Sort(want)

	comment, got, _ := strings.Cut(builtInKinds, "\n")
	if diff := gocmp.Diff(want, strings.Fields(got)); diff != "" || comment[0] != '#' {
		t.Errorf("\nkinds.txt should have all kinds of Kubernetes, by group, below a comment: -want, +got:\n%s", diff)
	}
}

// TestMain lets Go collect garbage less often: compiled policies live as long as the tests, and marking them takes a fifth of the time.
func TestMain(m *testing.M) {
	debug.SetGCPercent(400)
	m.Run()
}
