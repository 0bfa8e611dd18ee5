package v1beta1

import (
	"fmt"
	"regexp"

	"k8s.io/apimachinery/pkg/util/validation/field"
)

// ofCrossplane matches the keys of the pipeline's context that belong to Crossplane.
var ofCrossplane = regexp.MustCompile(`^([^/]*[.])?crossplane[.]io(/|$)`)

// reads notes that the field at p reads key of the pipeline's context.
func (a *admission) reads(p *field.Path, key string) {
	if a.contextKeys == nil {
		a.contextKeys = make(map[string]string)
	}

	if _, ok := a.contextKeys[key]; !ok {
		a.contextKeys[key] = a.origins.where(p.String())
	}
}

// readContextKey checks a field that names the key of the pipeline's context to read.
func readContextKey(a *admission, p *field.Path, key self) { a.reads(p, key.GetStringValue()) }

// ownContextKey refuses to write a key that the input reads, or that belongs to Crossplane. A step
// that wrote its own key to read would take labels from itself, and would replace the labels of
// another step there.
func ownContextKey(a *admission, p *field.Path, in self) {
	p, key := p.Child("toContextKey"), in.text("toContextKey")

	if by, ok := a.contextKeys[key]; ok {
		a.note(field.Invalid(p, key, fmt.Sprintf("is what %s reads: must be another key", by)))
	}

	if ofCrossplane.MatchString(key) {
		a.note(field.Invalid(p, key, "keys of crossplane.io are Crossplane's, e.g. that of the environment: must be another key"))
	}
}
