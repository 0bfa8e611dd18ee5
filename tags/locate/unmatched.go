package locate

import (
	"fmt"
	"slices"

	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/plexsphere/function-cloud-tags/input/v1beta1"
)

// Unmatched returns the paths of entries of the input that match no desired resource, such as resources[0],
// tagPolicy.rules[1].resources[0], resources[0].except[1] or tagFields[0]. Such an entry may be misspelled. The tagFields of a standard don't count:
// these may be for other Compositions. An entry of tagFields that another shadows is returned, too. Without desired
// resources, Unmatched returns nothing.
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

	return append(out, ts.unusedTagFields()...)
}

// unusedTagFields returns the paths of entries of tagFields that match no desired resource, or that another entry shadows: an earlier one
// matches all that the entry can match. Then the other one stands after the path: tagFields[1] (tagFields[0] comes first).
func (ts *Targets) unusedTagFields() (out []string) {
	entries := ts.finder.Input.TagFields
	matchesAny, isUsed := make([]bool, len(entries)), make([]bool, len(entries))

	for kind := range ts.taggedKinds() {
		isFirst := true

		for i := range entries {
			if entries[i].APIVersion.Matches(kind.apiVersion) && entries[i].Kind.Matches(kind.kind) {
				matchesAny[i], isUsed[i], isFirst = true, isUsed[i] || isFirst, false
			}
		}
	}

	for i := range entries {
		path := fmt.Sprintf("tagFields[%d]", i)

		if isUsed[i] || ts.finder.Input.Origins.IsStandard(path) { // All others are in no standard, so they need no Where.
			continue
		}

		// A pattern matches the text of each narrower pattern: s3.* matches s3.aws.*.
		by := slices.IndexFunc(entries[:i], func(e v1beta1.TagField) bool {
			return e.APIVersion.Matches(string(entries[i].APIVersion)) && e.Kind.Matches(string(entries[i].Kind))
		})

		switch {
		case !matchesAny[i]:
			out = append(out, path)
		case by >= 0:
			out = append(out, fmt.Sprintf("%s (tagFields[%d] comes first)", path, by))
		}
	}

	return out
}

// taggedKinds returns the kinds of all desired resources, and of the manifests in Objects of provider-kubernetes.
func (ts *Targets) taggedKinds() map[kindKey]bool {
	out := make(map[kindKey]bool)

	for _, kind := range ts.kinds {
		for _, gvk := range []schema.GroupVersionKind{kind.GroupVersionKind, kind.Tagged()} {
			out[kindKey{apiVersion: gvk.GroupVersion().String(), kind: gvk.Kind}] = true
		}
	}

	return out
}
