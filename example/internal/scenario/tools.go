package scenario

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"
)

// Tools that render scenarios.
type Tools struct {
	// CLI is the crossplane command line tool, with composition render.
	CLI string

	// Crossplane is the Crossplane that the CLI renders with.
	Crossplane string
}

// A pin is the version of a tool: a module below .ci/tools that requires it.
type pin struct {
	// name of the module's folder.
	name    string
	dir     string
	command string
	module  string
	version string
}

// BuildTools builds those tools that are not in the cache yet, in the versions that
// the modules in .ci/tools pin. It reports its progress on standard error, because
// it takes minutes.
func BuildTools(ctx context.Context, root string) (Tools, error) {
	cli, err := BuildTool(ctx, root, "crossplane-cli")
	if err != nil {
		return Tools{}, err
	}

	crossplane, err := BuildTool(ctx, root, "crossplane")

	return Tools{CLI: cli, Crossplane: crossplane}, err
}

// BuildTool builds the tool of a module in .ci/tools, if it is not in the cache yet,
// and returns where it is.
func BuildTool(ctx context.Context, root, name string) (string, error) {
	p, err := readPin(ctx, root, name)
	if err != nil {
		return "", fmt.Errorf("cannot read which version of %s to build: %w", name, err)
	}

	cache := filepath.Join(root, ".cache")
	path := filepath.Join(cache, p.name+"-"+p.version)

	if _, err := os.Stat(path); err == nil {
		return path, nil
	}

	if err := os.MkdirAll(cache, 0o750); err != nil {
		return "", fmt.Errorf("cannot make the cache folder: %w", err)
	}

	// Only a whole binary gets the name in the cache, so neither an interrupted
	// build nor two at once leave a broken one.
	tmp, err := os.MkdirTemp(cache, "build-")
	if err != nil {
		return "", fmt.Errorf("cannot make a folder to build %s in: %w", name, err)
	}
	defer os.RemoveAll(tmp) //nolint:errcheck // What is left in the cache harms nobody.

	binary := filepath.Join(tmp, name)
	if err := p.build(ctx, binary); err != nil {
		return "", fmt.Errorf("cannot build %s %s: %w", p.name, p.version, err)
	}

	if err := os.Rename(binary, path); err != nil {
		return "", fmt.Errorf("cannot put %s into the cache: %w", name, err)
	}

	return path, nil
}

// ToolSource returns the folder of the module that a tool is built from. It is
// downloaded, if the tool was built elsewhere.
func ToolSource(ctx context.Context, root, name string) (string, error) {
	p, err := readPin(ctx, root, name)
	if err != nil {
		return "", fmt.Errorf("cannot read which version of %s to look at: %w", name, err)
	}

	cmd := exec.CommandContext(ctx, "go", "mod", "download", "-json", p.module)
	cmd.Dir = p.dir
	cmd.Env = append(os.Environ(), "GOWORK=off")
	cmd.Stderr = os.Stderr

	out, err := cmd.Output()
	if err != nil {
		return "", fmt.Errorf("go mod download %s in %s: %w", p.module, p.dir, err)
	}

	var source struct {
		Dir string `json:"Dir"` //nolint:tagliatelle // It is the go command's.
	}

	if err := json.Unmarshal(out, &source); err != nil {
		return "", fmt.Errorf("go mod download %s in %s: %w", p.module, p.dir, err)
	}

	return source.Dir, nil
}

func readPin(ctx context.Context, root, name string) (pin, error) {
	p := pin{name: name, dir: filepath.Join(root, ".ci", "tools", name)}

	cmd := exec.CommandContext(ctx, "go", "mod", "edit", "-json")
	cmd.Dir = p.dir
	cmd.Stderr = os.Stderr

	out, err := cmd.Output()
	if err != nil {
		return pin{}, fmt.Errorf("go mod edit -json in %s: %w", p.dir, err)
	}

	var mod struct {
		Tool []struct {
			Path string `json:"path"`
		} `json:"tool"`
		Require []struct {
			Path    string `json:"path"`
			Version string `json:"version"`
		} `json:"require"`
	}

	if err := json.Unmarshal(out, &mod); err != nil {
		return pin{}, fmt.Errorf("go mod edit -json in %s: %w", p.dir, err)
	}

	if len(mod.Tool) != 1 {
		return pin{}, fmt.Errorf("%s must have one tool directive, not %d", filepath.Join(p.dir, "go.mod"), len(mod.Tool))
	}

	p.command = mod.Tool[0].Path

	// The module of a package is the longest of those its path begins with.
	for _, r := range mod.Require {
		if strings.HasPrefix(p.command+"/", r.Path+"/") && len(r.Path) > len(p.module) {
			p.module, p.version = r.Path, r.Version
		}
	}

	if p.module == "" {
		return pin{}, fmt.Errorf("%s requires no module that has %s", filepath.Join(p.dir, "go.mod"), p.command)
	}

	return p, nil
}

func (p pin) build(ctx context.Context, binary string) error {
	_, _ = fmt.Fprintf(os.Stderr, "Building %s %s, once. This takes minutes.\n", p.name, p.version)

	start := time.Now()
	done := make(chan struct{})
	reported := make(chan struct{})

	go func() {
		defer close(reported)

		tick := time.NewTicker(10 * time.Second)
		defer tick.Stop()

		for {
			select {
			case <-tick.C:
				_, _ = fmt.Fprintf(os.Stderr, "Still building %s %s, for %s now.\n", p.name, p.version, time.Since(start).Round(time.Second))
			case <-done:
				return
			}
		}
	}()

	// The pins are modules of their own, whatever workspace is set.
	cmd := exec.CommandContext(ctx, "go", "build", "-C", p.dir, "-o", binary, p.command)
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0", "GOWORK=off")
	cmd.Stderr = os.Stderr

	err := cmd.Run()

	close(done)
	<-reported

	if err != nil {
		return fmt.Errorf("go build -C %s %s: %w", p.dir, p.command, err)
	}

	_, _ = fmt.Fprintf(os.Stderr, "Built %s %s in %s.\n", p.name, p.version, time.Since(start).Round(time.Second))

	return nil
}
