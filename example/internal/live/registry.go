package live

import (
	"archive/tar"
	"context"
	"errors"
	"fmt"
	"io"
	"log"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"time"

	"github.com/google/go-containerregistry/pkg/name"
	"github.com/google/go-containerregistry/pkg/registry"
	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/mutate"
	"github.com/google/go-containerregistry/pkg/v1/remote"

	"github.com/plexsphere/function-cloud-tags/example/internal/functions"
	"github.com/plexsphere/function-cloud-tags/example/internal/process"
)

// startRegistry serves packages with plain HTTP, which clients accept of their own machine.
func (c *Cluster) startRegistry(ctx context.Context) error {
	l, err := process.Listen(ctx)
	if err != nil {
		return err
	}

	srv := &http.Server{Handler: registry.New(registry.Logger(log.New(io.Discard, "", 0))), ReadHeaderTimeout: time.Minute}

	go func() { _ = srv.Serve(l) }() // It returns when it is closed.

	c.stop = append(c.stop, func() { _ = srv.Close() })
	c.registry = l.Addr().String()

	return nil
}

// push the package of what is in the root to the registry, as people do, and return its tag.
func (c *Cluster) push(ctx context.Context, version string) (string, error) {
	image := c.registry + "/plexsphere/" + functions.CloudTags + ":" + version

	platforms := "linux/amd64" // Crossplane reads this one, wherever it runs.
	if runtime.GOARCH != "amd64" {
		platforms += ",linux/" + runtime.GOARCH
	}

	build := exec.CommandContext(ctx, "go", "run", "./package/build", "--version="+version, "--revision=live",
		"--platform="+platforms, "--output="+filepath.Join(c.dir, "package"), "--push="+image)
	build.Dir = c.root
	build.Env = append(os.Environ(), "SOURCE_DATE_EPOCH=0") // There may be no git.

	if out, err := build.CombinedOutput(); err != nil {
		return "", fmt.Errorf("cannot build the package: %w\n%s", err, out)
	}

	return image, nil
}

// pull the program that an image runs, to a file.
func pull(ctx context.Context, image, file string) error {
	ref, err := name.ParseReference(image)
	if err != nil {
		return err
	}

	img, err := remote.Image(ref, remote.WithContext(ctx), remote.WithPlatform(v1.Platform{OS: "linux", Architecture: runtime.GOARCH}))
	if err != nil {
		return err
	}

	config, err := img.ConfigFile()
	if err != nil {
		return err
	}

	files := mutate.Extract(img)
	defer files.Close() //nolint:errcheck // It was read.

	entrypoint := strings.TrimPrefix(strings.Join(config.Config.Entrypoint, " "), "/")

	for r := tar.NewReader(files); ; {
		h, err := r.Next()
		if err != nil {
			return fmt.Errorf("cannot find %q in %s: %w", entrypoint, image, err)
		}

		if h.Name != entrypoint {
			continue
		}

		out, err := os.OpenFile(file, os.O_CREATE|os.O_TRUNC|os.O_WRONLY, h.FileInfo().Mode())
		if err != nil {
			return err
		}

		_, err = io.Copy(out, r) //nolint:gosec // It is as large as it is.

		return errors.Join(err, out.Close())
	}
}
