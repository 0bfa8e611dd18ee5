package main

import (
	"archive/tar"
	"bytes"
	"crypto/sha256"
	"debug/buildinfo"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-containerregistry/pkg/name"
	"github.com/google/go-containerregistry/pkg/registry"
	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/layout"
	"github.com/google/go-containerregistry/pkg/v1/remote"
	"github.com/google/go-containerregistry/pkg/v1/tarball"
	"github.com/google/go-containerregistry/pkg/v1/types"
)

// testPlatform is the platform of this machine: other tests have built for it already. CI builds for all.
var testPlatform = "linux/" + runtime.GOARCH

// testSource returns the source in a checkout.
func testSource(t *testing.T, root string) source {
	t.Helper()

	toolchain, err := toolchainOf(root)
	if err != nil {
		t.Fatal(err)
	}

	return source{Root: root, Version: "v1.2.3", Revision: strings.Repeat("ab", 20), Time: time.Unix(1700000000, 0).UTC(), Toolchain: toolchain}
}

func testRoot(t *testing.T) string {
	t.Helper()

	root, err := rootOf(t.Context())
	if err != nil {
		t.Fatal(err)
	}

	return root
}

// testCopy copies the source of a package to another folder, with other times. The folder's name is a pattern, too.
func testCopy(t *testing.T, root string) string {
	t.Helper()

	out := filepath.Join(t.TempDir(), "another[1]", "checkout")

	for _, pattern := range inputs {
		names, err := fs.Glob(os.DirFS(root), pattern)
		if err != nil {
			t.Fatal(err)
		}

		for _, name := range names {
			path, to := filepath.Join(root, name), filepath.Join(out, name)

			info, err := os.Stat(path)
			if err != nil {
				t.Fatal(err)
			}

			if info.IsDir() {
				err = os.CopyFS(to, os.DirFS(path))
			} else {
				var text []byte
				if text, err = os.ReadFile(path); err == nil {
					err = errors.Join(os.MkdirAll(out, 0o700), os.WriteFile(to, text, 0o600))
				}
			}

			if err != nil {
				t.Fatal(err)
			}
		}
	}

	return out
}

// testDigests returns the digests of all files in the folder.
func testDigests(t *testing.T, folder string) map[string]string {
	t.Helper()

	out := make(map[string]string)

	if err := filepath.WalkDir(folder, func(path string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}

		text, err := os.ReadFile(path) //nolint:gosec // A folder of the test's own.
		if err != nil {
			return err
		}

		sum, _, err := v1.SHA256(bytes.NewReader(text))
		rel, relErr := filepath.Rel(folder, path)
		out[rel] = sum.String()

		return errors.Join(err, relErr)
	}); err != nil {
		t.Fatal(err)
	}

	return out
}

func testPackage(t *testing.T, src source) *pkg {
	t.Helper()

	p, err := newPackage(t.Context(), src, []string{testPlatform}, io.Discard)
	if err != nil {
		t.Fatalf("newPackage(...): %v", err)
	}

	return p
}

// A testFile is a file of a layer, without its content.
type testFile struct {
	Name     string
	Mode     int64
	UID, GID int
	Time     time.Time
}

// testLayer returns the files of a layer, and their contents.
func testLayer(t *testing.T, layer v1.Layer) (files []testFile, contents map[string][]byte) {
	t.Helper()

	in, err := layer.Uncompressed()
	if err != nil {
		t.Fatal(err)
	}

	contents = make(map[string][]byte)

	for r := tar.NewReader(in); ; {
		h, err := r.Next()
		if errors.Is(err, io.EOF) {
			return files, contents
		}

		if err != nil {
			t.Fatal(err)
		}

		files = append(files, testFile{Name: h.Name, Mode: h.Mode, UID: h.Uid, GID: h.Gid, Time: h.ModTime.UTC()})

		if contents[h.Name], err = io.ReadAll(r); err != nil {
			t.Fatal(err)
		}
	}
}

