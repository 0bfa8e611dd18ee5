package field

import (
	"iter"
	"strings"
)

// A table has what is known of kinds, by the names of their families and by their own names: the
// service and the kind, e.g. ec2/Instance, or the service and a * for all other kinds of the
// service, or the kind alone for those of other services, or a * for all other kinds. The service is
// what an API group has before the group that the family claims: that of ec2.aws.upbound.io is ec2.
type table[T any] map[[2]string]T

// of returns what is known of the family's kind.
func (t table[T]) of(f *family, service, kind string) (T, bool) {
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

// rows of an embedded text, but for comments: lines that are empty, and what is behind a # that
// begins a line or follows a space.
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
