package report

import (
	"bytes"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/testing/protocmp"
	"google.golang.org/protobuf/types/known/structpb"

	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"
	"github.com/crossplane/function-sdk-go/resource"

	"github.com/plexsphere/function-cloud-tags/input/v1beta1"
	"github.com/plexsphere/function-cloud-tags/tags"
	"github.com/plexsphere/function-cloud-tags/tags/require"
	"github.com/plexsphere/function-cloud-tags/tags/resolve"
	"github.com/plexsphere/function-cloud-tags/tags/stamp"
)

// steps is a context with what the supplied steps have told, and something else.
func steps(of map[string]*structpb.Value) *structpb.Struct {
	ctx := resource.MustStructJSON(`{"a": [1, null]}`)
	ctx.Fields["cloudtags.fn.plexsphere.com/steps"] = structpb.NewStructValue(&structpb.Struct{Fields: of})

	return ctx
}

func TestSteps(t *testing.T) {
	type want struct {
		context   *structpb.Struct
		condition verdict
	}

	const trusted = `{"a": {"entigo:zone": "eu"}}`

	skipped := &Outcome{Results: []stamp.Result{{Resource: "a", Mismatch: "x"}}}
	other := resource.MustStructJSON(`{"a": [1, null]}`)
	mine := verdict{reason: "SomeSkipped", message: "1 tag field left alone"}

	cases := map[string]struct {
		reason  string
		context *structpb.Struct
		outcome *Outcome
		want    want
	}{
		"Well": {
			reason:  "A step of which there is nothing to tell leaves the context as it is.",
			context: other,
			outcome: &Outcome{},
			want:    want{context: other, condition: verdict{reason: "AllPropagated"}},
		},
		"NoContext": {
			reason:  "A step of which there is nothing to tell needs no context.",
			outcome: &Outcome{},
			want:    want{condition: verdict{reason: "AllPropagated"}},
		},
		"First": {
			reason:  "A step tells later ones its verdict.",
			context: other,
			outcome: skipped,
			want:    want{context: steps(map[string]*structpb.Value{noInput: told(1, "SomeSkipped", "1 tag field left alone", `{}`)}), condition: mine},
		},
		"Trusted": {
			reason:  "A step tells which reserved keys it has of trusted sources, though all is well.",
			context: other,
			outcome: &Outcome{Results: []stamp.Result{{Resource: "a", Trusted: map[string]string{"entigo:zone": "eu"}}}},
			want:    want{context: steps(map[string]*structpb.Value{noInput: told(1, "AllPropagated", "", trusted)}), condition: verdict{reason: "AllPropagated"}},
		},
		"WorseBefore": {
			reason:  "The verdict of an earlier step stands if it is worse.",
			context: steps(map[string]*structpb.Value{"b": told(1, "SomeSkipped", "1 label skipped", `{}`), "a": told(2, "AllPropagated", "", trusted)}),
			outcome: &Outcome{},
			want: want{
				context:   steps(map[string]*structpb.Value{"b": told(1, "SomeSkipped", "1 label skipped", `{}`), "a": told(2, "AllPropagated", "", trusted)}),
				condition: verdict{reason: "SomeSkipped", message: "1 label skipped"},
			},
		},
		"UnknownBefore": {
			reason:  "What nobody knows is worse than what was skipped.",
			context: steps(map[string]*structpb.Value{"b": told(1, "UnknownKinds", "not known", `{}`), "a": told(2, "SomeSkipped", "x", `{}`)}),
			outcome: skipped,
			want: want{
				context: steps(map[string]*structpb.Value{
					"b": told(1, "UnknownKinds", "not known", `{}`), "a": told(2, "SomeSkipped", "x", `{}`), noInput: told(3, "SomeSkipped", "1 tag field left alone", `{}`),
				}),
				condition: verdict{reason: "UnknownKinds", message: "not known"},
			},
		},
		"BetterBefore": {
			reason:  "The verdict of an earlier step doesn't stand if it is better.",
			context: steps(map[string]*structpb.Value{"a": told(1, "AllPropagated", "fine", trusted)}),
			outcome: skipped,
			want: want{
				context:   steps(map[string]*structpb.Value{"a": told(1, "AllPropagated", "fine", trusted), noInput: told(2, "SomeSkipped", "1 tag field left alone", `{}`)}),
				condition: mine,
			},
		},
		"AsBadBefore": {
			reason:  "Of verdicts that are as bad the step's own stands.",
			context: steps(map[string]*structpb.Value{"a": told(1, "SomeSkipped", "x", `{}`)}),
			outcome: skipped,
			want: want{
				context:   steps(map[string]*structpb.Value{"a": told(1, "SomeSkipped", "x", `{}`), noInput: told(2, "SomeSkipped", "1 tag field left alone", `{}`)}),
				condition: mine,
			},
		},
		"AsBadBeforeThat": {
			reason:  "Of earlier verdicts that are as bad the latest stands.",
			context: steps(map[string]*structpb.Value{"a": told(2, "SomeSkipped", "y", `{}`), "b": told(1, "SomeSkipped", "x", `{}`)}),
			outcome: &Outcome{},
			want: want{
				context:   steps(map[string]*structpb.Value{"a": told(2, "SomeSkipped", "y", `{}`), "b": told(1, "SomeSkipped", "x", `{}`)}),
				condition: verdict{reason: "SomeSkipped", message: "y"},
			},
		},
		"Again": {
			reason:  "What the step told before Crossplane called it again is not what an earlier step told.",
			context: steps(map[string]*structpb.Value{noInput: told(1, "UnknownKinds", "not known", trusted)}),
			outcome: skipped,
			want:    want{context: steps(map[string]*structpb.Value{noInput: told(1, "SomeSkipped", "1 tag field left alone", `{}`)}), condition: mine},
		},
		"AgainAndWell": {
			reason:  "What the step told before is gone if it is no longer so.",
			context: steps(map[string]*structpb.Value{noInput: told(1, "UnknownKinds", "not known", trusted)}),
			outcome: &Outcome{},
			want:    want{context: other, condition: verdict{reason: "AllPropagated"}},
		},
		"AgainAmongOthers": {
			reason:  "What others told stays.",
			context: steps(map[string]*structpb.Value{"a": told(1, "AllPropagated", "", trusted), noInput: told(2, "SomeSkipped", "x", `{}`)}),
			outcome: &Outcome{},
			want:    want{context: steps(map[string]*structpb.Value{"a": told(1, "AllPropagated", "", trusted)}), condition: verdict{reason: "AllPropagated"}},
		},
		"NoObject": {
			reason:  "What is no step's is not read, and goes if there is something to tell.",
			context: resource.MustStructJSON(`{"a": [1, null], "cloudtags.fn.plexsphere.com/steps": "x"}`),
			outcome: skipped,
			want:    want{context: steps(map[string]*structpb.Value{noInput: told(1, "SomeSkipped", "1 tag field left alone", `{}`)}), condition: mine},
		},
		"NoSteps": {
			reason: "What is no step's is not read, whatever it is like.",
			context: resource.MustStructJSON(`{"cloudtags.fn.plexsphere.com/steps": {"a": null, "b": [], "c": {}, "d": {"reason": 1}, "e": {"reason": "TagConflict", "message": "x"},
				"f": {"order": "x", "reason": "AllPropagated", "message": [], "trusted": "x"}, "": {"reason": ""}}}`),
			outcome: &Outcome{},
			want: want{
				context: resource.MustStructJSON(`{"cloudtags.fn.plexsphere.com/steps": {"a": null, "b": [], "c": {}, "d": {"reason": 1}, "e": {"reason": "TagConflict", "message": "x"},
					"f": {"order": "x", "reason": "AllPropagated", "message": [], "trusted": "x"}, "": {"reason": ""}}}`),
				condition: verdict{reason: "AllPropagated"},
			},
		},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			req := request(namespaced)
			req.Context = tc.context
			before := proto.CloneOf(req)

			rsp := succeed(req, logger(&bytes.Buffer{}), 0, tc.outcome)

			if diff := cmp.Diff(tc.want.context, rsp.GetContext(), protocmp.Transform()); diff != "" {
				t.Errorf("\n%s\nSuccess(...): -want context, +got context:\n%s", tc.reason, diff)
			}

			if diff := cmp.Diff(respond(0, condition(tc.want.condition)).GetConditions(), rsp.GetConditions(), protocmp.Transform()); diff != "" {
				t.Errorf("\n%s\nSuccess(...): -want conditions, +got conditions:\n%s", tc.reason, diff)
			}

			if diff := cmp.Diff(before, req, protocmp.Transform()); diff != "" {
				t.Errorf("\n%s\nSuccess(...) changed the request: -before, +after:\n%s", tc.reason, diff)
			}
		})
	}
}

