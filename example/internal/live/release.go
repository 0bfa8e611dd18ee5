package live

import "strings"

// A Release of Crossplane that a cluster can run.
type Release string

// Releases of Crossplane, by the names of the tools that they are. A tool without a version is the newest release.
const (
	V1  Release = "crossplane-v1"
	V22 Release = "crossplane-v2.2"
	V23 Release = "crossplane-v2.3"
	V2  Release = "crossplane"
)

// Releases are all of them, the oldest first.
var Releases = []Release{V1, V22, V23, V2}

// A Kubernetes is a release of the API server that a cluster can run, by the name of the tool that it is.
type Kubernetes string

// The releases. None of them can empty a field in the apply that takes away its last entry.
const (
	Kubernetes35 Kubernetes = "kube-apiserver-v1.35"
	Kubernetes36 Kubernetes = "kube-apiserver-v1.36"
	Newest       Kubernetes = "kube-apiserver"
)

// A Platform is what a cluster runs on.
type Platform struct {
	Release    Release
	Kubernetes Kubernetes

	// Weekly reports whether tests run on the platform each week only, and not for each change.
	Weekly bool
}

// Platforms are all releases of Crossplane on the newest Kubernetes, and the newest Crossplane on the older ones. Each change is tested on
// the oldest and the newest Crossplane: to build the other tools takes longer than to test on them.
var Platforms = []Platform{
	{V1, Newest, false},
	{V22, Newest, true},
	{V23, Newest, true},
	{V2, Newest, false},
	{V2, Kubernetes36, true},
	{V2, Kubernetes35, true},
}

// String returns the names of both tools.
func (p Platform) String() string { return string(p.Release) + "-on-" + string(p.Kubernetes) }

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
