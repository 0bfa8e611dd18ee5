package field

import (
	"cmp"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/runtime/schema"
	kubeversion "k8s.io/apimachinery/pkg/version"
)

// Kinds of a provider's configs.
const (
	providerConfig        = "ProviderConfig"
	clusterProviderConfig = "ClusterProviderConfig"
)

// IsConfig reports whether the kind is a provider config, such as ProviderConfig or ClusterProviderConfig.
func IsConfig(kind string) bool { return kind == providerConfig || kind == clusterProviderConfig }

// A ConfigRef names the provider config that a resource is made with. Its spec.providerConfigRef names the config, or else the
// default in the schema.
type ConfigRef struct {
	schema.GroupVersionKind

	Name string

	// Namespaced says whether the config is in the namespace of the resource.
	Namespaced bool
}

// ConfigOf returns the config that a resource of the kind in the namespace is made with. refKind and
// refName are the kind and the name in its reference, each empty if it isn't there. It returns false
// if the provider is unknown, or has no such config.
//
// Configs are in the domain of their provider, as the index has them. Providers for Crossplane v1
// have cluster-scoped ProviderConfigs: a reference without a name means default. Providers for v2
// have namespaced ones, and ClusterProviderConfigs. A reference without a kind means a ClusterProviderConfig. If providers for v1
// and v2 share a domain, a resource is of the v2 provider if it has a namespace, or a kind in its reference.
func ConfigOf(gk schema.GroupKind, namespace, refKind, refName string) (ConfigRef, bool) {
	all, service := sharesOf(gk.Group)

	s := shareOf(all, gk.Kind)
	if s.family == unknown || s.family.Profile == "" || s.family.Native {
		return ConfigRef{}, false
	}

	c := cmp.Or(s.configs, BuiltIn().block(strings.TrimPrefix(gk.Group, service+".")).configs)

	if c.v1 != "" && namespace == "" && refKind == "" {
		c = configs{group: c.group, version: c.v1}
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

// configs says in which group and version a provider has its configs.
type configs struct {
	group, version string

	// namespaced says whether there are namespaced configs beside the cluster-scoped ones: the
	// provider is one for Crossplane v2.
	namespaced bool

	// v1 is the version of the configs of another provider in the group, which is for
	// Crossplane v1. Empty if there is none.
	v1 string
}

// kinds returns the kinds of the configs. The first kind is the default of a reference.
func (c configs) kinds() []string {
	if c.namespaced {
		return []string{clusterProviderConfig, providerConfig}
	}

	return []string{providerConfig}
}

// configsOf returns the configs among the entries of the API group, of the newest version. A provider
// for Crossplane v2 has both kinds in the same versions.
func configsOf(group string, entries map[version]Variants) configs {
	c := configs{group: group}

	for v := range entries {
		if v.kind != providerConfig {
			continue
		}

		if _, ok := entries[version{v.version, clusterProviderConfig}]; ok {
			c.namespaced, c.version = true, newest(c.version, v.version)
		} else {
			c.v1 = newest(c.v1, v.version)
		}
	}

	if !c.namespaced {
		c.version, c.v1 = c.v1, ""
	}

	return c
}

// newest returns the newer version of two. An empty text is older than any version.
func newest(a, b string) string {
	return slices.MaxFunc([]string{a, b}, kubeversion.CompareKubeAwareVersionStrings)
}
