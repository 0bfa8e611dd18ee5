package report

import (
	"bytes"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"google.golang.org/protobuf/testing/protocmp"
	"pgregory.net/rapid"

	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"
	"github.com/crossplane/function-sdk-go/resource"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/plexsphere/function-cloud-tags/input/v1beta1"
	"github.com/plexsphere/function-cloud-tags/tags"
	"github.com/plexsphere/function-cloud-tags/tags/field"
	"github.com/plexsphere/function-cloud-tags/tags/object"
	"github.com/plexsphere/function-cloud-tags/tags/require"
	"github.com/plexsphere/function-cloud-tags/tags/resolve"
	"github.com/plexsphere/function-cloud-tags/tags/stamp"
)

// composite returns a desired composite resource, which is ready.
func composite(json string) *fnv1.Resource {
	return &fnv1.Resource{Resource: resource.MustStructJSON(json), Ready: fnv1.Ready_READY_TRUE}
}

func TestStatus(t *testing.T) {
	type args struct {
		path    string
		desired *fnv1.Resource
		outcome *Outcome
		classes map[string]resolve.Class
	}

	type want struct {
		desired   *fnv1.Resource
		condition *fnv1.Condition
		results   []*fnv1.Result
	}

	mismatch := func(message string) []*fnv1.Result { return []*fnv1.Result{warning("StatusFieldMismatch", message)} }

	one := func() *Outcome {
		return &Outcome{
			Results: []stamp.Result{{Resource: "a", Provider: "aws", Active: map[string]string{"k": "v"}}},
		}
	}

	const ofOne = `"providers": {"aws": ["k"]}, "resources": {"a": {"k": "v"}}`

	cases := map[string]struct {
		reason string
		args   args
		want   want
	}{
		"Active": {
			reason: "The status has the keys of each provider once, sorted, and the tags of each resource.",
			args: args{
				path:    "status.cloudTags",
				desired: composite(`{"status": {"a": "b"}}`),
				outcome: &Outcome{Results: []stamp.Result{
					{Resource: "a", Provider: "aws", Active: map[string]string{"z": "1", "b": "2", "ä": ""}},
					{Resource: "b", Provider: "gcp", Active: map[string]string{"k": "v"}},
					{Resource: "c.d/e", Provider: "aws", Active: map[string]string{"b": "3", "Z": "4"}},
				}},
			},
			want: want{
				desired: composite(`{"status": {"a": "b", "cloudTags": {
					"providers": {"aws": ["Z", "b", "z", "ä"], "gcp": ["k"]},
					"resources": {"a": {"z": "1", "b": "2", "ä": ""}, "b": {"k": "v"}, "c.d/e": {"b": "3", "Z": "4"}}
				}}}`),
			},
		},
		"NothingActive": {
			reason: "Without tags the status says that there are none, since it's told on every run that succeeds.",
			args: args{
				path:    "status.cloudTags",
				desired: composite(`{}`),
				outcome: &Outcome{Results: []stamp.Result{{Resource: "a", Withheld: stamp.Withheld{Retained: []string{"k"}}}}},
			},
			want: want{
				desired: composite(`{"status": {"cloudTags": {"providers": {}, "resources": {}}}}`),
				results: []*fnv1.Result{normal("TagsWithheld", "a: withheld: k (an earlier step set another value)")},
			},
		},
		"Classes": {
			reason: "The status has the classes that were picked, with a namespace if they have one.",
			args: args{
				path:    "status.cloudTags",
				desired: composite(`{}`),
				outcome: one(),
				classes: map[string]resolve.Class{
					"grade":   {APIVersion: "v1", Kind: "ConfigMap", Namespace: "platform", Name: "gold"},
					"machine": {APIVersion: "example.org/v1beta1", Kind: "AWSMachineClass", Name: "large"},
				},
			},
			want: want{desired: composite(`{"status": {"cloudTags": {` + ofOne + `, "classes": {
				"grade": {"apiVersion": "v1", "kind": "ConfigMap", "namespace": "platform", "name": "gold"},
				"machine": {"apiVersion": "example.org/v1beta1", "kind": "AWSMachineClass", "name": "large"}
			}}}}`)},
		},
		"Siblings": {
			reason: "What earlier steps desire beside the field, and beside what is ours within it, is kept.",
			args: args{
				path: "status.cloudTags",
				desired: composite(`{"apiVersion": "example.org/v1", "kind": "XBucket", "metadata": {"labels": {"a": "b"}}, "spec": {"a": [1, null, {"b": true}]},
					"status": {"conditions": [{"type": "X"}], "cloudTag": 1, "cloudTags": {"note": ["x"], "classes": {"other": {"name": "x"}}, "nothing": null}, "null": null}}`),
				outcome: one(),
			},
			want: want{
				desired: composite(`{"apiVersion": "example.org/v1", "kind": "XBucket", "metadata": {"labels": {"a": "b"}}, "spec": {"a": [1, null, {"b": true}]},
					"status": {"conditions": [{"type": "X"}], "cloudTag": 1, "cloudTags": {"note": ["x"], "classes": {"other": {"name": "x"}}, "nothing": null, ` + ofOne + `}, "null": null}}`),
			},
		},
		"Empty": {
			reason: "An object that is empty is filled.",
			args:   args{path: "status.cloudTags", desired: composite(`{"status": {"cloudTags": {}}}`), outcome: one()},
			want:   want{desired: composite(`{"status": {"cloudTags": {` + ofOne + `}}}`)},
		},
		"Null": {
			reason: "A field that is null is absent, and so is a status.",
			args:   args{path: "status.cloudTags", desired: composite(`{"status": {"cloudTags": null, "a": null}}`), outcome: one()},
			want:   want{desired: composite(`{"status": {"cloudTags": {` + ofOne + `}, "a": null}}`)},
		},
		"NullStatus": {
			reason: "A status that is null is absent.",
			args:   args{path: "status.cloudTags", desired: composite(`{"status": null}`), outcome: one()},
			want:   want{desired: composite(`{"status": {"cloudTags": {` + ofOne + `}}}`)},
		},
		"Nested": {
			reason: "Objects that are missing on the way to the field are made, and those that are there are kept.",
			args:   args{path: "status.a.b.c", desired: composite(`{"status": {"a": {"x": "y"}, "z": 1}}`), outcome: one()},
			want:   want{desired: composite(`{"status": {"a": {"x": "y", "b": {"c": {` + ofOne + `}}}, "z": 1}}`)},
		},
		"QuotedField": {
			reason: "A path may name fields with dots in them.",
			args:   args{path: "status.tags[example.org/cloud]", desired: composite(`{"status": {"tags": {"example.org": 1}}}`), outcome: one()},
			want:   want{desired: composite(`{"status": {"tags": {"example.org": 1, "example.org/cloud": {` + ofOne + `}}}}`)},
		},
		"ItemOfList": {
			reason: "A path may lead through an item of a list.",
			args:   args{path: "status.steps[1].tags", desired: composite(`{"status": {"steps": ["x", {"name": "y"}]}}`), outcome: one()},
			want:   want{desired: composite(`{"status": {"steps": ["x", {"name": "y", "tags": {` + ofOne + `}}]}}`)},
		},
		"EmptyComposite": {
			reason: "A desired composite resource that has no fields gets a status.",
			args:   args{path: "status.cloudTags", desired: &fnv1.Resource{Ready: fnv1.Ready_READY_FALSE}, outcome: one()},
			want: want{desired: &fnv1.Resource{
				Resource: resource.MustStructJSON(`{"status": {"cloudTags": {` + ofOne + `}}}`),
				Ready:    fnv1.Ready_READY_FALSE,
			}},
		},
		"NoComposite": {
			reason: "If no earlier step desires anything of the composite resource, its status is all that is desired.",
			args:   args{path: "status.cloudTags", outcome: one()},
			want:   want{desired: &fnv1.Resource{Resource: resource.MustStructJSON(`{"status": {"cloudTags": {` + ofOne + `}}}`)}},
		},
		"FieldIsString": {
			reason: "A value that isn't an object is left alone, and the resources are stamped all the same.",
			args:   args{path: "status.cloudTags", desired: composite(`{"status": {"cloudTags": "x", "a": "b"}}`), outcome: one()},
			want: want{
				desired: composite(`{"status": {"cloudTags": "x", "a": "b"}}`),
				results: mismatch("cannot write status.cloudTags: an earlier step has made it a string, not an object"),
			},
		},
		"FieldIsEmptyString": {
			reason: "Even an empty string is left alone.",
			args:   args{path: "status.cloudTags", desired: composite(`{"status": {"cloudTags": ""}}`), outcome: one()},
			want: want{
				desired: composite(`{"status": {"cloudTags": ""}}`),
				results: mismatch("cannot write status.cloudTags: an earlier step has made it a string, not an object"),
			},
		},
		"FieldIsList": {
			reason: "A list is left alone.",
			args:   args{path: "status.cloudTags", desired: composite(`{"status": {"cloudTags": [{"a": "b"}]}}`), outcome: one()},
			want: want{
				desired: composite(`{"status": {"cloudTags": [{"a": "b"}]}}`),
				results: mismatch("cannot write status.cloudTags: an earlier step has made it a list, not an object"),
			},
		},
		"FieldIsFalse": {
			reason: "A boolean is left alone.",
			args:   args{path: "status.cloudTags", desired: composite(`{"status": {"cloudTags": false}}`), outcome: one()},
			want: want{
				desired: composite(`{"status": {"cloudTags": false}}`),
				results: mismatch("cannot write status.cloudTags: an earlier step has made it a boolean, not an object"),
			},
		},
		"ParentIsString": {
			reason: "What has no fields is left alone.",
			args:   args{path: "status.a.cloudTags", desired: composite(`{"status": {"a": "b"}}`), outcome: one()},
			want: want{
				desired: composite(`{"status": {"a": "b"}}`),
				results: mismatch("cannot write status.a.cloudTags: status.a is a string, not an object"),
			},
		},
		"StatusIsList": {
			reason: "A list has no field.",
			args:   args{path: "status.cloudTags", desired: composite(`{"status": [{"cloudTags": {}}]}`), outcome: one()},
			want: want{
				desired: composite(`{"status": [{"cloudTags": {}}]}`),
				results: mismatch("cannot write status.cloudTags: status is a list, not an object"),
			},
		},
		"NoSuchItem": {
			reason: "Items of lists are not made. The message says what could not be written, as all others do.",
			args:   args{path: "status.steps[1].tags", desired: composite(`{"status": {"steps": [{}]}}`), outcome: one()},
			want: want{
				desired: composite(`{"status": {"steps": [{}]}}`),
				results: mismatch("cannot write status.steps[1].tags: status.steps has no item 1"),
			},
		},
		"MismatchComesLast": {
			reason: "What is said of the status follows what is said of resources, and the condition is about labels.",
			args: args{
				path:    "status.cloudTags",
				desired: composite(`{"status": {"cloudTags": 0}}`),
				outcome: &Outcome{
					Results: []stamp.Result{{Resource: "a", Provider: "aws", Active: map[string]string{"k": "v"}}, {Resource: "b", Mismatch: "x"}, {Resource: "c", APIVersion: "v1", Kind: "Secret", LeftAlone: "has no tag field"}},
				},
				classes: map[string]resolve.Class{"grade": {APIVersion: "v1", Kind: "ConfigMap", Name: "gold"}},
			},
			want: want{
				desired:   composite(`{"status": {"cloudTags": 0}}`),
				condition: someSkipped("1 tag field left alone"),
				results: []*fnv1.Result{
					warning("TagFieldMismatch", "b: left the tag field alone: x"),
					normal("NotTagged", "not tagged: c (v1 Secret) has no tag field"),
					warning("StatusFieldMismatch", "cannot write status.cloudTags: an earlier step has made it a number, not an object"),
				},
			},
		},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			b := &bytes.Buffer{}
			req := request(namespaced)
			req.Desired.Composite = tc.args.desired

			condition := tc.want.condition
			if condition == nil {
				condition = allPropagated()
			}

			want := respond(time.Minute, condition, tc.want.results...)
			want.Desired.Composite = tc.want.desired

			r := &Run{
				Request:  req,
				Log:      logger(b),
				Required: require.New(req),
				Input:    &v1beta1.CloudTags{TTL: metav1.Duration{Duration: time.Minute}, StatusFieldPath: object.MustParsePath(tc.args.path)},
				Set:      resolve.Set{Classes: tc.args.classes},
			}

			if diff := cmp.Diff(want, r.Success(t.Context(), tc.args.outcome), protocmp.Transform()); diff != "" {
				t.Errorf("\n%s\nSuccess(...): -want, +got:\n%s", tc.reason, diff)
			}

			if b.Len() > 0 {
				t.Errorf("\n%s\nSuccess(...): want no log line, got %s", tc.reason, b)
			}
		})
	}
}

