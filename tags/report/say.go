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

// A choice of messages that there is room for.
type choice struct {
	messages []message

	// of each reason: so many messages, and so many items in them and in all.
	count, told, all map[string]int

	// leave out a message that there is no room for.
	leave func(message)
}

// choose messages about the topics, of each reason the first ones. Those that there is
// no room for are left out by the function, unless they are in the log anyway.
func choose(topics []topic, leave func(message)) *choice {
	c := &choice{count: make(map[string]int), told: make(map[string]int), all: make(map[string]int), leave: leave}

	for i := range topics {
		t := &topics[i]
		c.all[t.reason] += t.items

		for m := range t.messages() {
			if c.count[t.reason] < maxOfReason {
				c.take(m)
				continue
			}

			leave(m)

			if t.logged {
				break
			}
		}
	}

	c.shrink()

	return c
}

func (c *choice) take(m message) {
	c.messages = append(c.messages, m)
	c.count[m.reason]++
	c.told[m.reason] += m.items
}

// shrink the choice until there is room for it: as long as one reason has several messages, none
// is left out altogether.
func (c *choice) shrink() {
	most := maxOfReason
	for most > 1 && c.needs(most) > maxResults {
		most--
	}

	all := c.messages
	c.messages, c.count, c.told = nil, make(map[string]int), make(map[string]int)

	for _, m := range all {
		if c.count[m.reason] < most && len(c.messages) < maxResults {
			c.take(m)
		} else {
			c.leave(m)
		}
	}
}

// needs returns how many messages there are if each reason has at most the number.
func (c *choice) needs(most int) int {
	n := 0
	for _, count := range c.count {
		n += min(count, most)
	}

	return n
}

// results of the choice. The last of each reason says how many items more there are.
func (c *choice) results() []*fnv1.Result {
	var out []*fnv1.Result

	seen := make(map[string]int)

	for i, m := range c.messages {
		seen[m.reason]++

		more, one, several := 0, m.one, m.several
		if seen[m.reason] == c.count[m.reason] {
			more = c.all[m.reason] - c.told[m.reason]
		}

		// There are more reasons than results.
		if i+1 == maxResults {
			for reason, all := range c.all {
				if all > 0 && c.count[reason] == 0 {
					more, one, several = more+all, "thing", "things"
				}
			}
		}

		if more > 0 {
			m.text += fmt.Sprintf("; and %s more: the log has all", words.Count(more, one, several))
		}

		out = append(out, result(m.severity, m.reason, m.text))
	}

	return out
}

// say returns results about the topics, and logs what they have no room for.
func say(ctx context.Context, log *slog.Logger, topics []topic) []*fnv1.Result {
	return choose(topics, func(m message) {
		if !m.logged {
			log.LogAttrs(ctx, levels[m.severity], "Left out a result", slog.String("reason", m.reason), slog.String("message", m.text))
		}
	}).results()
}

var levels = map[fnv1.Severity]slog.Level{warning: slog.LevelWarn, normal: slog.LevelInfo}

// result of the severity and reason.
func result(severity fnv1.Severity, reason, message string) *fnv1.Result {
	return &fnv1.Result{Severity: severity, Reason: new(reason), Message: message, Target: fnv1.Target_TARGET_COMPOSITE.Enum()}
}
