package field

import (
	"cmp"
	"slices"

	"k8s.io/apimachinery/pkg/runtime/schema"
	kubeversion "k8s.io/apimachinery/pkg/version"
)

// Kinds of a provider's configs.
const (
	providerConfig        = "ProviderConfig"
	clusterProviderConfig = "ClusterProviderConfig"
)

// A ConfigRef says which config of its provider a resource is made with: what its
// spec.providerConfigRef names, or what its API server takes if it has none.
type ConfigRef struct {
	schema.GroupVersionKind

	Name string

	// Namespaced is true if the config is in the namespace of the resource.
	Namespaced bool
}

// ConfigOf returns the config that resources of the supplied kind are made with whose reference
// has the supplied kind and name, each of which is empty if it isn't there. It returns false if
// the provider is none that we know, or has no such config.
//
// Configs are in the domain of their provider, as the index has them. Providers for Crossplane v1
// have cluster-scoped ProviderConfigs, of which a reference without a name means default. Those
// for v2 have namespaced ones, and ClusterProviderConfigs, which a reference without a kind means.
func ConfigOf(gk schema.GroupKind, refKind, refName string) (ConfigRef, bool) {
	f, service := familyOf(gk)
	if f.Profile == "" || f.Native || f == &unknown {
		return ConfigRef{}, false
	}

	domain := gk.Group
	if service != "" {
		domain = domain[len(service)+1:]
	}

	c, ok := f.configs[domain]
	if !ok {
		c, ok = f.configs["*"]
	}

	if !ok {
		c = BuiltIn().configs(domain)
	}

	kind := cmp.Or(refKind, c.kinds()[0])
	if c.version == "" || !slices.Contains(c.kinds(), kind) {
		return ConfigRef{}, false
	}

	return ConfigRef{
		GroupVersionKind: schema.GroupVersionKind{Group: c.group, Version: c.version, Kind: kind},
		Name:             cmp.Or(refName, "default"),
		Namespaced:       kind == providerConfig && c.namespaced,
	}, true
}

// configs of a provider are of these group and version.
type configs struct {
	group, version string

	// namespaced is true if there are namespaced ones beside those in the cluster: the provider
	// is one for Crossplane v2.
	namespaced bool
}

// kinds of the configs. The first is that of a reference that names none.
func (c configs) kinds() []string {
	if c.namespaced {
		return []string{clusterProviderConfig, providerConfig}
	}

	return []string{providerConfig}
}

// configs of the provider that the index has in the supplied API group, of the newest version.
func (i *Index) configs(group string) configs {
	b := i.blocks[group]
	if len(b.all()) == 0 {
		return configs{}
	}

	return b.configs
}

// with the supplied version of a kind of the supplied API group, if it is one of configs.
func (c configs) with(group string, v version) configs {
	if v.kind != providerConfig && v.kind != clusterProviderConfig {
		return c
	}

	c.group = group
	c.namespaced = c.namespaced || v.kind == clusterProviderConfig

	if c.version == "" || kubeversion.CompareKubeAwareVersionStrings(v.version, c.version) > 0 {
		c.version = v.version
	}

	return c
}
