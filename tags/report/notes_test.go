package report

import (
	"testing"

	"github.com/plexsphere/function-cloud-tags/input/v1beta1"
	"github.com/plexsphere/function-cloud-tags/tags/profile"
	"github.com/plexsphere/function-cloud-tags/tags/stamp"
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
