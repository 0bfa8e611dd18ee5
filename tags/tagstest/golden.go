// Package tagstest helps tests of several packages.
package tagstest

import (
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"sigs.k8s.io/yaml"
)

var update = flag.Bool("update", false, "write what tests get to their golden files")

// A Golden is a file with the expected lines of a test's cases, by the cases' names. The
// flag -update writes it.
type Golden struct {
	name, path string
	want, got  map[string][]string
}

// NewGolden returns the golden file of a test. A case that it has, and that the
// test hasn't, fails the test.
func NewGolden(t *testing.T) *Golden {
	t.Helper()

	return NewGoldenIn(t, "testdata")
}

// NewGoldenIn returns the golden file of a test in the folder dir.
func NewGoldenIn(t *testing.T, dir string) *Golden {
	t.Helper()

	g := &Golden{name: t.Name(), path: filepath.Join(dir, t.Name()+".yaml"), want: make(map[string][]string), got: make(map[string][]string)}

	b, err := os.ReadFile(g.path)
	if err != nil && !*update {
		t.Fatalf("cannot read the golden file, which -update writes: %v", err)
	}

	if err := yaml.Unmarshal(b, &g.want); err != nil {
		t.Fatalf("cannot decode the golden file %s: %v", g.path, err)
	}

	t.Cleanup(func() { g.done(t) })

	return g
}

// Check checks that the case of the test t has the lines of the file.
func (g *Golden) Check(t *testing.T, reason string, got []string) {
	t.Helper()

	name := strings.TrimPrefix(strings.TrimPrefix(t.Name(), g.name), "/")
	g.got[name] = got

	if *update {
		return
	}

	if diff := cmp.Diff(g.want[name], got); diff != "" || g.want[name] == nil {
		t.Errorf("\n%s\n%s of %s: -want, +got:\n%s", reason, name, g.path, diff)
	}
}

// done writes the file, or tells which of its cases the test doesn't have. A test of which
// only some cases run says nothing of others.
func (g *Golden) done(t *testing.T) {
	t.Helper()

	if !*update {
		if f := flag.Lookup("test.run"); f != nil && f.Value.String() == "" && len(g.got) < len(g.want) {
			t.Errorf("%s has %d cases, of which the test has %d: -update writes it", g.path, len(g.want), len(g.got))
		}

		return
	}

	text, err := yaml.Marshal(g.got)
	if err != nil {
		t.Fatalf("cannot encode the golden file %s: %v", g.path, err)
	}

	WriteFiles(t, map[string]string{g.path: string(text)})
}

// ReadFile returns the text of a file.
func ReadFile(tb testing.TB, path string) []byte {
	tb.Helper()

	text, err := os.ReadFile(path)
	if err != nil {
		tb.Fatal(err)
	}

	return text
}

// ReadYAML reads a file, which may have no other fields than the value
// has.
func ReadYAML(tb testing.TB, path string, to any) {
	tb.Helper()

	if err := yaml.UnmarshalStrict(ReadFile(tb, path), to); err != nil {
		tb.Fatalf("cannot decode %s: %v", path, err)
	}
}

// EachFile runs a subtest for each of the files that match the glob pattern, by its name. run gets what ReadYAML
// reads of the file, and the golden file of its cases.
func EachFile[F any](t *testing.T, pattern string, run func(t *testing.T, c *F, g *Golden)) {
	t.Helper()

	files, err := filepath.Glob(pattern)
	if err != nil || len(files) == 0 {
		t.Fatalf("no file matches %s: %v", pattern, err)
	}

	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), filepath.Ext(file)), func(t *testing.T) {
			c := new(F)
			ReadYAML(t, file, c)
			run(t, c, NewGolden(t))
		})
	}
}
