package policy

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"google.golang.org/protobuf/types/known/structpb"
	admissionv1 "k8s.io/api/admissionregistration/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/version"
	"pgregory.net/rapid"

	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"

	"github.com/plexsphere/function-cloud-tags/input/v1beta1"
	"github.com/plexsphere/function-cloud-tags/tags"
	"github.com/plexsphere/function-cloud-tags/tags/field"
	"github.com/plexsphere/function-cloud-tags/tags/locate"
	"github.com/plexsphere/function-cloud-tags/tags/manifest"
	"github.com/plexsphere/function-cloud-tags/tags/object"
	"github.com/plexsphere/function-cloud-tags/tags/stamp"
	"github.com/plexsphere/function-cloud-tags/tags/tagpolicy"
	"github.com/plexsphere/function-cloud-tags/tags/tagstest"
	"github.com/plexsphere/function-cloud-tags/tags/tagstest/managed"
	"github.com/plexsphere/function-cloud-tags/tags/words"
)

// newServers returns a server for each policy in the manifests, with its binding.
func newServers(tb rapid.TB, manifests []byte) []*server {
	tb.Helper()

	docs := bytes.Split(manifests, []byte("\n---\n"))
	servers := make([]*server, len(docs)/2)

	for i := range servers {
		servers[i] = newServer(tb, bytes.Join(docs[2*i:2*i+2], []byte("\n---\n")))
	}

	return servers
}

// judge returns the rules that any of the policies finds broken by the request, and how many policies judge it.
func judge(tb rapid.TB, servers []*server, r *request) (messages []string, judges int) {
	tb.Helper()

	for _, s := range servers {
		if !s.matches(r) || !s.compiled.matches(tb, r) {
			continue
		}

		judges++
		refused, warnings := s.admit(tb, r)

		if messages = append(messages, warnings...); refused != "" {
			messages = append(messages, refused)
		}
	}

	return messages, judges
}

// A stage of the function: the resource as a target of it, and the transformer of labels' keys.
func targetsOf(tb rapid.TB, in *v1beta1.CloudTags, o *unstructured.Unstructured) (*locate.Targets, *tags.Transformer) {
	tb.Helper()

	tree, err := structpb.NewStruct(o.Object)
	if err != nil {
		tb.Fatal(err)
	}

	finder := &locate.Finder{
		Input:      in,
		NewLocator: func(schemas field.Schemas) field.Locator { return field.ForInput(in, schemas) },
		Schemas:    field.Schemas{Of: func(schema.GroupVersionKind) object.Node { return object.Node{} }},
	}

	targets, err := finder.Find(context.Background(), map[string]*fnv1.Resource{"x": {Resource: tree}}, true)
	if err != nil {
		tb.Fatal(err)
	}

	transformer := tags.NewTransformer(nil, in.KeyFormatsByProvider())
	transformer.Reserve(in.ReservedKeys, in.KeyPrefix, nil)

	return targets, transformer
}

// TestResourcesEveryKind proves that exactly one policy judges each kind of the index, as the function does: resources without tags, with
// the right tags, and with a wrong value. No policy judges kinds without a tag field. The golden file counts the kinds.
func TestResourcesEveryKind(t *testing.T) {
	if tagstest.Race {
		t.Skip("kinds come one after the other, so that there is no race to detect")
	}

	const input = `keyPrefix: "acme:", tagPolicy: {rules: [{key: owner, values: [team-*]}, {key: cost-center, matches: "[0-9]{4}"}]}`

	in := inputOf(t, input)
	servers := newServers(t, output(t, compositionOf(input), "--composition", "-", "--resources", "--action", "Warn"))
	counts := make(map[string]int)

	for gvk := range field.BuiltIn().All() {
		targets, transformer := targetsOf(t, in, untagged(gvk))
		located := targets.All[0]

		if !located.TakesTags() {
			if _, judges := judge(t, servers, creating(untagged(gvk))); judges != 0 {
				t.Errorf("%v has no tag field, and should be judged by no policy, but is by %d", gvk, judges)
			}

			why, _, _ := strings.Cut(located.WhyLeftAlone(located.NoFieldReason), ":") // Without the hint at the kind's own field.
			counts[why]++

			continue
		}

		d := transformer.Transform(located.Profile)
		key := func(label string) string {
			made, _ := d.Judge(tags.Label{QualifiedKey: label, TagKey: in.KeyPrefix + label})
			return made.Key
		}

		for _, pairs := range [][][2]string{
			nil,
			{{key("owner"), "team-a"}, {"other", "x"}, {key("cost-center"), "4711"}},
			{{key("owner"), "me"}, {strings.ToUpper(key("cost-center")), "4711"}},
		} {
			o := managed.Resource(gvk, located.Field, pairs)
			want := broken(t, in, o)

			got, judges := judge(t, servers, creating(o))
			if judges != 1 || len(got) != want {
				t.Errorf("%v with the tags %v should break %d rules by one policy, but breaks these by %d: %q", gvk, pairs, want, judges, got)
			}
		}

		counts["judged: "+string(located.Field.Shape)]++
	}

	var got []string
	for _, outcome := range sortedKeys(counts) {
		got = append(got, fmt.Sprintf("%d: %s", counts[outcome], outcome))
	}

	tagstest.NewGolden(t).Check(t, "Each kind of the index should be counted, by what becomes of it.", got)
}

