package profile

// clouds are all clouds with a tag profile, sorted by name. A row has the limits of a cloud, with the addresses of their
// documents. A cloud with code of its own stands in a file, such as aws.go.
var clouds = []cloud{
	alibaba,

	// Aruba Cloud. A tag is one word of at least four characters. The other limits are the generic profile's.
	{contract: changed(genericContract, func(p *Profile) {
		p.Name, p.Guess = "aruba", "lengths of keys and values, characters, number"
		p.Source = "https://github.com/Arubacloud/terraform-provider-arubacloud/blob/ce9cef0e179d8ee2f5af44c0628f6fcc07f0e423/examples/test/security/README.md#L23"
		p.EntryClass, p.Separator = classOf("at least 4 characters", `^(?s:.{4,})$`), "="
	})},

	aws,

	cloud{contract: &Profile{
		Name:     "azure",
		Source:   "https://learn.microsoft.com/azure/azure-resource-manager/management/tag-resources https://github.com/kubernetes-sigs/cloud-provider-azure/issues/8119",
		Key:      Length{Runes: 512},
		Value:    Length{Runes: 256},
		KeyClass: charsOf(`anything but < > % & \ ? / and control characters`, `[^\p{Cc}<>%&\\?/]`),
		MaxTags:  50,
		Reserved: []string{"azure", "microsoft", "windows"},

		ReservedValues: []string{"null"}, // Azure Resource Manager takes it for no value.

		FoldKeys: true,
		Format:   noSlash,
	}}.
		apiService("storage", func(p *Profile) { p.Source, p.Key = azureLimits, Length{Runes: 128} }, "storage.azure.*/Account", "storage.azure.com/StorageAccount").
		apiService("traffic-manager", func(p *Profile) { p.Source, p.KeyClass, p.Format = azureLimits, trafficManagerClass, noColon }, "network.azure.*/TrafficManagerProfile").
		apiService("front-door", func(p *Profile) { p.Source, p.KeyClass, p.Format = azureLimits, frontDoorClass, noColon },
			"network.azure.*/FrontDoor*", "network.azure.*/FrontdoorFirewallPolicy", "cdn.azure.*/Frontdoor*",
			"network.frontdoor.azure.com/WebApplicationFirewallPolicy", "cdn.azure.com/AfdEndpoint").

		// A Profile of Azure Service Operator belongs to Front Door or to CDN.
		apiService("cdn", func(p *Profile) { p.Source, p.KeyClass, p.Format, p.MaxTags = azureLimits, frontDoorClass, noColon, 15 }, "cdn.azure.com/Profile").
		apiService("dns", func(p *Profile) { p.Source, p.KeyClass, p.Format, p.MaxTags = azureLimits, dnsZoneClass, noColon, 15 },
			"network.azure.*/DNS*", "network.azure.*/PrivateDNS*", "network.azure.com/DnsZone*", "network.azure.com/PrivateDnsZone*").
		apiService("automation, cdn, keyvault, operationalinsights", func(p *Profile) { p.Source, p.MaxTags = azureLimits, 15 },
			"cdn.azure.*/*", "automation.azure.*/*", "keyvault.azure.*/Certificate", "keyvault.azure.*/Key", "keyvault.azure.*/Secret",
			"operationalinsights.azure.*/LogAnalyticsSavedSearch").

		// Azure compares tag names without case, but stores these in lower case. So its Terraform
		// provider refuses capitals: see TagsWithLowerCaseKeys.
		service("datashare, maintenance", func(p *Profile) {
			p.Source = "https://github.com/hashicorp/terraform-provider-azurerm/blob/main/internal/services/datashare/data_share_account_resource.go"
			p.KeyClass, p.Format = azureLowerClass, lowerNoSlash
		},
			"datashare.azure.*/Account", "maintenance.azure.*/MaintenanceConfiguration").

		// The tags by which the controller finds its own resources.
		service("cluster-api", func(p *Profile) {
			p.Source = "https://github.com/kubernetes-sigs/cluster-api-provider-azure/blob/69ec3a40a818ccbc32b8ce88c84609404d8cb7a2/api/v1beta1/tags.go#L102"
			p.Taken = []string{"kubernetes.io_cluster_*", "sigs.k8s.io_cluster-api-provider-azure_*"}
		}, clusterAPI("Azure*")...).

		// The tags that the controller sets itself.
		service("karpenter", func(p *Profile) {
			p.Source = "https://github.com/Azure/karpenter-provider-azure/blob/352646f599290c3a6d2f9710fb535a7b288f88ed/pkg/providers/launchtemplate/tags.go#L30"
			p.Taken = []string{"compute.aks.billing", "karpenter.azure.com_aksmachine_nodeclaim", "karpenter.azure.com_cluster", "karpenter.sh_nodepool"}
		}, "karpenter.azure.com/AKSNodeClass"),

	// SAP Business Technology Platform, whose tags are called labels. The characters are the generic profile's.
	{contract: &Profile{
		Name:     "btp",
		Source:   "https://github.com/SAP/crossplane-provider-btp/blob/e521853646fb692a67e377aaff2b80289fe5ae9c/apis/account/v1alpha1/subaccount_types.go#L34",
		Guess:    "characters",
		Key:      Length{Runes: 63},
		Value:    Length{Runes: 63},
		KeyClass: strict,
		MaxTags:  10,
	}},

	// Cloudflare, for tags of DNS records. A tag is one word of name, colon and value. Names compare without case. The
	// lengths and the number are the generic profile's.
	{contract: changed(genericContract, func(p *Profile) {
		p.Name, p.Guess = "cloudflare", "lengths, number"
		p.Source = "https://developers.cloudflare.com/dns/manage-dns-records/reference/record-attributes"
		p.KeyClass = charsOf("ASCII letters and digits and - _", `[0-9A-Za-z\-_]`)
		p.ValueClass = charsOf("graphic characters", `[\p{L}\p{M}\p{N}\p{P}\p{S}\p{Zs}]`)
		p.FoldKeys, p.Format = true, underscores
	})},

	// Cloud Foundry, whose tags are called labels.
	{contract: &Profile{
		Name:       "cloudfoundry",
		Source:     "https://v3-apidocs.cloudfoundry.org/#metadata",
		Guess:      "number",
		Key:        Length{Runes: 63, BeforeSlash: 253},
		Value:      Length{Runes: 63},
		KeyClass:   kubernetesClass,
		ValueClass: hetznerValueClass,
		MaxTags:    50,
		Reserved:   []string{"cloudfoundry.org/"},
		Format:     colonToDot,
	}},

	// Apache CloudStack. The characters are the generic profile's.
	{contract: &Profile{
		Name:     "cloudstack",
		Source:   "https://docs.cloudstack.apache.org/en/latest/adminguide/management.html",
		Guess:    "characters, number",
		Key:      Length{Runes: 255},
		Value:    Length{Runes: 255},
		KeyClass: strict,
		MaxTags:  50,
	}},

	// Databricks hands tags on to the cloud below it, so both AWS and Azure must admit them. It sets Name
	// itself. On Google Cloud, tags are labels: the profile gcp has their limits.
	cloud{contract: &Profile{
		Name:       "databricks",
		Source:     "https://docs.databricks.com/aws/en/admin/account-settings/usage-detail-tags https://github.com/databricks/terraform-provider-databricks/blob/684f4424982431d3433e5c23353c6b208b263e75/internal/service/compute_tf/model.go#L1255",
		Guess:      "lengths, characters",
		Key:        Length{Runes: 127},
		Value:      Length{Runes: 255},
		KeyClass:   charsOf("letters, digits, space and + - = . _ : @", `[\p{L}\p{Nd} +\-=._:@]`),
		ValueClass: awsClass,
		MaxTags:    45,
		Reserved:   []string{"aws:", "azure", "microsoft", "windows"},
		Taken:      []string{"Name"},

		ReservedValues: []string{"null"},

		FoldKeys: true,
		Format:   noSlash,
	}}.
		service("compute", func(p *Profile) {
			p.Source, p.MaxTags = "https://github.com/databricks/terraform-provider-databricks/blob/684f4424982431d3433e5c23353c6b208b263e75/docs/resources/instance_pool.md#L52", 43
		}, "compute.databricks.*/InstancePool").
		service("compute", func(p *Profile) {
			p.Source, p.MaxTags = "https://github.com/databricks/terraform-provider-databricks/blob/684f4424982431d3433e5c23353c6b208b263e75/internal/service/pipelines_tf/model.go#L401 https://github.com/databricks/terraform-provider-databricks/blob/684f4424982431d3433e5c23353c6b208b263e75/internal/service/jobs_tf/model.go#L2842", 25
		}, "compute.databricks.*/Pipeline", "compute.databricks.*/Job"),

	// DigitalOcean. A tag is one word of key, colon and value.
	{contract: &Profile{
		Name:        "digitalocean",
		Source:      "https://docs.digitalocean.com/reference/api/digitalocean/#tag/Tags",
		Guess:       "number",
		Key:         Length{Runes: 255},
		Entry:       Length{Runes: 255},
		KeyClass:    digitaloceanClass,
		ValueClass:  digitaloceanClass,
		MaxTags:     50,
		FoldEntries: true,
		Format:      NewFormat(nil, map[string]string{"/": "-", ".": "-"}, false),
	}},

	// Orange's Flexible Engine.
	cloud{contract: &Profile{
		Name:       "flexibleengine",
		Source:     "https://docs.prod-cloud-ocb.orange-business.com/api/waf/waf_02_0086.html",
		Key:        Length{Runes: 36},
		Value:      Length{Runes: 43},
		KeyClass:   flexibleengineClass,
		ValueClass: flexibleengineClass,
		MaxTags:    10,
		Format:     noSlash,
	}}.
		service("ecs, evs, rds", func(p *Profile) {
			p.Source = "https://support.huaweicloud.com/intl/en-us/eu-west-0-api-evs/evs_04_2040.html"
			p.Guess = "characters of ECS and RDS"
			p.KeyClass = charsOf("ASCII letters and digits, Chinese characters and - _", `[0-9A-Za-z\-_\x{4e00}-\x{9fff}]`)
			p.ValueClass = charsOf("ASCII letters and digits, Chinese characters and - _ .", `[0-9A-Za-z\-_.\x{4e00}-\x{9fff}]`)
			p.Format = underscores
		}, "ecs.flexibleengine.*/*", "evs.flexibleengine.*/*", "rds.flexibleengine.*/*"),

	// Google Cloud, whose tags are called labels.
	cloud{contract: &Profile{
		Name:       "gcp",
		Source:     "https://cloud.google.com/resource-manager/docs/labels-overview",
		Key:        Length{Runes: 63, Bytes: 128},
		Value:      Length{Runes: 63, Bytes: 128},
		KeyClass:   startedBy("letters without case or in lower case, numbers, _ and -, starting with a letter", `[\p{Ll}\p{Lo}]`, `[\p{Ll}\p{Lo}\p{N}_\-]`),
		ValueClass: charsOf("letters without case or in lower case, numbers, _ and -", `[\p{Ll}\p{Lo}\p{N}_\-]`),
		MaxTags:    64,
		Reserved:   []string{"goog"},
		Unreserved: []string{"goog-partner-solution"},
		Format:     lowerUnderscores,
	}}.
		// The labels of an object of Config Connector are also Kubernetes labels, and the controller has three of
		// its own.
		service("config-connector", func(p *Profile) {
			p.Source = "https://github.com/GoogleCloudPlatform/k8s-config-connector/blob/13d73dd58015a59527b0ab6f9746b4a706612007/pkg/label/label.go#L47 https://github.com/GoogleCloudPlatform/k8s-config-connector/blob/1a764d551d254744f5d8bf407692251db5a8e774/pkg/lease/leaser/leaser.go"
			p.KeyClass = classOf("ASCII letters in lower case, digits and - _ starting with a letter and ending with a letter or digit", "^([a-z]("+gcpASCII+"*"+gcpEnd+")?)?$")
			p.ValueClass = classOf("ASCII letters in lower case, digits and - _ with a letter or digit at both ends", "^("+ended(gcpEnd, gcpASCII)+")?$")
			p.Taken = []string{"cnrm-lease-expiration", "cnrm-lease-holder-id", "managed-by-cnrm"}
		}, "*.cnrm.cloud.google.com/*").

		// The labels by which the controller finds its own resources.
		service("cluster-api", func(p *Profile) {
			p.Source = "https://github.com/kubernetes-sigs/cluster-api-provider-gcp/blob/5e0bb3b249cab59aa2720f03094a172fd153666b/api/v1beta1/labels.go#L101"
			p.Taken = []string{"capg-*"}
		}, clusterAPI("GCP*")...).
		service("karpenter", func(p *Profile) {
			p.Source, p.MaxTags = "https://github.com/cloudpilot-ai/karpenter-provider-gcp/blob/417f047b117521aba6d3ab120dac538a92161bf4/pkg/apis/v1alpha1/gcenodeclass.go#L70", 20
		}, "karpenter.k8s.gcp/GCENodeClass"),

	generic,

	// Grafana Cloud, for stacks, whose tags are called labels.
	{contract: &Profile{
		Name:       "grafana",
		Source:     "https://grafana.com/docs/grafana-cloud/developer-resources/api-reference/cloud-api",
		Key:        Length{Runes: 63},
		Value:      Length{Runes: 63},
		KeyClass:   charsOf("ASCII letters and digits and / . _ -", `[0-9A-Za-z/._\-]`),
		ValueClass: classOf("ASCII letters and digits and / . _ - not empty", `^[0-9A-Za-z/._\-]+$`),
		MaxTags:    10,
		Format:     colonToDot,
	}},

	// Hetzner Cloud, whose tags are called labels.
	{
		contract: &hetznerContract,
		api: changed(hetznerContract, func(p *Profile) {
			p.Key.BeforeSlash = 253
			p.KeyClass = classOf("ASCII letters and digits and - _ . with a letter or digit at both ends, and one / between two such parts",
				"^("+hetznerPart+"(/"+hetznerPart+")?)?$")
			p.ValueClass = hetznerValueClass
			p.Reserved, p.Format = []string{"hetzner.cloud/"}, colonToDot
		}),
	},

	// Huawei Cloud. The API reference of each service has a chapter on tags.
	cloud{contract: &Profile{
		Name:       "huawei",
		Source:     "https://support.huaweicloud.com/intl/en-us/api-vpc/vpc_tag_0003.html",
		Key:        Length{Runes: 128},
		Value:      Length{Runes: 255},
		KeyClass:   huaweiKeys,
		ValueClass: huaweiValues,
		MaxTags:    20,
		Reserved:   []string{"_sys_"},
		Format:     noSlash,
	}}.
		// The limits of older services, and of Tag Management Service itself.
		service("dc, obs, tms", func(p *Profile) {
			p.Source = "https://support.huaweicloud.com/intl/en-us/productdesc-tms/en-us_topic_0142168380.html"
			p.Key, p.Value, p.MaxTags = Length{Runes: 36}, Length{Runes: 43}, 10
			p.KeyClass = charsOf("ASCII letters and digits and - _", `[0-9A-Za-z\-_]`)
			p.ValueClass = charsOf("ASCII letters and digits and - _ .", `[0-9A-Za-z\-_.]`)
			p.Format = underscores
		}, "obs.huaweicloud.*/*", "dc.huaweicloud.*/*", "tms.huaweicloud.*/*").
		service("iam", func(p *Profile) {
			p.Source, p.FoldKeys = "https://support.huaweicloud.com/intl/en-us/api-iam5/iam5_01_0001.html", true
		}, "iam.huaweicloud.*/*").

		// Values may not have a slash.
		service("er, rds, vpn", func(p *Profile) {
			p.Source = "https://support.huaweicloud.com/intl/en-us/api-er/CreateResourceTag.html https://support.huaweicloud.com/eu/api-vpn/vpn_api_0063.html"
			p.Guess = "values of RDS"
			p.ValueClass = p.KeyClass
		}, "er.huaweicloud.*/*", "rds.huaweicloud.*/*", "vpn.huaweicloud.*/*"),

	// IBM Cloud. A tag is one word of at most 128 characters, and a colon parts key and value.
	{contract: &Profile{
		Name:        "ibm",
		Source:      "https://cloud.ibm.com/docs/account?topic=account-tag",
		Guess:       "number",
		Key:         Length{Runes: 128},
		Entry:       Length{Runes: 128},
		EntryClass:  ibmClass,
		KeyClass:    ibmClass,
		ValueClass:  ibmClass,
		MaxTags:     50,
		FoldEntries: true,
		Format:      noSlash,
	}},

	// LaunchDarkly. A tag is one word of 1 to 64 characters.
	{contract: &Profile{
		Name:       "launchdarkly",
		Source:     "https://github.com/launchdarkly/terraform-provider-launchdarkly/blob/96625c9e3a5573e47efeca94c7b73b6a01d02a64/launchdarkly/framework_validators.go#L23",
		Guess:      "number",
		Key:        Length{Runes: 64},
		Entry:      Length{Runes: 64},
		EntryClass: launchdarklyClass,
		Separator:  "_",
		KeyClass:   launchdarklyClass,
		ValueClass: launchdarklyClass,
		MaxTags:    32,
		Format:     noColon,
	}},

	// Akamai's Linode. A tag is one word of 3 to 50 characters. Tags compare without case.
	{contract: &Profile{
		Name:        "linode",
		Source:      "https://techdocs.akamai.com/linode-api/reference/post-tag",
		Guess:       "characters, number",
		Key:         Length{Runes: 50},
		Entry:       Length{Runes: 50},
		EntryClass:  classOf("at least 3 characters", `^(?s:.{3,})$`),
		Separator:   "=",
		KeyClass:    strict,
		MaxTags:     50,
		FoldEntries: true,
	}},

	{contract: &Profile{
		Name:       "mongodbatlas",
		Source:     "https://www.mongodb.com/docs/atlas/tags",
		Key:        Length{Runes: 255},
		Value:      Length{Runes: 255},
		KeyClass:   charsOf("letters, digits, space and ; @ _ - . +", `[\p{L}\p{Nd} ;@_\-.+]`),
		ValueClass: classOf("letters, digits, space and ; @ _ - . + not empty", `^[\p{L}\p{Nd} ;@_\-.+]+$`),
		MaxTags:    50,
		Format:     noColon,
	}},

	// Oracle Cloud Infrastructure, for freeform tags. Its documents don't agree whether keys compare without case, so
	// no two keys may differ in case only.
	{contract: &Profile{
		Name:     "oci",
		Source:   "https://docs.oracle.com/iaas/Content/Tagging/Concepts/taggingoverview.htm",
		Key:      Length{Runes: 100},
		Value:    Length{Runes: 256},
		KeyClass: charsOf("printable ASCII but . and space", `[!-\-/-~]`),
		MaxTags:  10,
		FoldKeys: true,
	}},

	// OpenStack, whose limits differ from service to service.
	cloud{
		contract: &openstackContract,
		api:      &openstackAPI,
		services: openstackServices,
		refuses:  openstackServices,
	}.
		// The tags of a cluster are also tags of its servers. The limits are Nova's.
		service("cluster-api", func(p *Profile) {
			p.Source = "https://docs.openstack.org/api-ref/compute/#server-tags-servers-tags"
			p.Entry, p.KeyClass, p.ValueClass = Length{Runes: 60}, neutronClass, neutronClass
			p.Separator, p.Format = "=", noSlash
		}, "infrastructure.cluster.x-k8s.io/OpenStackCluster*"),

	// Open Telekom Cloud. No service is known to admit more than twenty tags.
	cloud{contract: &Profile{
		Name:       "opentelekom",
		Source:     "https://docs.otc.t-systems.com/tag-management-service/api-ref",
		Key:        Length{Runes: 36},
		Value:      Length{Runes: 43},
		KeyClass:   opentelekomClass,
		ValueClass: opentelekomClass,
		MaxTags:    20,
		Format:     NewFormat(nil, map[string]string{":": "_", "/": "_", ".": "_", " ": "_", "+": "_", "=": "_"}, false),
	}}.
		service("blockstorage, compute, ecs, evs", func(p *Profile) {
			p.Source = "https://docs.otc.t-systems.com/en-us/api/ecs/en-us_topic_0096282701.html https://docs.otc.t-systems.com/en-us/api/evs/en-us_topic_0068196913.html"
			p.KeyClass, p.ValueClass, p.MaxTags, p.Format = opentelekomServers, opentelekomServers, 10, underscores
		}, "ecs.opentelekomcloud.*/*", "compute.opentelekomcloud.*/*", "evs.opentelekomcloud.*/*", "blockstorage.opentelekomcloud.*/*").

		// These services admit more. Keys are the same in all services, so that one key finds all costs of a label.
		service("er, vpcep", func(p *Profile) {
			p.Source = "https://docs.otc.t-systems.com/vpc-endpoint/api-ref"
			p.Key, p.Value = Length{Runes: 128}, Length{Runes: 255}
			p.KeyClass, p.ValueClass = huaweiKeys, huaweiValues
			p.Reserved = []string{"_sys_"}
		}, "vpcep.opentelekomcloud.*/*", "er.opentelekomcloud.*/*"),

	// 3DS Outscale. The characters are the generic profile's.
	{contract: &Profile{
		Name:     "outscale",
		Source:   "https://github.com/outscale/osc-api/blob/56e948e208ae511b1330728656e6e31aa2f43e59/outscale.yaml#L9873",
		Guess:    "characters, number",
		Key:      Length{Runes: 255},
		Value:    Length{Runes: 255},
		KeyClass: strict,
		MaxTags:  50,
	}},

	// OVHcloud, for tags of IAM resources.
	{contract: &Profile{
		Name:       "ovh",
		Source:     "https://github.com/ovh/terraform-provider-ovh/blob/a1ae5bcee34bfe693ffc152f057b26cdf9160f46/docs/resources/iam_resource_tags.md#L54",
		Guess:      "number",
		Key:        Length{Runes: 128},
		Value:      Length{Runes: 256},
		KeyClass:   ovhClass,
		ValueClass: ovhClass,
		MaxTags:    50,
		Reserved:   []string{"ovh:"},
	}},

	// Proxmox VE, by the format pve-tag. A tag is one word, and Proxmox puts it in lower case: capitals would be a
	// difference for ever. The lengths and the number are the generic profile's.
	{contract: changed(genericContract, func(p *Profile) {
		p.Name, p.Guess = "proxmox", "lengths, number"
		p.Source = "https://git.proxmox.com/?p=pve-common.git;a=blob;f=src/PVE/JSONSchema.pm"
		p.KeyClass, p.EntryClass, p.Separator = proxmoxClass, proxmoxClass, "_"
		p.ValueClass = charsOf("ASCII letters in lower case, digits and _ + . -", `[0-9a-z_+.\-]`)
		p.FoldEntries = true
		p.Format = NewFormat(nil, map[string]string{":": ".", "/": "."}, true)
	})},

	// Scaleway. It has the generic profile's limits: the documents of Scaleway have none for most services.
	cloud{contract: changed(genericContract, func(p *Profile) { p.Name, p.Guess = "scaleway", "all limits: the documents have none" })}.
		service("iam", func(p *Profile) { p.Source, p.MaxTags = "https://www.scaleway.com/developers/api/iam", 10 }, "iam.scaleway.*/*").

		// Tags with these keys set taints and labels of a pool's nodes.
		service("k8s", func(p *Profile) {
			p.Source = "https://www.scaleway.com/docs/kubernetes/reference-content/managing-tags"
			p.Taken = []string{"noprefix", "taint"}
		}, "k8s.scaleway.*/Pool"),

	// STACKIT's resource manager, whose tags are called labels. networkArea places a project in a network.
	{contract: &Profile{
		Name:       "stackit",
		Source:     "https://github.com/stackitcloud/terraform-provider-stackit/blob/0da566e296b5d8aaa6ea2adf79f93eac3e8907f0/docs/resources/resourcemanager_project.md",
		Guess:      "number",
		Key:        Length{Runes: 64},
		Value:      Length{Runes: 64},
		KeyClass:   stackitClass,
		ValueClass: stackitClass,
		MaxTags:    50,
		Taken:      []string{"networkArea"},
		Format:     underscores,
	}},

	// Tencent Cloud. Its API also keeps the keys qcloud, tencent and project to itself.
	cloud{contract: &Profile{
		Name:       "tencent",
		Source:     "https://www.tencentcloud.com/document/product/651/13354 https://www.tencentcloud.com/document/product/651/33015",
		Key:        Length{Runes: 127},
		Value:      Length{Runes: 255},
		KeyClass:   classOf("letters, digits, inner spaces and + - = . _ : / @ ( ) [ ] , ; < >", "^("+tencentText+")?$"),
		ValueClass: classOf("letters, digits, inner spaces and + - = . _ : / @ ( ) [ ] , ; < >, not empty", "^"+tencentText+"$"),
		MaxTags:    50,
		Reserved:   []string{"qcs:"},
		Taken:      []string{"project*", "qcloud", "tencent"},
	}}.
		service("cos", func(p *Profile) {
			p.Source = "https://www.tencentcloud.com/document/product/436/31509"
			p.KeyClass = classOf("letters, digits, inner spaces and + - = . _ : / @", "^("+tencentCOS+")?$")
			p.ValueClass = classOf("letters, digits, inner spaces and + - = . _ : / @, not empty", "^"+tencentCOS+"$")
		}, "cos.tencentcloud.*/*"),

	// UpCloud, whose tags are called labels.
	{contract: &Profile{
		Name:     "upcloud",
		Source:   "https://github.com/UpCloudLtd/terraform-provider-upcloud/blob/67632e69c630bb80470fd3a6d62e6ce85e9ed730/internal/utils/labels.go#L91",
		Guess:    "number",
		Key:      Length{Runes: 32},
		Value:    Length{Runes: 255},
		KeyClass: classOf("at least 2 characters of printable ASCII, not starting with _", `^([ -^`+"`"+`-~][ -~]+)?$`),
		MaxTags:  50,
		Reserved: []string{"_"},
	}},

	// Yandex Cloud, whose tags are called labels. No service admits a colon or capitals in keys. Keys have one format
	// in all services, so that one key finds all costs of a label.
	cloud{contract: &Profile{
		Name:       "yandex",
		Source:     "https://github.com/yandex-cloud/cloudapi/blob/00e9ff043f54e3763b6f2cd2f900702e21af852d/yandex/cloud/vpc/v1/network_service.proto#L184",
		Key:        Length{Runes: 63},
		Value:      Length{Runes: 63},
		KeyClass:   startedBy("ASCII letters in lower case, digits and - _ starting with a letter", `[a-z]`, `[\-_0-9a-z]`),
		ValueClass: charsOf("ASCII letters in lower case, digits and - _", `[\-_0-9a-z]`),
		MaxTags:    64,
		Format:     lowerUnderscores,
	}}.
		service("storage", func(p *Profile) { p.Source, p.Reserved = yandexStorage, []string{"aws:"} }, "storage.yandex-cloud.*/Bucket").
		service("storage", func(p *Profile) {
			p.Source = yandexStorage
			p.Key, p.Value, p.MaxTags, p.Reserved = Length{Runes: 128}, Length{Runes: 256}, 10, []string{"aws:"}
			p.KeyClass, p.ValueClass = awsASCIIClass, awsASCIIClass
		}, "storage.yandex-cloud.*/Object").

		// These services admit more characters.
		service("alb, compute, dns, mdb", func(p *Profile) {
			p.Source = "https://github.com/yandex-cloud/cloudapi/blob/00e9ff043f54e3763b6f2cd2f900702e21af852d/yandex/cloud/compute/v1/disk_service.proto#L220"
			p.KeyClass = startedBy(`ASCII letters in lower case, digits and - _ . / \ @ starting with a letter`, `[a-z]`, `[\-_./\\@0-9a-z]`)
			p.ValueClass = charsOf(`ASCII letters in lower case, digits and - _ . / \ @`, `[\-_./\\@0-9a-z]`)
		}, "compute.yandex-cloud.*/*", "alb.yandex-cloud.*/*", "dns.yandex-cloud.*/*", "mdb.yandex-cloud.*/KafkaCluster"),
}

