// Command generate writes the built-in index of tag fields, index.txt, from the
// survey of fields that look like tags, testdata/tag-fields.tsv.gz.
//
// To move to a new version of a provider, let it survey the provider's custom
// resource definitions first, then read what changed in index.txt:
//
//	go run ./internal/generate -provider aws -source crossplane-contrib/provider-upjet-aws@2026-08-05 package/crds
package main

import (
	"bytes"
	"flag"
	"fmt"
	"os"

	"github.com/plexsphere/function-cloud-tags/tags/field"
	"github.com/plexsphere/function-cloud-tags/tags/field/crds"
	"github.com/plexsphere/function-cloud-tags/tags/field/internal/facts"
)

const (
	surveyFile = "testdata/tag-fields.tsv.gz"
	indexFile  = "index.txt"

	header = `# The tag fields of the kinds of the providers that people run, by the dialects.
# Generated from testdata/tag-fields.tsv.gz by go generate: do not edit.
`
)

func main() {
	provider := flag.String("provider", "", "family of the provider whose definitions are surveyed")
	source := flag.String("source", "", "repository of the provider, @ and the version's date")
	flag.Parse()

	if err := generate(*provider, *source, flag.Args()); err != nil {
		fmt.Fprintln(os.Stderr, "cannot generate the index:", err)
		os.Exit(1)
	}
}

func generate(provider, source string, paths []string) error {
	b, err := os.ReadFile(surveyFile)
	if err != nil {
		return err
	}

	lines, err := facts.Read(bytes.NewReader(b))
	if err != nil {
		return err
	}

	if len(paths) > 0 {
		if lines, err = survey(lines, provider, source, paths); err != nil {
			return err
		}
	}

	return os.WriteFile(indexFile, []byte(header+field.FormatIndex(facts.Index(lines))), 0o644) //nolint:gosec // Not secret.
}

// survey the definitions at the supplied paths in the place of the supplied lines of
// the same provider.
func survey(lines []facts.Line, provider, source string, paths []string) ([]facts.Line, error) {
	var with []facts.Line

	r := &crds.Reader{Stdin: os.Stdin, Progress: os.Stderr}
	if err := r.Read(paths, func(d crds.Definition) {
		with = append(with, facts.Survey(provider, source, d)...)
	}); err != nil {
		return nil, err
	}

	lines = facts.Replace(lines, with)

	b := &bytes.Buffer{}
	if err := facts.Write(b, lines); err != nil {
		return nil, err
	}

	return lines, os.WriteFile(surveyFile, b.Bytes(), 0o644) //nolint:gosec // Not secret.
}
