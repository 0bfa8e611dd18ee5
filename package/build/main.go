// Command build makes the Crossplane package of this checkout: an .xpkg per platform, and an OCI layout with their index. A
// registry gets this index. The command needs Go and git, and no Docker. The same commit gives the same digests in any
// checkout.
//
//	go run -C package/build .
//	go run -C package/build . --version v0.1.0 --push registry.example.org/function-cloud-tags:v0.1.0
//
// It is a module of its own: the function doesn't depend on the libraries for pushing.
package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"syscall"

	"github.com/google/go-containerregistry/pkg/authn"
	"github.com/google/go-containerregistry/pkg/name"
	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/layout"
	"github.com/google/go-containerregistry/pkg/v1/remote"
	"github.com/google/go-containerregistry/pkg/v1/tarball"
	"github.com/spf13/cobra"
)

type cli struct {
	Platform []string
	Output   string
	Version  string
	Revision string
	Binaries []string
	Push     []string
	Tree     string
}

// platforms of the package.
var platforms = []string{"linux/amd64", "linux/arm64"}

// cobra returns the command line of the command.
func (c *cli) cobra() *cobra.Command {
	out := &cobra.Command{
		Use:           "build",
		Short:         "Builds the Crossplane package of this checkout, without Docker. Times are those of the commit, or SOURCE_DATE_EPOCH.",
		Args:          cobra.NoArgs,
		SilenceErrors: true,
		SilenceUsage:  true,
		RunE:          func(p *cobra.Command, _ []string) error { return c.run(p.Context(), os.Stdout, os.Stderr) },
	}

	f := out.Flags()
	f.SortFlags = false
	f.StringSliceVar(&c.Platform, "platform", platforms, "Platforms to build for.")
	f.StringVar(&c.Output, "output", "", "Folder (`DIR`) for what is made: an .xpkg and an SBOM per platform, and the OCI layout index. Without it, .cache/package of the checkout.")
	f.StringVar(&c.Version, "version", "", "Version of the package. Without it, a version made of the time and the revision of the commit, as Go has them.")
	f.StringVar(&c.Revision, "revision", "", "Revision that the package is built from. Without it, the commit that is checked out.")
	f.StringSliceVar(&c.Binaries, "binaries", nil, "Make archives of the program, too, with their SBOMs and checksums: for Linux, macOS and Windows, or for the platforms that --binaries=OS/ARCH names.")
	f.Lookup("binaries").NoOptDefVal = strings.Join(binaryPlatforms, ",")
	f.StringSliceVar(&c.Push, "push", nil, "Push the index to this tag of a registry (`REF`), too, with what docker login left. Repeatable.")
	f.StringVar(&c.Tree, "tree", "", "Write the files of the image to this folder (`DIR`) instead, for the Dockerfile. It takes one platform.")

	return out
}

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	err := (&cli{}).cobra().ExecuteContext(ctx)

	stop()

	if err != nil {
		_, _ = fmt.Fprintln(os.Stderr, "build:", err)
		os.Exit(1)
	}
}

// run prints digests and paths to out, and progress to progress.
func (c *cli) run(ctx context.Context, out, progress io.Writer) error {
	for _, p := range c.Platform {
		if !slices.Contains(platforms, p) {
			return fmt.Errorf("--platform %s: the package is for %s", p, strings.Join(platforms, " and "))
		}
	}

	for _, p := range c.Binaries {
		if !slices.Contains(binaryPlatforms, p) {
			return fmt.Errorf("--binaries=%s: the program is for %s", p, strings.Join(binaryPlatforms, ", "))
		}
	}

	root, err := rootOf(ctx)
	if err != nil {
		return err
	}

	toolchain, err := toolchainOf(root)
	if err != nil {
		return err
	}

	// The toolchain also compresses the layers.
	if toolchain != runtime.Version() {
		return again(ctx, root, toolchain)
	}

	src, err := sourceOf(ctx, root, c.Version, c.Revision)
	if err != nil {
		return err
	}

	src.Toolchain = toolchain

	if c.Tree != "" {
		return c.writeTree(ctx, src)
	}

	p, err := newPackage(ctx, src, c.Platform, progress)
	if err != nil {
		return err
	}

	folder := cmp.Or(c.Output, filepath.Join(root, ".cache", "package"))
	if err := p.write(folder, out); err != nil {
		return err
	}

	if len(c.Binaries) > 0 {
		if err := writeBinaries(ctx, src, c.Binaries, p.images, folder, progress); err != nil {
			return err
		}
	}

	if len(c.Push) == 0 {
		_, _ = fmt.Fprintf(progress, "Next: push all platforms with --push REGISTRY/%s:%s, and write that to spec.package of a Function.\n", packageName, imageTag(src.Version))
	}

	return p.push(ctx, c.Push, out, progress)
}

