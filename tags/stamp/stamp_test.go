package stamp

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"google.golang.org/protobuf/types/known/structpb"

	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"
	"github.com/crossplane/function-sdk-go/resource"

	"github.com/plexsphere/function-cloud-tags/input/v1beta1"
	"github.com/plexsphere/function-cloud-tags/tags"
	"github.com/plexsphere/function-cloud-tags/tags/field"
	"github.com/plexsphere/function-cloud-tags/tags/object"
	"github.com/plexsphere/function-cloud-tags/tags/profile"
	"github.com/plexsphere/function-cloud-tags/tags/tagstest"
	"github.com/plexsphere/function-cloud-tags/tags/target"
)

// everywhere locates one field on all kinds.
func everywhere(f field.Field) func(field.Schemas) field.Locator {
	return fixed(somewhere(f))
}

type somewhere field.Field

func (s somewhere) Locate(field.Kind) (field.Field, bool) { return field.Field(s), true }

// fixed is the supplied locator, which needs no schemas.
func fixed(l field.Locator) func(field.Schemas) field.Locator {
	return func(field.Schemas) field.Locator { return l }
}

// label of the first source, that should become the tag ours:<key>.
func label(key, value string) tags.Label {
	return tags.Label{QualifiedKey: key, TagKey: "ours:" + key, Value: value}
}

// labels with the keys k00 to k<n-1>.
func labels(n int) []tags.Label {
	out := make([]tags.Label, n)
	for i := range out {
		out[i] = label(fmt.Sprintf("k%02d", i), "v")
	}

	return out
}

func transformer(labels ...tags.Label) *tags.Transformer {
	slices.SortFunc(labels, tags.Label.Compare)
	return tags.NewTransformer(labels, nil)
}

// thing returns a resource with the supplied spec.
func thing(spec string) *structpb.Struct {
	return resource.MustStructJSON(`{"apiVersion": "example.org/v1", "kind": "Thing", "metadata": {"labels": {"app": "x"}}, "spec": ` + spec + `}`)
}

// annotated returns a resource with the supplied spec, and with the annotation to
// ignore it.
func annotated(ignore, spec string) *structpb.Struct {
	return resource.MustStructJSON(`{"apiVersion": "example.org/v1", "kind": "Thing", "metadata": {"annotations": {"` + target.IgnoreAnnotation + `": "` + ignore + `"}}, "spec": ` + spec + `}`)
}

// tagMap returns the JSON of a map with the keys from <prefix><from> to
// <prefix><to-1>.
func tagMap(prefix string, from, to int) string {
	fields := make([]string, 0, to-from)
	for i := from; i < to; i++ {
		fields = append(fields, fmt.Sprintf("%q: %q", fmt.Sprintf("%s%02d", prefix, i), "v"))
	}

	return strings.Join(fields, ", ")
}

// message of the supplied error, or nothing.
func message(err error) string {
	if err == nil {
		return ""
	}

	return err.Error()
}

