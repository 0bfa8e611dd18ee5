package tags_test

import (
	"encoding/json"
	"os"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/plexsphere/function-cloud-tags/tags"
)

// minConformance is how many rows testdata/conformance.json has at least.
const minConformance = 60

// The rows were made by another implementation of the contract, and are for others.
func TestConformance(t *testing.T) {
	j, err := os.ReadFile("testdata/conformance.json")
	if err != nil {
		t.Fatal(err)
	}

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

	if len(rows) < minConformance {
		t.Errorf("want at least %d rows, got %d", minConformance, len(rows))
	}

	for _, r := range rows {
		got := answer{}
		got.Tags, got.Skipped = tags.CloudTags(r.Provider, r.Labels)

		if diff := cmp.Diff(r.answer, got, cmp.AllowUnexported(answer{})); diff != "" {
			t.Errorf("\n%s\nCloudTags(%q, %v): -want, +got:\n%s", r.Reason, r.Provider, r.Labels, diff)
		}
	}
}
