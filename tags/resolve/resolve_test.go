package resolve_test

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/testing/protocmp"
	"google.golang.org/protobuf/types/known/structpb"

	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"
	"github.com/crossplane/function-sdk-go/resource"

	"github.com/plexsphere/function-cloud-tags/input/v1beta1"
	"github.com/plexsphere/function-cloud-tags/tags"
	"github.com/plexsphere/function-cloud-tags/tags/require"
	"github.com/plexsphere/function-cloud-tags/tags/resolve"
)

// composite is the composite resource of most cases.
const composite = `{
	"apiVersion": "platform.example.org/v1alpha1",
	"kind": "Storage",
	"metadata": {"name": "assets", "annotations": {"example.org/provider": "openstack"}},
	"spec": {
		"cloud": {"provider": "Hetzner", "empty": "", "number": 1, "null": null},
		"labels": {"platform/env": "prod", "platform/tier": "gold", "acme:checkout/owner": "team-a"},
		"override": {"platform/env": "staging", "extra": "x"},
		"json": {"platform/env": "\"prod\"", "count": "3"},
		"tags": {"plexsphere:platform/env": "kept", "Name": "assets", "plexsphere:": "p"},
		"empty": {},
		"null": null,
		"text": "labels",
		"list": ["a"],
		"mixed": {"a": "b", "replicas": 3, "z": true},
		"nulls": {"a": null},
		"propagate": ["platform/*", "acme:checkout/owner"],
		"nothing": [],
		"badPatterns": ["platform/*", "*/env"],
		"negated": ["platform/*", "!platform/*"],
		"emptyPattern": [""],
		"mixedPatterns": ["platform/*", 1]
	}
}`

// decode returns the input with the supplied fields.
func decode(tb testing.TB, fields string) *v1beta1.CloudTags {
	tb.Helper()

	in, err := v1beta1.Decode(resource.MustStructJSON(`{"apiVersion": "cloudtags.fn.plexsphere.com/v1beta1", "kind": "CloudTags", ` + fields + `}`))
	if err != nil {
		tb.Fatal(err)
	}

	return in
}

// asideFrom compares sets aside from what other tests are about: messages about sources
// that find nothing, and whole objects.
var asideFrom = cmp.Options{cmpopts.IgnoreFields(resolve.Set{}, "Empty"), cmpopts.IgnoreFields(resolve.Class{}, "Object"), byPosition}

// byPosition compares sources by their positions. None is the first.
var byPosition = cmp.Transformer("Position", func(s *tags.Source) int {
	if s == nil {
		return 0
	}

	return s.Position
})

// from is the source at the supplied position.
func from(position int) *tags.Source { return &tags.Source{Position: position} }

// resolveOn resolves the supplied input for a request with nothing but the supplied
// composite resource.
func resolveOn(in *v1beta1.CloudTags, xr *structpb.Struct) (resolve.Set, error) {
	req := &fnv1.RunFunctionRequest{Observed: &fnv1.State{Composite: &fnv1.Resource{Resource: xr}}}
	return resolve.Resolve(context.Background(), in, req, require.New(req))
}

// text of the supplied error, which is empty for none.
func text(err error) string {
	if err == nil {
		return ""
	}

	return err.Error()
}

