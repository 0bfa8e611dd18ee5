package tests

import (
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/plexsphere/function-cloud-tags/example/internal/live"
	"github.com/plexsphere/function-cloud-tags/tags/tagstest"
)

// explain must print the tags of the cluster. It reads files from the cluster, as its page tells.
func testExplain(c live.Test) {
	const name = "explained"

	namespace := live.Parse(c.T, "{apiVersion: v1, kind: Namespace, metadata: {name: "+name+", labels: {tags.example.org/center: '4711'}}}")
	c.Applied(namespace)

	s := c.NewStack(name, bucket+network, `
sources:
- {type: CompositeField, fromFieldPath: spec.labels}
- type: RequiredResource
  name: tenant
  resource: {apiVersion: v1, kind: Namespace, name: {value: `+name+`}}
  prefix: tags.example.org/
`)

	says := func(lines string) {
		c.T.Helper()

		if err := live.Differs(explainedLines(c)[lines], explained(c, name, s.XR, name, namespace)); err != nil {
			c.T.Error(err)
		}
	}

	s.Label(object{"env": "prod"})
	s.Settled()
	says("labeled")

	// A label that AWS can't have.
	s.Label(object{"a#b": "c"})
	s.Settled()
	says("refused")

	// Others take tags away and change them, while nobody mends that.
	s.XR.SetAnnotations(map[string]string{"crossplane.io/paused": "true"})
	s.Label(object{"env": "prod"})
	s.WantCondition("Synced", "False", "ReconcilePaused")
	s.Write("network", object{"forProvider": object{"tags": array{"internal", "legacy=yes"}}})
	s.Tag("bucket", object{"tags": object{"owner": "me", "plexsphere:center": "42"}})
	says("paused")

	// Crossplane mends it, and a later step removes a tag.
	addStep(s, object{"removeTags": array{object{"key": "plexsphere:env"}}})
	s.XR.SetAnnotations(nil)
	s.Label(object{"env": "prod"})
	s.WantNetwork("internal", "legacy=yes", "plexsphere:center=4711")
	s.Reconcile()
	says("mended")
}

// explainedLines returns the lines that explain should print, by their name.
func explainedLines(c live.Test) (lines map[string][]string) {
	tagstest.ReadYAML(c.T, filepath.Join("testdata", "cases", "explained.yaml"), &lines)
	return lines
}

// addStep adds a step of the function to the Composition of a stack.
func addStep(s *live.Stack, input object) {
	s.T.Helper()

	o := live.Composition(s.XR.GetName(), nil, nil)

	stored, err := s.ClientFor(o).Get(s.T.Context(), o.GetName(), metav1.GetOptions{})
	if err != nil {
		s.T.Fatal(err)
	}

	input["apiVersion"], input["kind"] = "cloudtags.fn.plexsphere.com/v1beta1", "CloudTags"
	spec := live.Field[object](stored, "spec")
	spec["pipeline"] = append(live.Field[array](stored, "spec", "pipeline"), object{
		"step": "later", "functionRef": object{"name": "function-cloud-tags"}, "input": input,
	})
	o.Object["spec"] = spec
	s.Applied(o)
}

// columns of a table are this far apart.
var columns = regexp.MustCompile(" {2,}")

// explained returns the lines of explain on the tags of an XR, with files from the cluster. Root is the name of the
// outermost XR.
func explained(c live.Test, composition string, xr *unstructured.Unstructured, root string, required ...*unstructured.Unstructured) []string {
	c.T.Helper()

	dir := c.T.TempDir()
	write := func(name, text string) string {
		file := filepath.Join(dir, name)
		tagstest.WriteFiles(c.T, map[string]string{file: text})

		return "--" + strings.TrimSuffix(name, ".yaml") + "=" + file
	}

	// get is kubectl get -o yaml.
	get := func(name string, o *unstructured.Unstructured) string {
		stored, err := c.ClientFor(o).Get(c.T.Context(), o.GetName(), metav1.GetOptions{})
		if err != nil {
			c.T.Fatal(err)
		}

		stored.SetManagedFields(nil)

		return write(name, marshal(c.T, stored.Object))
	}

	composed, err := c.Composed(c.T.Context(), root)
	if err != nil {
		c.T.Fatal(err)
	}

	args := []string{
		"explain", "--step=cloud-tags", get("composition.yaml", live.Composition(composition, nil, nil)), get("xr.yaml", xr), write("rendered.yaml", string(composed)),
	}

	for _, o := range required {
		args = append(args, get("required-resources.yaml", o))
	}

	out, err := exec.CommandContext(c.T.Context(), c.Function, args...).CombinedOutput()
	if err != nil {
		c.T.Fatalf("explain: %v\n%s", err, out)
	}

	// The first table names kinds, which differ between releases.
	lines := slices.Collect(strings.SplitSeq(strings.TrimSpace(string(out)), "\n"))
	lines = lines[slices.Index(lines, "")+2:]

	for i, line := range lines {
		lines[i] = columns.ReplaceAllString(line, " | ")
	}

	return lines
}
