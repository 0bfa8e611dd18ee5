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

	// maxText is the most bytes of a message without its last part, which says how many items more there are.
	maxText = words.MaxMessage - len("; and 1000000 expressions more: the log has all")
)

// A message is one of the messages that a topic takes, with the number of the topic's items in it.
type message struct {
	*topic

	text  string
	items int
}

// messages returns the messages of the topic, each of at most maxText bytes. The head and each item must be short
// enough.
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

// say returns results about the topics, and logs the messages that there is no room for.
func say(ctx context.Context, log *slog.Logger, topics []topic) []*fnv1.Result {
	return results(choose(topics, func(m message) {
		if !m.logged {
			log.LogAttrs(ctx, levels[m.severity], "Left out a result", slog.String("reason", m.reason), slog.String("message", m.text))
		}
	}))
}

// choose returns the messages that there is room for, the first of each reason, and how many items more there are of
// each reason. It calls leave for all other messages, unless they are in the log anyway.
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

	perReason := mostOfReason(count)

	for _, m := range first {
		if taken[m.reason] == perReason || len(chosen) == maxResults {
			leave(m)
			continue
		}

		taken[m.reason]++
		more[m.reason] -= m.items
		chosen = append(chosen, m)
	}

	return chosen, more
}

// mostOfReason returns how many messages each reason may have, by how many it has. As long as one reason has several
// messages, all reasons have one.
func mostOfReason(count map[string]int) int {
	for perReason := maxOfReason; perReason > 1; perReason-- {
		n := 0
		for _, messages := range count {
			n += min(messages, perReason)
		}

		if n <= maxResults {
			return perReason
		}
	}

	return 1
}

// results returns the messages as results. The last result of each reason says how many items more there are. If the next
// result has more items of the same topic, a result says that the list goes on.
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
		} else if !m.alone && i+1 < len(messages) && messages[i+1].topic == m.topic {
			m.text += "; the list goes on in the next message"
		}

		out = append(out, result(m.severity, m.reason, m.text))
	}

	return out
}

var levels = map[fnv1.Severity]slog.Level{warning: slog.LevelWarn, normal: slog.LevelInfo}

// result returns a result of the severity and reason.
func result(severity fnv1.Severity, reason, message string) *fnv1.Result {
	return &fnv1.Result{Severity: severity, Reason: new(reason), Message: message, Target: fnv1.Target_TARGET_COMPOSITE.Enum()}
}
