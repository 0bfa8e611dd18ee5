package require_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"google.golang.org/protobuf/encoding/protojson"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/testing/protocmp"
	"google.golang.org/protobuf/types/known/structpb"
	"k8s.io/apimachinery/pkg/runtime/schema"

	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"

	"github.com/plexsphere/function-cloud-tags/tags/object"
	"github.com/plexsphere/function-cloud-tags/tags/require"
	"github.com/plexsphere/function-cloud-tags/tags/tagstest"
	"github.com/plexsphere/function-cloud-tags/tags/words"
)

// capable returns the capabilities of a Crossplane that can do everything.
func capable() *fnv1.RequestMeta {
	return &fnv1.RequestMeta{Capabilities: []fnv1.Capability{
		fnv1.Capability_CAPABILITY_CAPABILITIES,
		fnv1.Capability_CAPABILITY_REQUIRED_RESOURCES,
		fnv1.Capability_CAPABILITY_REQUIRED_SCHEMAS,
	}}
}

func byName(name string, namespace ...string) *fnv1.ResourceSelector {
	s := &fnv1.ResourceSelector{ApiVersion: "v1", Kind: "ConfigMap", Match: &fnv1.ResourceSelector_MatchName{MatchName: name}}
	if len(namespace) > 0 {
		s.Namespace = &namespace[0]
	}

	return s
}

func byLabels(labels map[string]string, namespace ...string) *fnv1.ResourceSelector {
	s := &fnv1.ResourceSelector{ApiVersion: "v1", Kind: "ConfigMap", Match: &fnv1.ResourceSelector_MatchLabels{MatchLabels: &fnv1.MatchLabels{Labels: labels}}}
	if len(namespace) > 0 {
		s.Namespace = &namespace[0]
	}

	return s
}

// requirementsOf returns what r adds to a response.
func requirementsOf(r *require.Requirements) *fnv1.Requirements {
	rsp := &fnv1.RunFunctionResponse{}
	r.AddTo(rsp)

	return rsp.GetRequirements()
}

// nameOf returns the name under which a selector is required.
func nameOf(tb testing.TB, s *fnv1.ResourceSelector) string {
	tb.Helper()

	r := require.New(&fnv1.RunFunctionRequest{Meta: capable()})
	r.Resources(s)

	names := slices.Collect(maps.Keys(requirementsOf(r).GetResources()))
	if len(names) != 1 {
		tb.Fatalf("Resources(%v) should require one thing, got %v", s, names)
	}

	return names[0]
}

// nameOfSchema returns the name under which the schema of a kind is required.
func nameOfSchema(tb testing.TB, k schema.GroupVersionKind) string {
	tb.Helper()

	r := require.New(&fnv1.RunFunctionRequest{Meta: capable()})
	r.RequireSchemas(slices.Values([]schema.GroupVersionKind{k}))

	names := slices.Collect(maps.Keys(requirementsOf(r).GetSchemas()))
	if len(names) != 1 {
		tb.Fatalf("Schema(%v) should require one thing, got %v", k, names)
	}

	return names[0]
}

// thing returns a labelled ConfigMap as an item of an answer.
func thing(namespace, name string) string {
	return fmt.Sprintf(`{"resource": {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"namespace": %q, "name": %q, "labels": {"tags": "yes"}}}}`, namespace, name)
}

func TestNothingRequired(t *testing.T) {
	r := require.New(&fnv1.RunFunctionRequest{Meta: capable()})

	if r.Waiting() {
		t.Error("\nWho requires nothing should not wait.\nWaiting(): true")
	}

	if got := requirementsOf(r); got != nil {
		t.Errorf("\nIf nothing is required, requirements should be nil, or Crossplane calls twice.\nAddTo(...): %v", got)
	}
}

// An askCase is a request, and what is asked of it.
type askCase struct {
	Name   string `json:"name"`
	Reason string `json:"reason"`

	// Request as JSON, with a $ before names of the test. Crossplane can do everything, unless the request
	// has capabilities, or Old is true: then Crossplane names none.
	Request json.RawMessage `json:"request"`
	Old     bool            `json:"old"`

	// Nil makes empty answers, and empty items of answers, nil.
	Nil bool `json:"nil"`

	// DontAsk is for a call that requires no schema.
	DontAsk bool `json:"dontAsk"`
}

