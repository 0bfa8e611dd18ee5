package v1beta1_test

import (
	"encoding/json"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/testing/protocmp"
	"google.golang.org/protobuf/types/known/structpb"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/crossplane/function-sdk-go/resource"

	"github.com/plexsphere/function-cloud-tags/input/v1beta1"
	"github.com/plexsphere/function-cloud-tags/tags"
)

// sourceTypes are the types of source as errors put them.
const sourceTypes = `"CompositeField", "CompositeMetadata", "ContextField", "RequiredResource", "Value"`

// inputFields are the fields of an input as errors put them.
const inputFields = `apiVersion, fieldDiscovery, ignoreTags, keyFormats, keyPrefix, kind, kubernetesMetadata, limitPolicy, metadata, profileRules, provider, providerTags, ` +
	`removeTags, reservedKeys, reservedTags, resources, sources, statusFieldPath, tagFields, toContextKey, ttl`

// nothing is the error of an input that gives the function nothing to do.
const nothing = `sources: Required value: at least one of sources, removeTags, ignoreTags and kubernetesMetadata`

// minimal is the sources of an input, for cases about something else.
const minimal = `"sources": [{"type": "Value", "values": {"a": "b"}}]`

// input returns an input with the supplied fields beside its apiVersion and kind.
func input(fields string) string {
	return `{"apiVersion": "cloudtags.fn.plexsphere.com/v1beta1", "kind": "CloudTags", ` + fields + `}`
}

// text of the supplied error, which is empty for none.
func text(err error) string {
	if err == nil {
		return ""
	}

	return err.Error()
}

// equalJSON compares JSON by what it says, since its spaces and the order of its
// fields say nothing.
func equalJSON() cmp.Option {
	return cmp.Transformer("JSON", func(j apiextensionsv1.JSON) any {
		var v any
		if err := json.Unmarshal(j.Raw, &v); err != nil {
			return err
		}

		return v
	})
}

// decoded returns an input as Decode returns the minimal one, changed.
func decoded(change func(in *v1beta1.CloudTags)) *v1beta1.CloudTags {
	in := &v1beta1.CloudTags{
		TypeMeta:  metav1.TypeMeta{APIVersion: "cloudtags.fn.plexsphere.com/v1beta1", Kind: "CloudTags"},
		KeyPrefix: new("plexsphere:"),
		Sources:   []v1beta1.Source{value(nil)},

		LimitPolicy:    "ApplyPartial",
		ProviderTags:   "Reserve",
		ProfileRules:   "Contract",
		FieldDiscovery: "Auto",
		TTL:            "1m0s",
	}

	if change != nil {
		change(in)
	}

	return in
}

// sourceless returns an input as Decode returns one without sources, changed.
func sourceless(change func(in *v1beta1.CloudTags)) *v1beta1.CloudTags {
	return decoded(func(in *v1beta1.CloudTags) {
		in.Sources = nil
		change(in)
	})
}

// value returns the source of the minimal input as Decode returns it, changed.
func value(change func(s *v1beta1.Source)) v1beta1.Source {
	s := v1beta1.Source{
		Type:       "Value",
		Values:     map[string]string{"a": "b"},
		Encoding:   "Plain",
		KeyForm:    "Qualified",
		OnConflict: "Retain",
	}

	if change != nil {
		change(&s)
	}

	return s
}

// A validCase is an input that is accepted.
type validCase struct {
	reason string
	json   string
	want   *v1beta1.CloudTags
}

// validCases are the cases of all tables.
func validCases() map[string]validCase {
	return together(map[string]map[string]validCase{
		"Input":         validInputs(),
		"Sources":       validSources(),
		"TagRules":      validTagRules(),
		"MetadataRules": validMetadataRules(),
	})
}

// together puts the cases of the supplied tables into one.
func together[C any](tables map[string]map[string]C) map[string]C {
	out := map[string]C{}

	for of, cases := range tables {
		for name, tc := range cases {
			out[of+"/"+name] = tc
		}
	}

	return out
}

