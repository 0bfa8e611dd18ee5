package field

import "strings"

// families has all families of providers and controllers, with the fields that carry cloud tags, and why. A family with many rules for
// single kinds has a file of its own. Other facts on API groups and on single kinds are in tables: see groups.txt, fills.txt,
// immutable.txt and launched.txt.
var families = []*family{
	// Crossplane's providers, and those that are of nobody.
	aws, awsClassic, azure, azureClassic, gcp, gcpClassic, hetzner, openstack, unknown, unmanaged,

	// joonvena/provider-aiven.
	upjet("aiven", "generic", at("tag", "tag").as(KeyValueList)),

	// crossplane-contrib/provider-upjet-alibabacloud. Since v0.2.0 it adds tags
	// of its own to each kind whose Terraform tags are a map: see AddExternalTagsField in its
	// config/overrides.go.
	//
	// Not tags of the resource itself: volumeTags of an instance (the disks'); lifecycleRule.tags
	// of a bucket (a filter); labels of a node pool (Kubernetes labels). The tags of a
	// Kubernetes node pool go to its instances, and are billed there.
	upjet("alibaba", "alibaba", at("tags", "tags")).
		adding("tags").
		// tags are for the instances that are launched.
		kind("ecs/LaunchTemplate", at("templateTags", "templateTags")),

	// crossplane-contrib/provider-jet-alibaba and provider-alibaba before
	// it, which add no tags of their own.
	upjet("alibaba-classic", "alibaba", at("tags", "tags")),

	// Arubacloud/crossplane-provider-arubacloud. A tag is one word of at least 4
	// characters: key=value has enough.
	upjet("aruba", "aruba", at("tags", "tags").words("=")).
		// The group of newer releases is the domain itself.
		kind("Cloudserver Keypair", at("tags", "tags").words("=").request(replaces)),

	// aviatrix/crossplane-provider-aviatrix. Gateways hand their tags on to the cloud
	// that they are in, says the provider's documentation.
	upjet("aviatrix", "generic", at("tags", "tags").request("gateways are refused with tags in other clouds than AWS and Azure, and the kind doesn't say which cloud it is")),

	// upbound/provider-upjet-azapi, whose kinds but Resource are parts of others.
	upjet("azapi", "azure", azureTags),

	// SAP/crossplane-provider-btp, of SAP Business Technology Platform. The labels of its
	// accounts and service instances may have several values each.
	//
	// Not labels: parameters of environments and services (of what is in them).
	handwritten("btp", "btp", at("labels", "labels").as(MapOfLists)),

	// crossplane-contrib/provider-civo, whose kinds have no spec.forProvider, and the
	// generated providers of upbound and upsidr. A tag is one word. No document limits what is in it.
	//
	// Not tags: labels of pools (Kubernetes labels).
	upjet("civo", "generic", at("tags", "tags").words("="), at(".spec.instanceConfig.tags").words("=")),

	// crossplane-contrib/provider-upjet-cloudflare and
	// wildbitca/provider-upjet-cloudflare: DNS records have tags, one word of a name, a colon and a
	// value. rossigee/provider-cloudflare and crossplane-contrib/provider-cloudflare, which have
	// groups of the same domain, and cdloh/provider-cloudflare have none.
	//
	// Nothing else has tags, and is unmanaged: tags of workers and scripts (words that no bill
	// knows) and of Access applications (names of tags that must be there before).
	upjet("cloudflare", "cloudflare", at("tags", "tags").words(":")),

	// SAP/crossplane-provider-cloudfoundry. It gives every resource labels of its
	// own: see BuildMetadata in its internal/clients/metadata.
	//
	// Not tags: tags of a ServiceInstance (applications read them in VCAP_SERVICES).
	handwritten("cloudfoundry", "cloudfoundry", at("labels", "labels")).
		adding("labels"),

	// vshn/provider-cloudscale, which has users of the object storage with tags, and
	// buckets without.
	handwritten("cloudscale", "generic", at("tags", "tags")),

	// PlaytikaOSS/provider-cloudstack and TeraSky-OSS/provider-cloudstack.
	//
	// Not tags: metadata of profiles of machines.
	upjet("cloudstack", "cloudstack", at("tags", "tags")),

	// glalanne/provider-databricks. Databricks passes custom tags on to what it
	// makes in the cloud below, where they are billed.
	//
	// Not tags: newCluster.customTags, cluster.customTags (of what a job or a pipeline
	// launches; a pool's and a cluster's own must not be the same); filter.tags of a Budget (a
	// filter); tags of queries and dashboards, which are lists of words, and of MLflow's
	// experiments and models (search words of documents, nothing that is billed).
	upjet("databricks", "databricks",
		// A workspace's can change, but the last one can never be removed.
		at("customTags", "effectiveCustomTags", "customTags").as(Map, KeyValueList),
		at("tags", "tags").as(Map, KeyValueList),
	).
		without("mlflow/*").
		// In its first release there is one group only.
		without("MlflowModel").
		// The tags of its clusters in the cloud below.
		kind("SQLEndpoint", at("tags.customTags", "tags.customTags").as(KeyValueList)),

	// crossplane-contrib/provider-upjet-digitalocean. A tag is one word of at
	// most 255 letters, digits, colons, dashes and underscores, says the tags
	// chapter of its API reference.
	//
	// Not tags: labels of a node pool (Kubernetes labels), metadata of an object
	// in Spaces.
	upjet("digitalocean", "digitalocean", at("tags", "tags").words(":")).
		// They select by tag: a firewall protects, and an alert watches, every
		// Droplet that has one of theirs.
		without("networking/Firewall").
		without("monitor/Alert").
		// A tag, not a resource that has some.
		without("digitalocean/Tag"),

	// crossplane-contrib/provider-digitalocean. Its lists are atomic.
	//
	// Not tags of the resource itself: tags and labels of nodePools (the pools').
	handwritten("digitalocean-classic", "digitalocean", at("tags", "tags").words(":")),

	// crossplane-contrib/provider-upjet-ec, and provider-jet-ec before it, of Elastic
	// Cloud, whose deployments have tags.
	upjet("elastic", "generic", at("tags", "tags")),

	// crossplane-contrib/provider-jet-equinix and provider-tf-equinix-metal, and
	// provider-equinix-metal before them. No document limits what is in a tag.
	//
	// Not tags: instanceParameters.tags of a request for servers (the servers').
	upjet("equinix", "generic", at("tags", "tags").words("=")),

	// exoscale/provider-exoscale, lucj/provider-jet-exoscale before it, and
	// vshn/provider-exoscale, which has no tags. The labels of a node pool are labels of its
	// nodes, too, so that they have the syntax of Kubernetes. The instances of the oldest
	// provider have tags in the place of labels.
	upjet("exoscale", "generic", at("labels", "labels"), at("tags", "tags")),

	// FlexibleEngineCloud/provider-flexibleengine, which reports no tags.
	//
	// Not tags: labels of Cloud Container Engine (Kubernetes labels); tags of an API and of an
	// image, which are lists of words; metadata.
	upjet("flexibleengine", "flexibleengine", at("tags", "tags")).
		// Predefined tags, not a resource that has some.
		without("tms/Tags"),

	// what grafana/crossplane-provider-grafana makes in Grafana Cloud: stacks have labels.
	// What it makes in a stack is unmanaged.
	upjet("grafana", "grafana").kind("Stack", at("labels", "labels")),

	// PlatformRelay/provider-gridscale and dNationCloud/provider-gridscale, of which
	// the latter has certificates in a group of another name. A label is one word. No document
	// limits what is in it.
	//
	// Not tags: nodePool.labels (Kubernetes labels).
	upjet("gridscale", "generic", at("labels", "labels").words("=")),

	// TeraSky-OSS/provider-harness, and jeremywyx/provider-harness before it, which has
	// no tags. A tag is one word of a key, a colon and a value: see ExpandTags in helpers of
	// harness/terraform-provider-harness, which cuts it at every colon, so that the profile is narrower.
	//
	// Not tags of the resource itself: tags of a request, an application or a filter (of what they
	// are about), lists of objects with an identifier.
	upjet("harness", "generic", at("tags", "tags").words(":"), at("tags", "tags")),

	// huaweicloud/provider-huaweicloud.
	//
	// Not tags of the resource itself: labels of Cloud Container Engine and of a ModelArts pool
	// (Kubernetes labels); gcBandwidth.tags, resources.tags (of what the resource makes);
	// metadata (a guest's, or a pool's).
	upjet("huawei", "huawei", at("tags", "tags")).
		// Its tags select resources.
		without("ces/ResourceGroup").
		// Parameters of the message.
		without("smn/MessagePublish"),

	// crossplane-contrib/provider-ibm-cloud. A tag is one word of at most 128 characters, in
	// which a colon parts key and value, say the documents of IBM Cloud.
	//
	// Not tags: workerPool.labels (Kubernetes labels).
	handwritten("ibm", "ibm", at("tags", "tags").words(":").upTo(128)),

	// ionos-cloud/provider-upjet-ionoscloud, and crossplane-provider-ionoscloud before
	// it, which has no tags. No document limits labels of servers. The Terraform provider's
	// schema admits only ASCII lower-case letters and digits in them, but Upjet runs it in
	// process, without that check.
	//
	// Not tags: labels of node pools (Kubernetes labels); metadata of objects (HTTP headers), and
	// metadata.labels of what a set of servers makes.
	upjet("ionos", "generic",
		at("label", "label").as(KeyValueList), // Servers.
		at("tags", "tags"),                    // Buckets and objects.
	),

	// linode/provider-linode, and crossplane-contrib/provider-jet-linode before it. A tag
	// is one word of 3 to 50 characters, says the API reference.
	//
	// Not tags of the resource itself: labels of a node pool (Kubernetes labels); pool.tags of
	// a cluster (the pool's); externalPoolTags (they say which pools are someone else's, who
	// gives these such a tag); metadata (of a guest, or an object).
	upjet("linode", "linode", at("tags", "tags").words("=").upTo(50)),

	// Marouan-chak/provider-upjet-maas. Tags of network interfaces, block devices and VM hosts
	// are words, and people can ask for a machine by such words. A word that nobody asks for
	// changes nothing.
	//
	// Not tags of the resource itself: partitions.tags (of each partition).
	upjet("maas", "generic", at("tags", "tags").words("=")),

	// rossigee/provider-minio, whose buckets have tags as buckets of S3 do, and
	// vshn/provider-minio before it, whose buckets have none.
	handwritten("minio", "generic", at("tags", "tags")),

	// crossplane-contrib/provider-mongodbatlas.
	//
	// Not tags: labels of clusters (deprecated for tags, and one of them is the provider's own);
	// labels of database users (nothing is billed by them).
	upjet("mongodbatlas", "mongodbatlas", at("tags", "tags").as(Map, KeyValueList)),

	// upbound/provider-upjet-nebius. No document limits labels.
	//
	// Not tags: managedDisk.labels (the disk's), template.metadata.labels of a group of nodes
	// (Kubernetes labels).
	upjet("nebius", "generic", at("labels", "labels")),

	// ankasoftco/provider-nsxt, whose API groups are directly under crossplane.io. A tag
	// of NSX-T is a scope and a tag. Others call them a key and a value. Groups of NSX-T
	// may select by them, and firewalls and load balancers by the groups: only ones that name the
	// tag's scope and tag, or no scope and the tag alone.
	//
	// Not tags of the resource itself: tag of a rule, defaultRule, port, bgpConfig or vrfConfig (of
	// a part, each of which has its own tags); logicalPortTag (of the port of a machine, whose tags are
	// beside it).
	//
	// The group dns.crossplane.io is shared with Smana/provider-tailscale, and
	// loadbalancer.crossplane.io with vra.
	upjet("nsxt", "generic", at("tag", "tag").as(KeyValueList)),

	// adriansuarez/crossplane-provider-nuodbaas: projects and databases can be searched
	// by their labels.
	upjet("nuodb", "generic", at("labels", "labels")),

	// oracle/crossplane-provider-oci and upbound/provider-upjet-oci.
	//
	// Not tags of the resource itself: definedTags (see secondSystems);
	// freeformTags of createVnicDetails, instancePools, launchDetails, nodeConfigDetails,
	// persistentVolumeConfig and serviceLbConfig (of what the resource makes); metadata and
	// extendedMetadata (a guest's, or a service's); securityAttributes (Zero Trust);
	// initialNodeLabels (Kubernetes labels). A Tag and a TagNamespace define tags, and have
	// some of their own.
	upjet("oci", "oci", at("freeformTags", "freeformTags")),

	// opentelekomcloud/provider-opentelekomcloud, and wilaris/provider-opentelekomcloud,
	// whose kinds are namespaced, in groups without an m.
	//
	// Not tags: labels and k8sTags of clusters and nodes (Kubernetes labels, whose change
	// replaces the cluster); tags of an API and of an image, and labels of a group of hosts, which
	// are lists of words; tag of a database, which is deprecated; ltsCustomTag, accessConfig
	// (of logs); lifecycleRule.tag (a filter); metadata.
	upjet("opentelekom", "opentelekom", at("tags", "tags")).
		kind("cce/NodePoolV3", at("userTags", "userTags")).
		kind("drs/TaskV3", at("tags", "tags").request(replaces)).
		// A kind of wilaris.
		kind("network/SecurityGroup", at("tags", "tags").kept("the API refuses any change")).
		// Predefined tags, and tags of other resources.
		without("tms/*"),

	// outscale/upjet-provider-outscale, which reports no tags.
	//
	// Not tags: tag of a security group (the deprecated twin of tags), and tags of what configures
	// a load balancer, whose entries have no fields.
	upjet("outscale", "outscale", at("tags", "tags").as(KeyValueList)),

	// crossplane-contrib/provider-palette, of Spectro Cloud. A tag is one word of a key,
	// a colon and a value: see toTags in spectrocloud/cluster_common_tags.go of
	// spectrocloud/terraform-provider-spectrocloud.
	//
	// Not tags: additionalLabels (Kubernetes labels of nodes), nodeTags (by which MAAS chooses
	// machines), additionalTags of a Fargate profile (the profile's); metadata.labels and labels of
	// machines and data volumes (Kubernetes labels).
	upjet("palette", "generic", at("tags", "tags").words(":"), at("tags", "tags")),

	// valkiriaaquatica/provider-proxmox-bpg, whose first releases had API groups directly
	// under crossplane.io, and joekky/provider-proxmox, which has no tags. Proxmox VE puts tags in
	// order, and a list in another order is a difference that never ends, says the documentation
	// of the provider. A tag is one word without = and :, so an underscore stands between key and
	// value.
	upjet("proxmox", "proxmox", at("tags", "tags").words("_").sorted()),

	// dormullor/provider-rosa. A cluster's tags go to all that it has in AWS.
	handwritten("rosa", "aws", at("tags", "tags")),

	// scaleway/crossplane-provider-scaleway, and octo-technology/provider-jet-scaleway
	// before it. A tag is one word, for which Scaleway's documents have key=value; buckets and
	// objects have the map of Amazon S3. No document limits a tag's length.
	//
	// Not tags: labels of a Kubernetes pool (Kubernetes labels), volumes.tags of a template of
	// instances (the volumes'), lifecycleRule.tags of a bucket (a filter), metadata of an
	// object (HTTP headers).
	upjet("scaleway", "scaleway", at("tags", "tags").words("=").as(Map, StringList)).
		kind("k8s/Pool", at("tags", "tags").words("=").request("each becomes a label of the pool's nodes, and those that start with taint= or noprefix= mean more")),

	// crossplane-contrib/provider-tencentcloud.
	//
	// Not tags of the resource itself: instanceTags, workerConfig.tags (of what is launched);
	// labels of clusters and node pools (Kubernetes labels); labels and policyTag of alarms (the
	// alarms', and what they watch); tags of a rule of EdgeOne (words); metaTags, filterTags;
	// kafka's tags and privatedns' tagSet (deprecated).
	upjet("tencent", "tencent", at("tags", "tags")).
		kind("dcdb/HourdbInstance", at("resourceTags", "resourceTags").as(KeyValueList)).
		kind("kafka/Instance", at("tagSet", "tagSet")).
		// passthrough hands a tag on to what the mesh makes.
		kind("tcm/Mesh", at("tagList", "tagList").as(KeyValueList).with(nil, "passthrough")).
		kind("gaap/Proxy", at("tags", "tags").request("tags that the account doesn't have yet are refused")),

	// UpCloudLtd/crossplane-provider-upcloud, and provider-upcloud before it.
	//
	// Not tags: tags of a server, by which UpCloud controls access to it.
	upjet("upcloud", "upcloud", at("labels", "labels")).
		kind("uks/KubernetesNodeGroup", at("labels", "labels").request(replaces)),

	// ankasoftco/provider-vcd, of VMware Cloud Director. It has no tags. Its tenants search by
	// metadata, with any keys and any values.
	//
	// Not tags: catalogItemMetadata (deprecated: of what a catalogue's item is a template of, and
	// metadata beside it is its own); securityTags of machines (security groups of the firewall
	// select by them).
	upjet("vcd", "generic", at("metadata", "metadata")),

	// ankasoftco/provider-vra, whose API groups are directly under crossplane.io, and
	// anka-software/provider-jet-vra before it. VMware Aria Automation, once vRealize Automation,
	// places machines by constraints, which name tags of zones, computes, networks and profiles: a
	// tag that no constraint names changes nothing.
	//
	// The group loadbalancer.crossplane.io is shared with nsxt, and storage.crossplane.io with
	// ankasoftco/provider-vsphere.
	upjet("vra", "generic", at("tags", "tags").as(KeyValueList)),

	// vultr/crossplane-provider-vultr. No document limits what is in a tag.
	//
	// Not tags: labels of node pools (Kubernetes labels).
	upjet("vultr", "generic", at("tags", "tags").words("=")),

	// yandex-cloud/crossplane-provider-yc and tagesjump/provider-upjet-yc.
	//
	// Not labels of the resource itself: labels of computeInstance, egress, ingress,
	// instanceTemplate and snapshotSpec, targetGroupLabels, instanceTagsPool.tags (of what the
	// resource makes, or of rules); nodeLabels (Kubernetes labels); tags of a function (its
	// version's), and of hostParameters; metadata of instances (a guest's); lifecycleRule.filter.tag
	// (a filter).
	upjet("yandex", "yandex",
		at("labels", "labels"),
		at("tags", "tags"), // Buckets, objects and queues, as Amazon's have them.
	),

	// Controllers that people compose resources of as they are.
	ack,

	// Azure/azure-service-operator, whose API groups are the services of Azure Resource
	// Manager. Later versions of a kind have the same field: a map, to which many may write.
	// Azure takes tags without making the resource anew, by the documents of Resource Manager.
	//
	// Not tags of the resource itself: agentPoolProfiles.tags of a ManagedCluster (the
	// pools'), properties_tags of a Workbook (its content); tags of a NamedValue of API
	// Management (a list of words, which filter).
	native("aso", "azure", at(".spec.tags", ".status.tags")).
		// The data of a configuration store: applications read settings by these tags.
		without("appconfiguration/KeyValue appconfiguration/Snapshot").
		// Resource Manager calls these tags deprecated, and keeps them for who has some.
		without("notificationhubs/NamespacesAuthorizationRule notificationhubs/NotificationHubsAuthorizationRule"),

	kcc, capa, capdo, capg,

	// linode/cluster-api-provider-linode. A tag is one word of at most 50 characters, as it is
	// with the Crossplane provider.
	native("capl", "linode",
		at(".spec.tags", ".status.tags").words("=").upTo(50).request(untried),
		at(".spec.template.spec.tags").words("=").upTo(50).request(ofTemplate),
	),

	capo,

	// oracle/cluster-api-provider-oci.
	//
	// Not tags of the resource itself: definedTags (their namespaces must exist before).
	native("capoci", "oci", at(".spec.freeformTags").request(untried), at(".spec.template.spec.freeformTags").request(ofTemplate)),

	// outscale/cluster-api-provider-outscale.
	native("caposc", "outscale",
		at(".spec.node.vm.tags").request(untried).within(),
		at(".spec.template.spec.node.vm.tags").request(ofTemplate).within(),
	),

	// kubernetes-sigs/cluster-api-provider-packet. A tag is one word.
	native("capp", "generic", at(".spec.tags").words("=").request(untried), at(".spec.template.spec.tags").words("=").request(ofTemplate)),

	// scaleway/cluster-api-provider-scaleway.
	native("caps", "scaleway", at(".spec.additionalTags").words("=").request(untried)),

	capz, awsLBC, hive, hypershift,

	// aws/karpenter-provider-aws.
	native("karpenter-aws", "aws", at(".spec.tags").request(inHash)),

	// Azure/karpenter-provider-azure, which leaves the tags out of the hash, and changes the tags
	// of nodes in place.
	native("karpenter-azure", "azure", at(".spec.tags")),

	// cloudpilot-ai/karpenter-provider-gcp. Not labels: networkTags.
	native("karpenter-gcp", "gcp", at(".spec.labels").request(inHash)),

	// k-orc/openstack-resource-controller. A resource that is imported has no spec.resource,
	// and the API server refuses one that gets it.
	//
	// Not tags of the resource itself: tags of a Server, which are Nova's: see openstack.
	native("orc", "openstack", at(".spec.resource.tags", ".status.resource.tags").words("=").within()).
		kind("Server", at(".spec.resource.metadata", ".status.resource.metadata").as(KeyValueList).within()).
		kind("Volume", at(".spec.resource.metadata", ".status.resource.metadata").as(KeyValueList).once(refusedByRule).within()),

	// oracle/oci-service-operator, whose API groups are the services of Oracle Cloud.
	//
	// Not tags of the resource itself: definedTags (their namespaces must exist before).
	native("osok", "oci", at(".spec.freeformTags", ".status.freeformTags").request(untried)),
}

