package profile

// openstack has the limits of OpenStack. They differ from service to service.
var openstack = cloud{
	contract: &openstackContract,
	api:      &openstackAPI,
	services: openstackServices,
	refuses:  openstackServices,
	always: []service{
		// The tags of a cluster are also tags of its servers. The limits are Nova's:
		// https://docs.openstack.org/api-ref/compute/#server-tags-servers-tags
		narrow(openstackContract, func(p *Profile) {
			p.Entry, p.KeyClass, p.ValueClass = Length{Runes: 60}, neutronClass, neutronClass
			p.Separator, p.Format = "=", noSlash
		}, "infrastructure.cluster.x-k8s.io/OpenStackCluster*").named("cluster-api"),
	},
}

var openstackServices = []service{
	// Nova's schema of server metadata. 128 is its default quota.
	narrow(openstackMetadata, func(p *Profile) { p.Format = noSlash }, "compute.openstack.*/InstanceV2", "openstack.k-orc.cloud/Server",
		"infrastructure.cluster.x-k8s.io/OpenStackMachine*", "infrastructure.cluster.x-k8s.io/OpenStackServer*").named("compute"),

	// Cinder's schema of volume metadata, under the same quota.
	narrow(openstackMetadata, func(p *Profile) { p.KeyClass = cinderClass }, "blockstorage.openstack.*/Volume*",
		"openstack.k-orc.cloud/Volume*").named("blockstorage"),

	// Keystone's schema of project tags.
	narrow(openstackAPI, func(p *Profile) { p.MaxTags = 80 }, "identity.openstack.*/ProjectV3", "openstack.k-orc.cloud/Project").named("identity"),
}

// openstackContract has the limits in
// https://docs.openstack.org/api-ref/compute/#create-or-update-server-metadata-items.
var openstackContract = Profile{
	Name:     "openstack",
	Key:      Length{Bytes: 255},
	Value:    Length{Bytes: 255},
	KeyClass: charsOf("anything but control characters", `[^\p{Cc}]`),
	MaxTags:  50,
}

// openstackAPI has the limits of networks, load balancers and images. Their APIs have no rule, but a
// comma breaks filters, and a slash breaks the addresses of single tags.
var openstackAPI = Profile{
	Name:       "openstack",
	Key:        Length{Runes: 255},
	Value:      Length{Runes: 255},
	KeyClass:   neutronClass,
	ValueClass: neutronClass,
	MaxTags:    50,
	Format:     noSlash,
}

// openstackMetadata has the limits of the metadata of servers and volumes.
var openstackMetadata = Profile{
	Name:     "openstack",
	Key:      Length{Runes: 255},
	Value:    Length{Runes: 255},
	KeyClass: novaClass,
	MaxTags:  128,
}

var (
	neutronClass = charsOf("anything but , / and control characters", `[^\p{Cc},/]`)
	novaClass    = charsOf("ASCII letters and digits, space and - _ : .", `[0-9A-Za-z \-_:.]`)
	cinderClass  = charsOf("ASCII letters and digits, space and - _ : . /", `[0-9A-Za-z \-_:./]`)
)
