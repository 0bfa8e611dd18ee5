package main

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"sigs.k8s.io/yaml"
)

// A file has a place in a layer.
type file struct {
	name    string
	mode    os.FileMode
	content []byte
}

// Scenarios have files for tests alone: observed and expected objects, and the context of a pipeline, which is no object.
var testFiles = []string{"context.yaml", "expected.yaml", "observed.yaml", "tag-manager-expected.yaml"}

// packageYAML returns the objects that Crossplane installs: the Function, and the CRD of the input, as they are in the
// checkout.
func packageYAML(root string) ([]byte, error) {
	folder := os.DirFS(filepath.Join(root, "package"))

	crds, err := fs.Glob(folder, "input/*.yaml")
	if err != nil {
		return nil, err
	}

	var (
		out   bytes.Buffer
		kinds []string
	)

	for _, path := range append([]string{"crossplane.yaml"}, crds...) {
		text, err := fs.ReadFile(folder, path)
		if err != nil {
			return nil, err
		}

		for document := range strings.SplitSeq("\n"+string(text), "\n---\n") {
			if strings.TrimSpace(document) == "" {
				continue
			}

			kind, err := kindOf(document)
			if err != nil {
				return nil, fmt.Errorf("package/%s: %w", path, err)
			}

			kinds = append(kinds, kind)
			out.WriteString("---\n" + strings.TrimSpace(document) + "\n")
		}
	}

	// Crossplane installs no package with other objects.
	if want := []string{"Function", "CustomResourceDefinition"}; !slices.Equal(kinds, want) {
		return nil, fmt.Errorf("the package has the kinds %q: want %q", kinds, want)
	}

	return out.Bytes(), nil
}

// examplesYAML returns the same stream as crossplane xpkg build --examples-root: all objects of all scenarios, in the order of
// their paths. Folders called testdata are no scenarios.
func examplesYAML(root string) ([]byte, error) {
	var out bytes.Buffer

	err := filepath.WalkDir(filepath.Join(root, "example"), func(path string, d fs.DirEntry, err error) error {
		if err == nil && d.IsDir() && d.Name() == "testdata" {
			return fs.SkipDir
		}

		if err != nil || d.IsDir() || filepath.Ext(path) != ".yaml" || slices.Contains(testFiles, d.Name()) {
			return err
		}

		text, err := os.ReadFile(path) //nolint:gosec // A file of the checkout.
		if err != nil {
			return err
		}

		for document := range strings.SplitSeq("\n"+string(text), "\n---\n") {
			if _, err := kindOf(document); err != nil && strings.TrimSpace(document) != "" {
				return fmt.Errorf("%s: %w", path, err)
			}
		}

		out.Write(text)
		out.WriteString("\n...\n\n---\n")

		return nil
	})

	return out.Bytes(), err
}

func kindOf(document string) (string, error) {
	o := struct {
		APIVersion string `json:"apiVersion"`
		Kind       string `json:"kind"`
	}{}

	if err := yaml.Unmarshal([]byte(document), &o); err != nil {
		return "", err
	}

	if o.APIVersion == "" || o.Kind == "" {
		return "", errors.New("an object without apiVersion or kind")
	}

	return o.Kind, nil
}

// extensions returns the layers of the marketplace: icons, readme, release-notes and sbom, in folders and files where it looks
// for them. It shows one SBOM: the first platform's. Each image has its own, too.
func extensions(root string, images []image) ([]part, error) {
	var out []part

	add := func(name string, content []byte) {
		folder := path.Dir(name)
		if len(out) == 0 || out[len(out)-1].xpkg != folder {
			out = append(out, part{xpkg: folder})
		}

		last := &out[len(out)-1]
		last.files = append(last.files, file{name: name, mode: 0o644, content: content})
	}

	marketplace := os.DirFS(filepath.Join(root, "package", "marketplace"))

	names, err := fs.Glob(marketplace, "*/*")
	if err != nil {
		return nil, err
	}

	for _, name := range names {
		text, err := fs.ReadFile(marketplace, name)
		if err != nil {
			return nil, err
		}

		add(name, text)
	}

	if len(images) > 0 {
		add("sbom/sbom.spdx.json", images[0].function.sbom)
	}

	return out, nil
}
