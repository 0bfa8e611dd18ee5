package stamp

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"
	"google.golang.org/protobuf/types/known/structpb"

	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"

	"github.com/plexsphere/function-cloud-tags/input/v1beta1"
	"github.com/plexsphere/function-cloud-tags/tags"
	"github.com/plexsphere/function-cloud-tags/tags/locate"
)

// TestStampTwice tests that a second step with the same reserved keys, and with sources of its own, keeps the tags that
// the first step has from trusted sources.
func TestStampTwice(t *testing.T) {
	for kind, s := range shapes {
		t.Run(kind, func(t *testing.T) {
			step := func(earlier map[string]map[string]string, r *structpb.Struct, set ...tags.Label) *Outcome {
				stamper := &Stamper{
					Finder: locate.Finder{
						Input:      &v1beta1.CloudTags{Sources: []v1beta1.Source{{OnConflict: tags.Retain}}},
						Provider:   "aws",
						NewLocator: everywhere(s.field),
					},
					Transformer:        reserving([]string{"zone"}, set...),
					EarlierTrustedTags: earlier,
				}

				out, err := stampAll(stamper, map[string]*fnv1.Resource{"r": {Resource: r}})
				if err != nil {
					t.Fatal(err)
				}

				return out
			}

			first := step(nil, thing(s.spec("ours:zone", "forged")), trusted(label("zone", "a")), label("x", "y"))
			trusted := first.Results[0].Trusted
			second := step(map[string]map[string]string{"r": trusted}, first.Changed["r"].Struct())

			if diff := cmp.Diff([]string{fmt.Sprintf("r trusts: %q", keysAndValues(trusted))}, lines(second, nil)); diff != "" {
				t.Errorf("Stamp(...) of the second step: -want, +got:\n%s", diff)
			}
		})
	}
}
