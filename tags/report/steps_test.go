package report

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"

	"github.com/plexsphere/function-cloud-tags/input/v1beta1"
	"github.com/plexsphere/function-cloud-tags/tags"
	"github.com/plexsphere/function-cloud-tags/tags/profile"
	"github.com/plexsphere/function-cloud-tags/tags/stamp"
	"github.com/plexsphere/function-cloud-tags/tags/tagstest"
	"github.com/plexsphere/function-cloud-tags/tags/words"
)

// noInput is what tells a step without an input from others.
const noInput = "e3b0c44298fc1c14"

// contextOf has what the steps have told, and something else.
func contextOf(steps string) string {
	return `{"a": [1, null], "cloudtags.fn.plexsphere.com/steps": ` + strings.ReplaceAll(steps, "OWN", noInput) + `}`
}

// TestStepsHaveInputs tests that steps are told apart by their inputs.
func TestStepsHaveInputs(t *testing.T) {
	ids := words.Map([]string{`{"a": 1, "b": 2, "c": 3}`, `{"c": 3, "b": 2, "a": 1}`, `{"a": 1, "b": 2, "c": 4}`}, func(input string) string {
		return NewRun(&fnv1.RunFunctionRequest{Meta: &fnv1.RequestMeta{Tag: input}, Input: tagstest.MustStructJSON(input)}, Options{}).steps.id
	})
	if ids[0] != ids[1] || ids[0] == ids[2] {
		t.Errorf("NewRun(...): want the same for the first two inputs, which are one, and another for the third, got %q", ids)
	}
}

func TestEarlierTrustedTags(t *testing.T) {
	cases := map[string]struct {
		reason  string
		context string
		want    map[string]map[string]string
	}{
		"None": {reason: "Without steps there are no tags of theirs.", context: `{"a": [1, null]}`},
		"Several": {
			reason: "What steps have told of a resource is merged, and a later one knows better.",
			context: contextOf(`{"a": {"order": 3, "reason": "AllPropagated", "trusted": {"bucket": {"zone": "3"}}},
				"b": {"order": 1, "reason": "SomeSkipped", "trusted": {"bucket": {"zone": "1", "owner": "1"}, "vpc": {"zone": "1"}}},
				"c": {"order": 2, "reason": "AllPropagated", "trusted": {"bucket": {"zone": "2", "owner": "2"}}}}`),
			want: map[string]map[string]string{"bucket": {"zone": "3", "owner": "2"}, "vpc": {"zone": "1"}},
		},
		"Own": {
			reason:  "What the step itself has told before Crossplane called it again is not an earlier step's.",
			context: contextOf(`{"OWN": {"order": 1, "reason": "AllPropagated", "trusted": {"bucket": {"zone": "1"}}}}`),
		},
		"Odd": {
			reason: "What is no tag is not read.",
			context: contextOf(`{"a": {"order": 1, "reason": "AllPropagated", "trusted": {"bucket": {"zone": 1, "owner": null, "a": "b"}, "vpc": "x"}},
				"b": {"order": 1, "reason": "Other", "trusted": {"bucket": {"zone": "1"}}}}`),
			want: map[string]map[string]string{"bucket": {"a": "b"}, "vpc": {}},
		},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			got := NewRun(&fnv1.RunFunctionRequest{Context: tagstest.MustStructJSON(tc.context)}, Options{}).EarlierTrustedTags()
			if diff := cmp.Diff(tc.want, got, cmpopts.EquateEmpty()); diff != "" {
				t.Errorf("\n%s\nEarlierTrustedTags(...): -want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}

// TestDigestOf compares the digests of two runs. They differ exactly if the runs say something else.
func TestDigestOf(t *testing.T) {
	withheld := func(apiVersion, key string) *Facts {
		return &Facts{Outcome: stamp.Outcome{Results: []stamp.Result{{Resource: "bucket", APIVersion: apiVersion, Records: recordsOf(tags.Retained, key)}}}}
	}
	skipped := func(key string) *Facts {
		return &Facts{Outcome: stamp.Outcome{Skips: []stamp.Skip{skip("aws", "a", profile.CountCap, "at most 50 tags on a resource", key)}}}
	}
	end := strings.Repeat("x", 1000)

	cases := map[string]struct {
		reason string
		a, b   *Facts
		same   bool
	}{
		"Same":      {reason: "The same facts are told once.", a: withheld("v1", "env"), b: withheld("v1", "env"), same: true},
		"OtherKey":  {reason: "Another key is news.", a: withheld("v1", "env"), b: withheld("v1", "zone")},
		"Unsaid":    {reason: "No message about a withheld tag names the apiVersion, so that an upgrade of the kind is no news.", a: withheld("v1beta1", "env"), b: withheld("v1", "env"), same: true},
		"Middle":    {reason: "Names count as messages have them: the whole name of a megabyte, once for each of a thousand labels, would take seconds.", a: skipped(end + "a" + end), b: skipped(end + "b" + end), same: true},
		"Elsewhere": {reason: "Another resource is news.", a: skipped("a"), b: skipped("b")},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			digestOf := func(facts *Facts) string {
				r := &Run{Input: &v1beta1.CloudTags{}}
				f := r.find(facts, nil)

				said, leftOut := say(r.topics(f))

				return r.steps.digestOf(r.verdict(f), said, leftOut)
			}

			if a, b := digestOf(tc.a), digestOf(tc.b); (a == b) != tc.same {
				t.Errorf("\n%s\ndigestOf(...): want the same digest: %t, got %s and %s", tc.reason, tc.same, a, b)
			}
		})
	}
}