// TestStepsHaveInputs tests that steps are told apart by their inputs.
func TestStepsHaveInputs(t *testing.T) {
	id := func(input string) string {
		return idOf(&fnv1.RunFunctionRequest{Meta: &fnv1.RequestMeta{Tag: input}, Input: resource.MustStructJSON(input)})
	}

	if a, b := id(`{"a": 1, "b": 2}`), id(`{"a": 1, "b": 3}`); a == b {
		t.Errorf("idOf(...): want different steps to differ, got %q twice", a)
	}

	if a, b := id(`{"a": 1, "b": 2, "c": 3}`), id(`{"c": 3, "b": 2, "a": 1}`); a != b {
		t.Errorf("idOf(...): want the same for one input, got %q and %q", a, b)
	}
}

func TestEarlier(t *testing.T) {
	cases := map[string]struct {
		reason  string
		context *structpb.Struct
		want    map[string]map[string]string
	}{
		"None": {
			reason: "Without a context there are no earlier steps.",
		},
		"Union": {
			reason: "What earlier steps have is taken together. Of one key it is what the later one has.",
			context: steps(map[string]*structpb.Value{
				"a": told(3, "AllPropagated", "", `{"bucket": {"zone": "3"}}`),
				"b": told(1, "SomeSkipped", "x", `{"bucket": {"zone": "1", "owner": "1"}, "vpc": {"zone": "1"}}`),
				"c": told(2, "AllPropagated", "", `{"bucket": {"zone": "2", "owner": "2"}}`),
			}),
			want: map[string]map[string]string{"bucket": {"zone": "3", "owner": "2"}, "vpc": {"zone": "1"}},
		},
		"Own": {
			reason:  "What the step itself has told before Crossplane called it again is not an earlier step's.",
			context: steps(map[string]*structpb.Value{noInput: told(1, "AllPropagated", "", `{"bucket": {"zone": "1"}}`)}),
		},
		"Odd": {
			reason: "What is no tag is not read.",
			context: steps(map[string]*structpb.Value{
				"a": told(1, "AllPropagated", "", `{"bucket": {"zone": 1, "owner": null, "a": "b"}}`),
				"b": told(1, "Other", "", `{"bucket": {"zone": "1"}}`),
			}),
			want: map[string]map[string]string{"bucket": {"a": "b"}},
		},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(tc.want, Earlier(&fnv1.RunFunctionRequest{Context: tc.context}), cmpopts.EquateEmpty()); diff != "" {
				t.Errorf("\n%s\nEarlier(...): -want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}

func TestToContextKey(t *testing.T) {
	gold := `{"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "gold"}, "data": {"size": "1"}}`

	cases := map[string]struct {
		reason  string
		context string
		set     resolve.Set
		want    string
	}{
		"Empty": {
			reason:  "Sources that come to nothing leave empty objects, which later steps can read.",
			context: `{}`,
			want:    `{"example.org/resolved": {"labels": {}, "classes": {}}}`,
		},
		"Resolved": {
			reason:  "Labels and whole classes are there, in the place of what was, and all else stays.",
			context: `{"other": [1, null], "example.org/resolved": {"labels": {"old": "1"}}}`,
			set: resolve.Set{
				Labels:  []tags.Label{{QualifiedKey: "a", TagKey: "plexsphere:a", Value: "1"}, {QualifiedKey: "b", TagKey: "plexsphere:b", Value: ""}},
				Classes: map[string]resolve.Class{"grade": {Kind: "ConfigMap", Name: "gold", Object: resource.MustStructJSON(gold)}},
			},
			want: `{"other": [1, null], "example.org/resolved": {"labels": {"a": "1", "b": ""}, "classes": {"grade": ` + gold + `}}}`,
		},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			req := request(namespaced)
			req.Context = resource.MustStructJSON(tc.context)
			r := &Run{
				Request:  req,
				Log:      logger(&bytes.Buffer{}),
				Required: require.New(req),
				Input:    &v1beta1.CloudTags{ToContextKey: new("example.org/resolved")},
				Set:      tc.set,
			}

			if diff := cmp.Diff(resource.MustStructJSON(tc.want), r.Success(t.Context(), &Outcome{}).GetContext(), protocmp.Transform()); diff != "" {
				t.Errorf("\n%s\nSuccess(...): -want context, +got context:\n%s", tc.reason, diff)
			}

			if diff := cmp.Diff(resource.MustStructJSON(tc.context), req.GetContext(), protocmp.Transform()); diff != "" {
				t.Errorf("\n%s\nSuccess(...) changed the request: -before, +after:\n%s", tc.reason, diff)
			}
		})
	}
}
