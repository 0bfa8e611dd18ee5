package scenario

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"google.golang.org/protobuf/encoding/protojson"
	"sigs.k8s.io/yaml"

	"github.com/plexsphere/function-cloud-tags/example/internal/functions"
	"github.com/plexsphere/function-cloud-tags/example/internal/process"
	"github.com/plexsphere/function-cloud-tags/example/internal/tool"
	"github.com/plexsphere/function-cloud-tags/tags/command/remote"
)

// transitions matches the times at which conditions changed. The command line tool prints a constant time for
// conditions of an XR, but not of an Operation.
var transitions = regexp.MustCompile(`(?m)^( {2}- lastTransitionTime: ").*?"$`)

// Crossplane is the real crossplane composition render.
type Crossplane struct {
	cli string

	// binary of Crossplane, or empty for a command line tool that needs none.
	binary string
}

// NewCrossplane builds the command line tool and the Crossplane that it renders with, unless they
// are in the cache.
func NewCrossplane(ctx context.Context, root string) (*Crossplane, error) {
	cli, err := tool.Build(ctx, root, "crossplane-cli")
	if err != nil {
		return nil, err
	}

	binary, err := tool.Build(ctx, root, "crossplane")

	return &Crossplane{cli: cli, binary: binary}, err
}

// NewCrossplaneV1 is NewCrossplane for crossplane beta render, of a command line tool that calls
// functions itself, by v1beta1 of their protocol.
func NewCrossplaneV1(ctx context.Context, root string) (*Crossplane, error) {
	cli, err := tool.Build(ctx, root, "crossplane-cli-v1")
	return &Crossplane{cli: cli}, err
}

// args returns the arguments for rendering a scenario with the functions of a file, without arguments for its
// context.
func (c *Crossplane) args(s Scenario, file string) []string {
	flags := flags()

	var args []string

	switch {
	case c.binary == "":
		args = []string{"beta", "render", fileXR, fileComposition, file}
		flags = flagsV1()
	case s.has(fileOperation):
		args = []string{"operation", "render", fileOperation, file, "--crossplane-binary", c.binary}
	default:
		args = []string{"composition", "render", fileXR, fileComposition, file, "--crossplane-binary", c.binary}
	}

	args = append(args, "--include-function-results")

	for _, name := range slices.Sorted(maps.Keys(flags)) {
		if s.has(name) {
			args = append(args, flags[name], name)
		}
	}

	return args
}

// Render a scenario. The functions are served to Crossplane meanwhile.
func (c *Crossplane) Render(ctx context.Context, s Scenario, all map[string]functions.Function) (Rendering, error) {
	dir, err := os.MkdirTemp("", "render-")
	if err != nil {
		return Rendering{}, fmt.Errorf("cannot make a temporary folder to render scenario %s: %w", s.Name, err)
	}
	defer os.RemoveAll(dir) //nolint:errcheck // What is left of it harms nobody.

	targets, stop, err := serve(ctx, all)
	if err != nil {
		return Rendering{}, err
	}
	defer stop()

	file := filepath.Join(dir, fileFunctions)

	text, err := listening(targets)
	if err != nil {
		return Rendering{}, err
	}

	if err := os.WriteFile(file, text, 0o600); err != nil {
		return Rendering{}, err
	}

	values, err := s.contextFlags(dir)
	if err != nil {
		return Rendering{}, fmt.Errorf("cannot prepare the context of scenario %s: %w", s.Name, err)
	}

	var stdout, stderr bytes.Buffer

	cmd := exec.CommandContext(ctx, c.cli, append(c.args(s, file), values...)...)
	cmd.Dir = s.Dir
	cmd.Stdout = &stdout
	cmd.Stderr = &stderr

	err = cmd.Run()
	if err == nil {
		return Rendering{Text: transitions.ReplaceAllString(stdout.String(), `${1}2024-01-01T00:00:00Z"`)}, nil
	}

	// A process that was killed has no exit code.
	if exit, ok := errors.AsType[*exec.ExitError](err); !ok || !exit.Exited() {
		return Rendering{}, fmt.Errorf("cannot run crossplane to render scenario %s: %w\n%s", s.Name, err, &stderr)
	}

	return Rendering{Text: stable(stderr.String(), file, targets), Failed: true}, nil
}

// serve functions, each at a target of its own, until the function that is returned is
// called.
func serve(ctx context.Context, all map[string]functions.Function) (targets map[string]string, stop func(), err error) {
	targets = make(map[string]string)

	var stops []func()

	stop = func() {
		for _, s := range stops {
			s()
		}
	}

	for name, f := range all {
		l, err := process.Listen(ctx)
		if err != nil {
			stop()
			return nil, nil, err
		}

		targets[name] = l.Addr().String()
		stops = append(stops, functions.Serve(f, l))
	}

	return targets, stop, nil
}

// listening are Functions that listen at targets, by name. Every version of the command line tool reads their
// version, and needs a package, which it doesn't run.
func listening(targets map[string]string) ([]byte, error) {
	var out bytes.Buffer

	for _, name := range slices.Sorted(maps.Keys(targets)) {
		text, err := yaml.Marshal(map[string]any{
			"apiVersion": "pkg.crossplane.io/v1beta1",
			"kind":       "Function",
			"metadata": map[string]any{"name": name, "annotations": map[string]string{
				remote.AnnotationRuntime: remote.RuntimeListens,
				remote.AnnotationTarget:  targets[name],
			}},
			"spec": map[string]any{"package": "example.org/" + name + ":v0.0.0"},
		})
		if err != nil {
			return nil, err
		}

		out.WriteString("---\n")
		out.Write(text)
	}

	return out.Bytes(), nil
}

// stable is a text without what differs from run to run.
func stable(text, file string, targets map[string]string) string {
	replaced := []string{file, fileFunctions}
	for name, target := range targets {
		replaced = append(replaced, target, name)
	}

	return strings.NewReplacer(replaced...).Replace(text)
}

// contextFlags returns the flags that give the pipeline the scenario's context. Each value is
// written to a file in dir, because one on the command line may not have every character.
func (s Scenario) contextFlags(dir string) ([]string, error) {
	in, err := s.input()
	if err != nil {
		return nil, err
	}

	var args []string

	for i, key := range slices.Sorted(maps.Keys(in.Context.GetFields())) {
		text, err := protojson.Marshal(in.Context.GetFields()[key])
		if err != nil {
			return nil, err
		}

		value := filepath.Join(dir, fmt.Sprintf("context-%d.json", i))
		if err := os.WriteFile(value, text, 0o600); err != nil {
			return nil, err
		}

		args = append(args, "--context-files", key+"="+value)
	}

	return args, nil
}
