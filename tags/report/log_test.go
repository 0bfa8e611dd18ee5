package report

import (
	"bytes"
	"log/slog"
	"strings"
	"testing"

	"github.com/plexsphere/function-cloud-tags/input/v1beta1"
	"github.com/plexsphere/function-cloud-tags/tags"
	"github.com/plexsphere/function-cloud-tags/tags/require"
	"github.com/plexsphere/function-cloud-tags/tags/stamp"
)

// TestChanges tests the lines about changed tags, with their values and without.
func TestChanges(t *testing.T) {
	type values = map[string]stamp.Values

	scenes := map[string]scene{}

	for name, of := range map[string]struct {
		reason, xr string
		changes    []stamp.Change
	}{
		"Added": {"Tags that were added are told, sorted by key.", "", []stamp.Change{
			{Resource: "a", Added: values{"c": {After: "3"}, "a": {After: "1"}, "b": {After: "2"}}},
		}},
		"Changed": {"Tags that have changed are told with what they were and what they are. A cluster scoped composite resource has only a name.", clusterScoped, []stamp.Change{
			{Resource: "a", Changed: values{"b": {Before: "1", After: "2"}, "a": {After: "1"}}},
		}},
		"Removed": {"Tags that were removed are told with what they were.", "", []stamp.Change{
			{Resource: "a", Added: values{}, Changed: values{}, Removed: values{"b": {Before: "2"}, "a": {Before: "1"}}},
		}},
		"Everything": {"Each resource has one line, whatever changes.", "", []stamp.Change{
			{Resource: "a", APIVersion: "example.org/v1", Kind: "Bucket", Added: values{"a": {After: "1"}}, Changed: values{"b": {Before: "1", After: "2"}}, Removed: values{"c": {Before: "3"}}},
			{Resource: "b", APIVersion: "example.org/v1", Kind: "Bucket", Removed: values{"c": {Before: "3"}}},
		}},
		"LongName": {"Whoever names the composite resource should not make each line long.", `{"metadata": {"name": "` + strings.Repeat("x", 10_000) + `"}}`, []stamp.Change{
			{Resource: "a", Added: values{"a": {After: "1"}}},
		}},
		"OddTags": {"Whatever a tag is like, a line has it as it is, and is one line.", `{}`, []stamp.Change{
			{Resource: "a", Added: values{"a\nb": {After: "c\nd"}, `"},{`: {After: `"`}, strings.Repeat("ü", 300): {After: strings.Repeat("x", 500)}}},
		}},
	} {
		scenes[name] = scene{reason: of.reason, xr: of.xr, outcome: Outcome{Changes: of.changes}}
		scenes[name+"Values"] = scene{reason: of.reason, xr: of.xr, run: Run{AuditValues: true}, outcome: Outcome{Changes: of.changes}}
	}

	play(t, scenes)
}

// TestLogLevel tests that a log that isn't interested gets no line.
func TestLogLevel(t *testing.T) {
	b := &bytes.Buffer{}
	req := request("")
	r := NewRun(req)
	r.AuditValues, r.Input, r.Required = true, &v1beta1.CloudTags{}, require.New(req)
	r.Log = slog.New(slog.NewJSONHandler(b, &slog.HandlerOptions{Level: slog.LevelWarn}))
	r.Set.Labels = []tags.Label{{QualifiedKey: "a"}} // Without a source, it can't be told of.

	r.Resolved(t.Context())
	r.Success(t.Context(), &Outcome{Changes: []stamp.Change{{Resource: "a", Added: map[string]stamp.Values{"a": {After: "b"}}}}})

	if b.Len() > 0 {
		t.Errorf("Success(...): want no line below the level of the log, got %s", b)
	}
}
