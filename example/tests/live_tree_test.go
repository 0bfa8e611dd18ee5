package tests

import (
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/plexsphere/function-cloud-tags/example/internal/live"
)

// An XR composes an XR, and the second composes a third one. Labels of the first reach a bucket of the third, and leave it.
func testTree(c live.Test) {
	const handsOn = fieldLabels + `
tagFields: [{apiVersion: platform.example.org/*, kind: "*", fieldPath: spec.labels, shape: Labels}]
`
	ofLabels := []string{"spec", "labels"}

	// nested is an XR that is composed, and the name of its Composition.
	nested := func(name string) string {
		ref := "{compositionRef: {name: " + name + "}}"
		if c.Release != live.V1 {
			ref = "{crossplane: " + ref + "}"
		}

		return "- {name: " + name + ", base: {apiVersion: platform.example.org/v1alpha1, kind: Stack, spec: " + ref + "}}\n"
	}

	third := c.NewStack("tree-third", bucket, handsOn)
	second := c.NewStack("tree-second", nested("tree-third"), handsOn)
	first := c.NewStack("tree-first", nested("tree-second"), handsOn)

	// Composed resources have the first XR's name in their label, at any depth.
	second.XR, third.XR = first.XR, first.XR

	want := func(tags object, labels ...string) {
		c.T.Helper()
		third.Want("bucket", ofTags, tags)

		first.WantOwners("tree-second", ofLabels, live.Owners{crossplane: labels})
		second.WantOwners("tree-third", ofLabels, live.Owners{crossplane: labels})
	}

	first.Label(object{"env": "prod", "owner": "team-a"})
	want(object{"Name": "reports", "legacy": "yes", "plexsphere:env": "prod", "plexsphere:owner": "team-a"}, ".env", ".owner")

	// explain shows only an XR's own composed resources, though all have the label crossplane.io/composite of the first XR.
	for composition, xr := range map[string]*unstructured.Unstructured{
		"tree-first": first.Get(), "tree-second": first.Resource("tree-second"), "tree-third": second.Resource("tree-third"),
	} {
		if err := live.Differs(explainedLines(c)[composition], explained(c, composition, xr, first.XR.GetName())); err != nil {
			c.T.Errorf("%s: %v", composition, err)
		}
	}

	first.Label(object{"env": "test"})
	want(object{"Name": "reports", "legacy": "yes", "plexsphere:env": "test"}, ".env")

	first.Label(nil)
	third.Want("bucket", ofTags, object{"Name": "reports", "legacy": "yes"})
	first.WantCondition("CloudTagsPropagated", "True", "AllPropagated")
}
