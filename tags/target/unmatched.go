package target

import (
	"fmt"
	"iter"
	"slices"

	"github.com/plexsphere/function-cloud-tags/input/v1beta1"
)

// Unmatched are the selectors of the input that select none of the resources, by their paths, such
// as resources[0] or tagPolicy.rules[1].resources[0], in their order: a misspelled selector
// tags and enforces nothing. Without resources there are none, since there is nothing to select.
func (ts *Targets) Unmatched() []string {
	if len(ts.All) == 0 {
		return nil
	}

	var out []string

	for path, entries := range Selectors(ts.finder.Input) {
		for i := range entries {
			if !slices.ContainsFunc(ts.All, func(t *Target) bool { return ts.Selects(entries[i:i+1], t) }) {
				out = append(out, ts.finder.Input.Where("%sresources[%d]", path, i))
			}
		}
	}

	return out
}

// Selectors yields the resources of the input and of its parts, by the paths of what they are of, such as tagPolicy.rules[1].,
// in their order.
func Selectors(in *v1beta1.CloudTags) iter.Seq2[string, []v1beta1.ResourceSelector] {
	var rules []v1beta1.TagRule
	if in.TagPolicy != nil {
		rules = in.TagPolicy.Rules
	}

	return func(yield func(string, []v1beta1.ResourceSelector) bool) {
		ok := yield("", in.Resources)

		for i := 0; ok && i < len(in.Sources); i++ {
			ok = yield(fmt.Sprintf("sources[%d].", i), in.Sources[i].Resources)
		}

		for i := 0; ok && i < len(rules); i++ {
			ok = yield(fmt.Sprintf("tagPolicy.rules[%d].", i), rules[i].Resources)
		}

		for i := 0; ok && i < len(in.KubernetesMetadata); i++ {
			ok = yield(fmt.Sprintf("kubernetesMetadata[%d].", i), in.KubernetesMetadata[i].Resources)
		}
	}
}