// azureLimits is the document with the limits of services.
const azureLimits = "https://learn.microsoft.com/azure/azure-resource-manager/management/tag-resources#limitations"

var (
	azureLowerClass = charsOf(`anything but capitals, < > % & \ ? / and control characters`, `[^\p{Cc}\p{Lu}\p{Lt}Ⅰ-ⅯⒶ-Ⓩ<>%&\\?/]`)

	frontDoorClass = charsOf(`anything but < > % & \ ? / # : and control characters`, `[^\p{Cc}<>%&\\?/#:]`)

	trafficManagerClass = classOf(`anything but < > % & \ ? / # : space and control characters, not starting with a digit`,
		`^([^\p{Cc}\p{Nd}<>%&\\?/#: ][^\p{Cc}<>%&\\?/#: ]*)?$`)

	dnsZoneClass = startedBy("ASCII letters and digits and - _ . not starting with a digit", `[A-Za-z\-_.]`, `[0-9A-Za-z\-_.]`)
)

var digitaloceanClass = charsOf("ASCII letters and digits and : - _", `[0-9A-Za-z:\-_]`)

var flexibleengineClass = charsOf(`anything but = * < > \ , | / and control characters`, `[^\p{Cc}=*<>\\,|/]`)

const (
	gcpEnd   = `[0-9a-z]`
	gcpASCII = `[0-9a-z_\-]`
)

