package tests

import (
	"context"
	"fmt"
	"net"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/plexsphere/function-cloud-tags/example/internal/functions"
	"github.com/plexsphere/function-cloud-tags/example/internal/process"
	"github.com/plexsphere/function-cloud-tags/example/internal/scenario"
	"github.com/plexsphere/function-cloud-tags/tags/command/remote"
)

const patchAndTransform = "function-patch-and-transform"

// store returns the scenario of README's Composition. function-patch-and-transform makes its resources.
func store(root string) scenario.Scenario {
	return scenario.Scenario{Name: "store", Dir: filepath.Join(root, "example", "render", "store")}
}

// TestStoreShown proves that README shows the files of example/render/store.
func TestStoreShown(t *testing.T) {
	t.Parallel()

	root, _ := all(t)
	s := store(root)
	readme := read(t, filepath.Join(root, "README.md"))

	_, composition, _ := strings.Cut(read(t, filepath.Join(s.Dir, "composition.yaml")), "\n") // Without the line for editors.
	if !strings.Contains(readme, "\n```yaml\n"+composition+"```\n") {
		t.Errorf("README.md should show %s/composition.yaml", s.Dir)
	}

	want := expected(t, s)

	_, shown, _ := strings.Cut(readme, "\n## See it work\n")
	_, shown, _ = strings.Cut(shown, "\n```yaml\n")
	shown, _, _ = strings.Cut(shown, "```\n")

	if shown == "" || !strings.Contains(want.Text, "\n"+shown) {
		t.Errorf("README.md should show the tags of %s in its first example, but it shows\n%s", s.Dir, shown)
	}

	targets, err := remote.Targets(s.Functions())
	if err != nil {
		t.Fatal(err)
	}

	if command := "--insecure --address " + targets[patchAndTransform]; !strings.Contains(readme, command) {
		t.Errorf("README.md should start %s where functions.yaml says that it listens: %s", patchAndTransform, command)
	}
}

// TestStore renders README's Composition as README says, with the real function-patch-and-transform, by the model
// and by the real Crossplane.
func TestStore(t *testing.T) {
	t.Parallel()
	asked(t)

	root, _ := all(t)
	s := store(root)

	want := expected(t, s)

	crossplane := realCrossplane(t, root)

	running := start(t, root)
	target := startPatchAndTransform(t, root)

	disconnect, err := functions.ConnectCalled(t.Context(), root, []string{patchAndTransform}, map[string]string{patchAndTransform: target}, running.Functions)
	if err != nil {
		t.Fatal(err)
	}

	t.Cleanup(disconnect)

	for name, engine := range map[string]scenario.Engine{"built-in": scenario.BuiltIn{}, "crossplane": crossplane} {
		got := render(t, engine, s, running.Functions)

		if diff := cmp.Diff(lines(want), lines(got)); diff != "" {
			t.Errorf("go run ./example/render example/render/store --engine %s: -want, +got:\n%s", name, diff)
		}
	}
}

// startPatchAndTransform starts the function until the test has ended, and returns its address.
func startPatchAndTransform(t *testing.T, root string) string {
	t.Helper()

	binary := built(t, root, patchAndTransform)

	var target string

	stop, err := process.Listening(t.Context(), 1, func(ports []int) (func(), error) {
		target = fmt.Sprintf("127.0.0.1:%d", ports[0])
		p := process.Program{Name: patchAndTransform, Binary: binary, Args: []string{"--insecure", "--address", target}, Dir: t.TempDir()}

		return p.Start(t.Context(), func(ctx context.Context) error {
			conn, err := new(net.Dialer).DialContext(ctx, "tcp", target)
			if err != nil {
				return err
			}

			return conn.Close()
		})
	})
	if err != nil {
		t.Fatal(err)
	}

	t.Cleanup(stop)

	return target
}
