package live

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"runtime"
	"strings"
	"time"

	"github.com/plexsphere/function-cloud-tags/example/internal/functions"
	"github.com/plexsphere/function-cloud-tags/example/internal/process"
)

// repository is what the package is called in the registry.
const repository = "plexsphere/" + functions.CloudTags

// A registry is a folder of OCI layouts, one for each version of the package, from which Crossplane
// pulls. That the package can be pushed, too, is tested where it is made.
type registry string

// startRegistry serves packages with plain HTTP, which clients accept of their own machine.
func (c *Cluster) startRegistry(ctx context.Context) error {
	l, err := process.Listen(ctx)
	if err != nil {
		return err
	}

	srv := &http.Server{Handler: c.packages(), ReadHeaderTimeout: time.Minute}

	go func() { _ = srv.Serve(l) }() // It returns when it is closed.

	c.stop = append(c.stop, func() { _ = srv.Close() })
	c.registry = l.Addr().String()

	return nil
}

func (c *Cluster) packages() registry { return registry(filepath.Join(c.dir, "packages")) }

// ServeHTTP answers who pulls, by the paths of the OCI's distribution specification.
func (r registry) ServeHTTP(w http.ResponseWriter, req *http.Request) {
	if req.URL.Path == "/v2/" {
		return
	}

	content, err := r.read(path.Base(req.URL.Path))
	if err != nil {
		http.Error(w, err.Error(), http.StatusNotFound)
		return
	}

	w.Header().Set("Content-Type", "application/octet-stream")
	w.Header().Set("Docker-Content-Digest", fmt.Sprintf("sha256:%x", sha256.Sum256(content)))

	if path.Base(path.Dir(req.URL.Path)) == "manifests" {
		var manifest struct {
			MediaType string `json:"mediaType"`
		}

		if err := json.Unmarshal(content, &manifest); err == nil {
			w.Header().Set("Content-Type", manifest.MediaType)
		}
	}

	http.ServeContent(w, req, "", time.Time{}, bytes.NewReader(content))
}

// read what has the digest or the tag, which is a version.
func (r registry) read(ref string) ([]byte, error) {
	algorithm, sum, isDigest := strings.Cut(ref, ":")
	if !isDigest {
		return os.ReadFile(filepath.Join(string(r), ref, "index", "index.json"))
	}

	names, err := filepath.Glob(filepath.Join(string(r), "*", "index", "blobs", algorithm, sum))
	if err != nil || len(names) == 0 {
		return nil, fmt.Errorf("nothing has the digest %q: %w", ref, os.ErrNotExist)
	}

	return os.ReadFile(names[0])
}

// Push the package of what is in the root to the registry, and return its tag.
func (c *Cluster) Push(ctx context.Context, version string) (string, error) {
	platforms := "linux/amd64" // Crossplane reads this one, wherever it runs.
	if runtime.GOARCH != "amd64" {
		platforms += ",linux/" + runtime.GOARCH
	}

	folder := filepath.Join(string(c.packages()), version)
	if err := c.build(ctx, version, "--platform="+platforms, "--output="+folder); err != nil {
		return "", err
	}

	// The index is found by its digest, too.
	digest, err := os.ReadFile(filepath.Join(folder, "digest"))
	if err != nil {
		return "", err
	}

	algorithm, sum, _ := strings.Cut(strings.TrimSpace(string(digest)), ":")
	index := filepath.Join(folder, "index")

	return c.registry + "/" + repository + ":" + version, os.Link(filepath.Join(index, "index.json"), filepath.Join(index, "blobs", algorithm, sum))
}

// pull the program that an image runs, and return its file. It is built again, which gives the same.
func (c *Cluster) pull(ctx context.Context, image string) (string, error) {
	version := image[strings.LastIndex(image, ":")+1:]
	tree := filepath.Join(c.dir, "trees", version)

	return filepath.Join(tree, "function"), c.build(ctx, version, "--platform=linux/"+runtime.GOARCH, "--tree="+tree)
}

// build the package of what is in the root.
func (c *Cluster) build(ctx context.Context, version string, args ...string) error {
	cmd := exec.CommandContext(ctx, "go", append([]string{"run", "-C", filepath.Join("package", "build"), ".", "--version=" + version, "--revision=live"}, args...)...)
	cmd.Dir = c.root
	cmd.Env = append(os.Environ(), "SOURCE_DATE_EPOCH=0") // There may be no git.

	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("cannot build the package: %w\n%s", err, out)
	}

	return nil
}