func validInputs() map[string]validCase {
	// compositeField returns a source as Decode returns it, changed.
	compositeField := func(change func(s *v1beta1.Source)) v1beta1.Source {
		return value(func(s *v1beta1.Source) {
			s.Type, s.Values, s.FromFieldPath = "CompositeField", nil, new("spec.labels")

			if change != nil {
				change(s)
			}
		})
	}

	sources := func(s ...v1beta1.Source) *v1beta1.CloudTags {
		return decoded(func(in *v1beta1.CloudTags) { in.Sources = s })
	}

	tagFields := func(f ...v1beta1.TagField) *v1beta1.CloudTags {
		return decoded(func(in *v1beta1.CloudTags) { in.TagFields = f })
	}

	return map[string]validCase{
		"Minimal": {
			reason: "Every field but sources should have its default.",
			json:   input(minimal),
			want:   decoded(nil),
		},
		"EmptyKeyPrefix": {
			reason: "The key prefix may be empty, which is not its default.",
			json:   input(`"keyPrefix": "", ` + minimal),
			want:   decoded(func(in *v1beta1.CloudTags) { in.KeyPrefix = new("") }),
		},
		"KeyPrefix": {
			reason: "The key prefix should be taken.",
			json:   input(`"keyPrefix": "acme-", ` + minimal),
			want:   decoded(func(in *v1beta1.CloudTags) { in.KeyPrefix = new("acme-") }),
		},
		"ProviderValue": {
			reason: "The provider may be named.",
			json:   input(`"provider": {"value": "aws"}, ` + minimal),
			want:   decoded(func(in *v1beta1.CloudTags) { in.Provider = &v1beta1.StringSource{Value: new("aws")} }),
		},
		"UnknownProvider": {
			reason: "A provider that has no profile is fine, and in any case.",
			json:   input(`"provider": {"value": "Acme Cloud"}, ` + minimal),
			want:   decoded(func(in *v1beta1.CloudTags) { in.Provider = &v1beta1.StringSource{Value: new("Acme Cloud")} }),
		},
		"ProviderFromFieldPath": {
			reason: "The provider may be in a field of the composite resource.",
			json:   input(`"provider": {"fromFieldPath": "spec.cloud.provider"}, ` + minimal),
			want: decoded(func(in *v1beta1.CloudTags) {
				in.Provider = &v1beta1.StringSource{FromFieldPath: new("spec.cloud.provider")}
			}),
		},
		"KeyFormats": {
			reason: "Keys may be formatted for each provider, and a format may say nothing, so that keys stay as they are.",
			json: input(`"keyFormats": [
				{"provider": "gcp", "prefix": "plexsphere_", "replace": {":": "_", "/": "", " ": "--"}, "lowercase": true},
				{"provider": "azure", "prefix": ""},
				{"provider": "hetzner"}
			], ` + minimal),
			want: decoded(func(in *v1beta1.CloudTags) {
				in.KeyFormats = []v1beta1.KeyFormat{
					{Provider: "gcp", Prefix: new("plexsphere_"), Replace: map[string]string{":": "_", "/": "", " ": "--"}, Lowercase: true},
					{Provider: "azure", Prefix: new("")},
					{Provider: "hetzner"},
				}
			}),
		},
		"ProfileRules": {
			reason: "The clouds' own rules may be taken.",
			json:   input(`"profileRules": "Cloud", ` + minimal),
			want:   decoded(func(in *v1beta1.CloudTags) { in.ProfileRules = "Cloud" }),
		},
		"FieldDiscoverySchema": {
			reason: "Crossplane may be asked for all schemas.",
			json:   input(`"fieldDiscovery": "Schema", ` + minimal),
			want:   decoded(func(in *v1beta1.CloudTags) { in.FieldDiscovery = "Schema" }),
		},
		"FieldDiscoveryIndex": {
			reason: "Crossplane may be asked for no schema.",
			json:   input(`"fieldDiscovery": "Index", ` + minimal),
			want:   decoded(func(in *v1beta1.CloudTags) { in.FieldDiscovery = "Index" }),
		},
		"ReservedTags": {
			reason: "Slots may be left free on every profile, and none, too.",
			json:   input(`"reservedTags": {"aws": 3, "hetzner": 0, "openstack": 50, "generic": 2147483647}, ` + minimal),
			want: decoded(func(in *v1beta1.CloudTags) {
				in.ReservedTags = map[string]v1beta1.TagCount{"aws": 3, "hetzner": 0, "openstack": 50, "generic": 2147483647}
			}),
		},
		"TTL": {
			reason: "A duration should be taken as it is written.",
			json:   input(`"ttl": "1h30m", ` + minimal),
			want:   decoded(func(in *v1beta1.CloudTags) { in.TTL = "1h30m" }),
		},
		"NoTTL": {
			reason: "Crossplane may be told not to reuse the answer at all.",
			json:   input(`"ttl": "0s", ` + minimal),
			want:   decoded(func(in *v1beta1.CloudTags) { in.TTL = "0s" }),
		},
		"Metadata": {
			reason: "Kubernetes metadata is of no use, but usual.",
			json:   input(`"metadata": {"name": "tags", "labels": {"a": "b"}, "creationTimestamp": null}, ` + minimal),
			want: decoded(func(in *v1beta1.CloudTags) {
				in.ObjectMeta = metav1.ObjectMeta{Name: "tags", Labels: map[string]string{"a": "b"}}
			}),
		},
		"ValueSource": {
			reason: "Keys and values of labels may be any strings, also empty ones.",
			json:   input(`"sources": [{"type": "Value", "name": "fixed", "values": {"": "", "acme:checkout/owner": "é\n"}}]`),
			want: sources(value(func(s *v1beta1.Source) {
				s.Name, s.Values = "fixed", map[string]string{"": "", "acme:checkout/owner": "é\n"}
			})),
		},
		"CompositeFieldSource": {
			reason: "A source that reads a field should have its defaults, and no policy.",
			json:   input(`"sources": [{"type": "CompositeField", "fromFieldPath": "spec.labels"}]`),
			want:   sources(compositeField(nil)),
		},
		"EverythingOfASource": {
			reason: "Every field of a source should be taken.",
			json: input(`"sources": [{
				"type": "CompositeField", "name": "registry", "fromFieldPath": "spec.labels", "include": {"keys": ["platform/*", "acme:checkout/owner", "*"]},
				"encoding": "JSON", "keyForm": "Tag", "onConflict": "Error", "policy": {"fromFieldPath": "Required"}
			}]`),
			want: sources(compositeField(func(s *v1beta1.Source) {
				s.Name = "registry"
				s.Include = &v1beta1.Include{Keys: []string{"platform/*", "acme:checkout/owner", "*"}}
				s.Encoding, s.KeyForm, s.OnConflict = "JSON", "Tag", "Error"
				s.Policy = &v1beta1.SourcePolicy{FromFieldPath: "Required"}
			})),
		},
		"DefaultsSpelledOut": {
			reason: "Every default may be spelled out.",
			json: input(`"keyPrefix": "plexsphere:", "limitPolicy": "ApplyPartial", "profileRules": "Contract", "fieldDiscovery": "Auto", "ttl": "1m0s", "sources": [
				{"type": "Value", "values": {"a": "b"}, "encoding": "Plain", "keyForm": "Qualified", "onConflict": "Retain"},
				{"type": "CompositeField", "fromFieldPath": "spec.labels", "policy": {"fromFieldPath": "Optional"}}
			]`),
			want: sources(value(nil), compositeField(func(s *v1beta1.Source) { s.Policy = &v1beta1.SourcePolicy{FromFieldPath: "Optional"} })),
		},
		"Replace": {
			reason: "A source may replace what an earlier step set.",
			json:   input(`"sources": [{"type": "Value", "values": {"a": "b"}, "onConflict": "Replace"}]`),
			want:   sources(value(func(s *v1beta1.Source) { s.OnConflict = "Replace" })),
		},
		"EmptyPolicy": {
			reason: "An empty policy should have its default.",
			json:   input(`"sources": [{"type": "CompositeField", "fromFieldPath": "spec.labels", "policy": {}}]`),
			want:   sources(compositeField(func(s *v1beta1.Source) { s.Policy = &v1beta1.SourcePolicy{FromFieldPath: "Optional"} })),
		},
		"IncludeFromFieldPath": {
			reason: "The patterns may be in a field, and then a source of values has something to have a policy for.",
			json: input(`"sources": [{
				"type": "Value", "values": {"a": "b"}, "include": {"fromFieldPath": "spec.propagate"}, "policy": {"fromFieldPath": "Required"}
			}]`),
			want: sources(value(func(s *v1beta1.Source) {
				s.Include = &v1beta1.Include{FromFieldPath: new("spec.propagate")}
				s.Policy = &v1beta1.SourcePolicy{FromFieldPath: "Required"}
			})),
		},
		"IncludeNothing": {
			reason: "No patterns are not the same as no include: they include nothing.",
			json:   input(`"sources": [{"type": "Value", "values": {"a": "b"}, "include": {"keys": []}}]`),
			want:   sources(value(func(s *v1beta1.Source) { s.Include = &v1beta1.Include{Keys: []string{}} })),
		},
		"EmptyValues": {
			reason: "A source may have no labels.",
			json:   input(`"sources": [{"type": "Value", "values": {}}]`),
			want:   sources(value(func(s *v1beta1.Source) { s.Values = map[string]string{} })),
		},
		"PathWithBrackets": {
			reason: "A field path may have keys and indices in brackets.",
			json:   input(`"sources": [{"type": "CompositeField", "fromFieldPath": "spec.groups[0].labels['example.org/tags']"}]`),
			want:   sources(compositeField(func(s *v1beta1.Source) { s.FromFieldPath = new("spec.groups[0].labels['example.org/tags']") })),
		},
		"TagFieldMap": {
			reason: "A map needs a field path only.",
			json:   input(`"tagFields": [{"apiVersion": "vm.example.org/*", "kind": "*", "fieldPath": "spec.forProvider.tags", "shape": "Map"}], ` + minimal),
			want:   tagFields(v1beta1.TagField{APIVersion: "vm.example.org/*", Kind: "*", FieldPath: "spec.forProvider.tags", Shape: "Map"}),
		},
		"TagFieldNone": {
			reason: "What can't be tagged needs no field path.",
			json:   input(`"tagFields": [{"apiVersion": "z/v1", "kind": "C", "shape": "None"}], ` + minimal),
			want:   tagFields(v1beta1.TagField{APIVersion: "z/v1", Kind: "C", Shape: "None"}),
		},
		"TagFieldKeyValueList": {
			reason: "The names of a list's fields should have their defaults, also if nothing is said of the list.",
			json: input(`"tagFields": [
				{"apiVersion": "x/v1", "kind": "A", "fieldPath": "spec.tags", "shape": "KeyValueList"},
				{"apiVersion": "x/v1", "kind": "B", "fieldPath": "spec.tags", "shape": "KeyValueList", "keyValueList": {}},
				{"apiVersion": "x/v1", "kind": "C", "fieldPath": "spec.tags", "shape": "KeyValueList", "keyValueList": {"key": "tagKey"}},
				{"apiVersion": "x/v1", "kind": "D", "fieldPath": "spec.tags", "shape": "KeyValueList", "keyValueList": {"value": "tagValue"}}
			], ` + minimal),
			want: tagFields(
				v1beta1.TagField{APIVersion: "x/v1", Kind: "A", FieldPath: "spec.tags", Shape: "KeyValueList", KeyValueList: &v1beta1.KeyValueList{Key: "key", Value: "value"}},
				v1beta1.TagField{APIVersion: "x/v1", Kind: "B", FieldPath: "spec.tags", Shape: "KeyValueList", KeyValueList: &v1beta1.KeyValueList{Key: "key", Value: "value"}},
				v1beta1.TagField{APIVersion: "x/v1", Kind: "C", FieldPath: "spec.tags", Shape: "KeyValueList", KeyValueList: &v1beta1.KeyValueList{Key: "tagKey", Value: "value"}},
				v1beta1.TagField{APIVersion: "x/v1", Kind: "D", FieldPath: "spec.tags", Shape: "KeyValueList", KeyValueList: &v1beta1.KeyValueList{Key: "key", Value: "tagValue"}},
			),
		},
		"TagFieldExtra": {
			reason: "The further fields of a list's entries may have values of any kind but null.",
			json: input(`"tagFields": [{
				"apiVersion": "x/v1", "kind": "A", "fieldPath": "spec.tagList", "shape": "KeyValueList",
				"keyValueList": {"key": "Key", "value": "Value", "extra": {"propagateAtLaunch": true, "n": 1.5, "s": "x", "o": {"a": [1, "b"]}, "key": "k"}}
			}], ` + minimal),
			want: tagFields(v1beta1.TagField{
				APIVersion: "x/v1", Kind: "A", FieldPath: "spec.tagList", Shape: "KeyValueList",
				KeyValueList: &v1beta1.KeyValueList{Key: "Key", Value: "Value", Extra: map[string]apiextensionsv1.JSON{
					"propagateAtLaunch": {Raw: []byte(`true`)},
					"n":                 {Raw: []byte(`1.5`)},
					"s":                 {Raw: []byte(`"x"`)},
					"o":                 {Raw: []byte(`{"a":[1,"b"]}`)},
					"key":               {Raw: []byte(`"k"`)},
				}},
			}),
		},
		"TagFieldStringList": {
			reason: "The separator should have its default, also if nothing is said of the list.",
			json: input(`"tagFields": [
				{"apiVersion": "y/v1", "kind": "A", "fieldPath": "spec.tags", "shape": "StringList"},
				{"apiVersion": "y/v1", "kind": "B", "fieldPath": "spec.tags", "shape": "StringList", "stringList": {}},
				{"apiVersion": "y/v1", "kind": "C", "fieldPath": "spec.tags", "shape": "StringList", "stringList": {"separator": ": ", "maxLength": 255}}
			], ` + minimal),
			want: tagFields(
				v1beta1.TagField{APIVersion: "y/v1", Kind: "A", FieldPath: "spec.tags", Shape: "StringList", StringList: &v1beta1.StringList{Separator: "="}},
				v1beta1.TagField{APIVersion: "y/v1", Kind: "B", FieldPath: "spec.tags", Shape: "StringList", StringList: &v1beta1.StringList{Separator: "="}},
				v1beta1.TagField{APIVersion: "y/v1", Kind: "C", FieldPath: "spec.tags", Shape: "StringList", StringList: &v1beta1.StringList{Separator: ": ", MaxLength: 255}},
			),
		},
		"EmptyLists": {
			reason: "Lists and maps that say nothing may be empty.",
			json:   input(`"tagFields": [], "reservedTags": {}, ` + minimal),
			want: decoded(func(in *v1beta1.CloudTags) {
				in.TagFields, in.ReservedTags = []v1beta1.TagField{}, map[string]v1beta1.TagCount{}
			}),
		},
	}
}

func TestDecode(t *testing.T) {
	for name, tc := range validCases() {
		t.Run(name, func(t *testing.T) {
			s := resource.MustStructJSON(tc.json)
			before := proto.CloneOf(s)

			got, err := v1beta1.Decode(s)
			if err != nil {
				t.Errorf("\n%s\nDecode(...): %v", tc.reason, err)
			}

			if diff := cmp.Diff(tc.want, got, equalJSON()); diff != "" {
				t.Errorf("\n%s\nDecode(...): -want, +got:\n%s", tc.reason, diff)
			}

			if diff := cmp.Diff(before, s, protocmp.Transform()); diff != "" {
				t.Errorf("\n%s\nDecode(...): -before, +after:\n%s", tc.reason, diff)
			}
		})
	}
}