// upjet returns a family of Crossplane's providers that Upjet generates: see Family.Upjet. All kinds have the fields, the
// preferred one first.
func upjet(name, profile string, fields ...*candidate) *family {
	return newFamily(Family{Name: name, Profile: profile, Upjet: true}, fields)
}

// handwritten returns a family of Crossplane's other providers.
func handwritten(name, profile string, fields ...*candidate) *family {
	return newFamily(Family{Name: name, Profile: profile}, fields)
}

// native returns a family of controllers that are not Crossplane's: see Family.Native.
func native(name, profile string, fields ...*candidate) *family {
	return newFamily(Family{Name: name, Profile: profile, Native: true}, fields)
}

func newFamily(id Family, fields []*candidate) *family {
	return &family{Family: id, fields: fields, kinds: make(table[[]*candidate])}
}

// kind gives other fields to kinds of the family. They are named as the rows of a table are: see table. Several names have
// spaces between them.
func (f *family) kind(names string, fields ...*candidate) *family {
	for name := range strings.FieldsSeq(names) {
		f.kinds[[2]string{f.Name, name}] = fields
	}

	return f
}

// without says that kinds of the family have no tag field.
func (f *family) without(names string) *family { return f.kind(names) }

// adding says that the family's providers add tags of their own to the field at the path, or to anyField, before they
// create anything. The keys of these tags are Crossplane's unless they are given: see providerTags.
func (f *family) adding(path string, keys ...string) *family {
	f.adds, f.added = path, keys
	if len(keys) == 0 {
		f.added = providerTags
	}

	return f
}

// usually sets the usual field of the family: kinds with its profile are taken to have this field if nobody knows them,
// such as spec.forProvider.tags for a new kind of aws.
func (f *family) usually(c *candidate) *family {
	f.usual = c
	return f
}
