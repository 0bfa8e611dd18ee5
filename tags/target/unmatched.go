package target

import (
	"fmt"
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

	in := ts.finder.Input
	out := ts.unmatched("", in.Resources)

	for i := range in.Sources {
		out = append(out, ts.unmatched(fmt.Sprintf("sources[%d].", i), in.Sources[i].Resources)...)
	}

	if in.TagPolicy != nil {
		for i := range in.TagPolicy.Rules {
			out = append(out, ts.unmatched(fmt.Sprintf("tagPolicy.rules[%d].", i), in.TagPolicy.Rules[i].Resources)...)
		}
	}

	for i := range in.KubernetesMetadata {
		out = append(out, ts.unmatched(fmt.Sprintf("kubernetesMetadata[%d].", i), in.KubernetesMetadata[i].Resources)...)
	}

	return out
}

// unmatched are those of entries that select nothing. They are resources of what is at path.
func (ts *Targets) unmatched(path string, entries []v1beta1.ResourceSelector) (out []string) {
	for i := range entries {
		if !slices.ContainsFunc(ts.All, func(t *Target) bool { return ts.Selects(entries[i:i+1], t) }) {
			out = append(out, ts.finder.Input.Where("%sresources[%d]", path, i))
		}
	}

	return out
}
