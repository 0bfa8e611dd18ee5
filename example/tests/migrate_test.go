package tests

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"sigs.k8s.io/yaml"

	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"

	"github.com/plexsphere/function-cloud-tags/example/internal/functions"
	"github.com/plexsphere/function-cloud-tags/example/internal/process"
	"github.com/plexsphere/function-cloud-tags/example/internal/scenario"
	"github.com/plexsphere/function-cloud-tags/example/internal/testfunction"
	"github.com/plexsphere/function-cloud-tags/tags/command/migrate"
	"github.com/plexsphere/function-cloud-tags/tags/command/remote"
	"github.com/plexsphere/function-cloud-tags/tags/stamp"
	"github.com/plexsphere/function-cloud-tags/tags/tagstest"
)

// A mover runs the command migrate with functions that listen.
type mover struct {
	dir     string
	running map[string]functions.Function
	command migrate.Command
}

// newMover starts function-patch-and-transform, if it has been built, the model of function-tag-manager and the test
// function.
func newMover(t *testing.T) *mover {
	t.Helper()

	root, _ := all(t)
	if built, err := filepath.Glob(filepath.Join(root, ".cache", patchAndTransform+"-*")); err != nil || len(built) == 0 {
		t.Skipf("%s has not been built: .ci/tool %s builds it", patchAndTransform, patchAndTransform)
	}

	m := &mover{dir: t.TempDir(), running: start(t, root).Functions}
	targets := map[string]string{patchAndTransform: startPatchAndTransform(t, root)}

	for name, f := range map[string]functions.Function{functions.TestResources: testfunction.Function{}, tagManager: tagManagerModel{}} {
		l, err := process.Listen(t.Context())
		if err != nil {
			t.Fatal(err)
		}

		t.Cleanup(functions.Serve(f, l))

		targets[name] = l.Addr().String()
	}

	var documents strings.Builder
	for name, target := range targets {
		_, _ = fmt.Fprintf(&documents, "---\napiVersion: pkg.crossplane.io/v1\nkind: Function\nmetadata:\n  name: %s\n  annotations: {%s: %s, %s: %q}\n",
			name, remote.AnnotationRuntime, remote.RuntimeListens, remote.AnnotationTarget, target)
	}

	m.command = migrate.Command{Functions: m.file(t, "functions.yaml", documents.String()), Function: func(ctx context.Context, req *fnv1.RunFunctionRequest, _ *stamp.Trace) (*fnv1.RunFunctionResponse, error) {
		return m.running[functions.CloudTags].RunFunction(ctx, req)
	}}

	f, err := remote.Connect(targets[patchAndTransform])
	if err != nil {
		t.Fatal(err)
	}

	t.Cleanup(f.Close)

	m.running[patchAndTransform] = f

	return m
}

// file writes a file, and returns its path.
func (m *mover) file(t *testing.T, name, text string) string {
	t.Helper()

	path := filepath.Join(m.dir, name)
	tagstest.WriteFiles(t, map[string]string{path: text})

	return path
}

// migrate migrates the Composition of a scenario, compares both for the scenario's XR, and returns the new one.
func (m *mover) migrate(t *testing.T, s scenario.Scenario, composition string) string {
	t.Helper()

	var out, say strings.Builder

	c := m.command
	c.Paths, c.XR = []string{m.file(t, "composition.yaml", composition)}, []string{filepath.Join(s.Dir, "xr.yaml")}

	for name, flag := range map[string]*[]string{"observed.yaml": &c.ObservedResources, "required.yaml": &c.RequiredResources} {
		if path := filepath.Join(s.Dir, name); exists(t, path) {
			*flag = []string{path}
		}
	}

	if path := filepath.Join(s.Dir, "context.yaml"); exists(t, path) {
		c.Context = path
	}

	if err := c.Migrate(t.Context(), &out, &say); err != nil {
		t.Fatalf("Migrate(...): %v\n%s%s", err, &say, &out)
	}

	if want, err := s.Expected(); err != nil || out.String() == composition && !want.Failed {
		t.Errorf("nothing is migrated (%v):\n%s", err, &say)
	}

	return out.String()
}

