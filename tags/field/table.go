package field

import (
	"iter"
	"strings"
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

// lookUp returns the fact on the family's kind.
func (t table[T]) lookUp(f *family, service, kind string) (T, bool) {
	for _, name := range namesOf(service, kind) {
		if v, ok := t[[2]string{f.Name, name}]; ok {
			return v, true
		}
	}

	var zero T

	return zero, false
}

// namesOf returns the names by which a table can have the kind of the service, the preferred one first.
func namesOf(service, kind string) [4]string {
	return [...]string{service + "/" + kind, service + "/*", kind, "*"}
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
