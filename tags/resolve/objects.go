package resolve

import (
	"fmt"
	"slices"
	"strings"

	"github.com/crossplane/function-sdk-go/errors"
	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"

	"github.com/plexsphere/function-cloud-tags/input/v1beta1"
	"github.com/plexsphere/function-cloud-tags/tags/object"
)

// A selection is which objects of its kinds a source takes.
type selection struct {
	name string

	// labels that they have, if there is no name. Without any, all of them.
	labels map[string]string

	namespace string
}

// String says what was looked for.
func (s selection) String() string {
	out := "with the labels " + pairs(s.labels)

	switch {
	case s.name != "":
		out = fmt.Sprintf("named %q", s.name)
	case len(s.labels) == 0:
		out = "with any labels"
	}

	if s.namespace != "" {
		out += fmt.Sprintf(" in the namespace %q", s.namespace)
	}

	return out
}

// selector of the selected objects of the supplied kind.
func (s selection) selector(k v1beta1.ResourceKind) *fnv1.ResourceSelector {
	out := &fnv1.ResourceSelector{
		ApiVersion: k.APIVersion,
		Kind:       k.Kind,
		Match:      &fnv1.ResourceSelector_MatchLabels{MatchLabels: &fnv1.MatchLabels{Labels: s.labels}},
	}

	if s.name != "" {
		out.Match = &fnv1.ResourceSelector_MatchName{MatchName: s.name}
	}

	if s.namespace != "" {
		out.Namespace = &s.namespace
	}

	return out
}

// objects returns the objects that the supplied resource selects, sorted by namespace,
// name and the order of the kinds. It requires them, and returns none until all are
// here.
func (r *resolver) objects(res *v1beta1.RequiredResource, pick v1beta1.Pick) ([]place, error) {
	sel, err := r.selection(res, pick)
	if err != nil {
		return nil, err
	}

	var objects []place

	kinds, all := res.ResourceKinds(), true

	for _, k := range kinds {
		found, answered := r.required.Resources(sel.selector(k))
		all = all && answered

		for _, o := range found {
			name := object.Title(o)
			objects = append(objects, place{Struct: o, name: name, of: name + " "})
		}
	}

	if !all {
		return nil, nil
	}

	if len(objects) == 0 {
		names := make([]string, len(kinds))
		for i, k := range kinds {
			names[i] = fmt.Sprintf("%s (%s)", k.Kind, k.APIVersion)
		}

		none := fmt.Sprintf("there is no %s %s", strings.Join(names, " or "), sel)
		if r.required.Old() && sel.name != "" && sel.namespace != "" {
			none += ": Crossplane before v2 can't fetch an object in a namespace by name, only by labels"
		}

		return nil, &nothing{failure: none, note: none}
	}

	slices.SortStableFunc(objects, func(a, b place) int { return object.Compare(a.Struct, b.Struct) })

	return objects, nil
}

// selection of the supplied resource, of whose objects one is picked or all are. Whoever
// picks one falls back from a name that the composite resource doesn't give to labels,
// and from these to the default ones.
func (r *resolver) selection(res *v1beta1.RequiredResource, pick v1beta1.Pick) (sel selection, err error) {
	const neither = compositeResource + " gives neither a name nor labels to match"

	fails := func(err error) bool { return err != nil && (pick != v1beta1.PickOne || !isNothing(err)) }

	if sel.namespace, err = r.string(res.Namespace, compositeResource+" gives no namespace to look in"); err != nil {
		return selection{}, errors.Wrap(err, "cannot tell the namespace")
	}

	if sel.name, err = r.string(res.Name, neither); fails(err) {
		return selection{}, errors.Wrap(err, "cannot tell the name")
	}

	if sel.name != "" || res.MatchLabels != nil && res.MatchLabels.All {
		return sel, nil
	}

	if sel.labels, err = r.stringMap(res.MatchLabels, neither); fails(err) {
		return selection{}, errors.Wrap(err, "cannot tell the labels to match")
	}

	if len(sel.labels) == 0 {
		sel.labels = res.DefaultMatchLabels // Only where one is picked.
	}

	// No labels would match everything.
	if len(sel.labels) == 0 {
		return selection{}, &nothing{failure: neither, note: neither}
	}

	return sel, nil
}
