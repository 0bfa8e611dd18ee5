package tags

import "github.com/plexsphere/function-cloud-tags/tags/profile"

// CloudTags returns the tags that the labels of the set become on a resource without other tags, and the skipped labels,
// sorted by their qualified keys. Neither result is ever nil. On aws, the label platform/env: prod becomes the tag
// plexsphere:platform/env: prod.
//
// The provider is a name of [profile.Names], ignoring case. An unknown provider gets the tag profile generic.
//
// Other programs make the same tags. Their contract with this function covers the providers aws, hetzner, openstack and generic, and
// they test themselves by testdata/conformance.json.
//
// Providers outside the contract have two more reasons to skip a label, [profile.KeyCollision] and [profile.ValueCharacterClass]. Some
// of them also change keys: gcp makes plexsphere_platform_env of plexsphere:platform/env.
func CloudTags(provider string, set PropagatingLabelSet) (map[string]string, []SkippedLabel) {
	p := profile.Of(provider)
	admitted, skipped := NewTransformer(set.Labels(CloudTagPrefix), nil).Transform(p).Fit(p.MaxTags)

	values := make(map[string]string, len(admitted))
	for _, t := range admitted {
		values[t.Key] = t.Value
	}

	return values, SkippedLabels(p.Name, skipped)
}
