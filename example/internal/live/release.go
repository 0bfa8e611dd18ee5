package live

import "strings"

// A Release of Crossplane that a cluster can run.
type Release string

// Releases of Crossplane, by the names of the tools that they are.
const (
	V1  Release = "crossplane-v1"
	V22 Release = "crossplane-v2.2"
	V2  Release = "crossplane"
)

// Releases are all of them, the oldest first.
var Releases = []Release{V1, V22, V2}

// managed is a text about kinds of providers, with what a release knows: before v2, their
// resources were cluster-scoped, and their groups had no .m in them.
func (r Release) managed(text string) string {
	if r != V1 || !strings.Contains(text, ".m.") {
		return text
	}

	return strings.NewReplacer(
		".m.upbound.io", ".upbound.io",
		".m.crossplane.io", ".crossplane.io",
		"scope: Namespaced", "scope: Cluster",
	).Replace(text)
}