// An invalidCase is an input that is refused.
type invalidCase struct {
	reason string
	json   string
	want   string

	// goOnly is true if the schema of the CRD can't say what is wrong.
	goOnly bool
}

// invalidCases are the cases of all tables.
func invalidCases() map[string]invalidCase {
	return together(map[string]map[string]invalidCase{
		"Input":         invalidInputs(),
		"Sources":       invalidSources(),
		"TagRules":      invalidTagRules(),
		"MetadataRules": invalidMetadataRules(),
	})
}

func invalidInputs() map[string]invalidCase {
	source := func(fields string) string {
		return input(`"sources": [{"type": "Value", "values": {"a": "b"}}, {` + fields + `}]`)
	}

	tagField := func(fields string) string {
		return input(minimal + `, "tagFields": [{"apiVersion": "a/v1", "kind": "A", "shape": "None"}, {` + fields + `}]`)
	}

	return map[string]invalidCase{
		// The whole of it.
		"Empty": {
			reason: "All that is missing should be named.",
			json:   `{}`,
			want: `[apiVersion: Required value: one of "cloudtags.fn.plexsphere.com/v1beta1", ` +
				`kind: Required value: one of "CloudTags", ` +
				nothing + `]`,
		},
		"NoAPIVersion": {
			reason: "The apiVersion should be required.",
			json:   `{"kind": "CloudTags", ` + minimal + `}`,
			want:   `apiVersion: Required value: one of "cloudtags.fn.plexsphere.com/v1beta1"`,
		},
		"NoKind": {
			reason: "The kind should be required.",
			json:   `{"apiVersion": "cloudtags.fn.plexsphere.com/v1beta1", ` + minimal + `}`,
			want:   `kind: Required value: one of "CloudTags"`,
		},
		"WrongAPIVersion": {
			reason: "Another version may have other fields.",
			json:   `{"apiVersion": "cloudtags.fn.plexsphere.com/v1", "kind": "CloudTags", ` + minimal + `}`,
			want:   `apiVersion: Unsupported value: "cloudtags.fn.plexsphere.com/v1": supported values: "cloudtags.fn.plexsphere.com/v1beta1"`,
		},
		"WrongGroup": {
			reason: "The input of another function should be refused.",
			json:   `{"apiVersion": "pt.fn.crossplane.io/v1beta1", "kind": "CloudTags", ` + minimal + `}`,
			want:   `apiVersion: Unsupported value: "pt.fn.crossplane.io/v1beta1": supported values: "cloudtags.fn.plexsphere.com/v1beta1"`,
		},
		"WrongKind": {
			reason: "Another kind should be refused.",
			json:   `{"apiVersion": "cloudtags.fn.plexsphere.com/v1beta1", "kind": "Resources", ` + minimal + `}`,
			want:   `kind: Unsupported value: "Resources": supported values: "CloudTags"`,
		},
		"KindInOtherCase": {
			reason: "The kind should match with case.",
			json:   `{"apiVersion": "cloudtags.fn.plexsphere.com/v1beta1", "kind": "cloudtags", ` + minimal + `}`,
			want:   `kind: Unsupported value: "cloudtags": supported values: "CloudTags"`,
		},
		"NoSources": {
			reason: "Without sources and rules there is nothing to do.",
			json:   input(`"ttl": "1m"`),
			want:   nothing,
		},
		"EmptySources": {
			reason: "With an empty list of sources there is nothing to do.",
			json:   input(`"sources": []`),
			want:   `sources: Required value: must not be empty: leave it out`,
		},

		// Unknown fields.
		"UnknownField": {
			reason: "An unknown field should be named.",
			json:   input(`"keyprefix": "x", ` + minimal),
			want:   `unknown field "keyprefix": allowed: ` + inputFields,
		},
		"UnknownFieldInOtherCase": {
			reason: "A field in another case is unknown.",
			json:   input(`"Sources": [], ` + minimal),
			want:   `unknown field "Sources": allowed: ` + inputFields,
		},
		"SeveralUnknownFields": {
			reason: "All unknown fields should be named.",
			json:   input(`"x": 1, "y": 2, "sources": [{"type": "Value", "values": {"a": "b"}, "z": 3}]`),
			want:   `[unknown field "sources[0].z": allowed: contextKey, encoding, fromFieldPath, include, keyForm, name, onConflict, pick, policy, prefix, providerFieldPath, resource, trusted, type, values, unknown field "x": allowed: ` + inputFields + `, unknown field "y": allowed: ` + inputFields + `]`,
		},
		"UnknownFieldOfMetadata": {
			reason: "An unknown field of the metadata should be named.",
			json:   input(`"metadata": {"title": "x"}, ` + minimal),
			want:   `unknown field "metadata.title": allowed: annotations, creationTimestamp, deletionGracePeriodSeconds, deletionTimestamp, finalizers, generateName, generation, labels, managedFields, name, namespace, ownerReferences, resourceVersion, selfLink, uid`,
		},
		"UnknownFieldOfProvider": {
			reason: "An unknown field of the provider should be named.",
			json:   input(`"provider": {"value": "aws", "name": "aws"}, ` + minimal),
			want:   `unknown field "provider.name": allowed: fromFieldPath, value`,
		},
		"UnknownFieldOfKeyFormat": {
			reason: "An unknown field of a format should be named with the format's index.",
			json:   input(`"keyFormats": [{"provider": "gcp"}, {"provider": "azure", "lowerCase": true}], ` + minimal),
			want:   `unknown field "keyFormats[1].lowerCase": allowed: lowercase, prefix, provider, replace`,
		},
		"UnknownFieldOfSource": {
			reason: "An unknown field of a source should be named with the source's index.",
			json:   source(`"type": "Value", "values": {}, "fieldPath": "spec.labels"`),
			want:   `unknown field "sources[1].fieldPath": allowed: contextKey, encoding, fromFieldPath, include, keyForm, name, onConflict, pick, policy, prefix, providerFieldPath, resource, trusted, type, values`,
		},
		"UnknownFieldOfInclude": {
			reason: "An unknown field of an include should be named.",
			json:   source(`"type": "Value", "values": {}, "include": {"keys": ["a"], "exclude": ["b"]}`),
			want:   `unknown field "sources[1].include.exclude": allowed: except, fromFieldPath, keys`,
		},
		"UnknownFieldOfPolicy": {
			reason: "An unknown field of a policy should be named.",
			json:   source(`"type": "CompositeField", "fromFieldPath": "spec.labels", "policy": {"mergeOptions": {}}`),
			want:   `unknown field "sources[1].policy.mergeOptions": allowed: fromFieldPath`,
		},
		"UnknownProviderOfTagField": {
			reason: "A rule's provider should be one that has a tag profile.",
			json:   tagField(`"apiVersion": "a/v1", "kind": "A", "shape": "None", "provider": "amazon"`),
			want:   `tagFields[1].provider: Unsupported value: "amazon": supported values: ` + profileNames(),
			goOnly: true,
		},
		"EmptyProviderOfTagField": {
			reason: "An empty provider is none.",
			json:   tagField(`"apiVersion": "a/v1", "kind": "A", "shape": "None", "provider": ""`),
			want:   `tagFields[1].provider: Invalid value: "": must not be empty: leave it out`,
		},
		"UnknownFieldOfTagField": {
			reason: "An unknown field of a rule should be named with the rule's index.",
			json:   tagField(`"apiVersion": "a/v1", "kind": "A", "shape": "None", "path": "spec.tags"`),
			want:   `unknown field "tagFields[1].path": allowed: apiVersion, fieldPath, keyValueList, kind, provider, shape, stringList`,
		},
		"UnknownFieldOfKeyValueList": {
			reason: "An unknown field of a list should be named.",
			json:   tagField(`"apiVersion": "a/v1", "kind": "A", "fieldPath": "spec.tags", "shape": "KeyValueList", "keyValueList": {"name": "Key"}`),
			want:   `unknown field "tagFields[1].keyValueList.name": allowed: extra, key, value`,
		},
		"UnknownFieldOfStringList": {
			reason: "An unknown field of a list should be named.",
			json:   tagField(`"apiVersion": "a/v1", "kind": "A", "fieldPath": "spec.tags", "shape": "StringList", "stringList": {"sep": "="}`),
			want:   `unknown field "tagFields[1].stringList.sep": allowed: maxLength, separator`,
		},

		// Wrong types.
		"APIVersionNumber": {
			reason: "The apiVersion should have to be a string.",
			json:   `{"apiVersion": 1, "kind": "CloudTags", ` + minimal + `}`,
			want:   `apiVersion: must be a string, not a number`,
		},
		"MetadataString": {
			reason: "The metadata should have to be an object.",
			json:   input(`"metadata": "tags", ` + minimal),
			want:   `metadata: must be an object, not a string`,
		},
		"MetadataList": {
			reason: "The metadata is that of a Kubernetes object, and Crossplane checks it as such. So rules can't be called metadata.",
			json:   input(`"metadata": [{"source": {"type": "CompositeMetadata"}, "select": {"all": true}}], ` + minimal),
			want:   `metadata: must be an object, not a list: the rules that copy Kubernetes metadata are kubernetesMetadata`,
		},
		"MetadataLabelsList": {
			reason: "What is in the metadata should have to have its type, too.",
			json:   input(`"metadata": {"labels": ["a"]}, ` + minimal),
			want:   `metadata.labels: must be an object, not a list`,
			goOnly: true, // The API server checks metadata, but not by the schema.
		},
		"ProviderString": {
			reason: "The provider should have to be an object: naming it right there is an easy mistake.",
			json:   input(`"provider": "aws", ` + minimal),
			want:   `provider: must be an object, not a string: write provider: {value: "aws"}`,
		},
		"TypesAndUnknownFields": {
			reason: "A wrong type should not hide fields that are unknown.",
			json:   input(`"provider": "aws", "tagPrefix": "x:", "sources": [{"type": "Value", "values": {}, "labels": {}}]`),
			want: `[unknown field "sources[0].labels": allowed: contextKey, encoding, fromFieldPath, include, keyForm, name, onConflict, pick, policy, prefix, providerFieldPath, resource, trusted, type, values` + ", " +
				`unknown field "tagPrefix": allowed: ` + inputFields + ", " +
				`provider: must be an object, not a string: write provider: {value: "aws"}]`,
		},
		"ProviderValueNumber": {
			reason: "The provider's name should have to be a string.",
			json:   input(`"provider": {"value": 1}, ` + minimal),
			want:   `provider.value: must be a string, not a number`,
		},
		"ProviderFieldPathObject": {
			reason: "A field path should have to be a string.",
			json:   input(`"provider": {"fromFieldPath": {"path": "spec"}}, ` + minimal),
			want:   `provider.fromFieldPath: must be a string, not an object`,
		},
		"KeyPrefixBoolean": {
			reason: "The key prefix should have to be a string.",
			json:   input(`"keyPrefix": false, ` + minimal),
			want:   `keyPrefix: must be a string, not a boolean`,
		},
		"KeyFormatsObject": {
			reason: "The formats should have to be a list.",
			json:   input(`"keyFormats": {"gcp": {}}, ` + minimal),
			want:   `keyFormats: must be a list, not an object`,
		},
		"KeyFormatString": {
			reason: "A format should have to be an object, and the message should say which it is.",
			json:   input(`"keyFormats": [{"provider": "gcp"}, "azure"], ` + minimal),
			want:   `keyFormats[1]: must be an object, not a string`,
		},
		"KeyFormatProviderObject": {
			reason: "A format's provider should have to be a string, though the input's is an object.",
			json:   input(`"keyFormats": [{"provider": {"value": "gcp"}}], ` + minimal),
			want:   `keyFormats[0].provider: must be a string, not an object`,
		},
		"KeyFormatPrefixNumber": {
			reason: "A prefix should have to be a string.",
			json:   input(`"keyFormats": [{"provider": "gcp", "prefix": 0}], ` + minimal),
			want:   `keyFormats[0].prefix: must be a string, not a number`,
		},
		"KeyFormatReplaceList": {
			reason: "What to replace should have to be an object.",
			json:   input(`"keyFormats": [{"provider": "gcp", "replace": [":"]}], ` + minimal),
			want:   `keyFormats[0].replace: must be an object, not a list`,
		},
		"KeyFormatReplaceBoolean": {
			reason: "What to replace a string by should have to be a string.",
			json:   input(`"keyFormats": [{"provider": "gcp", "replace": {":": false}}], ` + minimal),
			want:   `keyFormats[0].replace.:: must be a string, not a boolean`,
		},
		"KeyFormatLowercaseString": {
			reason: "Whether to put keys in lower case should have to be a boolean: quotes are an easy mistake.",
			json:   input(`"keyFormats": [{"provider": "gcp", "lowercase": "true"}], ` + minimal),
			want:   `keyFormats[0].lowercase: must be a boolean, not a string`,
		},
		"ProfileRulesBoolean": {
			reason: "The rules should have to be a string.",
			json:   input(`"profileRules": true, ` + minimal),
			want:   `profileRules: must be a string, not a boolean`,
		},
		"FieldDiscoveryList": {
			reason: "The way to discover fields should have to be a string.",
			json:   input(`"fieldDiscovery": ["Auto"], ` + minimal),
			want:   `fieldDiscovery: must be a string, not a list`,
		},
		"SourcesObject": {
			reason: "The sources should have to be a list.",
			json:   input(`"sources": {"type": "Value"}`),
			want:   `sources: must be a list, not an object`,
		},
		"SourcesString": {
			reason: "The sources should have to be a list.",
			json:   input(`"sources": "spec.labels"`),
			want:   `sources: must be a list, not a string`,
		},
		"SourceString": {
			reason: "A source should have to be an object, and the message should say which it is.",
			json:   input(`"sources": [{"type": "Value", "values": {}}, "spec.labels"]`),
			want:   `sources[1]: must be an object, not a string`,
		},
		"SourceList": {
			reason: "A source should have to be an object, and the message should say which it is.",
			json:   input(`"sources": [[]]`),
			want:   `sources[0]: must be an object, not a list`,
		},
		"SourceTypeNumber": {
			reason: "A source's type should have to be a string.",
			json:   source(`"type": 7`),
			want:   `sources[1].type: must be a string, not a number`,
		},
		"SourceNameList": {
			reason: "A source's name should have to be a string.",
			json:   source(`"type": "Value", "values": {}, "name": ["a"]`),
			want:   `sources[1].name: must be a string, not a list`,
		},
		"ValuesList": {
			reason: "Values should have to be an object.",
			json:   source(`"type": "Value", "values": [{"a": "b"}]`),
			want:   `sources[1].values: must be an object, not a list`,
		},
		"ValueNumber": {
			reason: "A label's value should have to be a string: 1 without quotes is an easy mistake.",
			json:   input(`"sources": [{"type": "Value", "values": {"a": 1}}]`),
			want:   `sources[0].values.a: must be a string, not a number`,
		},
		"ValueBoolean": {
			reason: "A label's value should have to be a string: true without quotes is an easy mistake.",
			json:   source(`"type": "Value", "values": {"a": "b", "c": true}`),
			want:   `sources[1].values.c: must be a string, not a boolean`,
		},
		"ValueObject": {
			reason: "A label's value should have to be a string.",
			json:   source(`"type": "Value", "values": {"a": {"b": "c"}}`),
			want:   `sources[1].values.a: must be a string, not an object`,
		},
		"ValueList": {
			reason: "A label's value should have to be a string.",
			json:   source(`"type": "Value", "values": {"a": []}`),
			want:   `sources[1].values.a: must be a string, not a list`,
		},
		"SeveralWrongValues": {
			reason: "The first value of a wrong type should be named, whatever the order of the map is.",
			json:   source(`"type": "Value", "values": {"z": 1, "m": [], "b": true, "a": "fine"}`),
			want:   `sources[1].values.b: must be a string, not a boolean`,
		},
		"WrongTypeBehindMuch": {
			reason: "The message should name the right field behind nested lists, objects and quotes.",
			json: source(`"type": "CompositeField", "fromFieldPath": "spec.a[0]['b]\"{']", "include": {"keys": ["]", "{\"", "a"]}, ` +
				`"policy": {"fromFieldPath": "Required"}, "keyForm": 1.5`),
			want: `sources[1].keyForm: must be a string, not a number`,
		},
		"FromFieldPathList": {
			reason: "A field path should have to be a string.",
			json:   source(`"type": "CompositeField", "fromFieldPath": ["spec.labels"]`),
			want:   `sources[1].fromFieldPath: must be a string, not a list`,
		},
		"IncludeList": {
			reason: "The include should have to be an object: naming patterns right there is an easy mistake.",
			json:   source(`"type": "Value", "values": {}, "include": ["a"]`),
			want:   `sources[1].include: must be an object, not a list`,
		},
		"IncludeKeysString": {
			reason: "Patterns should have to be a list.",
			json:   source(`"type": "Value", "values": {}, "include": {"keys": "a"}`),
			want:   `sources[1].include.keys: must be a list, not a string`,
		},
		"IncludeKeyNumber": {
			reason: "A pattern should have to be a string, and the message should say which it is.",
			json:   source(`"type": "Value", "values": {}, "include": {"keys": ["a", "b", 3]}`),
			want:   `sources[1].include.keys[2]: must be a string, not a number`,
		},
		"IncludeFromFieldPathBoolean": {
			reason: "A field path should have to be a string.",
			json:   source(`"type": "Value", "values": {}, "include": {"fromFieldPath": true}`),
			want:   `sources[1].include.fromFieldPath: must be a string, not a boolean`,
		},
		"EncodingBoolean": {
			reason: "The encoding should have to be a string.",
			json:   source(`"type": "Value", "values": {}, "encoding": true`),
			want:   `sources[1].encoding: must be a string, not a boolean`,
		},
		"OnConflictObject": {
			reason: "The conflict policy should have to be a string.",
			json:   source(`"type": "Value", "values": {}, "onConflict": {}`),
			want:   `sources[1].onConflict: must be a string, not an object`,
		},
		"PolicyString": {
			reason: "The policy should have to be an object: naming it right there is an easy mistake.",
			json:   source(`"type": "CompositeField", "fromFieldPath": "spec.labels", "policy": "Required"`),
			want:   `sources[1].policy: must be an object, not a string`,
		},
		"PolicyFromFieldPathBoolean": {
			reason: "The policy for fields should have to be a string.",
			json:   source(`"type": "CompositeField", "fromFieldPath": "spec.labels", "policy": {"fromFieldPath": true}`),
			want:   `sources[1].policy.fromFieldPath: must be a string, not a boolean`,
		},
		"ReservedTagsNumber": {
			reason: "Slots are left free by profile, so a number alone should be refused.",
			json:   input(`"reservedTags": 3, ` + minimal),
			want:   `reservedTags: must be an object, not a number`,
		},
		"ReservedTagsString": {
			reason: "A number of slots should have to be a number.",
			json:   input(`"reservedTags": {"aws": "3"}, ` + minimal),
			want:   `reservedTags.aws: must be a 32-bit integer, not a string`,
		},
		"ReservedTagsFraction": {
			reason: "A number of slots should have to be whole.",
			json:   input(`"reservedTags": {"aws": 1.5}, ` + minimal),
			want:   `reservedTags.aws: must be a 32-bit integer, not a number 1.5`,
		},
		"ReservedTagsTooMany": {
			reason: "A number of slots should have to be a number that the function can hold.",
			json:   input(`"reservedTags": {"aws": 2147483648}, ` + minimal),
			want:   `reservedTags.aws: must be a 32-bit integer, not a number 2147483648`,
			goOnly: true, // The API server takes the format for a hint.
		},
		"TagFieldsObject": {
			reason: "The rules should have to be a list.",
			json:   input(`"tagFields": {}, ` + minimal),
			want:   `tagFields: must be a list, not an object`,
		},
		"TagFieldBoolean": {
			reason: "A rule should have to be an object, and the message should say which it is.",
			json:   input(`"tagFields": [{"apiVersion": "a/v1", "kind": "A", "shape": "None"}, true], ` + minimal),
			want:   `tagFields[1]: must be an object, not a boolean`,
		},
		"TagFieldAPIVersionNumber": {
			reason: "The apiVersion of kinds should have to be a string.",
			json:   tagField(`"apiVersion": 1, "kind": "A", "shape": "None"`),
			want:   `tagFields[1].apiVersion: must be a string, not a number`,
		},
		"TagFieldKindList": {
			reason: "The kind should have to be a string.",
			json:   tagField(`"apiVersion": "a/v1", "kind": ["A", "B"], "shape": "None"`),
			want:   `tagFields[1].kind: must be a string, not a list`,
		},
		"FieldPathNumber": {
			reason: "A field path should have to be a string.",
			json:   tagField(`"apiVersion": "a/v1", "kind": "A", "fieldPath": 0, "shape": "Map"`),
			want:   `tagFields[1].fieldPath: must be a string, not a number`,
		},
		"ShapeObject": {
			reason: "The shape should have to be a string.",
			json:   tagField(`"apiVersion": "a/v1", "kind": "A", "fieldPath": "spec.tags", "shape": {"Map": {}}`),
			want:   `tagFields[1].shape: must be a string, not an object`,
		},
		"KeyValueListBoolean": {
			reason: "What a list looks like should have to be an object.",
			json:   tagField(`"apiVersion": "a/v1", "kind": "A", "fieldPath": "spec.tags", "shape": "KeyValueList", "keyValueList": true`),
			want:   `tagFields[1].keyValueList: must be an object, not a boolean`,
		},
		"KeyValueListKeyNumber": {
			reason: "The name of a field should have to be a string.",
			json:   tagField(`"apiVersion": "a/v1", "kind": "A", "fieldPath": "spec.tags", "shape": "KeyValueList", "keyValueList": {"key": 1}`),
			want:   `tagFields[1].keyValueList.key: must be a string, not a number`,
		},
		"ExtraList": {
			reason: "Further fields should have to be an object.",
			json:   tagField(`"apiVersion": "a/v1", "kind": "A", "fieldPath": "spec.tags", "shape": "KeyValueList", "keyValueList": {"extra": ["x"]}`),
			want:   `tagFields[1].keyValueList.extra: must be an object, not a list`,
		},
		"StringListString": {
			reason: "What a list looks like should have to be an object.",
			json:   tagField(`"apiVersion": "a/v1", "kind": "A", "fieldPath": "spec.tags", "shape": "StringList", "stringList": "="`),
			want:   `tagFields[1].stringList: must be an object, not a string`,
		},
		"SeparatorNumber": {
			reason: "A separator should have to be a string.",
			json:   tagField(`"apiVersion": "a/v1", "kind": "A", "fieldPath": "spec.tags", "shape": "StringList", "stringList": {"separator": 0}`),
			want:   `tagFields[1].stringList.separator: must be a string, not a number`,
		},
		"MaxLengthString": {
			reason: "A length should have to be a number.",
			json:   tagField(`"apiVersion": "a/v1", "kind": "A", "fieldPath": "spec.tags", "shape": "StringList", "stringList": {"maxLength": "255"}`),
			want:   `tagFields[1].stringList.maxLength: must be a 32-bit integer, not a string`,
		},
		"MaxLengthHuge": {
			reason: "A length should have to be a number that the function can hold.",
			json:   tagField(`"apiVersion": "a/v1", "kind": "A", "fieldPath": "spec.tags", "shape": "StringList", "stringList": {"maxLength": 1e21}`),
			want:   `tagFields[1].stringList.maxLength: must be a 32-bit integer, not a number 1e+21`,
		},
		"TTLNumber": {
			reason: "A duration should have to be a string: 60 for seconds is an easy mistake.",
			json:   input(`"ttl": 60, ` + minimal),
			want:   `ttl: must be a string, not a number`,
		},

		// Nulls.
		"ProviderNull": {
			reason: "Null should be refused, since it may be a template's mistake.",
			json:   input(`"provider": null, ` + minimal),
			want:   `provider: Invalid value: null: must not be null`,
			goOnly: true, // The API server drops null where it is not allowed.
		},
		"ProviderValueNull": {
			reason: "A null should be refused at any depth.",
			json:   input(`"provider": {"value": null}, ` + minimal),
			want:   `provider.value: Invalid value: null: must not be null`,
		},
		"KeyPrefixNull": {
			reason: "A null for the key prefix is neither the default nor the empty prefix.",
			json:   input(`"keyPrefix": null, ` + minimal),
			want:   `keyPrefix: Invalid value: null: must not be null`,
			goOnly: true, // The API server drops null where there is a default.
		},
		"SourcesNull": {
			reason: "Null should not do for a list.",
			json:   input(`"sources": null`),
			want:   `sources: Invalid value: null: must not be null`,
		},
		"SourceNull": {
			reason: "Null should not do for an item, and the message should say which it is.",
			json:   input(`"sources": [{"type": "Value", "values": {}}, null]`),
			want:   `sources[1]: Invalid value: null: must not be null`,
		},
		"ValueNull": {
			reason: "A null label value should not become an empty one.",
			json:   source(`"type": "Value", "values": {"a": "b", "c": null}`),
			want:   `sources[1].values.c: Invalid value: null: must not be null`,
			goOnly: true, // The API server drops null where it is not allowed.
		},
		"IncludeKeyNull": {
			reason: "A null pattern should be refused.",
			json:   source(`"type": "Value", "values": {}, "include": {"keys": ["a", null]}`),
			want:   `sources[1].include.keys[1]: Invalid value: null: must not be null`,
		},
		"ExtraNull": {
			reason: "A null in further fields should be refused, too.",
			json:   tagField(`"apiVersion": "a/v1", "kind": "A", "fieldPath": "spec.tags", "shape": "KeyValueList", "keyValueList": {"extra": {"x": null}}`),
			want:   `tagFields[1].keyValueList.extra.x: Invalid value: null: must not be null`,
			goOnly: true, // The schema lets anything be in them.
		},
		"FirstNull": {
			reason: "The first null by name should be refused, every time.",
			json:   input(`"ttl": null, "keyPrefix": null, "provider": {"value": null, "fromFieldPath": null}, ` + minimal),
			want:   `keyPrefix: Invalid value: null: must not be null`,
		},

		// Empty strings.
		"EncodingEmpty": {
			reason: "An empty string should not be taken for the default.",
			json:   source(`"type": "Value", "values": {}, "encoding": ""`),
			want:   `sources[1].encoding: Invalid value: "": must not be empty: leave it out`,
		},
		"PolicyEmpty": {
			reason: "An empty string should not be taken for the default, at any depth.",
			json:   source(`"type": "CompositeField", "fromFieldPath": "spec.labels", "policy": {"fromFieldPath": ""}`),
			want:   `sources[1].policy.fromFieldPath: Invalid value: "": must not be empty: leave it out`,
		},
		"SeparatorEmpty": {
			reason: "Without a separator keys and values could not be told apart, and the default is another one.",
			json:   tagField(`"apiVersion": "a/v1", "kind": "A", "fieldPath": "spec.tags", "shape": "StringList", "stringList": {"separator": ""}`),
			want:   `tagFields[1].stringList.separator: Invalid value: "": must not be empty: leave it out`,
		},

		// The provider.
		"EmptyProvider": {
			reason: "A provider that is there should say what it is.",
			json:   input(`"provider": {}, ` + minimal),
			want:   `provider: Invalid value: "": must have exactly one of value and fromFieldPath`,
		},
		"ProviderTwice": {
			reason: "A provider should not be given by value and by field path at once.",
			json:   input(`"provider": {"value": "aws", "fromFieldPath": "spec.provider"}, ` + minimal),
			want:   `provider: Invalid value: "": must have exactly one of value and fromFieldPath`,
		},
		"ProviderEmptyValue": {
			reason: "An empty name is no provider's.",
			json:   input(`"provider": {"value": ""}, ` + minimal),
			want:   `provider.value: Invalid value: "": must not be empty: leave it out`,
		},
		"ProviderEmptyPath": {
			reason: "An empty path leads to no field.",
			json:   input(`"provider": {"fromFieldPath": ""}, ` + minimal),
			want:   `provider.fromFieldPath: Invalid value: "": must not be empty: leave it out`,
		},
		"ProviderBadPath": {
			reason: "A malformed path should be refused before any composite resource is there to try it on.",
			json:   input(`"provider": {"fromFieldPath": "spec..provider"}, ` + minimal),
			want:   `provider.fromFieldPath: Invalid value: "spec..provider": cannot parse field path "spec..provider": unexpected '.' at position 5`,
			goOnly: true,
		},
		"ProviderWildcard": {
			reason: "A path that leads to many fields should be refused.",
			json:   input(`"provider": {"fromFieldPath": "spec.providers[*]"}, ` + minimal),
			want:   `provider.fromFieldPath: Invalid value: "spec.providers[*]": field path "spec.providers[*]" must lead to one field, without wildcards`,
			goOnly: true,
		},

		// Sources.
		"NoSourceType": {
			reason: "A source's type should be required.",
			json:   source(`"values": {"a": "b"}`),
			want:   `sources[1].type: Required value: one of ` + sourceTypes,
		},
		"UnknownSourceType": {
			reason: "An unknown type should be refused, with the types that there are.",
			json:   source(`"type": "ConfigMap"`),
			want:   `sources[1].type: Unsupported value: "ConfigMap": supported values: ` + sourceTypes,
		},
		"SourceTypeInOtherCase": {
			reason: "A type should match with case.",
			json:   source(`"type": "value", "values": {}`),
			want:   `sources[1].type: Unsupported value: "value": supported values: ` + sourceTypes,
		},
		"ValueWithoutValues": {
			reason: "A source of type Value needs values.",
			json:   source(`"type": "Value"`),
			want:   `sources[1].values: Required value: a source of type Value takes labels from it`,
		},
		"ValueWithFromFieldPath": {
			reason: "A source of type Value reads no field.",
			json:   source(`"type": "Value", "values": {}, "fromFieldPath": "spec.labels"`),
			want:   `sources[1].fromFieldPath: Forbidden: a source of type Value takes labels from values`,
		},
		"ValueWithFromFieldPathOnly": {
			reason: "Both mistakes should be named.",
			json:   source(`"type": "Value", "fromFieldPath": "spec.labels"`),
			want: `[sources[1].values: Required value: a source of type Value takes labels from it, ` +
				`sources[1].fromFieldPath: Forbidden: a source of type Value takes labels from values]`,
		},
		"CompositeFieldWithoutPath": {
			reason: "A source of type CompositeField needs a field path.",
			json:   source(`"type": "CompositeField"`),
			want:   `sources[1].fromFieldPath: Required value: a source of type CompositeField takes labels from it`,
		},
		"CompositeFieldWithValues": {
			reason: "A source of type CompositeField has no values of its own.",
			json:   source(`"type": "CompositeField", "fromFieldPath": "spec.labels", "values": {}`),
			want:   `sources[1].values: Forbidden: a source of type CompositeField takes labels from fromFieldPath`,
		},
		"EmptyFromFieldPath": {
			reason: "An empty path leads to no field.",
			json:   source(`"type": "CompositeField", "fromFieldPath": ""`),
			want:   `sources[1].fromFieldPath: Invalid value: "": must not be empty: leave it out`,
		},
		"BadFromFieldPath": {
			reason: "A malformed path should be refused.",
			json:   source(`"type": "CompositeField", "fromFieldPath": "spec.labels["`),
			want:   `sources[1].fromFieldPath: Invalid value: "spec.labels[": cannot parse field path "spec.labels[": unterminated '[' at position 11`,
			goOnly: true,
		},
		"WildcardFromFieldPath": {
			reason: "A path that leads to many fields should be refused.",
			json:   source(`"type": "CompositeField", "fromFieldPath": "spec.*"`),
			want:   `sources[1].fromFieldPath: Invalid value: "spec.*": field path "spec.*" must lead to one field, without wildcards`,
			goOnly: true,
		},
		"UnknownEncoding": {
			reason: "An unknown encoding should be refused, with those that there are.",
			json:   source(`"type": "Value", "values": {}, "encoding": "YAML"`),
			want:   `sources[1].encoding: Unsupported value: "YAML": supported values: "JSON", "Plain", "Scalar"`,
		},
		"UnknownKeyForm": {
			reason: "An unknown form of keys should be refused, with those that there are.",
			json:   source(`"type": "Value", "values": {}, "keyForm": "Prefixed"`),
			want:   `sources[1].keyForm: Unsupported value: "Prefixed": supported values: "Qualified", "Tag"`,
		},
		"UnknownOnConflict": {
			reason: "An unknown conflict policy should be refused, with those that there are.",
			json:   source(`"type": "Value", "values": {}, "onConflict": "Overwrite"`),
			want:   `sources[1].onConflict: Unsupported value: "Overwrite": supported values: "Error", "Replace", "Retain"`,
		},
		"UnknownPolicy": {
			reason: "An unknown policy for fields should be refused, with those that there are.",
			json:   source(`"type": "CompositeField", "fromFieldPath": "spec.labels", "policy": {"fromFieldPath": "Must"}`),
			want:   `sources[1].policy.fromFieldPath: Unsupported value: "Must": supported values: "Optional", "Required"`,
		},
		"PolicyForNothing": {
			reason: "A policy for fields makes no sense where no field is read.",
			json:   source(`"type": "Value", "values": {}, "policy": {"fromFieldPath": "Required"}`),
			want:   `sources[1].policy: Forbidden: the source reads nothing that could be absent`,
			goOnly: true,
		},
		"PolicyForNothingWithKeys": {
			reason: "Patterns in the input are no field, either.",
			json:   source(`"type": "Value", "values": {}, "include": {"keys": ["a"]}, "policy": {}`),
			want:   `sources[1].policy: Forbidden: the source reads nothing that could be absent`,
			goOnly: true,
		},
		"EmptyInclude": {
			reason: "An include should say what it includes.",
			json:   source(`"type": "Value", "values": {}, "include": {}`),
			want:   `sources[1].include: Invalid value: "": must have at least one of keys, fromFieldPath and except`,
		},
		"IncludeTwice": {
			reason: "Patterns should not be in the input and in a field at once.",
			json:   source(`"type": "Value", "values": {}, "include": {"keys": ["a"], "fromFieldPath": "spec.propagate"}`),
			want:   `sources[1].include: Invalid value: "": must have at most one of keys and fromFieldPath`,
		},
		"IncludeBadPath": {
			reason: "A malformed path should be refused.",
			json:   source(`"type": "Value", "values": {}, "include": {"fromFieldPath": ".spec"}`),
			want:   `sources[1].include.fromFieldPath: Invalid value: ".spec": cannot parse field path ".spec": unexpected '.' at position 0`,
			goOnly: true,
		},
		"IncludeEmptyPattern": {
			reason: "An empty pattern should be refused, since it matches the empty key at most.",
			json:   source(`"type": "Value", "values": {}, "include": {"keys": ["a", ""]}`),
			want:   `sources[1].include.keys[1]: Invalid value: "": must not be empty`,
			goOnly: true,
		},
		"IncludeStarInside": {
			reason: "A star is known at the end only, so it should be refused elsewhere, not taken for a character.",
			json:   source(`"type": "Value", "values": {}, "include": {"keys": ["*/env", "a*b", "a**"]}`),
			want: `[sources[1].include.keys[0]: Invalid value: "*/env": a * may only be the last character, ` +
				`sources[1].include.keys[1]: Invalid value: "a*b": a * may only be the last character, ` +
				`sources[1].include.keys[2]: Invalid value: "a**": a * may only be the last character]`,
			goOnly: true,
		},

		// Key formats, rules and discovery.
		"KeyFormatWithoutProvider": {
			reason: "A format is some provider's.",
			json:   input(`"keyFormats": [{"prefix": "x"}], ` + minimal),
			want:   `keyFormats[0].provider: Required value: one of ` + profileNames(),
		},
		"KeyFormatEmptyProvider": {
			reason: "An empty name is no provider's.",
			json:   input(`"keyFormats": [{"provider": ""}], ` + minimal),
			want:   `keyFormats[0].provider: Required value: one of ` + profileNames(),
		},
		"KeyFormatUnknownProvider": {
			reason: "A format of a provider without a profile would have no effect.",
			json:   input(`"keyFormats": [{"provider": "no-such-cloud"}], ` + minimal),
			want:   `keyFormats[0].provider: Unsupported value: "no-such-cloud": supported values: ` + profileNames(),
			goOnly: true,
		},
		"KeyFormatTwice": {
			reason: "Only one format of a provider's can have an effect.",
			json:   input(`"keyFormats": [{"provider": "gcp"}, {"provider": "azure"}, {"provider": "gcp", "lowercase": true}], ` + minimal),
			want:   `keyFormats[2].provider: Duplicate value: "gcp"`,
		},
		"KeyFormatReplaceNothing": {
			reason: "Nothing is everywhere, so it can't be replaced.",
			json:   input(`"keyFormats": [{"provider": "gcp", "replace": {"": "_"}}], ` + minimal),
			want:   `keyFormats[0].replace: Invalid value: "": cannot replace an empty string`,
			goOnly: true,
		},
		"UnknownProfileRules": {
			reason: "Unknown rules should be refused, with those that there are.",
			json:   input(`"profileRules": "Strict", ` + minimal),
			want:   `profileRules: Unsupported value: "Strict": supported values: "Cloud", "Contract"`,
		},
		"UnknownFieldDiscovery": {
			reason: "An unknown way to discover fields should be refused, with those that there are.",
			json:   input(`"fieldDiscovery": "Never", ` + minimal),
			want:   `fieldDiscovery: Unsupported value: "Never": supported values: "Auto", "Index", "Schema"`,
		},

		// Slots.
		"ReservedTagsUnknownProfile": {
			reason: "A name that is no profile's would have no effect.",
			json:   input(`"reservedTags": {"no-such-cloud": 1}, ` + minimal),
			want:   `reservedTags: Unsupported value: "no-such-cloud": supported values: ` + profileNames(),
			goOnly: true,
		},
		"ReservedTagsNegative": {
			reason: "No fewer slots than none can be left free.",
			json:   input(`"reservedTags": {"aws": -1}, ` + minimal),
			want:   `reservedTags[aws]: Invalid value: -1: must not be negative`,
		},

		// Tag fields.
		"EmptyTagField": {
			reason: "All that is missing in a rule should be named.",
			json:   tagField(``),
			want: `[tagFields[1].shape: Required value: one of "KeyValueList", "Map", "None", "StringList", ` +
				`tagFields[1].apiVersion: Required value: an apiVersion, in which * matches any run of characters, ` +
				`tagFields[1].kind: Required value: a kind, in which * matches any run of characters, ` +
				`tagFields[1].fieldPath: Required value: the field that holds the tags]`,
		},
		"TagFieldWithoutShape": {
			reason: "The shape should be required.",
			json:   tagField(`"apiVersion": "a/v1", "kind": "A", "fieldPath": "spec.tags"`),
			want:   `tagFields[1].shape: Required value: one of "KeyValueList", "Map", "None", "StringList"`,
		},
		"TagFieldWithoutAPIVersion": {
			reason: "The apiVersion should be required.",
			json:   tagField(`"kind": "A", "shape": "None"`),
			want:   `tagFields[1].apiVersion: Required value: an apiVersion, in which * matches any run of characters`,
		},
		"TagFieldEmptyAPIVersion": {
			reason: "An empty apiVersion is no kind's.",
			json:   tagField(`"apiVersion": "", "kind": "A", "shape": "None"`),
			want:   `tagFields[1].apiVersion: Required value: an apiVersion, in which * matches any run of characters`,
		},
		"TagFieldWithoutKind": {
			reason: "The kind should be required.",
			json:   tagField(`"apiVersion": "a/v1", "shape": "None"`),
			want:   `tagFields[1].kind: Required value: a kind, in which * matches any run of characters`,
		},
		"UnknownShape": {
			reason: "An unknown shape should be refused, with those that there are.",
			json:   tagField(`"apiVersion": "a/v1", "kind": "A", "fieldPath": "spec.tags", "shape": "List"`),
			want:   `tagFields[1].shape: Unsupported value: "List": supported values: "KeyValueList", "Map", "None", "StringList"`,
		},
		"MapWithoutPath": {
			reason: "A map is somewhere.",
			json:   tagField(`"apiVersion": "a/v1", "kind": "A", "shape": "Map"`),
			want:   `tagFields[1].fieldPath: Required value: the field that holds the tags`,
		},
		"KeyValueListWithoutPath": {
			reason: "A list is somewhere.",
			json:   tagField(`"apiVersion": "a/v1", "kind": "A", "shape": "KeyValueList"`),
			want:   `tagFields[1].fieldPath: Required value: the field that holds the tags`,
		},
		"StringListWithoutPath": {
			reason: "A list is somewhere.",
			json:   tagField(`"apiVersion": "a/v1", "kind": "A", "shape": "StringList"`),
			want:   `tagFields[1].fieldPath: Required value: the field that holds the tags`,
		},
		"NoneWithPath": {
			reason: "What is not tagged has no field.",
			json:   tagField(`"apiVersion": "a/v1", "kind": "A", "fieldPath": "spec.tags", "shape": "None"`),
			want:   `tagFields[1].fieldPath: Forbidden: shape None has no field`,
		},
		"TagFieldBadPath": {
			reason: "A malformed path should be refused.",
			json:   tagField(`"apiVersion": "a/v1", "kind": "A", "fieldPath": "spec.tags.", "shape": "Map"`),
			want:   `tagFields[1].fieldPath: Invalid value: "spec.tags.": cannot parse field path "spec.tags.": unexpected '.' at position 9`,
			goOnly: true,
		},
		"TagFieldWildcard": {
			reason: "A path that leads to many fields should be refused.",
			json:   tagField(`"apiVersion": "a/v1", "kind": "A", "fieldPath": "spec.disks[*].tags", "shape": "Map"`),
			want:   `tagFields[1].fieldPath: Invalid value: "spec.disks[*].tags": field path "spec.disks[*].tags" must lead to one field, without wildcards`,
			goOnly: true,
		},
		"MapWithKeyValueList": {
			reason: "A map's entries have no field names.",
			json:   tagField(`"apiVersion": "a/v1", "kind": "A", "fieldPath": "spec.tags", "shape": "Map", "keyValueList": {}`),
			want:   `tagFields[1].keyValueList: Forbidden: only shape KeyValueList has it`,
		},
		"MapWithStringList": {
			reason: "A map's entries have no separator.",
			json:   tagField(`"apiVersion": "a/v1", "kind": "A", "fieldPath": "spec.tags", "shape": "Map", "stringList": {}`),
			want:   `tagFields[1].stringList: Forbidden: only shape StringList has it`,
		},
		"KeyValueListWithStringList": {
			reason: "Only one kind of list is what the field holds.",
			json:   tagField(`"apiVersion": "a/v1", "kind": "A", "fieldPath": "spec.tags", "shape": "KeyValueList", "stringList": {"separator": "="}`),
			want:   `tagFields[1].stringList: Forbidden: only shape StringList has it`,
		},
		"StringListWithKeyValueList": {
			reason: "Only one kind of list is what the field holds.",
			json:   tagField(`"apiVersion": "a/v1", "kind": "A", "fieldPath": "spec.tags", "shape": "StringList", "keyValueList": {"key": "k"}`),
			want:   `tagFields[1].keyValueList: Forbidden: only shape KeyValueList has it`,
		},
		"NoneWithLists": {
			reason: "What is not tagged has no entries.",
			json:   tagField(`"apiVersion": "a/v1", "kind": "A", "shape": "None", "keyValueList": {}, "stringList": {}`),
			want: `[tagFields[1].keyValueList: Forbidden: only shape KeyValueList has it, ` +
				`tagFields[1].stringList: Forbidden: only shape StringList has it]`,
		},
		"SameNames": {
			reason: "Key and value can't be in one field.",
			json:   tagField(`"apiVersion": "a/v1", "kind": "A", "fieldPath": "spec.tags", "shape": "KeyValueList", "keyValueList": {"key": "x", "value": "x"}`),
			want:   `tagFields[1].keyValueList.value: Invalid value: "x": must differ from key`,
			goOnly: true,
		},
		"SameNamesByDefault": {
			reason: "The default counts, too.",
			json:   tagField(`"apiVersion": "a/v1", "kind": "A", "fieldPath": "spec.tags", "shape": "KeyValueList", "keyValueList": {"key": "value"}`),
			want:   `tagFields[1].keyValueList.value: Invalid value: "value": must differ from key`,
			goOnly: true,
		},
		"ExtraKey": {
			reason: "A further field should not take the key's place.",
			json:   tagField(`"apiVersion": "a/v1", "kind": "A", "fieldPath": "spec.tags", "shape": "KeyValueList", "keyValueList": {"key": "Key", "extra": {"Key": "x"}}`),
			want:   `tagFields[1].keyValueList.extra[Key]: Forbidden: the tag is written there`,
			goOnly: true,
		},
		"ExtraValueByDefault": {
			reason: "A further field should not take the value's place, whose name is the default one.",
			json:   tagField(`"apiVersion": "a/v1", "kind": "A", "fieldPath": "spec.tags", "shape": "KeyValueList", "keyValueList": {"extra": {"value": true}}`),
			want:   `tagFields[1].keyValueList.extra[value]: Forbidden: the tag is written there`,
			goOnly: true,
		},
		"MaxLengthNegative": {
			reason: "No entry is shorter than nothing.",
			json:   tagField(`"apiVersion": "a/v1", "kind": "A", "fieldPath": "spec.tags", "shape": "StringList", "stringList": {"maxLength": -1}`),
			want:   `tagFields[1].stringList.maxLength: Invalid value: -1: must not be negative`,
		},

		// TTL.
		"TTLNoDuration": {
			reason: "What is no duration should be refused.",
			json:   input(`"ttl": "soon", ` + minimal),
			want:   `ttl: Invalid value: "soon": must be a duration that is not negative, e.g. 1m30s`,
			goOnly: true,
		},
		"TTLWithoutUnit": {
			reason: "A duration needs a unit.",
			json:   input(`"ttl": "60", ` + minimal),
			want:   `ttl: Invalid value: "60": must be a duration that is not negative, e.g. 1m30s`,
			goOnly: true,
		},
		"TTLInDays": {
			reason: "There is no unit of days.",
			json:   input(`"ttl": "1d", ` + minimal),
			want:   `ttl: Invalid value: "1d": must be a duration that is not negative, e.g. 1m30s`,
			goOnly: true,
		},
		"TTLNegative": {
			reason: "No answer is reused for less than no time.",
			json:   input(`"ttl": "-1s", ` + minimal),
			want:   `ttl: Invalid value: "-1s": must be a duration that is not negative, e.g. 1m30s`,
			goOnly: true,
		},
		"TTLTooLong": {
			reason: "A duration should have to be one that the function can hold.",
			json:   input(`"ttl": "9999999h", ` + minimal),
			want:   `ttl: Invalid value: "9999999h": must be a duration that is not negative, e.g. 1m30s`,
			goOnly: true,
		},

		// Everything at once.
		"SeveralMistakes": {
			reason: "Every mistake should be named at once, so that all can be corrected at once.",
			json: `{"apiVersion": "cloudtags.fn.plexsphere.com/v1beta1", "kind": "CloudTag", "provider": {}, "reservedTags": {"aws": -2}, "ttl": "x",
				"sources": [{"type": "Value", "values": {}}, {"type": "Values"}, {"type": "Value", "values": {}, "keyForm": "x", "include": {"keys": ["*x"]}}],
				"tagFields": [{"apiVersion": "a/v1", "kind": "A", "shape": "Map"}]}`,
			want: `[kind: Unsupported value: "CloudTag": supported values: "CloudTags", ` +
				`provider: Invalid value: "": must have exactly one of value and fromFieldPath, ` +
				`sources[1].type: Unsupported value: "Values": supported values: ` + sourceTypes + `, ` +
				`sources[2].keyForm: Unsupported value: "x": supported values: "Qualified", "Tag", ` +
				`sources[2].include.keys[0]: Invalid value: "*x": a * may only be the last character, ` +
				`reservedTags[aws]: Invalid value: -2: must not be negative, ` +
				`tagFields[0].fieldPath: Required value: the field that holds the tags, ` +
				`ttl: Invalid value: "x": must be a duration that is not negative, e.g. 1m30s]`,
		},
	}
}

