package report

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"

	"github.com/plexsphere/function-cloud-tags/input/v1beta1"
	"github.com/plexsphere/function-cloud-tags/tags"
	"github.com/plexsphere/function-cloud-tags/tags/object"
	"github.com/plexsphere/function-cloud-tags/tags/resolve"
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

func TestSteps(t *testing.T) {
	const trusted = `"trusted": {"a": {"entigo:zone": "eu"}}`

	skipped := Outcome{Results: []stamp.Result{{Resource: "a", Provider: "aws", Mismatch: "x"}}}
	long := strings.Repeat("x", 8193)
	scenes := map[string]scene{
		"NoContext":           {reason: "A step of which there is nothing to tell needs no context.", edit: func(req *fnv1.RunFunctionRequest) { req.Context = nil }},
		"FirstWithoutContext": {reason: "A step that has something to tell makes the context.", edit: func(req *fnv1.RunFunctionRequest) { req.Context = nil }, outcome: skipped},
		"First":               {reason: "A step tells later ones its verdict.", outcome: skipped},
		"Trusted": {
			reason: "A step tells which reserved keys it has of trusted sources, though all is well, and even of a resource whose tags can't be written.",
			outcome: Outcome{Results: []stamp.Result{
				{Resource: "a", Trusted: map[string]string{"entigo:zone": "eu"}}, {Resource: "b", Mismatch: "x", Trusted: map[string]string{"owner": "x"}}, {Resource: "c"},
			}},
		},
		"WellAndTrusted": {
			reason:  "A step of which all is well has no message without sources.",
			outcome: Outcome{Results: []stamp.Result{{Resource: "a", Trusted: map[string]string{"entigo:zone": "eu"}}}},
		},
	}

	for name, of := range map[string]struct {
		reason, steps string
		outcome       Outcome
	}{
		"WorseBefore":      {"The verdict of an earlier step stands if it is worse.", `{"b": {"order": 1, "reason": "SomeSkipped", "message": "x"}, "a": {"order": 2, "reason": "AllPropagated", ` + trusted + `}}`, Outcome{}},
		"UnknownBefore":    {"What nobody knows is worse than what was skipped.", `{"b": {"order": 1, "reason": "UnknownKinds", "message": "x"}, "a": {"order": 2, "reason": "SomeSkipped", "message": "y"}}`, skipped},
		"BetterBefore":     {"The verdict of an earlier step doesn't stand if it is better.", `{"a": {"order": 1, "reason": "AllPropagated", "message": "fine", ` + trusted + `}}`, skipped},
		"AsBadBefore":      {"Of verdicts that are as bad the step's own stands.", `{"a": {"order": 1, "reason": "SomeSkipped", "message": "x"}}`, skipped},
		"AsBadBeforeThat":  {"Of earlier verdicts that are as bad the latest stands.", `{"a": {"order": 2, "reason": "SomeSkipped", "message": "y"}, "b": {"order": 1, "reason": "SomeSkipped", "message": "x"}}`, Outcome{}},
		"Together":         {"Steps that were told at once are in the order of their hashes.", `{"b": {"order": 1, "reason": "SomeSkipped", "message": "b"}, "a": {"order": 1, "reason": "SomeSkipped", "message": "a"}}`, Outcome{}},
		"Long":             {"Nobody makes a condition as long as they like.", `{"a": {"order": 1, "reason": "SomeSkipped", "message": "` + long + `"}}`, Outcome{}},
		"Again":            {"What the step told before Crossplane called it again is not what an earlier step told.", `{"OWN": {"order": 1, "reason": "UnknownKinds", "message": "x", ` + trusted + `}}`, skipped},
		"AgainAndWell":     {"What the step told before is gone if it is no longer so.", `{"OWN": {"order": 1, "reason": "UnknownKinds", "message": "x", ` + trusted + `}}`, Outcome{}},
		"AgainAmongOthers": {"What others told stays.", `{"a": {"order": 1, "reason": "AllPropagated", ` + trusted + `}, "OWN": {"order": 2, "reason": "SomeSkipped", "message": "x"}}`, Outcome{}},
		"NoObject":         {"What is no step's is not read, and goes if there is something to tell.", `"x"`, skipped},
		"NoSteps": {
			"What is no step's is not read, whatever it is like.",
			`{"a": null, "b": [], "c": {}, "d": {"reason": 1}, "e": {"reason": "TagConflict", "message": "x"}, "f": {"order": "x", "reason": "AllPropagated", "message": [], "trusted": "x"}, "": {"reason": ""}}`,
			Outcome{},
		},
	} {
		scenes[name] = scene{reason: of.reason, context: contextOf(of.steps), outcome: of.outcome}
	}

	play(t, scenes)
}

// TestStepsHaveInputs tests that steps are told apart by their inputs.
func TestStepsHaveInputs(t *testing.T) {
	ids := words.Map([]string{`{"a": 1, "b": 2, "c": 3}`, `{"c": 3, "b": 2, "a": 1}`, `{"a": 1, "b": 2, "c": 4}`}, func(input string) string {
		return NewRun(&fnv1.RunFunctionRequest{Meta: &fnv1.RequestMeta{Tag: input}, Input: tagstest.MustStructJSON(input)}).steps.id
	})
	if ids[0] != ids[1] || ids[0] == ids[2] {
		t.Errorf("NewRun(...): want the same for the first two inputs, which are one, and another for the third, got %q", ids)
	}
}

func TestEarlier(t *testing.T) {
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
			got := NewRun(&fnv1.RunFunctionRequest{Context: tagstest.MustStructJSON(tc.context)}).Earlier()
			if diff := cmp.Diff(tc.want, got, cmpopts.EquateEmpty()); diff != "" {
				t.Errorf("\n%s\nEarlier(...): -want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}

func TestToContextKey(t *testing.T) {
	gold := tagstest.MustStructJSON(`{"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "gold"}, "data": {"size": "1"}}`)
	run := Run{Input: &v1beta1.CloudTags{ToContextKey: "example.org/resolved"}}
	picked := run
	picked.Set = resolve.Set{
		Labels: []tags.Label{
			{QualifiedKey: "a", TagKey: "a", Value: "1", Source: &tags.Source{Name: "sources[0]"}},
			{QualifiedKey: "b", TagKey: "b", Source: &tags.Source{Name: "team"}},
		},
		Overridden: []tags.Label{
			{QualifiedKey: "b", TagKey: "b", Source: &tags.Source{Name: "sources[1]"}},
			{QualifiedKey: "b", TagKey: "b", Source: &tags.Source{Name: "sources[2]"}},
		},
		Classes: map[string]object.Object{"grade": object.Tree(gold)},
	}

	play(t, map[string]scene{
		"Nothing":   {reason: "Later steps may read that there are neither labels nor classes.", run: run},
		"NoContext": {reason: "What isn't there is made.", edit: func(req *fnv1.RunFunctionRequest) { req.Context = nil }, run: run},
		"Resolved":  {reason: "Labels and classes are handed on, beside what there is. Where labels are from is a matter of the log.", run: picked},
		"Replaced":  {reason: "What was there before, e.g. of another step, is replaced whole.", context: `{"example.org/resolved": {"labels": {"x": "y"}, "x": 1}}`, run: picked},
		"Told": {
			reason:  "It is beside what the step tells of itself.",
			context: contextOf(`{"a": {"order": 1, "reason": "SomeSkipped", "message": "x"}}`),
			run:     picked,
			outcome: Outcome{Results: []stamp.Result{{Resource: "a", Provider: "aws", Mismatch: "x"}}},
		},
	})
}
