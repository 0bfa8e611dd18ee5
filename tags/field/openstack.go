package field

// openstackMetadata is the metadata of Nova, Cinder and Manila, to which the cloud adds its own.
var openstackMetadata = at("metadata", "allMetadata", "metadata")

// openstack is crossplane-contrib/provider-openstack. Most fields don't count: metadata of
// an AggregateV2 drives the scheduler, metadata of Swift
// is HTTP headers, metadata of Barbican is the user's; labels of Magnum are
// driver parameters; properties of an image describe its use; tags of a
// server are Nova's, which may have 60 characters and no slash, where its
// metadata may have 255; tags of a Heat stack may have no comma and 80
// characters, and are handed on to what is in it.
var openstack = upjet("openstack", "openstack").
	usually(openstackMetadata).
	kind("blockstorage/VolumeV3 compute/InstanceV2 sharedfilesystem/ShareV2", openstackMetadata).
	// Tags of Keystone, Glance, Octavia and Neutron: one string of at most 255
	// characters, by their API references. Older releases of Neutron have 60.
	kind("identity/ProjectV3 images/ImageV2 lb/* networking/*", at("tags", "allTags", "tags").words("="))
