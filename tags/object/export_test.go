package object

import "google.golang.org/protobuf/types/known/structpb"

// UpdateTree is what Update does, on a tree.
func UpdateTree(s *structpb.Struct, path Path, f func(*structpb.Value) (*structpb.Value, error)) (_ *structpb.Struct, changed bool, _ error) {
	from := structpb.NewStructValue(s)
	out, err := updated(from, append(Segments(nil), path.segments...), 0, f)

	return out.GetStructValue(), out != from, err
}
