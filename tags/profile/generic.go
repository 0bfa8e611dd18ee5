package profile

// Generic is the name of the tag profile of all providers without a profile of their own.
const Generic = "generic"

// generic has limits that all known providers admit. It applies to unknown providers.
var generic = cloud{contract: &genericContract, always: []service{exoscaleSKS, harness, ionosObjects, palette}}

var genericContract = Profile{
	Name:     Generic,
	Guess:    "all limits, as no known provider admits less",
	Key:      Length{Runes: 63},
	Value:    Length{Runes: 255},
	KeyClass: strict,
	MaxTags:  32,
}

// strict is the narrowest class of keys in the contract.
var strict = charsOf("ASCII letters and digits and - _ . : /", `[0-9A-Za-z\-_.:/]`)

// exoscaleSKS has the limits of Exoscale for labels of clusters and node pools. Kubernetes nodes get these
// labels, too. Exoscale's API has no limits for labels of other resources: they have the generic profile.
var exoscaleSKS = narrow(genericContract, "exoscale-sks", func(p *Profile) {
	p.Source = "https://community.exoscale.com/product/compute/containers/how-to/nodepool-labels"
	p.Key, p.KeyClass = Length{Runes: 63, BeforeSlash: 253}, kubernetesClass
	p.Value = Length{Runes: 128}
	p.ValueClass = charsOf("ASCII letters and digits and . _ - / # : @", `[0-9A-Za-z._\-/#:@]`)
	p.Format = colonToDot
}, "compute.exoscale.*/SKS*", "sks.exoscale.*/*")

// ionosObjects has the limits of IONOS Object Storage for tags of objects, by PutObjectTagging.
var ionosObjects = narrow(genericContract, "ionos-objects", func(p *Profile) {
	p.Source = "https://docs.ionos.com/sections-test/api/ionos-object-storage/ionos-object-storage-for-user-owned-buckets/tagging"
	p.MaxTags = 10
}, "objectstorage.*ionoscloud.io/Object", "objectstorage.*ionoscloud.io/ObjectCopy")

// Tags of Harness and Palette are words of a key, a colon and a value, and their clients cut a word at every
// colon. They would lose :prod of plexsphere:env:prod, and a word without a value would be a
// difference for ever.
var (
	harness = narrow(genericContract, "harness", cutAtColons("https://github.com/harness/terraform-provider-harness/blob/cb1a0595117c539a2ef7f94b019ec9591fff21cd/helpers/tags.go#L9"),
		"*.harness.crossplane.io/*", "*.harness.m.crossplane.io/*")
	palette = narrow(genericContract, "palette", cutAtColons("https://github.com/spectrocloud/terraform-provider-spectrocloud/blob/0b65bb131f64d883c5e29ac275c01bacf84b9df8/spectrocloud/cluster_common_tags.go#L9"),
		"*.palette.crossplane.io/*", "*.palette.m.crossplane.io/*")
)

func cutAtColons(source string) func(p *Profile) {
	return func(p *Profile) {
		p.Source = source
		p.KeyClass = charsOf("ASCII letters and digits and - _ . /", `[0-9A-Za-z\-_./]`)
		p.ValueClass = classOf("not empty, without : and control characters", `^[^:\pC]+$`)
		p.Format = colonToDot
	}
}
