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

// Where the image has them.
const (
	functionFile = "function"
	sbomFile     = "function.spdx.json"
)

// A function is the program for a platform, and what is in it.
type function struct {
	binary, sbom []byte
	licenses     []file
}

// files that the image has of it.
func (f function) files() []file {
	return append([]file{
		{name: functionFile, mode: 0o755, content: f.binary},
		{name: sbomFile, mode: 0o644, content: f.sbom},
	}, f.licenses...)
}

// buildFunction builds the program for a platform. All that would tell one machine from another
// is set here, and what the checkout would stamp is given by the source.
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

// What says where modules come from, and where they are kept, but not what is built.
var downloads = []string{
	"GOAUTH", "GOCACHE", "GOCACHEPROG", "GOINSECURE", "GOMODCACHE", "GONOPROXY", "GONOSUMDB",
	"GOPATH", "GOPRIVATE", "GOPROXY", "GOSUMDB", "GOTMPDIR", "GOVCS",
}

// environment in which Go is the toolchain as it comes. Go takes an empty variable for one that
// go env -w has set: hence without that, but for downloads.
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

// buildTags leave out gRPC's own page of traces, which nothing serves. Its template would make the linker keep every method of the
// program, a sixth of the binary.
const buildTags = "grpcnotrace"

// platformEnvironment is the one in which the program is built for a platform.
func platformEnvironment(ctx context.Context, src source, platform string) ([]string, error) {
	env, err := environment(ctx, src.Root, src.Toolchain)
	system, arch, _ := strings.Cut(platform, "/")

	return append(env, "GOOS="+system, "GOARCH="+arch, "CGO_ENABLED=0", "GOAMD64=v1", "GOARM64=v8.0", "GOFIPS140=off", "GOWORK=off", "GODEBUG=", "GOFLAGS=-tags="+buildTags), err
}
