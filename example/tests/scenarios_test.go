// Package tests renders each scenario as its folder expects, and runs the function in clusters.
package tests

import (
	"errors"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
	"sigs.k8s.io/yaml"

	"github.com/plexsphere/function-cloud-tags/example/internal/functions"
	"github.com/plexsphere/function-cloud-tags/example/internal/scenario"
	"github.com/plexsphere/function-cloud-tags/example/internal/tool"
	"github.com/plexsphere/function-cloud-tags/tags/tagstest"
)

// TestScenarios renders each scenario with the model of Crossplane, if it can. TestAgreement
// shows that the real one says the same.
func TestScenarios(t *testing.T) {
	t.Parallel()

	root, scenarios := all(t)
	running := start(t, root)

	for _, s := range scenarios {
		t.Run(s.Name, func(t *testing.T) {
			t.Parallel()

			if err := s.Check(); err != nil {
				t.Fatal(err)
			}

			want := expected(t, s)

			engine := engineOf(t, root, s)

			// Twice, because the order of a map's entries may be right by chance.
			for range 2 {
				got := render(t, engine, s, running.Functions)

				if diff := cmp.Diff(lines(want), lines(got)); diff != "" {
					t.Fatalf("go run ./example/render %s: -want, +got:\n%s", s.Name, diff)
				}
			}
		})
	}
}

// engineOf returns the engine that renders a scenario: the model, unless it can't.
func engineOf(t *testing.T, root string, s scenario.Scenario) scenario.Engine {
	t.Helper()

	needed, err := s.NeedsCrossplane()
	if err != nil {
		t.Fatal(err)
	}

	if !needed {
		return scenario.BuiltIn{}
	}

	return realCrossplane(t, root)
}

// withoutCloudRules are the scenarios whose inputs don't have profileRules: Cloud, each with the reason.
var withoutCloudRules = map[string]string{
	"aws-services":           "it shows what the services of AWS refuse if the input doesn't say which rules apply",
	"hetzner-server":         "it shows the condition and the event CloudRefuses of an input without profileRules",
	"openstack-instance":     "so does it for Nova",
	"openstack-landing-zone": "an earlier step has set a tag with the key that the contract makes, and a value that only the contract admits is too long",
	"provider-tags":          "it shows which tags the contract means",
	"skips-hetzner":          "it shows the contract's limits on Hetzner Cloud",
	"skips-openstack":        "so does it on OpenStack",
	"coverage-nightly":       "its standard has them",
	"standard":               "so does this one's",
	"standard-azure":         "so does this one's",
	"standard-hetzner":       "so does this one's",
}

// TestScenariosCopied proves that a copied scenario makes tags for the rules of the cloud: all inputs have profileRules: Cloud, unless the
// scenario is in the list above.
func TestScenariosCopied(t *testing.T) {
	t.Parallel()

	_, scenarios := all(t)

	for _, s := range scenarios {
		hasThem := true

		for _, file := range []string{"composition.yaml", "operation.yaml"} {
			text, err := os.ReadFile(filepath.Join(s.Dir, file))
			if errors.Is(err, fs.ErrNotExist) {
				continue
			}

			inputs, rules := inputKind.FindAll(text, -1), cloudRules.FindAll(text, -1)
			hasThem = hasThem && err == nil && len(inputs) > 0 && len(inputs) == len(rules)
		}

		switch why := withoutCloudRules[s.Name]; {
		case hasThem && why != "":
			t.Errorf("%s has profileRules: Cloud, and needs no reason to have none", s.Name)
		case !hasThem && why == "":
			t.Errorf("%s: write profileRules: Cloud in each input of the function, or list the scenario with the reason", s.Name)
		}
	}

	for name := range withoutCloudRules {
		if !slices.ContainsFunc(scenarios, func(s scenario.Scenario) bool { return s.Name == name }) {
			t.Errorf("there is no scenario %s", name)
		}
	}
}

// inputKind matches the kind of the function's input in a Composition or Operation, and cloudRules its profileRules.
var (
	inputKind  = regexp.MustCompile(`(?m)^ *kind: CloudTags$`)
	cloudRules = regexp.MustCompile(`(?m)^ *profileRules: Cloud\b`)
)

