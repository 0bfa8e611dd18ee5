// Command generate writes the built-in index of tag fields, index.txt, from the
// surveys of fields that look like tags, one per provider, in the folder survey.
//
// To survey releases of a provider, name folders of their custom resource definitions
// or their packages, then read the changes of the survey and of index.txt. The name of a
// release is in front of the =. Earlier releases stay, unless they are named again. A release
// with nothing after the = is dropped. The name of a default branch is the
// newest release with a date. It stands for the release to come, and is kept until the next release is
// surveyed, if any kind is different in it.
//
//	go run ./survey/generate -provider aws -source crossplane-contrib/provider-upjet-aws v2.6.0=package/crds v2.7.0=provider-aws.xpkg v1.0.0=
//	go run ./survey/generate -provider aws v2.7.0-2026-08-05=package/crds
package main

import (
	"flag"
	"fmt"
	"os"
	"strings"

	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/crossplane/function-sdk-go/errors"

	"github.com/plexsphere/function-cloud-tags/tags/field"
	"github.com/plexsphere/function-cloud-tags/tags/field/survey"
	"github.com/plexsphere/function-cloud-tags/tags/manifest"
	"github.com/plexsphere/function-cloud-tags/tags/object"
)

const folder = "survey"

func main() {
	provider := flag.String("provider", "", "name of the survey")
	source := flag.String("source", "", "repository of the provider on GitHub, if the survey is new: OWNER/REPOSITORY")
	flag.Parse()

	surveys, err := survey.ReadAll(os.DirFS(folder))
	check(err)

	if *provider != "" {
		s, ok := surveys[*provider]
		if !ok {
			if *source == "" {
				check(errors.Errorf("there is no survey %s: -source OWNER/REPOSITORY makes one", *provider))
			}

			s = &survey.Survey{Source: *source}
			surveys[*provider] = s
		}

		for _, r := range flag.Args() {
			check(add(s, r))
		}

		s.ForgetUpcoming()

		if len(s.Releases) == 0 {
			check(errors.New("a survey needs a release"))
		}

		write(folder+"/"+*provider+".txt", s.String())
	}

	index, err := survey.Index(surveys)
	check(err)
	write("index.txt", index)
}

// add adds a release to the survey, as on the command line: v2.7.0=package/crds.
func add(s *survey.Survey, release string) error {
	name, path, ok := strings.Cut(release, "=")
	if !ok {
		return errors.Errorf("%s: want a release, = and its folder or package", release)
	}

	s.Forget(name)

	if path == "" {
		return nil
	}

	return (&manifest.Reader{Progress: os.Stderr}).Definitions([]string{path}, func(d manifest.Definition) {
		// Families without a profile make no resources of a cloud, so that their kinds aren't surveyed.
		family, ok := field.FamilyOf(d.GroupKind())
		if !isStored(d.GroupVersionKind) && (!ok || family.Profile != "") {
			s.Add(name, d.GroupVersionKind, survey.Prune(object.FromStruct(d.Schema).Node()))
		}
	})
}

// isStored reports whether the version of the kind is the one in which Azure Service Operator
// stores another version, such as v1api20230101storage. The API server serves it, but its
// documents tell everyone to stay away, and each kind would be there twice.
func isStored(gvk schema.GroupVersionKind) bool {
	return strings.HasSuffix(gvk.Group, ".azure.com") && strings.HasSuffix(gvk.Version, "storage")
}

func write(file, text string) {
	check(os.WriteFile(file, []byte(text), 0o644)) //nolint:gosec // Not secret.
}

func check(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, "cannot generate the index:", err)
		os.Exit(1)
	}
}
