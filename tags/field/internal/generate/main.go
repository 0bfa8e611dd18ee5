// Command generate writes the built-in index of tag fields, index.txt, from the
// surveys of fields that look like tags, one per provider, in the folder survey.
//
// To survey releases of a provider, name folders of their custom resource definitions
// or their packages, then read what changed in the survey and in index.txt. A release
// is called as the folder or the file is, or what is in front of an =. Those that were
// surveyed before stay, unless they are named again; -forget drops one.
//
//	go run ./internal/generate -provider aws -source crossplane-contrib/provider-upjet-aws v2.6.0=package/crds v2.7.0=provider-aws.xpkg
package main

import (
	"bytes"
	"flag"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/crossplane/function-sdk-go/errors"

	"github.com/plexsphere/function-cloud-tags/tags/field"
	"github.com/plexsphere/function-cloud-tags/tags/field/crds"
	"github.com/plexsphere/function-cloud-tags/tags/field/internal/facts"
)

const (
	surveys   = "survey"
	indexFile = "index.txt"

	header = `# The tag fields of the kinds of the providers that people run, by the dialects.
# Generated from the surveys by go generate: do not edit. These were surveyed:
`
)

func main() {
	provider := flag.String("provider", "", "name of the survey")
	source := flag.String("source", "", "repository of the provider")
	forget := flag.String("forget", "", "a release to drop from the survey")
	flag.Parse()

	if err := run(*provider, *source, *forget, flag.Args()); err != nil {
		fmt.Fprintln(os.Stderr, "cannot generate the index:", err)
		os.Exit(1)
	}
}

func run(provider, source, forget string, releases []string) error {
	if provider != "" {
		if err := survey(filepath.Join(surveys, provider+".txt"), source, forget, releases); err != nil {
			return err
		}
	}

	text, err := generate()
	if err != nil {
		return err
	}

	return os.WriteFile(indexFile, []byte(text), 0o644) //nolint:gosec // Not secret.
}

// generate the index from all surveys.
func generate() (string, error) {
	all, err := facts.ReadAll(os.DirFS(surveys))
	if err != nil {
		return "", err
	}

	i, err := facts.NewIndex(all...)
	if err != nil {
		return "", err
	}

	out := &strings.Builder{}
	out.WriteString(header)

	for _, s := range all {
		fmt.Fprintf(out, "# %s %s..%s\n", s.Source, s.Releases[0], s.Releases[len(s.Releases)-1])
	}

	out.WriteString(field.FormatIndex(i.All(), i.Groups))

	return out.String(), nil
}

// survey the supplied releases.
func survey(file, source, forget string, releases []string) error {
	s := &facts.Survey{}

	b, err := os.ReadFile(file) //nolint:gosec // The maintainer wants us to.
	if err == nil {
		s, err = facts.Read(bytes.NewReader(b))
	}

	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}

	if source != "" {
		s.Source = source
	}

	s.Forget(forget)

	once := &facts.Once[fact]{Reader: crds.Reader{Progress: os.Stderr}}

	for _, path := range releases {
		name, path, ok := strings.Cut(path, "=")
		if !ok {
			path = name
			name = strings.TrimSuffix(filepath.Base(path), crds.Package)
		}

		s.Forget(name)

		found, err := once.Read(path, func(d crds.Definition) fact {
			return fact{GroupVersionKind: d.GroupVersionKind, Facts: facts.Of(d.Schema)}
		})
		if err != nil {
			return err
		}

		for _, f := range found {
			s.Add(name, f.GroupVersionKind, f.Facts)
		}
	}

	out := &bytes.Buffer{}
	if err := s.Write(out); err != nil {
		return err
	}

	return os.WriteFile(file, out.Bytes(), 0o644) //nolint:gosec // Not secret.
}

// A fact of a kind.
type fact struct {
	schema.GroupVersionKind
	facts.Facts
}
