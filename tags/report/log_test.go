package report

import (
	"bytes"
	"log/slog"
	"testing"

	"github.com/plexsphere/function-cloud-tags/input/v1beta1"
	"github.com/plexsphere/function-cloud-tags/tags"
	"github.com/plexsphere/function-cloud-tags/tags/require"
	"github.com/plexsphere/function-cloud-tags/tags/stamp"
)

// TestLogLevel tests that a log of a higher level gets no line.
func TestLogLevel(t *testing.T) {
	b := &bytes.Buffer{}
	req := request("")
	r := NewRun(req)
	r.AuditValues, r.Input, r.Required = true, &v1beta1.CloudTags{}, require.New(req)
	r.Log = slog.New(slog.NewJSONHandler(b, &slog.HandlerOptions{Level: slog.LevelWarn}))
	r.Set.Labels = []tags.Label{{QualifiedKey: "a"}} // Without a source, it can't be told of.

	r.LogLabels(t.Context())
	r.Success(t.Context(), &Facts{Outcome: stamp.Outcome{Results: []stamp.Result{{Resource: "a", Changes: stamp.Changes{Added: map[string]stamp.Values{"a": {After: "b"}}}}}}})

	if b.Len() > 0 {
		t.Errorf("Success(...): want no line below the level of the log, got %s", b)
	}
}
