package profile

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
