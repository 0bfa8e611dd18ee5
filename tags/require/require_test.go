package require_test

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/testing/protocmp"
	"google.golang.org/protobuf/types/known/structpb"
	"k8s.io/apimachinery/pkg/runtime/schema"

	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"

	"github.com/plexsphere/function-cloud-tags/tags/object"
	"github.com/plexsphere/function-cloud-tags/tags/require"
	"github.com/plexsphere/function-cloud-tags/tags/tagstest"
)

// Capabilities of a Crossplane that can do all that is asked of it.
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
	r.Schemas(slices.Values([]schema.GroupVersionKind{k}))

	names := slices.Collect(maps.Keys(requirementsOf(r).GetSchemas()))
	if len(names) != 1 {
		tb.Fatalf("Schema(%v) should require one thing, got %v", k, names)
	}

	return names[0]
}

// thing returns a labelled ConfigMap.
func thing(namespace, name string) *structpb.Struct {
	return tagstest.MustStructJSON(fmt.Sprintf(`{"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"namespace": %q, "name": %q, "labels": {"tags": "yes"}}}`, namespace, name))
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

func TestResources(t *testing.T) {
	selector := byLabels(map[string]string{"tags": "yes"})
	name := nameOf(t, selector)
	other := nameOf(t, byName("tags", "team-a"))

	a, b, c := thing("", "z"), thing("a", "y"), thing("a", "z")

	type want struct {
		objects  []*structpb.Struct
		answered bool
	}

	cases := map[string]struct {
		reason string

		// Crossplane says what it can do, or doesn't.
		meta      *fnv1.RequestMeta
		resources map[string]*fnv1.Resources
		extra     map[string]*fnv1.Resources

		want want
	}{
		"FirstCall": {reason: "Without answers the objects are not here yet.", meta: capable(), want: want{objects: []*structpb.Struct{}}},
		"Answer":    {reason: "The objects of the answer should be returned.", meta: capable(), resources: map[string]*fnv1.Resources{name: tagstest.Items(a)}, want: want{objects: []*structpb.Struct{a}, answered: true}},
		"Sorted": {
			reason:    "The objects should be sorted by namespace and name.",
			meta:      capable(),
			resources: map[string]*fnv1.Resources{name: tagstest.Items(c, b, a)},
			want:      want{objects: []*structpb.Struct{a, b, c}, answered: true},
		},
		"NotAskedFor": {
			reason: "An object that the selector doesn't select should be dropped, and so should what is none.",
			meta:   capable(),
			resources: map[string]*fnv1.Resources{name: {Items: []*fnv1.Resource{
				nil,
				{},
				{Resource: tagstest.MustStructJSON(`{"kind": "ConfigMap"}`)},
				{Resource: b},
				{Resource: tagstest.MustStructJSON(`{"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "x", "namespace": "a", "labels": {"tags": "no"}}}`)},
			}}},
			want: want{objects: []*structpb.Struct{b}, answered: true},
		},
		"EmptyAnswer": {reason: "An answer without objects is one: there are none.", meta: capable(), resources: map[string]*fnv1.Resources{name: {}}, want: want{objects: []*structpb.Struct{}, answered: true}},
		"NilAnswer":   {reason: "A nil answer is an empty one, as it is once it has been sent.", meta: capable(), resources: map[string]*fnv1.Resources{name: nil}, want: want{objects: []*structpb.Struct{}, answered: true}},
		"OtherAnswers": {
			reason:    "Answers under other names should be ignored: Crossplane may answer what was asked for in the last reconcile.",
			meta:      capable(),
			resources: map[string]*fnv1.Resources{other: tagstest.Items(a), "tags": tagstest.Items(b), "": tagstest.Items(c)},
			want:      want{objects: []*structpb.Struct{}},
		},
		"AnswerAmongOthers": {
			reason:    "The answer should be found by its name.",
			meta:      capable(),
			resources: map[string]*fnv1.Resources{other: tagstest.Items(a), name: tagstest.Items(b), "tags": tagstest.Items(c)},
			want:      want{objects: []*structpb.Struct{b}, answered: true},
		},
		"AnswerInOldField": {
			reason: "A Crossplane that says what it can do should be asked and answer in the new field only.",
			meta:   capable(),
			extra:  map[string]*fnv1.Resources{name: tagstest.Items(a)},
			want:   want{objects: []*structpb.Struct{}},
		},
		"OldFirstCall": {reason: "Without answers the objects are not here yet, whatever Crossplane's version is.", want: want{objects: []*structpb.Struct{}}},
		"OldAnswer": {
			reason: "A Crossplane that doesn't say what it can do should be asked and answer in the old field.",
			extra:  map[string]*fnv1.Resources{name: tagstest.Items(b, a)},
			want:   want{objects: []*structpb.Struct{a, b}, answered: true},
		},
		"OldWithMeta": {
			reason: "A request may have a tag and no capabilities.",
			meta:   &fnv1.RequestMeta{Tag: "tag"},
			extra:  map[string]*fnv1.Resources{name: tagstest.Items(a)},
			want:   want{objects: []*structpb.Struct{a}, answered: true},
		},
		"OldAnswerInNewField": {reason: "What was not asked in the new field is no answer there.", resources: map[string]*fnv1.Resources{name: tagstest.Items(a)}, want: want{objects: []*structpb.Struct{}}},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			req := &fnv1.RunFunctionRequest{
				Meta:              tc.meta,
				RequiredResources: tc.resources,
				ExtraResources:    tc.extra,
			}
			before := proto.CloneOf(req)
			r := require.New(req)

			// Asking twice should change nothing.
			for range 2 {
				found, answered := r.Resources(proto.CloneOf(selector))

				objects := make([]*structpb.Struct, len(found))
				for i, o := range found {
					objects[i] = o.Struct()
				}

				if diff := cmp.Diff(tc.want, want{objects: objects, answered: answered}, cmp.AllowUnexported(want{}), protocmp.Transform()); diff != "" {
					t.Errorf("\n%s\nResources(...): -want, +got:\n%s", tc.reason, diff)
				}

				if diff := cmp.Diff(!tc.want.answered, r.Waiting()); diff != "" {
					t.Errorf("\n%s\nWaiting(): -want, +got:\n%s", tc.reason, diff)
				}
			}

			// The same is required whatever the answer is.
			required := map[string]*fnv1.ResourceSelector{nameOf(t, selector): selector}

			want := &fnv1.Requirements{Resources: required}
			if len(tc.meta.GetCapabilities()) == 0 {
				want = &fnv1.Requirements{ExtraResources: required}
			}

			if diff := cmp.Diff(want, requirementsOf(r), protocmp.Transform()); diff != "" {
				t.Errorf("\n%s\nAddTo(...): -want, +got:\n%s", tc.reason, diff)
			}

			if diff := cmp.Diff(before, req, protocmp.Transform()); diff != "" {
				t.Errorf("\n%s\nResources(...): -request before, +request after:\n%s", tc.reason, diff)
			}
		})
	}
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

			if got := require.Selects(selector, object.Tree(tc.Object)); got != tc.Want {
				t.Errorf("\n%s\nSelects(...): want %t, got %t", tc.Reason, tc.Want, got)
			}
		})
	}

	if require.Selects(byName("x"), object.Object{}) {
		t.Error("\nWhat is no object should not be selected.\nSelects(...): want false, got true")
	}
}

