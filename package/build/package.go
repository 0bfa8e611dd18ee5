package main

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"path"
	"strings"
	"time"

	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/empty"
	"github.com/google/go-containerregistry/pkg/v1/mutate"
	"github.com/google/go-containerregistry/pkg/v1/tarball"
	"github.com/google/go-containerregistry/pkg/v1/types"
)

const (
	packageName = "function-cloud-tags"
	vendor      = "plexsphere"
	license     = "Apache-2.0"
	sourceURL   = "https://github.com/" + vendor + "/" + packageName
)

// A package says the use of a layer, or of a manifest in the index. Crossplane reads the base layer and no other, its command
// line tool annotates examples, and the marketplace looks for a manifest of extensions. Each layer of the extensions is a
// folder, and says its name, as up xpkg append makes it.
// github.com/crossplane/crossplane/blob/main/contributing/specifications/xpkg.md.
const (
	xpkgAnnotation = "io.crossplane.xpkg"
	xpkgPackage    = "base"
	xpkgExamples   = "upbound"
	xpkgExtensions = "xpkg-extensions"
)

// A pkg is the package for all platforms.
type pkg struct {
	source source
	images []image
	index  v1.ImageIndex
}

// An image is the package for a platform, such as linux/amd64.
type image struct {
	platform string
	function function
	image    v1.Image
}

// A part of an image is a layer, and its use.
type part struct {
	xpkg  string
	files []file
}

// newPackage builds the function for each platform, and says so to progress: the first time, that takes a minute or two.
func newPackage(ctx context.Context, src source, platforms []string, progress io.Writer) (*pkg, error) {
	objects, err := packageYAML(src.Root)
	if err != nil {
		return nil, fmt.Errorf("cannot read the package: %w", err)
	}

	examples, err := examplesYAML(src.Root)
	if err != nil {
		return nil, fmt.Errorf("cannot read the examples: %w", err)
	}

	p := &pkg{source: src}

	for _, platform := range platforms {
		_, _ = fmt.Fprintf(progress, "building %s (the first time, this takes a minute or two) …\n", platform)

		fn, err := buildFunction(ctx, src, platform)
		if err != nil {
			return nil, err
		}

		// Parts that seldom change come last, and are one blob of all platforms.
		img, err := p.newImage(platform,
			part{files: fn.files()},
			part{xpkg: xpkgPackage, files: []file{{name: "package.yaml", mode: 0o644, content: objects}}},
			part{xpkg: xpkgExamples, files: []file{{name: ".up/examples.yaml", mode: 0o644, content: examples}}})
		if err != nil {
			return nil, fmt.Errorf("cannot make the image of %s: %w", platform, err)
		}

		p.images = append(p.images, image{platform: platform, function: fn, image: img})
	}

	if err := p.setIndex(); err != nil {
		return nil, err
	}

	return p, nil
}

// setIndex makes the index of the images and the extensions. These come last: a client that looks for a platform must find an
// image first.
func (p *pkg) setIndex() error {
	index := mutate.IndexMediaType(empty.Index, types.OCIImageIndex)

	for _, i := range p.images {
		system, arch, _ := strings.Cut(i.platform, "/")
		index = mutate.AppendManifests(index, mutate.IndexAddendum{
			Add:        i.image,
			Descriptor: v1.Descriptor{MediaType: types.OCIManifestSchema1, Platform: &v1.Platform{OS: system, Architecture: arch}},
		})
	}

	parts, err := extensions(p.source.Root, p.images)
	if err != nil {
		return fmt.Errorf("cannot read the extensions: %w", err)
	}

	// The extensions have the platform unknown: Crossplane takes a manifest without one for linux/amd64.
	img, err := p.newImage("unknown/unknown", parts...)
	if err != nil {
		return fmt.Errorf("cannot make the extensions: %w", err)
	}

	index = mutate.AppendManifests(index, mutate.IndexAddendum{
		Add: img,
		Descriptor: v1.Descriptor{
			MediaType:   types.OCIManifestSchema1,
			Platform:    &v1.Platform{OS: "unknown", Architecture: "unknown"},
			Annotations: map[string]string{xpkgAnnotation: xpkgExtensions},
		},
	})

	p.index = mutate.Annotations(index, p.annotations()).(v1.ImageIndex) //nolint:forcetypeassert // An index remains one.

	return nil
}

