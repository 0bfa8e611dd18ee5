package report

import (
	"bytes"
	"log/slog"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"google.golang.org/protobuf/testing/protocmp"

	"github.com/crossplane/function-sdk-go/errors"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/plexsphere/function-cloud-tags/input/v1beta1"
	"github.com/plexsphere/function-cloud-tags/tags/require"
	"github.com/plexsphere/function-cloud-tags/tags/stamp"
)

func TestAudit(t *testing.T) {
	// values of a tag before and after.
	values := func(before, after string) stamp.Values { return stamp.Values{Before: before, After: after} }

	// changed is the beginning of a line about a bucket.
	changed := func(xr, resource string) string {
		return `{"level":"INFO","msg":"Changed cloud tags","provisioned_resource":"` + xr + `","composed_resource":"` + resource +
			`","api_version":"example.org/v1","kind":"Bucket"`
	}

	change := stamp.Change{Resource: "a", APIVersion: "example.org/v1", Kind: "Bucket"}

	type args struct {
		xr      string
		changes []stamp.Change
	}

	cases := map[string]struct {
		reason string
		args   args

		// keys are the log lines that have no values, and values those that have.
		keys, values string
	}{
		"Nothing": {
			reason: "Without changes there is nothing to say.",
			args:   args{xr: namespaced},
		},
		"Added": {
			reason: "Tags that were added are told, sorted by key.",
			args: args{xr: namespaced, changes: []stamp.Change{func() stamp.Change {
				c := change
				c.Added = map[string]stamp.Values{"c": values("", "3"), "a": values("", "1"), "b": values("", "2")}

				return c
			}()}},
			keys:   changed("team-a/assets", "a") + `,"added":["a","b","c"]}` + "\n",
			values: changed("team-a/assets", "a") + `,"added":{"a":"1","b":"2","c":"3"}}` + "\n",
		},
		"Changed": {
			reason: "Tags that have changed are told with what they were and what they are. A cluster scoped composite resource has only a name.",
			args: args{xr: clusterScoped, changes: []stamp.Change{func() stamp.Change {
				c := change
				c.Changed = map[string]stamp.Values{"b": values("1", "2"), "a": values("", "1")}

				return c
			}()}},
			keys:   changed("assets", "a") + `,"changed":["a","b"]}` + "\n",
			values: changed("assets", "a") + `,"changed":{"a":{"from":"","to":"1"},"b":{"from":"1","to":"2"}}}` + "\n",
		},
		"Removed": {
			reason: "Tags that were removed are told with what they were.",
			args: args{xr: namespaced, changes: []stamp.Change{func() stamp.Change {
				c := change
				c.Added, c.Changed = map[string]stamp.Values{}, map[string]stamp.Values{}
				c.Removed = map[string]stamp.Values{"b": values("2", ""), "a": values("1", "")}

				return c
			}()}},
			keys:   changed("team-a/assets", "a") + `,"removed":["a","b"]}` + "\n",
			values: changed("team-a/assets", "a") + `,"removed":{"a":"1","b":"2"}}` + "\n",
		},
		"Everything": {
			reason: "Each resource has one line, whatever changes.",
			args: args{xr: namespaced, changes: []stamp.Change{
				func() stamp.Change {
					c := change
					c.Added = map[string]stamp.Values{"a": values("", "1")}
					c.Changed = map[string]stamp.Values{"b": values("1", "2")}
					c.Removed = map[string]stamp.Values{"c": values("3", "")}

					return c
				}(),
				func() stamp.Change {
					c := change
					c.Resource = "b"
					c.Removed = map[string]stamp.Values{"c": values("3", "")}

					return c
				}(),
			}},
			keys: changed("team-a/assets", "a") + `,"added":["a"],"changed":["b"],"removed":["c"]}` + "\n" +
				changed("team-a/assets", "b") + `,"removed":["c"]}` + "\n",
			values: changed("team-a/assets", "a") + `,"added":{"a":"1"},"changed":{"b":{"from":"1","to":"2"}},"removed":{"c":"3"}}` + "\n" +
				changed("team-a/assets", "b") + `,"removed":{"c":"3"}}` + "\n",
		},
		"OddTags": {
			reason: "Whatever a tag is like, a line has it as it is, and is one line.",
			args: args{xr: `{}`, changes: []stamp.Change{func() stamp.Change {
				c := change
				c.Added = map[string]stamp.Values{"a\nb": values("", "c\nd"), `"},{`: values("", `"`), strings.Repeat("ü", 300): values("", strings.Repeat("x", 5000))}

				return c
			}()}},
			keys:   changed("", "a") + `,"added":["\"},{","a\nb","` + strings.Repeat("ü", 300) + `"]}` + "\n",
			values: changed("", "a") + `,"added":{"\"},{":"\"","a\nb":"c\nd","` + strings.Repeat("ü", 300) + `":"` + strings.Repeat("x", 5000) + `"}}` + "\n",
		},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			for _, with := range []struct {
				values bool
				want   string
			}{{false, tc.keys}, {true, tc.values}} {
				b := &bytes.Buffer{}
				req := request(tc.args.xr)
				r := &Run{Request: req, Log: logger(b), AuditValues: with.values, Input: &v1beta1.CloudTags{TTL: metav1.Duration{Duration: time.Minute}}, Required: require.New(req)}

				if diff := cmp.Diff(respond(time.Minute, allPropagated()), r.Success(t.Context(), &Outcome{Changes: tc.args.changes}), protocmp.Transform()); diff != "" {
					t.Errorf("\n%s\nSuccess(...): changes are not for events: -want, +got:\n%s", tc.reason, diff)
				}

				if diff := cmp.Diff(lines(with.want), lines(b.String())); diff != "" {
					t.Errorf("\n%s\nSuccess(...) with values %t: -want log lines, +got log lines:\n%s", tc.reason, with.values, diff)
				}
			}
		})
	}
}

// TestAuditLevel tests that a log that isn't interested in changes gets none.
func TestAuditLevel(t *testing.T) {
	b := &bytes.Buffer{}
	req := request(namespaced)
	r := &Run{Request: req, Log: slog.New(slog.NewJSONHandler(b, &slog.HandlerOptions{Level: slog.LevelWarn})), AuditValues: true, Input: &v1beta1.CloudTags{}, Required: require.New(req)}

	r.Success(t.Context(), &Outcome{Changes: []stamp.Change{{Resource: "a", Added: map[string]stamp.Values{"a": {After: "b"}}}}})

	if b.Len() > 0 {
		t.Errorf("Success(...): want no line below the level of the log, got %s", b)
	}
}

// TestAuditNothing tests that only a run that succeeds tells of changes.
func TestAuditNothing(t *testing.T) {
	b := &bytes.Buffer{}
	req := request(namespaced)
	r := &Run{Request: req, Log: logger(b), AuditValues: true, Input: &v1beta1.CloudTags{}, Required: require.New(req)}

	r.Waiting()

	if b.Len() > 0 {
		t.Errorf("\nA call that only waits changes nothing.\nWaiting(): want no log line, got %s", b)
	}

	Fatal(t.Context(), req, logger(b), Fail(ReasonTagConflict, errors.New("a")))

	want := `{"level":"ERROR","msg":"Cannot tag composed resources","provisioned_resource":"team-a/assets","error":"a"}` + "\n"
	if diff := cmp.Diff(want, b.String()); diff != "" {
		t.Errorf("\nA call that fails changes nothing.\nFatal(...): -want log lines, +got log lines:\n%s", diff)
	}
}