// hetznerContract also admits the colon and the slash in the keys of all our tags.
var hetznerContract = Profile{
	Name:     "hetzner",
	Source:   "https://docs.hetzner.cloud/reference/cloud#labels",
	Key:      Length{Runes: 63},
	Value:    Length{Runes: 63},
	KeyClass: strict,
	MaxTags:  64,
}

// hetznerPart matches a value, and either side of the slash in a key.
const hetznerPart = `[0-9A-Za-z]([0-9A-Za-z\-_.]*[0-9A-Za-z])?`

var hetznerValueClass = classOf("ASCII letters and digits and - _ . with a letter or digit at both ends", "^("+hetznerPart+")?$")

// huaweiKeys and huaweiValues are also the classes of some services of Open Telekom Cloud.
var (
	huaweiKeys   = classOf("letters, digits, inner spaces and _ . : = + - @", "^("+ended(`[\p{L}\p{Nd}_.:=+\-@]`, `[\p{L}\p{Nd} _.:=+\-@]`)+")?$")
	huaweiValues = classOf("letters, digits, inner spaces and _ . : / = + - @", "^("+ended(`[\p{L}\p{Nd}_.:/=+\-@]`, `[\p{L}\p{Nd} _.:/=+\-@]`)+")?$")
)

var ibmClass = charsOf("ASCII letters and digits, space and : _ . -", `[0-9A-Za-z :_.\-]`)