// all scenarios, and the folder of the module.
func all(t *testing.T) (root string, scenarios []scenario.Scenario) {
	t.Helper()

	root, err := scenario.Root()
	if err != nil {
		t.Fatal(err)
	}

	scenarios, err = scenario.List(root)
	if err != nil {
		t.Fatal(err)
	}

	if len(scenarios) == 0 {
		t.Fatal("there are no scenarios")
	}

	return root, scenarios
}

// find the scenario of a name.
func find(t *testing.T, root, name string) scenario.Scenario {
	t.Helper()

	s, err := scenario.Find(root, name)
	if err != nil {
		t.Fatal(err)
	}

	return s
}

// expected returns the expected outcome of a scenario.
func expected(t *testing.T, s scenario.Scenario) scenario.Rendering {
	t.Helper()

	o, err := s.Expected()
	if err != nil {
		t.Fatal(err)
	}

	return o
}

// render renders a scenario.
func render(t *testing.T, engine scenario.Engine, s scenario.Scenario, running map[string]functions.Function) scenario.Rendering {
	t.Helper()

	o, err := engine.Render(t.Context(), s, running)
	if err != nil {
		t.Fatal(err)
	}

	return o
}

// read returns the text of a file.
func read(tb testing.TB, name string) string {
	tb.Helper()

	return string(tagstest.ReadFile(tb, name))
}

// marshal returns a value as YAML.
func marshal(tb testing.TB, v any) string {
	tb.Helper()

	text, err := yaml.Marshal(v)
	if err != nil {
		tb.Fatal(err)
	}

	return string(text)
}

// built builds a tool, and returns its path.
func built(t *testing.T, root, name string) string {
	t.Helper()

	binary, err := tool.Build(t.Context(), root, name)
	if err != nil {
		t.Fatal(err)
	}

	return binary
}

// start starts the functions, until the test has ended.
func start(t *testing.T, root string) *functions.Running {
	t.Helper()
	readFolders(t, root)

	running, err := functions.Start(t.Context(), root)
	if err != nil {
		t.Fatal(err)
	}

	t.Cleanup(func() {
		if t.Failed() {
			t.Log("The end of the function's log:\n" + running.LastLog())
		}

		running.Stop()
	})

	return running
}

// TestScenariosListed proves that each scenario has a row in the table of its feature, short enough for a line of the
// terminal, and is in the folder of this feature.
func TestScenariosListed(t *testing.T) {
	t.Parallel()

	root, scenarios := all(t)

	topics, err := scenario.Topics(root)
	if err != nil {
		t.Fatal(err)
	}

	want, got := make(map[string]string), make(map[string]string) // Folders by scenario.

	for _, s := range scenarios {
		folder, err := filepath.Rel(filepath.Join(root, "example"), s.Dir)
		if err != nil || want[s.Name] != "" {
			t.Fatalf("%s has the name of another scenario, in %s, or is nowhere: %v", folder, want[s.Name], err)
		}

		want[s.Name] = filepath.ToSlash(folder)
	}

	for _, topic := range topics {
		for _, row := range topic.Rows {
			got[row.Scenario] = row.Folder

			if folder := path.Dir(topic.Rows[0].Folder); path.Dir(row.Folder) != folder {
				t.Errorf("%s: want it in the folder of the others under %q, %s", row.Folder, topic.Name, folder)
			}

			if limit := 80; utf8.RuneCountInString(row.Shows) > limit {
				t.Errorf("%s: what it shows has more than %d characters", row.Scenario, limit)
			}
		}
	}

	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("-folders, +rows in the tables of example/README.md:\n%s", diff)
	}
}

// lines returns the lines of an outcome, after a line with the kind of the outcome.
func lines(o scenario.Rendering) []string {
	outcome := "output:"
	if o.Failed {
		outcome = "error:"
	}

	return append([]string{outcome}, strings.Split(o.Text, "\n")...)
}

// readFolders reads every folder of the module. go test does not see that the
// function under test is built of them by another process, and would take the
// result of the test from its cache although the function has changed.
func readFolders(t *testing.T, root string) {
	t.Helper()

	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}

		if d.IsDir() && path != root && strings.HasPrefix(d.Name(), ".") && d.Name() != ".ci" {
			return fs.SkipDir
		}

		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}