func TestResolve(t *testing.T) {
	type want struct {
		set resolve.Set
		err string
	}

	// set returns what Resolve should if the input names no provider.
	set := func(labels ...tags.Label) want { return want{set: resolve.Set{Labels: labels}} }

	// label returns a label whose tag key has the default prefix.
	label := func(key, value string, source int) tags.Label {
		return tags.Label{QualifiedKey: key, TagKey: "plexsphere:" + key, Value: value, Source: from(source)}
	}

	// overriding returns the supplied result with labels that others took the place
	// of.
	overriding := func(w want, o ...resolve.Override) want {
		w.set.Overridden = o
		return w
	}

	// one source of a value, for cases about something else.
	const one = `"sources": [{"type": "Value", "values": {"a": "b"}}]`

	cases := map[string]struct {
		reason string
		input  string
		want   want
	}{
		// The provider.
		"NoProvider": {
			reason: "An input without a provider should give none.",
			input:  one,
			want:   set(label("a", "b", 0)),
		},
		"ProviderByValue": {
			reason: "A provider that the input names is not one that the composite resource or a class names.",
			input:  `"provider": {"value": "Acme Cloud"}, ` + one,
			want:   want{set: resolve.Set{Labels: []tags.Label{label("a", "b", 0)}}},
		},
		"ProviderByField": {
			reason: "The provider should be read from a field, and keep its case.",
			input:  `"provider": {"fromFieldPath": "spec.cloud.provider"}, ` + one,
			want:   want{set: resolve.Set{Provider: "Hetzner", Labels: []tags.Label{label("a", "b", 0)}}},
		},
		"ProviderByAnnotation": {
			reason: "The provider should be read from a field in brackets.",
			input:  `"provider": {"fromFieldPath": "metadata.annotations[example.org/provider]"}, ` + one,
			want:   want{set: resolve.Set{Provider: "openstack", Labels: []tags.Label{label("a", "b", 0)}}},
		},
		"ProviderAbsent": {
			reason: "A field that should name the provider must be there, or labels would be checked by the wrong rules.",
			input:  `"provider": {"fromFieldPath": "spec.cloud.name"}, ` + one,
			want:   want{err: "cannot resolve provider: spec.cloud.name is required, but the composite resource doesn't have it"},
		},
		"ProviderNull": {
			reason: "A field that is null is absent.",
			input:  `"provider": {"fromFieldPath": "spec.cloud.null"}, ` + one,
			want:   want{err: "cannot resolve provider: spec.cloud.null is required, but the composite resource doesn't have it"},
		},
		"ProviderEmpty": {
			reason: "An empty string names no provider.",
			input:  `"provider": {"fromFieldPath": "spec.cloud.empty"}, ` + one,
			want:   want{err: "cannot resolve provider: spec.cloud.empty is empty"},
		},
		"ProviderNumber": {
			reason: "A number names no provider.",
			input:  `"provider": {"fromFieldPath": "spec.cloud.number"}, ` + one,
			want:   want{err: "cannot resolve provider: spec.cloud.number is a number, not a string"},
		},
		"ProviderObject": {
			reason: "An object names no provider.",
			input:  `"provider": {"fromFieldPath": "spec.cloud"}, ` + one,
			want:   want{err: "cannot resolve provider: spec.cloud is an object, not a string"},
		},
		"ProviderThroughString": {
			reason: "A path through a string leads to no field, so it is a mistake.",
			input:  `"provider": {"fromFieldPath": "spec.text.provider"}, ` + one,
			want:   want{err: "cannot resolve provider: spec.text is a string, not an object"},
		},

		// Values of the input, and prefixes.
		"Values": {
			reason: "Values should become labels, sorted by qualified key.",
			input:  `"sources": [{"type": "Value", "values": {"b": "2", "a": "1", "": "", "acme:checkout/owner": "é"}}]`,
			want:   set(label("", "", 0), label("a", "1", 0), label("acme:checkout/owner", "é", 0), label("b", "2", 0)),
		},
		"NoValues": {
			reason: "No values should give no labels.",
			input:  `"sources": [{"type": "Value", "values": {}}]`,
			want:   set(),
		},
		"OtherPrefix": {
			reason: "Tag keys should have the prefix that the input asks for.",
			input:  `"keyPrefix": "acme-", ` + one,
			want:   set(tags.Label{QualifiedKey: "a", TagKey: "acme-a", Value: "b"}),
		},
		"NoPrefix": {
			reason: "Without a prefix the qualified key is the tag key.",
			input:  `"keyPrefix": "", ` + one,
			want:   set(tags.Label{QualifiedKey: "a", TagKey: "a", Value: "b"}),
		},

		// Fields of the composite resource.
		"Field": {
			reason: "A map of the composite resource should become labels.",
			input:  `"sources": [{"type": "CompositeField", "fromFieldPath": "spec.labels"}]`,
			want:   set(label("acme:checkout/owner", "team-a", 0), label("platform/env", "prod", 0), label("platform/tier", "gold", 0)),
		},
		"EmptyField": {
			reason: "An empty map is a set without labels: success.",
			input:  `"sources": [{"type": "CompositeField", "fromFieldPath": "spec.empty", "policy": {"fromFieldPath": "Required"}}]`,
			want:   set(),
		},
		"AbsentField": {
			reason: "A map that is absent is a set without labels by default: success.",
			input:  `"sources": [{"type": "CompositeField", "fromFieldPath": "spec.nowhere.labels"}]`,
			want:   set(),
		},
		"NullField": {
			reason: "A map that is null is absent.",
			input:  `"sources": [{"type": "CompositeField", "fromFieldPath": "spec.null"}]`,
			want:   set(),
		},
		"AbsentOptionalField": {
			reason: "A map that is absent is a set without labels if it is optional.",
			input:  `"sources": [{"type": "CompositeField", "fromFieldPath": "spec.nowhere", "policy": {"fromFieldPath": "Optional"}}]`,
			want:   set(),
		},
		"AbsentRequiredField": {
			reason: "A map that is absent is a failure if it is required.",
			input:  `"sources": [{"type": "CompositeField", "fromFieldPath": "spec.nowhere.labels", "policy": {"fromFieldPath": "Required"}}]`,
			want:   want{err: "cannot resolve sources[0]: spec.nowhere.labels is required, but the composite resource doesn't have it"},
		},
		"NullRequiredField": {
			reason: "A map that is null is a failure if it is required.",
			input:  `"sources": [{"type": "CompositeField", "fromFieldPath": "spec.null", "policy": {"fromFieldPath": "Required"}}]`,
			want:   want{err: "cannot resolve sources[0]: spec.null is required, but the composite resource doesn't have it"},
		},
		"NamedSource": {
			reason: "A failure should have the name of the source, and which one it is.",
			input: `"sources": [
				{"type": "CompositeField", "fromFieldPath": "spec.labels"},
				{"type": "CompositeField", "name": "registry", "fromFieldPath": "spec.nowhere", "policy": {"fromFieldPath": "Required"}}
			]`,
			want: want{err: `cannot resolve sources[1] "registry": spec.nowhere is required, but the composite resource doesn't have it`},
		},
		"FieldString": {
			reason: "A string is no map, optional or not.",
			input:  `"sources": [{"type": "CompositeField", "fromFieldPath": "spec.text"}]`,
			want:   want{err: "cannot resolve sources[0]: spec.text is a string, not a map of strings"},
		},
		"FieldList": {
			reason: "A list is no map, optional or not.",
			input:  `"sources": [{"type": "CompositeField", "fromFieldPath": "spec.list"}]`,
			want:   want{err: "cannot resolve sources[0]: spec.list is a list, not a map of strings"},
		},
		"FieldNumber": {
			reason: "A number is no map, optional or not.",
			input:  `"sources": [{"type": "CompositeField", "fromFieldPath": "spec.cloud.number"}]`,
			want:   want{err: "cannot resolve sources[0]: spec.cloud.number is a number, not a map of strings"},
		},
		"NumberValue": {
			reason: "A value that is no string is a failure that names its key, the lowest one.",
			input:  `"sources": [{"type": "CompositeField", "fromFieldPath": "spec.mixed"}]`,
			want:   want{err: "cannot resolve sources[0]: spec.mixed[replicas] is a number, not a string"},
		},
		"NumberValueNotIncluded": {
			reason: "Only what is included should be checked: a map may have other types under other keys.",
			input:  `"sources": [{"type": "CompositeField", "fromFieldPath": "spec.mixed", "include": {"keys": ["a"]}}]`,
			want:   want{set: resolve.Set{Labels: []tags.Label{label("a", "b", 0)}}},
		},
		"NumberValueIncluded": {
			reason: "A value that is no string is a failure under the key that is included.",
			input:  `"sources": [{"type": "CompositeField", "fromFieldPath": "spec.mixed", "include": {"keys": ["a", "z"]}}]`,
			want:   want{err: "cannot resolve sources[0]: spec.mixed[z] is a boolean, not a string"},
		},
		"Except": {
			reason: "All but the exceptions should be included.",
			input:  `"sources": [{"type": "CompositeField", "fromFieldPath": "spec.labels", "include": {"except": ["platform/t*", "acme:checkout/owner", "nothing*"]}}]`,
			want:   want{set: resolve.Set{Labels: []tags.Label{label("platform/env", "prod", 0)}}},
		},
		"ExceptSome": {
			reason: "An exception should be stronger than what is included.",
			input:  `"sources": [{"type": "CompositeField", "fromFieldPath": "spec.labels", "include": {"keys": ["platform/*"], "except": ["platform/env"]}}]`,
			want:   want{set: resolve.Set{Labels: []tags.Label{label("platform/tier", "gold", 0)}}},
		},
		"ExceptFromField": {
			reason: "An exception should be stronger than what a field includes.",
			input:  `"sources": [{"type": "CompositeField", "fromFieldPath": "spec.labels", "include": {"fromFieldPath": "spec.propagate", "except": ["platform/*"]}}]`,
			want:   want{set: resolve.Set{Labels: []tags.Label{label("acme:checkout/owner", "team-a", 0)}}},
		},
		"ExceptWithKeysOfNone": {
			reason: "Exceptions should include nothing themselves.",
			input:  `"sources": [{"type": "CompositeField", "fromFieldPath": "spec.labels", "include": {"keys": [], "except": ["platform/*"]}}]`,
		},
		"ExceptWhatIsNoString": {
			reason: "What is left out should not be checked.",
			input:  `"sources": [{"type": "CompositeField", "fromFieldPath": "spec.mixed", "include": {"except": ["replicas", "z"]}}]`,
			want:   want{set: resolve.Set{Labels: []tags.Label{label("a", "b", 0)}}},
		},
		"IncludeFromFieldNegated": {
			reason: "A pattern of a field that can match no key should be refused as it is in the input.",
			input:  `"sources": [{"type": "CompositeField", "fromFieldPath": "spec.labels", "include": {"fromFieldPath": "spec.negated"}}]`,
			want:   want{err: `cannot resolve sources[0]: cannot tell which labels to include: spec.negated[1] "!platform/*": matches no key: except says which labels are left out`},
		},
		"Scalar": {
			reason: "Strings should be taken as they are, and numbers and booleans as their JSON text.",
			input:  `"sources": [{"type": "CompositeField", "fromFieldPath": "spec.mixed", "encoding": "Scalar"}]`,
			want:   want{set: resolve.Set{Labels: []tags.Label{label("a", "b", 0), label("replicas", "3", 0), label("z", "true", 0)}}},
		},
		"ScalarNull": {
			reason: "Null should be refused, and named by its key.",
			input:  `"sources": [{"type": "CompositeField", "fromFieldPath": "spec.nulls", "encoding": "Scalar"}]`,
			want:   want{err: "cannot resolve sources[0]: cannot take spec.nulls[a]: null is not a string, a number or a boolean"},
		},
		"ScalarObject": {
			reason: "An object should be refused, and named by its key.",
			input:  `"sources": [{"type": "CompositeField", "fromFieldPath": "spec", "include": {"keys": ["cloud", "text"]}, "encoding": "Scalar"}]`,
			want:   want{err: "cannot resolve sources[0]: cannot take spec[cloud]: an object is not a string, a number or a boolean"},
		},
		"NullValue": {
			reason: "A value that is null is no string.",
			input:  `"sources": [{"type": "CompositeField", "fromFieldPath": "spec.nulls"}]`,
			want:   want{err: "cannot resolve sources[0]: spec.nulls[a] is null, not a string"},
		},
		"ThroughString": {
			reason: "A path through a string is a mistake, not an absent map.",
			input:  `"sources": [{"type": "CompositeField", "fromFieldPath": "spec.text.labels"}]`,
			want:   want{err: "cannot resolve sources[0]: spec.text is a string, not an object"},
		},
		"ThroughList": {
			reason: "A path through a list is a mistake, not an absent map.",
			input:  `"sources": [{"type": "CompositeField", "fromFieldPath": "spec.list.labels"}]`,
			want:   want{err: "cannot resolve sources[0]: spec.list is a list, not an object"},
		},

		// Precedence.
		"LaterOverEarlier": {
			reason: "A later source should override an earlier one key by key, and each label should know where it came from.",
			input: `"sources": [
				{"type": "CompositeField", "fromFieldPath": "spec.labels"},
				{"type": "Value", "values": {"platform/env": "dev", "fixed": "f"}},
				{"type": "CompositeField", "fromFieldPath": "spec.override"}
			]`,
			want: overriding(set(
				label("acme:checkout/owner", "team-a", 0),
				label("extra", "x", 2),
				label("fixed", "f", 1),
				label("platform/env", "staging", 2),
				label("platform/tier", "gold", 0),
			), resolve.Override{Label: label("platform/env", "prod", 0), By: from(1)}, resolve.Override{Label: label("platform/env", "dev", 1), By: from(2)}),
		},
		"OrderDecides": {
			reason: "Only the order of sources should decide, not their type.",
			input: `"sources": [
				{"type": "CompositeField", "fromFieldPath": "spec.override"},
				{"type": "Value", "values": {"platform/env": "dev"}}
			]`,
			want: overriding(set(label("extra", "x", 0), label("platform/env", "dev", 1)), resolve.Override{Label: label("platform/env", "staging", 0), By: from(1)}),
		},
		"SameSourceTwice": {
			reason: "The later of two equal sources should be where labels come from.",
			input:  `"sources": [{"type": "Value", "values": {"a": "b"}}, {"type": "Value", "values": {"a": "b"}}]`,
			want:   overriding(set(label("a", "b", 1)), resolve.Override{Label: label("a", "b", 0), By: from(1)}),
		},
		"EmptyValueOverrides": {
			reason: "An empty value is a value, which overrides.",
			input:  `"sources": [{"type": "Value", "values": {"a": "b"}}, {"type": "Value", "values": {"a": ""}}]`,
			want:   overriding(set(label("a", "", 1)), resolve.Override{Label: label("a", "b", 0), By: from(1)}),
		},
		"NotIncludedDoesNotOverride": {
			reason: "A label that is not included should not override.",
			input:  `"sources": [{"type": "Value", "values": {"a": "b"}}, {"type": "Value", "values": {"a": "c", "d": "e"}, "include": {"keys": ["d"]}}]`,
			want:   set(label("a", "b", 0), label("d", "e", 1)),
		},
		"AbsentDoesNotOverride": {
			reason: "A source without labels should override nothing.",
			input:  `"sources": [{"type": "Value", "values": {"a": "b"}}, {"type": "CompositeField", "fromFieldPath": "spec.nowhere"}]`,
			want:   set(label("a", "b", 0)),
		},
		"FirstFailure": {
			reason: "The first source that fails should be named.",
			input: `"sources": [
				{"type": "CompositeField", "fromFieldPath": "spec.text"},
				{"type": "CompositeField", "fromFieldPath": "spec.list"}
			]`,
			want: want{err: "cannot resolve sources[0]: spec.text is a string, not a map of strings"},
		},

		// Include.
		"IncludeExact": {
			reason: "A pattern without a star should match the whole key.",
			input:  `"sources": [{"type": "CompositeField", "fromFieldPath": "spec.labels", "include": {"keys": ["platform/env", "platform"]}}]`,
			want:   set(label("platform/env", "prod", 0)),
		},
		"IncludePrefix": {
			reason: "A pattern with a star should match how keys start.",
			input:  `"sources": [{"type": "CompositeField", "fromFieldPath": "spec.labels", "include": {"keys": ["platform/*"]}}]`,
			want:   set(label("platform/env", "prod", 0), label("platform/tier", "gold", 0)),
		},
		"IncludePrefixAlone": {
			reason: "A star should match nothing, too.",
			input:  `"sources": [{"type": "CompositeField", "fromFieldPath": "spec.labels", "include": {"keys": ["platform/env*"]}}]`,
			want:   set(label("platform/env", "prod", 0)),
		},
		"IncludeAll": {
			reason: "A star alone should match every key, also the empty one.",
			input:  `"sources": [{"type": "Value", "values": {"a": "b", "": "c"}, "include": {"keys": ["*"]}}]`,
			want:   set(label("", "c", 0), label("a", "b", 0)),
		},
		"IncludeAny": {
			reason: "A label should be included if any pattern matches.",
			input:  `"sources": [{"type": "CompositeField", "fromFieldPath": "spec.labels", "include": {"keys": ["nowhere", "acme:checkout/owner", "platform/t*"]}}]`,
			want:   set(label("acme:checkout/owner", "team-a", 0), label("platform/tier", "gold", 0)),
		},
		"IncludeWithCase": {
			reason: "Patterns should match with case.",
			input:  `"sources": [{"type": "CompositeField", "fromFieldPath": "spec.labels", "include": {"keys": ["Platform/*", "PLATFORM/ENV"]}}]`,
			want:   set(),
		},
		"IncludeNotByTagKey": {
			reason: "Patterns should match the qualified key, not the tag key.",
			input:  `"sources": [{"type": "CompositeField", "fromFieldPath": "spec.labels", "include": {"keys": ["plexsphere:*"]}}]`,
			want:   set(),
		},
		"IncludeNothing": {
			reason: "No patterns should include nothing.",
			input:  `"sources": [{"type": "CompositeField", "fromFieldPath": "spec.labels", "include": {"keys": []}}]`,
			want:   set(),
		},
		"IncludeFromField": {
			reason: "The patterns should be read from a field.",
			input:  `"sources": [{"type": "Value", "values": {"platform/x": "1", "acme:checkout/owner": "2", "other": "3"}, "include": {"fromFieldPath": "spec.propagate"}}]`,
			want:   set(label("acme:checkout/owner", "2", 0), label("platform/x", "1", 0)),
		},
		"IncludeFromEmptyField": {
			reason: "An empty list of patterns should include nothing.",
			input:  `"sources": [{"type": "CompositeField", "fromFieldPath": "spec.labels", "include": {"fromFieldPath": "spec.nothing"}}]`,
			want:   set(),
		},
		"IncludeFromAbsentField": {
			reason: "Patterns that are absent should include nothing: propagation is opt-in.",
			input:  `"sources": [{"type": "CompositeField", "fromFieldPath": "spec.labels", "include": {"fromFieldPath": "spec.nowhere"}}]`,
			want:   set(),
		},
		"IncludeFromRequiredField": {
			reason: "Patterns that are absent should be a failure if they are required.",
			input:  `"sources": [{"type": "CompositeField", "fromFieldPath": "spec.labels", "include": {"fromFieldPath": "spec.nowhere"}, "policy": {"fromFieldPath": "Required"}}]`,
			want:   want{err: "cannot resolve sources[0]: cannot tell which labels to include: spec.nowhere is required, but the composite resource doesn't have it"},
		},
		"ValueIncludeFromRequiredField": {
			reason: "Patterns should be required of a source of type Value, too.",
			input:  `"sources": [{"type": "Value", "values": {"a": "b"}, "include": {"fromFieldPath": "spec.nowhere"}, "policy": {"fromFieldPath": "Required"}}]`,
			want:   want{err: "cannot resolve sources[0]: cannot tell which labels to include: spec.nowhere is required, but the composite resource doesn't have it"},
		},
		"IncludeFromMap": {
			reason: "A map is no list of patterns.",
			input:  `"sources": [{"type": "CompositeField", "fromFieldPath": "spec.labels", "include": {"fromFieldPath": "spec.labels"}}]`,
			want:   want{err: "cannot resolve sources[0]: cannot tell which labels to include: spec.labels is an object, not a list of strings"},
		},
		"IncludeFromString": {
			reason: "A string is no list of patterns.",
			input:  `"sources": [{"type": "CompositeField", "fromFieldPath": "spec.labels", "include": {"fromFieldPath": "spec.text"}}]`,
			want:   want{err: "cannot resolve sources[0]: cannot tell which labels to include: spec.text is a string, not a list of strings"},
		},
		"IncludeFromMixed": {
			reason: "A number is no pattern.",
			input:  `"sources": [{"type": "CompositeField", "fromFieldPath": "spec.labels", "include": {"fromFieldPath": "spec.mixedPatterns"}}]`,
			want:   want{err: "cannot resolve sources[0]: cannot tell which labels to include: spec.mixedPatterns[1] is a number, not a string"},
		},
		"IncludeBadPattern": {
			reason: "A pattern of a field should obey the rules of those in the input.",
			input:  `"sources": [{"type": "CompositeField", "fromFieldPath": "spec.labels", "include": {"fromFieldPath": "spec.badPatterns"}}]`,
			want:   want{err: `cannot resolve sources[0]: cannot tell which labels to include: spec.badPatterns[1] "*/env": a * may only be the last character`},
		},
		"IncludeEmptyPattern": {
			reason: "An empty pattern of a field is as much a mistake as one in the input.",
			input:  `"sources": [{"type": "CompositeField", "fromFieldPath": "spec.labels", "include": {"fromFieldPath": "spec.emptyPattern"}}]`,
			want:   want{err: `cannot resolve sources[0]: cannot tell which labels to include: spec.emptyPattern[0] "": must not be empty`},
		},
		"IncludeThroughString": {
			reason: "A path through a string is a mistake, not absent patterns.",
			input:  `"sources": [{"type": "CompositeField", "fromFieldPath": "spec.labels", "include": {"fromFieldPath": "spec.text.patterns"}}]`,
			want:   want{err: "cannot resolve sources[0]: cannot tell which labels to include: spec.text is a string, not an object"},
		},

		// Keys that are tag keys already.
		"TagKeys": {
			reason: "Tag keys should get no prefix, and what follows the prefix is the qualified key of those that have it.",
			input:  `"sources": [{"type": "CompositeField", "fromFieldPath": "spec.tags", "keyForm": "Tag"}]`,
			want: set(
				tags.Label{QualifiedKey: "", TagKey: "plexsphere:", Value: "p", Unprefixed: true},
				tags.Label{QualifiedKey: "Name", TagKey: "Name", Value: "assets", Unprefixed: true},
				tags.Label{QualifiedKey: "platform/env", TagKey: "plexsphere:platform/env", Value: "kept", Unprefixed: true},
			),
		},
		"TagKeysWithOtherPrefix": {
			reason: "Only the prefix of the input should be taken off tag keys.",
			input:  `"keyPrefix": "acme-", "sources": [{"type": "Value", "values": {"plexsphere:a": "1", "acme-b": "2"}, "keyForm": "Tag"}]`,
			want: set(
				tags.Label{QualifiedKey: "b", TagKey: "acme-b", Value: "2", Unprefixed: true},
				tags.Label{QualifiedKey: "plexsphere:a", TagKey: "plexsphere:a", Value: "1", Unprefixed: true},
			),
		},
		"TagKeysWithPrefixTwice": {
			reason: "The prefix should be taken off tag keys once.",
			input:  `"sources": [{"type": "Value", "values": {"plexsphere:plexsphere:a": "1"}, "keyForm": "Tag"}]`,
			want:   set(tags.Label{QualifiedKey: "plexsphere:a", TagKey: "plexsphere:plexsphere:a", Value: "1", Unprefixed: true}),
		},
		"TagKeysWithoutPrefix": {
			reason: "Without a prefix tag keys and qualified keys are the same.",
			input:  `"keyPrefix": "", "sources": [{"type": "Value", "values": {"a": "1"}, "keyForm": "Tag"}]`,
			want:   set(tags.Label{QualifiedKey: "a", TagKey: "a", Value: "1", Unprefixed: true}),
		},
		"TagOverQualified": {
			reason: "Sources should merge by tag key: a later tag key overrides the qualified key that comes to it.",
			input: `"sources": [
				{"type": "CompositeField", "fromFieldPath": "spec.override"},
				{"type": "CompositeField", "fromFieldPath": "spec.tags", "keyForm": "Tag"}
			]`,
			want: overriding(set(
				tags.Label{QualifiedKey: "", TagKey: "plexsphere:", Value: "p", Source: from(1), Unprefixed: true},
				tags.Label{QualifiedKey: "Name", TagKey: "Name", Value: "assets", Source: from(1), Unprefixed: true},
				label("extra", "x", 0),
				tags.Label{QualifiedKey: "platform/env", TagKey: "plexsphere:platform/env", Value: "kept", Source: from(1), Unprefixed: true},
			), resolve.Override{Label: label("platform/env", "staging", 0), By: from(1)}),
		},
		"QualifiedOverTag": {
			reason: "Sources should merge by tag key: a later qualified key overrides the tag key that it comes to.",
			input: `"sources": [
				{"type": "Value", "values": {"plexsphere:platform/env": "kept"}, "keyForm": "Tag"},
				{"type": "Value", "values": {"platform/env": "prod"}}
			]`,
			want: overriding(set(label("platform/env", "prod", 1)), resolve.Override{Label: tags.Label{QualifiedKey: "platform/env", TagKey: "plexsphere:platform/env", Value: "kept", Unprefixed: true}, By: from(1)}),
		},
		"SameQualifiedKey": {
			reason: "A tag key without the prefix and a qualified key may be the same, and stay two labels, sorted by tag key.",
			input: `"sources": [
				{"type": "Value", "values": {"z": "tag"}, "keyForm": "Tag"},
				{"type": "Value", "values": {"z": "label"}}
			]`,
			want: set(label("z", "label", 1), tags.Label{QualifiedKey: "z", TagKey: "z", Value: "tag", Unprefixed: true}),
		},
		"IncludeTagKeys": {
			reason: "Patterns should match the qualified keys of tag keys, less their prefix.",
			input:  `"sources": [{"type": "CompositeField", "fromFieldPath": "spec.tags", "keyForm": "Tag", "include": {"keys": ["platform/*", "plexsphere:*"]}}]`,
			want:   set(tags.Label{QualifiedKey: "platform/env", TagKey: "plexsphere:platform/env", Value: "kept", Unprefixed: true}),
		},

		// Values that are JSON.
		"JSON": {
			reason: "Values should be decoded to bare text.",
			input:  `"sources": [{"type": "CompositeField", "fromFieldPath": "spec.json", "encoding": "JSON"}]`,
			want:   set(label("count", "3", 0), label("platform/env", "prod", 0)),
		},
		"PlainJSON": {
			reason: "Plain values should be taken as they are, though they look like JSON.",
			input:  `"sources": [{"type": "CompositeField", "fromFieldPath": "spec.json", "encoding": "Plain"}]`,
			want:   set(label("count", "3", 0), label("platform/env", `"prod"`, 0)),
		},
		"NoJSON": {
			reason: "A value that is not JSON is a failure that names the source, the field and the key, the lowest one.",
			input:  `"sources": [{"type": "CompositeField", "name": "registry", "fromFieldPath": "spec.labels", "encoding": "JSON"}]`,
			want:   want{err: `cannot resolve sources[0] "registry": cannot decode spec.labels[acme:checkout/owner]: "team-a" is not JSON`},
		},
		"NoJSONOfInput": {
			reason: "A value of the input that is not JSON is a failure, too.",
			input:  `"sources": [{"type": "Value", "values": {"a": "1", "b": "{"}, "encoding": "JSON"}]`,
			want:   want{err: `cannot resolve sources[0]: cannot decode values[b]: "{" is not JSON`},
		},
		"NoJSONNotIncluded": {
			reason: "A value that is not JSON is no failure if its label is not included.",
			input:  `"sources": [{"type": "Value", "values": {"a": "1", "b": "{"}, "encoding": "JSON", "include": {"keys": ["a"]}}]`,
			want:   set(label("a", "1", 0)),
		},
		"EncodingOfEachSource": {
			reason: "Each source should have its own encoding.",
			input: `"sources": [
				{"type": "Value", "values": {"a": "\"x\""}, "encoding": "JSON"},
				{"type": "Value", "values": {"b": "\"x\""}}
			]`,
			want: set(label("a", "x", 0), label("b", `"x"`, 1)),
		},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			in := decode(t, tc.input)
			before := in.DeepCopy()

			xr := resource.MustStructJSON(composite)
			xrBefore := proto.CloneOf(xr)

			// The same every time, whatever the order of maps is.
			for range 3 {
				got, err := resolveOn(in, xr)

				if diff := cmp.Diff(tc.want.err, text(err)); diff != "" {
					t.Fatalf("\n%s\nResolve(...): -want error, +got error:\n%s", tc.reason, diff)
				}

				if diff := cmp.Diff(tc.want.set, got, asideFrom); diff != "" {
					t.Fatalf("\n%s\nResolve(...): -want, +got:\n%s", tc.reason, diff)
				}
			}

			if diff := cmp.Diff(before, in); diff != "" {
				t.Errorf("\n%s\nResolve(...): -input before, +input after:\n%s", tc.reason, diff)
			}

			if diff := cmp.Diff(xrBefore, xr, protocmp.Transform()); diff != "" {
				t.Errorf("\n%s\nResolve(...): -composite resource before, +composite resource after:\n%s", tc.reason, diff)
			}
		})
	}
}

