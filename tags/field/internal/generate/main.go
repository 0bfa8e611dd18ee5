// Command generate writes the built-in index of tag fields.
package main

import (
	"fmt"
	"os"

	"github.com/plexsphere/function-cloud-tags/tags/field"
	"github.com/plexsphere/function-cloud-tags/tags/field/internal/facts"
)

const header = `# The tag fields of the kinds of the providers that people run, by the dialects.
# Generated from testdata/tag-fields.tsv.gz by go generate: do not edit.
`

func main() {
	if err := generate("testdata/tag-fields.tsv.gz", "index.txt"); err != nil {
		fmt.Fprintln(os.Stderr, "cannot generate the index:", err)
		os.Exit(1)
	}
}

func generate(from, to string) error {
	f, err := os.Open(from) //nolint:gosec // The caller is us.
	if err != nil {
		return err
	}

	defer f.Close() //nolint:errcheck // Only read.

	kinds, err := facts.Read(f)
	if err != nil {
		return err
	}

	return os.WriteFile(to, []byte(header+field.FormatIndex(facts.Index(kinds))), 0o644) //nolint:gosec // Not secret.
}
