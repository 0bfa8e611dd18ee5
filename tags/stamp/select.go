package stamp

import (
	"maps"
	"slices"

	"github.com/plexsphere/function-cloud-tags/input/v1beta1"
	"github.com/plexsphere/function-cloud-tags/tags/structpath"
)

// selects is true if any of the supplied entries selects the supplied target, or there
// are none.
func (s *Stamper) selects(entries []v1beta1.ResourceSelector, t *Target) bool {
	return len(entries) == 0 || slices.ContainsFunc(entries, func(e v1beta1.ResourceSelector) bool {
		return selectsName(&e, t) && hasLabels(t, e.MatchLabels) && s.hasTags(t, e.MatchTags)
	})
}

// selectsName is true if the supplied entry selects the name and kind of the supplied
// target.
func selectsName(e *v1beta1.ResourceSelector, t *Target) bool {
	return e.Name.Matches(t.Name) && e.APIVersion.Matches(apiVersionOf(t.Resource)) && e.Kind.Matches(kindOf(t.Resource))
}

func hasLabels(t *Target, want map[string]string) bool {
	labels := t.Resource.GetFields()["metadata"].GetStructValue().GetFields()["labels"].GetStructValue().GetFields()

	for key, value := range want {
		if v, ok := labels[key]; !ok || !isText(v, value) {
			return false
		}
	}

	return true
}

// hasTags is true if earlier steps have set the supplied tags on the supplied target.
func (s *Stamper) hasTags(t *Target, want map[string]string) bool {
	if len(want) == 0 {
		return true
	}

	// What has no kind has no schema to ask for.
	if t.leave == whyNoObject || !t.located && s.locate(t) != "" {
		return false
	}

	v, err := structpath.Get(t.Resource, t.field.Path.String())
	if err != nil || v == nil {
		return false
	}

	keys := slices.Collect(maps.Keys(want))

	h, err := read(v, &t.field, t.profile, known{keys: t.profile.KeySet().With(keys...)})
	if err != nil {
		return false
	}

	for key, value := range want {
		if v, ok := h.get(key); !ok || !isText(v, value) {
			return false
		}
	}

	return true
}
