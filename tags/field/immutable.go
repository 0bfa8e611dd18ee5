package field

import (
	"cmp"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/runtime/schema"
)

// A refusal is why the tag field of a kind can't change once a resource is made: its Terraform
// provider would make a new resource for the change, and Upjet refuses that, together with every
// other change of the resource. Three texts of Upjet and Terraform say so: "cannot change the value
// of the argument" (assertNoForceNew, of the Terraform SDK), "requires resource replacement"
// (RequiresReplace, of the plugin framework) and "prevent_destroy" (of the Terraform CLI). A
// resource that the Terraform provider can't update at all is refused by the SDK.
type refusal struct {
	// source is the repository and the file of the Terraform provider, what it says, and in
	// which versions.
	source string

	// older is true if only older releases of the provider refuse a change. All of its namespaced
	// groups are newer. See README.
	older bool
}

// refused says where a change of the tag field is refused in all surveyed releases.
func refused(source string) refusal { return refusal{source: source} }

// refusedOnce says where a change of the tag field was refused in older releases.
func refusedOnce(source string) refusal { return refusal{source: source, older: true} }

// refusalOf a change of the tag field of the kind, which is of the service. It returns false if
// nobody refuses that.
func (f *family) refusalOf(service string, gk schema.GroupKind) (refusal, bool) {
	for _, key := range [...]string{service + "/" + gk.Kind, "*/" + gk.Kind} {
		if r, ok := f.immutable[key]; ok {
			return r, !r.older || !isTwin(gk.Group)
		}
	}

	return refusal{}, false
}

// isTwin is true if group is the namespaced twin of another one.
func isTwin(group string) bool {
	labels := strings.Split(group, ".")
	return len(labels) > 3 && labels[len(labels)-3] == "m"
}

// An ImmutableRow says of a kind that its tag field can't change once a resource is made.
type ImmutableRow struct {
	// Family of the kind, and the service and the kind. The service is empty where the API
	// group has none, and * where it is any.
	Family, Kind string

	// Source that says so, and Older if that is so of older releases only.
	Source string
	Older  bool
}

// ImmutableRows are the rows of all families, sorted.
func ImmutableRows() []ImmutableRow {
	var out []ImmutableRow

	for _, f := range families {
		for kind, r := range f.immutable {
			out = append(out, ImmutableRow{Family: f.Name, Kind: kind, Source: r.source, Older: r.older})
		}
	}

	slices.SortFunc(out, func(a, b ImmutableRow) int {
		return cmp.Or(strings.Compare(a.Family, b.Family), strings.Compare(a.Kind, b.Kind))
	})

	return out
}