var launchdarklyClass = charsOf("ASCII letters and digits and _ . -", `[0-9A-Za-z_.\-]`)

var openstackServices = []service{
	// Nova's schema of server metadata. 128 is its default quota.
	narrow(openstackMetadata, "compute", func(p *Profile) {
		p.Source = "https://github.com/openstack/nova/blob/0391a19d0ff29d2987b6cc55f846eea3cff0a358/nova/api/validation/parameter_types.py"
		p.Format = noSlash
	}, "compute.openstack.*/InstanceV2", "openstack.k-orc.cloud/Server",
		"infrastructure.cluster.x-k8s.io/OpenStackMachine*", "infrastructure.cluster.x-k8s.io/OpenStackServer*"),

	// Cinder's schema of volume metadata, under the same quota.
	narrow(openstackMetadata, "blockstorage", func(p *Profile) {
		p.Source = "https://github.com/openstack/cinder/blob/master/cinder/api/validation/parameter_types.py"
		p.KeyClass = charsOf("ASCII letters and digits, space and - _ : . /", `[0-9A-Za-z \-_:./]`)
	}, "blockstorage.openstack.*/Volume*",
		"openstack.k-orc.cloud/Volume*"),

	// Keystone's schema of project tags.
	narrow(openstackAPI, "identity", func(p *Profile) {
		p.Source, p.MaxTags = "https://github.com/openstack/keystone/blob/30ef2ffa65a3486ef882f00538e20f2253c57d4c/keystone/resource/schema.py#L50", 80
	}, "identity.openstack.*/ProjectV3", "openstack.k-orc.cloud/Project"),
}

