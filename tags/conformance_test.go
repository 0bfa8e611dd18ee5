package tags_test

import (
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/plexsphere/function-cloud-tags/tags"
	"github.com/plexsphere/function-cloud-tags/tags/tagstest"
)

// TestConformance compares the answers of CloudTags with files of labels and answers. Another implementation of the contract has
// made conformance.json, which is for all implementations.
func TestConformance(t *testing.T) {
	for file, least := range map[string]int{"conformance.json": 93, "limits.json": 92} {
		j := tagstest.ReadFile(t, "testdata/"+file)

		type answer struct {
			Tags    map[string]string   `json:"tags"`
			Skipped []tags.SkippedLabel `json:"skipped"`
		}

		var rows []struct {
			answer

			Reason   string            `json:"reason"`
			Provider string            `json:"provider"`
			Labels   map[string]string `json:"labels"`
		}

		if err := json.Unmarshal(j, &rows); err != nil {
			t.Fatal(err)
		}

		if len(rows) < least {
			t.Errorf("%s: want at least %d rows, got %d", file, least, len(rows))
		}

		for _, r := range rows {
			got := answer{}
			got.Tags, got.Skipped = tags.CloudTags(r.Provider, r.Labels)

			if diff := cmp.Diff(r.answer, got, cmp.AllowUnexported(answer{})); diff != "" {
				t.Errorf("\n%s\nCloudTags(%q, %v): -want, +got:\n%s", r.Reason, r.Provider, r.Labels, diff)
			}
		}
	}
}