func TestDecodeInvalid(t *testing.T) {
	for name, tc := range invalidCases() {
		t.Run(name, func(t *testing.T) {
			s := resource.MustStructJSON(tc.json)
			before := proto.CloneOf(s)

			// The text must be the same every time, whatever the order of maps is.
			for range 3 {
				_, err := v1beta1.Decode(s)

				if diff := cmp.Diff(tc.want, text(err)); diff != "" {
					t.Fatalf("\n%s\nDecode(...): -want error, +got error:\n%s", tc.reason, diff)
				}
			}

			if diff := cmp.Diff(before, s, protocmp.Transform()); diff != "" {
				t.Errorf("\n%s\nDecode(...): -before, +after:\n%s", tc.reason, diff)
			}
		})
	}
}

func TestDecodeMetadata(t *testing.T) {
	// Whatever is wrong below metadata, the error must say where.
	cases := map[string]struct {
		reason string
		json   string
		want   string
	}{
		"Time": {
			reason: "A time that is none should be named.",
			json:   input(`"metadata": {"creationTimestamp": "yesterday"}, ` + minimal),
			want:   "metadata",
		},
		"Number": {
			reason: "A number that is none should be named.",
			json:   input(`"metadata": {"generation": "first"}, ` + minimal),
			want:   "metadata.generation: must be",
		},
		"Boolean": {
			reason: "A boolean that is none should be named.",
			json:   input(`"metadata": {"ownerReferences": [{"controller": "yes"}]}, ` + minimal),
			want:   "metadata.ownerReferences[0].controller: must be",
		},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			_, err := v1beta1.Decode(resource.MustStructJSON(tc.json))

			if !strings.HasPrefix(text(err), tc.want) {
				t.Errorf("\n%s\nDecode(...): want an error that starts with %q, got %q", tc.reason, tc.want, text(err))
			}
		})
	}
}

