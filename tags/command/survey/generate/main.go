// Command generate writes the built-in index of tag fields, index.txt, from the
// surveys of fields that look like tags, one per provider, in the folder survey.
//
// To survey releases of a provider, name folders of their custom resource definitions
// or their packages, then read what changed in the survey and in index.txt. A release
// is called as what is in front of the =. Those that were surveyed before stay, unless they
// are named again; what has nothing behind the = is dropped.
//
//	go run ../command/survey/generate -provider aws -source crossplane-contrib/provider-upjet-aws v2.6.0=package/crds v2.7.0=provider-aws.xpkg v1.0.0=
package main

import (
	"flag"
	"fmt"
	"os"
	"strings"

	"github.com/crossplane/function-sdk-go/errors"

	"github.com/plexsphere/function-cloud-tags/tags/command/manifest"
	"github.com/plexsphere/function-cloud-tags/tags/command/survey"
)

const folder = "survey"

func main() {
	provider := flag.String("provider", "", "name of the survey")
	source := flag.String("source", "", "repository of the provider, if the survey is new")
	flag.Parse()

	if err := run(*provider, *source, flag.Args()); err != nil {
		fmt.Fprintln(os.Stderr, "cannot generate the index:", err)
		os.Exit(1)
	}
}

func run(provider, source string, releases []string) error {
	surveys, err := survey.ReadAll(os.DirFS(folder))
	if err != nil {
		return err
	}

	if provider != "" {
		if surveys[provider] == nil {
			surveys[provider] = &survey.Survey{Source: source}
		}

		if err := add(surveys[provider], releases); err != nil {
			return err
		}

		if err := write(folder+"/"+provider+".txt", surveys[provider].String()); err != nil {
			return err
		}
	}

	index, err := survey.Index(surveys)
	if err != nil {
		return err
	}

	return write("index.txt", index)
}

// add what the supplied releases say.
func add(s *survey.Survey, releases []string) error {
	for _, r := range releases {
		name, path, ok := strings.Cut(r, "=")
		if !ok {
			return errors.Errorf("%s: want a release, = and its folder or package", r)
		}

		s.Forget(name)

		if path == "" {
			continue
		}

		reader := &manifest.Reader{Progress: os.Stderr}
		if err := reader.Definitions([]string{path}, func(d manifest.Definition) { s.Add(name, d.GroupVersionKind, survey.Prune(d.Schema)) }); err != nil {
			return err
		}
	}

	if len(s.Releases) == 0 {
		return errors.New("a survey needs a release")
	}

	return nil
}

func write(file, text string) error {
	return os.WriteFile(file, []byte(text), 0o644) //nolint:gosec // Not secret.
}
