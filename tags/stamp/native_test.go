package stamp

import (
	"testing"

	"google.golang.org/protobuf/types/known/structpb"
	"k8s.io/apimachinery/pkg/runtime/schema"

	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"
	"github.com/crossplane/function-sdk-go/resource"

	"github.com/plexsphere/function-cloud-tags/input/v1beta1"
	"github.com/plexsphere/function-cloud-tags/tags"
	"github.com/plexsphere/function-cloud-tags/tags/field"
	"github.com/plexsphere/function-cloud-tags/tags/object"
	"github.com/plexsphere/function-cloud-tags/tags/profile"
	"github.com/plexsphere/function-cloud-tags/tags/resolve"
	"github.com/plexsphere/function-cloud-tags/tags/tagstest"
	"github.com/plexsphere/function-cloud-tags/tags/target"
)

// with is a resource with the supplied metadata and spec.
func with(metadata, spec string) *structpb.Struct {
	return resource.MustStructJSON(`{"apiVersion": "example.org/v1", "kind": "Thing", "metadata": ` + metadata + `, "spec": ` + spec + `}`)
}

// TestStampNative tests what only resources of other controllers than Crossplane's have.
func TestStampNative(t *testing.T) {
	labelled := field.Field{Path: object.MustParsePath("metadata.labels"), Shape: field.Map, KubernetesLabels: true}
	list := field.Field{
		Path: object.MustParsePath("spec.tags"), Shape: field.KeyValueList, Key: "key", Value: "value", Atomic: true,
		ProviderTags: []string{"services.k8s.aws/controller-version", "services.k8s.aws/namespace"},
	}
	madeOnce := field.Field{Path: object.MustParsePath("spec.tags"), Shape: field.Map, OnRequest: true, Fixed: true}
	inside := field.Field{Path: object.MustParsePath("spec.resource.tags"), Shape: field.StringList, Separator: "=", Within: true}
	asked := field.Field{Shape: field.None, Path: object.MustParsePath("spec.tags"), OnRequest: true}

	cases := map[string]struct {
		reason            string
		field             field.Field
		labels            []tags.Label
		remove            []resolve.TagKey
		slots             int32
		desired, observed *structpb.Struct
	}{
		"LabelsNone":   {reason: "Labels of an object that has none should be made.", field: labelled, labels: labels(1), desired: with(`{}`, `{}`)},
		"LabelsOthers": {reason: "Labels with a slash should stay.", field: labelled, labels: labels(1), desired: with(`{"labels": {"app.kubernetes.io/name": "x", "team": "y"}}`, `{}`)},
		"LabelsCap":    {reason: "Labels with a slash should take no slot.", field: labelled, labels: labels(2), slots: 48, desired: with(`{"labels": {"a/b": "1", "a/c": "2", "a/d": "3"}}`, `{}`)},
		"LabelsRemove": {reason: "What removes all tags should not remove labels with a slash.", field: labelled, remove: keys("*"), desired: with(`{"labels": {"a/b": "1", "c": "2"}}`, `{}`)},
		"LabelsLast":   {reason: "The last label should go, and the metadata stay.", field: labelled, remove: keys("*"), desired: with(`{"labels": {"c": "2"}}`, `{}`)},
		"LabelsEqual":  {reason: "Labels that are there already are no change.", field: labelled, labels: labels(1), desired: with(`{"labels": {"a/b": "1", "ours_k00": "v"}}`, `{}`)},

		"ControllersKept": {
			reason: "What a controller has put into an atomic list should stay, or it would come back for ever.", field: list, labels: labels(1),
			desired:  with(`{}`, `{}`),
			observed: with(`{}`, `{"tags": [{"key": "services.k8s.aws/namespace", "value": "n"}, {"key": "other", "value": "o"}]}`),
		},
		"ControllersNotRemoved": {
			reason: "And nothing removes it.", field: list, labels: labels(1), remove: keys("services.k8s.aws/*"),
			desired:  with(`{}`, `{"tags": [{"key": "services.k8s.aws/x", "value": "n"}]}`),
			observed: with(`{}`, `{"tags": [{"key": "services.k8s.aws/namespace", "value": "n"}]}`),
		},
		"ControllersSlots": {reason: "It has slots before it is there.", field: list, labels: labels(3), slots: 47, desired: with(`{}`, `{}`)},

		"FixedFirst":   {reason: "A resource that isn't there yet should be made with tags.", field: madeOnce, labels: labels(1), desired: with(`{}`, `{}`)},
		"FixedSame":    {reason: "One that was made with these tags has them.", field: madeOnce, labels: labels(1), desired: with(`{}`, `{}`), observed: with(`{}`, `{"tags": {"ours:k00": "v"}}`)},
		"FixedOther":   {reason: "One that was made with others should keep those.", field: madeOnce, labels: labels(1), desired: with(`{}`, `{}`), observed: with(`{}`, `{"tags": {"x": "y"}}`)},
		"FixedNone":    {reason: "One that was made without should stay so.", field: madeOnce, labels: labels(1), desired: with(`{}`, `{"tags": {"x": "y"}}`), observed: with(`{}`, `{}`)},
		"FixedNothing": {reason: "Without labels there is nothing to say.", field: madeOnce, desired: with(`{}`, `{}`), observed: with(`{}`, `{}`)},

		"WithinThere":  {reason: "In an object that is there a field should be made.", field: inside, labels: labels(1), desired: with(`{}`, `{"resource": {}}`)},
		"WithinAbsent": {reason: "An object should not be made for a field.", field: inside, labels: labels(1), desired: with(`{}`, `{}`)},

		"NotAsked":   {reason: "What needs to be asked for should say so.", field: asked, labels: labels(1), desired: with(`{}`, `{}`)},
		"ReadOnly":   {reason: "A resource that its controller only reads is an adopted one.", field: list, labels: labels(1), desired: with(`{"annotations": {"services.k8s.aws/read-only": "true"}}`, `{}`)},
		"Skipped":    {reason: "So is one that its controller skips.", field: list, labels: labels(1), desired: with(`{"annotations": {"serviceoperator.azure.com/reconcile-policy": "skip"}}`, `{}`)},
		"Detached":   {reason: "But not one that it only doesn't delete.", field: list, labels: labels(1), desired: with(`{"annotations": {"serviceoperator.azure.com/reconcile-policy": "detach-on-delete"}}`, `{}`)},
		"Unmanaged":  {reason: "A field can say so, too.", field: list, labels: labels(1), desired: with(`{}`, `{"managementPolicy": "unmanaged"}`)},
		"ReadWrites": {reason: "All others are managed.", field: list, labels: labels(1), desired: with(`{"annotations": {"services.k8s.aws/read-only": "false"}}`, `{"managementPolicy": "managed"}`)},
	}

	g := tagstest.NewGolden(t)

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			s := &Stamper{
				Finder: target.Finder{
					Input:  &v1beta1.CloudTags{Provider: &v1beta1.StringSource{Value: "aws"}, ReservedTags: map[string]v1beta1.TagCount{"aws": v1beta1.TagCount(tc.slots)}, Sources: []v1beta1.Source{{}}},
					Fields: fixed(somewhere(tc.field)),
				},
				Transformer: transformer(under(tags.Replace, tc.labels...)...),
				Remove:      tc.remove,
			}

			// Keys of labels have no colon.
			if tc.field.KubernetesLabels {
				s.Transformer = tags.NewTransformer(under(tags.Replace, tc.labels...), map[string]profile.Format{"aws": profile.NewFormat(nil, map[string]string{":": "_"}, false)})
			}

			if tc.observed != nil {
				s.Observed = map[string]*fnv1.Resource{"r": {Resource: tc.observed}}
			}

			check(t, g, tc.reason, s, map[string]*fnv1.Resource{"r": {Resource: tc.desired}})
		})
	}
}