// TestPackage builds the package in two checkouts, with other settings of Go in one of them. It pulls the package from a
// registry, as Crossplane does.
func TestPackage(t *testing.T) {
	root := testRoot(t)
	src := testSource(t, root)
	p := testPackage(t, src)

	settings := filepath.Join(t.TempDir(), "env")
	if err := os.WriteFile(settings, []byte("GOFLAGS=-tags=another\nGOEXPERIMENT=none\n"), 0o600); err != nil {
		t.Fatal(err)
	}

	t.Setenv("GOENV", settings)

	again := testPackage(t, testSource(t, testCopy(t, root)))

	folders := [2]string{t.TempDir(), t.TempDir()}
	for i, p := range []*pkg{p, again, again} { // the last one over the files of the one before
		if err := p.write(folders[min(i, 1)], io.Discard); err != nil {
			t.Fatalf("write(...): %v", err)
		}
	}

	if diff := cmp.Diff(testDigests(t, folders[0]), testDigests(t, folders[1])); diff != "" {
		t.Errorf("\nThe same commit should give the same package.\nwrite(...): -a checkout, +another:\n%s", diff)
	}

	server := httptest.NewServer(registry.New())
	defer server.Close()

	ref := strings.TrimPrefix(server.URL, "http://") + "/plexsphere/function-cloud-tags:v1.2.3"

	var out bytes.Buffer
	if err := p.push(t.Context(), []string{ref}, &out, io.Discard); err != nil {
		t.Fatalf("push(...): %v", err)
	}

	digest, err := p.index.Digest()
	if err != nil {
		t.Fatal(err)
	}

	if want := digest.String() + " pushed " + strings.TrimSuffix(ref, ":v1.2.3") + "@" + digest.String() + "\n"; out.String() != want {
		t.Errorf("push(...): want it to say %q, got %q", want, out.String())
	}

	tag, err := name.ParseReference(ref)
	if err != nil {
		t.Fatal(err)
	}

	img, err := remote.Image(tag, remote.WithPlatform(v1.Platform{OS: "linux", Architecture: runtime.GOARCH}))
	if err != nil {
		t.Fatalf("cannot pull what was pushed: %v", err)
	}

	testImage(t, src, img)

	// For a platform without an image, nobody must find the extensions.
	if _, err := remote.Image(tag, remote.WithPlatform(v1.Platform{OS: "linux", Architecture: "s390x"})); err == nil {
		t.Error("\nExtensions are of no platform.\nWant no image of linux/s390x")
	}

	testIndex(t, src, filepath.Join(folders[0], "index"))
	testXpkg(t, filepath.Join(folders[0], packageName+"-"+strings.ReplaceAll(testPlatform, "/", "-")+".xpkg"))
}

// TestRun builds in a folder of the checkout.
func TestRun(t *testing.T) {
	root := testCopy(t, testRoot(t))
	t.Chdir(filepath.Join(root, "package", "build"))
	t.Setenv("SOURCE_DATE_EPOCH", "1700000000")

	// The copy pins the Go of this test: Go may not be allowed to change to another.
	pinned, err := toolchainOf(root)
	if err != nil {
		t.Fatal(err)
	}

	goMod, err := os.ReadFile(filepath.Join(root, "go.mod"))
	if err != nil {
		t.Fatal(err)
	}

	if err := os.WriteFile(filepath.Join(root, "go.mod"), bytes.ReplaceAll(goMod, []byte(pinned), []byte(runtime.Version())), 0o600); err != nil {
		t.Fatal(err)
	}

	c := &cli{}

	if err := c.cobra().ParseFlags([]string{"--platform=" + testPlatform, "--version=v1.2.3", "--revision=abc"}); err != nil {
		t.Fatal(err)
	}

	var progress bytes.Buffer

	if err := c.run(t.Context(), io.Discard, &progress); err != nil {
		t.Fatalf("run(...): %v", err)
	}

	for _, want := range []string{"building " + testPlatform, "Next: push all platforms with --push REGISTRY/function-cloud-tags:v1.2.3"} {
		if !strings.Contains(progress.String(), want) {
			t.Errorf("\nWhoever waits wants to know for what, and what comes next.\nrun(...): want it to say %q, got %q", want, &progress)
		}
	}

	if _, err := os.Stat(filepath.Join(root, ".cache", "package", "digest")); err != nil {
		t.Errorf("\nWhat is made is no part of the next build, wherever this is run.\nrun(...): %v", err)
	}
}

