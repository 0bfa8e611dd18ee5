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

		// Cluster API itself, and those of its providers that have no tags: the tagIDs of vSphere
		// are IDs of tags that are there, those of IBM Cloud and Hetzner have none. The API
		// groups of its special interest groups are no others.
		"x-k8s.io", clusterInfrastructure, clusterControlPlane,

		"acl.crossplane.io", "device.crossplane.io", "dns.crossplane.io", "tailnet.crossplane.io", "tailscale.crossplane.io", // Tailscale's tags are who a device is to its ACL.
		"akamai.terasky.com", // Tags of a client list are of what is in it.
		// What has groups like those of services of a cloud, and is none: the settings of
		// Config Connector, clusters of Coherence in Kubernetes, extensions of Azure Arc.
		"core.cnrm.cloud.google.com", "customize.core.cnrm.cloud.google.com", "coherence.oracle.com", "clusterconfig.azure.com",

		"ansible.crossplane.io",
		"argocd.crossplane.io", "argocd.m.crossplane.io", "m.argocd.crossplane.io",
		"azuread.upbound.io", "azuread.m.upbound.io", // Tags of an Entra application turn features of it on and off.
		"azuredevops.crossplane.io", "azuredevops.m.crossplane.io", // Tags of projects and work items are words.
		"backblaze.crossplane.io", "backblaze.m.crossplane.io", "backblaze.upbound.io",
		"castai.upbound.io", // Tags and labels are of the nodes that it launches, and selectors.
		"ceph.crossplane.io",
		"cloudflare.crossplane.io", "cloudflare.cloudflare.com", "cloudflare.m.cloudflare.com", // But for DNS records: see cloudflare.
		"cloudflare.upbound.io", "upjet-cloudflare.upbound.io", "upjet-cloudflare.m.upbound.io",
		"cockroachdb.crossplane.io",
		"confluent.crossplane.io",
		"datadog.upbound.io", "datadog.jet.crossplane.io", // Names of metrics' tags, and words of monitors.
		"dynatrace.crossplane.io", // What entities are given, and how they are found, is what it configures.
		"elasticstack.crossplane.io", "elasticstack.m.crossplane.io",
		"github.upbound.io", "github.m.upbound.io",
		"gitlab.crossplane.io", "gitlab.m.crossplane.io", // Tags of a runner choose its jobs.
		"grafana.crossplane.io", "grafana.m.crossplane.io", "grafana.o.crossplane.io", // Labels of alerts route them, tags of dashboards are words.
		"hana.orchestrate.cloud.sap", "hana.sap.crossplane.io",
		"helm.crossplane.io", "helm.m.crossplane.io",
		"http.crossplane.io", "http.m.crossplane.io",
		"infoblox-nios.crossplane.io",
		"jfrogartifactory.upbound.io",
		"kafka.crossplane.io", "kafka.m.crossplane.io",
		"keycloak.crossplane.io", "keycloak.m.crossplane.io",
		"kraftcloud.crossplane.io",
		"kubernetes.crossplane.io", "kubernetes.m.crossplane.io",
		"launchdarkly.com",                                        // Tags of flags are words of at most 64 letters, digits, dots, dashes and underscores.
		"macpaw.dev",                                              // Opsgenie's tags are words that its alerts have.
		"ncloud.crossplane.io",                                    // No tags. label of a node pool is Kubernetes labels.
		"netbox.natzkalabs.com", "thibaultbustarret-ovhcloud.com", // NetBox has objects for tags, which must be there before.
		"newrelic.upbound.io", "newrelic.m.upbound.io", "provider-newrelic.crossplane.io",
		"nop.crossplane.io",
		"nourspeed.io", // libvirt.
		"nutanix.com",
		"okta.upbound.io",
		"opentofu.upbound.io", "opentofu.m.upbound.io",
		"ovh.crossplane.io",                // No tags, as below.
		"ovh.edixos.io", "ovh.m.edixos.io", // No tags, but a resource that is the tags of what its urn names.
		"pagerduty.crossplane.io", "pagerduty.m.crossplane.io",
		"rancher.jet.crossplane.io", "rancher2.contrib.crossplane.io", "rancher2.m.contrib.crossplane.io", // Labels are Kubernetes labels.
		"spacelift.crossplane.io", "spacelift.m.crossplane.io", // Labels of stacks act, as autoattach: does.
		"spot.upbound.io", // Tags and labels are of the nodes that it launches.
		"sql.crossplane.io", "sql.m.crossplane.io",
		"stackit.crossplane.io", "stackit.m.crossplane.io", "stackit.cloud", // No tags. labels are those of alerts and metrics.
		"styra.crossplane.io",
		"tf.upbound.io", "tf.m.upbound.io", "tf.crossplane.io",
		"timeweb.crossplane.io", "timeweb.m.crossplane.io", "m.timeweb.crossplane.io", // No tags. labels of node pools are Kubernetes labels.
		"unifi.crossplane.io", "unifi.m.crossplane.io",
		"upjet-supabase.upbound.io", "upjet-supabase.m.upbound.io",
		"vcd.upbound.io", // FrangipaneTeam/provider-vcd, whose kind is of Terraform's null provider.
		"vault.upbound.io", "vault.m.upbound.io",
		"vkcloud.crossplane.io",
		"zitadel.crossplane.io", "zitadel.m.crossplane.io",

		// Upbound itself.
		"iam.upbound.io", "iam.m.upbound.io", "repository.upbound.io", "repository.m.upbound.io",

		// ankasoftco/provider-vsphere. Tags are IDs of tags that must be there before, and so are
		// the keys of customAttributes.
		"administration.crossplane.io", "hostandclustermanagement.crossplane.io", "inventory.crossplane.io",
		"networking.crossplane.io", "security.crossplane.io", "storage.crossplane.io", "virtualmachine.crossplane.io",
		"vsphere.crossplane.io",

		// valkiriaaquatica/provider-snowflake: tags are objects of their own.
		"snowflake.crossplane.io", "snowflakeaccount.crossplane.io", "snowflakeaccountparameter.crossplane.io",
		"snowflakeaccountrole.crossplane.io",
		"snowflakeapiauthenticationintegrationwithauthorizationcodegrant.crossplane.io",
		"snowflakeapiauthenticationintegrationwithclientcredentials.crossplane.io",
		"snowflakeapiauthenticationintegrationwithjwtbearer.crossplane.io",
		"snowflakeauthenticationpolicy.crossplane.io", "snowflakedatabase.crossplane.io",
		"snowflakedatabaserole.crossplane.io", "snowflakeexecute.crossplane.io",
		"snowflakeexternaloauthintegration.crossplane.io", "snowflakegrantaccountrole.crossplane.io",
		"snowflakegrantapplicationrole.crossplane.io", "snowflakegrantownership.crossplane.io",
		"snowflakegrantprivilegestoaccountrole.crossplane.io",
		"snowflakegrantprivilegestodatabaserole.crossplane.io", "snowflakegrantprivilegestoshare.crossplane.io",
		"snowflakelegacyserviceuser.crossplane.io", "snowflakemaskingpolicy.crossplane.io",
		"snowflakenetworkpolicy.crossplane.io", "snowflakeoauthintegrationforcustomclients.crossplane.io",
		"snowflakeoauthintegrationforpartnerapplications.crossplane.io",
		"snowflakeprimaryconnection.crossplane.io", "snowflakeresourcemonitor.crossplane.io",
		"snowflakerowaccesspolicy.crossplane.io", "snowflakesaml2integration.crossplane.io",
		"snowflakeschema.crossplane.io", "snowflakescimintegration.crossplane.io",
		"snowflakesecondaryconnection.crossplane.io", "snowflakesecondarydatabase.crossplane.io",
		"snowflakesecretwithauthorizationcodegrant.crossplane.io",
		"snowflakesecretwithclientcredentials.crossplane.io", "snowflakesecretwithgenericstring.crossplane.io",
		"snowflakeserviceuser.crossplane.io", "snowflakeshareddatabase.crossplane.io",
		"snowflakestreamlit.crossplane.io", "snowflakestreamondirectorytable.crossplane.io",
		"snowflakestreamonexternaltable.crossplane.io", "snowflakestreamontable.crossplane.io",
		"snowflakestreamonview.crossplane.io", "snowflaketag.crossplane.io",
		"snowflaketagassociation.crossplane.io", "snowflaketask.crossplane.io", "snowflakeuser.crossplane.io",
		"snowflakeview.crossplane.io", "snowflakewarehouse.crossplane.io",
	},
	only: map[string][]string{
		"dns.crossplane.io":     {"Nameservers", "Preferences", "SearchPaths"},
		"storage.crossplane.io": {"VSphere*"},
	},
}
