package field

// palette is crossplane-contrib/provider-palette, of Spectro Cloud. A tag is one word of a key,
// a colon and a value: see toTags in spectrocloud/cluster_common_tags.go of
// spectrocloud/terraform-provider-spectrocloud.
//
// Not tags: additionalLabels (Kubernetes labels of nodes), nodeTags (by which MAAS chooses
// machines), additionalTags of a Fargate profile (the profile's); metadata.labels and labels of
// machines and data volumes (Kubernetes labels).
var palette = family{
	Family: Family{Name: "palette", Profile: "generic", Upjet: true},
	fields: []*candidate{at("tags", "tags").words(":"), at("tags", "tags")},
}
