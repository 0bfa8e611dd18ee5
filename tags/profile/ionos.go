package profile

// ionosObjects has the limits of IONOS Object Storage for tags of objects, by PutObjectTagging.
var ionosObjects = narrow(genericContract, "ionos-objects", func(p *Profile) {
	p.Source = "https://docs.ionos.com/sections-test/api/ionos-object-storage/ionos-object-storage-for-user-owned-buckets/tagging"
	p.MaxTags = 10
}, "objectstorage.*ionoscloud.io/Object", "objectstorage.*ionoscloud.io/ObjectCopy")