func TestResolveWithoutComposite(t *testing.T) {
	got, err := resolveOn(decode(t, `"sources": [{"type": "CompositeField", "fromFieldPath": "spec.labels"}, {"type": "Value", "values": {"a": "b"}}]`), nil)
	if err != nil {
		t.Errorf("\nWithout a composite resource all its fields are absent.\nResolve(..., nil): %v", err)
	}

	want := resolve.Set{Labels: []tags.Label{{QualifiedKey: "a", TagKey: "plexsphere:a", Value: "b", Source: from(1)}}}
	if diff := cmp.Diff(want, got, asideFrom); diff != "" {
		t.Errorf("\nWithout a composite resource all its fields are absent.\nResolve(..., nil): -want, +got:\n%s", diff)
	}
}

func TestResolveJSON(t *testing.T) {
	type want struct {
		value string
		err   string
	}

	cases := map[string]struct {
		reason string
		value  string
		want   want
	}{
		"String":        {reason: "A string should lose its quotes.", value: `"prod"`, want: want{value: "prod"}},
		"EmptyString":   {reason: "An empty string is a string.", value: `""`, want: want{value: ""}},
		"Escapes":       {reason: "What is escaped should not be any more.", value: `"a\"b\\c\nd\u00e9\ud83d\ude00"`, want: want{value: "a\"b\\c\ndé😀"}},
		"NumberString":  {reason: "A string of a number should stay as it is written.", value: `"1.0"`, want: want{value: "1.0"}},
		"JSONInString":  {reason: "A string should be decoded once only.", value: `"\"prod\""`, want: want{value: `"prod"`}},
		"SpaceInString": {reason: "Space in a string should stay.", value: `"  a "`, want: want{value: "  a "}},
		"SpaceAround":   {reason: "Space around JSON says nothing.", value: " \t\n\"a\"\r\n ", want: want{value: "a"}},

		"Integer":         {reason: "A whole number should be its digits.", value: `1`, want: want{value: "1"}},
		"Zero":            {reason: "Zero is a number.", value: `0`, want: want{value: "0"}},
		"NegativeInteger": {reason: "A whole number may be negative.", value: `-12`, want: want{value: "-12"}},
		"HugeInteger":     {reason: "A whole number should keep all its digits, though no float can.", value: `12345678901234567890`, want: want{value: "12345678901234567890"}},
		"HugestInteger":   {reason: "A whole number should keep all its digits, though no float is as great.", value: "1" + strings.Repeat("0", 400), want: want{value: "1" + strings.Repeat("0", 400)}},
		"NegativeHuge":    {reason: "A negative whole number should keep all its digits.", value: `-9007199254740993`, want: want{value: "-9007199254740993"}},
		"WholeFloat":      {reason: "A fraction of zero should not be written.", value: `1.0`, want: want{value: "1"}},
		"Exponent":        {reason: "A number should be the same however it is written.", value: `1e3`, want: want{value: "1000"}},
		"CapitalExponent": {reason: "A number should be the same however it is written.", value: `1E+3`, want: want{value: "1000"}},
		"Fraction":        {reason: "A fraction should stay.", value: `1.50`, want: want{value: "1.5"}},
		"SmallFraction":   {reason: "A small fraction should be written out.", value: `1e-3`, want: want{value: "0.001"}},
		"TinyFraction":    {reason: "A tiny fraction should have an exponent.", value: `0.00000001`, want: want{value: "1e-8"}},
		"GreatFloat":      {reason: "A great float should have an exponent.", value: `1e21`, want: want{value: "1e+21"}},
		"NegativeZero":    {reason: "There is only one zero.", value: `-0`, want: want{value: "0"}},
		"NegativeZeros":   {reason: "There is only one zero.", value: `-0.0`, want: want{value: "0"}},
		"NegativeZeroExp": {reason: "There is only one zero.", value: `-0e5`, want: want{value: "0"}},
		"TooGreat":        {reason: "A float that there is none of is a failure, not infinity.", value: `1e400`, want: want{err: "1e400 is no 64-bit floating point number"}},
		"LeadingZero":     {reason: "JSON has no leading zeros.", value: `007`, want: want{err: `"007" is more than one JSON value`}},
		"PlusSign":        {reason: "JSON has no plus sign.", value: `+1`, want: want{err: `"+1" is not JSON`}},
		"Hexadecimal":     {reason: "JSON has no hexadecimal numbers.", value: `0x10`, want: want{err: `"0x10" is more than one JSON value`}},
		"NotANumber":      {reason: "JSON has no NaN.", value: `NaN`, want: want{err: `"NaN" is not JSON`}},

		"True":        {reason: "A boolean should be its word.", value: `true`, want: want{value: "true"}},
		"False":       {reason: "A boolean should be its word.", value: `false`, want: want{value: "false"}},
		"CapitalTrue": {reason: "JSON knows booleans in small letters only.", value: `True`, want: want{err: `"True" is not JSON`}},

		"Null":   {reason: "Null is no value of a label.", value: `null`, want: want{err: "null is not a JSON string, number or boolean"}},
		"Object": {reason: "An object is no value of a label.", value: `{"a": 1}`, want: want{err: `"{\"a\": 1}" is not a JSON string, number or boolean`}},
		"Array":  {reason: "An array is no value of a label.", value: `["a"]`, want: want{err: `"[\"a\"]" is not a JSON string, number or boolean`}},

		"Empty":          {reason: "Nothing is not JSON.", value: ``, want: want{err: `"" is not JSON`}},
		"Space":          {reason: "Space alone is not JSON.", value: ` `, want: want{err: `" " is not JSON`}},
		"BareWord":       {reason: "A word without quotes is not JSON.", value: `prod`, want: want{err: `"prod" is not JSON`}},
		"SingleQuotes":   {reason: "JSON has no single quotes.", value: `'prod'`, want: want{err: `"'prod'" is not JSON`}},
		"Unterminated":   {reason: "A string must end.", value: `"prod`, want: want{err: `"\"prod" is not JSON`}},
		"BrokenObject":   {reason: "An object must end.", value: `{"a":`, want: want{err: `"{\"a\":" is not JSON`}},
		"TwoValues":      {reason: "One value is all that there may be.", value: `"a" "b"`, want: want{err: `"\"a\" \"b\"" is more than one JSON value`}},
		"TrailingWord":   {reason: "Nothing may follow the value.", value: `"a" b`, want: want{err: `"\"a\" b" is more than one JSON value`}},
		"TrailingQuote":  {reason: "Nothing may follow the value.", value: `"a""`, want: want{err: `"\"a\"\"" is more than one JSON value`}},
		"TrailingComma":  {reason: "Nothing may follow the value.", value: `1,`, want: want{err: `"1," is more than one JSON value`}},
		"TrailingBrace":  {reason: "Nothing may follow the value.", value: `true}`, want: want{err: `"true}" is more than one JSON value`}},
		"TwoLines":       {reason: "A failure should take one line.", value: "a\nb", want: want{err: `"a\nb" is not JSON`}},
		"LongNotJSON":    {reason: "A failure should not be as long as the value.", value: strings.Repeat("é", 100), want: want{err: `"` + strings.Repeat("é", 64) + `" is not JSON`}},
		"LongObject":     {reason: "A failure should not be as long as the value.", value: `["` + strings.Repeat("a", 100) + `"]`, want: want{err: `"[\"` + strings.Repeat("a", 62) + `" is not a JSON string, number or boolean`}},
		"LongTwoValues":  {reason: "A failure should not be as long as the value.", value: strings.Repeat("1 ", 50), want: want{err: `"` + strings.Repeat("1 ", 32) + `" is more than one JSON value`}},
		"ControlInside":  {reason: "A line break must be escaped in a string.", value: "\"a\nb\"", want: want{err: `"\"a\nb\"" is not JSON`}},
		"UnicodeInside":  {reason: "Any other rune may be in a string.", value: `"é日😀"`, want: want{value: "é日😀"}},
		"HTMLCharacters": {reason: "What HTML would escape should stay as it is.", value: `"<a>&</a>"`, want: want{value: "<a>&</a>"}},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			value, err := json.Marshal(tc.value)
			if err != nil {
				t.Fatal(err)
			}

			in := decode(t, fmt.Sprintf(`"keyPrefix": "", "sources": [{"type": "Value", "values": {"a": %s}, "encoding": "JSON"}]`, value))
			got, err := resolveOn(in, nil)

			wantErr, want := "", resolve.Set{Labels: []tags.Label{{QualifiedKey: "a", TagKey: "a", Value: tc.want.value}}}
			if tc.want.err != "" {
				wantErr, want = "cannot resolve sources[0]: cannot decode values[a]: "+tc.want.err, resolve.Set{}
			}

			if diff := cmp.Diff(wantErr, text(err)); diff != "" {
				t.Errorf("\n%s\nResolve(...): -want error, +got error:\n%s", tc.reason, diff)
			}

			if diff := cmp.Diff(want, got, asideFrom); diff != "" {
				t.Errorf("\n%s\nResolve(...): -want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}

func BenchmarkResolve(b *testing.B) {
	in := decode(b, `"sources": [
		{"type": "CompositeField", "fromFieldPath": "spec.labels"},
		{"type": "Value", "values": {"platform/env": "dev", "fixed": "f"}},
		{"type": "CompositeField", "fromFieldPath": "spec.override", "include": {"keys": ["platform/*"]}}
	]`)
	xr := resource.MustStructJSON(composite)

	b.ReportAllocs()

	for b.Loop() {
		if _, err := resolveOn(in, xr); err != nil {
			b.Fatal(err)
		}
	}
}
