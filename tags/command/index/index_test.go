package index

import (
	"archive/tar"
	"bytes"
	"cmp"
	"compress/gzip"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"
	"github.com/spf13/cobra"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/plexsphere/function-cloud-tags/tags/command"
	"github.com/plexsphere/function-cloud-tags/tags/field"
	"github.com/plexsphere/function-cloud-tags/tags/manifest"
	"github.com/plexsphere/function-cloud-tags/tags/tagstest"
)

// crd stands for a definition: see testdata/cases.yaml.
var crd = regexp.MustCompile(`(?m)CRD (\S+) (\S+) (\S+) (\{.*?\})(?: \| (\{.*\}))?$`)

// expand the definitions in the text.
func expand(text string) string {
	return crd.ReplaceAllStringFunc(text, func(s string) string {
		parts := crd.FindStringSubmatch(s)
		served := make([]string, 0)

		for version := range strings.SplitSeq(parts[3], ",") {
			name, isUnserved := strings.CutPrefix(version, "!")
			served = append(served, fmt.Sprintf("{name: %s, served: %t, schema: {openAPIV3Schema: {properties: "+
				"{spec: {properties: {forProvider: {properties: %s}}}, status: {properties: {atProvider: {properties: %s}}}}}}}",
				name, !isUnserved, parts[4], cmp.Or(parts[5], "{}")))
		}

		return fmt.Sprintf("{apiVersion: apiextensions.k8s.io/v1, kind: CustomResourceDefinition, spec: {group: %s, names: {kind: %s}, versions: [%s]}}",
			parts[1], parts[2], strings.Join(served, ", "))
	})
}

// archive returns a tar archive with one file.
func archive(t *testing.T, name, content string) string {
	t.Helper()

	b := &bytes.Buffer{}
	w := tar.NewWriter(b)

	if err := w.WriteHeader(&tar.Header{Name: name, Mode: 0o644, Size: int64(len(content))}); err != nil {
		t.Fatal(err)
	}

	if _, err := io.WriteString(w, content); err != nil {
		t.Fatal(err)
	}

	if err := w.Close(); err != nil {
		t.Fatal(err)
	}

	return b.String()
}

// pack returns a package with the documents, as crossplane xpkg build makes it:
// an archive of compressed archives.
func pack(t *testing.T, name, documents string) string {
	t.Helper()

	b := &bytes.Buffer{}
	z := gzip.NewWriter(b)

	if _, err := io.WriteString(z, archive(t, name, documents)); err != nil {
		t.Fatal(err)
	}

	if err := z.Close(); err != nil {
		t.Fatal(err)
	}

	out := strings.Builder{}

	// The archive's end is cut off from those before the last that make one.
	for _, content := range []string{`{}`, `[{"Layers": ["layer.tar.gz"]}]` + strings.Repeat(" ", 512)} {
		file := archive(t, "manifest.json", content)
		out.WriteString(file[:len(file)-1024])
	}

	return out.String() + archive(t, "layer.tar.gz", b.String())
}

// TestRun runs the command lines of testdata/cases.yaml.
func TestRun(t *testing.T) {
	var cases []struct {
		Name     string                       `json:"name"`
		Reason   string                       `json:"reason"`
		Args     []string                     `json:"args"`
		Stdin    string                       `json:"stdin"`
		Files    map[string]string            `json:"files"`
		Packages map[string]map[string]string `json:"packages"`
		Cluster  *tagstest.Cluster            `json:"cluster"`
	}

	tagstest.ReadYAML(t, "testdata/cases.yaml", &cases)

	g := tagstest.NewGolden(t)

	for _, tc := range cases {
		t.Run(tc.Name, func(t *testing.T) {
			t.Chdir(t.TempDir())

			files := make(map[string]string)
			for path, text := range tc.Files {
				files[path] = expand(text)
			}

			for path, documents := range tc.Packages {
				for name, text := range documents {
					files[path] = pack(t, name, expand(text))
				}
			}

			tagstest.WriteFiles(t, files)

			if tc.Cluster != nil {
				tc.Cluster.Serve(t)
			}

			g.Check(t, tc.Reason, slices.Concat(run(t, expand(tc.Stdin), tc.Args...), tc.Cluster.Requests()))
		})
	}
}

