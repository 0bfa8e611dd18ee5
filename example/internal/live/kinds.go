package live

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// definition of the composite resources of all tests. Its status has what README says.
const definition = `
apiVersion: apiextensions.crossplane.io/v2
kind: CompositeResourceDefinition
metadata:
  name: stacks.platform.example.org
spec:
  scope: Namespaced
  group: platform.example.org
  names: {kind: Stack, plural: stacks}
  versions:
  - name: v1alpha1
    served: true
    referenceable: true
    schema:
      openAPIV3Schema:
        type: object
        properties:
          spec:
            type: object
            properties:
              labels: {type: object, additionalProperties: {type: string}}
              reconciled: {type: integer}
          status:
            type: object
            properties:
              cloudTags:
                type: object
                properties:
                  providers:
                    type: object
                    additionalProperties: {type: array, items: {type: string}}
                  resources:
                    type: object
                    additionalProperties: {type: object, additionalProperties: {type: string}}
                  classes:
                    type: object
                    additionalProperties: {type: object, additionalProperties: {type: string}}
`

// managed is a kind that is not built in: its group, plural, kind, version and a field.
const managed = `
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata:
  name: %[2]s.%[1]s
spec:
  group: %[1]s
  names: {kind: %[3]s, plural: %[2]s}
  scope: Namespaced
  versions:
  - name: %[4]s
    served: true
    storage: true
    schema:
      openAPIV3Schema:
        type: object
        properties:
          spec:
            type: object
            required: [forProvider]
            properties:
              forProvider:
                type: object
                properties:
                  %[5]s: {type: object, additionalProperties: {type: string}}
`

// config is a kind of a provider's configs: its group, kind, plural and scope.
const config = `
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata:
  name: %[3]s.%[1]s
spec:
  group: %[1]s
  names: {kind: %[2]s, plural: %[3]s}
  scope: %[4]s
  versions:
  - name: v1beta1
    served: true
    storage: true
    schema:
      openAPIV3Schema: {type: object}
`

// Install the kinds that tests use: that of their composite resources, and managed resources.
func (c *Cluster) Install(t *testing.T) {
	t.Helper()

	xrd := Parse(t, definition)
	if c.Release == V1 { // All composite resources are cluster-scoped there.
		xrd.SetAPIVersion("apiextensions.crossplane.io/v1")
		unstructured.RemoveNestedField(xrd.Object, "spec", "scope")
	}

	objects := []*unstructured.Unstructured{
		xrd,
		Parse(t, fmt.Sprintf(config, "aws.upbound.io", "ProviderConfig", "providerconfigs", "Cluster")),
		Parse(t, fmt.Sprintf(config, "aws.m.upbound.io", "ProviderConfig", "providerconfigs", "Namespaced")),
		Parse(t, fmt.Sprintf(config, "aws.m.upbound.io", "ClusterProviderConfig", "clusterproviderconfigs", "Cluster")),
		Parse(t, fmt.Sprintf(managed, "storage.cloud.example.org", "volumes", "Volume", "v1", "tags")),
		Parse(t, fmt.Sprintf(managed, "dns.cloud.example.org", "records", "Record", "v1", "comments")),
		Parse(t, fmt.Sprintf(managed, "hcloud.crossplane.io", "servers", "Server", "v1alpha1", "labels")),
		Parse(t, fmt.Sprintf(managed, "vm.generic.plexsphere.com", "virtualmachines", "VirtualMachine", "v1alpha1", "tags")),
	}

	files, err := filepath.Glob(filepath.Join(c.root, "tags", "field", "testdata", "crds", "*.yaml"))
	if err != nil {
		t.Fatal(err)
	}

	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}

		objects = append(objects, Parse(t, string(text)))
	}

	for _, o := range objects {
		// Providers write the status of their kinds as a subresource.
		for _, v := range Field[array](o, "spec", "versions") {
			if version, ok := v.(object); ok && o.GetKind() == "CustomResourceDefinition" {
				version["subresources"] = object{"status": object{}}
			}
		}
	}

	if err := c.Apply(t.Context(), "test", objects...); err != nil {
		t.Fatal(err)
	}

	for _, o := range objects {
		Eventually(t, func() error {
			got, err := c.Of(o).Get(t.Context(), o.GetName(), metav1.GetOptions{})
			if err != nil {
				return err
			}

			return Differs("True", condition(got, "Established").Status)
		})
	}
}
