package report

import (
	"slices"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/crossplane/function-sdk-go/errors"
	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"

	"github.com/plexsphere/function-cloud-tags/input/v1beta1"
	"github.com/plexsphere/function-cloud-tags/tags"
	"github.com/plexsphere/function-cloud-tags/tags/object"
	"github.com/plexsphere/function-cloud-tags/tags/profile"
	"github.com/plexsphere/function-cloud-tags/tags/require"
	"github.com/plexsphere/function-cloud-tags/tags/resolve"
	"github.com/plexsphere/function-cloud-tags/tags/stamp"
	"github.com/plexsphere/function-cloud-tags/tags/tagstest"
)

// TestRequired tests the responses of runs that need an object and a schema.
func TestRequired(t *testing.T) {
	required := require.New(&fnv1.RunFunctionRequest{Meta: &fnv1.RequestMeta{Capabilities: []fnv1.Capability{
		fnv1.Capability_CAPABILITY_CAPABILITIES, fnv1.Capability_CAPABILITY_REQUIRED_RESOURCES, fnv1.Capability_CAPABILITY_REQUIRED_SCHEMAS,
	}}})
	required.Resources(&fnv1.ResourceSelector{ApiVersion: "v1", Kind: "Namespace", Match: &fnv1.ResourceSelector_MatchName{MatchName: "team-a"}})
	required.RequireSchemas(slices.Values([]schema.GroupVersionKind{{Group: "example.org", Version: "v1", Kind: "Bucket"}}))

	run := Run{
		Required: required,
		Input:    &v1beta1.CloudTags{TTL: v1beta1.Duration{Duration: time.Minute}, StatusFieldPath: object.MustParsePath("status.cloudTags"), ToContextKey: "example.org/resolved"},
	}
	set := resolve.LabelSet{
		Labels:       []tags.Label{{QualifiedKey: "a", TagKey: "a", Value: "1", Source: &tags.Source{Name: "sources[0]"}}},
		Classes:      map[string]object.Object{"grade": object.FromStruct(tagstest.MustStructJSON(`{"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"namespace": "", "name": "gold"}}`))},
		EmptySources: []resolve.SourceNote{{Source: "sources[1]", Why: "there is no spec.labelz"}},
	}

	play(t, map[string]scene{
		"Waiting": {
			reason:  "A call that only waits says nothing but what it waits for, and how long the answer holds. Nothing is logged or counted.",
			run:     run,
			respond: (*Run).AskAgain,
		},
		"Success": {
			reason:  "A call requires what it needed again, or Crossplane would never be done with asking.",
			run:     run,
			outcome: Facts{Set: set, Outcome: stamp.Outcome{Skips: []stamp.Skip{skip("aws", "a", profile.KeyTooLong, "at most 128 characters")}}},
		},
		"Fatal": {
			reason:  "A call that fails requires nothing, and isn't counted.",
			run:     run,
			respond: failing(Fail(ReasonLimitExceeded, errors.New("a"))),
		},
	})
}
