package report

import (
	"bytes"
	"encoding/json"
	"fmt"
	"log/slog"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"google.golang.org/protobuf/encoding/protojson"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/testing/protocmp"

	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"

	"github.com/plexsphere/function-cloud-tags/input/v1beta1"
	"github.com/plexsphere/function-cloud-tags/tags"
	"github.com/plexsphere/function-cloud-tags/tags/locate"
	"github.com/plexsphere/function-cloud-tags/tags/profile"
	"github.com/plexsphere/function-cloud-tags/tags/require"
	"github.com/plexsphere/function-cloud-tags/tags/stamp"
	"github.com/plexsphere/function-cloud-tags/tags/tagstest"
)

// A scene is a run. A golden file has all of its results, its condition, its log and its metrics.
type scene struct {
	reason string

	// xr, composite and context are the composite resource, its desired state, and the pipeline's context, unless they
	// are the same as in every request.
	xr, composite, context string

	// statusSchema is the schema of the status of an XBucket of example.org/v1, if the request has one.
	statusSchema string

	// edit the request, if there is more to change.
	edit func(req *fnv1.RunFunctionRequest)

	// run, which lacks its request, log and metrics, and what came of it.
	run     Run
	outcome Facts

	// respond to the request, if not by telling what came of it.
	respond func(r *Run) *fnv1.RunFunctionResponse
}

// play the scenes.
func play(t *testing.T, scenes map[string]scene) {
	t.Helper()

	golden := tagstest.NewGolden(t)

	for name, s := range scenes {
		t.Run(name, func(t *testing.T) { golden.Check(t, s.reason, s.play(t)) })
	}
}

// play the scene, and return everything that is said: the condition, results, what becomes
// of the composite resource and the context, what is required, log lines and metrics.
func (s *scene) play(t *testing.T) []string {
	t.Helper()

	req := s.request()
	before := proto.CloneOf(req)
	log := &bytes.Buffer{}

	r, run := s.run, NewRun(req, Options{})
	r.Request, r.xr, r.steps = run.Request, run.xr, run.steps
	r.Log, r.Metrics = tagstest.Logger(log, slog.LevelDebug), NewMetrics()

	if r.Input == nil {
		r.Input = &v1beta1.CloudTags{}
	}

	if r.Required == nil {
		r.Required = require.New(req)
	}

	if s.respond == nil {
		s.respond = func(r *Run) *fnv1.RunFunctionResponse {
			r.LogLabels(t.Context(), &s.outcome.Set)
			return telling(r, r.Success(t.Context(), &s.outcome))
		}
	}

	rsp := s.respond(&r)

	if diff := cmp.Diff(before, req, protocmp.Transform()); diff != "" {
		t.Errorf("\n%s\nthe request must stay as it is: -before, +after:\n%s", s.reason, diff)
	}

	out := said(t, before, rsp)

	for line := range strings.Lines(log.String()) {
		out = append(out, strings.TrimSpace(line))
	}

	return append(out, tagstest.Counted(r.Metrics.Collectors()...)...)
}

// request of the scene.
func (s *scene) request() *fnv1.RunFunctionRequest {
	req := request(s.xr)

	if s.composite != "" {
		req.Desired.Composite.Resource = tagstest.MustStructJSON(s.composite)
	}

	if s.context != "" {
		req.Context = tagstest.MustStructJSON(s.context)
	}

	if s.statusSchema != "" {
		req.RequiredSchemas = map[string]*fnv1.Schema{"xr": {OpenapiV3: tagstest.MustStructJSON(`{"properties": {"status": ` + s.statusSchema +
			`}, "x-kubernetes-group-version-kind": [{"group": "example.org", "version": "v1", "kind": "XBucket"}]}`)}}
	}

	if s.edit != nil {
		s.edit(req)
	}

	return req
}

// said is what the response says. It is an error if the response changes anything else in the
// request.
func said(t *testing.T, req *fnv1.RunFunctionRequest, rsp *fnv1.RunFunctionResponse) []string {
	t.Helper()

	out := []string{"ttl: " + rsp.GetMeta().GetTtl().AsDuration().String()}

	for _, c := range rsp.GetConditions() {
		out = append(out, "condition: "+jsonOf(t, c))
	}

	for _, r := range rsp.GetResults() {
		out = append(out, fmt.Sprintf("%s %s %s: %s", r.GetSeverity(), r.GetTarget(), r.GetReason(), r.GetMessage()))
	}

	for _, part := range []struct {
		name        string
		before, now proto.Message
	}{
		{"composite", req.GetDesired().GetComposite(), rsp.GetDesired().GetComposite()},
		{"context", req.GetContext(), rsp.GetContext()},
		{"requires", (*fnv1.Requirements)(nil), rsp.GetRequirements()},
	} {
		if !proto.Equal(part.before, part.now) {
			out = append(out, part.name+": "+jsonOf(t, part.now))
		}
	}

	want := &fnv1.RunFunctionResponse{Meta: &fnv1.ResponseMeta{Tag: req.GetMeta().GetTag()}, Desired: &fnv1.State{Resources: req.GetDesired().GetResources()}}
	rest := &fnv1.RunFunctionResponse{Meta: proto.CloneOf(rsp.GetMeta()), Desired: &fnv1.State{Resources: rsp.GetDesired().GetResources()}, Output: rsp.GetOutput()}
	rest.Meta.Ttl = nil

	if diff := cmp.Diff(want, rest, protocmp.Transform()); diff != "" {
		t.Errorf("a response must leave all else as it is: -want, +got:\n%s", diff)
	}

	return out
}

