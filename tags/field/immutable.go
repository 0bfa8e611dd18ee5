package field

import (
	_ "embed"
	"strings"

	"k8s.io/apimachinery/pkg/runtime/schema"
)

// A refusal is why the tag field of a kind can't change once a resource is made.
type refusal struct {
	// source is the repository and the file of the Terraform provider, its words, and its versions.
	source string

	// older says whether only older releases of the provider refuse a change. All of its namespaced
	// groups are newer.
	older bool
}

//go:embed immutable.txt
var immutableText string

// immutables has the kinds whose tag field can't change: see immutable.txt.
var immutables = func() table[refusal] {
	t := make(table[refusal])

	for row := range rows(immutableText) {
		r := strings.SplitN(row, " ", 4)
		t[[2]string{r[0], r[1]}] = refusal{older: r[2] == "older", source: r[3]}
	}

	return t
}()

// refuses reports whether the family's provider refuses a change of the tag field of the kind,
// which is of the service, and whether only older releases do.
func (f *family) refuses(service string, gk schema.GroupKind) (refuses, older bool) {
	r, ok := immutables.lookUp(f, service, gk.Kind)
	_, isTwin := TwinOf(gk.Group)

	return ok && (!r.older || !isTwin), r.older
}
