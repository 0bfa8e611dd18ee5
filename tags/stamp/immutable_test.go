package stamp

import (
	"testing"

	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"
	"github.com/crossplane/function-sdk-go/resource"

	"github.com/plexsphere/function-cloud-tags/input/v1beta1"
	"github.com/plexsphere/function-cloud-tags/tags"
	"github.com/plexsphere/function-cloud-tags/tags/field"
	"github.com/plexsphere/function-cloud-tags/tags/object"
	"github.com/plexsphere/function-cloud-tags/tags/resolve"
	"github.com/plexsphere/function-cloud-tags/tags/tagstest"
	"github.com/plexsphere/function-cloud-tags/tags/target"
)

// Fields that can't change, as the families have them.
var (
	immutableTags = field.Field{
		Path: object.MustParsePath("spec.forProvider.tags"), Shape: field.Map, LateInit: true, Immutable: true, ProviderTags: tags.ProvidersKeys(),
		Observed: []object.Path{object.MustParsePath("status.atProvider.tagsAll"), object.MustParsePath("status.atProvider.tags")},
	}
	immutableLabels = field.Field{
		Path: object.MustParsePath("spec.forProvider.labels"), Shape: field.Map, LateInit: true, Immutable: true,
		Observed: []object.Path{object.MustParsePath("status.atProvider.effectiveLabels"), object.MustParsePath("status.atProvider.labels")},
	}
	immutableList = field.Field{
		Path: object.MustParsePath("spec.forProvider.tag"), Shape: field.KeyValueList, Key: "scope", Value: "tag", Atomic: true, Immutable: true,
		Observed: []object.Path{object.MustParsePath("status.atProvider.tag")},
	}
	immutableWords = field.Field{
		Path: object.MustParsePath("spec.forProvider.tags"), Shape: field.StringList, Separator: "=", Immutable: true,
		Observed: []object.Path{object.MustParsePath("status.atProvider.tags")},
	}
	unreported = field.Field{Path: object.MustParsePath("spec.forProvider.tags"), Shape: field.Map, LateInit: true, Immutable: true}
)