// untagged returns an object of the kind without tags.
func untagged(gvk schema.GroupVersionKind) *unstructured.Unstructured {
	return managed.Resource(gvk, &field.Field{Layout: field.Layout{Shape: field.None}}, nil)
}

// inputOf returns the input with the fields.
func inputOf(tb rapid.TB, fields string) *v1beta1.CloudTags {
	tb.Helper()

	s, err := parse(tb, "--composition", "-").step(&manifest.Reader{Stdin: strings.NewReader(compositionOf(fields))})
	if err != nil {
		tb.Fatal(err)
	}

	return s.Input
}

// fieldOf returns the tag field of the kind.
func fieldOf(tb rapid.TB, in *v1beta1.CloudTags, gvk schema.GroupVersionKind) *field.Field {
	tb.Helper()

	targets, _ := targetsOf(tb, in, untagged(gvk))

	return targets.All[0].Field
}

// creating is the request to create the object.
func creating(o *unstructured.Unstructured) *request {
	gvk := o.GroupVersionKind()
	return &request{resource: gvk.GroupVersion().WithResource(strings.ToLower(gvk.Kind) + "s"), object: o}
}

// broken is how many rules of the tag policy the function finds the object to break.
func broken(tb rapid.TB, in *v1beta1.CloudTags, o *unstructured.Unstructured) int {
	tb.Helper()

	targets, transformer := targetsOf(tb, in, o)

	return len(tagpolicy.Violations(in, transformer, targets, nil, &stamp.Outcome{}))
}

// TestResourcesOfCluster proves that policies are for the kinds of a cluster alone.
func TestResourcesOfCluster(t *testing.T) {
	const definitions = "../../field/testdata/crds"

	input := `tagPolicy: {rules: [{key: owner}]}`
	in := inputOf(t, input)
	want := make(map[schema.GroupVersionKind]int)

	if err := (&manifest.Reader{}).Definitions([]string{definitions}, func(d manifest.Definition) {
		if targets, _ := targetsOf(t, in, untagged(d.GroupVersionKind)); targets.All[0].TakesTags() {
			want[d.GroupVersionKind] = 1
		}
	}); err != nil {
		t.Fatal(err)
	}

	servers := newServers(t, output(t, compositionOf(input), "--composition", "-", "--resources", "--crds", definitions))

	for gvk := range field.BuiltIn().All() {
		if _, judges := judge(t, servers, creating(untagged(gvk))); judges != want[gvk] {
			t.Errorf("%v should be judged by %d policies, but is by %d", gvk, want[gvk], judges)
		}
	}
}

// TestResources judges the objects of testdata/judged.yaml: how many policies judge each, and which rules it breaks.
func TestResources(t *testing.T) {
	var cases []struct {
		Name        string         `json:"name"`
		Reason      string         `json:"reason"`
		Input       string         `json:"input"`
		Args        []string       `json:"args"`
		Object, Old map[string]any // Old is the object before the update, if it is one.
	}

	tagstest.ReadYAML(t, "testdata/judged.yaml", &cases)

	g := tagstest.NewGolden(t)

	for _, tc := range cases {
		t.Run(tc.Name, func(t *testing.T) {
			servers := newServers(t, output(t, compositionOf(tc.Input), append([]string{"--composition", "-", "--resources"}, tc.Args...)...))

			r := creating(&unstructured.Unstructured{Object: tc.Object})
			if tc.Old != nil {
				r.old = &unstructured.Unstructured{Object: tc.Old}
			}

			got, judges := judge(t, servers, r)
			g.Check(t, tc.Reason, append([]string{fmt.Sprintf("judged by %d", judges)}, got...))

			// Only schemas of definitions, which targetsOf has not, and objects before an update make a difference.
			if tc.Old == nil && !slices.Contains(tc.Args, "--crds") && len(got) != broken(t, inputOf(t, tc.Input), r.object) {
				t.Errorf("the function should find as many rules broken, but finds %d", broken(t, inputOf(t, tc.Input), r.object))
			}
		})
	}
}

