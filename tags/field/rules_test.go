package field

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"google.golang.org/protobuf/encoding/protojson"
	"google.golang.org/protobuf/testing/protocmp"
	"google.golang.org/protobuf/types/known/structpb"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/plexsphere/function-cloud-tags/input/v1beta1"
	"github.com/plexsphere/function-cloud-tags/tags"
	"github.com/plexsphere/function-cloud-tags/tags/object"
)

func TestRulesLocate(t *testing.T) {
	type args struct {
		tagFields []v1beta1.TagField
		kind      Kind

		// schema of the kind, or empty if none may be asked for.
		schema string
	}

	type want struct {
		field Field
		ok    bool
	}

	bucket := Kind{GroupVersionKind: schema.GroupVersionKind{Group: "s3.aws.m.upbound.io", Version: "v1beta1", Kind: "Bucket"}}
	group := Kind{GroupVersionKind: schema.GroupVersionKind{Group: "autoscaling.aws.m.upbound.io", Version: "v1beta1", Kind: "AutoscalingGroup"}}

	cases := map[string]struct {
		reason string
		args   args
		want   want
	}{
		"NoRules": {
			reason: "Without rules no kind is known.",
			args:   args{kind: bucket},
		},
		"NoMatch": {
			reason: "A kind that no rule matches is not known.",
			args: args{
				tagFields: []v1beta1.TagField{
					{APIVersion: tags.NewPattern("s3.aws.m.upbound.io/v1beta2"), Kind: tags.NewPattern("Bucket"), FieldPath: object.MustParsePath("spec.a"), Shape: v1beta1.TagFieldShapeMap},
					{APIVersion: tags.NewPattern("s3.aws.m.upbound.io/v1beta1"), Kind: tags.NewPattern("BucketPolicy"), FieldPath: object.MustParsePath("spec.b"), Shape: v1beta1.TagFieldShapeMap},
					{APIVersion: tags.NewPattern("ec2.aws.m.upbound.io/*"), Kind: tags.NewPattern("*"), FieldPath: object.MustParsePath("spec.c"), Shape: v1beta1.TagFieldShapeMap},
				},
				kind: bucket,
			},
		},
		"Exact": {
			reason: "A rule without patterns matches its kind.",
			args: args{
				tagFields: []v1beta1.TagField{
					{APIVersion: tags.NewPattern("s3.aws.m.upbound.io/v1beta1"), Kind: tags.NewPattern("Bucket"), FieldPath: object.MustParsePath("spec.tags"), Shape: v1beta1.TagFieldShapeMap},
				},
				kind: bucket,
			},
			want: want{field: Field{Path: object.MustParsePath("spec.tags"), Shape: Map}, ok: true},
		},
		"ObservedList": {
			reason: "A field of any shape below spec.forProvider is reported at the same path below status.atProvider.",
			args: args{
				tagFields: []v1beta1.TagField{{
					APIVersion: tags.NewPattern("*"), Kind: tags.NewPattern("*"), FieldPath: object.MustParsePath("spec.forProvider.settings[0].tags"), Shape: v1beta1.TagFieldShapeStringList,
					StringList: &v1beta1.StringList{Separator: "="},
				}},
				kind: bucket,
			},
			want: want{
				field: Field{Path: object.MustParsePath("spec.forProvider.settings[0].tags"), Shape: StringList, Separator: "=", Observed: []object.Path{object.MustParsePath("status.atProvider.settings[0].tags")}},
				ok:    true,
			},
		},
		"ObservedBrackets": {
			reason: "A path may go on in brackets.",
			args: args{
				tagFields: []v1beta1.TagField{{APIVersion: tags.NewPattern("*"), Kind: tags.NewPattern("*"), FieldPath: object.MustParsePath("spec.forProvider.manifest.metadata.annotations[example.org/tags]"), Shape: v1beta1.TagFieldShapeMap}},
				kind:      bucket,
			},
			want: want{
				field: Field{
					Path: object.MustParsePath("spec.forProvider.manifest.metadata.annotations[example.org/tags]"), Shape: Map,
					Observed: []object.Path{object.MustParsePath("status.atProvider.manifest.metadata.annotations[example.org/tags]")}, LateInit: true,
				},
				ok: true,
			},
		},
		"NotForProvider": {
			reason: "What only begins like spec.forProvider is reported nowhere.",
			args: args{
				tagFields: []v1beta1.TagField{{APIVersion: tags.NewPattern("*"), Kind: tags.NewPattern("*"), FieldPath: object.MustParsePath("spec.forProviders.tags"), Shape: v1beta1.TagFieldShapeMap}},
				kind:      bucket,
			},
			want: want{field: Field{Path: object.MustParsePath("spec.forProviders.tags"), Shape: Map}, ok: true},
		},
		"WholeForProvider": {
			reason: "The whole of spec.forProvider is more than what a provider reports of it.",
			args: args{
				tagFields: []v1beta1.TagField{{APIVersion: tags.NewPattern("*"), Kind: tags.NewPattern("*"), FieldPath: object.MustParsePath("spec.forProvider"), Shape: v1beta1.TagFieldShapeMap}},
				kind:      bucket,
			},
			want: want{field: Field{Path: object.MustParsePath("spec.forProvider"), Shape: Map}, ok: true},
		},
		"KnownField": {
			reason: "What the index knows of the field that a rule names holds for the rule, too.",
			args: args{
				tagFields: []v1beta1.TagField{{APIVersion: tags.NewPattern("s3.*/*"), Kind: tags.NewPattern("Bucket"), FieldPath: object.MustParsePath("spec.forProvider.tags"), Shape: v1beta1.TagFieldShapeMap, Provider: "generic"}},
				kind:      bucket,
			},
			want: want{field: Field{
				Path: object.MustParsePath("spec.forProvider.tags"), Shape: Map, Observed: []object.Path{object.MustParsePath("status.atProvider.tagsAll"), object.MustParsePath("status.atProvider.tags")},
				ProviderTags: []string{"crossplane-kind", "crossplane-name", "crossplane-providerconfig"}, LateInit: true, Profile: "generic",
			}, ok: true},
		},
		"OtherFieldOfAKnownKind": {
			reason: "Of another field of a kind that the index has, only what the provider does to all maps is known.",
			args: args{
				tagFields: []v1beta1.TagField{{APIVersion: tags.NewPattern("s3.*/*"), Kind: tags.NewPattern("Bucket"), FieldPath: object.MustParsePath("spec.forProvider.labels"), Shape: v1beta1.TagFieldShapeMap}},
				kind:      bucket,
			},
			want: want{field: Field{Path: object.MustParsePath("spec.forProvider.labels"), Shape: Map, Observed: []object.Path{object.MustParsePath("status.atProvider.labels")}, LateInit: true}, ok: true},
		},
		"KnownList": {
			reason: "The entries of a list get what they need, and whatever is there in an atomic one must stay.",
			args: args{
				tagFields: []v1beta1.TagField{{
					APIVersion: tags.NewPattern("*"), Kind: tags.NewPattern("*"), FieldPath: object.MustParsePath("spec.forProvider.tag"), Shape: v1beta1.TagFieldShapeKeyValueList,
					KeyValueList: &v1beta1.KeyValueList{Key: "key", Value: "value"},
				}},
				kind: group,
			},
			want: want{field: Field{
				Path: object.MustParsePath("spec.forProvider.tag"), Shape: KeyValueList, Key: "key", Value: "value", Atomic: true,
				Extra: map[string]*structpb.Value{"propagateAtLaunch": structpb.NewBoolValue(true)}, Observed: []object.Path{object.MustParsePath("status.atProvider.tag")},
			}, ok: true},
		},
		"KnownListWithExtra": {
			reason: "But what the rule says of them holds.",
			args: args{
				tagFields: []v1beta1.TagField{{
					APIVersion: tags.NewPattern("*"), Kind: tags.NewPattern("*"), FieldPath: object.MustParsePath("spec.forProvider.tag"), Shape: v1beta1.TagFieldShapeKeyValueList,
					KeyValueList: &v1beta1.KeyValueList{Key: "key", Value: "value", Extra: v1beta1.Extra{"propagateAtLaunch": structpb.NewBoolValue(false)}},
				}},
				kind: group,
			},
			want: want{field: Field{
				Path: object.MustParsePath("spec.forProvider.tag"), Shape: KeyValueList, Key: "key", Value: "value", Atomic: true,
				Extra: map[string]*structpb.Value{"propagateAtLaunch": structpb.NewBoolValue(false)}, Observed: []object.Path{object.MustParsePath("status.atProvider.tag")},
			}, ok: true},
		},
		"ListBySchema": {
			reason: "Of a kind that the index doesn't have, the schema says whether a list is atomic.",
			args: args{
				tagFields: []v1beta1.TagField{{
					APIVersion: tags.NewPattern("*"), Kind: tags.NewPattern("*"), FieldPath: object.MustParsePath("spec.words"), Shape: v1beta1.TagFieldShapeStringList,
					StringList: &v1beta1.StringList{Separator: "="},
				}},
				schema: `{"properties": {"spec": {"properties": {"words": {"type": "array", "items": {"type": "string"}}}}}}`,
				kind:   Kind{GroupVersionKind: schema.GroupVersionKind{Group: "vm.example.org", Version: "v1", Kind: "Machine"}},
			},
			want: want{field: Field{Path: object.MustParsePath("spec.words"), Shape: StringList, Separator: "=", Atomic: true}, ok: true},
		},
		"ListBySchemaOfAnotherShape": {
			reason: "A schema in which the field is something else says nothing of it.",
			args: args{
				tagFields: []v1beta1.TagField{{
					APIVersion: tags.NewPattern("*"), Kind: tags.NewPattern("*"), FieldPath: object.MustParsePath("spec.words"), Shape: v1beta1.TagFieldShapeStringList,
					StringList: &v1beta1.StringList{Separator: "="},
				}},
				schema: `{"properties": {"spec": {"properties": {"words": {"type": "array", "items": {"type": "object"}}}}}}`,
				kind:   Kind{GroupVersionKind: schema.GroupVersionKind{Group: "vm.example.org", Version: "v1", Kind: "Machine"}},
			},
			want: want{field: Field{Path: object.MustParsePath("spec.words"), Shape: StringList, Separator: "="}, ok: true},
		},
		"FirstWins": {
			reason: "The first of two rules that match wins, even if the second one is more specific.",
			args: args{
				tagFields: []v1beta1.TagField{
					{APIVersion: tags.NewPattern("s3.aws.m.upbound.io/*"), Kind: tags.NewPattern("Object"), FieldPath: object.MustParsePath("spec.a"), Shape: v1beta1.TagFieldShapeMap},
					{APIVersion: tags.NewPattern("s3.*/*"), Kind: tags.NewPattern("*"), FieldPath: object.MustParsePath("spec.b"), Shape: v1beta1.TagFieldShapeMap},
					{APIVersion: tags.NewPattern("s3.aws.m.upbound.io/v1beta1"), Kind: tags.NewPattern("Bucket"), FieldPath: object.MustParsePath("spec.c"), Shape: v1beta1.TagFieldShapeMap},
				},
				kind: bucket,
			},
			want: want{field: Field{Path: object.MustParsePath("spec.b"), Shape: Map}, ok: true},
		},
		"None": {
			reason: "A rule of shape None knows that the kind has no tag field, so that no later rule is asked.",
			args: args{
				tagFields: []v1beta1.TagField{
					{APIVersion: tags.NewPattern("s3.*/*"), Kind: tags.NewPattern("Bucket"), Shape: v1beta1.TagFieldShapeNone},
					{APIVersion: tags.NewPattern("*"), Kind: tags.NewPattern("*"), FieldPath: object.MustParsePath("spec.tags"), Shape: v1beta1.TagFieldShapeMap},
				},
				kind: bucket,
			},
			want: want{field: Field{Shape: None}, ok: true},
		},
		"CoreGroup": {
			reason: "The apiVersion of the core group is a version only.",
			args: args{
				tagFields: []v1beta1.TagField{
					{APIVersion: tags.NewPattern("*/*"), Kind: tags.NewPattern("ConfigMap"), FieldPath: object.MustParsePath("a"), Shape: v1beta1.TagFieldShapeMap},
					{APIVersion: tags.NewPattern("v1"), Kind: tags.NewPattern("ConfigMap"), FieldPath: object.MustParsePath("data"), Shape: v1beta1.TagFieldShapeMap},
				},
				kind: Kind{GroupVersionKind: schema.GroupVersionKind{Version: "v1", Kind: "ConfigMap"}},
			},
			want: want{field: Field{Path: object.MustParsePath("data"), Shape: Map}, ok: true},
		},
		"NoKind": {
			reason: "A pattern of only a star also matches what is empty.",
			args: args{
				tagFields: []v1beta1.TagField{{APIVersion: tags.NewPattern("*"), Kind: tags.NewPattern("*"), FieldPath: object.MustParsePath("spec.tags"), Shape: v1beta1.TagFieldShapeMap}},
			},
			want: want{field: Field{Path: object.MustParsePath("spec.tags"), Shape: Map}, ok: true},
		},
		"KeyValueList": {
			reason: "Extra fields should be taken.",
			args: args{
				tagFields: []v1beta1.TagField{{
					APIVersion: tags.NewPattern("*"), Kind: tags.NewPattern("*"), FieldPath: object.MustParsePath("spec.tags"), Shape: v1beta1.TagFieldShapeKeyValueList,
					KeyValueList: &v1beta1.KeyValueList{Key: "tagKey", Value: "tagValue", Extra: v1beta1.Extra{"propagateAtLaunch": structpb.NewBoolValue(true)}},
				}},
				kind: bucket,
			},
			want: want{
				field: Field{
					Path: object.MustParsePath("spec.tags"), Shape: KeyValueList, Key: "tagKey", Value: "tagValue",
					Extra: map[string]*structpb.Value{"propagateAtLaunch": structpb.NewBoolValue(true)},
				},
				ok: true,
			},
		},
		"KeyValueListWithoutExtra": {
			reason: "Without extra fields there is no map of them.",
			args: args{
				tagFields: []v1beta1.TagField{{
					APIVersion: tags.NewPattern("*"), Kind: tags.NewPattern("*"), FieldPath: object.MustParsePath("spec.tags"), Shape: v1beta1.TagFieldShapeKeyValueList,
					KeyValueList: &v1beta1.KeyValueList{Key: "key", Value: "value"},
				}},
				kind: bucket,
			},
			want: want{field: Field{Path: object.MustParsePath("spec.tags"), Shape: KeyValueList, Key: "key", Value: "value"}, ok: true},
		},
		"StringList": {
			reason: "A list of strings has a separator and may have a limit.",
			args: args{
				tagFields: []v1beta1.TagField{{
					APIVersion: tags.NewPattern("*"), Kind: tags.NewPattern("*"), FieldPath: object.MustParsePath("spec.tags"), Shape: v1beta1.TagFieldShapeStringList,
					StringList: &v1beta1.StringList{Separator: ": ", MaxLength: 60},
				}},
				kind: bucket,
			},
			want: want{field: Field{Path: object.MustParsePath("spec.tags"), Shape: StringList, Separator: ": ", MaxLength: 60}, ok: true},
		},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			rules := NewRules(tc.args.tagFields)
			if tc.args.schema != "" {
				rules.Schemas = &Schemas{Of: func(schema.GroupVersionKind) *structpb.Struct {
					s := &structpb.Struct{}
					if err := protojson.Unmarshal([]byte(tc.args.schema), s); err != nil {
						t.Fatal(err)
					}

					return s
				}}
			}

			f, ok := rules.Locate(tc.args.kind)
			if diff := cmp.Diff(tc.want, want{field: f, ok: ok}, cmp.AllowUnexported(want{}), protocmp.Transform()); diff != "" {
				t.Errorf("\n%s\nLocate(...): -want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}

// locator is a Locator that knows every kind, or none.
type locator struct {
	field Field
	ok    bool
}

func (l locator) Locate(Kind) (Field, bool) { return l.field, l.ok }

func TestChainLocate(t *testing.T) {
	type want struct {
		field Field
		ok    bool
	}

	a, b := Field{Path: object.MustParsePath("spec.a"), Shape: Map}, Field{Path: object.MustParsePath("spec.b"), Shape: Map}

	cases := map[string]struct {
		reason string
		chain  Chain
		want   want
	}{
		"Empty": {
			reason: "A chain of nothing knows no kind, which is not to know that there is no tag field.",
		},
		"First": {
			reason: "The first locator that knows the kind answers.",
			chain:  Chain{locator{field: a, ok: true}, locator{field: b, ok: true}},
			want:   want{field: a, ok: true},
		},
		"Second": {
			reason: "A locator that doesn't know the kind lets the next one answer, whatever else it returned.",
			chain:  Chain{locator{field: a}, locator{field: b, ok: true}},
			want:   want{field: b, ok: true},
		},
		"None": {
			reason: "A locator that knows the kind to have no tag field is an answer.",
			chain:  Chain{locator{field: Field{Shape: None}, ok: true}, locator{field: b, ok: true}},
			want:   want{field: Field{Shape: None}, ok: true},
		},
		"Unknown": {
			reason: "A kind that no locator knows is not known, whatever else they returned.",
			chain:  Chain{locator{field: a}, locator{field: b}, locator{field: Field{Shape: None}}},
		},
		"Chained": {
			reason: "A chain is a locator too.",
			chain:  Chain{Chain{}, Chain{locator{field: a}}, Chain{locator{field: b, ok: true}}},
			want:   want{field: b, ok: true},
		},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			f, ok := tc.chain.Locate(Kind{})
			if diff := cmp.Diff(tc.want, want{field: f, ok: ok}, cmp.AllowUnexported(want{}), protocmp.Transform()); diff != "" {
				t.Errorf("\n%s\nLocate(...): -want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}
