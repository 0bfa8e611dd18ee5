package report

import (
	"bytes"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"google.golang.org/protobuf/testing/protocmp"

	"github.com/crossplane/function-sdk-go/errors"
	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/plexsphere/function-cloud-tags/input/v1beta1"
	"github.com/plexsphere/function-cloud-tags/tags"
	"github.com/plexsphere/function-cloud-tags/tags/metadata"
	"github.com/plexsphere/function-cloud-tags/tags/object"
	"github.com/plexsphere/function-cloud-tags/tags/require"
	"github.com/plexsphere/function-cloud-tags/tags/resolve"
	"github.com/plexsphere/function-cloud-tags/tags/stamp"
)

// unknown returns a managed resource of which nobody knows whether it has a tag field.
func unknown(name string) stamp.Result {
	return stamp.Result{Resource: name, Provider: "generic", APIVersion: "vm.example.org/v1", Kind: "VM", LeftAlone: "has no tag field that is known", Unknown: true}
}

func TestVerdict(t *testing.T) {
	const todo = `Crossplane 2.2 and newer can tell unless fieldDiscovery is Index, an entry of tagFields says so, ` +
		`and the annotation cloudtags.fn.plexsphere.com/ignore: "true" leaves a resource alone`

	active := func(names ...string) []stamp.Result {
		out := []stamp.Result{}
		for _, name := range names {
			out = append(out, stamp.Result{Resource: name, Provider: "aws", Active: map[string]string{"a": "b"}})
		}

		return out
	}

	many := []stamp.Result{}
	for i := range 100 {
		many = append(many, unknown(fmt.Sprintf("vm-%02d", i)))
	}

	noField := stamp.Result{Resource: "c", APIVersion: "v1", Kind: "ConfigMap", LeftAlone: "has no tag field", NoField: true}
	ignored := stamp.Result{Resource: "i", APIVersion: "v1", Kind: "Bucket", LeftAlone: "is adopted"}

	cases := map[string]struct {
		reason  string
		sources []v1beta1.Source
		outcome *Outcome
		want    verdict
	}{
		"Propagated": {
			reason:  "If all is well, it is told on how many resources there are tags.",
			sources: []v1beta1.Source{{}},
			outcome: &Outcome{Results: active("a", "b")},
			want:    verdict{reason: "AllPropagated", message: "tags on 2 composed resources"},
		},
		"PropagatedToSome": {
			reason:  "Resources without a tag field are told, and so are those that must be left alone.",
			sources: []v1beta1.Source{{}},
			outcome: &Outcome{Results: append(active("a"), noField, ignored, ignored, noField)},
			want:    verdict{reason: "AllPropagated", message: "tags on 1 composed resource; 2 have no tag field; 2 left alone"},
		},
		"PropagatedToNone": {
			reason:  "Who reads only the condition sees that there are no tags.",
			sources: []v1beta1.Source{{}},
			outcome: &Outcome{Results: []stamp.Result{noField}},
			want:    verdict{reason: "AllPropagated", message: "tags on 0 composed resources; 1 has no tag field"},
		},
		"NoSources": {
			reason:  "A step that has no labels says nothing of their tags.",
			outcome: &Outcome{Results: []stamp.Result{noField}},
			want:    verdict{reason: "AllPropagated"},
		},
		"Skipped": {
			reason:  "The first few skipped labels are named.",
			sources: []v1beta1.Source{{}},
			outcome: &Outcome{Results: active("a"), Skips: func() []stamp.Skip {
				out := []stamp.Skip{}
				for i := range 1000 {
					out = append(out, skip("aws", fmt.Sprintf("platform/label-%05d", i), tags.KeyTooLong, "at most 128 characters"))
				}

				return out
			}()},
			want: verdict{reason: "SomeSkipped", message: "1000 labels skipped on aws: key-too-long (platform/label-00000, platform/label-00001, " +
				"platform/label-00002, platform/label-00003, platform/label-00004, platform/label-00005, platform/label-00006 and 993 more)"},
		},
		"Unknown": {
			reason:  "A resource of which nobody knows whether it has a tag field is named, with what to do, even if other resources have tags.",
			sources: []v1beta1.Source{{}},
			outcome: &Outcome{Results: append(active("a"), noField, unknown("vm"))},
			want:    verdict{reason: "UnknownKinds", message: "not known whether 1 composed resource has a tag field: vm (vm.example.org/v1 VM); " + todo},
		},
		"UnknownAndSkipped": {
			reason:  "That is worse than a label that was skipped.",
			outcome: &Outcome{Skips: []stamp.Skip{skip("aws", "a", tags.KeyTooLong, "")}, Results: []stamp.Result{unknown("a"), unknown("b")}},
			want: verdict{reason: "UnknownKinds", message: "not known whether 2 composed resources have a tag field: " +
				"a (vm.example.org/v1 VM), b (vm.example.org/v1 VM); " + todo},
		},
		"ManyUnknown": {
			reason:  "Of many the first few are named.",
			outcome: &Outcome{Results: many},
			want: verdict{reason: "UnknownKinds", message: "not known whether 100 composed resources have a tag field: vm-00 (vm.example.org/v1 VM), " +
				"vm-01 (vm.example.org/v1 VM), vm-02 (vm.example.org/v1 VM), vm-03 (vm.example.org/v1 VM), vm-04 (vm.example.org/v1 VM) and 95 more; " + todo},
		},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			req := request(namespaced)
			r := &Run{Request: req, Log: logger(&bytes.Buffer{}), Required: require.New(req), Input: &v1beta1.CloudTags{Sources: tc.sources}}

			got := r.Success(t.Context(), tc.outcome).GetConditions()
			want := respond(0, condition(tc.want)).GetConditions()

			if diff := cmp.Diff(want, got, protocmp.Transform()); diff != "" {
				t.Errorf("\n%s\nSuccess(...): -want condition, +got condition:\n%s", tc.reason, diff)
			}
		})
	}
}

