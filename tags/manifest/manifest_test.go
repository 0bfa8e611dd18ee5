package manifest_test

import (
	"net"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/plexsphere/function-cloud-tags/tags/manifest"
	"github.com/plexsphere/function-cloud-tags/tags/object"
	"github.com/plexsphere/function-cloud-tags/tags/tagstest"
)

// TestObjects reads the paths of testdata/paths.yaml.
func TestObjects(t *testing.T) {
	var cases []struct {
		Name, Reason, Path string
		Want               []string
	}

	tagstest.ReadYAML(t, "testdata/paths.yaml", &cases)
	t.Chdir(t.TempDir())

	tagstest.WriteFiles(t, map[string]string{
		"good/a.yaml":          "kind: A\nmetadata: {name: a}\n---\nkind: B\nmetadata: {namespace: ns, name: b}\n",
		"good/sub/c.json":      `{"apiVersion": "v1", "kind": "List", "items": [{"kind": "C"}]}`,
		"good/sub/d.yml":       "kind: D\n",
		"good/README.md":       "# no manifest: [",
		"text.yaml":            "kind: A\n---\ntext\n",
		"broken/sub/none.yaml": "a: 'b\n",
	})

	// A socket stands for all that can't be read as a file. To read a named pipe would take forever.
	l, err := net.Listen("unix", "good/socket.yaml") //nolint:noctx // It only makes the file.
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close() //nolint:errcheck // It goes with the folder.

	for _, tc := range cases {
		t.Run(tc.Name, func(t *testing.T) {
			var got []string

			objects, err := (&manifest.Reader{Stdin: tagstest.BrokenPipe{}}).Objects(tc.Path)
			if err != nil {
				got = append(got, "error: "+err.Error())
			}

			for _, o := range objects {
				got = append(got, object.Title(object.FromStruct(o)))
			}

			if diff := cmp.Diff(tc.Want, got); diff != "" {
				t.Errorf("\n%s\nObjects(%s): -want, +got:\n%s", tc.Reason, tc.Path, diff)
			}
		})
	}
}