// TestStampNativeUnknown tests kinds of native families that the index lacks.
func TestStampNativeUnknown(t *testing.T) {
	tagged := resource.MustStructJSON(`{"properties": {"spec": {"properties": {"tags": {"type": "object", "additionalProperties": {"type": "string"}}}}}}`)

	cases := map[string]struct {
		reason, apiVersion, kind string
		schema                   *structpb.Struct
	}{
		"Version":        {reason: "The schema of a later version should say where its tags go.", apiVersion: "storage.azure.com/v20990101", kind: "StorageAccount", schema: tagged},
		"Service":        {reason: "So should that of a service that nobody surveyed.", apiVersion: "fsx.services.k8s.aws/v1alpha1", kind: "FileSystem", schema: tagged},
		"NoSchema":       {reason: "Without one nobody knows, and what is usual for the cloud's Crossplane provider isn't so here.", apiVersion: "fsx.services.k8s.aws/v1alpha1", kind: "FileSystem"},
		"Request":        {reason: "A kind of Cluster API that nobody has read should need to be asked for.", apiVersion: "infrastructure.cluster.x-k8s.io/v1beta9", kind: "OCINode", schema: resource.MustStructJSON(`{"properties": {"spec": {"properties": {"freeformTags": {"type": "object", "additionalProperties": {"type": "string"}}}}}}`)},
		"NoProvider":     {reason: "A provider of Cluster API that is in no family has nothing to tag.", apiVersion: "infrastructure.cluster.x-k8s.io/v1beta1", kind: "TinkerbellMachine", schema: tagged},
		"NoCloud":        {reason: "Nor has what is only named like a service of a cloud.", apiVersion: "coherence.oracle.com/v1", kind: "Coherence", schema: tagged},
		"NotOfTheFamily": {reason: "Nor has a kind of nobody that has no spec.forProvider.", apiVersion: "example.org/v1", kind: "Thing", schema: tagged},
	}

	g := tagstest.NewGolden(t)

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			s := &Stamper{
				Finder: target.Finder{
					Input: &v1beta1.CloudTags{Sources: []v1beta1.Source{{}}},
					Fields: func(schemas field.Schemas) field.Locator {
						return field.Chain{field.BuiltIn(), schemas, field.ByProfile{}}
					},
					Schemas: field.Schemas{Of: func(schema.GroupVersionKind) object.Node { return object.Tree(tc.schema).Node() }},
				},
				Transformer: transformer(under(tags.Replace, labels(1)...)...),
			}

			r := with(`{}`, `{"name": "x"}`)
			r.Fields["apiVersion"], r.Fields["kind"] = structpb.NewStringValue(tc.apiVersion), structpb.NewStringValue(tc.kind)

			check(t, g, tc.reason, s, map[string]*fnv1.Resource{"r": {Resource: r}})
		})
	}
}

