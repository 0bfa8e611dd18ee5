package report

import (
	"strings"
	"testing"

	"github.com/plexsphere/function-cloud-tags/input/v1beta1"
	"github.com/plexsphere/function-cloud-tags/tags/profile"
	"github.com/plexsphere/function-cloud-tags/tags/stamp"
	"github.com/plexsphere/function-cloud-tags/tags/tagpolicy"
)

func TestNotes(t *testing.T) {
	noting := func(name string, notes ...stamp.Note) stamp.Result {
		return stamp.Result{Resource: name, Provider: "aws", Notes: notes}
	}

	refusing := Outcome{
		CloudRefuses: []stamp.Skip{
			skip("hetzner", "a", profile.KeyCharacterClass, "allowed: no colon"),
			skip("hetzner", "b", profile.KeyCharacterClass, "allowed: no colon"),
			skip("hetzner", "b", profile.ValueCharacterClass, "allowed: few", "r"),
			skip("openstack", "c/d", profile.KeyCharacterClass, "allowed: no slash"),
		},
		Skips: []stamp.Skip{skip("aws", "a", profile.KeyTooLong, "")},
	}

	play(t, map[string]scene{
		"Kinds": {
			reason: "Each kind of notes has one result, which names resources, tags and managers. Warnings come first.",
			outcome: Outcome{Results: []stamp.Result{
				noting("a",
					stamp.Note{Kind: stamp.NoteImmutable, Keys: []string{"k", "l"}},
					stamp.Note{Kind: stamp.NoteOtherValue, Keys: []string{"k"}},
					stamp.Note{Kind: stamp.NoteOwned, Keys: []string{"k"}, Manager: "crossplane-terraform"},
					stamp.Note{Kind: stamp.NoteKept, Keys: []string{"k"}},
					stamp.Note{Kind: stamp.NoteUnreported},
					stamp.Note{Kind: stamp.NoteLastStays},
					stamp.Note{Kind: stamp.NoteLeftover, Keys: []string{"k"}, Manager: "crossplane-terraform"},
					stamp.Note{Kind: stamp.NoteReservedLaunched, Keys: []string{"k"}, Field: "spec.forProvider.disk.labels"},
				),
				noting("b\n", stamp.Note{Kind: stamp.NoteUnreported}, stamp.Note{Kind: stamp.NoteLastStays}),
			}},
		},
		"LeftAlone": {
			reason: "There can be something to say of a resource that is left alone.",
			outcome: Outcome{Results: []stamp.Result{
				{Resource: "a", Provider: "gcp", APIVersion: "v1", Kind: "Job", LeftAlone: "is made", Notes: []stamp.Note{{Kind: stamp.NoteImmutable, Keys: []string{"k"}}}},
			}},
		},
		"CloudRefuses": {
			reason:  "Tags that the cloud's API refuses are in one warning for each profile and limit, which is told once, with the mend. That is worse than a label that was skipped, which the condition tells, too.",
			outcome: refusing,
		},
		"CloudRefusesMeant": {
			reason:  "Whoever writes Contract out is not warned, but the condition says what is wrong all the same.",
			run:     Run{Input: &v1beta1.CloudTags{ProfileRules: profile.Contract}},
			outcome: refusing,
		},
		"Unmatched": {
			reason:  "Entries that select nothing are told by their paths.",
			outcome: Outcome{Unmatched: []string{"resources[0]", "tagPolicy.rules[1].resources[0]"}},
		},
	})
}

// TestNotesInCondition tests that the condition counts in every state what its message doesn't have: events of a
// busy composite resource get lost.
func TestNotesInCondition(t *testing.T) {
	noted := active("a", "aws")
	noted.Notes = []stamp.Note{{Kind: stamp.NoteKept, Keys: []string{"k", "l"}}, {Kind: stamp.NoteLastStays}}
	other := active("b", "aws")
	other.Notes = []stamp.Note{{Kind: stamp.NoteKept, Keys: []string{"k"}}}

	outcome := func(more Outcome, results ...stamp.Result) Outcome {
		more.Results = append([]stamp.Result{noted, other, untagged("c")}, results...)
		return more
	}
	skips := []stamp.Skip{skip("aws", "a", profile.KeyTooLong, ""), skip("aws", "b", profile.CountCap, "", "a")}
	rules := Run{Input: &v1beta1.CloudTags{TagPolicy: &v1beta1.TagPolicy{Rules: []v1beta1.TagRule{{Key: "owner"}}}}}

	play(t, map[string]scene{
		"AllPropagated":  {reason: "Resources are counted by the reason of the events, but not those without a tag field, which the message has.", outcome: outcome(Outcome{})},
		"SomeSkipped":    {reason: "Skipped labels are in the message.", outcome: outcome(Outcome{Skips: skips})},
		"CloudRefuses":   {reason: "So they are beside tags that the cloud refuses.", outcome: outcome(Outcome{Skips: skips, CloudRefuses: skips[:1]})},
		"UnknownKinds":   {reason: "A message about unknown kinds has nothing else.", outcome: outcome(Outcome{Skips: skips}, unknown("vm"))},
		"PolicyViolated": {reason: "Neither has one about the policy.", run: rules, outcome: outcome(Outcome{Violations: []tagpolicy.Violation{{First: []string{"a"}, Providers: map[string]int{"aws": 1}, Breach: tagpolicy.Breach{Kind: tagpolicy.Missing}}}, Skips: skips}, unknown("vm"))},
		"OfAllSteps": {
			reason:  "What all steps also count stands behind the worst of their messages.",
			context: contextOf(`{"a": {"order": 1, "reason": "SomeSkipped", "message": "x", "also": {"NotTagged": 2, "TagsKept": 1}}, "OWN": {"order": 2, "reason": "AllPropagated", "also": {"TagsKept": 9}}}`),
			outcome: outcome(Outcome{}, unknown("vm")),
		},
		"OfEarlierStep": {
			reason:  "So does what this step counts, if an earlier one has the worst.",
			context: contextOf(`{"a": {"order": 1, "reason": "SomeSkipped", "message": "x", "also": {"NotTagged": 2, "TagsKept": 1}}}`),
			outcome: outcome(Outcome{}),
		},
		"Odd": {
			reason:  "What no step writes makes no condition as long as it likes.",
			context: contextOf(`{"a": {"order": 1, "reason": "AllPropagated", "also": {"` + strings.Repeat("x", 2000) + `": 1, "a": "b", "c": -1}}, "b": {"order": 2, "reason": "AllPropagated", "also": []}}`),
			outcome: outcome(Outcome{}),
		},
	})
}