// condition that says what the supplied verdict does.
func condition(v verdict) *fnv1.Condition {
	c := &fnv1.Condition{Status: fnv1.Status_STATUS_CONDITION_TRUE, Reason: v.reason}

	if v.reason == "UnknownKinds" {
		c.Status = fnv1.Status_STATUS_CONDITION_FALSE
	}

	if v.message != "" {
		c.Message = &v.message
	}

	return c
}

// TestUnknownKinds tests the results about resources of which nobody knows whether they
// have a tag field.
func TestUnknownKinds(t *testing.T) {
	req := request(namespaced)
	o := &Outcome{
		NotCopied: []metadata.NotCopied{{Why: "z"}},
		Results:   []stamp.Result{unknown("a"), {Resource: "b", APIVersion: "v1", Kind: "ConfigMap", LeftAlone: "has no tag field", NoField: true}, unknown("c")},
	}

	want := []*fnv1.Result{
		warning("UnknownKinds", "not known whether these have a tag field (Crossplane 2.2 and newer can tell unless fieldDiscovery is Index, "+
			"an entry of tagFields says so, and the annotation cloudtags.fn.plexsphere.com/ignore: \"true\" leaves a resource alone): "+
			"a (vm.example.org/v1 VM) has no tag field that is known; c (vm.example.org/v1 VM) has no tag field that is known"),
		warning("MetadataNotCopied", "kubernetesMetadata[0]: not copied: z"),
		normal("NotTagged", "not tagged: b (v1 ConfigMap) has no tag field"),
	}

	if diff := cmp.Diff(want, succeed(req, logger(&bytes.Buffer{}), 0, o).GetResults(), protocmp.Transform()); diff != "" {
		t.Errorf("\nThey are in a warning, and not among those that can't be tagged.\nSuccess(...): -want results, +got results:\n%s", diff)
	}
}

