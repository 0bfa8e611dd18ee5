package explain

import (
	"encoding/csv"
	"strings"

	"github.com/plexsphere/function-cloud-tags/tags/command/terminal"
	"github.com/plexsphere/function-cloud-tags/tags/profile"
	"github.com/plexsphere/function-cloud-tags/tags/words"
)

// A Key is the tag key of a label on the clouds of one tag profile.
type Key struct {
	// Label is the qualified key of the label.
	Label    string `json:"label"`
	Provider string `json:"provider"`
	Key      string `json:"key"`

	// Skipped is why the label is skipped, or empty if it is a tag.
	Skipped profile.SkipReason `json:"skipped,omitempty"`

	// Removed says that removeTags takes the tag away.
	Removed bool `json:"removed,omitempty"`
}

// keys are an explanation of the keys of labels alone.
type keys struct{ *comparison }

// all returns all keys, by label and in the order of providers.
func (k keys) all() []Key {
	out := []Key{}
	seen := make(map[Key]bool)

	for _, l := range k.labels {
		for _, x := range k.providers {
			// A label has no key on a cloud where another label has taken it.
			if key, ok := x.keys[l]; ok && !seen[key] {
				seen[key], out = true, append(out, key)
			}
		}
	}

	return out
}

func (k keys) values() any { return k.all() }

// lacks says why the label is no tag, or is empty if it is one.
func (k *Key) lacks() string {
	if k.Removed {
		return "removed"
	}

	return string(k.Skipped)
}

// table has a row for each key of a label, with the providers that have it.
func (k keys) table(t terminal.Terminal) string {
	rows := [][]terminal.Cell{terminal.Header("LABEL", "KEY", "PROVIDERS")}

	for _, same := range words.Grouped(k.all(), func(key Key) Key { key.Provider = ""; return key }) {
		cell := terminal.Cell{Text: words.Cell(same[0].Key), Color: terminal.Green}
		if lacks := same[0].lacks(); lacks != "" {
			cell = terminal.Cell{Text: lacks + ": " + cell.Text, Color: terminal.Red}
		}

		providers := words.Map(same, func(key Key) string { return key.Provider })
		rows = append(rows, []terminal.Cell{{Text: words.Cell(same[0].Label)}, cell, {Text: strings.Join(providers, ", ")}})
	}

	return t.Table(rows)
}

// csv has a row for each label and provider.
func (k keys) csv() string {
	b := &strings.Builder{}
	w := csv.NewWriter(b)

	rows := [][]string{{"label", "provider", "key", "skipped"}}
	rows = append(rows, words.Map(k.all(), func(key Key) []string { return []string{key.Label, key.Provider, key.Key, key.lacks()} })...)
	_ = w.WriteAll(words.Map(rows, func(row []string) []string { return words.Map(row, words.CSV) })) // A strings.Builder takes all.

	return b.String()
}