// testImage checks the image of a platform.
func testImage(t *testing.T, src source, img v1.Image) {
	t.Helper()

	manifest, err := img.Manifest()
	if err != nil {
		t.Fatal(err)
	}

	config, err := img.ConfigFile()
	if err != nil {
		t.Fatal(err)
	}

	annotations := (&pkg{source: src}).annotations()
	if diff := cmp.Diff(annotations, manifest.Annotations); diff != "" {
		t.Errorf("annotations of the manifest: -want, +got:\n%s", diff)
	}

	labels := maps.Clone(annotations)
	labels["io.crossplane.xpkg:"+manifest.Layers[1].Digest.String()] = "base"
	labels["io.crossplane.xpkg:"+manifest.Layers[2].Digest.String()] = "upbound"

	want := v1.Config{
		User:         "65532:65532",
		ExposedPorts: map[string]struct{}{"9443/tcp": {}, "8080/tcp": {}},
		Env:          []string{"PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"},
		Entrypoint:   []string{"/function"},
		WorkingDir:   "/",
		Labels:       labels,
	}
	if diff := cmp.Diff(want, config.Config); diff != "" {
		t.Errorf("config of the image: -want, +got:\n%s", diff)
	}

	got := []string{config.OS + "/" + config.Architecture, config.Created.UTC().String(), string(manifest.MediaType), string(manifest.Config.MediaType)}
	if diff := cmp.Diff([]string{testPlatform, src.Time.String(), string(types.OCIManifestSchema1), string(types.OCIConfigJSON)}, got); diff != "" {
		t.Errorf("platform, time and types of the image: -want, +got:\n%s", diff)
	}

	layers, err := img.Layers()
	if err != nil {
		t.Fatal(err)
	}

	var (
		uses     []string
		files    []testFile
		contents = make(map[string][]byte)
	)

	for i, layer := range layers {
		uses = append(uses, manifest.Layers[i].Annotations["io.crossplane.xpkg"])
		f, c := testLayer(t, layer)
		files = append(files, f...)
		maps.Copy(contents, c)
	}

	if diff := cmp.Diff([]string{"", "base", "upbound"}, uses); diff != "" {
		t.Errorf("what layers are for: -want, +got:\n%s", diff)
	}

	if diff := cmp.Diff([]testFile{
		{Name: "function", Mode: 0o755, Time: src.Time},
		{Name: "function.spdx.json", Mode: 0o644, Time: src.Time},
		{Name: "LICENSE", Mode: 0o644, Time: src.Time},
		{Name: "package.yaml", Mode: 0o644, Time: src.Time},
		{Name: ".up/", Mode: 0o755, Time: src.Time},
		{Name: ".up/examples.yaml", Mode: 0o644, Time: src.Time},
	}, slices.DeleteFunc(files, func(f testFile) bool { return strings.HasPrefix(f.Name, "licenses/") })); diff != "" {
		t.Errorf("files of the image: -want, +got:\n%s", diff)
	}

	testContents(t, src, contents)
}