// TestEmptySources tests the results about sources that have found nothing.
func TestEmptySources(t *testing.T) {
	req := request(namespaced)
	long := strings.Repeat("a", 2000)
	r := &Run{
		Request:  req,
		Log:      logger(&bytes.Buffer{}),
		Required: require.New(req),
		Input:    &v1beta1.CloudTags{TTL: metav1.Duration{Duration: time.Minute}},
		Set:      resolve.Set{Empty: []string{"sources[0]: there is no spec.labelz", long}},
	}

	want := respond(time.Minute, allPropagated(),
		normal("SourceEmpty", "sources[0]: there is no spec.labelz"),
		normal("SourceEmpty", long[:470]+"…"+long[:235]+" (2000 bytes)"),
	)

	if diff := cmp.Diff(want, r.Success(t.Context(), &Outcome{}), protocmp.Transform()); diff != "" {
		t.Errorf("\nA source that finds nothing is no failure, but is told.\nSuccess(...): -want, +got:\n%s", diff)
	}
}

// TestUnknownProvider tests the results about providers without a tag profile.
func TestUnknownProvider(t *testing.T) {
	const known = " has no tag profile of its own: generic applies; known are aws, azure, digitalocean, gcp, generic, hetzner, openstack"

	generic := &Outcome{Results: []stamp.Result{{Resource: "a", Provider: "generic", Active: map[string]string{"a": "b"}}}}

	cases := map[string]struct {
		reason  string
		input   *v1beta1.StringSource
		named   string // Provider that the composite resource or a class names.
		outcome *Outcome
		want    []*fnv1.Result
	}{
		"None": {
			reason:  "Who names no provider means none.",
			outcome: generic,
		},
		"Known": {
			reason:  "A provider may be written in any case.",
			input:   &v1beta1.StringSource{Value: new("Generic")},
			named:   "amazon",
			outcome: generic,
		},
		"Value": {
			reason:  "A provider that the input names is most likely a mistake, whatever the resources.",
			input:   &v1beta1.StringSource{Value: new("amazon")},
			outcome: &Outcome{},
			want:    []*fnv1.Result{normal("UnknownProvider", `provider "amazon"`+known)},
		},
		"Named": {
			reason:  "So is one that the composite resource or a class names.",
			input:   &v1beta1.StringSource{FromFieldPath: object.MustParsePath("spec.provider")},
			named:   "amazon\n",
			outcome: generic,
			want:    []*fnv1.Result{normal("UnknownProvider", `provider "amazon\n"`+known)},
		},
		"NamedAndSkipped": {
			reason:  "It matters to labels that the generic profile skips.",
			named:   "amazon",
			outcome: &Outcome{Skips: []stamp.Skip{skip("generic", "a", tags.KeyTooLong, "")}},
			want: []*fnv1.Result{
				warning("KeyTooLong", "generic: skipped 1 label: key-too-long (): a → plexsphere:a"),
				normal("UnknownProvider", `provider "amazon"`+known),
			},
		},
		"NamedInVain": {
			reason:  "It doesn't matter to resources whose provider is known.",
			named:   "amazon",
			outcome: &Outcome{Results: []stamp.Result{{Resource: "a", Provider: "aws", Active: map[string]string{"a": "b"}}}},
		},
		"Long": {
			reason:  "Nobody makes an event as long as they like.",
			named:   strings.Repeat("a", 1_000_000),
			outcome: generic,
			want: []*fnv1.Result{
				normal("UnknownProvider", `provider "`+strings.Repeat("a", 127)+"…"+strings.Repeat("a", 63)+`" (1000002 bytes)`+known),
			},
		},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			req := request(namespaced)
			r := &Run{
				Request:  req,
				Log:      logger(&bytes.Buffer{}),
				Required: require.New(req),
				Input:    &v1beta1.CloudTags{Provider: tc.input},
				Set:      resolve.Set{Provider: tc.named},
			}

			if diff := cmp.Diff(tc.want, r.Success(t.Context(), tc.outcome).GetResults(), protocmp.Transform()); diff != "" {
				t.Errorf("\n%s\nSuccess(...): -want results, +got results:\n%s", tc.reason, diff)
			}
		})
	}
}