// TestStatusNothingDesired tests requests in which earlier steps desire nothing.
func TestStatusNothingDesired(t *testing.T) {
	req := &fnv1.RunFunctionRequest{}
	r := &Run{Request: req, Log: logger(&bytes.Buffer{}), Required: require.New(req), Input: &v1beta1.CloudTags{StatusFieldPath: object.MustParsePath("status.cloudTags")}}

	want := respond(0, allPropagated())
	want.Meta.Tag = ""
	want.Context = nil
	want.Desired = &fnv1.State{Composite: &fnv1.Resource{Resource: resource.MustStructJSON(`{"status": {"cloudTags": {"providers": {}, "resources": {}}}}`)}}

	if diff := cmp.Diff(want, r.Success(t.Context(), &Outcome{}), protocmp.Transform()); diff != "" {
		t.Errorf("\nA request that has nothing gets a status.\nSuccess(...): -want, +got:\n%s", diff)
	}
}

// TestStatusNotAsked tests that classes and active tags need no status.
func TestStatusNotAsked(t *testing.T) {
	req := request(namespaced)
	r := &Run{
		Request:  req,
		Log:      logger(&bytes.Buffer{}),
		Required: require.New(req),
		Input:    &v1beta1.CloudTags{TTL: metav1.Duration{Duration: time.Minute}},
		Set:      resolve.Set{Classes: map[string]resolve.Class{"grade": {APIVersion: "v1", Kind: "ConfigMap", Name: "gold"}}},
	}
	o := &Outcome{Results: []stamp.Result{{Resource: "a", Provider: "aws", Active: map[string]string{"k": "v"}}}}

	if diff := cmp.Diff(respond(time.Minute, allPropagated()), r.Success(t.Context(), o), protocmp.Transform()); diff != "" {
		t.Errorf("\nThe status is written only if the input asks for it.\nSuccess(...): -want, +got:\n%s", diff)
	}
}

