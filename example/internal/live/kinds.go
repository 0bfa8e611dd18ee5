package live

import (
	"context"
	"fmt"
	"os"
	"path/filepath"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/plexsphere/function-cloud-tags/example/internal/process"
)

// Kinds of composite resources, and of claims. Crossplane v1 has cluster-scoped composite resources only.
// Later releases serve them, too.
const (
	kindStack  = "Stack"
	kindLegacy = "LegacyStack"
	kindClaim  = "LegacyClaim"
)

// definition of the composite resources of all tests: its apiVersion, and their kind and plural.
// Its status has what README says.
const definition = `
apiVersion: apiextensions.crossplane.io/%s
kind: CompositeResourceDefinition
metadata:
  name: %[3]s.platform.example.org
spec:
  group: platform.example.org
  names: {kind: %[2]s, plural: %[3]s}
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

// custom is a kind that is not built in: its group, plural, kind, version, scope and schema.
const custom = `
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata:
  name: %[2]s.%[1]s
spec:
  group: %[1]s
  names: {kind: %[3]s, plural: %[2]s}
  scope: %[5]s
  versions:
  - name: %[4]s
    served: true
    storage: true
    schema:
      openAPIV3Schema: %[6]s
`

// managed is a kind of a provider, with a field that is a map.
func managed(group, plural, kind, version, scope, field string) string {
	forProvider := fmt.Sprintf(`{type: object, properties: {%s: {type: object, additionalProperties: {type: string}}}}`, field)
	spec := fmt.Sprintf(`{type: object, required: [forProvider], properties: {forProvider: %s}}`, forProvider)

	return fmt.Sprintf(custom, group, plural, kind, version, scope, `{type: object, properties: {spec: `+spec+`}}`)
}

// keyed is a schema of tags that are merged by their keys.
const keyed = `{type: object, properties: {spec: {type: object, properties: {forProvider: {type: object, properties: {tags: {
  type: array, x-kubernetes-list-type: map, x-kubernetes-list-map-keys: [key],
  items: {type: object, required: [key], properties: {key: {type: string}, value: {type: string}}},
}}}}}}}`

// config is a kind of a provider's configs, which says how many resources are made with it.
func config(group, plural, kind, scope string) string {
	return fmt.Sprintf(custom, group, plural, kind, "v1beta1", scope, `{type: object, properties: {status: {type: object, properties: {users: {type: integer}}}}}`)
}

// testKinds returns definitions of the kinds in tests: composite resources and managed resources.
func (c *Cluster) testKinds() ([]*unstructured.Unstructured, error) {
	api, scope := "v2", "Namespaced"
	if c.Release == V1 {
		api, scope = "v1", "Cluster"
	}

	texts := []string{
		fmt.Sprintf(definition, api, kindStack, "stacks"),
		fmt.Sprintf(definition, "v1", kindLegacy, "legacystacks") + "  claimNames: {kind: " + kindClaim + ", plural: legacyclaims}\n",
		config("aws.upbound.io", "providerconfigs", "ProviderConfig", "Cluster"),
		config("aws.m.upbound.io", "providerconfigs", "ProviderConfig", "Namespaced"),
		config("aws.m.upbound.io", "clusterproviderconfigs", "ClusterProviderConfig", "Cluster"),
		managed("storage.cloud.example.org", "volumes", "Volume", "v1", scope, "tags"),
		fmt.Sprintf(custom, "storage.cloud.example.org", "disks", "Disk", "v1", scope, keyed),
		fmt.Sprintf(custom, "fis.aws.m.upbound.io", "experimenttemplates", "ExperimentTemplate", "v1beta1", "Namespaced", immutable) + "    subresources: {status: {}}\n",
		fmt.Sprintf(custom, "sqs.aws.m.upbound.io", "queues", "Queue", "v1beta1", "Namespaced", holding),
		managed("dns.cloud.example.org", "records", "Record", "v1", scope, "comments"),
		managed("hcloud.crossplane.io", "servers", "Server", "v1alpha1", scope, "labels"),
		managed("vm.generic.plexsphere.com", "virtualmachines", "VirtualMachine", "v1alpha1", scope, "tags"),
	}

	files, err := filepath.Glob(filepath.Join(c.root, "tags", "field", "testdata", "crds", "*.yaml"))
	if err != nil {
		return nil, err
	}

	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			return nil, err
		}

		texts = append(texts, string(text))
	}

	out := make([]*unstructured.Unstructured, len(texts))
	for i, text := range texts {
		if out[i], err = parse(c.Release.managed(text)); err != nil {
			return nil, err
		}
	}

	return out, nil
}

// Install the kinds that tests use, and wait until they are served.
func (c *Cluster) Install(ctx context.Context) error {
	objects, err := c.testKinds()
	if err != nil {
		return err
	}

	for _, o := range objects {
		if isManaged(o) {
			_ = unstructured.SetNestedStringSlice(o.Object, []string{"crossplane", categoryManaged}, "spec", "names", "categories") // It has names.
		}

		// Providers write the status of their kinds as a subresource.
		for _, v := range Field[array](o, "spec", "versions") {
			if version, ok := v.(object); ok && o.GetKind() == "CustomResourceDefinition" {
				version["subresources"] = object{"status": object{}}
			}
		}
	}

	return c.establish(ctx, objects)
}

// establish definitions of kinds: apply them, and wait until what they define is served.
func (c *Cluster) establish(ctx context.Context, definitions []*unstructured.Unstructured) error {
	if err := c.Apply(ctx, "test", definitions...); err != nil {
		return err
	}

	for _, o := range definitions {
		if err := process.Eventually(ctx, func(ctx context.Context) error {
			got, err := c.ClientFor(o).Get(ctx, o.GetName(), metav1.GetOptions{})
			if err != nil {
				return err
			}

			return Differs("True", ConditionOf(got, "Established").Status)
		}); err != nil {
			return fmt.Errorf("%s %s isn't established: %w", o.GetKind(), o.GetName(), err)
		}
	}

	return nil
}