// TestActions proves that policies by a tagPolicy warn or refuse as the function does, unless --action says otherwise.
func TestActions(t *testing.T) {
	var cases []struct{ Name, Reason, Enforcement, Args string }

	tagstest.ReadYAML(t, "testdata/actions.yaml", &cases)

	g := tagstest.NewGolden(t)

	for _, tc := range cases {
		t.Run(tc.Name, func(t *testing.T) {
			rules := "rules: [{key: owner}]"
			if tc.Enforcement != "" {
				rules += ", enforcement: " + tc.Enforcement
			}

			c := &Command{}
			if err := tagstest.ParseArgs(c, append([]string{"--composition", "-"}, strings.Fields(tc.Args)...)); err != nil {
				g.Check(t, tc.Reason, []string{err.Error()})
				return
			}

			out := &bytes.Buffer{}
			if err := c.write(t.Context(), strings.NewReader(compositionOf("sources: [{type: CompositeMetadata, prefix: tags.example.org/}], tagPolicy: {"+rules+"}")), out); err != nil {
				t.Fatal(err)
			}

			_, binding := decodeManifests(t, out.Bytes())
			g.Check(t, tc.Reason, words.Map(binding.Spec.ValidationActions, func(a admissionv1.ValidationAction) string { return string(a) }))
		})
	}
}

// TestResourcesProperty compares the judgement of policies with the function's, for tags that are drawn. It proves that tags may stay as
// they were.
func TestResourcesProperty(t *testing.T) {
	kinds := onePerPolicy(t)

	rapid.Check(t, func(t *rapid.T) {
		input := map[string]any{
			"keyPrefix": rapid.OneOf(rapid.SampledFrom([]string{"", "plexsphere:", "acme-"}), joined(pieces, 2)).Draw(t, "prefix"),
			"tagPolicy": tagPolicies().Draw(t, "tag policy"), "profileRules": rapid.SampledFrom([]string{"Contract", "Cloud"}).Draw(t, "rules"),
		}
		gvk := rapid.SampledFrom(kinds).Draw(t, "kind")
		in := inputOf(t, fieldsOf(t, input))
		f := fieldOf(t, in, gvk)

		// Keys of a map, and keys of the rules.
		keys := rapid.OneOf(joined(pieces, 3), rapid.SampledFrom(ruleKeys(in)))
		pairs := rapid.Custom(func(t *rapid.T) (pairs [][2]string) {
			for range rapid.IntRange(0, 3).Draw(t, "tags") {
				key := rapid.SampledFrom([]string{"", "", in.KeyPrefix}).Draw(t, "with prefix") + keys.Draw(t, "key")
				key = rapid.SampledFrom([]func(string) string{strings.ToLower, strings.ToUpper, func(s string) string { return s }}).Draw(t, "case")(key)
				pairs = append(pairs, [2]string{key, joined(pieces, 2).Draw(t, "value")})
			}

			return pairs
		})
		drawn := rapid.Custom(func(t *rapid.T) *unstructured.Unstructured {
			o := managed.Resource(gvk, f, pairs.Draw(t, "in spec.forProvider"))

			if f.Path.String() != "spec.forProvider.tags" || !rapid.Bool().Draw(t, "has initial tags") {
				return o
			}

			if err := unstructured.SetNestedField(o.Object, managed.Shaped(f, pairs.Draw(t, "in spec.initProvider")), "spec", "initProvider", "tags"); err != nil {
				t.Fatal(err)
			}

			return o
		})

		o, old := drawn.Draw(t, "object"), drawn.Draw(t, "old object")
		servers := newServers(t, output(t, compositionOf(fieldsOf(t, input)), "--composition", "-", "--resources", "--action", "Warn", "--match", gvk.GroupVersion().String()+"/"+gvk.Kind))

		r := creating(o)
		if got, judges := judge(t, servers, r); judges != 1 || len(got) != broken(t, in, o) {
			t.Fatalf("%v should break %d rules, but by %d policies it breaks: %q", o.Object, broken(t, in, o), judges, got)
		}

		if r.old = o; true {
			if got, _ := judge(t, servers, r); len(got) > 0 {
				t.Fatalf("%v stays as it is, so that no rule should be broken, but: %q", o.Object, got)
			}
		}

		r.old = old
		if got, _ := judge(t, servers, r); len(got) > broken(t, in, o) {
			t.Fatalf("an update should break no more rules than there are broken, but: %q", got)
		}
	})
}

// fieldsOf an input as text.
func fieldsOf(tb rapid.TB, input map[string]any) string {
	tb.Helper()

	var out []string
	for _, key := range sortedKeys(input) {
		b, err := json.Marshal(input[key])
		if err != nil {
			tb.Fatal(err)
		}

		out = append(out, key+": "+string(b))
	}

	return strings.Join(out, ", ")
}