// TestBrokenLayer is about a layer that can't be decompressed, and could have had the documents.
func TestBrokenLayer(t *testing.T) {
	t.Chdir(t.TempDir())
	tagstest.WriteFiles(t, map[string]string{"provider.xpkg": archive(t, "layer.tar.gz", "\x1f\x8bno")})

	want := []string{"error: cannot read provider.xpkg: cannot decompress layer.tar.gz: unexpected EOF", "exit: 2"}
	if diff := gocmp.Diff(want, run(t, "", "provider.xpkg")); diff != "" {
		t.Errorf("Run(...): -want, +got:\n%s", diff)
	}
}

// run the command line. It returns what the command prints, its progress, its error, and what the
// process exits with.
func run(t *testing.T, stdin string, args ...string) []string {
	t.Helper()

	c := &Command{}
	out, progress := &strings.Builder{}, &strings.Builder{}

	err := tagstest.ParseArgs(c, args)
	if err == nil {
		err = c.index(t.Context(), &manifest.Reader{Stdin: strings.NewReader(stdin), Progress: progress}, out)
	}

	got := []string{}
	for line := range strings.Lines(out.String()) {
		got = append(got, strings.TrimSuffix(line, "\n"))
	}

	for line := range strings.Lines(progress.String()) {
		got = append(got, "progress: "+strings.TrimSuffix(line, "\n"))
	}

	if err != nil {
		got = append(got, "error: "+err.Error(), fmt.Sprintf("exit: %d", command.ExitCode(err)))
	}

	return got
}

func TestProgress(t *testing.T) {
	dir := t.TempDir()

	for i := range 200 {
		tagstest.WriteFiles(t, map[string]string{filepath.Join(dir, fmt.Sprintf("%d.yaml", i)): expand(fmt.Sprintf("CRD vm.example.org Machine%d v1 {}", i))})
	}

	out, progress := &bytes.Buffer{}, &bytes.Buffer{}
	if err := (&Command{Paths: []string{dir}}).index(t.Context(), &manifest.Reader{Progress: progress}, out); err != nil {
		t.Fatal(err)
	}

	if diff := gocmp.Diff("read 100 of 200 files\n", progress.String()); diff != "" {
		t.Errorf("Run(...): -want progress, +got:\n%s", diff)
	}

	if n := strings.Count(out.String(), "\n"); n != 200 {
		t.Errorf("want 200 lines, got %d", n)
	}
}

// The definitions of real providers, stripped of what has nothing to do with tags,
// are as the built-in index has them.
func TestBuiltIn(t *testing.T) {
	const dir = "../../field/testdata/crds"

	out := &bytes.Buffer{}
	if err := (&Command{Paths: []string{dir}}).index(t.Context(), &manifest.Reader{Progress: os.Stderr}, out); err != nil {
		t.Fatal(err)
	}

	n := 0

	for line := range strings.Lines(out.String()) {
		n++

		c := strings.SplitN(line, "\t", 4)
		gvk := schema.GroupVersionKind{Group: c[0], Version: c[1], Kind: c[2]}

		f, ok := field.BuiltIn().Known(gvk)
		if !ok {
			t.Errorf("%s is not in the built-in index", gvk)
		}

		if diff := gocmp.Diff(field.Line(gvk, f)+"\n", line); diff != "" {
			t.Errorf("%s: -built in, +defined:\n%s", gvk, diff)
		}
	}

	if n < 30 {
		t.Errorf("want at least 30 served kinds, got %d", n)
	}

	out.Reset()

	if err := (&Command{Paths: []string{dir}, Diff: true}).index(t.Context(), &manifest.Reader{Progress: io.Discard}, out); err != nil || out.Len() > 0 {
		t.Errorf("want no differences, got %v:\n%s", err, out)
	}
}