// jsonOf is the message m as JSON, always the same.
func jsonOf(t *testing.T, m proto.Message) string {
	t.Helper()

	out := &bytes.Buffer{}

	b, err := protojson.Marshal(m)
	if err == nil {
		err = json.Compact(out, b)
	}

	if err != nil {
		t.Fatalf("cannot encode a message: %v", err)
	}

	return out.String()
}

// request returns a request of the composite resource xr, or of a namespaced one, with everything
// in it that a response must keep.
func request(xr string) *fnv1.RunFunctionRequest {
	if xr == "" {
		xr = `{"metadata": {"namespace": "team-a", "name": "assets"}}`
	}

	return &fnv1.RunFunctionRequest{
		Meta:     &fnv1.RequestMeta{Tag: "tag"},
		Observed: &fnv1.State{Composite: &fnv1.Resource{Resource: tagstest.MustStructJSON(xr)}},
		Desired: &fnv1.State{
			Composite: &fnv1.Resource{Resource: tagstest.MustStructJSON(`{"status": {"a": "b"}}`), Ready: fnv1.Ready_READY_TRUE},
			Resources: map[string]*fnv1.Resource{
				"a": {
					Resource: tagstest.MustStructJSON(`{"apiVersion": "example.org/v1", "kind": "Bucket", "spec": {"forProvider": {"tags": {"a": "b"}}}}`),
					Ready:    fnv1.Ready_READY_TRUE, ConnectionDetails: map[string][]byte{"a": []byte("b")},
				},
				"b": {Resource: tagstest.MustStructJSON(`{"apiVersion": "example.org/v1", "kind": "Bucket", "spec": {"forProvider": {"tags": {}}}}`), Ready: fnv1.Ready_READY_FALSE},
			},
		},
		Context: tagstest.MustStructJSON(`{"a": [1, null]}`),
	}
}

// skip returns the skip of a label for the reason, on the resources.
func skip(provider, key string, reason profile.SkipReason, limit string, resources ...string) stamp.Skip {
	return stamp.Skip{
		SkippedLabel: tags.SkippedLabel{QualifiedKey: key, TagKey: "plexsphere:" + key, Provider: provider, Reason: reason},
		Limit:        limit,
		Resources:    resources,
	}
}

// records of labels with the fate, by key and value.
func records(fate tags.Fate, tagged map[string]string) (out []tags.Judged) {
	for _, key := range slices.Sorted(maps.Keys(tagged)) {
		out = append(out, tags.Judged{Tag: &tags.Tag{Key: key, Value: tagged[key]}, Fate: fate})
	}

	return out
}

// recordsOf returns the records of labels with the fate and the keys.
func recordsOf(fate tags.Fate, keys ...string) (out []tags.Judged) {
	for _, key := range keys {
		out = append(out, tags.Judged{Tag: &tags.Tag{Key: key}, Fate: fate})
	}

	return out
}

// active returns a resource of the provider that has a tag of a label.
func active(name, provider string) stamp.Result {
	return stamp.Result{Resource: name, Provider: provider, Records: records(tags.Tagged, map[string]string{"k": "v"})}
}

// untagged returns a resource that can't be tagged.
func untagged(name string) stamp.Result {
	return stamp.Result{Resource: name, Provider: "generic", APIVersion: "v1", Kind: "ConfigMap", LeftAlone: "has no tag field", NoFieldReason: locate.NoField}
}

// unknown returns a managed resource of which nobody knows whether it has a tag field.
func unknown(name string) stamp.Result {
	return stamp.Result{Resource: name, Provider: "generic", APIVersion: "vm.example.org/v1", Kind: "VM", LeftAlone: "isn't known to have a tag field", NoFieldReason: locate.Unknown}
}

// lines of the text.
func lines(text string) []string { return slices.Collect(strings.Lines(text)) }
