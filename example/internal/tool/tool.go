// Package tool has the tools that the modules in .ci/tools pin.
package tool

import (
	"bytes"
	"context"
	"debug/buildinfo"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/schollz/progressbar/v3"
	"golang.org/x/term"

	"github.com/plexsphere/function-cloud-tags/tags/command/terminal"
)

// Build the tool that a module in .ci/tools pins, unless it is in the cache, and return
// where it is. That takes minutes, so it says on standard error what it builds. On a terminal, it counts the packages.
func Build(ctx context.Context, root, name string) (string, error) {
	cmd := exec.CommandContext(ctx, filepath.Join(root, ".ci", "tool"), name)

	if term.IsTerminal(int(os.Stderr.Fd())) {
		bar := terminal.Progress(os.Stderr, -1, "packages")
		defer func() { _ = bar.Finish() }() // Nobody misses a bar that can't be written.

		cmd.Env = append(os.Environ(), "GOFLAGS="+strings.TrimSpace(os.Getenv("GOFLAGS")+" -v"))
		cmd.Stderr = &packages{bar: bar}
	}

	path, err := output(cmd)
	if err != nil {
		return "", fmt.Errorf("cannot build %s: %w", name, err)
	}

	return path, nil
}

// packages counts the packages that go build -v names, a line for each, and passes all other lines on.
type packages struct {
	bar  *progressbar.ProgressBar
	line []byte
}

// Write takes whole lines and parts of them.
func (p *packages) Write(text []byte) (int, error) {
	p.line = append(p.line, text...)

	for {
		line, rest, ok := bytes.Cut(p.line, []byte("\n"))
		if !ok {
			return len(text), nil
		}

		p.line = rest

		if bytes.ContainsAny(line, " :") {
			_ = p.bar.Clear() // Nobody misses a bar that can't be written.
			_, _ = os.Stderr.Write(append(bytes.Clone(line), 0x0a))
		} else {
			_ = p.bar.Add(1)
		}
	}
}

// Version of a tool that was built.
func Version(ctx context.Context, root, name string) (string, error) {
	path, err := Build(ctx, root, name)
	if err != nil {
		return "", err
	}

	info, err := buildinfo.ReadFile(path)
	if err != nil {
		return "", fmt.Errorf("cannot read the version of %s: %w", name, err)
	}

	return info.Main.Version, nil
}

// Source returns the folder of the module of a package that a tool is built from, or of the tool's own, which is
// called "tool". It is downloaded, if the tool was built elsewhere.
func Source(ctx context.Context, root, name, pkg string) (string, error) {
	cmd := exec.CommandContext(ctx, "go", "list", "-C", filepath.Join(root, ".ci", "tools", name), "-f", "{{.Module.Dir}}", pkg)
	cmd.Env = append(os.Environ(), "GOWORK=off") // A module of its own, whatever workspace is set.

	dir, err := output(cmd)
	if err != nil {
		return "", fmt.Errorf("cannot find the source of %s: %w", name, err)
	}

	return dir, nil
}

// output of a command: one line.
func output(cmd *exec.Cmd) (string, error) {
	var stdout bytes.Buffer

	cmd.Stdout = &stdout
	if cmd.Stderr == nil {
		cmd.Stderr = os.Stderr
	}

	if err := cmd.Run(); err != nil {
		return "", fmt.Errorf("%s: %w", cmd, err)
	}

	return strings.TrimSpace(stdout.String()), nil
}
