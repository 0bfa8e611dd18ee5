package stamp

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/runtime/schema"

	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"

	"github.com/plexsphere/function-cloud-tags/input/v1beta1"
	"github.com/plexsphere/function-cloud-tags/tags"
	"github.com/plexsphere/function-cloud-tags/tags/field"
	"github.com/plexsphere/function-cloud-tags/tags/locate"
	"github.com/plexsphere/function-cloud-tags/tags/object"
	"github.com/plexsphere/function-cloud-tags/tags/tagstest"
)

// TestUnprofiled is about resources to which the generic tag profile applies for want of another.
func TestUnprofiled(t *testing.T) {
	const rule = `"tagFields": [{"apiVersion": "*", "kind": "Thing", "fieldPath": "spec.tags", "shape": "Map"`

	for name, tc := range map[string]struct {
		reason string

		// apiVersion of a Thing, unless it is another resource.
		apiVersion, resource string
		input, provider      string
		labels               []tags.Label

		want locate.Unprofiled
	}{
		"Group":      {reason: "Nobody knows a provider of the API group.", apiVersion: "vm.example.org/v1", want: locate.Unprofiled{Group: "vm.example.org"}},
		"Core":       {reason: "The core group has no name.", apiVersion: "v1", want: locate.Unprofiled{Group: "v1"}},
		"Family":     {reason: "A provider that is known may have the generic profile.", apiVersion: "instance.civo.crossplane.io/v1alpha1"},
		"Cloud":      {reason: "A provider of a cloud has the cloud's.", apiVersion: "ec2.aws.m.upbound.io/v1beta1"},
		"Input":      {reason: "The input can name a provider.", apiVersion: "vm.example.org/v1", input: rule + `}], "provider": {"value": "AWS"}`},
		"Generic":    {reason: "It can say that the generic profile is meant.", apiVersion: "vm.example.org/v1", input: rule + `, "provider": "generic"}]`},
		"Class":      {reason: "A provider that a class names may have no profile.", apiVersion: "vm.example.org/v1", provider: "acme", want: locate.Unprofiled{Provider: "acme"}},
		"ClassKnown": {reason: "A class doesn't say what resources of a known provider have.", apiVersion: "ec2.aws.m.upbound.io/v1beta1", provider: "acme"},
		"Wrapped": {
			reason:   "What counts is what an Object wraps.",
			resource: `{"apiVersion": "kubernetes.crossplane.io/v1alpha2", "kind": "Object", "spec": {"forProvider": {"manifest": {"apiVersion": "vm.example.org/v1", "kind": "Machine", "spec": {}}}}}`,
			input:    `"tagFields": [{"apiVersion": "kubernetes.crossplane.io/*", "kind": "Object", "fieldPath": "spec.forProvider.manifest.spec.tags", "shape": "Map"}]`,
			want:     locate.Unprofiled{Group: "vm.example.org"},
		},
		"WrappedCore": {
			reason:   "The version of the core group is that of the manifest.",
			resource: `{"apiVersion": "kubernetes.crossplane.io/v1alpha1", "kind": "Object", "spec": {"forProvider": {"manifest": {"apiVersion": "v1", "kind": "Namespace"}}}}`,
			input:    `"tagFields": [{"apiVersion": "kubernetes.crossplane.io/*", "kind": "Object", "fieldPath": "spec.forProvider.manifest.metadata.annotations", "shape": "Map"}]`,
			want:     locate.Unprofiled{Group: "v1"},
		},
		"Skipped":  {reason: "It matters to labels that the generic profile skips.", apiVersion: "vm.example.org/v1", labels: []tags.Label{label("ü", "1")}, want: locate.Unprofiled{Group: "vm.example.org"}},
		"NoLabels": {reason: "Without labels it doesn't matter.", apiVersion: "vm.example.org/v1", labels: []tags.Label{}},
		"NoField":  {reason: "Nor does it without a tag field.", apiVersion: "vm.example.org/v1", input: `"keyPrefix": "x"`},
	} {
		t.Run(name, func(t *testing.T) {
			r, input, labels := tc.resource, tc.input, tc.labels
			if r == "" {
				r = `{"apiVersion": "` + tc.apiVersion + `", "kind": "Thing", "spec": {"forProvider": {}}}`
			}

			if input == "" {
				input = rule + `}]`
			}

			if labels == nil {
				labels = []tags.Label{label("a", "1")}
			}

			in, err := v1beta1.Decode(tagstest.MustStructJSON(`{"apiVersion": "cloudtags.fn.plexsphere.com/v1beta1", "kind": "CloudTags", "sources": [{"type": "Value", "values": {"a": "1"}}], ` + input + `}`))
			if err != nil {
				t.Fatalf("Decode(...): %v", err)
			}

			s := &Stamper{
				Finder: locate.Finder{
					Input:    in,
					Provider: tc.provider,
					Fields:   func(schemas field.Schemas) field.Locator { return field.ForInput(in, schemas) },
					Schemas:  field.Schemas{Of: func(schema.GroupVersionKind) object.Node { return object.Node{} }},
				},
				Transformer: transformer(labels...),
			}

			out, err := stampAll(s, map[string]*fnv1.Resource{"a": {Resource: tagstest.MustStructJSON(r)}})
			if err != nil {
				t.Fatalf("Stamp(...): %v", err)
			}

			if diff := cmp.Diff(tc.want, out.Results[0].Unprofiled); diff != "" {
				t.Errorf("\n%s\nStamp(...): -want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}
