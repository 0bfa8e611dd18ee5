package tags

import "github.com/plexsphere/function-cloud-tags/tags/profile"

// CloudTags turns the labels of the set into the tags that the provider admits on one resource without other tags. The name of
// the provider ignores case, and an unknown provider gets the generic profile. CloudTags also returns the skipped labels,
// sorted by their qualified keys. Neither result is ever nil. On aws, platform/env: prod becomes plexsphere:platform/env:
// prod.
//
// The contract has the providers aws, hetzner, openstack and generic. Other providers of [profile.Names] change the prefix and
// the key of a label so that their clouds admit them, and skip labels for the reasons [profile.KeyCollision] and
// [profile.ValueCharacterClass], too. The answers in testdata/conformance.json are for other implementations.
func CloudTags(provider string, set PropagatingLabelSet) (map[string]string, []SkippedLabel) {
	p := profile.Of(provider)
	admitted, skipped := NewTransformer(set.Labels(CloudTagPrefix), nil).Transform(p).Fit(p.MaxTags)

	out := make(map[string]string, len(admitted))
	for _, t := range admitted {
		out[t.Key] = t.Value
	}

	return out, Skips(p.Name, skipped)
}
