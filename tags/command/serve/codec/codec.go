// Package codec decodes Crossplane's requests, except for the resources, schemas and values of the context in them. The function looks at
// little of a resource, and returns the rest as it came. So a resource stays the bytes that came.
package codec

import (
	"bytes"

	"google.golang.org/grpc/encoding"
	"google.golang.org/grpc/encoding/proto"
	"google.golang.org/grpc/mem"
	protobuf "google.golang.org/protobuf/proto"

	"github.com/crossplane/function-sdk-go/errors"
	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"

	"github.com/plexsphere/function-cloud-tags/tags/words"
)

// Codec encodes and decodes all messages of the function's server. It encodes a message always in the same way.
type Codec struct{}

// Name returns the name of the encoding.
func (Codec) Name() string { return proto.Name }

// Marshal encodes v, a protobuf message.
func (Codec) Marshal(v any) (mem.BufferSlice, error) {
	m, ok := v.(protobuf.Message)
	if !ok {
		return nil, errors.Errorf("cannot encode %T, which is no protobuf message", v)
	}

	// The buffers of gRPC's pool would take longer: it clears 1 MB for a message of 40 KB.
	b, err := protobuf.MarshalOptions{Deterministic: true}.Marshal(m)
	if err != nil {
		return nil, err
	}

	return mem.BufferSlice{mem.SliceBuffer(b)}, nil
}

// Unmarshal decodes data to v, a protobuf message. gRPC's own codec decodes all messages but requests of v1.
func (Codec) Unmarshal(data mem.BufferSlice, v any) error {
	req, ok := v.(*fnv1.RunFunctionRequest)
	if !ok {
		return encoding.GetCodecV2(proto.Name).Unmarshal(data, v)
	}

	// gRPC uses the buffers of data again after the call, so this copies them. mem.BufferSlice has Materialize, but that clears
	// the memory of the copy first, which takes as long as copying.
	return Unmarshal(bytes.Join(words.Map(data, mem.Buffer.ReadOnlyData), nil), req)
}