// TestStampWrapped tests the manifests in Objects of provider-kubernetes.
func TestStampWrapped(t *testing.T) {
	const bucket = `{"apiVersion": "s3.services.k8s.aws/v1alpha1", "kind": "Bucket", "spec": {"name": "b"}}`

	wrapping := func(manifest string) *structpb.Struct {
		return resource.MustStructJSON(`{"apiVersion": "kubernetes.m.crossplane.io/v1alpha1", "kind": "Object", "spec": {"forProvider": {"manifest": ` + manifest + `}}}`)
	}

	rule := func(kind, provider string) v1beta1.TagField {
		return v1beta1.TagField{APIVersion: profile.NewPattern("*"), Kind: profile.NewPattern(kind), Provider: provider}
	}

	inSpec := rule("Bucket", "")
	inSpec.FieldPath, inSpec.Shape = pathTo("spec.tags"), field.Map

	cases := map[string]struct {
		reason   string
		rules    []v1beta1.TagField
		manifest string
	}{
		"NotAsked":    {reason: "Without a rule nobody touches a manifest.", manifest: bucket},
		"Rule":        {reason: "The rules for the manifest's kind should say where in it its tags go.", rules: []v1beta1.TagField{rule("Object", ""), inSpec}, manifest: bucket},
		"RuleProfile": {reason: "And which profile they have.", rules: []v1beta1.TagField{rule("Object", "gcp"), inSpec}, manifest: bucket},
		"Unknown":     {reason: "A manifest of which nobody knows a tag field should be left alone.", rules: []v1beta1.TagField{rule("Object", "")}, manifest: `{"apiVersion": "example.org/v1", "kind": "Thing"}`},
		"NoManifest":  {reason: "So should what is no manifest.", rules: []v1beta1.TagField{rule("Object", "")}, manifest: `"text"`},
		"Nested":      {reason: "And an Object in an Object.", rules: []v1beta1.TagField{rule("Object", "")}, manifest: `{"apiVersion": "kubernetes.m.crossplane.io/v1alpha1", "kind": "Object"}`},
	}

	g := tagstest.NewGolden(t)

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			s := &Stamper{
				Finder: target.Finder{
					Input:  &v1beta1.CloudTags{Sources: []v1beta1.Source{{}}},
					Fields: fixed(field.Chain{field.NewRules(tc.rules), field.BuiltIn(), field.ByProfile{}}),
				},
				Transformer: transformer(under(tags.Replace, labels(1)...)...),
			}

			check(t, g, tc.reason, s, map[string]*fnv1.Resource{"r": {Resource: wrapping(tc.manifest)}})
		})
	}
}

func pathTo(path string) object.Path { return object.MustParsePath(path) }