func exists(t *testing.T, path string) bool {
	t.Helper()

	_, err := os.Stat(path)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		t.Fatal(err)
	}

	return err == nil
}

// withStep returns the Composition of a scenario with a step of another function, and without a step of this one. The new
// step has the input in the file, and takes the place of the replaced function's step.
func withStep(t *testing.T, s scenario.Scenario, replaced, function, file string) string {
	t.Helper()

	var composition, input map[string]any
	if err := yaml.Unmarshal([]byte(read(t, filepath.Join(s.Dir, "composition.yaml"))), &composition); err != nil {
		t.Fatal(err)
	}

	if err := yaml.Unmarshal([]byte(read(t, filepath.Join(s.Dir, file))), &input); err != nil {
		t.Fatal(err)
	}

	spec, _ := composition["spec"].(map[string]any)
	steps, _ := spec["pipeline"].([]any)

	var pipeline []any

	for _, step := range steps {
		step, _ := step.(map[string]any)
		ref, _ := step["functionRef"].(map[string]any)

		switch ref["name"] {
		case replaced:
			pipeline = append(pipeline, map[string]any{"step": "old", "functionRef": map[string]any{"name": function}, "input": input})
		case functions.CloudTags:
		default:
			pipeline = append(pipeline, step)
		}
	}

	spec["pipeline"] = pipeline

	text := marshal(t, composition)

	// The scenario has two annotations. The old step knows one of them.
	return strings.ReplaceAll(text, `cloudtags.fn.plexsphere.com/ignore: "true"`, "example.org/was: ignored")
}

// TestMigrateTagManager migrates a step of function-tag-manager in each scenario for one. The old step must give the
// recorded tags.
func TestMigrateTagManager(t *testing.T) {
	testMigrate(t, "from-tag-manager-", func(t *testing.T, s scenario.Scenario) string {
		t.Helper()
		return withStep(t, s, functions.CloudTags, tagManager, scenario.FileTagManager)
	})
}

// TestMigratePatches migrates the patches of each scenario for patches.
func TestMigratePatches(t *testing.T) {
	testMigrate(t, "from-patches-", func(t *testing.T, s scenario.Scenario) string {
		t.Helper()
		return withStep(t, s, functions.TestResources, patchAndTransform, scenario.FilePatches)
	})
}

// testMigrate migrates the old Composition of each scenario whose name begins with the prefix. The resources must get the
// tags that the scenario expects.
func testMigrate(t *testing.T, prefix string, old func(*testing.T, scenario.Scenario) string) {
	t.Helper()

	m := newMover(t)
	_, scenarios := all(t)

	for _, s := range scenarios {
		if strings.HasPrefix(s.Name, prefix) {
			t.Run(s.Name, func(t *testing.T) { m.check(t, s, m.migrate(t, s, old(t, s))) })
		}
	}
}

// check checks that another Composition gives the scenario's expected tags.
func (m *mover) check(t *testing.T, s scenario.Scenario, composition string) {
	t.Helper()

	want := expected(t, s)

	got := render(t, scenario.BuiltIn{}, copied(t, s, composition), m.running)

	// A failed pipeline has no resources. A pipeline that waits for a required field has none, either.
	tags := map[string]map[string]string{}
	if !want.Failed {
		tags = composedTags(t, want.Text)
	}

	if diff := cmp.Diff(tags, composedTags(t, got.Text), cmpopts.EquateEmpty()); diff != "" {
		t.Errorf("tags: -want, +migrated:\n%s\n%s", diff, composition)
	}
}

// copied returns the scenario with another Composition.
func copied(t *testing.T, s scenario.Scenario, composition string) scenario.Scenario {
	t.Helper()

	other := scenario.Scenario{Name: s.Name, Dir: t.TempDir()}
	if err := os.CopyFS(other.Dir, os.DirFS(s.Dir)); err != nil {
		t.Fatal(err)
	}

	tagstest.WriteFiles(t, map[string]string{filepath.Join(other.Dir, "composition.yaml"): composition})

	return other
}