var openstackContract = Profile{
	Name:     "openstack",
	Source:   "https://docs.openstack.org/api-ref/compute/#create-or-update-server-metadata-items",
	Guess:    "number",
	Key:      Length{Bytes: 255},
	Value:    Length{Bytes: 255},
	KeyClass: charsOf("anything but control characters", `[^\p{Cc}]`),
	MaxTags:  50,
}

// openstackAPI has the limits of networks, load balancers and images. Their APIs have no rule, but a
// comma breaks filters, and a slash breaks the addresses of single tags.
var openstackAPI = *changed(openstackContract, func(p *Profile) {
	p.Source = "https://docs.openstack.org/api-ref/network/v2/#standard-attributes-tag-extension"
	p.Key, p.Value = Length{Runes: 255}, Length{Runes: 255}
	p.KeyClass, p.ValueClass, p.Format = neutronClass, neutronClass, noSlash
})

// openstackMetadata has the limits of the metadata of servers and volumes.
var openstackMetadata = Profile{
	Name:     "openstack",
	Key:      Length{Runes: 255},
	Value:    Length{Runes: 255},
	KeyClass: charsOf("ASCII letters and digits, space and - _ : .", `[0-9A-Za-z \-_:.]`),
	MaxTags:  128,
}

var neutronClass = charsOf("anything but , / and control characters", `[^\p{Cc},/]`)

var (
	opentelekomClass   = charsOf("ASCII letters and digits and _ @ -", `[0-9A-Za-z_@\-]`)
	opentelekomServers = charsOf("ASCII letters and digits and _ -", `[0-9A-Za-z_\-]`)
)

var ovhClass = charsOf("ASCII letters and digits and _ . : / = + @ -", `[0-9A-Za-z_.:/=+@\-]`)

var proxmoxClass = startedBy("ASCII letters in lower case, digits and _ + . - starting with a letter, digit or _", `[0-9a-z_]`, `[0-9a-z_+.\-]`)

var stackitClass = charsOf("German letters, digits and _ -", `[0-9A-ZÄÖÜa-zäöüß_\-]`)

// tencentText and tencentCOS match a key or a value that isn't empty.
var (
	tencentText = ended(`[\p{L}\p{Nd}+\-=._:/@()\[\],;<>]`, `[\p{L}\p{Nd} +\-=._:/@()\[\],;<>]`)
	tencentCOS  = ended(`[\p{L}\p{Nd}+\-=._:/@]`, `[\p{L}\p{Nd} +\-=._:/@]`)
)

const yandexStorage = "https://yandex.cloud/docs/storage/concepts/tags"
