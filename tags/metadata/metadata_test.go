package metadata

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"google.golang.org/protobuf/testing/protocmp"

	"github.com/crossplane/function-sdk-go/errors"
	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"

	"github.com/plexsphere/function-cloud-tags/input/v1beta1"
	"github.com/plexsphere/function-cloud-tags/tags"
	"github.com/plexsphere/function-cloud-tags/tags/budget"
	"github.com/plexsphere/function-cloud-tags/tags/field"
	"github.com/plexsphere/function-cloud-tags/tags/locate"
	"github.com/plexsphere/function-cloud-tags/tags/object"
	"github.com/plexsphere/function-cloud-tags/tags/resolve"
	"github.com/plexsphere/function-cloud-tags/tags/stamp"
	"github.com/plexsphere/function-cloud-tags/tags/tagstest"
)

// A world is what rules copy, and where to.
type world struct {
	// Rules of the input, and its other settings.
	Rules    []json.RawMessage `json:"rules"`
	Settings map[string]any    `json:"settings"`

	// Metadata by the position of the rule. Rules that have none copy nothing, or copy from composed
	// resources.
	Metadata []struct {
		Labels      map[string]string `json:"labels"`
		Annotations map[string]string `json:"annotations"`
	} `json:"metadata"`

	// Desired resources by name. Resources without an apiVersion and a kind are things.
	Desired map[string]map[string]any `json:"desired"`
}

// A copyCase has rules, metadata and resources, in the place of the file's.
type copyCase struct {
	world

	Name   string `json:"name"`
	Reason string `json:"reason"`
}

// A copyFile is cases, and the world of those that don't have their own.
type copyFile struct {
	world

	Cases []copyCase `json:"cases"`
}

// TestCopy copies by the cases of each file in testdata.
func TestCopy(t *testing.T) {
	tagstest.EachFile(t, "testdata/*.yaml", func(t *testing.T, file *copyFile, g *tagstest.Golden) {
		t.Helper()

		for _, tc := range file.Cases {
			t.Run(tc.Name, func(t *testing.T) { tc.run(t, file.world, g) })
		}
	})
}

// copied says what is in a result, line by line, or the error.
func copied(r *Copied, err error) []string {
	if err != nil {
		return []string{"error: " + err.Error()}
	}

	out := []string{}

	for _, name := range slices.Sorted(maps.Keys(r.Changed)) {
		fields := r.Changed[name].Struct().AsMap()
		delete(fields, "apiVersion")
		delete(fields, "kind")

		j, err := json.Marshal(fields)
		if err != nil {
			panic(err) // It was JSON.
		}

		out = append(out, fmt.Sprintf("%s: %s", name, j))
	}

	for _, n := range r.NotCopied {
		out = append(out, fmt.Sprintf("not copied by %d: %s", n.Entry, n.Why))
	}

	return out
}

// run runs the case in its own world, or else in the file's. It runs the case more than once, since maps have no order.
func (tc *copyCase) run(t *testing.T, w world, g *tagstest.Golden) {
	t.Helper()

	if tc.Rules != nil {
		w.Rules = tc.Rules
	}

	if tc.Metadata != nil {
		w.Metadata = tc.Metadata
	}

	if tc.Settings != nil {
		w.Settings = tc.Settings
	}

	if tc.Desired != nil {
		w.Desired = tc.Desired
	}

	settings := map[string]any{"apiVersion": v1beta1.APIVersion, "kind": v1beta1.Kind, "provider": map[string]any{"value": "aws"}, "kubernetesMetadata": w.Rules}
	maps.Copy(settings, w.Settings)

	in, err := v1beta1.Decode(tagstest.Struct(settings))
	if err != nil {
		t.Fatal(err)
	}

	rules := func() []resolve.Metadata {
		out := make([]resolve.Metadata, len(in.KubernetesMetadata))
		for i := range out {
			out[i].Entry, out[i].Path = &in.KubernetesMetadata[i], in.Where("kubernetesMetadata[%d]", i)
			if i < len(w.Metadata) {
				out[i].Labels, out[i].Annotations = resolve.ByItem{"": maps.Clone(w.Metadata[i].Labels)}, resolve.ByItem{"": maps.Clone(w.Metadata[i].Annotations)}
			}
		}

		return out
	}

	resources := func() map[string]*fnv1.Resource {
		out := make(map[string]*fnv1.Resource, len(w.Desired))

		for name, fields := range w.Desired {
			thing := map[string]any{"apiVersion": "example.org/v1", "kind": "Thing"}
			maps.Copy(thing, fields)
			out[name] = &fnv1.Resource{Resource: tagstest.Struct(thing)}
		}

		return out
	}

	before := in.DeepCopy()

	for range 5 {
		given, desired := rules(), resources()
		copies := Select(given, targetsOf(t, &stamp.Stamper{Finder: locate.Finder{Input: in, NewLocator: byProfile}, Transformer: tags.NewTransformer(nil, nil)}, desired), (&resolve.LabelSet{}).Transformer(in))

		g.Check(t, tc.Reason, copied(copies.Copy(t.Context(), nil)))

		if diff := cmp.Diff(resources(), desired, protocmp.Transform()); diff != "" {
			t.Fatalf("\n%s\nCopy(...) changed what is desired: -before, +after:\n%s", tc.Reason, diff)
		}

		if diff := cmp.Diff(rules(), given); diff != "" {
			t.Fatalf("\n%s\nCopy(...) changed the metadata: -before, +after:\n%s", tc.Reason, diff)
		}

		if diff := cmp.Diff(before, in); diff != "" {
			t.Fatalf("\n%s\nCopy(...) changed the input: -before, +after:\n%s", tc.Reason, diff)
		}
	}
}

