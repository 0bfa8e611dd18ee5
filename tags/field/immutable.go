package field

import (
	"cmp"
	_ "embed"
	"maps"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/runtime/schema"
)

// An ImmutableRow says of a kind that its tag field can't change once a resource is made.
type ImmutableRow struct {
	// Family of the kind, and the service and the kind. The service is empty where the API
	// group has none, and * where it is any.
	Family, Kind string

	// Source is the repository and the file of the Terraform provider, what it says, and in which
	// versions.
	Source string

	// Older is true if only older releases of the provider refuse a change. All of its namespaced
	// groups are newer.
	Older bool
}

//go:embed immutable.txt
var immutableText string

// immutables are the kinds whose tag field can't change: see immutable.txt.
var immutables = func() table[ImmutableRow] {
	t := make(table[ImmutableRow])

	for row := range rows(immutableText) {
		r := strings.SplitN(row, " ", 4)
		t[[2]string{r[0], r[1]}] = ImmutableRow{Family: r[0], Kind: r[1], Older: r[2] == "older", Source: r[3]}
	}

	return t
}()

// ImmutableRows are the rows of all families, by family and kind.
func ImmutableRows() []ImmutableRow {
	return slices.SortedFunc(maps.Values(immutables), func(a, b ImmutableRow) int {
		return cmp.Or(strings.Compare(a.Family, b.Family), strings.Compare(a.Kind, b.Kind))
	})
}

// refuses returns true if the family's provider refuses a change of the tag field of the kind,
// which is of the service, and whether only older releases do.
func (f *family) refuses(service string, gk schema.GroupKind) (refuses, older bool) {
	row, ok := immutables.of(f, service, gk.Kind)
	return ok && (!row.Older || !isTwin(gk.Group)), row.Older
}

// isTwin is true if group is the namespaced twin of another one.
func isTwin(group string) bool {
	labels := strings.Split(group, ".")
	return len(labels) > 3 && labels[len(labels)-3] == "m"
}