func TestStamp(t *testing.T) {
	bucket := func(forProvider string) *structpb.Struct {
		return resource.MustStructJSON(`{"apiVersion": "s3.example.org/v1beta1", "kind": "Bucket", "spec": {"forProvider": ` + forProvider + `}}`)
	}
	configMap := resource.MustStructJSON(`{"apiVersion": "v1", "kind": "ConfigMap", "data": {"a": "b"}}`)

	cases := map[string]struct {
		reason       string
		profileRules profile.Rules
		sources      []v1beta1.Source
		reservedTags map[string]v1beta1.TagCount
		provider     string
		tagFields    []v1beta1.TagField
		labels       []tags.Label
		desired      map[string]*structpb.Struct
	}{
		"NoLabels":        {reason: "Without labels there is nothing to do, and nothing to say about resources.", provider: "aws", desired: map[string]*structpb.Struct{"bucket": bucket(`{}`), "config": configMap, "odd": bucket(`{"tags": "text"}`)}},
		"NoResources":     {reason: "Without resources no label is skipped, since none is asked for.", provider: "aws", labels: []tags.Label{label(strings.Repeat("a", 200), "1")}},
		"ProviderUnknown": {reason: "Without a provider and without rules no field is known of any resource.", labels: []tags.Label{label("a", "1")}, desired: map[string]*structpb.Struct{"config": configMap, "thing": thing(`{"forProvider": {}}`)}},
		"ProviderUnknownWithRule": {
			reason:    "A rule says where the tags go. Without a provider the generic profile says what they may be.",
			tagFields: []v1beta1.TagField{{APIVersion: profile.NewPattern("example.*/*"), Kind: profile.NewPattern("Thing"), FieldPath: object.MustParsePath("spec.forProvider.tags"), Shape: field.Map}},
			labels:    []tags.Label{label("a", "1"), label("b b", "2")},
			desired:   map[string]*structpb.Struct{"thing": thing(`{"forProvider": {}}`), "config": configMap},
		},
		"ProviderGeneric":       {reason: "A provider that has no profile is generic. Its managed resources have their tags in tags.", provider: "example", labels: labels(33), desired: map[string]*structpb.Struct{"bucket": bucket(`{}`), "config": configMap}},
		"ProviderInAnyCase":     {reason: "The provider matches without case, for the profile and for its field.", provider: "HetZner", labels: []tags.Label{label("a", "1")}, desired: map[string]*structpb.Struct{"server": bucket(`{"labels": {"x": "y"}}`)}},
		"ForProviderIsNoObject": {reason: "A resource whose spec.forProvider is no object is no managed resource. Null is nothing.", provider: "aws", labels: []tags.Label{label("a", "1")}, desired: map[string]*structpb.Struct{"list": bucket(`[]`), "null": bucket(`null`), "text": bucket(`"x"`)}},
		"ShapeNone": {
			reason:    "A rule of shape None makes a kind that has a field not taggable.",
			provider:  "aws",
			tagFields: []v1beta1.TagField{{APIVersion: profile.NewPattern("*"), Kind: profile.NewPattern("Bucket"), Shape: field.None}},
			labels:    []tags.Label{label("a", "1")},
			desired:   map[string]*structpb.Struct{"bucket": bucket(`{"tags": {"x": "y"}}`)},
		},
		"NoKind": {
			reason:    "What is hardly a resource is not taggable.",
			provider:  "aws",
			tagFields: []v1beta1.TagField{{APIVersion: profile.NewPattern("example.org/*"), Kind: profile.NewPattern("Thing"), FieldPath: object.MustParsePath("spec.tags"), Shape: field.Map}},
			labels:    []tags.Label{label("a", "1")},
			desired: map[string]*structpb.Struct{
				"empty":         {},
				"nil":           nil,
				"no-api":        resource.MustStructJSON(`{"kind": "Thing"}`),
				"no-kind":       resource.MustStructJSON(`{"apiVersion": "example.org/v1", "spec": {}}`),
				"odd-api":       resource.MustStructJSON(`{"apiVersion": "example.org/v1/x", "kind": "Thing"}`),
				"kind-is-list":  resource.MustStructJSON(`{"apiVersion": "example.org/v1", "kind": ["Thing"]}`),
				"spec-is-list":  resource.MustStructJSON(`{"apiVersion": "b.example.org/v1", "kind": "Thing", "spec": []}`),
				"spec-is-text":  resource.MustStructJSON(`{"apiVersion": "b.example.org/v1", "kind": "Thing", "spec": "text"}`),
				"api-is-number": resource.MustStructJSON(`{"apiVersion": 1, "kind": "Thing"}`),
			},
		},
		"Everything": {
			reason:   "Whatever becomes of resources is sorted by their names, and of labels by reason and qualified key.",
			provider: "aws",
			tagFields: []v1beta1.TagField{
				{APIVersion: profile.NewPattern("v1"), Kind: profile.NewPattern("Namespace"), FieldPath: object.MustParsePath("metadata.annotations"), Shape: field.Map},
			},
			labels: []tags.Label{
				label("a", "1"),
				label("b", "2"),
				label("aws:c", "3"),
				label("d*", "4"),
				label("c*", "4"),
				label(strings.Repeat("e", 124), "5"),
				label("f", strings.Repeat("f", 257)),
			},
			desired: map[string]*structpb.Struct{
				"z":         bucket(`{"region": "r"}`),
				"y":         configMap,
				"x":         bucket(`{"tags": {"ours:b": "x", "ours:a": "y"}}`),
				"w":         bucket(`{"tags": ["x"]}`),
				"v":         bucket(`{"tags": {"ours:b": "2", "ours:a": "1"}}`),
				"u":         bucket(`{"tags": {"ours:a": "9"}}`),
				"d":         bucket(`{"tags": "x"}`),
				"c":         configMap,
				"namespace": resource.MustStructJSON(`{"apiVersion": "v1", "kind": "Namespace"}`),
			},
		},
		"Ignored": {
			reason:    "A resource that is annotated to be ignored is left alone, but only if the annotation says so.",
			provider:  "aws",
			tagFields: []v1beta1.TagField{{APIVersion: profile.NewPattern("*"), Kind: profile.NewPattern("*"), FieldPath: object.MustParsePath("spec.tags"), Shape: field.Map}},
			sources:   []v1beta1.Source{{OnConflict: tags.Refuse}},
			labels:    []tags.Label{label("a", "1")},
			desired: map[string]*structpb.Struct{
				"ignored":     annotated("true", `{"tags": {"ours:a": "9"}}`),
				"not-ignored": annotated("false", `{}`),
				"odd":         resource.MustStructJSON(`{"apiVersion": "example.org/v1", "kind": "Thing", "metadata": {"annotations": ["x"]}}`),
			},
		},
		"Adopted": {
			reason:    "A resource that may neither be created nor updated is adopted, and never carries tags of ours.",
			provider:  "aws",
			tagFields: []v1beta1.TagField{{APIVersion: profile.NewPattern("*"), Kind: profile.NewPattern("*"), FieldPath: object.MustParsePath("spec.tags"), Shape: field.Map}},
			labels:    []tags.Label{label("a", "1")},
			desired: map[string]*structpb.Struct{
				"all":     thing(`{"managementPolicies": ["*"]}`),
				"create":  thing(`{"managementPolicies": ["Observe", "Create"]}`),
				"delete":  thing(`{"managementPolicies": ["Observe", "Delete", "LateInitialize"]}`),
				"none":    thing(`{"managementPolicies": []}`),
				"null":    thing(`{"managementPolicies": null}`),
				"observe": thing(`{"managementPolicies": ["Observe"], "tags": {"x": "y"}}`),
				"text":    thing(`{"managementPolicies": "Observe"}`),
				"update":  thing(`{"managementPolicies": ["Observe", "Update"]}`),
			},
		},
		"AllSkipped": {reason: "A field is not created if no label is left, nor looked at.", provider: "aws", labels: []tags.Label{label("*", "1")}, desired: map[string]*structpb.Struct{"a": bucket(`{}`), "b": bucket(`{"tags": {}}`), "c": bucket(`{"tags": []}`)}},
		"PolicyOfWinningSource": {
			reason: "The policy of the source that a label came from says what becomes of a tag that is there.",
			sources: []v1beta1.Source{
				{OnConflict: tags.Retain},
				{OnConflict: tags.Replace},
				{OnConflict: tags.Refuse},
			},
			provider: "aws",
			labels: []tags.Label{
				{QualifiedKey: "a", TagKey: "a", Value: "1"},
				{QualifiedKey: "b", TagKey: "b", Value: "1", Source: &tags.Source{Position: 1}},
				{QualifiedKey: "c", TagKey: "c", Value: "1", Source: &tags.Source{Position: 2}},
			},
			desired: map[string]*structpb.Struct{"bucket": bucket(`{"tags": {"a": "9", "b": "9"}}`)},
		},
		"ErrorConflict": {
			reason: "A conflict that fails names the resource, the tag, both values and the source. Nothing is stamped.",
			sources: []v1beta1.Source{
				{OnConflict: tags.Replace},
				{OnConflict: tags.Refuse},
			},
			provider: "aws",
			labels:   []tags.Label{{QualifiedKey: "a b", TagKey: "ours:a b", Value: "new \"value\"\n", Source: &tags.Source{Position: 1}}},
			desired: map[string]*structpb.Struct{
				"a": bucket(`{}`),
				"b": bucket(`{"tags": {"ours:a b": "old \"value\""}}`),
				"c": bucket(`{"tags": {"ours:a b": "other"}}`),
			},
		},
		"ErrorConflictOfNamedSource": {reason: "The message names the source by its name, which is for messages.", sources: []v1beta1.Source{{Name: "registry", OnConflict: tags.Refuse}}, provider: "aws", labels: []tags.Label{label("a", "1")}, desired: map[string]*structpb.Struct{"bucket": bucket(`{"tags": {"ours:a": "9"}}`)}},
		"ErrorConflictOfFirst": {
			reason:   "Of many conflicts, the error is about the first resource and the lowest qualified key.",
			sources:  []v1beta1.Source{{OnConflict: tags.Refuse}},
			provider: "aws",
			labels:   labels(20),
			desired: map[string]*structpb.Struct{
				"c": bucket(`{"tags": {` + tagMap("ours:k", 0, 20) + `}}`),
				"b": bucket(`{"tags": {` + tagMap("ours:k", 5, 20) + `}}`),
				"a": bucket(`{}`),
			},
		},
		"ErrorConflictAfterMismatch": {reason: "A tag field that can't be read is in nobody's way.", sources: []v1beta1.Source{{OnConflict: tags.Refuse}}, provider: "aws", labels: []tags.Label{label("a", "1")}, desired: map[string]*structpb.Struct{"bucket": bucket(`{"tags": ["ours:a"]}`)}},
		"CapBesideExistingTags":      {reason: "Of 45 labels beside 10 tags of others, on aws, the lowest 40 are added and 5 are skipped.", provider: "aws", labels: labels(45), desired: map[string]*structpb.Struct{"bucket": bucket(`{"tags": {` + tagMap("other", 0, 10) + `}}`)}},
		"CapReached":                 {reason: "As many labels as a resource may have tags are all added.", provider: "aws", labels: labels(50), desired: map[string]*structpb.Struct{"bucket": bucket(`{}`)}},
		"CapExceeded":                {reason: "Of one label more than a resource may have tags, the highest is skipped.", provider: "aws", labels: labels(51), desired: map[string]*structpb.Struct{"bucket": bucket(`{}`)}},
		"CapExceededAlready": {
			reason:   "A resource that has more tags than it may keeps them, gets no more, and may have values replaced.",
			sources:  []v1beta1.Source{{OnConflict: tags.Replace}},
			provider: "aws",
			labels:   []tags.Label{label("k00", "v"), label("k01", "v")},
			desired:  map[string]*structpb.Struct{"bucket": bucket(`{"tags": {` + tagMap("other", 0, 60) + `, "ours:k01": "9"}}`)},
		},
		"CapAndKeysThere": {reason: "A label whose key is there already takes no further slot, wherever it sorts and whatever its value.", provider: "aws", labels: labels(52), desired: map[string]*structpb.Struct{"bucket": bucket(`{"tags": {"ours:k50": "v", "ours:k51": "9"}}`)}},
		"CapKeepsLowestQualifiedKeys": {
			reason:   "The cap goes by qualified keys, not by tag keys.",
			provider: "aws",
			labels: []tags.Label{
				{QualifiedKey: "a", TagKey: "z", Value: "1"},
				{QualifiedKey: "b", TagKey: "y", Value: "2"},
				{QualifiedKey: "c", TagKey: "x", Value: "3"},
			},
			desired: map[string]*structpb.Struct{"bucket": bucket(`{"tags": {` + tagMap("other", 0, 48) + `}}`)},
		},
		"CapPerResource": {
			reason:   "Each resource has its own slots. A label that is skipped on several names all of them, in order.",
			provider: "aws",
			labels:   labels(4),
			desired: map[string]*structpb.Struct{
				"d": bucket(`{"tags": {` + tagMap("other", 0, 50) + `}}`),
				"c": bucket(`{"tags": {` + tagMap("other", 0, 47) + `}}`),
				"b": bucket(`{"tags": {` + tagMap("other", 0, 48) + `}}`),
				"a": bucket(`{"tags": {` + tagMap("other", 0, 46) + `}}`),
			},
		},
		"CapCountsOpaqueEntries": {
			reason:   "Entries of a list that are no tags that we know take slots.",
			provider: "aws",
			tagFields: []v1beta1.TagField{{
				APIVersion: profile.NewPattern("*"), Kind: profile.NewPattern("*"), FieldPath: object.MustParsePath("spec.forProvider.tags"), Shape: field.StringList,
				StringList: &v1beta1.StringList{Separator: "="},
			}},
			labels:  labels(2),
			desired: map[string]*structpb.Struct{"bucket": bucket(`{"tags": ["x"` + strings.Repeat(`, "x"`, 48) + `]}`)},
		},
		"CapAndDuplicatesReplaced": {
			reason:   "Entries that replacing a tag removes take no slots.",
			sources:  []v1beta1.Source{{OnConflict: tags.Replace}},
			provider: "aws",
			tagFields: []v1beta1.TagField{{
				APIVersion: profile.NewPattern("*"), Kind: profile.NewPattern("*"), FieldPath: object.MustParsePath("spec.forProvider.tags"), Shape: field.StringList,
				StringList: &v1beta1.StringList{Separator: "="},
			}},
			labels:  labels(2),
			desired: map[string]*structpb.Struct{"bucket": bucket(`{"tags": ["ours:k00=8", "ours:k00=9"` + strings.Repeat(`, "x"`, 48) + `]}`)},
		},
		"CapAndOneString": {
			reason:   "Two tags that come to one string take one slot.",
			provider: "aws",
			tagFields: []v1beta1.TagField{{
				APIVersion: profile.NewPattern("*"), Kind: profile.NewPattern("*"), FieldPath: object.MustParsePath("spec.forProvider.tags"), Shape: field.StringList,
				StringList: &v1beta1.StringList{Separator: "="},
			}},
			labels:  []tags.Label{label("a", "b=c"), label("a=b", "c")},
			desired: map[string]*structpb.Struct{"bucket": bucket(`{"tags": ["x"` + strings.Repeat(`, "x"`, 48) + `]}`)},
		},
		"CapOfMismatch": {
			reason:    "A resource that can't be tagged has no labels skipped for it, since it has no slots to run out of.",
			provider:  "aws",
			tagFields: []v1beta1.TagField{{APIVersion: profile.NewPattern("*"), Kind: profile.NewPattern("*"), FieldPath: object.MustParsePath("spec.groups[0].tags"), Shape: field.Map}},
			labels:    labels(51),
			desired:   map[string]*structpb.Struct{"r": thing(`{"groups": []}`)},
		},
		"ReservedTags":               {reason: "Slots that are reserved on the profile are left free, and the limit says so.", provider: "aws", reservedTags: map[string]v1beta1.TagCount{"aws": 3, "generic": 20}, labels: labels(41), desired: map[string]*structpb.Struct{"bucket": bucket(`{"tags": {` + tagMap("other", 0, 10) + `}}`)}},
		"ReservedTagsOfOtherProfile": {reason: "Slots that are reserved on another profile are not.", provider: "aws", reservedTags: map[string]v1beta1.TagCount{"generic": 20, "aws": 0}, labels: labels(51), desired: map[string]*structpb.Struct{"bucket": bucket(`{}`)}},
		"ReservedTagsAllSlots":       {reason: "If all slots are reserved nothing is added, and the field is not created.", provider: "aws", reservedTags: map[string]v1beta1.TagCount{"aws": 50}, labels: labels(1), desired: map[string]*structpb.Struct{"bucket": bucket(`{}`)}},
		"ReservedTagsMoreThanCap": {
			reason:       "If more slots are reserved than a resource has, nothing is added, but tags that are there may have their values replaced.",
			sources:      []v1beta1.Source{{OnConflict: tags.Replace}},
			provider:     "aws",
			reservedTags: map[string]v1beta1.TagCount{"aws": 2147483647},
			labels:       labels(2),
			desired:      map[string]*structpb.Struct{"bucket": bucket(`{"tags": {"x": "y", "ours:k00": "9"}}`)},
		},
		"NarrowService": {
			reason:       "A label that one service skips names its resources, but not if all resources of the profile skip it.",
			profileRules: profile.Cloud,
			provider:     "aws",
			tagFields:    []v1beta1.TagField{{APIVersion: profile.NewPattern("*"), Kind: profile.NewPattern("*"), FieldPath: object.MustParsePath("spec.tags"), Shape: field.Map}},
			labels:       []tags.Label{label("a", "1"), label("b", strings.Repeat("b", 257)), label("rds:c", "1")},
			desired: map[string]*structpb.Struct{
				"a": thing(`{}`),
				"b": resource.MustStructJSON(`{"apiVersion": "rds.aws.m.upbound.io/v1beta1", "kind": "Instance"}`),
			},
		},
		"DifferentLimits": {
			reason:   "A label that is too long for fields of different limits is skipped once for each limit.",
			provider: "openstack",
			tagFields: []v1beta1.TagField{
				{
					APIVersion: profile.NewPattern("a/*"), Kind: profile.NewPattern("*"), FieldPath: object.MustParsePath("spec.tags"), Shape: field.StringList,
					StringList: &v1beta1.StringList{Separator: "=", MaxLength: 12},
				},
				{
					APIVersion: profile.NewPattern("b/*"), Kind: profile.NewPattern("*"), FieldPath: object.MustParsePath("spec.tags"), Shape: field.StringList,
					StringList: &v1beta1.StringList{Separator: "=", MaxLength: 10},
				},
			},
			labels: []tags.Label{label("a", "12345"), label("b", "123456"), label("c", "1")},
			desired: map[string]*structpb.Struct{
				"a": resource.MustStructJSON(`{"apiVersion": "a/v1", "kind": "A"}`),
				"b": resource.MustStructJSON(`{"apiVersion": "b/v1", "kind": "B"}`),
				"c": resource.MustStructJSON(`{"apiVersion": "b/v1", "kind": "C"}`),
			},
		},
	}

	g := tagstest.NewGolden(t)

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			rules := field.NewRules(tc.tagFields)

			sources := tc.sources
			if sources == nil {
				sources = []v1beta1.Source{{OnConflict: tags.Retain}}
			}

			s := &Stamper{
				Finder: target.Finder{
					Input:  &v1beta1.CloudTags{ProfileRules: tc.profileRules, Sources: sources, ReservedTags: tc.reservedTags},
					Fields: fixed(field.Chain{rules, field.ByProfile{}}),
				},
				Transformer: transformer(from(sources, tc.labels...)...),
			}

			if tc.provider != "" {
				s.Input.Provider = &v1beta1.StringSource{Value: tc.provider}
			}

			desired := make(map[string]*fnv1.Resource, len(tc.desired))
			for name, r := range tc.desired {
				desired[name] = &fnv1.Resource{Resource: r, Ready: fnv1.Ready_READY_TRUE, ConnectionDetails: map[string][]byte{"a": []byte("b")}}
			}

			check(t, g, tc.reason, s, desired)
		})
	}
}