func TestDecodeStruct(t *testing.T) {
	want := "the pipeline step has no input: it needs one of apiVersion cloudtags.fn.plexsphere.com/v1beta1 and kind CloudTags"

	_, err := v1beta1.Decode(nil)
	if diff := cmp.Diff(want, text(err)); diff != "" {
		t.Errorf("\nA step without input should be told what it needs.\nDecode(nil): -want error, +got error:\n%s", diff)
	}

	// What no JSON says, but a struct can hold.
	with := func(v *structpb.Value) *structpb.Struct {
		s := resource.MustStructJSON(input(minimal))
		s.Fields["ttl"] = v

		return s
	}

	_, err = v1beta1.Decode(with(&structpb.Value{}))
	if diff := cmp.Diff("ttl: Invalid value: null: must not be null", text(err)); diff != "" {
		t.Errorf("\nA value of no kind is like null.\nDecode(...): -want error, +got error:\n%s", diff)
	}

	_, err = v1beta1.Decode(with(nil))
	if diff := cmp.Diff("ttl: Invalid value: null: must not be null", text(err)); diff != "" {
		t.Errorf("\nA value that is not there is like null.\nDecode(...): -want error, +got error:\n%s", diff)
	}

	for _, n := range []float64{math.NaN(), math.Inf(1), math.Inf(-1)} {
		_, err = v1beta1.Decode(with(structpb.NewNumberValue(n)))
		if want := "cannot encode input as JSON: "; !strings.HasPrefix(text(err), want) {
			t.Errorf("\nA number that JSON can't say should be refused.\nDecode(...) of %v: want an error that starts with %q, got %q", n, want, text(err))
		}
	}
}

