package report

import (
	"bytes"
	"encoding/json"
	"fmt"
	"log/slog"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/plexsphere/function-cloud-tags/input/v1beta1"
	"github.com/plexsphere/function-cloud-tags/tags"
	"github.com/plexsphere/function-cloud-tags/tags/budget"
	"github.com/plexsphere/function-cloud-tags/tags/profile"
	"github.com/plexsphere/function-cloud-tags/tags/require"
	"github.com/plexsphere/function-cloud-tags/tags/resolve"
	"github.com/plexsphere/function-cloud-tags/tags/stamp"
	"github.com/plexsphere/function-cloud-tags/tags/tagstest"
)

// TestLogLevel tests that a log of a higher level gets no line.
func TestLogLevel(t *testing.T) {
	b := &bytes.Buffer{}
	req := request("")
	r := NewRun(req, Options{})
	r.AuditValues, r.Input, r.Required = true, &v1beta1.CloudTags{}, require.New(req)
	r.Log = slog.New(slog.NewJSONHandler(b, &slog.HandlerOptions{Level: slog.LevelWarn}))

	r.LogLabels(t.Context(), &resolve.LabelSet{Labels: []tags.Label{{QualifiedKey: "a"}}}) // Without a source, it can't be told of.
	r.Done(t.Context(), r.Success(t.Context(), &Facts{Outcome: stamp.Outcome{Results: []stamp.Result{{Resource: "a", Changes: stamp.Changes{Added: map[string]stamp.Values{"a": {After: "b"}}}}}}}), nil)

	if b.Len() > 0 {
		t.Errorf("Done(...): want no line below the level of the log, got %s", b)
	}
}

// TestLogLimit tests that a run writes no more than its Budget has room for: keys and values are short, and the last line says how many
// lines more there were.
func TestLogLimit(t *testing.T) {
	long := strings.Repeat("x", 1<<20)
	changed := func(keys ...string) stamp.Result {
		r := stamp.Result{Resource: "a", APIVersion: "example.org/v1", Kind: "Thing", Changes: stamp.Changes{Added: make(map[string]stamp.Values)}}
		for _, key := range keys {
			r.Changes.Added[key] = stamp.Values{After: long}
		}

		return r
	}

	cases := map[string]struct {
		reason string
		facts  Facts

		// lines of the log at most, and the last one.
		lines int
		last  map[string]any
	}{
		"LongKeys": {
			reason: "A key and a value of a megabyte are shortened, as in events.",
			facts: Facts{Outcome: stamp.Outcome{
				Skips:   []stamp.Skip{skip("aws", long, profile.KeyTooLong, "at most 128 characters", "a")},
				Results: []stamp.Result{changed(long)},
			}},
			lines: 2,
			last: map[string]any{
				"level": "INFO", "msg": "Changed cloud tags", "composed_resource": "a", "api_version": "example.org/v1", "kind": "Thing",
				"added": map[string]any{short(long): short(long)},
			},
		},
		"ManyKeys": {
			reason: "A resource that gets many tags names the first ones, and counts the others.",
			facts: Facts{Outcome: stamp.Outcome{Results: []stamp.Result{{
				Resource: "a", APIVersion: "example.org/v1", Kind: "Thing",
				Changes: stamp.Changes{Removed: map[string]stamp.Values{"b": {Before: "c"}}, MoreRemoved: 1000},
			}}}},
			lines: 1,
			last: map[string]any{
				"level": "INFO", "msg": "Changed cloud tags", "composed_resource": "a", "api_version": "example.org/v1", "kind": "Thing",
				"removed": map[string]any{"b": "c"}, "more_removed": 1000.0,
			},
		},
		"ManyLines": {
			reason: "The last line counts the lines that there is no room for.",
			facts:  Facts{Outcome: stamp.Outcome{Skips: manySkips(4000)}},
			lines:  1000,
			last:   map[string]any{"level": "WARN", "msg": "Left out log lines", "limit_bytes": float64(budget.MaxLog)},
		},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			b := &bytes.Buffer{}
			req := request("")
			r := NewRun(req, Options{})
			r.Log, r.AuditValues, r.Input, r.Required = tagstest.Logger(b, slog.LevelInfo), true, &v1beta1.CloudTags{}, require.New(req)
			r.Done(t.Context(), r.Success(t.Context(), &tc.facts), nil)

			got := lines(b.String())
			if len(got) > tc.lines || len(got) == 0 || b.Len() > budget.MaxLog {
				t.Fatalf("\n%s\nDone(...): want at most %d lines, got %d of %d bytes", tc.reason, tc.lines, len(got), b.Len())
			}

			var last map[string]any
			if err := json.Unmarshal([]byte(got[len(got)-1]), &last); err != nil {
				t.Fatal(err)
			}

			for _, key := range []string{"provisioned_resource", "digest"} {
				delete(last, key)
			}

			if left, ok := last["lines"].(float64); ok {
				if int(left)+len(got)-1 != len(tc.facts.Skips) {
					t.Errorf("\n%s\nDone(...): %d lines, and %g left out", tc.reason, len(got)-1, left)
				}

				delete(last, "lines")
			}

			if diff := cmp.Diff(tc.last, last); tc.last != nil && diff != "" {
				t.Errorf("\n%s\nDone(...): last line: -want, +got:\n%.2000s", tc.reason, diff)
			}
		})
	}
}

// manySkips returns that many skipped labels.
func manySkips(n int) []stamp.Skip {
	out := make([]stamp.Skip, n)
	for i := range out {
		out[i] = skip("aws", fmt.Sprintf("label-%04d", i), profile.CountCap, "at most 50 tags on a resource", "a")
	}

	return out
}