// newImage makes an image of layers. Layers of a package are annotated, and named in labels: crossplane xpkg push annotates
// layers by these labels.
func (p *pkg) newImage(platform string, parts ...part) (v1.Image, error) {
	system, arch, _ := strings.Cut(platform, "/")
	config := &v1.ConfigFile{
		Architecture: arch,
		OS:           system,
		Created:      v1.Time{Time: p.source.Time},
		RootFS:       v1.RootFS{Type: "layers"},
		Config:       v1.Config{Labels: p.annotations()},
	}

	if system != "unknown" {
		config.Config.User = "65532:65532"
		config.Config.Env = []string{"PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"}
		config.Config.Entrypoint = []string{"/" + functionFile}
		config.Config.WorkingDir = "/"
		config.Config.ExposedPorts = map[string]struct{}{"9443/tcp": {}, "8080/tcp": {}}
	}

	layers := make([]mutate.Addendum, 0, len(parts))

	for _, part := range parts {
		layer, err := newLayer(p.source.Time, part.files)
		if err != nil {
			return nil, err
		}

		add := mutate.Addendum{
			Layer:     layer,
			MediaType: types.OCILayer,
			History:   v1.History{Created: v1.Time{Time: p.source.Time}, CreatedBy: "package/build", Comment: part.files[0].name},
		}

		if part.xpkg != "" {
			digest, err := layer.Digest()
			if err != nil {
				return nil, err
			}

			add.Annotations = map[string]string{xpkgAnnotation: part.xpkg}
			config.Config.Labels[xpkgAnnotation+":"+digest.String()] = part.xpkg
		}

		layers = append(layers, add)
	}

	img, err := mutate.ConfigFile(mutate.ConfigMediaType(mutate.MediaType(empty.Image, types.OCIManifestSchema1), types.OCIConfigJSON), config)
	if err != nil {
		return nil, err
	}

	if img, err = mutate.Append(img, layers...); err != nil {
		return nil, err
	}

	return mutate.Annotations(img, p.annotations()).(v1.Image), nil //nolint:forcetypeassert // An image remains one.
}

// annotations returns the annotations of images and indexes, by the names of the OCI.
func (p *pkg) annotations() map[string]string {
	return map[string]string{
		"org.opencontainers.image.title":         packageName,
		"org.opencontainers.image.description":   "A Crossplane function that turns labels into cloud tags on every composed resource, for any provider.",
		"org.opencontainers.image.vendor":        vendor,
		"org.opencontainers.image.url":           sourceURL,
		"org.opencontainers.image.documentation": sourceURL + "/blob/main/README.md",
		"org.opencontainers.image.source":        sourceURL,
		"org.opencontainers.image.licenses":      license,
		"org.opencontainers.image.revision":      p.source.Revision,
		"org.opencontainers.image.version":       p.source.Version,
		"org.opencontainers.image.created":       p.source.Time.Format(time.RFC3339),
	}
}

// newLayer packs the files and their folders, as root's and with this time.
func newLayer(created time.Time, files []file) (v1.Layer, error) {
	var out bytes.Buffer

	w := tar.NewWriter(&out)
	folders := make(map[string]bool)

	for _, f := range files {
		if err := writeFolders(w, created, path.Dir(f.name), folders); err != nil {
			return nil, err
		}

		if err := w.WriteHeader(&tar.Header{
			Typeflag: tar.TypeReg, Name: f.name, Mode: int64(f.mode), Size: int64(len(f.content)), ModTime: created, Format: tar.FormatUSTAR,
		}); err != nil {
			return nil, err
		}

		if _, err := w.Write(f.content); err != nil {
			return nil, err
		}
	}

	if err := w.Close(); err != nil {
		return nil, err
	}

	return tarball.LayerFromOpener(
		func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(out.Bytes())), nil },
		tarball.WithMediaType(types.OCILayer), tarball.WithCompressionLevel(gzip.BestCompression), tarball.WithCompressedCaching)
}

// writeFolders writes a folder and the folders around it, unless they are there.
func writeFolders(w *tar.Writer, created time.Time, folder string, there map[string]bool) error {
	if folder == "." || there[folder] {
		return nil
	}

	there[folder] = true

	return errors.Join(writeFolders(w, created, path.Dir(folder), there),
		w.WriteHeader(&tar.Header{Typeflag: tar.TypeDir, Name: folder + "/", Mode: 0o755, ModTime: created, Format: tar.FormatUSTAR}))
}
