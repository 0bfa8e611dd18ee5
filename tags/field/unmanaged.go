package field

// unmanaged is what makes no resources of a cloud, or none that we could tag: whatever
// it calls tags or labels, a cloud bills and searches nothing by it.
var unmanaged = family{
	Family: Family{Name: "unmanaged"},
	domains: []string{
		// Crossplane itself.
		"apiextensions.crossplane.io", "ops.crossplane.io", "pkg.crossplane.io", "protection.crossplane.io",

		// Kubernetes itself has groups without a dot, too: see familyOf.
		"k8s.io",

		"ansible.crossplane.io",
		"argocd.crossplane.io", "argocd.m.crossplane.io",
		"azuread.upbound.io", "azuread.m.upbound.io", // Tags of an Entra application turn features of it on and off.
		"datadog.upbound.io",
		"github.upbound.io", "github.m.upbound.io",
		"gitlab.crossplane.io", "gitlab.m.crossplane.io",
		"grafana.crossplane.io", "grafana.m.crossplane.io",
		"helm.crossplane.io", "helm.m.crossplane.io",
		"http.crossplane.io", "http.m.crossplane.io",
		"kafka.crossplane.io", "kafka.m.crossplane.io",
		"keycloak.crossplane.io", "keycloak.m.crossplane.io",
		"kubernetes.crossplane.io", "kubernetes.m.crossplane.io",
		"nop.crossplane.io",
		"opentofu.upbound.io", "opentofu.m.upbound.io",
		"sql.crossplane.io", "sql.m.crossplane.io",
		"tf.upbound.io", "tf.m.upbound.io", "tf.crossplane.io",
		"vault.upbound.io", "vault.m.upbound.io",
	},
}
