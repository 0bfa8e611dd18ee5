package live

import (
	"context"
	"fmt"
	"slices"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/discovery"
	"sigs.k8s.io/yaml"
)

// categoryManaged is the category of the kinds of providers.
const categoryManaged = "managed"

// isManaged reports whether the definition is for a kind of a provider.
func isManaged(crd *unstructured.Unstructured) bool {
	for _, v := range Field[array](crd, "spec", "versions") {
		version, _ := v.(object)
		if _, managed, _ := unstructured.NestedMap(version, "schema", "openAPIV3Schema", "properties", "spec", "properties", "forProvider"); managed {
			return crd.GetKind() == "CustomResourceDefinition"
		}
	}

	return false
}

// Managed are all resources of providers, as kubectl get managed -A -o yaml prints them.
func (c *Cluster) Managed(ctx context.Context) ([]byte, error) {
	return c.list(ctx, metav1.ListOptions{}, func(o *unstructured.Unstructured) { o.SetManagedFields(nil) }, categoryManaged)
}

// Composed are all that the outermost XR of the name is composed of, as kubectl get managed,composite -A -o yaml -l
// crossplane.io/composite=NAME --show-managed-fields prints it.
func (c *Cluster) Composed(ctx context.Context, name string) ([]byte, error) {
	return c.list(ctx, metav1.ListOptions{LabelSelector: "crossplane.io/composite=" + name}, func(*unstructured.Unstructured) {}, categoryManaged, "composite")
}

// list the objects of all kinds of the categories.
func (c *Cluster) list(ctx context.Context, options metav1.ListOptions, change func(*unstructured.Unstructured), categories ...string) ([]byte, error) {
	client, err := discovery.NewDiscoveryClientForConfig(c.config)
	if err != nil {
		return nil, err
	}

	kinds, err := client.ServerPreferredResources()
	if err != nil {
		return nil, fmt.Errorf("cannot list the kinds that there are: %w", err)
	}

	items := array{}

	for _, group := range kinds {
		gv, err := schema.ParseGroupVersion(group.GroupVersion)
		if err != nil {
			return nil, err
		}

		for _, kind := range group.APIResources {
			if !slices.ContainsFunc(kind.Categories, func(name string) bool { return slices.Contains(categories, name) }) {
				continue
			}

			list, err := c.client.Resource(gv.WithResource(kind.Name)).List(ctx, options)
			if err != nil {
				return nil, fmt.Errorf("cannot list %s: %w", kind.Name, err)
			}

			for _, o := range list.Items {
				change(&o)

				items = append(items, o.Object)
			}
		}
	}

	return yaml.Marshal(object{"apiVersion": "v1", "kind": "List", "items": items, "metadata": object{"resourceVersion": ""}})
}
