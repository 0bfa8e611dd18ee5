package locate

import (
	"fmt"
	"slices"

	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/plexsphere/function-cloud-tags/input/v1beta1"
)

// Unmatched returns the paths of entries of the input that match no desired resource, such as resources[0],
// tagPolicy.rules[1].resources[0], resources[0].except[1] or tagFields[0]. Such an entry may be misspelled. The tagFields of a standard don't count:
// these may be for other Compositions. Without desired resources, Unmatched returns nothing.
func (ts *Targets) Unmatched() []string {
	if len(ts.All) == 0 {
		return nil
	}

	var out []string

	for prefix, entries := range ts.finder.Input.Selectors() {
		for i := range entries {
			if !slices.ContainsFunc(ts.All, func(t *Target) bool { return ts.Selects(entries[i:i+1], t) }) {
				out = append(out, ts.finder.Input.Where("%sresources[%d]", prefix, i))
			}

			for j := range entries[i].Except {
				if !slices.ContainsFunc(ts.All, func(t *Target) bool { return ts.anyMatches(entries[i].Except[j:j+1], t).matches }) {
					out = append(out, ts.finder.Input.Where("%sresources[%d].except[%d]", prefix, i, j))
				}
			}
		}
	}

	kinds := ts.taggedKinds()

	for i := range ts.finder.Input.TagFields {
		path := fmt.Sprintf("tagFields[%d]", i)
		if !ts.finder.Input.Origins.IsStandard(path) && !matchesAny(&ts.finder.Input.TagFields[i], kinds) {
			out = append(out, path) // It is in no standard, so it needs no Where.
		}
	}

	return out
}

// taggedKinds returns the kinds of all desired resources, and of the manifests in Objects of provider-kubernetes, by their apiVersions.
func (ts *Targets) taggedKinds() map[string][]string {
	out := make(map[string][]string)

	for _, kind := range ts.kinds {
		for _, gvk := range []schema.GroupVersionKind{kind.GroupVersionKind, kind.Tagged()} {
			apiVersion := gvk.GroupVersion().String()
			if !slices.Contains(out[apiVersion], gvk.Kind) {
				out[apiVersion] = append(out[apiVersion], gvk.Kind)
			}
		}
	}

	return out
}

// matchesAny reports whether the entry matches one of the kinds, which are by their apiVersions.
func matchesAny(entry *v1beta1.TagField, kinds map[string][]string) bool {
	for apiVersion, names := range kinds {
		if entry.APIVersion.Matches(apiVersion) && slices.ContainsFunc(names, entry.Kind.Matches) {
			return true
		}
	}

	return false
}
