package tags

import "github.com/plexsphere/function-cloud-tags/tags/profile"

// CloudTags turns the labels of the set into the tags that the provider admits on one resource
// without other tags. Providers match without case, and an unknown one gets the generic profile.
// CloudTags also returns the labels that it skipped, sorted by their qualified keys. Neither is
// ever nil.
//
// The contract has the providers aws, hetzner, openstack and generic. The others of [profile.Names]
// change the prefix and the key of a label to what their clouds admit, and skip labels for the
// reasons [profile.KeyCollision] and [profile.ValueCharacterClass], too. The answers in
// testdata/conformance.json are for other implementations.
func CloudTags(provider string, set PropagatingLabelSet) (map[string]string, []SkippedLabel) {
	p := profile.Of(provider)
	admitted, refused := NewTransformer(set.Labels(CloudTagPrefix), nil).Transform(p).Fit(p.MaxTags)

	out := make(map[string]string, len(admitted))
	for _, t := range admitted {
		out[t.Key] = t.Value
	}

	return out, Skips(p.Name, refused)
}