// TestStampImmutable tests tag fields that can't change once the resource is made. Labels should
// become the tags ours:a=1 and ours:b=2.
func TestStampImmutable(t *testing.T) {
	g := tagstest.NewGolden(t)

	const (
		pending   = `"crossplane.io/external-create-pending": `
		succeeded = `"crossplane.io/external-create-succeeded": `
		failed    = `"crossplane.io/external-create-failed": `

		noon, later = `"2026-01-01T12:00:00Z"`, `"2026-01-01T12:00:01Z"`

		stuck = `"conditions": [{"type": "Ready", "status": "True"}, {"type": "Synced", "status": "False", "reason": "ReconcileError"}]`
	)

	both := []tags.Label{label("a", "1"), label("b", "2")}

	cases := map[string]struct {
		reason string
		field  field.Field
		labels []tags.Label

		// annotations, forProvider and status of the observed resource, which is not there without a
		// status, and what earlier steps set below spec.forProvider.
		annotations, forProvider, status, desired string

		remove, ignore []resolve.TagKey
		reserved       []string
		policy         tags.Conflict
	}{
		"NeverObserved":     {reason: "A resource that isn't there yet is tagged like any other.", field: immutableTags, labels: both},
		"NeverMade":         {reason: "One that its provider hasn't begun to make can change.", field: immutableTags, labels: both, forProvider: `"tags": {"ours:a": "0"}`, status: `{}`},
		"NothingReported":   {reason: "A report without anything in it is none.", field: immutableTags, labels: both, forProvider: `"tags": {"ours:a": "0"}`, status: `{"atProvider": {}, "conditions": []}`},
		"FailedToMake":      {reason: "One that could not be made can change, and may be made with what it has then.", field: immutableTags, labels: both, annotations: pending + noon + `, ` + failed + later, forProvider: `"tags": {"ours:a": "0"}`, status: `{}`},
		"FailedAtOnce":      {reason: "What failed in the second in which it began has failed, as crossplane-runtime has it.", field: immutableTags, labels: both, annotations: pending + noon + `, ` + failed + noon, forProvider: `"tags": {"ours:a": "0"}`, status: `{}`},
		"FailedThenPending": {reason: "One that is being made again may have been made.", field: immutableTags, labels: both, annotations: pending + later + `, ` + failed + noon, forProvider: `"tags": {"ours:a": "0"}`, status: `{}`},
		"FailedThenMade":    {reason: "What was made in the end keeps its tags, though nothing is reported yet.", field: immutableTags, labels: both, annotations: pending + noon + `, ` + failed + noon + `, ` + succeeded + later, forProvider: `"tags": {"ours:a": "0"}`, status: `{}`},
		"FailedNoTime":      {reason: "An annotation that is no time counts as absent, as crossplane-runtime has it.", field: immutableTags, labels: both, annotations: pending + `"soon"`, forProvider: `"tags": {"ours:a": "0"}`, status: `{}`},
		"FailedThenSeen":    {reason: "What is reported is there, whatever failed.", field: immutableTags, labels: both, annotations: failed + later, forProvider: `"tags": {"ours:a": "0"}`, status: `{"atProvider": {"id": "x", "tags": {"ours:a": "0"}}}`},

		"BeforeTheStep":    {reason: "A resource without tags that was there before the step stays without.", field: immutableTags, labels: both, status: `{"atProvider": {"id": "x"}}`},
		"BeforeTheStepOwn": {reason: "The tags of the Composition stay, which it was made with.", field: immutableTags, labels: both, forProvider: `"tags": {"Name": "x", "crossplane-kind": "y"}`, status: `{"atProvider": {"tags": {"Name": "x", "crossplane-kind": "y"}, "tagsAll": {"Name": "x", "crossplane-kind": "y"}}}`, desired: `"tags": {"Name": "x"}`},
		"MadeWithLabels":   {reason: "A resource that was made with the labels doesn't change, and nothing is said.", field: immutableTags, labels: both, forProvider: `"tags": {"ours:a": "1", "ours:b": "2"}`, status: `{"atProvider": {"tags": {"ours:a": "1", "ours:b": "2"}}}`},
		"JustMade":         {reason: "While none are reported, the observed field has them.", field: immutableTags, labels: []tags.Label{label("a", "9")}, annotations: succeeded + noon, forProvider: `"tags": {"ours:a": "1", "crossplane-kind": "y"}`, status: `{"atProvider": {"id": "x"}}`},
		"NeverReported":    {reason: "Where none are reported, the observed field has them.", field: unreported, labels: []tags.Label{label("a", "9")}, forProvider: `"tags": {"ours:a": "1"}`, status: `{"atProvider": {"id": "x"}, ` + stuck + `}`},
		"LabelsGone":       {reason: "The tags stay when the labels have gone.", field: immutableTags, forProvider: `"tags": {"ours:a": "1"}`, status: `{"atProvider": {"tags": {"ours:a": "1"}}}`},

		"Stuck":           {reason: "What is stuck comes free by the tags that the cloud has.", field: immutableTags, labels: both, forProvider: `"tags": {"ours:a": "1", "ours:b": "2"}`, status: `{"atProvider": {"tags": {"ours:a": "0"}}, ` + stuck + `}`, desired: `"tags": {"Name": "new"}`},
		"StuckWithout":    {reason: "A provider that refuses an update and reports no tags of a kind of which it reports some has none.", field: immutableLabels, labels: both, forProvider: `"labels": {"ours:a": "1"}`, status: `{"atProvider": {"id": "x"}, ` + stuck + `}`},
		"Paused":          {reason: "A resource that is paused is not stuck.", field: immutableLabels, labels: both, forProvider: `"labels": {"ours:a": "1"}`, status: `{"atProvider": {"id": "x"}, "conditions": [{"type": "Synced", "status": "False", "reason": "ReconcilePaused"}]}`},
		"ReportedEmpty":   {reason: "An empty report is one of no tags.", field: immutableLabels, labels: both, forProvider: `"labels": {"ours:a": "1"}`, status: `{"atProvider": {"labels": {}}}`},
		"Imported":        {reason: "What is imported gets the tags that it has.", field: immutableTags, labels: both, forProvider: `"tags": {"ours:a": "1", "ours:b": "2"}`, status: `{"atProvider": {"tags": {"Name": "x", "owner": "y"}}}`},
		"ImportedLabels":  {reason: "Google's labels that the cloud lacks are reported without a value.", field: immutableLabels, labels: both, forProvider: `"labels": {"ours:a": "1", "ours:b": "2"}`, status: `{"atProvider": {"labels": {"ours:a": "", "ours:b": "2"}, "effectiveLabels": {"ours:b": "2", "goog-managed": "x"}}}`},
		"ImportedWithout": {reason: "If the cloud has none of these labels, the field goes.", field: immutableLabels, labels: both, forProvider: `"labels": {"ours:a": "1"}`, status: `{"atProvider": {"labels": {"ours:a": ""}, "effectiveLabels": {"team": "x"}}}`, desired: `"labels": {"ours:c": "3"}, "name": "x"`},
		"ReservedKeys":    {reason: "Keys that cloud or provider reserve can't be desired.", field: immutableTags, status: `{"atProvider": {"tags": {"aws:cloudformation:stack-name": "x", "crossplane-name": "y", "Name": "z"}}}`},

		"RemoveTags":    {reason: "removeTags takes no tag away.", field: immutableTags, labels: both, remove: []resolve.TagKey{{Pattern: "ours:a"}, {Pattern: "Name"}}, forProvider: `"tags": {"Name": "x"}`, status: `{"atProvider": {"tags": {"Name": "x"}}}`, desired: `"tags": {"Name": "x"}`},
		"RemoveLabel":   {reason: "A label that is there, though it should be removed, is named.", field: immutableTags, labels: both, remove: []resolve.TagKey{{Pattern: "ours:a"}}, status: `{"atProvider": {"tags": {"ours:a": "0", "ours:b": "2"}}}`},
		"IgnoreTags":    {reason: "ignoreTags adopts none of those that are reported elsewhere.", field: immutableLabels, labels: both, ignore: []resolve.TagKey{{Pattern: "backup"}}, status: `{"atProvider": {"labels": {"ours:a": "1"}, "effectiveLabels": {"ours:a": "1", "backup": "x"}}}`},
		"Trusted":       {reason: "Not even a trusted source changes a reserved key.", field: immutableTags, labels: []tags.Label{trusted(label("a", "1"))}, reserved: []string{"ours:a"}, status: `{"atProvider": {"tags": {"ours:a": "forged"}}}`},
		"TrustedThere":  {reason: "A trusted tag that is there is told to later steps.", field: immutableTags, labels: []tags.Label{trusted(label("a", "1"))}, reserved: []string{"ours:a"}, status: `{"atProvider": {"tags": {"ours:a": "1"}}}`},
		"Error":         {reason: "What nobody sets is in nobody's way.", field: immutableTags, labels: both, policy: tags.Refuse, status: `{"atProvider": {"tags": {"ours:a": "0"}}}`, desired: `"tags": {"ours:a": "5"}`},
		"OtherShape":    {reason: "A report of another shape is none.", field: immutableTags, labels: both, forProvider: `"tags": {"ours:a": "0"}`, status: `{"atProvider": {"tags": ["ours:a"]}}`},
		"Unreadable":    {reason: "Without any that can be read, the field is left alone.", field: immutableTags, labels: both, forProvider: `"tags": ["ours:a"]`, status: `{"atProvider": {"id": "x"}}`, desired: `"tags": {"Name": "x"}`},
		"DesiredBroken": {reason: "What an earlier step has in another shape makes way for what is there.", field: immutableTags, labels: both, status: `{"atProvider": {"tags": {"Name": "x"}}}`, desired: `"tags": "x"`},

		"List":       {reason: "A list that is replaced as a whole has all that is reported, in its order.", field: immutableList, labels: both, forProvider: `"tag": [{"scope": "z", "tag": "1"}, {"scope": "crossplane-kind", "tag": "2"}]`, status: `{"atProvider": {"tag": [{"scope": "crossplane-kind", "tag": "2"}, {"scope": "z", "tag": "1"}]}}`},
		"StuckList":  {reason: "So a list that is stuck comes free.", field: immutableList, labels: both, forProvider: `"tag": [{"scope": "z", "tag": "1"}, {"scope": "ours:a", "tag": "1"}]`, status: `{"atProvider": {"tag": [{"scope": "z", "tag": "1"}]}}`, desired: `"tag": [{"scope": "z", "tag": "1"}]`},
		"StuckWords": {reason: "Words are no less tags.", field: immutableWords, labels: both, forProvider: `"tags": ["web", "ours:a=1", "ours:b=2"]`, status: `{"atProvider": {"tags": ["ours:a=0", "ours:b=2", "web"]}}`, desired: `"tags": ["web"]`},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			in := &v1beta1.CloudTags{Sources: []v1beta1.Source{{OnConflict: tags.Replace}}}
			if tc.policy != "" {
				in.Sources[0].OnConflict = tc.policy
			}

			s := &Stamper{
				Finder: target.Finder{
					Input:    in,
					Provider: "aws",
					Fields:   everywhere(tc.field),
				},
				Transformer: reserving(tc.reserved, from(in.Sources, tc.labels...)...),
				Remove:      tc.remove, Ignore: tc.ignore,
			}

			if tc.status != "" {
				s.Observed = map[string]*fnv1.Resource{"r": {Resource: resource.MustStructJSON(
					`{"apiVersion": "example.org/v1", "kind": "Thing", "metadata": {"annotations": {` + tc.annotations + `}}, "spec": {"forProvider": {` + tc.forProvider + `}}, "status": ` + tc.status + `}`,
				)}}
			}

			check(t, g, tc.reason, s, desiring(`{"forProvider": {`+tc.desired+`}}`))
		})
	}
}