// testContents checks the contents of the files in an image.
func testContents(t *testing.T, src source, contents map[string][]byte) {
	t.Helper()

	var kinds []string

	for document := range strings.SplitSeq("\n"+string(contents["package.yaml"]), "\n---\n") {
		if strings.TrimSpace(document) == "" {
			continue
		}

		kind, err := kindOf(document)
		if err != nil {
			t.Error(err)
		}

		kinds = append(kinds, kind)
	}

	if diff := cmp.Diff([]string{"Function", "CustomResourceDefinition"}, kinds); diff != "" {
		t.Errorf("kinds in package.yaml: -want, +got:\n%s", diff)
	}

	if n := bytes.Count(contents[".up/examples.yaml"], []byte("\nkind: Composition\n")); n < 50 {
		t.Errorf("examples: want all scenarios, got %d Compositions", n)
	}

	info, err := buildinfo.Read(bytes.NewReader(contents["function"]))
	if err != nil {
		t.Fatalf("go version -m should work: %v", err)
	}

	settings := make(map[string]string)
	for _, s := range info.Settings {
		settings[s.Key] = s.Value
	}

	if info.GoVersion != src.Toolchain || settings["CGO_ENABLED"] != "0" || settings["-trimpath"] != "true" || settings["-tags"] != buildTags || settings["vcs.revision"] != "" {
		t.Errorf("want a static program of %s without paths and stamps, got %s, %v", src.Toolchain, info.GoVersion, settings)
	}

	if path := filepath.Join(t.TempDir(), "function"); runtime.GOOS == "linux" {
		if err := os.WriteFile(path, contents["function"], 0o700); err != nil {
			t.Fatal(err)
		}

		out, err := run(t.Context(), ".", path, "--version")
		if want := src.Version + " " + src.Revision + "\n"; err != nil || string(out) != want {
			t.Errorf("function --version: want %q, got %q, %v", want, out, err)
		}
	}

	doc := spdxDocument{}
	if err := json.Unmarshal(contents["function.spdx.json"], &doc); err != nil {
		t.Fatal(err)
	}

	sum, _, err := v1.SHA256(bytes.NewReader(contents["function"]))
	if err != nil {
		t.Fatal(err)
	}

	if diff := cmp.Diff(spdxCreation{Created: "2023-11-14T22:13:20Z", Creators: []string{"Organization: plexsphere", "Tool: package/build"}}, doc.CreationInfo); diff != "" {
		t.Errorf("creation of the SBOM: -want, +got:\n%s", diff)
	}

	if want := "https://github.com/plexsphere/function-cloud-tags/spdx/" + sum.Hex; doc.DocumentNamespace != want {
		t.Errorf("namespace of the SBOM: want %s, got %s", want, doc.DocumentNamespace)
	}

	modules, packages := []string{packageName, "stdlib"}, make([]string, 0, len(doc.Packages))
	for _, m := range info.Deps {
		modules = append(modules, m.Path)
	}

	testLicenses(t, info, slices.Collect(maps.Keys(contents)))

	ids := make(map[string]bool)

	for _, p := range doc.Packages {
		packages = append(packages, p.Name)
		ids[p.SPDXID] = true
	}

	if diff := cmp.Diff(modules, packages); diff != "" {
		t.Errorf("\nThe SBOM should have what go version -m says.\npackages: -want, +got:\n%s", diff)
	}

	if len(ids) != len(packages) || len(doc.Relationships) != len(packages) {
		t.Errorf("want an identifier and a relationship for each of %d packages, got %d and %d", len(packages), len(ids), len(doc.Relationships))
	}
}

// testLicenses checks that files has the licenses of the modules in a program, and of no other.
func testLicenses(t *testing.T, info *debug.BuildInfo, files []string) {
	t.Helper()

	want := map[string]bool{"stdlib@" + strings.TrimPrefix(info.GoVersion, "go"): true}
	for _, m := range info.Deps {
		want[m.Path+"@"+m.Version] = true
	}

	got := make(map[string]bool)

	for _, name := range files {
		folder, licensed := strings.CutPrefix(name, "licenses/")
		if module := regexp.MustCompile(`^.*@[^/]+`).FindString(folder); licensed && module != "" {
			got[module] = got[module] || licenseFile.MatchString(strings.TrimPrefix(folder, module+"/"))
		}
	}

	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("\nEach module that is linked has its license.\nmodules with licenses: -want, +got:\n%s", diff)
	}

	// Modules have copied code of others, with its license.
	if nested := "internal/github.com/golang/gddo/LICENSE"; !slices.ContainsFunc(files, func(name string) bool { return strings.HasSuffix(name, nested) }) {
		t.Errorf("want %s of client_golang", nested)
	}
}

// A licensesCase is a case of testdata/TestLicensesOf.yaml.
type licensesCase struct {
	Reason, Err    string
	Packages, Want []string
	Deps           []*debug.Module
}

