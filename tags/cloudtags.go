package tags

import "github.com/plexsphere/function-cloud-tags/tags/profile"

// CloudTags returns the tags that the labels of the set become on a resource without other tags, and the skipped labels,
// sorted by their qualified keys. Neither result is ever nil. On aws, the label platform/env: prod becomes the tag
// plexsphere:platform/env: prod.
//
// The provider is a name of [profile.Names], ignoring case. An unknown provider gets the tag profile generic.
//
// The contract for all implementations has the providers aws, hetzner, openstack and generic. The other providers also change
// keys: gcp makes plexsphere_platform_env of plexsphere:platform/env. They have two more reasons to skip a label:
// [profile.KeyCollision] and [profile.ValueCharacterClass]. Other implementations test themselves by testdata/conformance.json.
func CloudTags(provider string, set PropagatingLabelSet) (map[string]string, []SkippedLabel) {
	p := profile.Of(provider)
	admitted, skipped := NewTransformer(set.Labels(CloudTagPrefix), nil).Transform(p).Fit(p.MaxTags)

	values := make(map[string]string, len(admitted))
	for _, t := range admitted {
		values[t.Key] = t.Value
	}

	return values, SkippedLabels(p.Name, skipped)
}
