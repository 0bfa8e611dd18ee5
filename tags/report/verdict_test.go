package report

import (
	"fmt"
	"testing"

	"github.com/plexsphere/function-cloud-tags/input/v1beta1"
	"github.com/plexsphere/function-cloud-tags/tags"
	"github.com/plexsphere/function-cloud-tags/tags/stamp"
)

func TestVerdict(t *testing.T) {
	sources := Run{Input: &v1beta1.CloudTags{Sources: []v1beta1.Source{{}}}}
	adopted := stamp.Result{Resource: "i", Provider: "aws", APIVersion: "v1", Kind: "Bucket", LeftAlone: "is adopted"}

	many := []stamp.Result{}
	for i := range 100 {
		many = append(many, unknown(fmt.Sprintf("vm-%02d", i)))
	}

	play(t, map[string]scene{
		"Propagated": {
			reason:  "If all is well, it is told on how many resources there are tags.",
			run:     sources,
			outcome: Outcome{Results: []stamp.Result{active("a", "aws"), active("b", "aws")}},
		},
		"PropagatedToSome": {
			reason:  "Resources without a tag field are told, and so are those that must be left alone.",
			run:     sources,
			outcome: Outcome{Results: []stamp.Result{active("a", "aws"), untagged("c"), adopted, adopted, untagged("d")}},
		},
		"PropagatedToNone": {reason: "Who reads only the condition sees that there are no tags.", run: sources, outcome: Outcome{Results: []stamp.Result{untagged("c"), adopted}}},
		"NoSources":        {reason: "A step that has no labels says nothing of their tags.", outcome: Outcome{Results: []stamp.Result{untagged("c")}}},
		"Unknown": {
			reason:  "A resource of which nobody knows whether it has a tag field is named, with what to do, even if other resources have tags.",
			run:     sources,
			outcome: Outcome{Results: []stamp.Result{active("a", "aws"), untagged("c"), unknown("vm")}},
		},
		"UnknownAndSkipped": {
			reason:  "That is worse than a label that was skipped.",
			outcome: Outcome{Skips: []stamp.Skip{skip("aws", "a", tags.KeyTooLong, "")}, Results: []stamp.Result{unknown("a"), unknown("b")}},
		},
		"ManyUnknown": {reason: "Of many the first few are named.", outcome: Outcome{Results: many}},
	})
}