// TestStatusOfSeveralSteps tests a pipeline that has the function twice, with one
// status field. What the first step says must not be lost: what Crossplane keeps is
// what the last step desires, and the choice of a class is recorded nowhere else.
func TestStatusOfSeveralSteps(t *testing.T) {
	req := request(namespaced)
	step := func(source, class string, active ...stamp.Result) *fnv1.RunFunctionResponse {
		r := &Run{
			Request:  req,
			Log:      logger(&bytes.Buffer{}),
			Required: require.New(req),
			Input:    &v1beta1.CloudTags{TTL: metav1.Duration{Duration: time.Minute}, StatusFieldPath: object.MustParsePath("status.cloudTags")},
			Set:      resolve.Set{Classes: map[string]resolve.Class{source: {APIVersion: "v1", Kind: "ConfigMap", Name: class}}},
		}

		return r.Success(t.Context(), &Outcome{Results: active})
	}

	// Crossplane hands the desired state on to the next step.
	req.Desired = step("grade", "gold", stamp.Result{Resource: "a", Provider: "aws", Active: map[string]string{"k": "v"}},
		stamp.Result{Resource: "b", Provider: "gcp", Active: map[string]string{"g": "1"}}).GetDesired()

	got := step("size", "large", stamp.Result{Resource: "a", Provider: "aws", Active: map[string]string{"a": "b"}})

	want := composite(`{"status": {"a": "b", "cloudTags": {
		"providers": {"aws": ["a", "k"], "gcp": ["g"]},
		"resources": {"a": {"a": "b", "k": "v"}, "b": {"g": "1"}},
		"classes": {"grade": {"apiVersion": "v1", "kind": "ConfigMap", "name": "gold"}, "size": {"apiVersion": "v1", "kind": "ConfigMap", "name": "large"}}
	}}}`)

	if diff := cmp.Diff(want, got.GetDesired().GetComposite(), protocmp.Transform()); diff != "" {
		t.Errorf("\nWhat earlier steps desire is merged, also if they are steps of this function.\nSuccess(...): -want, +got:\n%s", diff)
	}
}

