package terminal

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestTable prints tables as terminals show them: columns begin below each other, and words are whole.
func TestTable(t *testing.T) {
	cases := map[string]struct {
		reason string
		on     Terminal
		rows   [][]string
		want   []string
	}{
		"Wide": {
			reason: "A character of some scripts takes two columns.",
			rows:   [][]string{{"A", "B"}, {"日本", "x"}, {"ab", "y"}},
			want:   []string{"A     B", "日本  x", "ab    y"},
		},
		"Combining": {
			reason: "An accent takes none.",
			rows:   [][]string{{"A", "B"}, {"e\u0301", "x"}},
			want:   []string{"A  B", "e\u0301  x"},
		},
		"Words": {
			reason: "Lines end between words.",
			on:     Terminal{Width: 12},
			rows:   [][]string{{"A"}, {"one two three"}},
			want:   []string{"A  one two", "   three"},
		},
		"LongWord": {
			reason: "Only a word that is longer than a line is cut.",
			on:     Terminal{Width: 9},
			rows:   [][]string{{"A"}, {"a bcdefghij k"}},
			want:   []string{"A  a", "   bcdefg", "   hij k"},
		},
		"WideWord": {
			reason: "It is cut before a character that takes two columns.",
			on:     Terminal{Width: 6},
			rows:   [][]string{{"A"}, {"日本語日"}},
			want:   []string{"A  日", "   本", "   語", "   日"},
		},
		"Narrow": {
			reason: "A terminal can be too narrow for anything.",
			on:     Terminal{Width: 1},
			rows:   [][]string{{"A"}, {"日x"}},
			want:   []string{"A  日", "   x"},
		},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			var rows [][]Cell

			for _, texts := range tc.rows {
				var row []Cell
				for _, text := range texts {
					row = append(row, Cell{Text: text})
				}

				rows = append(rows, row)
			}

			got := strings.Split(strings.TrimSuffix(tc.on.Table(rows), "\n"), "\n")
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("\n%s\nTable(...): -want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}
