package stamp

import (
	"testing"

	"google.golang.org/protobuf/types/known/structpb"

	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"
	"github.com/crossplane/function-sdk-go/resource"

	"github.com/plexsphere/function-cloud-tags/input/v1beta1"
	"github.com/plexsphere/function-cloud-tags/tags"
	"github.com/plexsphere/function-cloud-tags/tags/field"
	"github.com/plexsphere/function-cloud-tags/tags/object"
	"github.com/plexsphere/function-cloud-tags/tags/tagstest"
)

// TestStampRefilled tests fields that have no tags any more, of providers that fill those
// that aren't there.
func TestStampRefilled(t *testing.T) {
	g := tagstest.NewGolden(t)

	const emptied = `"annotations": {"cloudtags.fn.plexsphere.com/emptied": "true"}`

	refilled := field.Field{Path: object.MustParsePath("spec.forProvider.tags"), Shape: field.Map, LateInit: true}

	// of returns a resource with the supplied metadata and value of the field.
	of := func(metadata, value string) *structpb.Struct {
		if value != "" {
			value = `, "tags": ` + value
		}

		return resource.MustStructJSON(tagstest.Thing(`"metadata": {` + metadata + `}, "spec": {"forProvider": {"region": "a"` + value + `}}`))
	}

	// owners returns metadata that says who owns which tags.
	owners := func(ours, others string) string {
		owner := func(manager, fields string) string {
			return `{"manager": "` + manager + `", "fieldsV1": {"f:spec": {"f:forProvider": {"f:region": {}, "f:tags": {` + fields + `}}}}}`
		}

		return `"managedFields": [` + owner("apiextensions.crossplane.io/composed/0a1b", ours) + `, ` + owner("provider", others) + `]`
	}

	cases := map[string]struct {
		reason   string
		field    field.Field
		labels   []tags.Label
		observed *structpb.Struct
		desired  *structpb.Struct
	}{
		"NobodySaysWhose": {reason: "A map whose last tag goes should be empty, so that the provider doesn't fill it.", field: refilled, observed: of(``, `{"ours:a": "1"}`), desired: of(``, ``)},
		"Ours":            {reason: "Server-side apply would make null of a map in which nobody else has tags. It should go first.", field: refilled, observed: of(owners(`"f:ours:a": {}, "f:ours:b": {}`, ``), `{"ours:a": "1", "ours:b": "2"}`), desired: of(`"labels": {"x": "y"}`, ``)},
		"OursThoughEmpty": {reason: "An earlier step's empty map would become null, too.", field: refilled, observed: of(owners(`"f:ours:a": {}`, ``), `{"ours:a": "1"}`), desired: of(``, `{}`)},
		"Shared":          {reason: "A tag that somebody else owns too stays, so the map is not made null.", field: refilled, observed: of(owners(`"f:ours:a": {}`, `"f:ours:a": {}`), `{"ours:a": "1"}`), desired: of(``, ``)},
		"Providers":       {reason: "With the provider's own tags, the map is not made null.", field: refilled, observed: of(owners(`"f:ours:a": {}`, `"f:crossplane-kind": {}`), `{"ours:a": "1", "crossplane-kind": "x"}`), desired: of(``, ``)},
		"OnlyProviders":   {reason: "The provider fills no map that has its own tags.", field: refilled, observed: of(owners(``, `"f:crossplane-kind": {}`), `{"crossplane-kind": "x"}`), desired: of(``, ``)},
		"Gone":            {reason: "What has gone should be there again, without tags, before the provider fills it.", field: refilled, observed: of(owners(``, ``)+`, `+emptied, ``), desired: of(``, ``)},
		"Empty":           {reason: "What is empty should stay until the provider drops it.", field: refilled, observed: of(owners(``, ``), `{}`), desired: of(``, ``)},
		"Dropped":         {reason: "What the provider has dropped, and what was never there, should not come back.", field: refilled, observed: of(owners(``, ``), ``), desired: of(``, ``)},
		"TaggedAgain":     {reason: "Tags that come meanwhile should be there, and nothing else.", field: refilled, labels: []tags.Label{label("a", "1")}, observed: of(emptied, ``), desired: of(``, ``)},
		"NotFilled":       {reason: "A provider that fills nothing needs no empty map.", field: field.Field{Path: object.MustParsePath("spec.forProvider.tags"), Shape: field.Map}, observed: of(owners(`"f:ours:a": {}`, ``), `{"ours:a": "1"}`), desired: of(``, ``)},
		"Atomic":          {reason: "Server-side apply removes an atomic map as a whole.", field: field.Field{Path: object.MustParsePath("spec.forProvider.tags"), Shape: field.Map, LateInit: true, Atomic: true}, observed: of(``, `{"ours:a": "1"}`), desired: of(``, ``)},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			s := &Stamper{
				Input:       &v1beta1.CloudTags{Sources: []v1beta1.Source{{OnConflict: v1beta1.ConflictPolicyRetain}}},
				Provider:    "aws",
				Transformer: transformer(tc.labels...),
				Fields:      everywhere(tc.field),
				Owner:       "apiextensions.crossplane.io/composed/0a1b",
				Observed:    map[string]*fnv1.Resource{"r": {Resource: tc.observed}},
			}

			check(t, g, tc.reason, s, map[string]*fnv1.Resource{"r": {Resource: tc.desired}})
		})
	}
}