func TestReuseFor(t *testing.T) {
	cases := map[string]struct {
		reason string
		fields string
		want   time.Duration
	}{
		"Default": {reason: "The default should be a minute.", fields: minimal, want: time.Minute},
		"Given":   {reason: "A given duration should be taken.", fields: `"ttl": "1h30m5s", ` + minimal, want: 90*time.Minute + 5*time.Second},
		"Zero":    {reason: "None should be taken for none, not for the default.", fields: `"ttl": "0", ` + minimal},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			in, err := v1beta1.Decode(resource.MustStructJSON(input(tc.fields)))
			if err != nil {
				t.Fatal(err)
			}

			if diff := cmp.Diff(tc.want, in.ReuseFor()); diff != "" {
				t.Errorf("\n%s\nReuseFor(): -want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}

func TestFormats(t *testing.T) {
	in, err := v1beta1.Decode(resource.MustStructJSON(input(`"keyFormats": [
		{"provider": "gcp", "prefix": "acme_", "replace": {"/": "--", "/E": "+"}, "lowercase": true},
		{"provider": "azure"}
	], ` + minimal)))
	if err != nil {
		t.Fatal(err)
	}

	set := tags.PropagatingLabelSet{"Platform/Env": "v"}
	transformer := tags.NewTransformer(set.Labels(*in.KeyPrefix), in.Formats())

	cases := map[string]struct {
		reason  string
		profile string
		want    string
	}{
		"None":     {reason: "A provider without an entry and without a built-in format should get the key as it is.", profile: "hetzner", want: "plexsphere:Platform/Env"},
		"Prefix":   {reason: "The prefix, then what to replace and then the lower case should have their effect.", profile: "gcp", want: "acme_platform+nv"},
		"Verbatim": {reason: "An entry that says nothing should leave keys as they are, though there is a built-in format.", profile: "azure", want: "plexsphere:Platform/Env"},
		"BuiltIn":  {reason: "A provider without an entry should have its built-in format.", profile: "digitalocean", want: "plexsphere:Platform-Env"},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			done := transformer.Transform(tags.ProfileOf(tc.profile))

			got := ""
			for _, tag := range done.Tags {
				got = tag.Key
			}

			for _, s := range done.Skipped {
				got = s.TagKey
			}

			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("\n%s\nFormats(): -want key, +got key:\n%s", tc.reason, diff)
			}
		})
	}
}

func TestValidateKeyPattern(t *testing.T) {
	cases := map[string]struct {
		reason  string
		pattern string
		want    string
	}{
		"Key":       {reason: "A key is a pattern.", pattern: "platform/env"},
		"Prefix":    {reason: "The beginning of keys and a star is a pattern.", pattern: "platform/*"},
		"All":       {reason: "A star alone is a pattern.", pattern: "*"},
		"Empty":     {reason: "An empty pattern is a mistake.", pattern: "", want: "must not be empty"},
		"Start":     {reason: "A star at the start is not known.", pattern: "*/env", want: "a * may only be the last character"},
		"Inside":    {reason: "A star inside is not known.", pattern: "a*b", want: "a * may only be the last character"},
		"TwoStars":  {reason: "The first of two stars is not the last character.", pattern: "a**", want: "a * may only be the last character"},
		"MultiByte": {reason: "A star should be found behind runes of several bytes.", pattern: "é日*"},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(tc.want, v1beta1.ValidateKeyPattern(tc.pattern)); diff != "" {
				t.Errorf("\n%s\nValidateKeyPattern(%q): -want, +got:\n%s", tc.reason, tc.pattern, diff)
			}
		})
	}
}

