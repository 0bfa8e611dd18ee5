package main

import (
	"context"
	"debug/buildinfo"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// Where the image has them.
const (
	functionFile = "function"
	sbomFile     = "function.spdx.json"
)

// A function is the program for a platform, and what is in it.
type function struct {
	binary, sbom []byte
}

// files that the image has of it.
func (f function) files() []file {
	return []file{
		{name: functionFile, mode: 0o755, content: f.binary},
		{name: sbomFile, mode: 0o644, content: f.sbom},
	}
}

// buildFunction builds the program for a platform. All that would tell one machine from another
// is set here, and what the checkout would stamp is given by the source.
func buildFunction(ctx context.Context, src source, platform string) (f function, err error) {
	dir, err := os.MkdirTemp("", "function-")
	if err != nil {
		return f, err
	}

	defer os.RemoveAll(dir) //nolint:errcheck // Nothing can be done.

	system, arch, _ := strings.Cut(platform, "/")
	path := filepath.Join(dir, functionFile)

	cmd := exec.CommandContext(ctx, "go", "build", "-mod=readonly", "-trimpath", "-buildvcs=false",
		"-ldflags=-s -w -buildid= -X main.version="+src.Version+" -X main.revision="+src.Revision, "-o", path, ".")
	cmd.Dir = src.Root
	cmd.Env = append(os.Environ(), "GOOS="+system, "GOARCH="+arch, "CGO_ENABLED=0", "GOTOOLCHAIN="+src.Toolchain,
		"GOAMD64=v1", "GOARM64=v8.0", "GOFLAGS=", "GOEXPERIMENT=", "GOFIPS140=off", "GOWORK=off", "GODEBUG=")

	if out, err := cmd.CombinedOutput(); err != nil {
		return f, fmt.Errorf("cannot build the function for %s: %w\n%s", platform, err, out)
	}

	if f.binary, err = os.ReadFile(path); err != nil {
		return f, err
	}

	info, err := buildinfo.ReadFile(path)
	if err != nil {
		return f, fmt.Errorf("cannot read which modules the function for %s has: %w", platform, err)
	}

	f.sbom, err = sbom(src, platform, f.binary, info)

	return f, err
}
