// Package structpath is object for paths that have not been parsed.
package structpath

import (
	"google.golang.org/protobuf/types/known/structpb"

	"github.com/plexsphere/function-cloud-tags/tags/object"
)

// Validate is object.ParsePath.
func Validate(path string) error {
	_, err := object.ParsePath(path)
	return err
}

// ValidateWildcards is object.ParsePaths.
func ValidateWildcards(path string) error {
	_, err := object.ParsePaths(path)
	return err
}

// Get is object.Get.
func Get(s *structpb.Struct, path string) (*structpb.Value, error) {
	p, err := object.ParsePath(path)
	if err != nil {
		return nil, err
	}

	return object.Get(s, p)
}

// Set is object.Set.
func Set(s *structpb.Struct, path string, v *structpb.Value) (*structpb.Struct, error) {
	p, err := object.ParsePath(path)
	if err != nil {
		return nil, err
	}

	return object.Set(s, p, v)
}

// Update is object.Update.
func Update(s *structpb.Struct, path string, f func(*structpb.Value) (*structpb.Value, error)) (*structpb.Struct, error) {
	p, err := object.ParsePaths(path)
	if err != nil {
		return nil, err
	}

	return object.Update(s, p, f)
}

// StringMap is object.StringMap.
func StringMap(v *structpb.Value, name string) (map[string]string, error) {
	return object.StringMap(v, name)
}

// KindOf is object.KindOf.
func KindOf(v *structpb.Value) string { return object.KindOf(v) }

// IsNull is object.IsNull.
func IsNull(v *structpb.Value) bool { return object.IsNull(v) }