// TestStampNothingKnown tests resources and kinds of which nothing is known.
func TestStampNothingKnown(t *testing.T) {
	g := tagstest.NewGolden(t)

	cases := map[string]struct {
		reason  string
		desired map[string]*fnv1.Resource
	}{
		"NilResource": {reason: "A resource that isn't there is not taggable.", desired: map[string]*fnv1.Resource{"b": nil, "a": {}}},
		"UnknownKind": {reason: "A kind that the locator doesn't know has no field, whatever else the locator returned.", desired: desiring(`{}`)},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			check(t, g, tc.reason, &Stamper{Finder: target.Finder{Input: &v1beta1.CloudTags{}, Provider: "aws", Fields: fixed(field.ByProfile{})}, Transformer: transformer(label("a", "1"))}, tc.desired)
		})
	}
}

func TestStampShares(t *testing.T) {
	r := thing(`{"forProvider": {"tags": {"Name": "x", "ours:a": "9"}, "region": {"a": ["b"]}}, "providerConfigRef": {"name": "default"}}`)

	s := &Stamper{
		Finder: target.Finder{
			Input:  &v1beta1.CloudTags{Provider: &v1beta1.StringSource{Value: "aws"}, Sources: []v1beta1.Source{{OnConflict: tags.Replace}}},
			Fields: fixed(field.ByProfile{}),
		},
		Transformer: transformer(under(tags.Replace, label("a", "1"), label("b", "2"))...),
	}

	got, err := stampAll(s, map[string]*fnv1.Resource{"r": {Resource: r}})
	if err != nil {
		t.Fatalf("Stamp(...): %s", err)
	}

	at := func(s *structpb.Struct, path ...string) *structpb.Value {
		v := structpb.NewStructValue(s)
		for _, name := range path {
			v = v.GetStructValue().GetFields()[name]
		}

		return v
	}

	cases := map[string]struct {
		reason string
		path   []string
		shared bool
	}{
		"Metadata":    {reason: "What is beside the way to the field is shared.", path: []string{"metadata"}, shared: true},
		"Spec":        {reason: "What is on the way to the field is copied.", path: []string{"spec"}},
		"ConfigRef":   {reason: "What is beside the way to the field is shared.", path: []string{"spec", "providerConfigRef"}, shared: true},
		"ForProvider": {reason: "What is on the way to the field is copied.", path: []string{"spec", "forProvider"}},
		"Region":      {reason: "What is beside the field is shared.", path: []string{"spec", "forProvider", "region"}, shared: true},
		"Tags":        {reason: "The field is a new one.", path: []string{"spec", "forProvider", "tags"}},
		"OthersTag":   {reason: "The tags of others are shared.", path: []string{"spec", "forProvider", "tags", "Name"}, shared: true},
		"OurTag":      {reason: "A tag that is replaced is a new one.", path: []string{"spec", "forProvider", "tags", "ours:a"}},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			if shared := at(r, tc.path...) == at(got.Changed["r"].Struct(), tc.path...); shared != tc.shared {
				t.Errorf("\n%s\nStamp(...): want %v shared: %t, got %t", tc.reason, tc.path, tc.shared, shared)
			}
		})
	}
}
