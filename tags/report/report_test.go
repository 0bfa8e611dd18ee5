package report

import (
	"bytes"
	"context"
	"fmt"
	"log/slog"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/testing/protocmp"
	"google.golang.org/protobuf/types/known/durationpb"
	"google.golang.org/protobuf/types/known/structpb"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"pgregory.net/rapid"

	"github.com/crossplane/function-sdk-go/errors"
	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"
	"github.com/crossplane/function-sdk-go/resource"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/plexsphere/function-cloud-tags/input/v1beta1"
	"github.com/plexsphere/function-cloud-tags/tags"
	"github.com/plexsphere/function-cloud-tags/tags/field"
	"github.com/plexsphere/function-cloud-tags/tags/metadata"
	"github.com/plexsphere/function-cloud-tags/tags/object"
	"github.com/plexsphere/function-cloud-tags/tags/require"
	"github.com/plexsphere/function-cloud-tags/tags/resolve"
	"github.com/plexsphere/function-cloud-tags/tags/stamp"
)

// bucket returns a desired composed resource with the supplied tags.
func bucket(tagMap string) *structpb.Struct {
	return resource.MustStructJSON(`{"apiVersion": "example.org/v1", "kind": "Bucket", "spec": {"forProvider": {"region": "r", "tags": ` + tagMap + `}}}`)
}

// request returns a request with everything in it that a response must keep.
func request(xr string) *fnv1.RunFunctionRequest {
	return &fnv1.RunFunctionRequest{
		Meta:     &fnv1.RequestMeta{Tag: "tag"},
		Observed: &fnv1.State{Composite: &fnv1.Resource{Resource: resource.MustStructJSON(xr)}},
		Desired: &fnv1.State{
			Composite: &fnv1.Resource{Resource: resource.MustStructJSON(`{"status": {"a": "b"}}`), Ready: fnv1.Ready_READY_TRUE},
			Resources: map[string]*fnv1.Resource{
				"a": {Resource: bucket(`{"a": "b"}`), Ready: fnv1.Ready_READY_TRUE, ConnectionDetails: map[string][]byte{"a": []byte("b")}},
				"b": {Resource: bucket(`{}`), Ready: fnv1.Ready_READY_FALSE},
			},
		},
		Context: resource.MustStructJSON(`{"a": [1, null]}`),
	}
}

const (
	namespaced    = `{"metadata": {"namespace": "team-a", "name": "assets"}}`
	clusterScoped = `{"metadata": {"name": "assets"}}`
)

// respond returns the response to a request that changes nothing, with the supplied
// condition and results.
func respond(ttl time.Duration, condition *fnv1.Condition, results ...*fnv1.Result) *fnv1.RunFunctionResponse {
	req := request(namespaced)

	condition.Type = "CloudTagsPropagated"
	condition.Target = fnv1.Target_TARGET_COMPOSITE_AND_CLAIM.Enum()

	if r := condition.GetReason(); r == "SomeSkipped" || r == "UnknownKinds" {
		req.Context.Fields["cloudtags.fn.plexsphere.com/steps"] = structpb.NewStructValue(&structpb.Struct{Fields: map[string]*structpb.Value{
			noInput: told(1, r, condition.GetMessage(), `{}`),
		}})
	}

	return &fnv1.RunFunctionResponse{
		Meta:       &fnv1.ResponseMeta{Tag: "tag", Ttl: durationpb.New(ttl)},
		Desired:    req.GetDesired(),
		Context:    req.GetContext(),
		Conditions: []*fnv1.Condition{condition},
		Results:    results,
	}
}

// noInput is what tells a step without an input from others.
const noInput = "e3b0c44298fc1c14"

// told is what a step has told later ones, by its order among those that have.
func told(order float64, reason, message, trusted string) *structpb.Value {
	fields := map[string]*structpb.Value{"order": structpb.NewNumberValue(order), "reason": structpb.NewStringValue(reason)}

	if message != "" {
		fields["message"] = structpb.NewStringValue(message)
	}

	if of := resource.MustStructJSON(trusted); len(of.GetFields()) > 0 {
		fields["trusted"] = structpb.NewStructValue(of)
	}

	return structpb.NewStructValue(&structpb.Struct{Fields: fields})
}

func allPropagated() *fnv1.Condition {
	return &fnv1.Condition{Status: fnv1.Status_STATUS_CONDITION_TRUE, Reason: "AllPropagated"}
}

// shortened returns what the name of as many of the supplied characters as are supplied
// is put as among others.
func shortened(of string, n int) string {
	return fmt.Sprintf("%s…%s (%d bytes)", strings.Repeat(of, 80), strings.Repeat(of, 40), n)
}

func someSkipped(message string) *fnv1.Condition {
	return &fnv1.Condition{Status: fnv1.Status_STATUS_CONDITION_TRUE, Reason: "SomeSkipped", Message: &message}
}

func failed(reason, message string) *fnv1.Condition {
	return &fnv1.Condition{Status: fnv1.Status_STATUS_CONDITION_FALSE, Reason: reason, Message: &message}
}

func result(severity fnv1.Severity, reason, message string) *fnv1.Result {
	return &fnv1.Result{Severity: severity, Reason: &reason, Message: message, Target: fnv1.Target_TARGET_COMPOSITE.Enum()}
}

func warning(reason, message string) *fnv1.Result {
	return result(fnv1.Severity_SEVERITY_WARNING, reason, message)
}

func normal(reason, message string) *fnv1.Result {
	return result(fnv1.Severity_SEVERITY_NORMAL, reason, message)
}

// skip returns the skip of a label for the supplied reason, on the supplied
// resources.
func skip(provider, key string, reason tags.SkipReason, limit string, resources ...string) stamp.Skip {
	return stamp.Skip{
		SkippedLabel: tags.SkippedLabel{QualifiedKey: key, TagKey: "plexsphere:" + key, Provider: provider, Reason: reason},
		Limit:        limit,
		Resources:    resources,
	}
}

// logger returns a logger that writes lines without a time to the supplied buffer.
func logger(b *bytes.Buffer) *slog.Logger {
	return slog.New(slog.NewJSONHandler(b, &slog.HandlerOptions{
		ReplaceAttr: func(groups []string, a slog.Attr) slog.Attr {
			if len(groups) == 0 && a.Key == slog.TimeKey {
				return slog.Attr{}
			}

			return a
		},
	}))
}

// lines of the supplied text.
func lines(text string) []string { return slices.Collect(strings.Lines(text)) }