// ruleKeys are the keys of the rules of the input's tag policy.
func ruleKeys(in *v1beta1.CloudTags) (out []string) {
	for i := range in.TagPolicy.Rules {
		out = append(out, in.TagPolicy.Rules[i].Key)
	}

	return out
}

// onePerPolicy returns one kind for each policy that there can be.
func onePerPolicy(tb rapid.TB) []schema.GroupVersionKind {
	tb.Helper()

	var out []schema.GroupVersionKind

	s, err := parse(tb, "--composition", "-").step(&manifest.Reader{Stdin: strings.NewReader(compositionOf("tagPolicy: {rules: [{key: owner}]}"))})
	if err != nil {
		tb.Fatal(err)
	}

	fields, err := newPolicy(s.Input).tagFields(s, nil)
	if err != nil {
		tb.Fatal(err)
	}

	for _, f := range fields {
		out = append(out, f.kinds[0])
	}

	slices.SortFunc(out, field.Compare)

	return out
}

// TestResourcesOldestVersion compiles all policies as the first API server does that has ValidatingAdmissionPolicy of v1.
func TestResourcesOldestVersion(t *testing.T) {
	for _, s := range newServers(t, output(t, compositionOf(`keyPrefix: "Äcme-", tagPolicy: {rules: [{key: owner, values: ["team-*"], resources: [{matchLabels: {a: b}}]}]}`), "--composition", "-", "--resources")) {
		compileFor(t, version.MajorMinor(1, 30), s.policy)
	}
}

// TestResourcesCost judges as many and as long tags as a request can have. The API server stops at a cost, and then refuses.
func TestResourcesCost(t *testing.T) {
	rules := `{key: owner, values: ["team-*", x]}, {key: cost-center, matches: "(team-[a-z0-9.-]{1,200}|x)*"}`
	input := `keyPrefix: "Äcme-", tagPolicy: {rules: [` + rules + `]}`

	for _, kind := range []string{"s3.aws.m.upbound.io/v1beta1/Bucket", "azure.m.upbound.io/v1beta1/ResourceGroup", "droplet.digitalocean.m.crossplane.io/v1alpha1/Droplet"} {
		servers := newServers(t, output(t, compositionOf(input), "--composition", "-", "--resources", "--match", kind))

		i := strings.LastIndexByte(kind, '/')
		gvk := schema.FromAPIVersionAndKind(kind[:i], kind[i+1:])

		var pairs [][2]string
		for n := range 500 {
			pairs = append(pairs, [2]string{fmt.Sprintf("%0128d", n), strings.Repeat("é", 256)})
		}

		r := creating(managed.Resource(gvk, fieldOf(t, inputOf(t, input), gvk), pairs))
		r.old = managed.Resource(gvk, fieldOf(t, inputOf(t, input), gvk), nil)

		if _, judges := judge(t, servers, r); judges != 1 { // It fails if the cost is too much.
			t.Errorf("%s should be judged by one policy, but is by %d", kind, judges)
		}
	}
}

// TestResourcesOtherTypes proves that policies come to a decision even if a field has a value against the kind's schema. So people read
// the error of the schema.
func TestResourcesOtherTypes(t *testing.T) {
	fields := `tagPolicy: {rules: [{key: owner, values: [a]}]}`
	servers := newServers(t, output(t, compositionOf(fields), "--composition", "-", "--resources"))

	for _, gvk := range onePerPolicy(t) {
		f := fieldOf(t, inputOf(t, fields), gvk)
		if f.KubernetesLabels {
			continue // The API server reads metadata before it asks policies.
		}

		for _, v := range []any{true, int64(1), nil, []any{true}, map[string]any{"a": true}} {
			o := managed.Resource(gvk, &field.Field{Layout: field.Layout{Shape: field.KeyValueList}, Path: f.Path, Key: "a", Value: "b"}, nil)
			set(o.Object, f.Path.Segments(), v)

			entry := map[string]any{"owner": v, f.Key: v, f.Value: v}
			for _, v := range []any{v, entry, []any{v}, []any{entry}} {
				set(o.Object, f.Path.Segments(), v)
				judge(t, servers, creating(o))
			}
		}
	}
}

// set the value at the path, which is there.
func set(at any, path object.Segments, v any) {
	for i, sg := range path {
		switch in := at.(type) {
		case []any:
			if i == len(path)-1 {
				in[sg.Index] = v
			}

			at = in[sg.Index]
		case map[string]any:
			if i == len(path)-1 {
				in[sg.Field] = v
			}

			at = in[sg.Field]
		}
	}
}
