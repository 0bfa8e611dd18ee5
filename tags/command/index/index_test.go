package index

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/crossplane/function-sdk-go/errors"

	"github.com/plexsphere/function-cloud-tags/tags/command/manifest"
	"github.com/plexsphere/function-cloud-tags/tags/field"
)

// definition returns a custom resource definition with the supplied versions, each
// with the supplied schema of spec.forProvider's properties.
func definition(group, kind, properties string, versions ...string) string {
	out := &strings.Builder{}
	fmt.Fprintf(out, `
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
spec:
  group: %s
  names: {kind: %s}
  versions:`, group, kind)

	for _, v := range versions {
		fmt.Fprintf(out, `
  - name: %s
    served: %t
    schema: {openAPIV3Schema: {properties: {spec: {properties: {forProvider: {properties: %s}}}}}}`,
			strings.TrimSuffix(v, " unserved"), !strings.HasSuffix(v, " unserved"), properties)
	}

	return out.String() + "\n"
}

// archive returns one with the supplied file.
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

// pack returns a package with the supplied documents, as crossplane xpkg build makes it:
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

const tagsMap = `{tags: {type: object, additionalProperties: {type: string}}}`

func TestRun(t *testing.T) {
	type want struct {
		out, progress, err string

		// code that the process exits with.
		code int
	}

	cases := map[string]struct {
		reason string
		args   Command
		stdin  string
		files  map[string]string
		paths  []string
		want   want
	}{
		"File": {
			reason: "Every served version is one line.",
			files:  map[string]string{"crd.yaml": definition("vm.example.org", "Machine", tagsMap, "v1", "v2", "v1alpha1 unserved")},
			paths:  []string{"crd.yaml"},
			want: want{out: "vm.example.org\tv1\tMachine\tspec.forProvider.tags\tMap\t-\t-\n" +
				"vm.example.org\tv2\tMachine\tspec.forProvider.tags\tMap\t-\t-\n"},
		},
		"Folder": {
			reason: "Of a folder, YAML and JSON are read, and lines are sorted by group, kind and version.",
			files: map[string]string{
				"a/b/c.yml":  definition("b.example.org", "B", `{}`, "v1") + "---\n" + definition("b.example.org", "A", `{}`, "v1"),
				"a/d.yaml":   definition("a.example.org", "B", `{}`, "v1"),
				"a/e.json":   `{"apiVersion":"apiextensions.k8s.io/v1","kind":"CustomResourceDefinition","spec":{"group":"c.example.org","names":{"kind":"C"},"versions":[{"name":"v1","served":true}]}}`,
				"a/README":   "no: yaml: at all",
				"a/f/g.yaml": "",
			},
			paths: []string{"a"},
			want: want{out: "a.example.org\tv1\tB\t-\tNone\t-\t-\n" +
				"b.example.org\tv1\tA\t-\tNone\t-\t-\n" +
				"b.example.org\tv1\tB\t-\tNone\t-\t-\n" +
				"c.example.org\tv1\tC\t-\tNone\t-\t-\n"},
		},
		"List": {
			reason: "What kubectl gets is a list.",
			stdin: "apiVersion: v1\nkind: List\nitems:\n- " + strings.ReplaceAll(strings.TrimSpace(definition("a.example.org", "A", tagsMap, "v1")), "\n", "\n  ") +
				"\n- " + strings.ReplaceAll(strings.TrimSpace(definition("a.example.org", "B", `{}`, "v1")), "\n", "\n  ") + "\n",
			paths: []string{manifest.Stdin},
			want: want{out: "a.example.org\tv1\tA\tspec.forProvider.tags\tMap\t-\t-\n" +
				"a.example.org\tv1\tB\t-\tNone\t-\t-\n"},
		},
		"Package": {
			reason: "The package of a release has the definitions of all its kinds.",
			files: map[string]string{"v1/provider.xpkg": pack(t, "package.yaml", "apiVersion: meta.pkg.crossplane.io/v1\nkind: Provider\n---\n"+
				definition("b.example.org", "B", tagsMap, "v1")+"---\n"+definition("a.example.org", "A", `{}`, "v1"))},
			paths: []string{"v1"},
			want: want{
				out: "a.example.org\tv1\tA\t-\tNone\t-\t-\n" +
					"b.example.org\tv1\tB\tspec.forProvider.tags\tMap\t-\t-\n",
				progress: "skipped 1 of 3 documents that are no apiextensions.k8s.io/v1 CustomResourceDefinition\n",
			},
		},
		"PackageWithoutDocuments": {
			reason: "A package without its documents is not what was meant.",
			files:  map[string]string{"provider.xpkg": pack(t, "other.yaml", definition("a.example.org", "A", `{}`, "v1"))},
			paths:  []string{"provider.xpkg"},
			want:   want{err: "cannot read provider.xpkg: no package.yaml in it", code: 2},
		},
		"NoPackage": {
			reason: "Nor is what is no archive.",
			files:  map[string]string{"provider.xpkg": "a: b\n"},
			paths:  []string{"provider.xpkg"},
			want:   want{err: "cannot read provider.xpkg: unexpected EOF", code: 2},
		},
		"BrokenLayer": {
			reason: "A layer that can't be decompressed could have had the documents.",
			files:  map[string]string{"provider.xpkg": archive(t, "layer.tar.gz", "\x1f\x8bno")},
			paths:  []string{"provider.xpkg"},
			want:   want{err: "cannot read provider.xpkg: cannot decompress layer.tar.gz: unexpected EOF", code: 2},
		},
		"OtherDocuments": {
			reason: "A package has other documents, too. They are counted.",
			stdin: "# A comment.\n---\napiVersion: meta.pkg.crossplane.io/v1\nkind: Provider\n---\n- no\n- object\n---\n" +
				strings.Replace(definition("a.example.org", "B", `{}`, "v1"), "/v1", "/v1beta1", 1) + "---\n" +
				strings.Replace(definition("a.example.org", "C", `{}`, "v1"), "kind: Custom", "kind: Other", 1) + "---\n" + definition("a.example.org", "A", `{}`, "v1"),
			paths: []string{manifest.Stdin},
			want: want{
				out:      "a.example.org\tv1\tA\t-\tNone\t-\t-\n",
				progress: "skipped 5 of 6 documents that are no apiextensions.k8s.io/v1 CustomResourceDefinition\n",
			},
		},
		"NotAPath": {
			reason: "A file that isn't there is an error.",
			paths:  []string{"missing"},
			want:   want{err: "cannot read missing: no such file or directory", code: 2},
		},
		"NotYAML": {
			reason: "An error names the file and is one line.",
			files:  map[string]string{"a.yaml": "a: b\n---\na: [\n"},
			paths:  []string{"a.yaml"},
			want:   want{err: "cannot read a.yaml: document 2: yaml: line 1: did not find expected node content", code: 2},
		},
		"Nothing": {
			reason: "Nothing to index is an error: it is not what was meant.",
			files:  map[string]string{"a.yaml": "a: b\n", "b.yaml": ""},
			paths:  []string{"a.yaml", "b.yaml"},
			want: want{
				progress: "skipped 1 of 1 documents that are no apiextensions.k8s.io/v1 CustomResourceDefinition\n",
				err:      "no served kinds of custom resource definitions in a.yaml, b.yaml",
				code:     2,
			},
		},
		"NoDifference": {
			reason: "A kind that is as the built-in index has it is no difference.",
			args:   Command{Diff: true},
			stdin:  definition("ec2.aws.m.upbound.io", "Route", `{}`, "v1beta1"),
			paths:  []string{manifest.Stdin},
			want:   want{progress: "compared 1 served kinds: 0 are new, 0 are gone, 0 have another tag field\n"},
		},
		"Unmanaged": {
			reason: "Kinds that are known though the index doesn't list them are no difference.",
			args:   Command{Diff: true},
			stdin:  definition("kubernetes.m.crossplane.io", "Object", tagsMap, "v1alpha1"),
			paths:  []string{manifest.Stdin},
			want:   want{progress: "compared 1 served kinds: 0 are new, 0 are gone, 0 have another tag field\n"},
		},
		"CompleteAlone": {
			reason: "What is complete matters only to a comparison.",
			args:   Command{Complete: true},
			stdin:  definition("ec2.aws.m.upbound.io", "Route", `{}`, "v1beta1"),
			paths:  []string{manifest.Stdin},
			want:   want{err: "--complete says what --diff compares: give both, or neither", code: 2},
		},
		"KnownDifferences": {
			reason: "What the index knows to differ from release to release is counted, but no difference.",
			args:   Command{Diff: true, Complete: true},
			stdin: definition("redis.gcp.upbound.io", "Cluster", `{}`, "v1beta1") + "---\n" + // Without labels before v3.
				definition("redis.gcp.m.upbound.io", "Cluster", `{labels: {type: object, additionalProperties: {type: string}}}`, "v1beta1") + "---\n" + // And it reports nothing.
				definition("redis.gcp.upbound.io", "Instance", `{labels: {type: object, additionalProperties: {type: string}}}`, "v1beta1") + "---\n" + // v1beta2 is newer.
				definition("redis.gcp.m.upbound.io", "Instance", `{labels: {type: object, additionalProperties: {type: string}}}`, "v1beta1"),
			paths: []string{manifest.Stdin},
			want: want{
				progress: "compared 4 served kinds: 0 are new, 0 are gone, 0 have another tag field\n" +
					"7 more differ from release to release, as the index knows\n",
			},
		},
		"ReportedDifference": {
			reason: "A kind that reports tags where the index knows none is another one.",
			args:   Command{Diff: true},
			stdin: strings.Replace(definition("batch.aws.crossplane.io", "JobQueue", tagsMap, "v1alpha1"),
				"{properties: {", "{properties: {status: {properties: {atProvider: {properties: "+tagsMap+"}}}, ", 1),
			paths: []string{manifest.Stdin},
			want: want{
				out: "- batch.aws.crossplane.io\tv1alpha1\tJobQueue\tspec.forProvider.tags\tMap\t-\t-\n" +
					"+ batch.aws.crossplane.io\tv1alpha1\tJobQueue\tspec.forProvider.tags\tMap\t-\tstatus.atProvider.tags\n",
				progress: "compared 1 served kinds: 0 are new, 0 are gone, 1 have another tag field\n",
				err:      "the built-in index differs",
				code:     1,
			},
		},
		"KnownDifference": {
			reason: "An older release may report less.",
			args:   Command{Diff: true},
			stdin: strings.Replace(definition("redis.gcp.m.upbound.io", "Cluster", `{labels: {type: object, additionalProperties: {type: string}}}`, "v1beta1"),
				"{properties: {", "{properties: {status: {properties: {atProvider: {properties: {effectiveLabels: {type: object, additionalProperties: {type: string}}}}}}, ", 1),
			paths: []string{manifest.Stdin},
			want: want{
				progress: "compared 1 served kinds: 0 are new, 0 are gone, 0 have another tag field\n" +
					"1 more differ from release to release, as the index knows\n",
			},
		},
		"UnsureDifference": {
			reason: "A field that no release has is a difference, though the kind's field isn't sure.",
			args:   Command{Diff: true},
			stdin:  definition("redis.gcp.m.upbound.io", "Cluster", `{userLabels: {type: object, additionalProperties: {type: string}}}`, "v1beta1"),
			paths:  []string{manifest.Stdin},
			want: want{
				out: "- redis.gcp.m.upbound.io\tv1beta1\tCluster\t-\tNone\t-\t-\tv2.0.0..v2.6.0\n" +
					"- redis.gcp.m.upbound.io\tv1beta1\tCluster\tspec.forProvider.labels\tMap\t-\tstatus.atProvider.effectiveLabels,status.atProvider.terraformLabels,status.atProvider.labels\tv3.0.0..\n" +
					"+ redis.gcp.m.upbound.io\tv1beta1\tCluster\tspec.forProvider.userLabels\tMap\t-\t-\n",
				progress: "compared 1 served kinds: 0 are new, 0 are gone, 1 have another tag field\n",
				err:      "the built-in index differs",
				code:     1,
			},
		},
		"Differences": {
			reason: "What is new, gone and changed is written.",
			args:   Command{Diff: true},
			stdin: definition("ec2.aws.m.upbound.io", "Route", tagsMap, "v1beta1", "v1beta2") + "---\n" +
				definition("ec2.aws.upbound.io", "Instance", `{}`, "v1beta2") + "---\n" +
				definition("vm.example.org", "Machine", tagsMap, "v1"),
			paths: []string{manifest.Stdin},
			want: want{
				out: "- ec2.aws.m.upbound.io\tv1beta1\tRoute\t-\tNone\t-\t-\n" +
					"+ ec2.aws.m.upbound.io\tv1beta1\tRoute\tspec.forProvider.tags\tMap\t-\t-\n" +
					"+ ec2.aws.m.upbound.io\tv1beta2\tRoute\tspec.forProvider.tags\tMap\t-\t-\n" +
					"- ec2.aws.upbound.io\tv1beta1\tInstance\tspec.forProvider.tags\tMap\t-\tstatus.atProvider.tagsAll,status.atProvider.tags\n" +
					"- ec2.aws.upbound.io\tv1beta2\tInstance\tspec.forProvider.tags\tMap\t-\tstatus.atProvider.tagsAll,status.atProvider.tags\tv1.7.0..\n" +
					"+ ec2.aws.upbound.io\tv1beta2\tInstance\t-\tNone\t-\t-\n" +
					"+ vm.example.org\tv1\tMachine\tspec.forProvider.tags\tMap\t-\t-\n",
				progress: "compared 4 served kinds: 2 are new, 1 are gone, 2 have another tag field\n",
				err:      "the built-in index differs",
				code:     1,
			},
		},
		"Complete": {
			reason: "Of all definitions of a group, a kind that isn't there is gone.",
			args:   Command{Diff: true, Complete: true},
			stdin:  definition("cur.aws.m.upbound.io", "Invented", `{}`, "v1beta1"),
			paths:  []string{manifest.Stdin},
			want: want{
				out: "+ cur.aws.m.upbound.io\tv1beta1\tInvented\t-\tNone\t-\t-\n" +
					"- cur.aws.m.upbound.io\tv1beta1\tReportDefinition\tspec.forProvider.tags\tMap\t-\tstatus.atProvider.tagsAll,status.atProvider.tags\n",
				progress: "compared 1 served kinds: 1 are new, 1 are gone, 0 have another tag field\n",
				err:      "the built-in index differs",
				code:     1,
			},
		},
		"Settings": {
			reason: "Settings that are there are compared as all kinds are.",
			args:   Command{Diff: true},
			stdin:  definition("azure.upbound.io", "ProviderConfig", tagsMap, "v1beta1"),
			paths:  []string{manifest.Stdin},
			want: want{
				out: "- azure.upbound.io\tv1beta1\tProviderConfig\t-\tNone\t-\t-\n" +
					"+ azure.upbound.io\tv1beta1\tProviderConfig\tspec.forProvider.tags\tMap\t-\t-\n",
				progress: "compared 1 served kinds: 0 are new, 0 are gone, 1 have another tag field\n",
				err:      "the built-in index differs",
				code:     1,
			},
		},
		"CompleteButSettings": {
			reason: "Providers of one cloud share the group of their settings, so others' are not gone.",
			args:   Command{Diff: true, Complete: true},
			stdin:  definition("aws.upbound.io", "ProviderConfig", `{}`, "v1beta1"),
			paths:  []string{manifest.Stdin},
			want:   want{progress: "compared 1 served kinds: 0 are new, 0 are gone, 0 have another tag field\n"},
		},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			t.Chdir(t.TempDir())

			for path, content := range tc.files {
				if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
					t.Fatal(err)
				}

				if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
					t.Fatal(err)
				}
			}

			out, progress := &bytes.Buffer{}, &bytes.Buffer{}
			c := tc.args
			c.Paths = tc.paths

			got := want{}
			if err := c.run(&manifest.Reader{Stdin: strings.NewReader(tc.stdin), Progress: progress}, out); err != nil {
				got.err, got.code = err.Error(), 1

				var coder interface{ ExitCode() int }
				if errors.As(err, &coder) {
					got.code = coder.ExitCode()
				}
			}

			got.out, got.progress = out.String(), progress.String()

			if diff := cmp.Diff(tc.want, got, cmp.AllowUnexported(want{})); diff != "" {
				t.Errorf("\n%s\nRun(...): -want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}

func TestProgress(t *testing.T) {
	dir := t.TempDir()

	for i := range 200 {
		d := definition("vm.example.org", fmt.Sprintf("Machine%d", i), tagsMap, "v1")
		if err := os.WriteFile(filepath.Join(dir, fmt.Sprintf("%d.yaml", i)), []byte(d), 0o600); err != nil {
			t.Fatal(err)
		}
	}

	out, progress := &bytes.Buffer{}, &bytes.Buffer{}
	if err := (&Command{Paths: []string{dir}}).run(&manifest.Reader{Progress: progress}, out); err != nil {
		t.Fatal(err)
	}

	if diff := cmp.Diff("read 100 of 200 files\n", progress.String()); diff != "" {
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
	if err := (&Command{Paths: []string{dir}}).run(&manifest.Reader{Progress: os.Stderr}, out); err != nil {
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

		if diff := cmp.Diff(field.Line(gvk, f)+"\n", line); diff != "" {
			t.Errorf("%s: -built in, +defined:\n%s", gvk, diff)
		}
	}

	if n < 30 {
		t.Errorf("want at least 30 served kinds, got %d", n)
	}

	out.Reset()

	if err := (&Command{Paths: []string{dir}, Diff: true}).run(&manifest.Reader{Progress: io.Discard}, out); err != nil || out.Len() > 0 {
		t.Errorf("want no differences, got %v:\n%s", err, out)
	}
}

// Run reads and writes what the process does. Other tests see what it is.
func TestProcess(t *testing.T) {
	if err := (&Command{Complete: true}).Run(); err == nil {
		t.Error("want the error of the command")
	}
}

// A writer that is closed, as that of a pipe to head.
type closed struct{}

func (closed) Write([]byte) (int, error) { return 0, errors.New("closed") }

func TestClosedOutput(t *testing.T) {
	for _, diff := range []bool{false, true} {
		in := strings.NewReader(definition("vm.example.org", "Machine", tagsMap, "v1"))
		if err := (&Command{Paths: []string{manifest.Stdin}, Diff: diff}).run(&manifest.Reader{Stdin: in, Progress: closed{}}, closed{}); fmt.Sprint(err) != "closed" {
			t.Errorf("want the error of the output, got %v", err)
		}
	}
}