// eachRequest runs a subtest for each case of the file. It asks twice, which should change nothing.
func eachRequest(t *testing.T, path string, names *strings.Replacer, ask func(t *testing.T, tc *askCase, r *require.Requirements) []string) {
	t.Helper()

	var cases []askCase

	tagstest.ReadYAML(t, path, &cases)

	g := tagstest.NewGolden(t)

	for _, tc := range cases {
		t.Run(tc.Name, func(t *testing.T) {
			req := &fnv1.RunFunctionRequest{}
			if err := protojson.Unmarshal([]byte(names.Replace(string(tc.Request))), req); err != nil {
				t.Fatal(err)
			}

			if req.GetMeta() == nil && !tc.Old {
				req.Meta = capable()
			}

			for name, answer := range req.GetRequiredResources() {
				for i, item := range answer.GetItems() {
					if tc.Nil && proto.Size(item) == 0 {
						answer.Items[i] = nil
					}
				}

				if tc.Nil && len(answer.GetItems()) == 0 {
					req.RequiredResources[name] = nil
				}
			}

			for name, answer := range req.GetRequiredSchemas() {
				if tc.Nil && proto.Size(answer) == 0 {
					req.RequiredSchemas[name] = nil
				}
			}

			before, r := proto.CloneOf(req), require.New(req)

			for range 2 {
				g.Check(t, tc.Reason, ask(t, &tc, r))
			}

			if diff := cmp.Diff(before, req, protocmp.Transform()); diff != "" {
				t.Errorf("\n%s\nThe request changed: -before, +after:\n%s", tc.Reason, diff)
			}
		})
	}
}

// TestResources asks for the objects of one selector.
func TestResources(t *testing.T) {
	selector := byLabels(map[string]string{"tags": "yes"})
	name := nameOf(t, selector)
	names := strings.NewReplacer("$asked", name, "$other", nameOf(t, byName("tags", "team-a")), `"$a"`, thing("", "z"), `"$b"`, thing("a", "y"), `"$c"`, thing("a", "z"))

	eachRequest(t, "testdata/resources.yaml", names, func(t *testing.T, tc *askCase, r *require.Requirements) []string {
		t.Helper()

		found, answered := r.Resources(proto.CloneOf(selector))

		// The same is required whatever the answer is.
		want := &fnv1.Requirements{Resources: map[string]*fnv1.ResourceSelector{name: selector}}
		if r.Old() {
			want = &fnv1.Requirements{ExtraResources: want.GetResources()} //nolint:staticcheck // Releases before v2.2 read it.
		}

		if diff := cmp.Diff(want, requirementsOf(r), protocmp.Transform()); diff != "" {
			t.Errorf("\n%s\nAddTo(...): -want, +got:\n%s", tc.Reason, diff)
		}

		return append(words.Map(found, func(o object.Object) string { return fmt.Sprint(o.Struct().AsMap()) }), fmt.Sprintf("answered: %t, waiting: %t", answered, r.Waiting()))
	})
}

// TestSelects selects by the cases of testdata/selects.yaml.
func TestSelects(t *testing.T) {
	var cases []struct {
		Name     string `json:"name"`
		Reason   string `json:"reason"`
		Selector struct {
			Name      string            `json:"name"`
			Labels    map[string]string `json:"labels"`
			Namespace *string           `json:"namespace"`
		} `json:"selector"`
		Object *structpb.Struct `json:"object"`
		Want   bool             `json:"want"`
	}
	tagstest.ReadYAML(t, "testdata/selects.yaml", &cases)

	for _, tc := range cases {
		t.Run(tc.Name, func(t *testing.T) {
			selector := byName(tc.Selector.Name)
			if tc.Selector.Labels != nil {
				selector = byLabels(tc.Selector.Labels)
			}

			selector.Namespace = tc.Selector.Namespace

			if got := require.Selects(selector, object.FromStruct(tc.Object)); got != tc.Want {
				t.Errorf("\n%s\nSelects(...): want %t, got %t", tc.Reason, tc.Want, got)
			}
		})
	}

	if require.Selects(byName("x"), object.Object{}) {
		t.Error("\nWhat is no object should not be selected.\nSelects(...): want false, got true")
	}
}

