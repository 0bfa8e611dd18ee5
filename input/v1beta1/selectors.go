package v1beta1

import (
	"cmp"
	"fmt"
	"iter"
	"maps"
	"slices"
)

// Selectors yields each list of resource selectors of the input, with the prefix of its path. For tagPolicy.rules[1].resources,
// it yields `tagPolicy.rules[1].` and the selectors. For the input's own resources, the prefix is empty.
func (in *CloudTags) Selectors() iter.Seq2[string, []ResourceSelector] {
	policy := cmp.Or(in.TagPolicy, &TagPolicy{})

	return func(yield func(string, []ResourceSelector) bool) {
		goesOn := yield("", in.Resources)

		for i := 0; goesOn && i < len(in.Sources); i++ {
			goesOn = yield(fmt.Sprintf("sources[%d].", i), in.Sources[i].Resources)
		}

		for i := 0; goesOn && i < len(policy.Rules); i++ {
			goesOn = yield(fmt.Sprintf("tagPolicy.rules[%d].", i), policy.Rules[i].Resources)
		}

		for i := 0; goesOn && i < len(in.KubernetesMetadata); i++ {
			goesOn = yield(fmt.Sprintf("kubernetesMetadata[%d].", i), in.KubernetesMetadata[i].Resources)
		}
	}
}

// Classifiers returns the tag keys that matchCloudTags names in any selector of the input, sorted. No untrusted label may have such a key on
// the cloud, since people classify resources there by its tag.
func (in *CloudTags) Classifiers() []string {
	var keys []string

	for _, selectors := range in.Selectors() {
		for i := range selectors {
			keys = slices.AppendSeq(keys, maps.Keys(selectors[i].MatchCloudTags))

			for j := range selectors[i].Except {
				keys = slices.AppendSeq(keys, maps.Keys(selectors[i].Except[j].MatchCloudTags))
			}
		}
	}

	slices.Sort(keys)

	return slices.Compact(keys)
}
