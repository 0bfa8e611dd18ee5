package report

import (
	"fmt"
	"strings"
	"testing"

	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"

	"github.com/plexsphere/function-cloud-tags/input/v1beta1"
	"github.com/plexsphere/function-cloud-tags/tags/expression"
	"github.com/plexsphere/function-cloud-tags/tags/profile"
	"github.com/plexsphere/function-cloud-tags/tags/stamp"
	"github.com/plexsphere/function-cloud-tags/tags/tagpolicy"
	"github.com/plexsphere/function-cloud-tags/tags/words"
)

// TestPolicy tests the messages about resources that break a rule of the tag policy.
func TestPolicy(t *testing.T) {
	ticket, err := expression.ParseRegexp("^[A-Z]+-[0-9]+$")
	if err != nil {
		t.Fatal(err)
	}

	policy := &v1beta1.CloudTags{
		Sources: []v1beta1.Source{{}},
		TagPolicy: &v1beta1.TagPolicy{Rules: []v1beta1.TagRule{
			{Key: "owner"},
			{Key: "cost-center", Values: []profile.Pattern{"100", "3*"}},
			{Key: "ticket", Matches: ticket},
		}},
	}

	few := []tagpolicy.Violation{
		{Rule: 0, Breach: tagpolicy.Breach{Kind: tagpolicy.Missing}, First: []string{"a", "c"}, Providers: map[string]int{"aws": 2}},
		{Rule: 0, Breach: tagpolicy.Breach{Kind: tagpolicy.WrongSpelling, Text: "Owner"}, First: []string{"b"}, Providers: map[string]int{"gcp": 1}},
		{Rule: 1, Breach: tagpolicy.Breach{Kind: tagpolicy.WrongValue, Text: "x"}, First: []string{"a"}, Providers: map[string]int{"aws": 1}},
		{Rule: 2, Breach: tagpolicy.Breach{Kind: tagpolicy.WrongValue, Text: "later"}, First: []string{"a"}, Providers: map[string]int{"aws": 1}},
	}

	many := make(tagpolicy.ViolationsByRule, 2)
	for i := range 30 {
		many.Add(1, tagpolicy.Breach{Kind: tagpolicy.WrongValue, Text: fmt.Sprintf("%s%d", strings.Repeat("v", 20*i), i/10)}, fmt.Sprintf("resource-%d", i), "aws")
	}

	fail := func(violations []tagpolicy.Violation) func(r *Run) *fnv1.RunFunctionResponse {
		return func(r *Run) *fnv1.RunFunctionResponse {
			return r.fatal(t.Context(), r.FailPolicy(violations))
		}
	}

	play(t, map[string]scene{
		"Warn":  {reason: "Each rule that is broken should be told once, and the condition be false whatever else there is.", run: Run{Input: policy}, outcome: Facts{Violations: few, Outcome: stamp.Outcome{Results: []stamp.Result{unknown("d")}}}},
		"Many":  {reason: "Messages should stay short, and say how many resources they are about.", run: Run{Input: policy}, outcome: Facts{Violations: many[1]}},
		"Error": {reason: "Where a policy is enforced, nothing else should be said.", run: Run{Input: policy}, respond: fail(few)},
	})
}

// TestPolicyOfManyRules tests that the condition is as short as an event, however many rules are broken. It says how many more there are.
func TestPolicyOfManyRules(t *testing.T) {
	in := &v1beta1.CloudTags{Sources: []v1beta1.Source{{}}, TagPolicy: &v1beta1.TagPolicy{}}

	var broken []tagpolicy.Violation

	for i := range 4260 {
		in.TagPolicy.Rules = append(in.TagPolicy.Rules, v1beta1.TagRule{Key: fmt.Sprintf("key-%04d", i)})
		broken = append(broken, tagpolicy.Violation{Rule: i, Breach: tagpolicy.Breach{Kind: tagpolicy.Missing}, First: []string{"bucket"}, Providers: map[string]int{"aws": 1}})
	}

	got := (&Run{Input: in}).violations(broken)
	if !strings.HasPrefix(got, "key-0000 ") || !strings.HasSuffix(got, " more") || len(got) > words.MaxMessage {
		t.Errorf("violations(...): want at most %d bytes that begin with the first rule and end with the number of the others, got %d: %s", words.MaxMessage, len(got), got)
	}
}