func TestFatal(t *testing.T) {
	cases := map[string]struct {
		reason string
		err    error
		want   *fnv1.RunFunctionResponse
		log    string
	}{
		"Failure": {
			reason: "A failure fails for its reason, and must not be reused.",
			err:    Fail(ReasonInvalidInput, errors.New("sources: required")),
			want: respond(0, failed("InvalidInput", "sources: required"),
				result(fnv1.Severity_SEVERITY_FATAL, "InvalidInput", "sources: required")),
			log: `"error":"sources: required"`,
		},
		"Wrapped": {
			reason: "A failure within another error is found, and the whole error is told.",
			err:    errors.Wrap(Fail(ReasonResolveFailed, errors.New("spec.labels is a string")), "cannot run"),
			want: respond(0, failed("ResolveFailed", "cannot run: spec.labels is a string"),
				result(fnv1.Severity_SEVERITY_FATAL, "ResolveFailed", "cannot run: spec.labels is a string")),
			log: `"error":"cannot run: spec.labels is a string"`,
		},
		"TagConflict": {
			reason: "A conflict of tags has its own reason.",
			err:    Fail(ReasonTagConflict, errors.New("a")),
			want: respond(0, failed("TagConflict", "a"),
				result(fnv1.Severity_SEVERITY_FATAL, "TagConflict", "a")),
			log: `"error":"a"`,
		},
		"LimitExceeded": {
			reason: "Labels without tag slots have their own reason.",
			err:    Fail(ReasonLimitExceeded, errors.New("a")),
			want: respond(0, failed("LimitExceeded", "a"),
				result(fnv1.Severity_SEVERITY_FATAL, "LimitExceeded", "a")),
			log: `"error":"a"`,
		},
		"InternalError": {
			reason: "An error that is no failure is an internal one.",
			err:    errors.New("internal error: index out of range"),
			want: respond(0, failed("InternalError", "internal error: index out of range"),
				result(fnv1.Severity_SEVERITY_FATAL, "InternalError", "internal error: index out of range")),
			log: `"error":"internal error: index out of range"`,
		},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			b := &bytes.Buffer{}
			req := request(namespaced)

			if diff := cmp.Diff(tc.want, Fatal(t.Context(), req, logger(b), tc.err), protocmp.Transform()); diff != "" {
				t.Errorf("\n%s\nFatal(...): -want, +got:\n%s", tc.reason, diff)
			}

			log := `{"level":"ERROR","msg":"Cannot tag composed resources","provisioned_resource":"team-a/assets",` + tc.log + "}\n"
			if diff := cmp.Diff(log, b.String()); diff != "" {
				t.Errorf("\n%s\nFatal(...): -want log line, +got log line:\n%s", tc.reason, diff)
			}

			if diff := cmp.Diff(request(namespaced), req, protocmp.Transform()); diff != "" {
				t.Errorf("\n%s\nFatal(...) changed the request: -before, +after:\n%s", tc.reason, diff)
			}
		})
	}
}

func TestFailure(t *testing.T) {
	cause := errors.New("cause")
	err := Fail(ReasonTagConflict, errors.Wrap(cause, "cannot tag"))

	if diff := cmp.Diff("cannot tag: cause", err.Error()); diff != "" {
		t.Errorf("Error(): -want, +got:\n%s", diff)
	}

	if !errors.Is(err, cause) {
		t.Errorf("errors.Is(...): want a failure to be its cause")
	}
}

func TestFailStamp(t *testing.T) {
	cases := map[string]struct {
		reason string
		err    error
		want   string // The reason of the failure.
	}{
		"Limit": {
			reason: "Labels that the limit policy doesn't accept exceed a limit.",
			err:    &stamp.LimitError{},
			want:   "LimitExceeded",
		},
		"WrappedLimit": {
			reason: "An error about the limit is found within another one.",
			err:    errors.Wrap(&stamp.LimitError{}, "cannot tag"),
			want:   "LimitExceeded",
		},
		"Conflict": {
			reason: "Whatever else stops stamping is a tag that an earlier step has set.",
			err:    errors.New("an earlier step has set the tag"),
			want:   "TagConflict",
		},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			got := FailStamp(tc.err)

			if diff := cmp.Diff(tc.want, got.Reason); diff != "" {
				t.Errorf("\n%s\nFailStamp(...): -want reason, +got reason:\n%s", tc.reason, diff)
			}

			if !errors.Is(got, tc.err) || got.Error() != tc.err.Error() {
				t.Errorf("\n%s\nFailStamp(...): want a failure that is its cause %q, got %q", tc.reason, tc.err, got)
			}
		})
	}
}