func TestLicensesOf(t *testing.T) {
	root := t.TempDir()

	for _, name := range []string{
		"own/LICENSE", "own/main.go", "go/LICENSE", "go/PATENTS", "go/src/strings/a.go",
		"mod/COPYING.txt", "mod/NOTICE", "mod/license.go", "mod/License/a", "mod/taken/over/LICENCE", "mod/taken/over/pkg/a.go", "mod/unused/LICENSE",
		"bad/NOTICE", "bad/taken/LICENSE", "fork/LICENSE",
	} {
		path := filepath.Join(root, name)
		if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o700), os.WriteFile(path, []byte(name), 0o600)); err != nil {
			t.Fatal(err)
		}
	}

	eachCase(t, func(t *testing.T, tc licensesCase) {
		t.Helper()

		packages := strings.Join(append([]string{"own own own", "stdlib go go/src/strings"}, tc.Packages...), "\n") + "\n"

		files, err := licensesOf([]byte(strings.ReplaceAll(packages, " ", "\t"+root+"/")), &debug.BuildInfo{GoVersion: "go1.2.3", Main: debug.Module{Path: "own"}, Deps: tc.Deps})
		if tc.Err != "" {
			if err == nil || !strings.Contains(err.Error(), tc.Err) {
				t.Errorf("\n%s\nlicensesOf(...): want the error %q, got %v", tc.Reason, tc.Err, err)
			}

			return
		}

		got := make([]string, 0, len(files))
		for _, f := range files {
			got = append(got, f.name)
		}

		if diff := cmp.Diff(tc.Want, got); err != nil || diff != "" {
			t.Errorf("\n%s\nlicensesOf(...): -want, +got:\n%s\n%v", tc.Reason, diff, err)
		}
	})
}

// TestDockerfile proves that nobody can replace an image in the Dockerfile. A syntax line would name another image, to
// parse the file. Without it, Docker parses the file itself.
func TestDockerfile(t *testing.T) {
	text, err := os.ReadFile(filepath.Join(testRoot(t), "Dockerfile"))
	if err != nil {
		t.Fatal(err)
	}

	bases := regexp.MustCompile(`(?mi)^(?:FROM\s+(?:--\S+\s+)*|#\s*syntax\s*=\s*|COPY\s+--from=)(\S+)(?:.*\sAS\s+(\S+))?`).FindAllStringSubmatch(string(text), -1)
	stages := []string{"scratch"}

	for _, base := range bases {
		if !slices.Contains(stages, base[1]) && !regexp.MustCompile(`@sha256:[0-9a-f]{64}$`).MatchString(base[1]) {
			t.Errorf("\nA tag may be another image tomorrow.\nDockerfile: want %s with its digest", base[1])
		}

		stages = append(stages, base[2])
	}

	if len(bases) < 3 {
		t.Errorf("Dockerfile: want bases of two stages, and what is copied, got %q", bases)
	}
}

// testIndex checks the index in an OCI layout.
func testIndex(t *testing.T, src source, folder string) {
	t.Helper()

	index, err := layout.ImageIndexFromPath(folder)
	if err != nil {
		t.Fatal(err)
	}

	manifest, err := index.IndexManifest()
	if err != nil {
		t.Fatal(err)
	}

	if diff := cmp.Diff((&pkg{source: src}).annotations(), manifest.Annotations); diff != "" {
		t.Errorf("annotations of the index: -want, +got:\n%s", diff)
	}

	type entry struct {
		Platform, Xpkg string
	}

	var got []entry
	for _, m := range manifest.Manifests {
		got = append(got, entry{m.Platform.String(), m.Annotations["io.crossplane.xpkg"]})
	}

	if diff := cmp.Diff([]entry{{Platform: testPlatform}, {Platform: "unknown/unknown", Xpkg: "xpkg-extensions"}}, got); diff != "" {
		t.Errorf("manifests of the index: -want, +got:\n%s", diff)
	}

	img, err := index.Image(manifest.Manifests[len(manifest.Manifests)-1].Digest)
	if err != nil {
		t.Fatal(err)
	}

	layers, err := img.Layers()
	if err != nil {
		t.Fatal(err)
	}

	extensions, err := img.Manifest()
	if err != nil {
		t.Fatal(err)
	}

	type layerOf struct {
		Xpkg  string
		Files []string
	}

	var gotLayers []layerOf

	for i, layer := range layers {
		_, contents := testLayer(t, layer)
		gotLayers = append(gotLayers, layerOf{extensions.Layers[i].Annotations["io.crossplane.xpkg"], slices.Sorted(maps.Keys(contents))})
	}

	if diff := cmp.Diff([]layerOf{
		{Xpkg: "icons", Files: []string{"icons/", "icons/icon.svg"}},
		{Xpkg: "readme", Files: []string{"readme/", "readme/readme.md"}},
		{Xpkg: "release-notes", Files: []string{"release-notes/", "release-notes/release_notes.md"}},
		{Xpkg: "sbom", Files: []string{"sbom/", "sbom/sbom.spdx.json"}},
	}, gotLayers); diff != "" {
		t.Errorf("extensions: -want, +got:\n%s", diff)
	}
}

