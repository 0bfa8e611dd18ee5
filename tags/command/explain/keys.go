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
	Label    string `json:"label"`
	Provider string `json:"provider"`
	Key      string `json:"key"`

	// Skipped is why the label is no tag, for its key or its value. It is empty if it is one.
	Skipped profile.SkipReason `json:"skipped,omitempty"`

	// Removed is true if removeTags takes the tag away.
	Removed bool `json:"removed,omitempty"`
}

// keys are the explanation of labels' keys alone.
type keys struct{ *explained }

// all keys, by label and in the order of providers.
func (k keys) all() []Key {
	out := []Key{}

	for _, l := range k.labels {
		for _, x := range k.providers {
			// Another label may stand in its place.
			if key, ok := x.keys[l]; ok {
				out = append(out, key)
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

// table of labels with a row for each key, and the providers that have it.
func (k keys) table(t terminal.Terminal) string {
	type row struct{ label, key, lacks string }

	var order []row

	providers := make(map[row][]string)

	for _, key := range k.all() {
		r := row{key.Label, key.Key, key.lacks()}
		if providers[r] == nil {
			order = append(order, r)
		}

		providers[r] = append(providers[r], key.Provider)
	}

	rows := [][]terminal.Cell{terminal.Header("LABEL", "KEY", "PROVIDERS")}

	for _, r := range order {
		cell := terminal.Cell{Text: words.Cell(r.key), Color: terminal.Green}
		if r.lacks != "" {
			cell = terminal.Cell{Text: r.lacks + ": " + cell.Text, Color: terminal.Red}
		}

		rows = append(rows, []terminal.Cell{{Text: words.Cell(r.label)}, cell, {Text: strings.Join(providers[r], ", ")}})
	}

	return t.Table(rows)
}

// csv has a row for each label and provider.
func (k keys) csv() string {
	b := &strings.Builder{}
	w := csv.NewWriter(b)

	rows := [][]string{{"label", "provider", "key", "skipped"}}

	for _, key := range k.all() {
		rows = append(rows, []string{key.Label, key.Provider, key.Key, key.lacks()})
	}

	_ = w.WriteAll(words.Map(rows, func(row []string) []string { return words.Map(row, words.CSV) })) // A strings.Builder takes all.

	return b.String()
}