// TestFailStampOfStamper tests the errors that stamping really returns.
func TestFailStampOfStamper(t *testing.T) {
	cases := map[string]struct {
		reason string
		in     *v1beta1.CloudTags
		want   *fnv1.RunFunctionResponse
	}{
		"Limit": {
			reason: "A policy that doesn't accept skipped labels names how many there are, and on which resources.",
			in: &v1beta1.CloudTags{
				LimitPolicy:  v1beta1.LimitPolicyApplyStrict,
				Sources:      []v1beta1.Source{{OnConflict: v1beta1.ConflictPolicyRetain}},
				ReservedTags: map[string]v1beta1.TagCount{"aws": 49},
			},
			want: fatal("LimitExceeded", `limitPolicy ApplyStrict: too many labels: 1 on composed resource "a" (aws: at most 50 tags on a resource, 49 of them reserved); `+
				`1 on composed resource "b" (aws: at most 50 tags on a resource, 49 of them reserved)`),
		},
		"Conflict": {
			reason: "A conflict names the resource, the key and both values.",
			in:     &v1beta1.CloudTags{Sources: []v1beta1.Source{{OnConflict: v1beta1.ConflictPolicyError}}},
			want:   fatal("TagConflict", `cannot tag composed resource "a": an earlier step has set the tag "a" to "b", and sources[0] with onConflict Error has the value "9" for it`),
		},
		"ConflictAndLimit": {
			reason: "A conflict comes before a limit, since that is a matter of all resources.",
			in: &v1beta1.CloudTags{
				LimitPolicy:  v1beta1.LimitPolicyApplyStrict,
				Sources:      []v1beta1.Source{{OnConflict: v1beta1.ConflictPolicyError}},
				ReservedTags: map[string]v1beta1.TagCount{"aws": 49},
			},
			want: fatal("TagConflict", `cannot tag composed resource "a": an earlier step has set the tag "a" to "b", and sources[0] with onConflict Error has the value "9" for it`),
		},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			req := request(namespaced)
			tc.in.Provider = &v1beta1.StringSource{Value: new("aws")}
			source := &tags.Source{Name: "sources[0]", OnConflict: tags.Conflict(tc.in.Sources[0].OnConflict)}

			stamper := &stamp.Stamper{
				Input:       tc.in,
				Transformer: tags.NewTransformer([]tags.Label{{QualifiedKey: "a", TagKey: "a", Value: "9", Source: source}, {QualifiedKey: "b", TagKey: "b", Value: "9", Source: source}}, nil),
				Fields:      fixed(field.Chain{field.ByProfile{}}),
			}

			_, err := stampAll(stamper, req.GetDesired().GetResources())
			if err == nil {
				t.Fatalf("\n%s\nStamp(...): want an error", tc.reason)
			}

			if diff := cmp.Diff(tc.want, Fatal(t.Context(), req, logger(&bytes.Buffer{}), FailStamp(err)), protocmp.Transform()); diff != "" {
				t.Errorf("\n%s\nFatal(...): -want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}

// fatal returns the response to a request that fails for the supplied reason.
func fatal(reason, message string) *fnv1.RunFunctionResponse {
	return respond(0, failed(reason, message), result(fnv1.Severity_SEVERITY_FATAL, reason, message))
}

func TestFatalEmptyRequest(t *testing.T) {
	want := &fnv1.RunFunctionResponse{
		Meta: &fnv1.ResponseMeta{Ttl: durationpb.New(0)},
		Conditions: []*fnv1.Condition{{
			Type:    "CloudTagsPropagated",
			Status:  fnv1.Status_STATUS_CONDITION_FALSE,
			Reason:  "InternalError",
			Message: new("a"),
			Target:  fnv1.Target_TARGET_COMPOSITE_AND_CLAIM.Enum(),
		}},
		Results: []*fnv1.Result{result(fnv1.Severity_SEVERITY_FATAL, "InternalError", "a")},
	}

	b := &bytes.Buffer{}

	if diff := cmp.Diff(want, Fatal(t.Context(), &fnv1.RunFunctionRequest{}, logger(b), errors.New("a")), protocmp.Transform()); diff != "" {
		t.Errorf("\nA request that has nothing can fail too.\nFatal(...): -want, +got:\n%s", diff)
	}

	if diff := cmp.Diff(`{"level":"ERROR","msg":"Cannot tag composed resources","provisioned_resource":"","error":"a"}`+"\n", b.String()); diff != "" {
		t.Errorf("\nA request that has nothing can fail too.\nFatal(...): -want log line, +got log line:\n%s", diff)
	}
}

// succeed reports the supplied outcome of a run that has no options.
func succeed(req *fnv1.RunFunctionRequest, log *slog.Logger, ttl time.Duration, o *Outcome) *fnv1.RunFunctionResponse {
	r := &Run{Request: req, Log: log, Required: require.New(req), Input: &v1beta1.CloudTags{TTL: metav1.Duration{Duration: ttl}}}
	return r.Success(context.Background(), o)
}

// requiring returns the requirements of a call that needs an object and a schema. It
// adds them to the supplied response too.
func requiring(req *fnv1.RunFunctionRequest, rsp *fnv1.RunFunctionResponse) *require.Requirements {
	req.Meta.Capabilities = []fnv1.Capability{
		fnv1.Capability_CAPABILITY_CAPABILITIES,
		fnv1.Capability_CAPABILITY_REQUIRED_RESOURCES,
		fnv1.Capability_CAPABILITY_REQUIRED_SCHEMAS,
	}

	required := require.New(req)
	required.Resources(&fnv1.ResourceSelector{ApiVersion: "v1", Kind: "Namespace", Match: &fnv1.ResourceSelector_MatchName{MatchName: "team-a"}})
	required.Schemas(slices.Values([]schema.GroupVersionKind{{Group: "example.org", Version: "v1", Kind: "Bucket"}}))
	required.AddTo(rsp)

	return required
}

func TestWaiting(t *testing.T) {
	b := &bytes.Buffer{}
	req := request(namespaced)

	want := respond(time.Minute, &fnv1.Condition{})
	want.Conditions = nil

	r := &Run{
		Request:  req,
		Log:      logger(b),
		Required: requiring(req, want),
		Input:    &v1beta1.CloudTags{TTL: metav1.Duration{Duration: time.Minute}, StatusFieldPath: object.MustParsePath("status.cloudTags"), ToContextKey: new("example.org/resolved")},
		Set: resolve.Set{
			Labels:  []tags.Label{{QualifiedKey: "a", TagKey: "a", Value: "1"}},
			Classes: map[string]resolve.Class{"grade": {APIVersion: "v1", Kind: "ConfigMap", Name: "gold"}},
			Empty:   []string{"sources[1]: there is no spec.labelz"},
		},
	}

	if len(want.GetRequirements().GetResources()) != 1 || len(want.GetRequirements().GetSchemas()) != 1 {
		t.Fatalf("AddTo(...): want an object and a schema to be required, got %v", want.GetRequirements())
	}

	if diff := cmp.Diff(want, r.Waiting(), protocmp.Transform()); diff != "" {
		t.Errorf("\nA call that only waits says nothing but what it waits for.\nWaiting(): -want, +got:\n%s", diff)
	}

	if b.Len() > 0 {
		t.Errorf("\nA call that only waits says nothing.\nWaiting(): want no log line, got %s", b)
	}
}

func TestSuccessRequires(t *testing.T) {
	req := request(namespaced)
	want := respond(time.Minute, allPropagated())
	r := &Run{Request: req, Log: logger(&bytes.Buffer{}), Input: &v1beta1.CloudTags{TTL: metav1.Duration{Duration: time.Minute}}, Required: requiring(req, want)}

	if diff := cmp.Diff(want, r.Success(t.Context(), &Outcome{}), protocmp.Transform()); diff != "" {
		t.Errorf("\nA call requires what it needed again, or Crossplane would never be done with asking.\nSuccess(...): -want, +got:\n%s", diff)
	}
}

func TestSuccess(t *testing.T) {
	type args struct {
		xr      string
		ttl     time.Duration
		outcome *Outcome
	}

	type want struct {
		rsp  *fnv1.RunFunctionResponse
		logs string
	}

	const (
		atMost128 = "at most 128 characters"
		atMost50  = "at most 50 tags on a resource"
	)

	long := strings.Repeat("a", 300)
	elided := strings.Repeat("a", 128) + "…" + strings.Repeat("a", 64) + " (300 bytes)"

	cases := map[string]struct {
		reason string
		args   args
		want   want
	}{
		"Nothing": {
			reason: "If nothing happened there is nothing to say but that all is well.",
			args:   args{xr: namespaced, ttl: time.Minute, outcome: &Outcome{}},
			want:   want{rsp: respond(time.Minute, allPropagated())},
		},
		"TTL": {
			reason: "Crossplane may reuse the response for as long as it is told, or not at all.",
			args:   args{xr: namespaced, ttl: 0, outcome: &Outcome{}},
			want:   want{rsp: respond(0, allPropagated())},
		},
		"Skipped": {
			reason: "Labels that are skipped for one reason are in one result, and each has a log line.",
			args: args{
				xr: namespaced, ttl: time.Minute,
				outcome: &Outcome{Skips: []stamp.Skip{
					skip("aws", "aws:x", tags.ReservedPrefix, "reserved: aws:"),
					skip("aws", "a", tags.KeyTooLong, atMost128),
					skip("aws", "b", tags.KeyTooLong, atMost128),
				}},
			},
			want: want{
				rsp: respond(
					time.Minute,
					someSkipped("1 label skipped on aws: reserved-prefix (aws:x); 2 labels skipped on aws: key-too-long (a, b)"),
					warning("ReservedPrefix", "aws: skipped 1 label: reserved-prefix (reserved: aws:): aws:x → plexsphere:aws:x"),
					warning("KeyTooLong", "aws: skipped 2 labels: key-too-long (at most 128 characters): a → plexsphere:a; b → plexsphere:b"),
				),
				logs: `{"level":"WARN","msg":"Skipped label","provisioned_resource":"team-a/assets","qualified_key":"aws:x","tag_key":"plexsphere:aws:x","provider":"aws","reason":"reserved-prefix"}
{"level":"WARN","msg":"Skipped label","provisioned_resource":"team-a/assets","qualified_key":"a","tag_key":"plexsphere:a","provider":"aws","reason":"key-too-long"}
{"level":"WARN","msg":"Skipped label","provisioned_resource":"team-a/assets","qualified_key":"b","tag_key":"plexsphere:b","provider":"aws","reason":"key-too-long"}
`,
			},
		},
		"SkippedOnResources": {
			reason: "A label that is skipped on some resources names them. A cluster scoped composite resource has only a name.",
			args: args{
				xr: clusterScoped, ttl: time.Minute,
				outcome: &Outcome{Skips: []stamp.Skip{
					skip("aws", "y", tags.CountCap, atMost50, "a"),
					skip("aws", "z", tags.CountCap, atMost50, "a", "b"),
				}},
			},
			want: want{
				rsp: respond(
					time.Minute,
					someSkipped("2 labels skipped on aws: count-cap (y, z)"),
					warning("CountCap", "aws: skipped 2 labels: count-cap (at most 50 tags on a resource): y → plexsphere:y on a; z → plexsphere:z on a, b"),
				),
				logs: `{"level":"WARN","msg":"Skipped label","provisioned_resource":"assets","qualified_key":"y","tag_key":"plexsphere:y","provider":"aws","reason":"count-cap","composed_resources":["a"]}
{"level":"WARN","msg":"Skipped label","provisioned_resource":"assets","qualified_key":"z","tag_key":"plexsphere:z","provider":"aws","reason":"count-cap","composed_resources":["a","b"]}
`,
			},
		},
		"SkippedByProfiles": {
			reason: "Each profile has its own results, and so has each limit.",
			args: args{
				xr: namespaced, ttl: time.Minute,
				outcome: &Outcome{Skips: []stamp.Skip{
					skip("hetzner", "a", tags.ValueTooLong, "at most 63 characters"),
					skip("openstack", "a", tags.ValueTooLong, `at most 255 characters for key, "=" and value together`, "a"),
					skip("openstack", "b", tags.ValueTooLong, "at most 255 bytes"),
				}},
			},
			want: want{
				rsp: respond(
					time.Minute,
					someSkipped("1 label skipped on hetzner: value-too-long (a); 2 labels skipped on openstack: value-too-long (a, b)"),
					warning("ValueTooLong", "hetzner: skipped 1 label: value-too-long (at most 63 characters): a → plexsphere:a"),
					warning("ValueTooLong", `openstack: skipped 1 label: value-too-long (at most 255 characters for key, "=" and value together): a → plexsphere:a on a`),
					warning("ValueTooLong", "openstack: skipped 1 label: value-too-long (at most 255 bytes): b → plexsphere:b"),
				),
				logs: `{"level":"WARN","msg":"Skipped label","provisioned_resource":"team-a/assets","qualified_key":"a","tag_key":"plexsphere:a","provider":"hetzner","reason":"value-too-long"}
{"level":"WARN","msg":"Skipped label","provisioned_resource":"team-a/assets","qualified_key":"a","tag_key":"plexsphere:a","provider":"openstack","reason":"value-too-long","composed_resources":["a"]}
{"level":"WARN","msg":"Skipped label","provisioned_resource":"team-a/assets","qualified_key":"b","tag_key":"plexsphere:b","provider":"openstack","reason":"value-too-long"}
`,
			},
		},
		"SkippedOddKeys": {
			reason: "Keys that are long or can't be seen are told in another way, but are logged as they are. A composite resource without metadata has no name.",
			args: args{
				xr: `{}`, ttl: time.Minute,
				outcome: &Outcome{Skips: []stamp.Skip{
					{SkippedLabel: tags.SkippedLabel{QualifiedKey: "a\nb", TagKey: "p:a\nb", Provider: "aws", Reason: tags.KeyCharacterClass}, Limit: "allowed: few"},
					{SkippedLabel: tags.SkippedLabel{QualifiedKey: long, TagKey: long, Provider: "aws", Reason: tags.KeyCharacterClass}, Limit: "allowed: few"},
				}},
			},
			want: want{
				rsp: respond(
					time.Minute,
					someSkipped(`2 labels skipped on aws: key-character-class ("a\nb", `+shortened("a", 300)+")"),
					warning("KeyCharacterClass", `aws: skipped 2 labels: key-character-class (allowed: few): "a\nb" → "p:a\nb"; `+elided+" → "+elided),
				),
				logs: `{"level":"WARN","msg":"Skipped label","provisioned_resource":"","qualified_key":"a\nb","tag_key":"p:a\nb","provider":"aws","reason":"key-character-class"}
{"level":"WARN","msg":"Skipped label","provisioned_resource":"","qualified_key":"` + long + `","tag_key":"` + long + `","provider":"aws","reason":"key-character-class"}
`,
			},
		},
		"Mismatches": {
			reason: "A tag field that was left alone is a warning, since the resource has none of the tags.",
			args: args{
				xr: namespaced, ttl: time.Minute,
				outcome: &Outcome{Results: []stamp.Result{{Resource: "a", Mismatch: "spec.tags is a list, not a map of tags"}}},
			},
			want: want{rsp: respond(
				time.Minute,
				someSkipped("1 tag field left alone"),
				warning("TagFieldMismatch", "a: left the tag field alone: spec.tags is a list, not a map of tags"),
			)},
		},
		"Withheld": {
			reason: "What was withheld is told by resource, and is no warning, since somebody asked for it.",
			args: args{
				xr: namespaced, ttl: time.Minute,
				outcome: &Outcome{Results: []stamp.Result{
					{Resource: "a", Withheld: stamp.Withheld{Retained: []string{"plexsphere:a", "plexsphere:b"}}},
					{Resource: "b", Withheld: stamp.Withheld{Retained: []string{"plexsphere:\ta"}}},
				}},
			},
			want: want{rsp: respond(
				time.Minute,
				allPropagated(),
				normal("TagsWithheld", "a: withheld: plexsphere:a (an earlier step set another value); plexsphere:b (an earlier step set another value)"),
				normal("TagsWithheld", `b: withheld: "plexsphere:\ta" (an earlier step set another value)`),
			)},
		},
		"WithheldIgnored": {
			reason: "A label whose tag another system owns is told with the field of the input that says so.",
			args: args{
				xr: namespaced, ttl: time.Minute,
				outcome: &Outcome{Results: []stamp.Result{{Resource: "a", Withheld: stamp.Withheld{Ignored: []string{"k"}}}}},
			},
			want: want{rsp: respond(
				time.Minute,
				allPropagated(),
				normal("TagsWithheld", "a: withheld: k (the cloud has another value, and ignoreTags names it)"),
			)},
		},
		"WithheldRemoved": {
			reason: "A label whose tag is removed is told with the field of the input that says so.",
			args: args{
				xr: namespaced, ttl: time.Minute,
				outcome: &Outcome{Results: []stamp.Result{{Resource: "a", Withheld: stamp.Withheld{Removed: []string{"k"}}}}},
			},
			want: want{rsp: respond(
				time.Minute,
				allPropagated(),
				normal("TagsWithheld", "a: withheld: k (removeTags names it)"),
			)},
		},
		"WithheldProtected": {
			reason: "A reserved key that a field tried to take away is told, though its tag is as it should be.",
			args: args{
				xr: namespaced, ttl: time.Minute,
				outcome: &Outcome{Results: []stamp.Result{{Resource: "a", Withheld: stamp.Withheld{Protected: []string{"k"}}}}},
			},
			want: want{rsp: respond(
				time.Minute,
				allPropagated(),
				normal("TagsProtected", "a: ignoreTags and removeTags of fields don't touch reserved keys: k"),
			)},
		},
		"WithheldForAllCauses": {
			reason: "The tags of a resource are in one result, sorted by key, each with its own cause.",
			args: args{
				xr: namespaced, ttl: time.Minute,
				outcome: &Outcome{Results: []stamp.Result{
					{Resource: "a", Withheld: stamp.Withheld{Retained: []string{"d", "h"}, Ignored: []string{"c", "g"}, Removed: []string{"b", "f"}, Protected: []string{"a", "e"}}},
					{Resource: "b", Withheld: stamp.Withheld{Retained: []string{"z"}, Protected: []string{"y"}}},
				}},
			},
			want: want{rsp: respond(
				time.Minute,
				allPropagated(),
				normal("TagsWithheld", "a: withheld: b (removeTags names it); "+
					"c (the cloud has another value, and ignoreTags names it); d (an earlier step set another value); "+
					"f (removeTags names it); g (the cloud has another value, and ignoreTags names it); h (an earlier step set another value)"),
				normal("TagsProtected", "a: ignoreTags and removeTags of fields don't touch reserved keys: a; e"),
				normal("TagsWithheld", "b: withheld: z (an earlier step set another value)"),
				normal("TagsProtected", "b: ignoreTags and removeTags of fields don't touch reserved keys: y"),
			)},
		},
		"WithheldParts": {
			reason: "Tags that don't fit into one result are in several, each of which names the resource.",
			args: args{
				xr: namespaced, ttl: time.Minute,
				outcome: &Outcome{Results: []stamp.Result{{
					Resource: "a",
					Withheld: stamp.Withheld{Retained: []string{strings.Repeat("b", 256)}, Ignored: []string{strings.Repeat("a", 256)}, Removed: []string{strings.Repeat("d", 256), long}},
				}}},
			},
			want: want{rsp: respond(
				time.Minute,
				allPropagated(),
				normal("TagsWithheld", "a: withheld: "+strings.Repeat("a", 256)+" (the cloud has another value, and ignoreTags names it); "+
					elided+" (removeTags names it); "+
					strings.Repeat("b", 256)+" (an earlier step set another value) (part 1 of 2)"),
				normal("TagsWithheld", "a: withheld: "+strings.Repeat("d", 256)+" (removeTags names it) (part 2 of 2)"),
			)},
		},
		"NotCopied": {
			reason: "Metadata that was not copied is a warning for each rule of the input, and the condition says it once.",
			args: args{
				xr: namespaced, ttl: time.Minute,
				outcome: &Outcome{NotCopied: []metadata.NotCopied{
					{Rule: 0, Why: "a: must be short"},
					{Rule: 0, Why: `to composed resource "b": spec is a string, not an object`},
					{Rule: 2, Why: "a: must be short"},
				}},
			},
			want: want{rsp: respond(
				time.Minute,
				someSkipped("metadata not copied"),
				warning("MetadataNotCopied", `kubernetesMetadata[0]: not copied: a: must be short; to composed resource "b": spec is a string, not an object`),
				warning("MetadataNotCopied", "kubernetesMetadata[2]: not copied: a: must be short"),
			)},
		},
		"NotCopiedParts": {
			reason: "Metadata that doesn't fit into one result is in several, each of which names the rule.",
			args: args{
				xr: namespaced, ttl: time.Minute,
				outcome: &Outcome{NotCopied: []metadata.NotCopied{
					{Rule: 1, Why: strings.Repeat("b", 256)},
					{Rule: 1, Why: strings.Repeat("a", 900)},
					{Rule: 1, Why: strings.Repeat("c", 256)},
					{Rule: 1, Why: strings.Repeat("d", 256)},
				}},
			},
			want: want{rsp: respond(
				time.Minute,
				someSkipped("metadata not copied"),
				warning("MetadataNotCopied", "kubernetesMetadata[1]: not copied: "+strings.Repeat("b", 256)+"; "+
					strings.Repeat("a", 256)+"…"+strings.Repeat("a", 128)+" (900 bytes) (part 1 of 2)"),
				warning("MetadataNotCopied", "kubernetesMetadata[1]: not copied: "+strings.Repeat("c", 256)+"; "+strings.Repeat("d", 256)+" (part 2 of 2)"),
			)},
		},
		"LeftAlone": {
			reason: "All resources that were left alone are in one result, which is no warning, since most kinds have no tags.",
			args: args{
				xr: namespaced, ttl: time.Minute,
				outcome: &Outcome{Results: []stamp.Result{
					{Resource: "a", APIVersion: "v1", Kind: "ConfigMap", LeftAlone: "has no tag field that is known"},
					{Resource: "b", APIVersion: "example.org/v1", Kind: "Bucket", LeftAlone: "is adopted"},
				}},
			},
			want: want{rsp: respond(
				time.Minute,
				allPropagated(),
				normal("NotTagged", "not tagged: a (v1 ConfigMap) has no tag field that is known; b (example.org/v1 Bucket) is adopted"),
			)},
		},
		"SomeLeftAlone": {
			reason: "If a resource has tags of ours, it's no matter that others can't have any.",
			args: args{
				xr: namespaced, ttl: time.Minute,
				outcome: &Outcome{
					Results: []stamp.Result{{Resource: "a", Provider: "aws", Active: map[string]string{"a": "b"}}, {Resource: "b", APIVersion: "v1", Kind: "ConfigMap", LeftAlone: "has no tag field"}},
				},
			},
			want: want{rsp: respond(time.Minute, allPropagated(), normal("NotTagged", "not tagged: b (v1 ConfigMap) has no tag field"))},
		},
		"NoLabelsAndLeftAlone": {
			reason: "Without labels no tag is ours, but the resources that nothing is said of can still be tagged, or untagged.",
			args: args{
				xr: namespaced, ttl: time.Minute,
				outcome: &Outcome{Results: []stamp.Result{{Resource: "b", APIVersion: "v1", Kind: "ConfigMap", LeftAlone: "has no tag field"}}},
			},
			want: want{rsp: respond(time.Minute, allPropagated(), normal("NotTagged", "not tagged: b (v1 ConfigMap) has no tag field"))},
		},
		"WithheldAndLeftAlone": {
			reason: "A resource whose tags earlier steps set to other values can be tagged, though none of its tags is ours.",
			args: args{
				xr: namespaced, ttl: time.Minute,
				outcome: &Outcome{
					Results: []stamp.Result{{Resource: "a", Withheld: stamp.Withheld{Retained: []string{"k"}}}, {Resource: "b", APIVersion: "v1", Kind: "ConfigMap", LeftAlone: "has no tag field"}},
				},
			},
			want: want{rsp: respond(
				time.Minute,
				allPropagated(),
				normal("TagsWithheld", "a: withheld: k (an earlier step set another value)"),
				normal("NotTagged", "not tagged: b (v1 ConfigMap) has no tag field"),
			)},
		},
		"SkippedByLimits": {
			reason: "Each limit has its own result, but a label that breaks two limits is one label.",
			args: args{
				xr: namespaced, ttl: time.Minute,
				outcome: &Outcome{Skips: []stamp.Skip{
					skip("openstack", "a", tags.ValueTooLong, "at most 10 characters", "a"),
					skip("openstack", "a", tags.ValueTooLong, "at most 12 characters", "b"),
				}},
			},
			want: want{
				rsp: respond(
					time.Minute,
					someSkipped("1 label skipped on openstack: value-too-long (a)"),
					warning("ValueTooLong", "openstack: skipped 1 label: value-too-long (at most 10 characters): a → plexsphere:a on a"),
					warning("ValueTooLong", "openstack: skipped 1 label: value-too-long (at most 12 characters): a → plexsphere:a on b"),
				),
				logs: `{"level":"WARN","msg":"Skipped label","provisioned_resource":"team-a/assets","qualified_key":"a","tag_key":"plexsphere:a","provider":"openstack","reason":"value-too-long","composed_resources":["a"]}
{"level":"WARN","msg":"Skipped label","provisioned_resource":"team-a/assets","qualified_key":"a","tag_key":"plexsphere:a","provider":"openstack","reason":"value-too-long","composed_resources":["b"]}
`,
			},
		},
		"SkippedReservedKey": {
			reason: "A label that claims a reserved key is told like any other that is skipped.",
			args: args{
				xr: namespaced, ttl: time.Minute,
				outcome: &Outcome{Skips: []stamp.Skip{skip("aws", "zone", tags.ReservedKey, "only trusted sources may claim it, and nobody a key that providers set")}},
			},
			want: want{
				rsp: respond(
					time.Minute,
					someSkipped("1 label skipped on aws: reserved-key (zone)"),
					warning("ReservedKey", "aws: skipped 1 label: reserved-key (only trusted sources may claim it, and nobody a key that providers set): zone → plexsphere:zone"),
				),
				logs: `{"level":"WARN","msg":"Skipped label","provisioned_resource":"team-a/assets","qualified_key":"zone","tag_key":"plexsphere:zone","provider":"aws","reason":"reserved-key"}
`,
			},
		},
		"Parts": {
			reason: "Labels that don't fit into one result are in several, each of which says which one it is.",
			args: args{
				xr: namespaced, ttl: time.Minute,
				outcome: &Outcome{Skips: []stamp.Skip{
					skip("aws", strings.Repeat("a", 245), tags.CountCap, atMost50, "r"),
					skip("aws", strings.Repeat("b", 245), tags.CountCap, atMost50, "r"),
				}},
			},
			want: want{
				rsp: respond(
					time.Minute,
					someSkipped("2 labels skipped on aws: count-cap ("+shortened("a", 245)+" and 1 more)"),
					warning("CountCap", "aws: skipped 2 labels: count-cap (at most 50 tags on a resource): "+
						strings.Repeat("a", 245)+" → plexsphere:"+strings.Repeat("a", 245)+" on r (part 1 of 2)"),
					warning("CountCap", "aws: skipped 2 labels: count-cap (at most 50 tags on a resource): "+
						strings.Repeat("b", 245)+" → plexsphere:"+strings.Repeat("b", 245)+" on r (part 2 of 2)"),
				),
				logs: `{"level":"WARN","msg":"Skipped label","provisioned_resource":"team-a/assets","qualified_key":"` + strings.Repeat("a", 245) +
					`","tag_key":"plexsphere:` + strings.Repeat("a", 245) + `","provider":"aws","reason":"count-cap","composed_resources":["r"]}
{"level":"WARN","msg":"Skipped label","provisioned_resource":"team-a/assets","qualified_key":"` + strings.Repeat("b", 245) +
					`","tag_key":"plexsphere:` + strings.Repeat("b", 245) + `","provider":"aws","reason":"count-cap","composed_resources":["r"]}
`,
			},
		},
		"Everything": {
			reason: "Warnings about labels come before those about resources, then metadata, and these before what is no warning.",
			args: args{
				xr: namespaced, ttl: time.Minute,
				outcome: &Outcome{
					Skips:     []stamp.Skip{skip("generic", "a", tags.KeyTooLong, "at most 63 characters")},
					Results:   []stamp.Result{{Resource: "a", Mismatch: "x"}, {Resource: "b", Mismatch: "y"}, {Resource: "b", Withheld: stamp.Withheld{Retained: []string{"k"}}}, {Resource: "c", APIVersion: "v1", Kind: "Secret", LeftAlone: "has no tag field that is known"}},
					NotCopied: []metadata.NotCopied{{Rule: 0, Why: "z"}},
					Changes:   []stamp.Change{{Resource: "b", APIVersion: "example.org/v1", Kind: "Bucket", Added: map[string]stamp.Values{"c": {After: "d"}}}},
				},
			},
			want: want{
				rsp: respond(
					time.Minute,
					someSkipped("1 label skipped on generic: key-too-long (a); 2 tag fields left alone; metadata not copied"),
					warning("KeyTooLong", "generic: skipped 1 label: key-too-long (at most 63 characters): a → plexsphere:a"),
					warning("TagFieldMismatch", "a: left the tag field alone: x"),
					warning("TagFieldMismatch", "b: left the tag field alone: y"),
					warning("MetadataNotCopied", "kubernetesMetadata[0]: not copied: z"),
					normal("TagsWithheld", "b: withheld: k (an earlier step set another value)"),
					normal("NotTagged", "not tagged: c (v1 Secret) has no tag field that is known"),
				),
				logs: `{"level":"WARN","msg":"Skipped label","provisioned_resource":"team-a/assets","qualified_key":"a","tag_key":"plexsphere:a","provider":"generic","reason":"key-too-long"}
{"level":"INFO","msg":"Changed cloud tags","provisioned_resource":"team-a/assets","composed_resource":"b","api_version":"example.org/v1","kind":"Bucket","added":["c"]}
`,
			},
		},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			b := &bytes.Buffer{}
			req := request(tc.args.xr)

			rsp := succeed(req, logger(b), tc.args.ttl, tc.args.outcome)
			if diff := cmp.Diff(tc.want.rsp, rsp, protocmp.Transform()); diff != "" {
				t.Errorf("\n%s\nSuccess(...): -want, +got:\n%s", tc.reason, diff)
			}

			if diff := cmp.Diff(lines(tc.want.logs), lines(b.String())); diff != "" {
				t.Errorf("\n%s\nSuccess(...): -want log lines, +got log lines:\n%s", tc.reason, diff)
			}
		})
	}
}

func TestResultReasons(t *testing.T) {
	want := map[tags.SkipReason]string{
		tags.ReservedKey:         "ReservedKey",
		tags.ReservedPrefix:      "ReservedPrefix",
		tags.KeyTooLong:          "KeyTooLong",
		tags.ValueTooLong:        "ValueTooLong",
		tags.KeyCharacterClass:   "KeyCharacterClass",
		tags.ValueCharacterClass: "ValueCharacterClass",
		tags.KeyCollision:        "KeyCollision",
		tags.CountCap:            "CountCap",
	}

	got := make(map[tags.SkipReason]string, len(want))
	for _, r := range tags.SkipReasons() {
		got[r] = pascalCase(r)
	}

	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("\nThe reason of a result is that of the skip, as reasons of events are written.\npascalCase(...): -want, +got:\n%s", diff)
	}
}

// retaining returns an input with one source, whose labels don't replace tags.
func retaining() *v1beta1.CloudTags {
	return &v1beta1.CloudTags{Sources: []v1beta1.Source{{OnConflict: v1beta1.ConflictPolicyRetain}}}
}

// A scenario is a request and what is to be stamped on its resources.
type scenario struct {
	labels  []tags.Label
	desired map[string]*fnv1.Resource
	in      *v1beta1.CloudTags
	profile string

	// xr is the composite resource, or empty if it doesn't matter.
	xr string

	// fields that are known, or nil if those are which are usual for the profile.
	fields field.Locator

	metrics *Metrics
}

// run stamps and reports, from copies of everything in the scenario.
func (s scenario) run() (*fnv1.RunFunctionResponse, *Outcome, string, error) {
	rules := field.NewRules(s.in.TagFields)

	xr := s.xr
	if xr == "" {
		xr = namespaced
	}

	req := request(xr)
	req.Desired.Resources = make(map[string]*fnv1.Resource, len(s.desired))

	for name, r := range s.desired {
		req.Desired.Resources[name] = proto.CloneOf(r)
	}

	in := s.in.DeepCopy()
	in.Provider = &v1beta1.StringSource{Value: &s.profile}

	stamper := &stamp.Stamper{
		Input:       in,
		Transformer: tags.NewTransformer(slices.Clone(s.labels), nil),
		Fields:      fixed(field.Chain{rules, field.ByProfile{}}),
	}

	if s.fields != nil {
		stamper.Fields = fixed(s.fields)
	}

	o, err := stampAll(stamper, req.GetDesired().GetResources())
	if err != nil {
		return nil, nil, "", err
	}

	b := &bytes.Buffer{}
	r := &Run{
		Request:  req,
		Log:      logger(b),
		Metrics:  s.metrics,
		Required: require.New(req),
		Input:    &v1beta1.CloudTags{TTL: metav1.Duration{Duration: time.Minute}, StatusFieldPath: object.MustParsePath("status.cloudTags")},
	}
	rsp := r.Success(context.Background(), o)

	return rsp, o, b.String(), nil
}

// marks of the labels of scenarios, which no other part of a message looks like.
var mark = regexp.MustCompile(`_\d{4}_`)

// named returns an error unless each skip of the supplied outcome is named in exactly
// one of the supplied results, which is one for its reason and limit. Labels must be
// marked.
func named(o *Outcome, results []*fnv1.Result) error {
	type skip struct{ mark, reason, limit string }

	got := make(map[skip]int)

	for _, r := range results {
		if r.GetSeverity() != fnv1.Severity_SEVERITY_WARNING || r.GetReason() == "TagFieldMismatch" || r.GetReason() == ReasonUnknownKinds {
			continue
		}

		head, items, _ := strings.Cut(r.GetMessage(), "): ")
		_, limit, _ := strings.Cut(head, " (")

		for item := range strings.SplitSeq(items, "; ") {
			marks := mark.FindAllString(item, -1)
			if len(marks) != 2 || marks[0] != marks[1] {
				return errors.Errorf("%q does not name one label and its tag", item)
			}

			got[skip{mark: marks[0], reason: r.GetReason(), limit: limit}]++
		}
	}

	want := make(map[skip]int)
	for _, s := range o.Skips {
		want[skip{mark: mark.FindString(s.QualifiedKey), reason: pascalCase(s.Reason), limit: s.Limit}]++
	}

	if diff := cmp.Diff(want, got); diff != "" {
		return errors.Errorf("-want, +got:\n%s", diff)
	}

	return nil
}

// sound returns an error unless the messages of all results can be those of events.
func sound(results []*fnv1.Result) error {
	for _, r := range results {
		if msg := r.GetMessage(); len(msg) > maxMessage || msg == "" || !utf8.ValidString(msg) || strings.ContainsAny(msg, "\n\x00") {
			return errors.Errorf("a message of %d bytes: %q", len(msg), msg)
		}
	}

	return nil
}

// scenarios with labels that are skipped for all kinds of reasons, on resources that
// have their tags in different places.
func scenarios(maxLabels int) *rapid.Generator[scenario] {
	return rapid.Custom(func(t *rapid.T) scenario {
		// Characters that neither marks nor lists of items in messages have.
		odd := rapid.StringOfN(rapid.RuneFrom([]rune("abcXYZ-./:@+ ü→😀\x00\t\n\"\\*&\u202e")), 0, 8, -1)
		key := rapid.OneOf(rapid.StringMatching(`[a-z]{0,8}`), odd, rapid.Just(strings.Repeat("x", 50)), rapid.Just(strings.Repeat("ü", 300)))

		s := scenario{
			labels:  make([]tags.Label, rapid.IntRange(0, maxLabels).Draw(t, "labels")),
			desired: make(map[string]*fnv1.Resource),
			profile: rapid.SampledFrom([]string{"aws", "hetzner", "openstack", "generic"}).Draw(t, "profile"),
			in: &v1beta1.CloudTags{
				Sources:      []v1beta1.Source{{OnConflict: v1beta1.ConflictPolicyRetain}},
				ReservedTags: map[string]v1beta1.TagCount{"aws": v1beta1.TagCount(rapid.IntRange(0, 60).Draw(t, "reserved"))}, //nolint:gosec // 60 is no overflow.
				TagFields: []v1beta1.TagField{{
					APIVersion: tags.NewPattern("example.org/*"), Kind: tags.NewPattern("Port"), FieldPath: object.MustParsePath("spec.tags"), Shape: v1beta1.TagFieldShapeStringList,
					StringList: &v1beta1.StringList{Separator: "=", MaxLength: 255},
				}},
			},
		}

		for i := range s.labels {
			k := rapid.SampledFrom([]string{"", "", "", "aws:", "platform/"}).Draw(t, "prefix") + fmt.Sprintf("_%04d_", i) + key.Draw(t, "key")
			v := strings.Repeat("ü", rapid.SampledFrom([]int{0, 1, 1, 1, 60, 120, 200, 300}).Draw(t, "value"))
			s.labels[i] = tags.Label{QualifiedKey: k, TagKey: "plexsphere:" + k, Value: v}
		}

		slices.SortFunc(s.labels, tags.Label.Compare)

		for i := range rapid.IntRange(1, 8).Draw(t, "resources") {
			name := fmt.Sprintf("r%d%s", i, strings.Repeat("r", rapid.SampledFrom([]int{0, 0, 250}).Draw(t, "name")))
			others := make([]string, rapid.IntRange(0, 55).Draw(t, "others"))

			for j := range others {
				others[j] = fmt.Sprintf(`"other%d": "x"`, j)
			}

			spec := rapid.SampledFrom([]string{
				`"kind": "Thing", "spec": {"forProvider": {"tags": {` + strings.Join(others, ", ") + `}}}`,
				`"kind": "Thing", "spec": {"forProvider": {"tags": "text", "labels": [], "metadata": 1}}`,
				`"kind": "Port", "spec": {}`,
				`"kind": "Other"`,
			}).Draw(t, "spec")

			s.desired[name] = &fnv1.Resource{Resource: resource.MustStructJSON(`{"apiVersion": "example.org/v1", ` + spec + `}`)}
		}

		return s
	})
}

func TestSuccessProperties(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := scenarios(120).Draw(t, "scenario")

		rsp, o, logs, err := s.run()
		if err != nil {
			t.Fatal(err)
		}

		if err := sound(rsp.GetResults()); err != nil {
			t.Fatalf("Success(...): want messages that events can have, got %s", err)
		}

		if err := named(o, rsp.GetResults()); err != nil {
			t.Fatalf("Success(...): want each skipped label named in one result: %s", err)
		}

		if got := len(lines(logs)); got != len(o.Skips) {
			t.Fatalf("Success(...): want %d log lines, got %d", len(o.Skips), got)
		}

		again, _, logsAgain, err := s.run()
		if err != nil {
			t.Fatal(err)
		}

		marshal := proto.MarshalOptions{Deterministic: true}
		a, errA := marshal.Marshal(rsp)
		b, errB := marshal.Marshal(again)

		if errA != nil || errB != nil {
			t.Fatalf("Marshal(...): %v, %v", errA, errB)
		}

		if !bytes.Equal(a, b) {
			t.Fatalf("Success(...): want the same twice: -first, +second:\n%s", cmp.Diff(rsp, again, protocmp.Transform()))
		}

		if logs != logsAgain {
			t.Fatalf("Success(...): want the same log lines twice: -first, +second:\n%s", cmp.Diff(lines(logs), lines(logsAgain)))
		}
	})
}

