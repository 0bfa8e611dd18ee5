package locate

import (
	"cmp"
	"fmt"
	"iter"
	"slices"

	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/plexsphere/function-cloud-tags/input/v1beta1"
)

// Unmatched returns the paths of entries of the input that match no desired resource, such as resources[0],
// tagPolicy.rules[1].resources[0] or tagFields[0]. Such an entry may be misspelled. The tagFields of a standard don't count:
// these may be for other Compositions. Without desired resources, Unmatched returns nothing.
func (ts *Targets) Unmatched() []string {
	if len(ts.All) == 0 {
		return nil
	}

	var out []string

	for prefix, entries := range Selectors(ts.finder.Input) {
		for i := range entries {
			if !slices.ContainsFunc(ts.All, func(t *Target) bool { return ts.Selects(entries[i:i+1], t) }) {
				out = append(out, ts.finder.Input.Where("%sresources[%d]", prefix, i))
			}
		}
	}

	for i := range ts.finder.Input.TagFields {
		path := fmt.Sprintf("tagFields[%d]", i)
		if !ts.finder.Input.Origins.IsStandard(path) && !ts.matchesAnyKind(&ts.finder.Input.TagFields[i]) {
			out = append(out, path) // It is in no standard, so it needs no Where.
		}
	}

	return out
}

// matchesAnyKind reports whether the entry matches the kind of a desired resource, or of a manifest in an Object of
// provider-kubernetes.
func (ts *Targets) matchesAnyKind(entry *v1beta1.TagField) bool {
	for _, kind := range ts.kinds {
		for _, gvk := range []schema.GroupVersionKind{kind.GroupVersionKind, kind.Tagged()} {
			if entry.APIVersion.Matches(gvk.GroupVersion().String()) && entry.Kind.Matches(gvk.Kind) {
				return true
			}
		}
	}

	return false
}

// Selectors yields each list of resource selectors of the input, with the prefix of its path. For tagPolicy.rules[1].resources,
// it yields `tagPolicy.rules[1].` and the selectors. For the input's own resources, the prefix is empty.
func Selectors(in *v1beta1.CloudTags) iter.Seq2[string, []v1beta1.ResourceSelector] {
	policy := cmp.Or(in.TagPolicy, &v1beta1.TagPolicy{})

	return func(yield func(string, []v1beta1.ResourceSelector) bool) {
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
