package report

import (
	"bytes"
	"fmt"
	"log/slog"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"

	"github.com/plexsphere/function-cloud-tags/tags/tagstest"
	"github.com/plexsphere/function-cloud-tags/tags/words"
)

// labelsOf a topic of the reason.
func labelsOf(reason, head string, items ...string) topic {
	return texts(topic{severity: warning, reason: reason, head: head, one: "label", several: "labels"}, items...)
}

func TestMessages(t *testing.T) {
	long := strings.Repeat("x", (maxText-6)/2)

	cases := map[string]struct {
		reason string
		topic  topic
		want   []string
	}{
		"NoItems":     {"Without items there is no message.", labelsOf("A", "head: "), nil},
		"OneItem":     {"One item is one message.", labelsOf("A", "head: ", "a"), []string{"head: a"}},
		"Items":       {"Items that fit are in one message, in their order.", labelsOf("A", "head: ", "b", "a", "a", ""), []string{"head: b; a; a; "}},
		"ExactlyFull": {"A message may have as many bytes as the limit says.", labelsOf("A", "head", long, long), []string{"head" + long + "; " + long}},
		"OneByteMore": {"An item that doesn't fit starts another message, with the head.", labelsOf("A", "head:1", long, long, "a"), []string{"head:1" + long, "head:1" + long + "; a"}},
		"Bytes": {
			"What counts is bytes, not characters.", labelsOf("A", "", strings.Repeat("ü", 230), strings.Repeat("ü", 230)),
			[]string{strings.Repeat("ü", 230), strings.Repeat("ü", 230)},
		},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			var got []string
			for m := range tc.topic.messages() {
				got = append(got, m.text)
			}

			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("\n%s\nmessages(): -want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}

// TestSay tests how many results there are, what the last of a reason says, and what goes to the log.
func TestSay(t *testing.T) {
	// Two of them don't fit into one message.
	items := func(n int) []string { return repeat(n, func(int) string { return strings.Repeat("x", maxText/2) }) }
	logged := labelsOf("A", "", items(10)...)
	logged.logged = true

	reasons := []topic{}
	for i := range 25 {
		reasons = append(reasons, labelsOf(fmt.Sprintf("R%02d", i), "", items(2)...))
	}

	cases := map[string]struct {
		reason string
		topics []topic
		want   []string
		log    int
	}{
		"Room": {reason: "What there is room for is in results.", topics: []topic{labelsOf("A", "", items(8)...)}, want: []string{"A 8"}},
		"OneReason": {
			reason: "The eighth result of a reason says how many more items there are, of all topics of the reason.",
			topics: []topic{labelsOf("A", "", items(10)...), labelsOf("A", "", items(3)...)},
			want:   []string{"A 8; and 5 labels more: the log has all"}, log: 5,
		},
		"One":    {reason: "One is one.", topics: []topic{labelsOf("A", "", items(9)...)}, want: []string{"A 8; and 1 label more: the log has all"}, log: 1},
		"Logged": {reason: "What the log has anyway is not logged again.", topics: []topic{logged}, want: []string{"A 8; and 2 labels more: the log has all"}},
		"ThreeReasons": {
			reason: "Reasons with many results leave room for all others.",
			topics: []topic{labelsOf("A", "", items(10)...), labelsOf("B", "", items(10)...), labelsOf("C", "", items(10)...), labelsOf("D", "", items(1)...)},
			want: []string{
				"A 6; and 4 labels more: the log has all", "B 6; and 4 labels more: the log has all", "C 6; and 4 labels more: the log has all", "D 1",
			}, log: 12,
		},
		"ManyReasons": {
			reason: "Of too many reasons the last result says how much more there is to say.",
			topics: reasons,
			want: append(words.Map(reasons[:19], func(t topic) string { return t.reason + " 1; and 1 label more: the log has all" }),
				"R19 1; and 11 things more: the log has all"), log: 30,
		},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			b := &bytes.Buffer{}
			results, leftOut := say(tc.topics)
			logLeftOut(t.Context(), newRunLog(tagstest.Logger(b, slog.LevelDebug), nil), leftOut)

			var got []string

			for _, group := range words.Grouped(results, (*fnv1.Result).GetReason) {
				_, more, _ := strings.Cut(group[len(group)-1].GetMessage(), "; ")
				if more != "" {
					more = "; " + more
				}

				got = append(got, fmt.Sprintf("%s %d%s", group[0].GetReason(), len(group), more))
			}

			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("\n%s\nsay(...): -want, +got:\n%s", tc.reason, diff)
			}

			if n := len(lines(b.String())); n != tc.log {
				t.Errorf("\n%s\nsay(...): want %d lines in the log, got %d", tc.reason, tc.log, n)
			}

			if err := sound(results); err != nil {
				t.Errorf("\n%s\nsay(...): %s", tc.reason, err)
			}
		})
	}
}
