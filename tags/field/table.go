package field

import (
	"iter"
	"strings"
)

// A table has what is known of kinds, by their families, services and kinds.
type table[T any] map[[2]string]T

// of returns what is known of the kind, or else of all such kinds of the family.
func (t table[T]) of(f *family, service, kind string) (T, bool) {
	for _, key := range keysOf(service, kind) {
		if v, ok := t[[2]string{f.Name, key}]; ok {
			return v, true
		}
	}

	var zero T

	return zero, false
}

// keysOf returns how a kind is called by its service and kind: as itself, then with all kinds of
// its service, then with kinds of its name in all services, then with all kinds.
func keysOf(service, kind string) [4]string {
	return [...]string{service + "/" + kind, service + "/*", "*/" + kind, "*/*"}
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
