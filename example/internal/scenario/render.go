package scenario

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	k8syaml "k8s.io/apimachinery/pkg/util/yaml"
	"sigs.k8s.io/yaml"

	"github.com/plexsphere/function-cloud-tags/example/internal/testfunction"
)

// Names of the functions that scenarios can use.
const (
	nameCloudTags     = "function-cloud-tags"
	nameTestResources = "function-test-resources"
)

// A Renderer renders scenarios. Its functions run until it is stopped.
type Renderer struct {
	tools   Tools
	dir     string
	targets map[string]string
	stop    []func()
}

// A Rendering is what one run of crossplane composition render did.
type Rendering struct {
	Stdout   []byte
	Stderr   []byte
	ExitCode int

	// stable replaces what differs from run to run.
	stable *strings.Replacer
}

// Start the functions, and build the tools if they are not in the cache. Whatever
// the function of this repository logs is written to log. The functions end with
// the context, too.
func Start(ctx context.Context, root string, log io.Writer) (*Renderer, error) {
	tools, err := BuildTools(ctx, root)
	if err != nil {
		return nil, err
	}

	dir, err := os.MkdirTemp("", "function-cloud-tags-")
	if err != nil {
		return nil, fmt.Errorf("cannot make a temporary folder: %w", err)
	}

	r := &Renderer{tools: tools, dir: dir, targets: make(map[string]string)}
	r.stop = append(r.stop, func() { _ = os.RemoveAll(dir) })

	f, err := startFunction(ctx, root, dir, log)
	if err != nil {
		r.Stop()
		return nil, err
	}

	r.targets[nameCloudTags] = f.address
	r.stop = append(r.stop, f.stop)

	if err := r.startTestFunction(ctx); err != nil {
		r.Stop()
		return nil, fmt.Errorf("cannot start the test function: %w", err)
	}

	return r, nil
}

func (r *Renderer) startTestFunction(ctx context.Context) error {
	l, err := Listen(ctx)
	if err != nil {
		return err
	}

	ctx, cancel := context.WithCancel(ctx)
	ended := make(chan error, 1)

	go func() { ended <- testfunction.Serve(ctx, l) }()

	r.targets[nameTestResources] = l.Addr().String()
	r.stop = append(r.stop, func() { cancel(); <-ended })

	return nil
}

// Stop everything that Start has started, and remove what it has left.
func (r *Renderer) Stop() {
	for _, stop := range slices.Backward(r.stop) {
		stop()
	}
}

// Render a scenario. That crossplane composition render fails is not an error: some
// scenarios show how.
func (r *Renderer) Render(ctx context.Context, s Scenario) (*Rendering, error) {
	return r.render(ctx, s, r.targets, "")
}

// RenderTagManager renders a scenario with function-tag-manager, which serves at the
// supplied address, in the place of the function of this repository.
func (r *Renderer) RenderTagManager(ctx context.Context, s Scenario, address string) (*Rendering, error) {
	targets := maps.Clone(r.targets)
	targets[nameCloudTags] = address

	return r.render(ctx, s, targets, FileTagManager)
}

// render a scenario with functions at the supplied targets. The step of the function
// of this repository has the input in the supplied file, if any, instead of its own.
func (r *Renderer) render(ctx context.Context, s Scenario, targets map[string]string, input string) (*Rendering, error) {
	dir, err := os.MkdirTemp(r.dir, s.Name+"-")
	if err != nil {
		return nil, fmt.Errorf("cannot make a temporary folder to render scenario %s: %w", s.Name, err)
	}
	defer os.RemoveAll(dir) //nolint:errcheck // Stop removes it, too.

	functions := filepath.Join(dir, fileFunctions)
	if err := retarget(filepath.Join(s.Dir, fileFunctions), functions, targets); err != nil {
		return nil, fmt.Errorf("cannot point the Functions of scenario %s to the running functions: %w", s.Name, err)
	}

	composition := fileComposition

	if input != "" {
		composition = filepath.Join(dir, fileComposition)
		if err := withInput(filepath.Join(s.Dir, fileComposition), composition, filepath.Join(s.Dir, input)); err != nil {
			return nil, fmt.Errorf("cannot put %s into the Composition of scenario %s: %w", input, s.Name, err)
		}
	}

	args := []string{
		"composition", "render", fileXR, composition, functions,
		"--crossplane-binary", r.tools.Crossplane,
		"--include-function-results",
	}

	for _, name := range slices.Sorted(maps.Keys(flags())) {
		if _, err := os.Stat(filepath.Join(s.Dir, name)); err == nil {
			args = append(args, flags()[name], name)
		}
	}

	files, err := contextFiles(filepath.Join(s.Dir, fileContext), dir)
	if err != nil {
		return nil, fmt.Errorf("cannot prepare the context of scenario %s: %w", s.Name, err)
	}

	var stdout, stderr bytes.Buffer

	cmd := exec.CommandContext(ctx, r.tools.CLI, append(args, files...)...)
	cmd.Dir = s.Dir
	cmd.Stdout = &stdout
	cmd.Stderr = &stderr

	err = cmd.Run()

	// A process that was killed has no exit code.
	if exit, ok := errors.AsType[*exec.ExitError](err); err != nil && (!ok || !exit.Exited()) {
		return nil, fmt.Errorf("cannot run crossplane to render scenario %s: %w\n%s", s.Name, err, stderr.Bytes())
	}

	return &Rendering{
		Stdout:   stdout.Bytes(),
		Stderr:   stderr.Bytes(),
		ExitCode: cmd.ProcessState.ExitCode(),
		stable: strings.NewReplacer(
			functions, fileFunctions,
			targets[nameCloudTags], nameCloudTags,
			targets[nameTestResources], nameTestResources,
		),
	}, nil
}

