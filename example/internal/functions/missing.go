package functions

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/plexsphere/function-cloud-tags/tags/command/remote"
)

// firstPort is where the first function listens that somebody is told to start: behind those of
// example/functions.yaml.
const firstPort = 9445

// CheckCalled refuses a pipeline with a function that neither runs here nor has a target, and says how to start
// one and what to write to the file of functions. The tools of the module in root can be such functions.
func CheckCalled(root, file string, called []string, targets map[string]string) error {
	var missing []string

	for _, name := range called {
		if _, listens := targets[name]; !listens && !runsHere(name) {
			missing = append(missing, name)
		}
	}

	if len(missing) == 0 {
		return nil
	}

	var starts, documents strings.Builder

	for i, name := range missing {
		target := fmt.Sprintf("localhost:%d", firstPort+i)
		_, _ = fmt.Fprintf(&starts, "  %s\n", startOf(root, name, target))
		_, _ = fmt.Fprintf(&documents, `---
apiVersion: pkg.crossplane.io/v1beta1
kind: Function
metadata:
  name: %s
  annotations:
    %s: %s
    %s: %s
`, name, remote.AnnotationRuntime, remote.RuntimeListens, remote.AnnotationTarget, target)
	}

	return fmt.Errorf(`the pipeline calls %s: only %s and %s run here by themselves

Start what it calls, each in a terminal of its own:
%s
Then write to %s where they listen, and render again:
%s`, strings.Join(missing, " and "), CloudTags, TestResources, &starts, file, &documents)
}

// startOf is the command that makes a function listen: that of a tool which is pinned here, or of the newest
// release of one of crossplane-contrib that is written in Go, as most are.
func startOf(root, name, target string) string {
	program := fmt.Sprintf("go run github.com/crossplane-contrib/%s@latest", name)
	if _, err := os.Stat(filepath.Join(root, ".ci", "tools", name)); err == nil {
		program = fmt.Sprintf(`"$(.ci/tool %s)"`, name)
	}

	return program + " --insecure --address " + target
}