// byProfile locates the usual fields of providers.
func byProfile(field.Schemas) field.Locator {
	return field.ByProfile{}
}

// targetsOf returns the targets of desired resources.
func targetsOf(t *testing.T, s *stamp.Stamper, desired map[string]*fnv1.Resource) *locate.Targets {
	t.Helper()

	targets, err := s.Targets(t.Context(), desired)
	if err != nil {
		t.Fatalf("Targets(...): %v", err)
	}

	return targets
}

// TestCopyBeforeStamp is about resources that get metadata, and tags.
func TestCopyBeforeStamp(t *testing.T) {
	in, err := v1beta1.Decode(tagstest.MustStructJSON(`{
		"apiVersion": "cloudtags.fn.plexsphere.com/v1beta1", "kind": "CloudTags", "provider": {"value": "aws"},
		"sources": [{"type": "Value", "values": {"team": "a"}}],
		"resources": [{"kind": "Thing"}],
		"kubernetesMetadata": [
			{"source": {"type": "CompositeMetadata"}, "select": {"all": true}, "copy": ["Labels"]},
			{"source": {"type": "ComposedResource", "name": "a", "labelsFieldPath": "spec.forProvider.tags"}, "select": {"all": true}, "copy": ["Labels"]}
		]
	}`))
	if err != nil {
		t.Fatal(err)
	}

	s := &stamp.Stamper{
		Finder: locate.Finder{
			Input:      in,
			NewLocator: byProfile,
		},
		Transformer: tags.NewTransformer([]tags.Label{{QualifiedKey: "team", TagKey: "team", Value: "a"}}, nil),
	}

	desired := map[string]string{
		"a": tagstest.Thing(`"spec": {"forProvider": {"tags": {"env": "prod"}}}`),
		"b": tagstest.Thing(`"spec": {"managementPolicies": ["Observe"], "forProvider": {}}`),
		"c": tagstest.Thing(`"metadata": {"annotations": {"` + locate.IgnoreAnnotation + `": "true"}}, "spec": {"forProvider": {}}`),
		"d": `{"apiVersion": "example.org/v1", "kind": "Other", "spec": {"forProvider": {}}}`,
		"e": tagstest.Thing(`"data": {}`),
	}

	const labels = `"metadata": {"labels": {"app": "shop", "env": "prod"}}`

	want := make(map[string]object.Object)

	for name, j := range map[string]string{
		"a": tagstest.Thing(labels + `, "spec": {"forProvider": {"tags": {"env": "prod", "team": "a"}}}`),
		"b": tagstest.Thing(labels + `, "spec": {"managementPolicies": ["Observe"], "forProvider": {}}`),
		"d": `{"apiVersion": "example.org/v1", "kind": "Other", ` + labels + `, "spec": {"forProvider": {}}}`,
		"e": tagstest.Thing(labels + `, "data": {}`),
	} {
		want[name] = object.FromStruct(tagstest.MustStructJSON(j))
	}

	resources := tagstest.Resources(desired)
	targets := targetsOf(t, s, resources)
	copies := Select([]resolve.Metadata{{Entry: &in.KubernetesMetadata[0], Labels: resolve.ByItem{"": {"app": "shop"}}}, {Entry: &in.KubernetesMetadata[1]}}, targets, s.Transformer)

	got, err := copies.Copy(t.Context(), nil)
	if err != nil {
		t.Fatalf("Copy(...): %v", err)
	}

	targets.UseCopies(got.Changed)

	out, err := s.Stamp(t.Context(), targets)
	if err != nil {
		t.Fatalf("Stamp(...): %v", err)
	}

	if diff := cmp.Diff(want, out.Changed, protocmp.Transform(), cmp.Transformer("tree", object.Object.Struct), cmpopts.EquateEmpty()); diff != "" {
		t.Errorf("\nMetadata should be copied before tags are stamped, and also to resources that aren't tagged.\nStamp(...): -want, +got:\n%s", diff)
	}

	if diff := cmp.Diff(tagstest.Resources(desired), resources, protocmp.Transform()); diff != "" {
		t.Errorf("\nWhat is desired should not be changed.\nCopy(...): -before, +after:\n%s", diff)
	}
}

