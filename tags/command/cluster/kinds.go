package cluster

import (
	"context"
	"encoding/json"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/crossplane/function-sdk-go/errors"

	"github.com/plexsphere/function-cloud-tags/tags/words"
)

// A Kind of objects that a cluster serves.
type Kind struct {
	schema.GroupVersionKind

	// Plural is its name in addresses, such as buckets.
	Plural string

	// Names are other names: the singular and short names.
	Names []string

	// Categories have several kinds each. Crossplane's are composite, claim and managed.
	Categories []string

	Namespaced bool

	// Listed says that all objects of the kind can be listed.
	Listed bool

	// Preferred says that the API server prefers this version of the kind.
	Preferred bool
}

// Kinds of a cluster, in the API server's order.
type Kinds []Kind

// secret is the kind that is never read.
var secret = schema.GroupKind{Kind: "Secret"}

// Kinds returns the kinds whose objects can be read.
func (c *Cluster) Kinds(ctx context.Context) (_ Kinds, err error) {
	c.mu.Lock()
	defer c.mu.Unlock()

	if c.kinds == nil {
		c.kinds, err = c.discover(ctx)
	}

	return c.kinds, err
}

// aggregated asks for all kinds in one answer, as Kubernetes v1.30 and v1.27 give it.
const aggregated = "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList,application/json;g=apidiscovery.k8s.io;v=v2beta1;as=APIGroupDiscoveryList"

// discover asks the API server for its kinds.
func (c *Cluster) discover(ctx context.Context) (out Kinds, err error) {
	for _, path := range []string{"/api", "/apis"} {
		var groups struct {
			Kind  string `json:"kind"`
			Items []struct {
				Versions []struct {
					Resources []struct {
						Resource         string                  `json:"resource"`
						ResponseKind     schema.GroupVersionKind `json:"responseKind"`
						Scope            string                  `json:"scope"`
						SingularResource string                  `json:"singularResource"`
						ShortNames       []string                `json:"shortNames"`
						Categories       []string                `json:"categories"`
						Verbs            []string                `json:"verbs"`
					} `json:"resources"`
				} `json:"versions"`
			} `json:"items"`
		}

		body, err := c.get(ctx, path, nil, aggregated)
		if err != nil {
			return nil, err
		}

		err = json.NewDecoder(body).Decode(&groups)
		_ = body.Close() // Only read.

		switch {
		case err != nil:
			return nil, errors.Wrapf(err, "cannot read the kinds of the cluster at %s", path)
		case groups.Kind != "APIGroupDiscoveryList":
			return nil, errors.New("the API server doesn't list its kinds as Kubernetes v1.27 and later do: give files, as kubectl get prints them")
		}

		for _, g := range groups.Items {
			for i, v := range g.Versions {
				for _, r := range v.Resources {
					if slices.Contains(r.Verbs, "get") {
						out = append(out, Kind{
							GroupVersionKind: r.ResponseKind, Plural: r.Resource, Names: append(r.ShortNames, r.SingularResource),
							Categories: r.Categories, Namespaced: r.Scope == "Namespaced", Listed: slices.Contains(r.Verbs, "list"), Preferred: i == 0,
						})
					}
				}
			}
		}
	}

	return out, nil
}

// Of returns the kind in the version.
func (ks Kinds) Of(gvk schema.GroupVersionKind) (Kind, bool) {
	i := slices.IndexFunc(ks, func(k Kind) bool { return k.GroupVersionKind == gvk })
	if i < 0 {
		return Kind{}, false
	}

	return ks[i], true
}

// Named returns the kinds with the name, as kubectl knows them: bucket, buckets, Bucket, buckets.s3.aws.upbound.io, or
// buckets.v1beta1.s3.aws.upbound.io. Without a version, it returns the preferred ones. Kinds of other groups may have the same name.
func (ks Kinds) Named(name string) []Kind {
	name, suffix, _ := strings.Cut(strings.ToLower(name), ".")
	version, group, _ := strings.Cut(suffix, ".")

	matching := func(matches func(Kind) bool) []Kind {
		return words.MapIf(ks, func(k Kind) (Kind, bool) {
			isNamed := k.Plural == name || slices.Contains(k.Names, name) || strings.EqualFold(k.Kind, name)
			return k, isNamed && matches(k)
		})
	}

	for _, matches := range []func(Kind) bool{
		func(k Kind) bool { return k.Preferred && (suffix == "" || k.Group == suffix) },
		func(k Kind) bool { return group != "" && k.Version == version && k.Group == group },
		func(k Kind) bool { return k.Preferred && strings.HasPrefix(k.Group, suffix) },
	} {
		if found := matching(matches); len(found) > 0 {
			return found
		}
	}

	return nil
}

// path returns the path of the object with the name, or of all objects. Without a namespace, these are in all namespaces.
func (k *Kind) path(namespace, name string) string {
	parts := []string{"/apis", k.Group, k.Version}
	if k.Group == "" {
		parts = []string{"/api", k.Version}
	}

	if k.Namespaced && namespace != "" {
		parts = append(parts, "namespaces", namespace)
	}

	return strings.TrimSuffix(strings.Join(append(parts, k.Plural, name), "/"), "/")
}
