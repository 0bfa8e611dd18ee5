package functions

import (
	"context"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"

	"github.com/plexsphere/function-cloud-tags/tags/command/remote"
)

// firstPort is the port in messages for the first function that somebody must start: the next one after the ports
// in example/functions.yaml.
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

	port := firstPort

	for _, name := range missing {
		for isTaken(port, targets) { // The file has another function there.
			port++
		}

		target := fmt.Sprintf("localhost:%d", port)
		port++

		_, _ = fmt.Fprintf(&starts, "  %s\n", startOf(root, name, target))
		_, _ = fmt.Fprintf(&documents, `---
apiVersion: pkg.crossplane.io/v1
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

// isTaken reports whether one of the targets has the port.
func isTaken(port int, targets map[string]string) bool {
	return slices.ContainsFunc(slices.Collect(maps.Values(targets)), func(target string) bool { return strings.HasSuffix(target, fmt.Sprintf(":%d", port)) })
}

// startOf returns the command that makes a function listen: .ci/tool if the module in root pins the function, or else go run of the newest
// release.
func startOf(root, name, target string) string {
	if pinnedVersion(root, name) == "" {
		return startRelease(name, "latest", target)
	}

	return fmt.Sprintf(`"$(.ci/tool %s)" --insecure --address %s`, name, target)
}

// startRelease returns the command that makes a release of a function listen. The function is one of crossplane-contrib that is written in Go, as
// most are.
func startRelease(name, version, target string) string {
	return fmt.Sprintf("go run github.com/crossplane-contrib/%s@%s --insecure --address %s", name, version, target)
}

// pinnedVersion returns the version of the function that .ci/tool builds, or an empty string if the module in root doesn't pin it.
func pinnedVersion(root, name string) string {
	text, err := os.ReadFile(filepath.Join(root, ".ci", "tools", name, "go.mod"))
	if err != nil {
		return ""
	}

	if m := regexp.MustCompile(`(?m)/` + regexp.QuoteMeta(name) + ` (v\S+)`).FindSubmatch(text); m != nil {
		return string(m[1])
	}

	return ""
}

// A pinned function is one that .ci/tool builds. Its failures name the version, since an old release refuses the fields that a Composition for a
// newer one has.
type pinned struct {
	Function

	hint string
}

// RunFunction calls the function, and adds the hint to an error and to a fatal result.
func (p pinned) RunFunction(ctx context.Context, req *fnv1.RunFunctionRequest) (*fnv1.RunFunctionResponse, error) {
	rsp, err := p.Function.RunFunction(ctx, req)
	if err != nil {
		return nil, fmt.Errorf("%w\n%s", err, p.hint)
	}

	for _, r := range rsp.GetResults() {
		if r.GetSeverity() == fnv1.Severity_SEVERITY_FATAL {
			r.Message += "\n" + p.hint
		}
	}

	return rsp, nil
}
