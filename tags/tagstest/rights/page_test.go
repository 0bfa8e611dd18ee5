package rights

import (
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/plexsphere/function-cloud-tags/tags/tagstest"
)

// page has the table of rights, and the tests that prove its cells.
const page = "../../../.github/RIGHTS.md"

// A proof is a link to a test: [TestRunFunctionRights](../fn_test.go), or a case of one in a file of cases.
var proof = regexp.MustCompile(`\[(\w+)(?:/(\w+))?\]\(([^)]+)\)`)

// table returns the cells of a table of the page, with its head and without its rule.
func table(t *testing.T, name string) (out [][]string) {
	t.Helper()

	_, rest, begins := strings.Cut(string(tagstest.ReadFile(t, page)), "<!-- begin "+name+" -->\n")
	text, _, ends := strings.Cut(rest, "<!-- end "+name+" -->")

	if !begins || !ends {
		t.Fatalf("the page should have the table %s", name)
	}

	for line := range strings.Lines(text) {
		if !strings.HasPrefix(line, "|--") {
			out = append(out, strings.Split(strings.Trim(line, "| \n"), " | "))
		}
	}

	return out
}

// TestPage proves that the page names a test for each cell of the table, and that each of these tests exists.
func TestPage(t *testing.T) {
	rights, proofs := table(t, "rights"), table(t, "proofs")

	effects := func(rows [][]string) (out []string) {
		for _, row := range rows {
			out = append(out, row[0])
		}

		return out
	}
	if diff := cmp.Diff(effects(rights), effects(proofs)); diff != "" {
		t.Fatalf("\nBoth tables should have the same rows: -rights, +proofs:\n%s", diff)
	}

	for i, row := range proofs {
		if i == 0 && !slices.Equal(row, rights[0]) || len(row) != len(rights[i]) {
			t.Errorf("\nBoth tables should have the same columns.\n%s: want %d cells, got %d", row[0], len(rights[i]), len(row))
		}

		for _, cell := range row[1:] {
			found := proof.FindAllStringSubmatch(cell, -1)
			if i > 0 && len(found) == 0 {
				t.Errorf("\nEach cell should name a test.\n%s: %s", row[0], cell)
			}

			for _, p := range found {
				if !isThere(t, p[1], p[2], p[3]) {
					t.Errorf("\nEach test should exist.\n%s: %s", row[0], p[0])
				}
			}
		}
	}
}

// isThere reports whether the file, by its path from the page, has the test or, if case is not empty, its case.
func isThere(t *testing.T, test, name, path string) bool {
	t.Helper()

	text := string(tagstest.ReadFile(t, filepath.Join(filepath.Dir(page), path)))
	if name == "" {
		return strings.Contains(text, "\nfunc "+test+"(")
	}

	return strings.Contains(text, "\n- name: "+name+"\n")
}