// testXpkg checks the labels of layers: crossplane xpkg push annotates layers by these.
func testXpkg(t *testing.T, path string) {
	t.Helper()

	img, err := tarball.ImageFromPath(path, nil)
	if err != nil {
		t.Fatal(err)
	}

	config, err := img.ConfigFile()
	if err != nil {
		t.Fatal(err)
	}

	layers, err := img.Layers()
	if err != nil {
		t.Fatal(err)
	}

	var uses []string

	for _, layer := range layers {
		digest, err := layer.Digest()
		if err != nil {
			t.Fatal(err)
		}

		uses = append(uses, config.Config.Labels["io.crossplane.xpkg:"+digest.String()])
	}

	if diff := cmp.Diff([]string{"", "base", "upbound"}, uses); diff != "" {
		t.Errorf("what layers of the .xpkg are for: -want, +got:\n%s", diff)
	}
}

// A sourceCase is a case of testdata/TestSource.yaml.
type sourceCase struct {
	Reason, Epoch, Version, Revision, Err string
	Checkout                              bool
	Want                                  source
}

func TestSource(t *testing.T) {
	outside := t.TempDir()

	eachCase(t, func(t *testing.T, tc sourceCase) {
		t.Helper()

		t.Setenv("SOURCE_DATE_EPOCH", tc.Epoch)
		t.Setenv("GIT_CEILING_DIRECTORIES", filepath.Dir(outside))

		tc.Want.Root = outside
		if tc.Checkout {
			tc.Want.Root = testRoot(t)
		}

		got, err := sourceOf(t.Context(), tc.Want.Root, tc.Version, tc.Revision)
		if tc.Err != "" {
			if err == nil || !strings.Contains(err.Error(), tc.Err) {
				t.Errorf("\n%s\nsourceOf(...): want the error %q, got %v", tc.Reason, tc.Err, err)
			}

			return
		}

		if diff := cmp.Diff(tc.Want, got); err != nil || diff != "" {
			t.Errorf("\n%s\nsourceOf(...): -want, +got:\n%s\n%v", tc.Reason, diff, err)
		}
	})
}

