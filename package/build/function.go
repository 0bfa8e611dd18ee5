package main

import (
	"context"
	"debug/buildinfo"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// The image has these files.
const (
	functionFile = "function"
	sbomFile     = "function.spdx.json"
)

// A function is the program for a platform, with its SBOM and licenses.
type function struct {
	binary, sbom []byte
	licenses     []file
}

// files returns the files of the image.
func (f function) files() []file {
	return append([]file{
		{name: functionFile, mode: 0o755, content: f.binary},
		{name: sbomFile, mode: 0o644, content: f.sbom},
	}, f.licenses...)
}

// buildFunction builds the program for a platform. The result depends on the source alone: settings of the machine and stamps
// of the checkout have no effect.
func buildFunction(ctx context.Context, src source, platform string) (f function, err error) {
	dir, err := os.MkdirTemp("", "function-")
	if err != nil {
		return f, err
	}

	defer os.RemoveAll(dir) //nolint:errcheck // Nothing can be done.

	path := filepath.Join(dir, functionFile)

	env, err := platformEnvironment(ctx, src, platform)
	if err != nil {
		return f, err
	}

	if _, err := runWith(ctx, env, src.Root, "go", "build", "-mod=readonly", "-trimpath", "-buildvcs=false",
		"-ldflags=-s -w -buildid= -X main.version="+src.Version+" -X main.revision="+src.Revision, "-o", path, "."); err != nil {
		return f, fmt.Errorf("cannot build the function for %s: %w", platform, err)
	}

	if f.binary, err = os.ReadFile(path); err != nil {
		return f, err
	}

	if err := checkFormat(platform, f.binary); err != nil {
		return f, err
	}

	info, err := buildinfo.ReadFile(path)
	if err != nil {
		return f, fmt.Errorf("cannot read which modules the function for %s has: %w", platform, err)
	}

	packages, err := runWith(ctx, env, src.Root, "go", "list", "-deps", "-f", linkedFormat, ".")
	if err != nil {
		return f, err
	}

	if f.licenses, err = licensesOf(packages, info); err != nil {
		return f, fmt.Errorf("cannot collect the licenses of the function for %s: %w", platform, err)
	}

	f.sbom, err = sbom(src, platform, f.binary, info)

	return f, err
}

// These variables are for downloads. They change nothing in the program.
var downloads = []string{
	"GOAUTH", "GOCACHE", "GOCACHEPROG", "GOINSECURE", "GOMODCACHE", "GONOPROXY", "GONOSUMDB",
	"GOPATH", "GOPRIVATE", "GOPROXY", "GOSUMDB", "GOTMPDIR", "GOVCS",
}

// environment returns an environment with the toolchain, and without settings of the machine. GOENV is off, since Go would take
// an empty variable from go env -w. Only variables for downloads stay.
func environment(ctx context.Context, root, toolchain string) ([]string, error) {
	out, err := run(ctx, root, "go", append([]string{"env", "-json"}, downloads...)...)
	if err != nil {
		return nil, err
	}

	var values map[string]string
	if err := json.Unmarshal(out, &values); err != nil {
		return nil, fmt.Errorf("cannot read what go env says: %w", err)
	}

	env := append(os.Environ(), "GOENV=off", "GOTOOLCHAIN="+toolchain, "GOFLAGS=", "GOEXPERIMENT=")
	for _, name := range downloads {
		env = append(env, name+"="+values[name])
	}

	return env, nil
}

// buildTags leave out gRPC's own page of traces, which nothing serves. Its template would make the linker keep all methods of
// the program: a sixth of the binary.
const buildTags = "grpcnotrace"

// platformEnvironment returns the environment in which Go builds the program for a platform.
func platformEnvironment(ctx context.Context, src source, platform string) ([]string, error) {
	env, err := environment(ctx, src.Root, src.Toolchain)
	system, arch, _ := strings.Cut(platform, "/")

	return append(env, "GOOS="+system, "GOARCH="+arch, "CGO_ENABLED=0", "GOAMD64=v1", "GOARM64=v8.0", "GOFIPS140=off", "GOWORK=off", "GODEBUG=", "GOFLAGS=-tags="+buildTags), err
}
