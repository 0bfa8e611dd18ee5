package profile

// openstack has the limits of OpenStack. They differ from service to service.
var openstack = cloud{
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
	}, "infrastructure.cluster.x-k8s.io/OpenStackCluster*")

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