// TestSourceOfCommit proves that a package without flags has the commit as its version, and says so if there are changes.
func TestSourceOfCommit(t *testing.T) {
	t.Setenv("SOURCE_DATE_EPOCH", "")

	root := t.TempDir()

	git := func(args ...string) {
		t.Helper()

		args = append([]string{"-c", "user.name=a", "-c", "user.email=a@example.org", "-c", "commit.gpgsign=false"}, args...)
		if _, err := run(t.Context(), root, "git", args...); err != nil {
			t.Fatal(err)
		}
	}

	write := func(name, text string) {
		t.Helper()

		if err := os.WriteFile(filepath.Join(root, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}

	mkdir := func(name string) string {
		t.Helper()

		path := filepath.Join(root, name)
		if err := os.MkdirAll(path, 0o700); err != nil {
			t.Fatal(err)
		}

		return path
	}

	t.Setenv("GIT_COMMITTER_DATE", "1700000000 +0100")
	git("init", "--quiet")
	write("main.go", "package main")
	git("add", ".")

	// This signature says as much as any.
	gpg := filepath.Join(t.TempDir(), "gpg")
	if err := os.WriteFile(gpg, []byte("#!/bin/sh\ncat >/dev/null\necho '[GNUPG:] SIG_CREATED ' >&2\necho '-----BEGIN PGP SIGNATURE-----'\n"), 0o700); err != nil {
		t.Fatal(err)
	}

	git("config", "gpg.program", gpg)
	git("commit", "--quiet", "--message=a", "--gpg-sign=a")

	head, _, err := commit(t.Context(), root)
	if err != nil {
		t.Fatal(err)
	}

	want := source{Root: root, Version: "v0.0.0-20231114221320-" + head[:12], Revision: head, Time: time.Unix(1700000000, 0).UTC()}

	check := func(reason string) {
		t.Helper()

		got, err := sourceOf(t.Context(), root, "", "")
		if diff := cmp.Diff(want, got); err != nil || diff != "" {
			t.Errorf("\n%s\nsourceOf(...): -want, +got:\n%s\n%v", reason, diff, err)
		}
	}

	check("The version of a commit is as Go has it.")
	write("notes.txt", "")
	check("What is no part of the package changes nothing.")
	mkdir(".ci")
	write(".ci/main.go", "package main")
	check("A program in another folder is no part of the package.")
	git("config", "log.showSignature", "true")
	check("A commit is its hash and time, whatever else git would like to show.")

	if got, err := sourceOf(t.Context(), mkdir("copy"), "", ""); err == nil || !strings.Contains(err.Error(), "outside of a git checkout") {
		t.Errorf("\nThe commit of a checkout around the source says nothing of it.\nsourceOf(...): want an error, got %v, %v", got, err)
	}

	git("config", "status.showUntrackedFiles", "no")
	write("more.go", "package main")

	want.Version += "+dirty"
	want.Revision += "-dirty"

	check("Nobody can build from the revision what is built from changes.")
}

func TestPushRefused(t *testing.T) {
	p := &pkg{source: testSource(t, testRoot(t))}
	if err := p.setIndex(); err != nil {
		t.Fatal(err)
	}

	for _, ref := range []string{"function-cloud-tags", "registry.example.org/a", "registry.example.org/A:v1"} {
		if err := p.push(t.Context(), []string{ref}, io.Discard, io.Discard); err == nil || !strings.Contains(err.Error(), "want a registry, a repository and a tag") {
			t.Errorf("push(%s): want an error that says what is allowed, got %v", ref, err)
		}
	}
}

// TestBinaries makes the archive for the platform of the test, and runs its program.
func TestBinaries(t *testing.T) {
	src := testSource(t, testRoot(t))
	folder := t.TempDir()
	platform := runtime.GOOS + "/" + runtime.GOARCH

	if err := writeBinaries(t.Context(), src, []string{platform}, nil, folder, io.Discard); err != nil {
		t.Fatalf("writeBinaries(...): %v", err)
	}

	base := "kubectl-cloudtags-" + runtime.GOOS + "-" + runtime.GOARCH
	sums := make([]string, 0, 6)

	for _, name := range []string{base + ".tar.gz", base + ".spdx.json", "cloudtags.schema.json", "cloudtags.index.schema.json", "cloudtags.index.json", krewFile} {
		content, err := os.ReadFile(filepath.Join(folder, name))
		if err != nil {
			t.Fatal(err)
		}

		sums = append(sums, fmt.Sprintf("%x  %s\n", sha256.Sum256(content), name))
	}

	checksums, err := os.ReadFile(filepath.Join(folder, "checksums.txt"))
	if err != nil {
		t.Fatal(err)
	}

	if diff := cmp.Diff(strings.Join(sums, ""), string(checksums)); diff != "" {
		t.Errorf("checksums.txt: -want, +got:\n%s", diff)
	}

	if _, err := run(t.Context(), folder, "tar", "-xzf", base+".tar.gz"); err != nil {
		t.Fatal(err)
	}

	if err := os.WriteFile(filepath.Join(folder, "labels.yaml"), []byte("env: prod\n"), 0o600); err != nil {
		t.Fatal(err)
	}

	info, err := buildinfo.ReadFile(filepath.Join(folder, "kubectl-cloudtags"))
	if err != nil {
		t.Fatal(err)
	}

	testLicenses(t, info, slices.Collect(maps.Keys(testDigests(t, folder))))

	for args, want := range map[string]string{
		"--version":                          src.Version + " " + src.Revision + "\n",
		"":                                   "Usage: kubectl cloudtags [flags]",
		"explain --provider aws labels.yaml": "plexsphere:env",
	} {
		out, err := run(t.Context(), folder, filepath.Join(folder, "kubectl-cloudtags"), strings.Fields(args)...)
		if err != nil || !strings.Contains(string(out), want) {
			t.Errorf("kubectl-cloudtags %s: want it to say %q, got %q, %v", args, want, out, err)
		}
	}

	// kubectl finds plugins by their names, as this one does.
	if err := os.WriteFile(filepath.Join(folder, "kubectl"), []byte("#!/bin/sh\nplugin=$1\nshift\nexec kubectl-$plugin \"$@\"\n"), 0o700); err != nil {
		t.Fatal(err)
	}

	env := append(os.Environ(), "PATH="+folder+":"+os.Getenv("PATH"))

	for args, want := range map[string]string{
		"explain --provider het":  "\nhetzner\n", // The shell drops names that don't go on as the word.
		"coverage --output j":     "\njson\n",
		"explain --composition a": "yaml\nyml\njson\n:8\n", // ShellCompDirectiveFilterFileExt of cobra: files with these extensions.
		"explain a":               "yaml\nyml\njson\n:8\n",
	} {
		if out, err := runWith(t.Context(), env, folder, filepath.Join(folder, completionName), strings.Fields(args)...); err != nil || !strings.Contains(string(out), want) {
			t.Errorf("%s %s: want %q, got %q, %v", completionName, args, want, out, err)
		}
	}
}

func TestCheckFormat(t *testing.T) {
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}

	program, err := os.ReadFile(self)
	if err != nil {
		t.Fatal(err)
	}

	for _, platform := range slices.Concat(binaryPlatforms, []string{"plan9/amd64"}) {
		err := checkFormat(platform, program)
		if system, _, _ := strings.Cut(platform, "/"); system == runtime.GOOS && strings.HasSuffix(platform, runtime.GOARCH) {
			continue // It may need libraries.
		}

		if err == nil {
			t.Errorf("checkFormat(%s, ...): want an error about a program of %s/%s", platform, runtime.GOOS, runtime.GOARCH)
		}

		if err := checkFormat(platform, []byte("#!/bin/sh\n")); err == nil {
			t.Errorf("checkFormat(%s, ...): want an error about a script", platform)
		}
	}
}

func TestMethods(t *testing.T) {
	root, err := rootOf(t.Context())
	if err != nil {
		t.Fatal(err)
	}

	env, err := platformEnvironment(t.Context(), source{Root: root, Toolchain: runtime.Version()}, testPlatform)
	if err != nil {
		t.Fatal(err)
	}

	cmd := exec.CommandContext(t.Context(), "go", "build", "-ldflags=-dumpdep", "-o", filepath.Join(t.TempDir(), "function"), ".")
	cmd.Dir, cmd.Env = root, env

	// The linker prints a line for each need of a function. It marks a function that calls methods by their names, known at run
	// time only.
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("go build: %v\n%s", err, out[:min(len(out), 1000)])
	}

	if !bytes.Contains(out, []byte("\nmain.main -> ")) {
		t.Fatalf("want the linker to say what main.main needs, got %d bytes", len(out))
	}

	for line := range strings.Lines(string(out)) {
		if caller, _, marked := strings.Cut(line, " <ReflectMethod>"); marked {
			t.Fatalf("\nThe linker keeps all methods of all types for a function that calls any by its name.\nwant none, got %s", caller)
		}
	}
}