// imageTag returns the version as the tag of an image, without a plus sign.
func imageTag(version string) string { return strings.ReplaceAll(version, "+", "-") }

// again runs this command with the toolchain of go.mod.
func again(ctx context.Context, root, toolchain string) error {
	if os.Getenv("GOENV") == "off" && os.Getenv("GOTOOLCHAIN") == toolchain && os.Getenv("GOEXPERIMENT") == "" {
		return fmt.Errorf("this is %s, and go.mod asks for %s: Go did not change to it", runtime.Version(), toolchain)
	}

	env, err := environment(ctx, root, toolchain)
	if err != nil {
		return err
	}

	cmd := exec.CommandContext(ctx, "go", append([]string{"run", "-C", filepath.Join(root, "package", "build"), "."}, os.Args[1:]...)...) //nolint:gosec // What this command was called with.
	cmd.Env = env
	cmd.Stdin, cmd.Stdout, cmd.Stderr = os.Stdin, os.Stdout, os.Stderr

	if err := cmd.Run(); err != nil {
		return fmt.Errorf("cannot build with %s, the toolchain of go.mod: %w", toolchain, err)
	}

	return nil
}

// writeTree writes the files that an image has beside the package's own.
func (c *cli) writeTree(ctx context.Context, src source) error {
	if len(c.Platform) != 1 {
		return errors.New("--tree takes one --platform")
	}

	fn, err := buildFunction(ctx, src, c.Platform[0])
	if err != nil {
		return err
	}

	for _, f := range fn.files() {
		path := filepath.Join(c.Tree, f.name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			return err
		}

		if err := os.WriteFile(path, f.content, f.mode); err != nil {
			return err
		}

		if err := os.Chtimes(path, src.Time, src.Time); err != nil {
			return err
		}
	}

	return nil
}

// write writes the package to a folder: NAME-OS-ARCH.xpkg, .spdx.json and .digest per platform, the OCI layout index, and its
// digest in digest. A .digest is the image's in the index.
func (p *pkg) write(folder string, out io.Writer) error {
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return err
	}

	for _, i := range p.images {
		base := filepath.Join(folder, packageName+"-"+strings.ReplaceAll(i.platform, "/", "-"))

		tag, err := name.NewTag(packageName + ":" + imageTag(p.source.Version))
		if err != nil {
			return err
		}

		if err := tarball.WriteToFile(base+".xpkg", tag, i.image); err != nil {
			return fmt.Errorf("cannot write the package of %s: %w", i.platform, err)
		}

		if err := os.WriteFile(base+".spdx.json", i.function.sbom, 0o644); err != nil {
			return err
		}

		digest, err := i.image.Digest()
		if err != nil {
			return err
		}

		if err := writeDigest(base+".digest", digest); err != nil {
			return err
		}

		_, _ = fmt.Fprintln(out, digest, i.platform, base+".xpkg")
	}

	return p.writeIndex(folder, out)
}

func (p *pkg) writeIndex(folder string, out io.Writer) error {
	index := filepath.Join(folder, "index")
	if _, err := os.Stat(filepath.Join(index, "oci-layout")); err == nil {
		if err := os.RemoveAll(index); err != nil {
			return err
		}
	}

	if _, err := layout.Write(index, p.index); err != nil {
		return fmt.Errorf("cannot write the index: %w", err)
	}

	digest, err := p.index.Digest()
	if err != nil {
		return err
	}

	_, _ = fmt.Fprintln(out, digest, "index", index)

	return writeDigest(filepath.Join(folder, "digest"), digest)
}

func writeDigest(path string, digest v1.Hash) error {
	return os.WriteFile(path, []byte(digest.String()+"\n"), 0o644)
}

// push pushes the index to tags of registries.
func (p *pkg) push(ctx context.Context, refs []string, out, progress io.Writer) error {
	digest, err := p.index.Digest()
	if err != nil {
		return err
	}

	for _, ref := range refs {
		tag, err := name.NewTag(ref, name.StrictValidation)
		if err != nil {
			return fmt.Errorf("cannot push to %s: want a registry, a repository and a tag: %w", ref, err)
		}

		_, _ = fmt.Fprintf(progress, "pushing %s …\n", ref)

		if err := remote.WriteIndex(tag, p.index, remote.WithContext(ctx), remote.WithAuthFromKeychain(authn.DefaultKeychain)); err != nil {
			return fmt.Errorf("cannot push to %s: %w", ref, err)
		}

		_, _ = fmt.Fprintln(out, digest, "pushed", tag.Digest(digest.String()))
	}

	return nil
}
