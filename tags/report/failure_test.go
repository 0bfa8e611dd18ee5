package report

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"google.golang.org/protobuf/proto"

	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"

	"github.com/plexsphere/function-cloud-tags/tags/tagstest"
)

func TestLimit(t *testing.T) {
	// composed resources by name, and how much text each has.
	composed := func(sizes map[string]int) *fnv1.RunFunctionResponse {
		rsp := &fnv1.RunFunctionResponse{Desired: &fnv1.State{Resources: make(map[string]*fnv1.Resource)}}
		for name, n := range sizes {
			rsp.Desired.Resources[name] = &fnv1.Resource{Resource: tagstest.MustStructJSON(`{"a": "` + strings.Repeat("x", n) + `"}`)}
		}

		return rsp
	}

	others := composed(nil)
	others.Desired.Composite = &fnv1.Resource{Ready: fnv1.Ready_READY_TRUE}
	others.Context = tagstest.MustStructJSON(`{"a": "b"}`)
	others.Results = []*fnv1.Result{{Message: "warning"}, {Message: "warning"}}
	others.Conditions = []*fnv1.Condition{{Reason: "a"}}

	rest := ", the composite resource of 0, the context of 0, and results of 0"
	hint := "; let nested composite resources compose a part of it"

	cases := map[string]struct {
		reason string
		rsp    *fnv1.RunFunctionResponse
		under  int
		want   string
	}{
		"Nothing": {reason: "Without a limit any response will do.", rsp: composed(nil), under: 2},
		"Exactly": {reason: "A response may be as large as the limit.", rsp: composed(map[string]int{"a": 1})},
		"One": {
			reason: "One resource should be named.", rsp: composed(map[string]int{"a": 1 << 20}), under: 1,
			want: "the response has 1048610 bytes, and Crossplane takes at most 1048609 (1 MB): 1 composed resource of 1048595 (the largest: a 1048595)" + rest + hint,
		},
		"Many": {
			reason: "The largest should be named, and the first of those as large, by names that aren't too long.",
			rsp:    composed(map[string]int{"d": 1, "c": 1, strings.Repeat("b", 300): 2, "a": 0}), under: 1,
			want: "the response has 380 bytes, and Crossplane takes at most 379 (0.0003614 MB): 4 composed resources of 48 (the largest: " + strings.Repeat("b", 128) + "…" + strings.Repeat("b", 64) + " (300 bytes) 13, c 12, d 12)" + rest + hint,
		},
		"Others": {reason: "What else is large should be told.", rsp: others, under: 1, want: "the response has 45 bytes, and Crossplane takes at most 44 (4.196e-05 MB): 0 composed resources of 0, the composite resource of 2, the context of 10, and results of 27" + hint},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			err := Limit(proto.Size(tc.rsp) - tc.under).check(tc.rsp)
			if diff := cmp.Diff(tc.want, strings.TrimPrefix(fmt.Sprint(err), "<nil>")); diff != "" {
				t.Errorf("\n%s\nCheck(...): -want error, +got error:\n%s", tc.reason, diff)
			}
		})
	}
}