// TestJSON prints the built-in index as data, twice: it is all that there is to list, and nothing of it is by chance.
func TestJSON(t *testing.T) {
	want, err := json.Marshal(field.BuiltIn().List())
	if err != nil {
		t.Fatal(err)
	}

	want = bytes.ReplaceAll(want, []byte(`\u003c`), []byte("<"))

	for range 2 {
		printed, got := &bytes.Buffer{}, &bytes.Buffer{}
		if err := (&Command{Output: "json"}).index(t.Context(), nil, printed); err != nil {
			t.Fatal(err)
		}

		if err := json.Compact(got, printed.Bytes()); err != nil {
			t.Fatal(err)
		}

		if !bytes.Equal(want, got.Bytes()) {
			t.Errorf("index --output json: want what is listed, got:\n%s", gocmp.Diff(string(want), got.String()))
		}
	}
}

// TestTable prints the built-in index as lines. Where releases don't agree on a kind, each line has its releases.
func TestTable(t *testing.T) {
	out := &strings.Builder{}
	if err := (&Command{}).index(t.Context(), nil, out); err != nil {
		t.Fatal(err)
	}

	for _, want := range []string{
		"ec2.aws.m.upbound.io\tv1beta1\tRoute\t-\tNone\t-\t-\n",
		"autoscaling.aws.m.upbound.io\tv1beta1\tAutoscalingGroup\tspec.forProvider.tag\tKeyValueList(key,value,propagateAtLaunch=true)\tatomic\tstatus.atProvider.tag\n",
		"account.btp.sap.crossplane.io\tv1alpha1\tServiceInstance\t-\tNone\t-\t-\tv1.2.2..v1.13.0\n" +
			"account.btp.sap.crossplane.io\tv1alpha1\tServiceInstance\tspec.forProvider.labels\tMapOfLists\t-\t-\tv1.13.0-2026-08-20..\n",
	} {
		if !strings.Contains("\n"+out.String(), "\n"+want) {
			t.Errorf("index: want the lines\n%s", want)
		}
	}

	kinds := make(map[schema.GroupVersionKind]bool)

	for line := range strings.Lines(out.String()) {
		c := strings.SplitN(line, "\t", 4)
		kinds[schema.GroupVersionKind{Group: c[0], Version: c[1], Kind: c[2]}] = true
	}

	for gvk := range field.BuiltIn().All() {
		if !kinds[gvk] {
			t.Errorf("index: %s is missing", gvk)
		}
	}
}

// The command reads and writes what the process does. Other tests see what it is.
func TestProcess(t *testing.T) {
	if err := (&Command{Paths: []string{"nowhere"}}).Cobra().RunE(&cobra.Command{}, nil); err == nil {
		t.Error("want the error of the command")
	}
}

func TestBrokenPipe(t *testing.T) {
	for _, c := range []*Command{{}, {Output: "json"}} {
		if err := c.index(t.Context(), nil, tagstest.BrokenPipe{}); fmt.Sprint(err) != "the pipe is broken" {
			t.Errorf("want the error of the output, got %v", err)
		}
	}

	for _, diff := range []bool{false, true} {
		in := strings.NewReader(expand("CRD vm.example.org Machine v1 {tags: {type: object, additionalProperties: {type: string}}}"))
		if err := (&Command{Paths: []string{manifest.Stdin}, Diff: diff}).index(t.Context(), &manifest.Reader{Stdin: in, Progress: tagstest.BrokenPipe{}}, tagstest.BrokenPipe{}); fmt.Sprint(err) != "the pipe is broken" {
			t.Errorf("want the error of the output, got %v", err)
		}
	}
}
