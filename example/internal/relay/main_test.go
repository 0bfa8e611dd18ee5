package main

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/testing/protocmp"

	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"

	"github.com/plexsphere/function-cloud-tags/tags/tagstest"
)

func TestRelay(t *testing.T) {
	desired := &fnv1.State{Resources: map[string]*fnv1.Resource{"a": {Resource: tagstest.MustStructJSON(`{"kind": "A"}`)}}}

	request, err := proto.Marshal(&fnv1.RunFunctionRequest{Meta: &fnv1.RequestMeta{Tag: "t"}, Desired: desired, Observed: &fnv1.State{Composite: &fnv1.Resource{}}})
	if err != nil {
		t.Fatal(err)
	}

	response, err := relay(request)
	if err != nil {
		t.Fatal(err)
	}

	got := &fnv1.RunFunctionResponse{}
	if err := proto.Unmarshal(response, got); err != nil {
		t.Fatal(err)
	}

	if diff := cmp.Diff(&fnv1.RunFunctionResponse{Desired: desired}, got, protocmp.Transform()); diff != "" {
		t.Errorf("\nThe response has the desired state, and nothing else.\nrelay(...): -want, +got:\n%s", diff)
	}

	if _, err := relay(request[:len(request)-1]); err == nil {
		t.Error("relay(...): want an error for half a request")
	}
}
