package report

import (
	"context"
	"fmt"
	"iter"
	"log/slog"
	"slices"

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

	// position is the message's position among the messages of its reason, from 1.
	position int
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

// say returns results about the topics, and the messages that there is no room for, and that no log line has anyway.
func say(topics []topic) (said []*fnv1.Result, leftOut []message) {
	said = results(choose(topics, func(m message) {
		if !m.logged {
			leftOut = append(leftOut, m)
		}
	}))

	return said, leftOut
}

// logLeftOut writes one line for each message that results have no room for.
func logLeftOut(ctx context.Context, log *runLog, leftOut []message) {
	for _, m := range leftOut {
		log.line(ctx, levels[m.severity], "Left out a result", slog.String("reason", m.reason), slog.String("message", m.text))
	}
}

// choose returns the messages that there is room for, the first of each reason, and how many items more there are of
// each reason. It calls leave for all other messages, unless they are in the log anyway.
func choose(topics []topic, leave func(message)) (chosen []message, more map[string]int) {
	var first []message

	count := make(map[string]int)
	more = make(map[string]int)

	for i := range topics {
		t := &topics[i]
		more[t.reason] += t.items

		for m := range t.messages() {
			count[t.reason]++

			if m.position = count[t.reason]; m.position <= maxOfReason {
				first = append(first, m)
				continue
			}

			leave(m)

			if t.logged {
				break
			}
		}
	}

	// Each reason may have as many messages as all together have room for. As long as one reason has several, all have one.
	perReason := maxOfReason
	if len(first) > maxResults {
		positions := words.Map(first, func(m message) int { return m.position })
		perReason = max(1, slices.Sorted(slices.Values(positions))[maxResults]-1)
	}

	for _, m := range first {
		if m.position > perReason || len(chosen) == maxResults {
			leave(m)
			continue
		}

		more[m.reason] -= m.items
		chosen = append(chosen, m)
	}

	return chosen, more
}

// results returns the messages as results. The last result of each reason says how many items more there are. If the next
// result has more items of the same topic, a result says that the list goes on. results takes from more what a result says.
func results(messages []message, more map[string]int) (out []*fnv1.Result) {
	for i, m := range messages {
		n, one, several := 0, m.one, m.several
		if !slices.ContainsFunc(messages[i+1:], func(later message) bool { return later.reason == m.reason }) {
			n = more[m.reason]
			delete(more, m.reason)
		}

		// There are more reasons than results.
		if i+1 == maxResults {
			for _, items := range more {
				if items > 0 {
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