// TestFatalLong tests that nobody makes a condition as long as they like.
func TestFatalLong(t *testing.T) {
	b := &bytes.Buffer{}
	rsp := Fatal(t.Context(), request(namespaced), logger(b), errors.New(strings.Repeat("ü", 1_000_000)))
	want := strings.Repeat("ü", 2048) + "…" + strings.Repeat("ü", 1024) + " (2000000 bytes)"

	if diff := cmp.Diff(want, rsp.GetResults()[0].GetMessage()); diff != "" {
		t.Errorf("Fatal(...): -want message, +got message:\n%s", diff)
	}

	if diff := cmp.Diff(want, rsp.GetConditions()[0].GetMessage()); diff != "" {
		t.Errorf("Fatal(...): -want message of the condition, +got message of the condition:\n%s", diff)
	}

	if b.Len() > 10_000 {
		t.Errorf("Fatal(...): want a log line that is no longer, got %d bytes", b.Len())
	}
}

// TestSuccessBounded tests that labels times resources are not more than either.
func TestSuccessBounded(t *testing.T) {
	const labels, resources = 10_000, 2000

	keys, names := make([]string, labels), make([]string, resources)
	for i := range keys {
		keys[i] = fmt.Sprintf("plexsphere:label-%05d", i)
	}

	o := &Outcome{}

	for i := range names {
		names[i] = fmt.Sprintf("resource-%04d", i)
		o.Results = append(o.Results, stamp.Result{Resource: names[i], Withheld: stamp.Withheld{Retained: keys[:1], Removed: keys[1:], Protected: keys}})
	}

	for _, key := range keys {
		o.Skips = append(o.Skips, skip("aws", key, tags.CountCap, "at most 50 tags on a resource", names...))
	}

	b := &bytes.Buffer{}
	rsp := succeed(request(namespaced), logger(b), 0, o)

	if err := sound(rsp.GetResults()); err != nil {
		t.Errorf("Success(...): want messages that events can have, got %s", err)
	}

	size := 0
	for _, r := range rsp.GetResults() {
		size += len(r.GetMessage())
	}

	if want := 10_000_000; size > want || b.Len() > want {
		t.Errorf("Success(...): want results and log lines of at most %d bytes each, got %d and %d", want, size, b.Len())
	}

	line := `{"level":"WARN","msg":"Skipped label","provisioned_resource":"team-a/assets","qualified_key":"plexsphere:label-00000",` +
		`"tag_key":"plexsphere:plexsphere:label-00000","provider":"aws","reason":"count-cap","composed_resources":["resource-0000","resource-0001","resource-0002",` +
		`"resource-0003","resource-0004","resource-0005","resource-0006","resource-0007","resource-0008","resource-0009"],"more_composed_resources":1990}` + "\n"
	if diff := cmp.Diff(line, lines(b.String())[0]); diff != "" {
		t.Errorf("\nA log line names the first few resources.\nSuccess(...): -want log line, +got log line:\n%s", diff)
	}

	last := rsp.GetResults()[len(rsp.GetResults())-2:]
	want := []*fnv1.Result{
		normal("TagsWithheld", "resource-1999: withheld: plexsphere:label-00000 (an earlier step set another value); "+removed(1, 9)+"; and 9990 more"),
		normal("TagsProtected", "resource-1999: ignoreTags and removeTags of fields don't touch reserved keys: "+strings.Join(keys[:10], "; ")+"; and 9990 more"),
	}

	if diff := cmp.Diff(want, last, protocmp.Transform()); diff != "" {
		t.Errorf("\nEach resource has its results, which name the first few tags.\nSuccess(...): -want results, +got results:\n%s", diff)
	}
}

// removed is what a message says of tags that removeTags names, from one label to another.
func removed(from, to int) string {
	out := []string{}
	for i := from; i <= to; i++ {
		out = append(out, fmt.Sprintf("plexsphere:label-%05d (removeTags names it)", i))
	}

	return strings.Join(out, "; ")
}