// bucketSchema is a schema that says which kind it is of.
const bucketSchema = `{"type": "object", "x-kubernetes-group-version-kind": [{"group": "s3.aws.m.upbound.io", "version": "v1beta1", "kind": "Bucket"}]}`

func TestSchema(t *testing.T) {
	bucket := schema.GroupVersionKind{Group: "s3.aws.m.upbound.io", Version: "v1beta1", Kind: "Bucket"}
	name := nameOfSchema(t, bucket)
	required := &fnv1.Requirements{Schemas: map[string]*fnv1.SchemaSelector{name: {ApiVersion: "s3.aws.m.upbound.io/v1beta1", Kind: "Bucket"}}}

	of := func(j string) *fnv1.Schema { return &fnv1.Schema{OpenapiV3: tagstest.MustStructJSON(j)} }

	type want struct {
		schema   *structpb.Struct
		required *fnv1.Requirements
		waiting  bool
	}

	cases := map[string]struct {
		reason  string
		meta    *fnv1.RequestMeta
		schemas map[string]*fnv1.Schema
		ask     bool
		want    want
	}{
		"FirstCall": {reason: "A schema that isn't here should be required.", meta: capable(), ask: true, want: want{required: required, waiting: true}},
		"DontAsk":   {reason: "A schema should not be required if it's not to be.", meta: capable()},
		"NotCapable": {
			reason: "A Crossplane that can't fetch schemas should not be asked.",
			meta:   &fnv1.RequestMeta{Capabilities: []fnv1.Capability{fnv1.Capability_CAPABILITY_CAPABILITIES, fnv1.Capability_CAPABILITY_REQUIRED_RESOURCES}},
			ask:    true,
		},
		"SaysNothing": {reason: "A Crossplane that doesn't say what it can do can't fetch schemas.", ask: true},
		"Answer": {
			reason:  "The schema of the answer should be returned, and required again.",
			meta:    capable(),
			schemas: map[string]*fnv1.Schema{name: of(`{"type": "object"}`)},
			ask:     true,
			want:    want{schema: tagstest.MustStructJSON(`{"type": "object"}`), required: required},
		},
		"AnswerThatNamesItsKind": {
			reason:  "A schema that we asked for should be required again, though it says which kind it is of.",
			meta:    capable(),
			schemas: map[string]*fnv1.Schema{name: of(bucketSchema)},
			ask:     true,
			want:    want{schema: tagstest.MustStructJSON(bucketSchema), required: required},
		},
		"NoSuchSchema": {reason: "An answer without a schema says that there is none.", meta: capable(), schemas: map[string]*fnv1.Schema{name: {}}, ask: true, want: want{required: required}},
		"NilAnswer":    {reason: "A nil answer says that there is no schema, too.", meta: capable(), schemas: map[string]*fnv1.Schema{name: nil}, ask: true, want: want{required: required}},
		"OfTheStep": {
			reason:  "A schema that the pipeline step requires need not be required, and is taken by its kind.",
			meta:    capable(),
			schemas: map[string]*fnv1.Schema{"bucket": of(bucketSchema)},
			ask:     true,
			want:    want{schema: tagstest.MustStructJSON(bucketSchema)},
		},
		"OfTheStepAndDontAsk": {
			reason:  "A schema that the pipeline step requires should be taken also if none is to be required.",
			schemas: map[string]*fnv1.Schema{"bucket": of(bucketSchema)},
			want:    want{schema: tagstest.MustStructJSON(bucketSchema)},
		},
		"OfOtherKind": {
			reason:  "The schema of another kind should be ignored.",
			meta:    capable(),
			schemas: map[string]*fnv1.Schema{"bucket": of(`{"x-kubernetes-group-version-kind": [{"group": "s3.aws.m.upbound.io", "version": "v1beta2", "kind": "Bucket"}]}`)},
			ask:     true,
			want:    want{required: required, waiting: true},
		},
		"OfNoKind": {
			reason:  "A schema that doesn't say which kind it is of, or names several, should be ignored.",
			meta:    capable(),
			schemas: map[string]*fnv1.Schema{"bucket": of(`{"type": "object"}`), "nil": nil, "two": of(`{"x-kubernetes-group-version-kind": [{"group": "s3.aws.m.upbound.io", "version": "v1beta1", "kind": "Bucket"}, {"kind": "Other"}]}`)},
			ask:     true,
			want:    want{required: required, waiting: true},
		},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			r := require.New(&fnv1.RunFunctionRequest{Meta: tc.meta, RequiredSchemas: tc.schemas})

			for range 2 {
				of := r.Bootstrapped
				if tc.ask {
					of = r.Schema

					r.Schemas(slices.Values([]schema.GroupVersionKind{bucket}))
				}

				got := want{schema: of(bucket).Value().GetStructValue(), required: requirementsOf(r), waiting: r.Waiting()}
				if diff := cmp.Diff(tc.want, got, cmp.AllowUnexported(want{}), protocmp.Transform()); diff != "" {
					t.Errorf("\n%s\nSchema(...): -want, +got:\n%s", tc.reason, diff)
				}
			}
		})
	}
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
		r.Schemas(slices.Values([]schema.GroupVersionKind{bucket, vm}))

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
	want = &fnv1.Requirements{ExtraResources: resources}

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
