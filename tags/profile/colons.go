package profile

// Tags of Harness and Palette are words of a key, a colon and a value, and their clients cut a word at every
// colon. They would lose :prod of plexsphere:env:prod, and a word without a value would be a
// difference for ever. See ExpandTags in helpers of
// https://github.com/harness/terraform-provider-harness, and toTags in
// spectrocloud/cluster_common_tags.go of
// https://github.com/spectrocloud/terraform-provider-spectrocloud.
var (
	harness = narrow(genericContract, cutAtColons, "*.harness.crossplane.io/*", "*.harness.m.crossplane.io/*").named("harness")
	palette = narrow(genericContract, cutAtColons, "*.palette.crossplane.io/*", "*.palette.m.crossplane.io/*").named("palette")
)

func cutAtColons(p *Profile) {
	p.KeyClass = charsOf("ASCII letters and digits and - _ . /", `[0-9A-Za-z\-_./]`)
	p.ValueClass = classOf("not empty, without : and control characters", `^[^:\pC]+$`)
	p.Format = noColonOnly
}