func TestSuccessMany(t *testing.T) {
	skips := func(n int, key func(i int) string, resources ...string) []stamp.Skip {
		out := make([]stamp.Skip, n)
		for i := range out {
			out[i] = skip("aws", key(i), tags.CountCap, "at most 50 tags on a resource, 10 of them reserved", resources...)
		}

		return out
	}
	short := func(i int) string { return fmt.Sprintf("_%04d_", i) }
	names := func(n, length int) []string {
		out := make([]string, n)
		for i := range out {
			out[i] = fmt.Sprintf("r%04d%s", i, strings.Repeat("r", length))
		}

		return out
	}

	cases := map[string]struct {
		reason string
		skips  []stamp.Skip
	}{
		"ThousandsOfLabels": {
			reason: "Thousands of labels are split into many messages.",
			skips:  skips(5000, short),
		},
		"LongKeys": {
			reason: "Labels with long keys are split into many messages.",
			skips:  skips(100, func(i int) string { return short(i) + strings.Repeat("k", 5000) }),
		},
		"ControlCharacters": {
			reason: "Characters that can't be seen take more bytes in messages.",
			skips:  skips(100, func(i int) string { return short(i) + strings.Repeat("\x00", i) }),
		},
		"ManyBytes": {
			reason: "Characters of many bytes are not torn apart.",
			skips: skips(100, func(i int) string {
				return short(i) + strings.Repeat("a", i%4) + strings.Repeat("😀", i)
			}),
		},
		"ManyResources": {
			reason: "Of thousands of resources only some are named.",
			skips:  skips(100, short, names(5000, 0)...),
		},
		"LongEverything": {
			reason: "Long keys and many resources with long names still are short messages.",
			skips:  skips(100, func(i int) string { return short(i) + strings.Repeat("ü", 5000) }, names(5000, 250)...),
		},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			b := &bytes.Buffer{}
			req := request(namespaced)
			o := &Outcome{Skips: tc.skips}
			rsp := succeed(req, logger(b), time.Minute, o)

			if err := sound(rsp.GetResults()); err != nil {
				t.Errorf("\n%s\nSuccess(...): want messages that events can have, got %s", tc.reason, err)
			}

			if err := named(o, rsp.GetResults()); err != nil {
				t.Errorf("\n%s\nSuccess(...): want each skipped label named in one result: %s", tc.reason, err)
			}

			if got := len(lines(b.String())); got != len(tc.skips) {
				t.Errorf("\n%s\nSuccess(...): want %d log lines, got %d", tc.reason, len(tc.skips), got)
			}
		})
	}
}

