package report

import (
	"slices"
	"strings"
	"testing"

	"github.com/plexsphere/function-cloud-tags/input/v1beta1"
	"github.com/plexsphere/function-cloud-tags/tags"
	"github.com/plexsphere/function-cloud-tags/tags/metadata"
	"github.com/plexsphere/function-cloud-tags/tags/profile"
	"github.com/plexsphere/function-cloud-tags/tags/stamp"
	"github.com/plexsphere/function-cloud-tags/tags/tagpolicy"
	"github.com/plexsphere/function-cloud-tags/tags/tagstest"
	"github.com/plexsphere/function-cloud-tags/tags/words"
)

// TestSymptomsHaveReasons proves that the page of symptoms has a row for each reason of the condition and of events.
// Scenarios prove that the rows are right.
func TestSymptomsHaveReasons(t *testing.T) {
	page := tagstest.ReadFile(t, "../command/explain/README.md")

	// There is a topic for each reason, with nothing to say. Topics about skipped labels and violations need some.
	r := &Run{Input: &v1beta1.CloudTags{TagPolicy: &v1beta1.TagPolicy{Rules: make([]v1beta1.TagRule, 1)}}}
	f := &findings{Facts: &Facts{
		Outcome: stamp.Outcome{CloudRefuses: make([]stamp.Skip, 1), Skips: words.Map(profile.SkipReasons(), func(r profile.SkipReason) stamp.Skip {
			return stamp.Skip{SkippedLabel: tags.SkippedLabel{Reason: r}, Limit: string(r)}
		})},
		NotCopied: make([]metadata.NotCopied, 1), Violations: make([]tagpolicy.Violation, 1),
	}}

	reasons := slices.Concat(ranked, failures)
	for _, topic := range r.topics(f) {
		reasons = append(reasons, topic.reason)
	}

	for _, reason := range words.Distinct(reasons) {
		if !strings.Contains(string(page), "\n| `"+reason+":") && !strings.Contains(string(page), "\n`"+reason+"`") {
			t.Errorf("the page of symptoms has no row that begins with %s", reason)
		}
	}
}
