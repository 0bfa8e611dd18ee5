package report

import (
	"context"
	"fmt"
	"iter"
	"log/slog"

	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"

	"github.com/plexsphere/function-cloud-tags/tags/words"
)

const (
	// maxResults is the most results of a step, and maxOfReason the most of one reason.
	// Kubernetes keeps so few events of an object, and nobody reads more.
	maxResults  = 20
	maxOfReason = 8

	// maxText is the most bytes of a message that are not about how much more there is to say.
	maxText = words.MaxMessage - len("; and 1000000 expressions more: the log has all")
)

// A message is one of those that a topic takes, with so many of the topic's items.
type message struct {
	*topic

	text  string
	items int
}

// messages of the topic, none of them longer than maxText. The head and each item must be short
// enough for it.
func (t *topic) messages() iter.Seq[message] {
	return func(yield func(message) bool) {
		m, text := message{topic: t}, []byte(nil)

		for i := range t.items {
			item := t.text(i)

			if m.items > 0 && (t.alone || len(text)+len("; ")+len(item) > maxText) {
				if m.text = string(text); !yield(m) {
					return
				}

				m.items = 0
			}

			if m.items == 0 {
				text = append(text[:0], t.head...)
			} else {
				text = append(text, "; "...)
			}

			text = append(text, item...)
			m.items++
		}

		if m.items > 0 {
			m.text = string(text)
			yield(m)
		}
	}
}

// say returns results about the topics. It logs each message that there is no room for, unless its items are in the log anyway.
func say(ctx context.Context, log *slog.Logger, topics []topic) []*fnv1.Result {
	return results(choose(topics, func(m message) {
		if !m.logged {
			log.LogAttrs(ctx, levels[m.severity], "Left out a result", slog.String("reason", m.reason), slog.String("message", m.text))
		}
	}))
}

// choose returns the first messages of each reason, as many as there is room for, and counts the items of each reason that these
// messages don't name. It calls leave with messages that there is no room for: with one at least of each topic that lacks some.
func choose(topics []topic, leave func(message)) (chosen []message, more map[string]int) {
	var first []message

	count, taken := make(map[string]int), make(map[string]int)
	more = make(map[string]int)

	for i := range topics {
		t := &topics[i]
		more[t.reason] += t.items

		for m := range t.messages() {
			if count[t.reason] < maxOfReason {
				count[t.reason]++
				first = append(first, m)

				continue
			}

			leave(m)

			if t.logged {
				break
			}
		}
	}

	most := mostOfReason(count)

	for _, m := range first {
		if taken[m.reason] == most || len(chosen) == maxResults {
			leave(m)
			continue
		}

		taken[m.reason]++
		more[m.reason] -= m.items
		chosen = append(chosen, m)
	}

	return chosen, more
}

// mostOfReason returns the most messages that each reason may have, by how many it has. As long as one reason has several
// messages, all reasons have one.
func mostOfReason(count map[string]int) int {
	for most := maxOfReason; most > 1; most-- {
		n := 0
		for _, messages := range count {
			n += min(messages, most)
		}

		if n <= maxResults {
			return most
		}
	}

	return 1
}

// results of the messages. The last result of each reason says how many items more there are.
func results(messages []message, more map[string]int) (out []*fnv1.Result) {
	last := make(map[string]int)
	for i, m := range messages {
		last[m.reason] = i
	}

	for i, m := range messages {
		n, one, several := 0, m.one, m.several
		if last[m.reason] == i {
			n = more[m.reason]
		}

		// There are more reasons than results.
		if i+1 == maxResults {
			for reason, items := range more {
				if _, told := last[reason]; !told && items > 0 {
					n, one, several = n+items, "thing", "things"
				}
			}
		}

		if n > 0 {
			m.text += fmt.Sprintf("; and %s more: the log has all", words.Count(n, one, several))
		}

		out = append(out, result(m.severity, m.reason, m.text))
	}

	return out
}

var levels = map[fnv1.Severity]slog.Level{warning: slog.LevelWarn, normal: slog.LevelInfo}

// result of the severity and reason.
func result(severity fnv1.Severity, reason, message string) *fnv1.Result {
	return &fnv1.Result{Severity: severity, Reason: new(reason), Message: message, Target: fnv1.Target_TARGET_COMPOSITE.Enum()}
}