// TestStatusProperties tests that the status tells of just the tags that labels have
// become on the resources of the response.
func TestStatusProperties(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := scenarios(60).Draw(t, "scenario")

		rsp, o, _, err := s.run()
		if err != nil {
			t.Fatal(err)
		}

		providers, resources := map[string]any{}, map[string]any{}

		for _, a := range o.Results {
			if len(a.Active) == 0 {
				continue
			}

			of, keys := map[string]any{}, []string{}

			if known, ok := providers[a.Provider].([]any); ok {
				for _, k := range known {
					keys = append(keys, fmt.Sprint(k))
				}
			}

			for k, v := range a.Active {
				of[k] = v
				keys = append(keys, k)
			}

			slices.Sort(keys)

			list := []any{}
			for _, k := range slices.Compact(keys) {
				list = append(list, k)
			}

			resources[a.Resource], providers[a.Provider] = of, list
		}

		want := map[string]any{"status": map[string]any{"a": "b", "cloudTags": map[string]any{"providers": providers, "resources": resources}}}
		if diff := cmp.Diff(want, rsp.GetDesired().GetComposite().GetResource().AsMap()); diff != "" {
			t.Fatalf("Success(...): -want composite resource, +got composite resource:\n%s", diff)
		}

		for _, a := range o.Results {
			spec := rsp.GetDesired().GetResources()[a.Resource].GetResource().AsMap()["spec"]
			for k, v := range a.Active {
				if !carries(spec, k, v) {
					t.Fatalf("Success(...): the status says that %q has the tag %q=%q, but it has %v", a.Resource, k, v, spec)
				}
			}
		}
	})
}