// reencode returns the supplied input as a struct again.
func reencode(tb testing.TB, in *v1beta1.CloudTags) *structpb.Struct {
	tb.Helper()

	j, err := json.Marshal(in)
	if err != nil {
		tb.Fatal(err)
	}

	s := &structpb.Struct{}
	if err := s.UnmarshalJSON(j); err != nil {
		tb.Fatal(err)
	}

	return s
}

// checkReencoded fails the test unless the supplied input decodes to an equal one
// once it is encoded again.
func checkReencoded(tb testing.TB, in *v1beta1.CloudTags) {
	tb.Helper()

	again, err := v1beta1.Decode(reencode(tb, in))
	if err != nil {
		tb.Errorf("\nAn input that was decoded should decode again.\nDecode(...): %v", err)
		return
	}

	if diff := cmp.Diff(in, again, equalJSON(), cmpopts.EquateEmpty()); diff != "" {
		tb.Errorf("\nAn input that was decoded should decode to an equal one again.\nDecode(...): -first, +second:\n%s", diff)
	}

	if diff := cmp.Diff(in, in.DeepCopy(), equalJSON()); diff != "" {
		tb.Errorf("\nA copy should be equal.\nDeepCopy(): -want, +got:\n%s", diff)
	}
}

func TestReencode(t *testing.T) {
	for name, tc := range validCases() {
		t.Run(name, func(t *testing.T) {
			in, err := v1beta1.Decode(resource.MustStructJSON(tc.json))
			if err != nil {
				t.Fatal(err)
			}

			checkReencoded(t, in)
		})
	}
}

func FuzzDecode(f *testing.F) {
	for _, tc := range validCases() {
		f.Add([]byte(tc.json))
	}

	for _, tc := range invalidCases() {
		f.Add([]byte(tc.json))
	}

	f.Fuzz(func(t *testing.T, j []byte) {
		s := &structpb.Struct{}
		if err := s.UnmarshalJSON(j); err != nil {
			t.Skip("not a JSON object")
		}

		in, err := v1beta1.Decode(s)
		if err != nil {
			if err.Error() == "" {
				t.Error("\nAn error should say something.\nDecode(...): got an empty error")
			}

			return
		}

		checkReencoded(t, in)
	})
}

func BenchmarkDecode(b *testing.B) {
	s := resource.MustStructJSON(validInputs()["EverythingOfASource"].json)

	b.ReportAllocs()

	for b.Loop() {
		if _, err := v1beta1.Decode(s); err != nil {
			b.Fatal(err)
		}
	}
}
