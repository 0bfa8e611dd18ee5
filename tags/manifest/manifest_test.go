package manifest_test

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/plexsphere/function-cloud-tags/tags/manifest"
	"github.com/plexsphere/function-cloud-tags/tags/object"
	"github.com/plexsphere/function-cloud-tags/tags/tagstest"
)

func TestObjects(t *testing.T) {
	dir := t.TempDir()

	tagstest.WriteFiles(t, map[string]string{
		dir + "/good/a.yaml":          "kind: A\nmetadata: {name: a}\n---\nkind: B\nmetadata: {namespace: ns, name: b}\n",
		dir + "/good/sub/c.json":      `{"apiVersion": "v1", "kind": "List", "items": [{"kind": "C"}]}`,
		dir + "/good/sub/d.yml":       "kind: D\n",
		dir + "/good/README.md":       "# no manifest: [",
		dir + "/text.yaml":            "kind: A\n---\ntext\n",
		dir + "/broken/sub/none.yaml": "a: 'b\n",
	})

	type want struct {
		names []string
		err   string
	}

	cases := map[string]struct {
		reason string
		path   string
		want   want
	}{
		"Folder": {
			reason: "All YAML and JSON files below a folder should be read.",
			path:   "good",
			want:   want{names: []string{"A a", "B ns/b", "C", "D"}},
		},
		"File": {
			reason: "A file should be read, whatever its name is.",
			path:   "good/a.yaml",
			want:   want{names: []string{"A a", "B ns/b"}},
		},
		"Missing": {
			reason: "What isn't there should be named once.",
			path:   "none",
			want:   want{err: "cannot read DIR/none: no such file or directory"},
		},
		"Text": {
			reason: "A text is no object.",
			path:   "text.yaml",
			want:   want{err: "cannot read DIR/text.yaml: document 2: it is a string, not an object"},
		},
		"Broken": {
			reason: "Of the files of a folder the one that can't be read should be named.",
			path:   "broken",
			want:   want{err: "cannot read DIR/broken/sub/none.yaml: yaml: line 2: found unexpected end of stream"},
		},
		"Stdin": {
			reason: "Standard input has no other name.",
			path:   manifest.Stdin,
			want:   want{err: "cannot read -: the pipe is broken"},
		},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			if tc.path != manifest.Stdin {
				tc.path = filepath.Join(dir, tc.path)
			}

			got := want{}

			objects, err := (&manifest.Reader{Stdin: tagstest.BrokenPipe{}}).Objects(tc.path)
			if err != nil {
				got.err = strings.ReplaceAll(fmt.Sprint(err), dir, "DIR")
			}

			for _, o := range objects {
				got.names = append(got.names, object.Title(object.Tree(o)))
			}

			if diff := cmp.Diff(tc.want, got, cmp.AllowUnexported(want{})); diff != "" {
				t.Errorf("\n%s\nObjects(%s): -want, +got:\n%s", tc.reason, tc.path, diff)
			}
		})
	}
}
