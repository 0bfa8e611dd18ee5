package tags

import "github.com/plexsphere/function-cloud-tags/tags/profile"

// CloudTags returns the tags of the labels in the set, and the skipped labels, sorted by their qualified keys. It assumes that the resource
// has no other tags. Neither result is ever nil. On aws, the label platform/env: prod becomes the tag plexsphere:platform/env: prod.
//
// The provider is a name of [profile.Names], ignoring case. An unknown provider gets the tag profile generic.
//
// Other programs implement the same rules, by a contract that covers the providers aws, hetzner, openstack and generic. They test
// themselves by testdata/conformance.json.
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