// retarget copies Functions, to the addresses at which they run here.
func retarget(from, to string, targets map[string]string) error {
	in, err := os.Open(from)
	if err != nil {
		return err
	}
	defer in.Close() //nolint:errcheck // Only open for reading.

	var out bytes.Buffer

	for d := k8syaml.NewYAMLOrJSONDecoder(in, 4096); ; {
		var f struct {
			APIVersion string `json:"apiVersion"`
			Kind       string `json:"kind"`
			Metadata   struct {
				Name        string            `json:"name"`
				Annotations map[string]string `json:"annotations"`
			} `json:"metadata"`
			Spec map[string]any `json:"spec"`
		}

		if err := d.Decode(&f); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			return err
		}

		target, found := targets[f.Metadata.Name]
		if !found {
			return fmt.Errorf("scenarios cannot use %q, but only %s and %s", f.Metadata.Name, nameCloudTags, nameTestResources)
		}

		f.Metadata.Annotations = map[string]string{
			"render.crossplane.io/runtime":                    "Development",
			"render.crossplane.io/runtime-development-target": target,
		}

		document, err := yaml.Marshal(f)
		if err != nil {
			return err
		}

		_, _ = fmt.Fprintf(&out, "---\n%s", document)
	}

	return os.WriteFile(to, out.Bytes(), 0o600)
}

// withInput copies a Composition. The step of the function of this repository gets the
// input in a file.
func withInput(from, to, input string) error {
	text, err := os.ReadFile(from)
	if err != nil {
		return err
	}

	var composition unstructured.Unstructured
	if err := yaml.UnmarshalStrict(text, &composition.Object); err != nil {
		return err
	}

	text, err = os.ReadFile(input)
	if err != nil {
		return err
	}

	var in map[string]any
	if err := yaml.UnmarshalStrict(text, &in); err != nil {
		return err
	}

	pipeline, _, err := unstructured.NestedSlice(composition.Object, "spec", "pipeline")
	if err != nil {
		return err
	}

	for _, step := range pipeline {
		step, _ := step.(map[string]any)
		if name, _, _ := unstructured.NestedString(step, "functionRef", "name"); name == nameCloudTags {
			step["input"] = in
		}
	}

	if err := unstructured.SetNestedSlice(composition.Object, pipeline, "spec", "pipeline"); err != nil {
		return err
	}

	if text, err = yaml.Marshal(composition.Object); err != nil {
		return err
	}

	return os.WriteFile(to, text, 0o600)
}

// contextFiles returns the flags that give the pipeline the context of a file, if
// there is one. It writes each value of the context to a file in dir, because values
// on the command line may not contain every character.
func contextFiles(file, dir string) ([]string, error) {
	text, err := os.ReadFile(file)
	if errors.Is(err, os.ErrNotExist) {
		return nil, nil
	}

	if err != nil {
		return nil, err
	}

	var values map[string]json.RawMessage
	if err := yaml.UnmarshalStrict(text, &values); err != nil {
		return nil, err
	}

	var args []string

	for i, key := range slices.Sorted(maps.Keys(values)) {
		value := filepath.Join(dir, fmt.Sprintf("context-%d.json", i))
		if err := os.WriteFile(value, values[key], 0o600); err != nil {
			return nil, err
		}

		args = append(args, "--context-files", key+"="+value)
	}

	return args, nil
}

// Outcome of the rendering: the output, or the error if it failed.
func (r *Rendering) Outcome() Outcome {
	if r.ExitCode != 0 {
		return Outcome{Text: r.stable.Replace(string(r.Stderr)), Failed: true}
	}

	return Outcome{Text: string(r.Stdout)}
}
