package field

// oci is oracle/crossplane-provider-oci and upbound/provider-upjet-oci.
//
// Not tags of the resource itself: definedTags (their namespaces and keys must exist before);
// freeformTags of createVnicDetails, instancePools, launchDetails, nodeConfigDetails,
// persistentVolumeConfig and serviceLbConfig (of what the resource makes); metadata and
// extendedMetadata (a guest's, or a service's); securityAttributes (Zero Trust);
// initialNodeLabels (Kubernetes labels). A Tag and a TagNamespace define tags, and have
// some of their own.
var oci = family{
	Family: Family{Name: "oci", Profile: "oci", Upjet: true},
	fields: []*candidate{at("freeformTags", "freeformTags")},
}
