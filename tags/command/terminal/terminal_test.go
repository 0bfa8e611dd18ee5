package terminal_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/plexsphere/function-cloud-tags/tags/command/terminal"
	"github.com/plexsphere/function-cloud-tags/tags/tagstest"
	"github.com/plexsphere/function-cloud-tags/tags/words"
)

// TestTable prints the tables of testdata/cases.yaml as terminals show them: columns begin below each other, and words are whole.
func TestTable(t *testing.T) {
	var cases []struct {
		Name, Reason string
		Width        int
		Rows         [][]string
		Want         []string
	}

	tagstest.ReadYAML(t, "testdata/cases.yaml", &cases)

	for _, tc := range cases {
		t.Run(tc.Name, func(t *testing.T) {
			rows := words.Map(tc.Rows, func(texts []string) []terminal.Cell {
				return words.Map(texts, func(text string) terminal.Cell { return terminal.Cell{Text: text} })
			})

			got := strings.Split(strings.TrimSuffix(terminal.Terminal{Width: tc.Width}.Table(rows), "\n"), "\n")
			if diff := cmp.Diff(tc.Want, got); diff != "" {
				t.Errorf("\n%s\nTable(...): -want, +got:\n%s", tc.Reason, diff)
			}
		})
	}
}