// TestCopyTooMuch is about metadata that many items get.
func TestCopyTooMuch(t *testing.T) {
	in, err := v1beta1.Decode(tagstest.MustStructJSON(`{
		"apiVersion": "cloudtags.fn.plexsphere.com/v1beta1", "kind": "CloudTags",
		"kubernetesMetadata": [{"source": {"type": "CompositeMetadata"}, "select": {"all": true}, "copy": ["Annotations"], "toFieldPaths": {"annotations": ["spec.pools[*].annotations"]}}]
	}`))
	if err != nil {
		t.Fatal(err)
	}

	fits := budget.MaxResponse / 100
	for object.MapNode(map[string]object.Node{"note": object.TextNode(strings.Repeat("x", fits))}).Size() > budget.MaxResponse/100 {
		fits--
	}

	const refused = `cannot copy kubernetesMetadata[0]: to composed resource "a": spec.pools[99].annotations would add too much to the response: ` +
		`a run adds at most 4,194,304 bytes, since Crossplane takes no larger response: include fewer labels, select fewer keys, resources or items, ` +
		`or let nested composite resources compose a part of them`

	cases := map[string]struct {
		reason string
		size   int
		err    string
	}{
		"Fits":    {reason: "What a response may have is copied.", size: fits},
		"TooMuch": {reason: "One byte more in each item is refused, and nothing written. The error names resource and field.", size: fits + 1, err: refused},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			desired := tagstest.Resources(map[string]string{"a": tagstest.Thing(`"spec": {"pools": [` + strings.Repeat(`{},`, 99) + `{}]}`)})
			targets := targetsOf(t, &stamp.Stamper{Finder: locate.Finder{Input: in, NewLocator: byProfile}, Transformer: tags.NewTransformer(nil, nil)}, desired)

			rule := resolve.Metadata{Entry: &in.KubernetesMetadata[0], Path: "kubernetesMetadata[0]", Annotations: resolve.ByItem{"": {"note": strings.Repeat("x", tc.size)}}}

			out, err := Select([]resolve.Metadata{rule}, targets, tags.NewTransformer(nil, nil)).Copy(t.Context(), budget.New(budget.MaxResponse))
			if tagstest.Error(err) != tc.err || errors.As(err, new(*budget.ExceededError)) != (tc.err != "") || (err == nil) != (out != nil) {
				t.Errorf("\n%s\nCopy(...): got %v, %v", tc.reason, out, err)
			}
		})
	}

	targets := targetsOf(t, &stamp.Stamper{Finder: locate.Finder{Input: in, NewLocator: byProfile}, Transformer: tags.NewTransformer(nil, nil)}, tagstest.Resources(map[string]string{"a": tagstest.Thing(``)}))
	ctx, cancel := context.WithCancel(t.Context())
	cancel()

	copies := Select([]resolve.Metadata{{Entry: &in.KubernetesMetadata[0], Annotations: resolve.ByItem{"": {"note": "x"}}}}, targets, tags.NewTransformer(nil, nil))
	if _, err := copies.Copy(ctx, nil); !errors.Is(err, context.Canceled) {
		t.Errorf("Copy(...) for a client that has gone: want the error of the context, got %v", err)
	}
}

// TestCopyManyFail is about more metadata that is not copied than there is room to say.
func TestCopyManyFail(t *testing.T) {
	in, err := v1beta1.Decode(tagstest.MustStructJSON(`{
		"apiVersion": "cloudtags.fn.plexsphere.com/v1beta1", "kind": "CloudTags",
		"kubernetesMetadata": [
			{"source": {"type": "CompositeMetadata"}, "select": {"all": true}, "copy": ["Labels"]},
			{"source": {"type": "CompositeMetadata"}, "select": {"all": true}, "copy": ["Labels"]}
		]
	}`))
	if err != nil {
		t.Fatal(err)
	}

	given := []resolve.Metadata{{Entry: &in.KubernetesMetadata[0], Labels: resolve.ByItem{"": {}}}, {Entry: &in.KubernetesMetadata[1], Labels: resolve.ByItem{"": {"-": ""}}}}
	for i := range 1000 {
		given[0].Labels[""][fmt.Sprintf("-%03d", i)] = ""
	}

	targets := targetsOf(t, &stamp.Stamper{Finder: locate.Finder{Input: in, NewLocator: byProfile}, Transformer: tags.NewTransformer(nil, nil)}, tagstest.Resources(map[string]string{"a": tagstest.Thing(``)}))

	out, err := Select(given, targets, tags.NewTransformer(nil, nil)).Copy(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}

	var got []NotCopied
	for _, n := range out.NotCopied {
		if n.Why = strings.SplitN(n.Why, ":", 2)[0]; n.Why != "-000" && n.Why != "-063" && n.Why != "-" && n.More == 0 {
			continue
		}

		got = append(got, n)
	}

	want := []NotCopied{{Entry: 0, Why: "-000"}, {Entry: 0, Why: "-063"}, {Entry: 0, More: 936}, {Entry: 1, Why: "-"}}
	if diff := cmp.Diff(want, got); diff != "" || len(out.NotCopied) != 66 {
		t.Errorf("\nOf each rule, the first faults should be named, and the others counted.\nCopy(...): %d faults: -want, +got:\n%s", len(out.NotCopied), diff)
	}
}