func TestSuccessManyResources(t *testing.T) {
	o := &Outcome{}

	for i := range 2000 {
		name := fmt.Sprintf("_%04d_%s", i, strings.Repeat("n\n", 150))
		o.Results = append(o.Results, stamp.Result{Resource: name, Mismatch: strings.Repeat("spec.", 300) + "tags is a list"},
			stamp.Result{Resource: name, APIVersion: strings.Repeat("a", 300), Kind: strings.Repeat("ü", 300), LeftAlone: "has no tag field that is known"})
	}

	keys := make([]string, 2000)
	for i := range keys {
		keys[i] = fmt.Sprintf("plexsphere:_%04d_%s", i, strings.Repeat("k", i))
	}

	for i, key := range keys {
		o.NotCopied = append(o.NotCopied, metadata.NotCopied{Rule: i / 700, Why: key + ": " + strings.Repeat("must be short; ", 50)})
	}

	o.Results = append(o.Results, stamp.Result{
		Resource: strings.Repeat("n", 253),
		Withheld: stamp.Withheld{Retained: keys[:500], Ignored: keys[500:1000], Removed: keys[1000:1500], Protected: keys[1500:]},
	})

	req := request(namespaced)
	rsp := succeed(req, logger(&bytes.Buffer{}), time.Minute, o)

	if err := sound(rsp.GetResults()); err != nil {
		t.Errorf("Success(...): want messages that events can have, got %s", err)
	}

	got := make(map[string]int)
	for _, r := range rsp.GetResults() {
		for _, m := range mark.FindAllString(r.GetMessage(), -1) {
			got[strings.Replace(r.GetReason(), "TagsProtected", "TagsWithheld", 1)+" "+m]++
		}
	}

	want := make(map[string]int)
	for _, reason := range []string{"NotTagged", "TagFieldMismatch", "MetadataNotCopied", "TagsWithheld"} {
		for i := range 2000 {
			want[fmt.Sprintf("%s _%04d_", reason, i)] = 1
		}
	}

	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("\nEach resource and each tag is named in exactly one result.\nSuccess(...): -want, +got:\n%s", diff)
	}
}

// stampAll stamps the supplied resources, which it changes.
func stampAll(s *stamp.Stamper, desired map[string]*fnv1.Resource) (*Outcome, error) {
	targets, err := s.Targets(context.Background(), desired)
	if err != nil {
		return nil, err
	}

	o, err := s.Stamp(context.Background(), targets)
	if err != nil {
		return nil, err
	}

	stamp.Apply(desired, o.Stamped())

	return &Outcome{Results: o.Results, Skips: o.Skips}, nil
}

// fixed is the supplied locator, which needs no schemas.
func fixed(l field.Locator) func(field.Schemas) field.Locator {
	return func(field.Schemas) field.Locator { return l }
}
