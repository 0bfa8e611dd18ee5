package field

import (
	_ "embed"
	"iter"
	"strings"

	"k8s.io/apimachinery/pkg/runtime/schema"
)

// A table has facts on kinds, by the names of their families and by their own names. A name is:
//
//   - ec2/Instance: the service and the kind;
//   - ec2/*: all other kinds of the service;
//   - Instance: the kind in all other services;
//   - *: all other kinds.
//
// The service is the part of an API group before the group that the family has: ec2 of
// ec2.aws.upbound.io.
type table[T any] map[[2]string]T

// tableOf returns the table of an embedded text. A row has so many columns: the family, the name, and a fact.
func tableOf[T any](text string, columns int, read func(fact []string) T) table[T] {
	t := make(table[T])

	for row := range rows(text) {
		c := strings.SplitN(row, " ", columns)
		t[[2]string{c[0], c[1]}] = read(c[2:])
	}

	return t
}

// lookUp returns the fact on the family's kind, by the narrowest of the names that the table has.
func (t table[T]) lookUp(f *family, service, kind string) (T, bool) {
	for _, name := range [...]string{service + "/" + kind, service + "/*", kind, "*"} {
		if v, ok := t[[2]string{f.Name, name}]; ok {
			return v, true
		}
	}

	var zero T

	return zero, false
}

// rows returns the rows of an embedded text, without empty lines and comments. A comment starts with a
// # at the beginning of a line or after a space.
func rows(text string) iter.Seq[string] {
	return func(yield func(string) bool) {
		for line := range strings.Lines(text) {
			row, _, _ := strings.Cut(" "+line, " #")
			if row = strings.TrimRight(row, " \n"); row != "" && !yield(row[1:]) {
				return
			}
		}
	}
}

// A filling says what a provider does with a tag field without tags, while the cloud has some.
type filling struct {
	// missing says whether the provider copies the cloud's tags into a missing field. stays says
	// whether the last tag stays in the cloud, even with an empty field.
	missing, stays bool
}

//go:embed fills.txt
var fillsText string

// fills has the kinds whose providers do something unusual: see fills.txt.
var fills = tableOf(fillsText, 3, func(fact []string) filling {
	return map[string]filling{"missing": {missing: true}, "empty": {stays: true}, "leave": {missing: true, stays: true}}[fact[0]]
})

// filling returns what the provider does with the kind's tag field.
func (f *family) filling(service, kind string) filling {
	if does, ok := fills.lookUp(f, service, kind); ok {
		return does
	}

	return filling{missing: f.Upjet}
}

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
var immutables = tableOf(immutableText, 4, func(fact []string) refusal { return refusal{older: fact[0] == "older", source: fact[1]} })

// refuses reports whether the family's provider refuses a change of the tag field of the kind,
// which is of the service, and whether only older releases do.
func (f *family) refuses(service string, gk schema.GroupKind) (refuses, older bool) {
	r, ok := immutables.lookUp(f, service, gk.Kind)
	_, isTwin := TwinOf(gk.Group)

	return ok && (!r.older || !isTwin), r.older
}
