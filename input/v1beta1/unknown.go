package v1beta1

import (
	"reflect"
	"regexp"
	"slices"
	"strings"

	"github.com/crossplane/function-sdk-go/errors"
)

// unknownField is the error of a field that the input doesn't have, which names its
// path.
var unknownField = regexp.MustCompile(`^unknown field "(.*)"$`)

// allowedError adds to the supplied error of decoding, if it's about an unknown
// field, which fields there are in its place.
func allowedError(err error) error {
	m := unknownField.FindStringSubmatch(err.Error())
	if m == nil {
		return err
	}

	names := strings.Split(m[1], ".")
	t := reflect.TypeFor[CloudTags]()

	for _, name := range names[:len(names)-1] {
		name, _, _ = strings.Cut(name, "[")
		if t = fieldType(t, name); t == nil {
			return err
		}
	}

	if t.Kind() != reflect.Struct {
		return err
	}

	return errors.Errorf("%w: allowed: %s", err, strings.Join(slices.Sorted(fieldNames(t)), ", "))
}

// fieldType returns the type that the supplied type's field of the supplied name has,
// or that its items have, or nil.
func fieldType(t reflect.Type, name string) reflect.Type {
	if t.Kind() != reflect.Struct {
		return nil
	}

	for f := range t.Fields() {
		tag, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		if tag != name {
			continue
		}

		t := f.Type
		for t.Kind() == reflect.Pointer || t.Kind() == reflect.Slice {
			t = t.Elem()
		}

		return t
	}

	return nil
}

// fieldNames yields the names of the supplied struct's fields, those of structs that
// it embeds included.
func fieldNames(t reflect.Type) func(yield func(string) bool) {
	return func(yield func(string) bool) {
		for f := range t.Fields() {
			tag, _, _ := strings.Cut(f.Tag.Get("json"), ",")
			if tag != "" {
				if !yield(tag) {
					return
				}

				continue
			}

			for name := range fieldNames(f.Type) {
				if !yield(name) {
					return
				}
			}
		}
	}
}
