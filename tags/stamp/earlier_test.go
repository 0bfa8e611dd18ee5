package stamp

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"google.golang.org/protobuf/types/known/structpb"

	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"

	"github.com/plexsphere/function-cloud-tags/input/v1beta1"
	"github.com/plexsphere/function-cloud-tags/tags"
	"github.com/plexsphere/function-cloud-tags/tags/locate"
)

// TestStampTwice tests that a second step with reserved keys, and with sources of its own, keeps the tags that the first step has from
// trusted sources.
func TestStampTwice(t *testing.T) {
	cases := map[string]struct {
		reason string

		// reserved has the reserved keys of the first step.
		reserved []string
		policy   tags.Conflict
	}{
		"Reserved": {reason: "Both steps reserve the key.", reserved: []string{"zone"}, policy: tags.Retain},
		"OnlyLater": {
			reason: "Only the second step reserves the key, so the first step has to record its tag all the same.", policy: tags.Replace,
		},
	}

	for name, tc := range cases {
		for kind, s := range shapes {
			t.Run(name+"/"+kind, func(t *testing.T) {
				step := func(earlier map[string]map[string]string, r *structpb.Struct, reserved []string, set ...tags.Label) *Outcome {
					stamper := &Stamper{
						Finder: locate.Finder{
							Input:      &v1beta1.CloudTags{Sources: []v1beta1.Source{{OnConflict: tc.policy}}},
							Provider:   "aws",
							NewLocator: everywhere(s.field),
						},
						Transformer: reserving(reserved, under(tc.policy, set...)...),
						Options:     Options{EarlierTrustedTags: earlier},
					}

					out, err := stampAll(stamper, map[string]*fnv1.Resource{"r": {Resource: r}})
					if err != nil {
						t.Fatal(err)
					}

					return out
				}

				first := step(nil, thing(s.spec("ours:zone", "forged")), tc.reserved, trusted(label("zone", "a")), label("x", "y"))
				trusted := first.Results[0].Trusted
				second := step(map[string]map[string]string{"r": trusted}, first.Changed["r"].Struct(), []string{"zone"})

				if diff := cmp.Diff([]string{`r trusts: ["ours:zone" "a"]`}, lines(second, nil)); diff != "" {
					t.Errorf("\n%s\nStamp(...) of the second step: -want, +got:\n%s", tc.reason, diff)
				}
			})
		}
	}
}