// bucketSchema is a schema that names its kind.
const bucketSchema = `{"type": "object", "x-kubernetes-group-version-kind": [{"group": "s3.aws.m.upbound.io", "version": "v1beta1", "kind": "Bucket"}]}`

// TestSchema asks for the schema of one kind.
func TestSchema(t *testing.T) {
	bucket := schema.GroupVersionKind{Group: "s3.aws.m.upbound.io", Version: "v1beta1", Kind: "Bucket"}
	names := strings.NewReplacer("$asked", nameOfSchema(t, bucket), `"$bucket"`, fmt.Sprintf(`{"openapiV3": %s}`, bucketSchema))

	eachRequest(t, "testdata/schemas.yaml", names, func(t *testing.T, tc *askCase, r *require.Requirements) []string {
		t.Helper()

		schemaOf := r.Bootstrapped
		if !tc.DontAsk {
			schemaOf = r.Schema

			r.RequireSchemas(slices.Values([]schema.GroupVersionKind{bucket}))
		}

		got := []string{fmt.Sprintf("waiting: %t", r.Waiting())}
		if s := schemaOf(bucket); s.IsThere() {
			got = append(got, fmt.Sprint(s.Value().AsInterface()))
		}

		for name, s := range requirementsOf(r).GetSchemas() {
			got = append(got, fmt.Sprintf("requires %s: %s %s", name, s.GetApiVersion(), s.GetKind()))
		}

		if rsp := requirementsOf(r); len(rsp.GetResources())+len(rsp.GetExtraResources()) > 0 { //nolint:staticcheck // Crossplane before v2.2 is asked there.
			t.Errorf("\n%s\nAddTo(...): want nothing but schemas, got %v", tc.Reason, rsp)
		}

		return got
	})
}

// TestTogether is about schemas and resources that are required in one call.
func TestTogether(t *testing.T) {
	bucket := schema.GroupVersionKind{Group: "s3.aws.m.upbound.io", Version: "v1beta1", Kind: "Bucket"}
	vm := schema.GroupVersionKind{Version: "v1", Kind: "VM"}

	tagsOf, byLabel := byName("tags", "platform"), byLabels(map[string]string{"tags": "yes"})
	schemas := map[string]*fnv1.SchemaSelector{
		nameOfSchema(t, bucket): {ApiVersion: "s3.aws.m.upbound.io/v1beta1", Kind: "Bucket"},
		nameOfSchema(t, vm):     {ApiVersion: "v1", Kind: "VM"},
	}
	resources := map[string]*fnv1.ResourceSelector{nameOf(t, tagsOf): tagsOf, nameOf(t, byLabel): byLabel}

	// ask requires everything, whatever the request answers.
	ask := func(req *fnv1.RunFunctionRequest) *require.Requirements {
		r := require.New(req)
		r.Resources(tagsOf)
		r.Resources(byLabel)
		r.RequireSchemas(slices.Values([]schema.GroupVersionKind{bucket, vm}))

		return r
	}

	want := &fnv1.Requirements{Resources: resources, Schemas: schemas}

	// Any of the four may be answered.
	for answered := range 1 << 4 {
		req := &fnv1.RunFunctionRequest{Meta: capable(), RequiredResources: map[string]*fnv1.Resources{}, RequiredSchemas: map[string]*fnv1.Schema{}}

		for i, name := range []string{nameOf(t, tagsOf), nameOf(t, byLabel)} {
			if answered&(1<<i) != 0 {
				req.RequiredResources[name] = tagstest.Items()
			}
		}

		for i, name := range []string{nameOfSchema(t, bucket), nameOfSchema(t, vm)} {
			if answered&(4<<i) != 0 {
				req.RequiredSchemas[name] = &fnv1.Schema{}
			}
		}

		r := ask(req)

		if diff := cmp.Diff(want, requirementsOf(r), protocmp.Transform()); diff != "" {
			t.Errorf("\nThe same full set should be required on every call.\nAddTo(...) with answers %04b: -want, +got:\n%s", answered, diff)
		}

		if diff := cmp.Diff(answered != 0b1111, r.Waiting()); diff != "" {
			t.Errorf("\nOne answer that is not here is enough to wait.\nWaiting() with answers %04b: -want, +got:\n%s", answered, diff)
		}
	}

	// Before v2.2 there are no schemas, and the resources are in another field.
	r := ask(&fnv1.RunFunctionRequest{})
	want = &fnv1.Requirements{ExtraResources: resources} //nolint:staticcheck // As above.

	if diff := cmp.Diff(want, requirementsOf(r), protocmp.Transform()); diff != "" {
		t.Errorf("\nCrossplane before v2.2 should be asked for what it knows only.\nAddTo(...): -want, +got:\n%s", diff)
	}
}

