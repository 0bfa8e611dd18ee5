package tests

import (
	"path/filepath"
	"testing"

	"sigs.k8s.io/yaml"

	"github.com/plexsphere/function-cloud-tags/tags/manifest"
	"github.com/plexsphere/function-cloud-tags/tags/tagstest"
)

// TestTree tests that the composite resource of a level of the scenario tree is in the output of the level above, since
// an engine renders one level. The flag -update writes it.
func TestTree(t *testing.T) {
	t.Parallel()

	root, _ := all(t)

	for _, level := range []struct{ above, name, kind string }{
		{above: "tree", name: "tree-database", kind: "Database"},
		{above: "tree-database", name: "tree-storage", kind: "Storage"},
	} {
		objects, err := new(manifest.Reader).Objects(filepath.Join(find(t, root, level.above).Dir, "expected.yaml"))
		if err != nil {
			t.Fatal(err)
		}

		var xr []byte

		for _, o := range objects {
			if o.GetFields()["kind"].GetStringValue() != level.kind {
				continue
			}

			if xr, err = yaml.Marshal(o.AsMap()); err != nil {
				t.Fatal(err)
			}
		}

		tagstest.Text(t, filepath.Join(find(t, root, level.name).Dir, "xr.yaml"), string(xr))
	}
}