// carries is true if the supplied spec of a scenario has the supplied tag.
func carries(spec any, key, value string) bool {
	switch s := spec.(type) {
	case map[string]any:
		if v, ok := s[key]; ok {
			return v == value
		}

		for _, v := range s {
			if carries(v, key, value) {
				return true
			}
		}
	case []any:
		return slices.Contains(s, any(key+"="+value))
	}

	return false
}

// TestMessagesOfAllLimits tests that the longest messages that there are can be those
// of events: the longest keys and names that are not shortened, for all limits.
func TestMessagesOfAllLimits(t *testing.T) {
	profiles := slices.Concat(tags.Contract.Profiles(), tags.Cloud.Profiles())
	log := slog.New(slog.DiscardHandler)
	name := func(i int) string { return fmt.Sprintf("_%04d_%s", i, strings.Repeat("x", maxName-6)) }
	resources := slices.Repeat([]string{strings.Repeat("r", maxName)}, 9999)

	for _, p := range profiles {
		for _, reason := range tags.SkipReasons() {
			limit := p.Limit(reason)
			if reason == tags.CountCap {
				limit += ", 2147483647 of them reserved"
			}

			o := &Outcome{}

			for i := range 12 {
				s := stamp.Skip{SkippedLabel: tags.SkippedLabel{QualifiedKey: name(i), TagKey: name(i), Provider: p.Name, Reason: reason}, Limit: limit}

				// A profile of all resources names none.
				if p.Narrow || reason == tags.CountCap {
					s.Resources = resources
				}

				o.Skips = append(o.Skips, s)
			}

			if err := sound(succeed(request(namespaced), log, 0, o).GetResults()); err != nil {
				t.Errorf("%s, %s: Success(...): want messages that events can have, got %s", p.Name, reason, err)
			}
		}
	}
}

