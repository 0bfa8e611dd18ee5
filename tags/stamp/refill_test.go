package stamp

import (
	"testing"

	"google.golang.org/protobuf/types/known/structpb"
	k8sschema "k8s.io/apimachinery/pkg/runtime/schema"

	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"
	"github.com/crossplane/function-sdk-go/resource"

	"github.com/plexsphere/function-cloud-tags/input/v1beta1"
	"github.com/plexsphere/function-cloud-tags/tags"
	"github.com/plexsphere/function-cloud-tags/tags/field"
	"github.com/plexsphere/function-cloud-tags/tags/object"
	"github.com/plexsphere/function-cloud-tags/tags/tagstest"
	"github.com/plexsphere/function-cloud-tags/tags/target"
)

// TestStampRefilled tests fields that have no tags any more, of providers that fill those
// that aren't there.
func TestStampRefilled(t *testing.T) {
	g := tagstest.NewGolden(t)

	const emptied = `"annotations": {"cloudtags.fn.plexsphere.com/emptied": "true"}`

	refilled := field.Field{Path: object.MustParsePath("spec.forProvider.tags"), Shape: field.Map, LateInit: true}

	atomic, keyed, set, stays, fillsEmpty := refilled, refilled, refilled, refilled, refilled
	atomic.Atomic = true
	keyed.Shape, keyed.Key, keyed.Value = field.KeyValueList, "key", "value"
	set.Shape, set.Separator = field.StringList, "="
	stays.LastStays = true
	fillsEmpty.LastStays, fillsEmpty.LateInit = true, false

	atomicList := keyed
	atomicList.Atomic = true

	// managed returns a resource with the metadata, managementPolicies and value of the field.
	managed := func(metadata, policies, value string) *structpb.Struct {
		if value != "" {
			value = `, "tags": ` + value
		}

		if policies != "" {
			policies = `"managementPolicies": ` + policies + `, `
		}

		return resource.MustStructJSON(tagstest.Thing(`"metadata": {` + metadata + `}, "spec": {` + policies + `"forProvider": {"region": "a"` + value + `}}`))
	}

	// of returns a resource with the metadata and value of the field.
	of := func(metadata, value string) *structpb.Struct { return managed(metadata, "", value) }

	// owners returns metadata that says who owns which tags.
	owners := func(ours, others string) string {
		owner := func(manager, fields string) string {
			return `{"manager": "` + manager + `", "fieldsV1": {"f:spec": {"f:forProvider": {"f:region": {}, "f:tags": {` + fields + `}}}}}`
		}

		return `"managedFields": [` + owner("apiextensions.crossplane.io/composed/0a1b", ours) + `, ` + owner("provider", others) + `]`
	}

	native := atomicList
	native.Path, native.LateInit = object.MustParsePath("spec.tags"), false

	// alone returns a resource with the metadata and the spec.
	alone := func(metadata, spec string) *structpb.Struct {
		if spec != "" {
			spec = `, "spec": ` + spec
		}

		return resource.MustStructJSON(tagstest.Thing(`"metadata": {` + metadata + `}` + spec))
	}

	// ownedWhole returns what a manager has that owns the native field.
	ownedWhole := func(manager string) string {
		return `{"manager": "` + manager + `", "fieldsV1": {"f:spec": {"f:tags": {}}}}`
	}

	cases := map[string]struct {
		reason   string
		field    field.Field
		labels   []tags.Label
		observed *structpb.Struct
		desired  *structpb.Struct

		// schema of the tag field, if it is at hand.
		schema string
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
		"Atomic":          {reason: "Server-side apply replaces an atomic map as a whole, so that it can be empty at once.", field: atomic, observed: of(``, `{"ours:a": "1"}`), desired: of(``, ``)},
		"AtomicFilled":    {reason: "That also takes away what the provider has filled in.", field: atomicList, observed: of(`"managedFields": [{"manager": "provider", "fieldsV1": {"f:spec": {"f:forProvider": {"f:tags": {}}}}}]`, `[{"key": "ours:a", "value": "1"}]`), desired: of(``, ``)},
		"AtomicDropped":   {reason: "An atomic list that the provider has dropped should not come back.", field: atomicList, observed: of(``, ``), desired: of(``, ``)},

		"Alone":            {reason: "Server-side apply would make null of an object in which nothing is left. An atomic field stays there without tags, whether the provider fills it or not.", field: native, observed: alone(`"managedFields": [`+ownedWhole("apiextensions.crossplane.io/composed/0a1b")+`]`, `{"tags": [{"key": "ours:a", "value": "1"}]}`), desired: alone(``, `{}`)},
		"AloneEmpty":       {reason: "It stays there as long as it is alone.", field: native, observed: alone(`"managedFields": [`+ownedWhole("apiextensions.crossplane.io/composed/0a1b")+`]`, `{"tags": []}`), desired: alone(``, `{}`)},
		"AloneGone":        {reason: "It doesn't come back once it has gone.", field: native, observed: alone(``, `{}`), desired: alone(``, `{}`)},
		"AloneOthers":      {reason: "What another field manager owns stays, and the object with it.", field: native, observed: alone(`"managedFields": [`+ownedWhole("provider")+`]`, `{"tags": [{"key": "b", "value": "1"}]}`), desired: alone(``, `{}`)},
		"AloneNotDesired":  {reason: "An object that earlier steps don't desire goes as a whole.", field: native, observed: alone(`"managedFields": [`+ownedWhole("apiextensions.crossplane.io/composed/0a1b")+`]`, `{"tags": [{"key": "ours:a", "value": "1"}]}`), desired: alone(``, ``)},
		"AloneNoMore":      {reason: "With another field in the object, the tag field goes.", field: native, observed: alone(`"managedFields": [`+ownedWhole("apiextensions.crossplane.io/composed/0a1b")+`]`, `{"tags": [{"key": "ours:a", "value": "1"}]}`), desired: alone(``, `{"vpc": "v"}`)},
		"AloneBesideFound": {reason: "So it does if somebody else has another field there.", field: native, observed: alone(`"managedFields": [`+ownedWhole("apiextensions.crossplane.io/composed/0a1b")+`]`, `{"tags": [{"key": "ours:a", "value": "1"}], "vpc": "v"}`), desired: alone(``, `{}`)},

		"KeyedOurs":    {reason: "Server-side apply would make null of a keyed list, too.", field: keyed, observed: of(owners(`"k:{\"key\":\"ours:a\"}": {".": {}, "f:key": {}, "f:value": {}}`, ``), `[{"key": "ours:a", "value": "1"}]`), desired: of(``, ``)},
		"KeyedShared":  {reason: "A keyed list in which somebody else has tags, too, is written empty: theirs stay.", field: keyed, observed: of(owners(`"k:{\"key\":\"ours:a\"}": {".": {}, "f:key": {}, "f:value": {}}`, `"k:{\"key\":\"b\"}": {".": {}, "f:key": {}, "f:value": {}}`), `[{"key": "ours:a", "value": "1"}, {"key": "b", "value": "2"}]`), desired: of(``, ``)},
		"KeyedGone":    {reason: "The list comes back without tags.", field: keyed, observed: of(emptied, ``), desired: of(``, ``)},
		"SetOurs":      {reason: "Server-side apply would make null of a set, too.", field: set, observed: of(owners(`"v:\"ours:a=1\"": {}`, ``), `["ours:a=1"]`), desired: of(``, ``)},
		"SetWords":     {reason: "A word is a tag, too.", field: set, observed: of(owners(``, `"v:\"word\"": {}`), `["word"]`), desired: of(``, ``)},
		"SetEmpty":     {reason: "What is empty should stay until the provider drops it.", field: set, observed: of(owners(``, ``), `[]`), desired: of(``, ``)},
		"ListOnlyOwn":  {reason: "The provider fills no list that has its own tags.", field: keyed, observed: of(owners(``, `"k:{\"key\":\"crossplane-kind\"}": {}`), `[{"key": "crossplane-kind", "value": "x"}]`), desired: of(``, ``)},
		"ListNotEmpty": {reason: "Tags that come meanwhile should be there.", field: set, labels: []tags.Label{label("a", "1")}, observed: of(emptied, ``), desired: of(``, ``)},

		"Policies":         {reason: "While the field is gone, the provider should fill nothing.", field: refilled, observed: managed(owners(`"f:ours:a": {}`, ``), `["*"]`, `{"ours:a": "1"}`), desired: of(``, ``)},
		"PoliciesDesired":  {reason: "What earlier steps have of policies is kept but for that, and remembered.", field: refilled, observed: managed(owners(`"f:ours:a": {}`, ``), `["*"]`, `{"ours:a": "1"}`), desired: managed(``, `["Observe", "LateInitialize", "Update"]`, ``)},
		"PoliciesWithout":  {reason: "A provider that fills nothing needs no other policies.", field: refilled, observed: managed(owners(`"f:ours:a": {}`, ``), `["*"]`, `{"ours:a": "1"}`), desired: managed(``, `["Observe", "Update"]`, ``)},
		"PoliciesBack":     {reason: "Once the field is there again, the policies should be as they were.", field: refilled, observed: managed(`"annotations": {"cloudtags.fn.plexsphere.com/emptied": "null"}`, `["Observe", "Create", "Update", "Delete"]`, ``), desired: of(``, ``)},
		"SecondStep":       {reason: "A second step without tags does what the first one has done.", field: refilled, observed: managed(owners(`"f:ours:a": {}`, ``), `["*"]`, `{"ours:a": "1"}`), desired: managed(`"annotations": {"cloudtags.fn.plexsphere.com/emptied": "null"}`, `["Observe", "Create", "Update", "Delete"]`, ``)},
		"SecondStepTags":   {reason: "A second step that has tags undoes what the first one has done.", field: refilled, labels: []tags.Label{label("b", "1")}, observed: managed(owners(`"f:ours:a": {}`, ``), `["*"]`, `{"ours:a": "1"}`), desired: managed(`"annotations": {"cloudtags.fn.plexsphere.com/emptied": "null"}`, `["Observe", "Create", "Update", "Delete"]`, ``)},
		"SecondStepGiven":  {reason: "So are policies of earlier steps.", field: refilled, labels: []tags.Label{label("b", "1")}, observed: managed(owners(`"f:ours:a": {}`, ``), `["*"]`, `{"ours:a": "1"}`), desired: managed(`"annotations": {"cloudtags.fn.plexsphere.com/emptied": "[\"*\"]"}`, `["Observe", "Create", "Update", "Delete"]`, ``)},
		"SecondStepForged": {reason: "What nobody has written changes no policies.", field: refilled, labels: []tags.Label{label("b", "1")}, observed: of(``, ``), desired: managed(`"annotations": {"cloudtags.fn.plexsphere.com/emptied": "x"}`, `["Observe", "Update"]`, ``)},

		"Stays":          {reason: "Where an empty field doesn't take the cloud's tags away, that is told. It is empty all the same, so that they go with the next label.", field: stays, observed: of(owners(`"f:ours:a": {}`, `"f:b": {}`), `{"ours:a": "1", "b": "2"}`), desired: of(``, ``)},
		"StaysEmpty":     {reason: "It is told as long as it is so.", field: stays, observed: of(``, `{}`), desired: of(``, ``)},
		"StaysNothing":   {reason: "Nothing stays where nothing was.", field: stays, observed: of(``, ``), desired: of(``, ``)},
		"StaysBesideOne": {reason: "While there are tags, others go.", field: stays, labels: []tags.Label{label("a", "1")}, observed: of(``, `{"ours:b": "1"}`), desired: of(``, ``)},
		"NeverEmpty":     {reason: "Where the schema wants at least one tag, the field goes, and the provider fills it.", field: refilled, schema: `{"type": "object", "minProperties": 1}`, observed: of(``, `{"ours:a": "1"}`), desired: of(``, ``)},
		"FillsEmpty":     {reason: "A provider that fills what is empty, too, gets no empty field, or both would write it for ever.", field: fillsEmpty, observed: of(``, `{"ours:a": "1"}`), desired: of(``, `{}`)},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			s := &Stamper{
				Finder: target.Finder{
					Input:    &v1beta1.CloudTags{Sources: []v1beta1.Source{{OnConflict: tags.Retain}}},
					Provider: "aws",
					Fields:   everywhere(tc.field),
					Owner:    "apiextensions.crossplane.io/composed/0a1b",
					Observed: map[string]*fnv1.Resource{"r": {Resource: tc.observed}},
				},
				Transformer: transformer(tc.labels...),
			}

			if tc.schema != "" {
				schema := resource.MustStructJSON(`{"properties": {"spec": {"properties": {"forProvider": {"properties": {"tags": ` + tc.schema + `}}}}}}`)
				s.Schemas = field.Schemas{Given: func(k8sschema.GroupVersionKind) object.Node { return object.Tree(schema).Node() }}
			}

			check(t, g, tc.reason, s, map[string]*fnv1.Resource{"r": {Resource: tc.desired}})
		})
	}
}