var nameOfResource = regexp.MustCompile(`^resource-[0-9a-f]{16}$`)

func TestNames(t *testing.T) {
	cases := map[string]*fnv1.ResourceSelector{
		"Name":              byName("a"),
		"OtherName":         byName("b"),
		"NameInNamespace":   byName("a", "a"),
		"NameInOther":       byName("a", "b"),
		"NameLikeNamespace": byName("b", "a"),
		"OtherKind":         {ApiVersion: "v1", Kind: "Secret", Match: &fnv1.ResourceSelector_MatchName{MatchName: "a"}},
		"OtherVersion":      {ApiVersion: "v2", Kind: "ConfigMap", Match: &fnv1.ResourceSelector_MatchName{MatchName: "a"}},
		"Label":             byLabels(map[string]string{"a": "b"}),
		"LabelTurned":       byLabels(map[string]string{"b": "a"}),
		"LabelWithoutValue": byLabels(map[string]string{"a": ""}),
		"TwoLabels":         byLabels(map[string]string{"a": "b", "c": "d"}),
		"TwoLabelsTurned":   byLabels(map[string]string{"a": "d", "c": "b"}),
		"LabelInNamespace":  byLabels(map[string]string{"a": "b"}, "a"),
		"LabelsInOne":       byLabels(map[string]string{"a": "b=c"}),
		"LabelsInOneKey":    byLabels(map[string]string{"a=b": "c"}),
		"EmptyLabel":        byLabels(map[string]string{"": ""}),
		"All":               byLabels(nil),
		"AllInNamespace":    byLabels(nil, "a"),

		// The author of a composite resource may make these up to get another source's answer.
		"PlatformsLabel":   byLabels(map[string]string{"k": "v"}),
		"HostileName":      byName("\x00k\x00v"),
		"HostileNamespace": byName("v", "\x00\x00k"),
		"HostileLabel":     byLabels(map[string]string{"k\x00v": ""}),
	}

	names := make(map[string]string, len(cases))

	for c, s := range cases {
		name := nameOf(t, s)
		if other, ok := names[name]; ok {
			t.Errorf("\nNo two selectors should have one name.\nResources(...): %s is the name of %s and of %s", name, c, other)
		}

		names[name] = c

		if !nameOfResource.MatchString(name) {
			t.Errorf("\nThe name should have a hash of the selector.\nResources(...) of %s: got name %q", c, name)
		}

		if again := nameOf(t, proto.CloneOf(s)); again != name {
			t.Errorf("\nThe same selector should have the same name.\nResources(...) of %s: got %q, then %q", c, name, again)
		}
	}
}

func TestNamesOfSchemas(t *testing.T) {
	names := map[string]schema.GroupVersionKind{}

	for _, k := range []schema.GroupVersionKind{
		{Version: "v1", Kind: "A"},
		{Version: "v1", Kind: "B"},
		{Version: "v2", Kind: "A"},
		{Group: "a", Version: "v1", Kind: "A"},
		{Group: "b", Version: "v1", Kind: "A"},
		{Group: "a", Version: "v1A", Kind: ""},
	} {
		name := nameOfSchema(t, k)
		if other, ok := names[name]; ok {
			t.Errorf("\nNo two kinds should have one name.\nSchema(...): %s is the name of %v and of %v", name, k, other)
		}

		names[name] = k

		if !regexp.MustCompile(`^schema-[0-9a-f]{16}$`).MatchString(name) {
			t.Errorf("\nThe name should have a hash of the kind.\nSchema(%v): got name %q", k, name)
		}
	}
}