// TestSuccessOfStamper tests what is reported of resources that were really stamped.
func TestSuccessOfStamper(t *testing.T) {
	req := request(namespaced)
	req.Desired.Resources["c"] = &fnv1.Resource{Resource: resource.MustStructJSON(`{"apiVersion": "v1", "kind": "ConfigMap"}`)}

	transformer := tags.NewTransformer([]tags.Label{
		{QualifiedKey: "a", TagKey: "a", Value: "9"},
		{QualifiedKey: "owner", TagKey: "owner", Value: "x", Trusted: true},
	}, nil)
	transformer.Reserve([]string{"owner"}, "", []tags.Label{{QualifiedKey: "owner", TagKey: "owner", Value: "mallory"}})

	in := retaining()
	in.Provider = &v1beta1.StringSource{Value: new("aws")}

	stamper := &stamp.Stamper{Input: in, Transformer: transformer, Fields: fixed(field.Chain{field.ByProfile{}})}

	o, err := stampAll(stamper, req.GetDesired().GetResources())
	if err != nil {
		t.Fatalf("Stamp(...): %s", err)
	}

	b := &bytes.Buffer{}
	r := &Run{Request: req, Log: logger(b), Input: &v1beta1.CloudTags{TTL: metav1.Duration{Duration: time.Minute}, StatusFieldPath: object.MustParsePath("status.cloudTags")}, Required: require.New(req)}

	want := respond(
		time.Minute,
		someSkipped("1 label skipped on aws: reserved-key (owner)"),
		warning("ReservedKey", "aws: skipped 1 label: reserved-key (only trusted sources may claim it, and nobody a key that providers set): owner → owner"),
		normal("TagsWithheld", "a: withheld: a (an earlier step set another value)"),
		normal("NotTagged", "not tagged: c (v1 ConfigMap) has no tag field"),
	)
	want.Desired.Resources["a"].Resource = bucket(`{"a": "b", "owner": "x"}`)
	want.Desired.Resources["b"].Resource = bucket(`{"a": "9", "owner": "x"}`)
	want.Desired.Resources["c"] = &fnv1.Resource{Resource: resource.MustStructJSON(`{"apiVersion": "v1", "kind": "ConfigMap"}`)}
	want.Context.Fields["cloudtags.fn.plexsphere.com/steps"].GetStructValue().Fields[noInput] = told(
		1, "SomeSkipped", "1 label skipped on aws: reserved-key (owner)", `{"a": {"owner": "x"}, "b": {"owner": "x"}}`)
	want.Desired.Composite = composite(`{"status": {"a": "b", "cloudTags": {
		"providers": {"aws": ["a", "owner"]},
		"resources": {"a": {"owner": "x"}, "b": {"a": "9", "owner": "x"}}
	}}}`)

	if diff := cmp.Diff(want, r.Success(t.Context(), o), protocmp.Transform()); diff != "" {
		t.Errorf("\nWhat is withheld, claimed or not taggable is not active.\nSuccess(...): -want, +got:\n%s", diff)
	}

	log := `{"level":"WARN","msg":"Skipped label","provisioned_resource":"team-a/assets","qualified_key":"owner","tag_key":"owner","provider":"aws","reason":"reserved-key"}` + "\n"
	if diff := cmp.Diff(log, b.String()); diff != "" {
		t.Errorf("Success(...): -want log lines, +got log lines:\n%s", diff)
	}
}
