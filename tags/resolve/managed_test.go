package resolve_test

import (
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

	"github.com/plexsphere/function-cloud-tags/tags"
	"github.com/plexsphere/function-cloud-tags/tags/require"
	"github.com/plexsphere/function-cloud-tags/tags/resolve"
)

// tagKeys is the context of the cases about keys of tags.
const tagKeys = `{
	"example.org/tags": {
		"keys": ["Owner", "aws-backup:*"],
		"spec": {"propagate": ["of the context"], "text": "x", "bad": ["a", "b*c"], "none": [], "null": null}
	},
	"list": ["a"],
	"text": "a",
	"number": 1,
	"boolean": true,
	"null": null,
	"empty": {}
}`

// TestTagKeys is about what removeTags and ignoreTags have in common.
func TestTagKeys(t *testing.T) {
	type want struct {
		keys []resolve.TagKey
		err  string
	}

	input := func(patterns ...string) want {
		w := want{}
		for _, p := range patterns {
			w.keys = append(w.keys, resolve.TagKey{Pattern: p})
		}

		return w
	}

	field := func(patterns ...string) want {
		w := want{}
		for _, p := range patterns {
			w.keys = append(w.keys, resolve.TagKey{Pattern: p, Untrusted: true})
		}

		return w
	}

	refused := func(format string, args ...any) want { return want{err: fmt.Sprintf(format, args...)} }

	cases := map[string]struct {
		reason string
		keys   string
		want   want
	}{
		// Of the input.
		"Key": {
			reason: "A key of the input should be taken as it is, and whoever wrote it is trusted.",
			keys:   `{"key": "Owner"}`,
			want:   input("Owner"),
		},
		"Pattern": {
			reason: "The beginning of keys should be taken as it is.",
			keys:   `{"key": "aws-backup:*"}`,
			want:   input("aws-backup:*"),
		},
		"AllKeys": {
			reason: "A star alone is the beginning of all keys.",
			keys:   `{"key": "*"}`,
			want:   input("*"),
		},
		"Order": {
			reason: "The order should be that of the input, whatever was there twice.",
			keys:   `{"key": "b"}, {"key": "a*"}, {"key": "b"}, {"key": "a"}`,
			want:   input("b", "a*", "b", "a"),
		},

		// Of the composite resource.
		"Field": {
			reason: "Keys of a field should be taken in its order, and whoever wrote them isn't trusted.",
			keys:   `{"fromFieldPath": "spec.propagate"}`,
			want:   field("platform/*", "acme:checkout/owner"),
		},
		"FieldItem": {
			reason: "A list may be an item of a list.",
			keys:   `{"fromFieldPath": "spec.lists[1]"}`,
			want:   field("second", "*"),
		},
		"EmptyField": {
			reason: "There are no keys in an empty list.",
			keys:   `{"fromFieldPath": "spec.nothing"}`,
		},
		"AbsentField": {
			reason: "There are no keys if the field isn't there.",
			keys:   `{"fromFieldPath": "spec.nowhere"}`,
		},
		"AbsentParent": {
			reason: "There are no keys if what the field is of isn't there.",
			keys:   `{"fromFieldPath": "spec.nowhere.keys"}`,
		},
		"NullField": {
			reason: "A field that is null is absent.",
			keys:   `{"fromFieldPath": "spec.null"}`,
		},
		"Mixed": {
			reason: "Keys of the input and of fields should be taken in the order of the input.",
			keys:   `{"key": "z"}, {"fromFieldPath": "spec.propagate"}, {"fromFieldPath": "spec.nowhere"}, {"key": "a"}`,
			want: want{keys: []resolve.TagKey{
				{Pattern: "z"},
				{Pattern: "platform/*", Untrusted: true},
				{Pattern: "acme:checkout/owner", Untrusted: true},
				{Pattern: "a"},
			}},
		},
		"FieldIsString": {
			reason: "A string is no list of one. The field should be named, and whose it is.",
			keys:   `{"key": "a"}, {"fromFieldPath": "spec.text"}`,
			want:   refused("[1]: spec.text is a string, not a list of strings"),
		},
		"ThroughString": {
			reason: "A path through a string is a mistake of the path.",
			keys:   `{"fromFieldPath": "spec.text.keys"}`,
			want:   refused("[0]: spec.text is a string, not an object"),
		},
		"ItemIsNumber": {
			reason: "An item that isn't a string should be named.",
			keys:   `{"fromFieldPath": "spec.mixedPatterns"}`,
			want:   refused("[0]: spec.mixedPatterns[1] is a number, not a string"),
		},
		"ItemIsNull": {
			reason: "An item that is null is no string.",
			keys:   `{"fromFieldPath": "spec.nullPattern"}`,
			want:   refused("[0]: spec.nullPattern[0] is null, not a string"),
		},
		"EmptyItem": {
			reason: "An empty key matches nothing, so it is a mistake.",
			keys:   `{"fromFieldPath": "spec.emptyPattern"}`,
			want:   refused(`[0]: spec.emptyPattern[0] "": must not be empty`),
		},
		"StarNotLast": {
			reason: "A star that isn't the last character should be refused, and be quoted with its item.",
			keys:   `{"key": "a"}, {"key": "b"}, {"fromFieldPath": "spec.badPatterns"}`,
			want:   refused(`[2]: spec.badPatterns[1] "*/env": a * may only be the last character`),
		},

		// Of the context.
		"Context": {
			reason: "Keys below a key of the context should be taken in order. They come from a field, too.",
			keys:   `{"contextKey": "example.org/tags", "fromFieldPath": "keys"}`,
			want:   field("Owner", "aws-backup:*"),
		},
		"ContextNotComposite": {
			reason: "A path below a key of the context should not be looked for in the composite resource.",
			keys:   `{"contextKey": "example.org/tags", "fromFieldPath": "spec.propagate"}, {"contextKey": "example.org/tags", "fromFieldPath": "spec.labels"}`,
			want:   field("of the context"),
		},
		"AbsentContextKey": {
			reason: "There are no keys if the context has no such key.",
			keys:   `{"contextKey": "other", "fromFieldPath": "spec.propagate"}`,
		},
		"NullContextKey": {
			reason: "What is null in the context is absent.",
			keys:   `{"contextKey": "null", "fromFieldPath": "spec.propagate"}`,
		},
		"AbsentContextField": {
			reason: "There are no keys if the field isn't there.",
			keys:   `{"contextKey": "example.org/tags", "fromFieldPath": "spec.nowhere.keys"}, {"contextKey": "empty", "fromFieldPath": "keys"}`,
		},
		"EmptyContextField": {
			reason: "There are no keys in an empty list, and none in null.",
			keys:   `{"contextKey": "example.org/tags", "fromFieldPath": "spec.none"}, {"contextKey": "example.org/tags", "fromFieldPath": "spec.null"}`,
		},
		"ContextIsList": {
			reason: "A path leads below an object only. The key of the context should be named.",
			keys:   `{"contextKey": "list", "fromFieldPath": "keys"}`,
			want:   refused("[0]: context[list] is a list, not an object"),
		},
		"ContextIsString": {
			reason: "A string has no fields.",
			keys:   `{"key": "a"}, {"contextKey": "text", "fromFieldPath": "keys"}`,
			want:   refused("[1]: context[text] is a string, not an object"),
		},
		"ContextIsNumber": {
			reason: "A number has no fields.",
			keys:   `{"contextKey": "number", "fromFieldPath": "keys"}`,
			want:   refused("[0]: context[number] is a number, not an object"),
		},
		"ContextIsBoolean": {
			reason: "A boolean has no fields.",
			keys:   `{"contextKey": "boolean", "fromFieldPath": "keys"}`,
			want:   refused("[0]: context[boolean] is a boolean, not an object"),
		},
		"ContextFieldIsString": {
			reason: "The path should be named with the key of the context that it is below.",
			keys:   `{"contextKey": "example.org/tags", "fromFieldPath": "spec.text"}`,
			want:   refused("[0]: context[example.org/tags].spec.text is a string, not a list of strings"),
		},
		"ThroughContextString": {
			reason: "A path through a string is a mistake of the path.",
			keys:   `{"contextKey": "example.org/tags", "fromFieldPath": "spec.text.keys"}`,
			want:   refused("[0]: context[example.org/tags].spec.text is a string, not an object"),
		},
		"ContextStarNotLast": {
			reason: "An item should be named with the key of the context.",
			keys:   `{"contextKey": "example.org/tags", "fromFieldPath": "spec.bad"}`,
			want:   refused(`[0]: context[example.org/tags].spec.bad[1] "b*c": a * may only be the last character`),
		},
	}

	lists := map[string]func(keys []resolve.TagKey) resolve.Set{
		"removeTags": func(keys []resolve.TagKey) resolve.Set { return resolve.Set{Remove: keys} },
		"ignoreTags": func(keys []resolve.TagKey) resolve.Set { return resolve.Set{Ignore: keys} },
	}

	for name, tc := range cases {
		for list, set := range lists {
			t.Run(name+"/"+list, func(t *testing.T) {
				xr := resource.MustStructJSON(composite)
				spec := xr.GetFields()["spec"].GetStructValue().GetFields()
				more := resource.MustStructJSON(`{"lists": [["first"], ["second", "*"]], "nullPattern": [null]}`)
				spec["lists"], spec["nullPattern"] = more.GetFields()["lists"], more.GetFields()["nullPattern"]

				req := &fnv1.RunFunctionRequest{
					Observed: &fnv1.State{Composite: &fnv1.Resource{Resource: xr}},
					Context:  resource.MustStructJSON(tagKeys),
				}
				before := proto.CloneOf(req)

				want, wantErr := set(tc.want.keys), ""
				if tc.want.err != "" {
					want, wantErr = resolve.Set{}, "cannot resolve "+list+tc.want.err
				}

				// What is removed may also be a map.
				if list == "removeTags" {
					wantErr = strings.Replace(wantErr, "not a list of strings", "neither a list nor a map of strings", 1)
				}

				got, err := resolve.Resolve(t.Context(), decode(t, fmt.Sprintf("%q: [%s]", list, tc.keys)), req, require.New(req))
				if diff := cmp.Diff(wantErr, text(err)); diff != "" {
					t.Errorf("\n%s\nResolve(...): -want error, +got error:\n%s", tc.reason, diff)
				}

				if diff := cmp.Diff(want, got, asideFrom); diff != "" {
					t.Errorf("\n%s\nResolve(...): -want, +got:\n%s", tc.reason, diff)
				}

				if diff := cmp.Diff(before, req, protocmp.Transform()); diff != "" {
					t.Errorf("\n%s\nResolve(...) changed the request: -before, +after:\n%s", tc.reason, diff)
				}
			})
		}
	}
}

// TestManagedTags is about what only one of removeTags and ignoreTags has, and about
// both beside each other and beside sources.
func TestManagedTags(t *testing.T) {
	cases := map[string]struct {
		reason string
		input  string
		want   resolve.Set
	}{
		"Neither": {
			reason: "An input without either should give none.",
			input:  `"sources": [{"type": "Value", "values": {"a": "b"}}]`,
			want:   resolve.Set{Labels: []tags.Label{{QualifiedKey: "a", TagKey: "plexsphere:a", Value: "b"}}},
		},
		"Value": {
			reason: "The value of a tag to remove should be taken, an empty one too, and be told from none.",
			input:  `"removeTags": [{"key": "a", "value": "1"}, {"key": "b*", "value": ""}, {"key": "c"}]`,
			want:   resolve.Set{Remove: []resolve.TagKey{{Pattern: "a", Value: new("1")}, {Pattern: "b*", Value: new("")}, {Pattern: "c"}}},
		},
		"Map": {
			reason: "A map should give the values at which its keys are removed, sorted by key.",
			input:  `"removeTags": [{"fromFieldPath": "spec.override"}, {"key": "z"}, {"fromFieldPath": "spec.empty"}]`,
			want: resolve.Set{Remove: []resolve.TagKey{
				{Pattern: "extra", Value: new("x"), Untrusted: true},
				{Pattern: "platform/env", Value: new("staging"), Untrusted: true},
				{Pattern: "z"},
			}},
		},
		"OnConflict": {
			reason: "Only Retain should retain. The default is to replace.",
			input:  `"ignoreTags": [{"key": "a"}, {"key": "b", "onConflict": "Retain"}, {"key": "c", "onConflict": "Replace"}]`,
			want:   resolve.Set{Ignore: []resolve.TagKey{{Pattern: "a"}, {Pattern: "b", Retain: true}, {Pattern: "c"}}},
		},
		"OnConflictOfField": {
			reason: "All keys of a field should have the policy of their entry.",
			input:  `"ignoreTags": [{"fromFieldPath": "spec.propagate", "onConflict": "Retain"}]`,
			want: resolve.Set{Ignore: []resolve.TagKey{
				{Pattern: "platform/*", Retain: true, Untrusted: true},
				{Pattern: "acme:checkout/owner", Retain: true, Untrusted: true},
			}},
		},
		"Both": {
			reason: "The keys of one should not be those of the other, and neither are labels.",
			input:  `"sources": [{"type": "Value", "values": {"a": "b"}}], "ignoreTags": [{"key": "i"}], "removeTags": [{"fromFieldPath": "spec.propagate"}]`,
			want: resolve.Set{
				Labels: []tags.Label{{QualifiedKey: "a", TagKey: "plexsphere:a", Value: "b"}},
				Remove: []resolve.TagKey{{Pattern: "platform/*", Untrusted: true}, {Pattern: "acme:checkout/owner", Untrusted: true}},
				Ignore: []resolve.TagKey{{Pattern: "i"}},
			},
		},
		"NoPrefix": {
			reason: "The keys are those that resources have, so the key prefix is not put before them, or taken from them.",
			input:  `"keyPrefix": "x:", "removeTags": [{"key": "a"}, {"key": "x:b"}], "ignoreTags": [{"key": "x:*"}]`,
			want:   resolve.Set{Remove: []resolve.TagKey{{Pattern: "a"}, {Pattern: "x:b"}}, Ignore: []resolve.TagKey{{Pattern: "x:*"}}},
		},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			got, err := resolveOn(decode(t, tc.input), resource.MustStructJSON(composite))
			if diff := cmp.Diff(tc.want, got, asideFrom); err != nil || diff != "" {
				t.Errorf("\n%s\nResolve(...): %v: -want, +got:\n%s", tc.reason, err, diff)
			}
		})
	}
}

// TestManagedTagsOfMaps is about maps of keys and values that can't be taken.
func TestManagedTagsOfMaps(t *testing.T) {
	cases := map[string]struct {
		reason string
		input  string
		want   string
	}{
		"Ignore": {
			reason: "A map is no list of keys to ignore, even an empty one.",
			input:  `"ignoreTags": [{"fromFieldPath": "spec.empty"}]`,
			want:   "cannot resolve ignoreTags[0]: spec.empty is an object, not a list of strings",
		},
		"ValueIsNumber": {
			reason: "A tag's value is a string.",
			input:  `"removeTags": [{"key": "a"}, {"fromFieldPath": "spec.mixed"}]`,
			want:   "cannot resolve removeTags[1]: spec.mixed[replicas] is a number, not a string",
		},
		"ValueIsNull": {
			reason: "Null is not any value.",
			input:  `"removeTags": [{"fromFieldPath": "spec.nulls"}]`,
			want:   "cannot resolve removeTags[0]: spec.nulls[a] is null, not a string",
		},
		"Pattern": {
			reason: "A key that can't be a pattern should be named.",
			input:  `"removeTags": [{"fromFieldPath": "spec.patterns"}]`,
			want:   "cannot resolve removeTags[0]: spec.patterns[*/env]: a * may only be the last character",
		},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			xr := resource.MustStructJSON(composite)
			xr.GetFields()["spec"].GetStructValue().GetFields()["patterns"] = structpb.NewStructValue(resource.MustStructJSON(`{"*/env": "x"}`))

			_, err := resolveOn(decode(t, tc.input), xr)
			if diff := cmp.Diff(tc.want, text(err)); diff != "" {
				t.Errorf("\n%s\nResolve(...): -want error, +got error:\n%s", tc.reason, diff)
			}
		})
	}
}

// labelled is the composite resource of the cases about metadata that is copied.
const labelled = `{
	"apiVersion": "platform.example.org/v1",
	"kind": "App",
	"metadata": {
		"namespace": "team-a",
		"name": "shop",
		"labels": {"example.org/team": "a", "crossplane.io/composite": "shop"},
		"annotations": {"example.org/note": "two words", "kubectl.kubernetes.io/last-applied-configuration": "{}"}
	},
	"spec": {
		"organization": "acme",
		"labels": {"from": "spec.labels"},
		"annotations": {"from": "spec.annotations"},
		"list": [{"a": "item 0"}, {"a": "item 1"}],
		"empty": {},
		"null": null,
		"text": "x",
		"numbers": {"a": "b", "n": 1, "z": true}
	}
}`

func TestMetadata(t *testing.T) {
	type want struct {
		metadata []resolve.Metadata
		required []*fnv1.ResourceSelector
		err      string
	}

	// rule returns a rule that copies all of the supplied source, and has the supplied
	// fields too.
	rule := func(source, fields string) string {
		return `{"source": {` + source + `}, "select": {"all": true}` + fields + `}`
	}

	const (
		ofComposite    = `"type": "CompositeMetadata"`
		ofComposed     = `"type": "ComposedResource", "name": "bucket"`
		ofOrganization = `"type": "RequiredResource", "resource": {"apiVersion": "platform.example.org/v1", "kind": "Organization", "name": {"value": "acme"}}`
		ofConfigs      = `"type": "RequiredResource", "resource": {"apiVersion": "v1", "kind": "ConfigMap", "matchLabels": {"value": {"tags": "yes"}}}`

		onlyLabels      = `, "copy": ["Labels"]`
		onlyAnnotations = `, "copy": ["Annotations"]`
		optional        = `, "policy": {"fromFieldPath": "Optional"}`
	)

	// organization returns a source that takes the organization of the supplied name.
	organization := func(name, more string) string {
		return `"type": "RequiredResource", "resource": {"apiVersion": "platform.example.org/v1", "kind": "Organization", "name": ` + name + `}` + more
	}

	labels := map[string]string{"example.org/team": "a", "crossplane.io/composite": "shop"}
	annotations := map[string]string{"example.org/note": "two words", "kubectl.kubernetes.io/last-applied-configuration": "{}"}

	acmeLabels := map[string]string{"tags.example.org/company": "acme-corp", "tags.example.org/team": "label", "tags.example.com/no": "x", "other": "y"}
	acmeAnnotations := map[string]string{"tags.example.org/team": "an annotation", "tags.example.org/note": "a b", "example.org/no": "z"}
	acmeByName := []*fnv1.ResourceSelector{byName("platform.example.org/v1", "Organization", "acme")}
	configsByLabels := []*fnv1.ResourceSelector{byLabels("v1", "ConfigMap", map[string]string{"tags": "yes"})}

	one := func(m resolve.Metadata, required ...*fnv1.ResourceSelector) want {
		return want{metadata: []resolve.Metadata{m}, required: required}
	}

	refused := func(why string) want { return want{err: "cannot resolve kubernetesMetadata[0]: " + why} }

	cases := map[string]struct {
		reason string
		rules  string
		want   want
	}{
		// Of the composite resource.
		"Composite": {
			reason: "Labels and annotations should be taken as they are. Which of them are copied is decided later.",
			rules:  rule(ofComposite, ""),
			want:   one(resolve.Metadata{Labels: labels, Annotations: annotations}),
		},
		"CompositeSelect": {
			reason: "What is selected should not matter at this stage.",
			rules:  `{"source": {` + ofComposite + `}, "select": {"prefixes": ["nothing"]}}`,
			want:   one(resolve.Metadata{Labels: labels, Annotations: annotations}),
		},
		"CopyLabels": {
			reason: "Without Annotations in copy there should be none.",
			rules:  rule(ofComposite, onlyLabels),
			want:   one(resolve.Metadata{Labels: labels}),
		},
		"CopyAnnotations": {
			reason: "Without Labels in copy there should be none.",
			rules:  rule(ofComposite, onlyAnnotations),
			want:   one(resolve.Metadata{Annotations: annotations}),
		},
		"CopyBoth": {
			reason: "Both should be taken in any order of copy.",
			rules:  rule(ofComposite, `, "copy": ["Annotations", "Labels"]`),
			want:   one(resolve.Metadata{Labels: labels, Annotations: annotations}),
		},
		"CopyByToFieldPaths": {
			reason: "Without copy, what has a path to be copied to should be taken.",
			rules:  rule(ofComposite, `, "toFieldPaths": {"annotations": ["spec.x"]}`),
			want:   one(resolve.Metadata{Annotations: annotations}),
		},
		"Paths": {
			reason: "The maps may be anywhere in the object.",
			rules:  rule(ofComposite+`, "labelsFieldPath": "spec.labels", "annotationsFieldPath": "spec.annotations"`, ""),
			want:   one(resolve.Metadata{Labels: map[string]string{"from": "spec.labels"}, Annotations: map[string]string{"from": "spec.annotations"}}),
		},
		"OnePath": {
			reason: "A path that isn't given should be the default one. An item of a list may have the map.",
			rules:  rule(ofComposite+`, "labelsFieldPath": "spec.list[1]"`, ""),
			want:   one(resolve.Metadata{Labels: map[string]string{"a": "item 1"}, Annotations: annotations}),
		},
		"PathOfOther": {
			reason: "Annotations may be copied from labels, since only the path counts.",
			rules:  rule(ofComposite+`, "annotationsFieldPath": "metadata.labels"`, onlyAnnotations),
			want:   one(resolve.Metadata{Annotations: labels}),
		},
		"Absent": {
			reason: "An object without the maps should give none.",
			rules:  rule(ofComposite+`, "labelsFieldPath": "spec.nowhere.labels", "annotationsFieldPath": "spec.null"`, ""),
			want:   one(resolve.Metadata{}),
		},
		"Empty": {
			reason: "An empty map has no metadata.",
			rules:  rule(ofComposite+`, "labelsFieldPath": "spec.empty"`, onlyLabels),
			want:   one(resolve.Metadata{}),
		},
		"NotAMap": {
			reason: "A field of another kind should be named.",
			rules:  rule(ofComposite+`, "labelsFieldPath": "spec.text"`, ""),
			want:   refused("spec.text is a string, not a map of strings"),
		},
		"ListNotAMap": {
			reason: "A list is no map either. Annotations should be looked at as labels are.",
			rules:  rule(ofComposite+`, "annotationsFieldPath": "spec.list"`, ""),
			want:   refused("spec.list is a list, not a map of strings"),
		},
		"ThroughString": {
			reason: "A path through a string is a mistake of the path.",
			rules:  rule(ofComposite+`, "labelsFieldPath": "spec.text.labels"`, ""),
			want:   refused("spec.text is a string, not an object"),
		},
		"NotAString": {
			reason: "The first value that is no string should be named, with its key.",
			rules:  rule(ofComposite+`, "annotationsFieldPath": "spec.numbers"`, ""),
			want:   refused("spec.numbers[n] is a number, not a string"),
		},
		"OnlyWhatIsCopied": {
			reason: "What isn't copied should not be read, so it may be anything.",
			rules: rule(ofComposite+`, "annotationsFieldPath": "spec.numbers"`, onlyLabels) + `, ` +
				rule(ofComposite+`, "labelsFieldPath": "spec.text.labels"`, onlyAnnotations),
			want: want{metadata: []resolve.Metadata{{Labels: labels}, {Annotations: annotations}}},
		},
		"SecondRule": {
			reason: "The rule that is wrong should be named.",
			rules:  rule(ofComposite, "") + `, ` + rule(ofComposite+`, "labelsFieldPath": "spec.text"`, ""),
			want:   want{err: "cannot resolve kubernetesMetadata[1]: spec.text is a string, not a map of strings"},
		},

		// Of objects that Crossplane fetches.
		"Name": {
			reason: "The labels and annotations of the object should be taken.",
			rules:  rule(ofOrganization, ""),
			want:   one(resolve.Metadata{Labels: acmeLabels, Annotations: acmeAnnotations}, acmeByName...),
		},
		"NameFromField": {
			reason: "The name should be read from a field of the composite resource.",
			rules:  rule(organization(`{"fromFieldPath": "spec.organization"}`, ""), onlyAnnotations),
			want:   one(resolve.Metadata{Annotations: acmeAnnotations}, acmeByName...),
		},
		"Namespace": {
			reason: "A namespaced object should be looked for in its namespace only.",
			rules: rule(`"type": "RequiredResource", "labelsFieldPath": "data",
				"resource": {"apiVersion": "v1", "kind": "ConfigMap", "namespace": {"fromFieldPath": "metadata.namespace"}, "name": {"value": "tags"}}`, ""),
			want: one(resolve.Metadata{Labels: map[string]string{"who": "team-a", "team": "1"}}, byName("v1", "ConfigMap", "tags", "team-a")),
		},
		"Labels": {
			reason: "All objects that match should be merged in the order of namespace and name, later over earlier ones, in whatever order they were fetched.",
			rules:  rule(ofConfigs+`, "labelsFieldPath": "data"`, ""),
			want:   one(resolve.Metadata{Labels: map[string]string{"more": "1", "platform": "1", "team": "1", "who": "team-a"}}, configsByLabels...),
		},
		"LabelsOfNamespace": {
			reason: "Of the objects in one namespace the later name should override.",
			rules: rule(`"type": "RequiredResource", "annotationsFieldPath": "data", "resource": {"apiVersion": "v1", "kind": "ConfigMap",
				"namespace": {"value": "platform"}, "matchLabels": {"value": {"tags": "yes"}}}`, onlyAnnotations),
			want: one(resolve.Metadata{Annotations: map[string]string{"more": "1", "platform": "1", "who": "platform"}},
				byLabels("v1", "ConfigMap", map[string]string{"tags": "yes"}, "platform")),
		},
		"BothMerged": {
			reason: "Labels should be merged with labels only, and annotations with annotations.",
			rules:  rule(ofConfigs+`, "annotationsFieldPath": "data"`, ""),
			want: one(resolve.Metadata{
				Labels:      map[string]string{"tags": "yes"},
				Annotations: map[string]string{"more": "1", "platform": "1", "team": "1", "who": "team-a"},
			}, configsByLabels...),
		},
		"ObjectWithout": {
			reason: "An object without labels and annotations is there, so it is no failure, though it is required.",
			rules:  rule(organization(`{"value": "bare"}`, ""), ""),
			want:   one(resolve.Metadata{}, byName("platform.example.org/v1", "Organization", "bare")),
		},
		"AbsentObject": {
			reason: "By default there must be an object, and the one that there isn't should be named.",
			rules:  rule(organization(`{"value": "other"}`, ""), ""),
			want:   refused(`there is no Organization (platform.example.org/v1) named "other"`),
		},
		"AbsentRequired": {
			reason: "The default may be spelled out.",
			rules:  rule(organization(`{"value": "other"}`, `, "policy": {"fromFieldPath": "Required"}`), ""),
			want:   refused(`there is no Organization (platform.example.org/v1) named "other"`),
		},
		"AbsentOptional": {
			reason: "What is optional may be absent. It must be asked for all the same.",
			rules:  rule(organization(`{"value": "other"}`, optional), ""),
			want:   one(resolve.Metadata{}, byName("platform.example.org/v1", "Organization", "other")),
		},
		"NoneMatches": {
			reason: "If nothing matches, the labels that were looked for should be told.",
			rules:  rule(`"type": "RequiredResource", "resource": {"apiVersion": "v1", "kind": "ConfigMap", "matchLabels": {"value": {"tags": "never"}}}`, ""),
			want:   refused("there is no ConfigMap (v1) with the labels tags=never"),
		},
		"NoName": {
			reason: "A name that is read from a field must be there.",
			rules:  rule(organization(`{"fromFieldPath": "spec.nowhere"}`, ""), ""),
			want:   refused("cannot tell the name: spec.nowhere is required, but the composite resource doesn't have it"),
		},
		"NoNameOptional": {
			reason: "Without a name there is nothing to ask for, and never everything.",
			rules:  rule(organization(`{"fromFieldPath": "spec.nowhere"}`, optional), ""),
			want:   one(resolve.Metadata{}),
		},
		"NoLabelsOptional": {
			reason: "No labels to match match nothing, and never everything.",
			rules:  rule(`"type": "RequiredResource", "resource": {"apiVersion": "v1", "kind": "ConfigMap", "matchLabels": {"fromFieldPath": "spec.empty"}}`+optional, ""),
			want:   one(resolve.Metadata{}),
		},
		"NotAStringOfObject": {
			reason: "A value that is no string should be named with its object and path.",
			rules:  rule(ofOrganization+`, "labelsFieldPath": "spec.numbers"`, ""),
			want:   refused("Organization acme spec.numbers[n] is a number, not a string"),
		},
		"NotAMapOfObject": {
			reason: "A field of another kind should be named with its object, though objects are optional.",
			rules:  rule(ofOrganization+`, "annotationsFieldPath": "spec.text"`+optional, ""),
			want:   refused("Organization acme spec.text is a string, not a map of strings"),
		},
		"ThroughStringOfObject": {
			reason: "A path through a string should be named with its object.",
			rules:  rule(ofOrganization+`, "labelsFieldPath": "spec.text.labels"`, ""),
			want:   refused("Organization acme spec.text is a string, not an object"),
		},
		"NotAMapOfNamespaced": {
			reason: "An object should be named with its namespace. The first one should be named.",
			rules:  rule(ofConfigs+`, "labelsFieldPath": "data.who"`, ""),
			want:   refused("ConfigMap platform/more data.who is a string, not a map of strings"),
		},
		"OnlyWhatIsCopiedOfObject": {
			reason: "What isn't copied should not be read of an object either.",
			rules:  rule(ofOrganization+`, "labelsFieldPath": "spec.numbers"`, onlyAnnotations),
			want:   one(resolve.Metadata{Annotations: acmeAnnotations}, acmeByName...),
		},

		// Of composed resources.
		"Composed": {
			reason: "What a composed resource has is only known once it is stamped, so there is nothing yet.",
			rules:  rule(ofComposed, ""),
			want:   one(resolve.Metadata{}),
		},

		// Several.
		"Positions": {
			reason: "Each rule should have its position, with or without metadata.",
			rules: rule(ofComposed, "") + `, ` + rule(ofOrganization, onlyLabels) + `, ` + rule(ofComposite, onlyAnnotations) + `, ` +
				rule(organization(`{"fromFieldPath": "spec.nowhere"}`, optional), "") + `, ` + rule(ofOrganization, onlyAnnotations),
			want: want{
				metadata: []resolve.Metadata{{}, {Labels: acmeLabels}, {Annotations: annotations}, {}, {Annotations: acmeAnnotations}},
				required: acmeByName,
			},
		},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			req := observe(labelled)
			before := proto.CloneOf(req)
			objects := everything()

			in := decode(t, `"kubernetesMetadata": [`+tc.rules+`]`)
			for i := range tc.want.metadata {
				tc.want.metadata[i].Rule = &in.KubernetesMetadata[i]
			}

			got, calls, err := objects.reconcile(in, req)
			if diff := cmp.Diff(tc.want.err, text(err)); diff != "" {
				t.Fatalf("\n%s\nResolve(...): -want error, +got error:\n%s", tc.reason, diff)
			}

			// No metadata is as good as empty metadata.
			if diff := cmp.Diff(resolve.Set{Metadata: tc.want.metadata}, got, cmpopts.EquateEmpty(), asideFrom); diff != "" {
				t.Errorf("\n%s\nResolve(...): -want, +got:\n%s", tc.reason, diff)
			}

			// Each call must require the same, or Crossplane calls for ever.
			for i, c := range calls {
				if diff := cmp.Diff(tc.want.required, selectors(c), protocmp.Transform(), cmpopts.EquateEmpty()); err == nil && diff != "" {
					t.Errorf("\n%s\nResolve(...): call %d: -want requirements, +got requirements:\n%s", tc.reason, i, diff)
				}
			}

			if diff := cmp.Diff([]any{before, everything()}, []any{req, objects}, protocmp.Transform()); diff != "" {
				t.Errorf("\n%s\nResolve(...) changed what it was given: -before, +after:\n%s", tc.reason, diff)
			}
		})
	}
}

// TestMetadataWaiting is about objects that Crossplane has not fetched yet.
func TestMetadataWaiting(t *testing.T) {
	const (
		organization = `"resource": {"apiVersion": "platform.example.org/v1", "kind": "Organization", "name": {"value": "acme"}}`
		config       = `"resource": {"apiVersion": "v1", "kind": "ConfigMap", "matchLabels": {"value": {"tags": "yes"}}}`
	)

	in := decode(t, `
		"keyPrefix": "",
		"sources": [{"type": "RequiredResource", "prefix": "tags.example.org/", `+organization+`}],
		"kubernetesMetadata": [
			{"source": {"type": "RequiredResource", `+organization+`}, "select": {"all": true}},
			{"source": {"type": "CompositeMetadata"}, "copy": ["Labels"], "select": {"all": true}},
			{"source": {"type": "RequiredResource", `+config+`, "policy": {"fromFieldPath": "Optional"}}, "select": {"all": true}}
		]`)

	req := observe(labelled)
	required := require.New(req)

	got, err := resolve.Resolve(t.Context(), in, req, required)
	want := resolve.Set{Metadata: []resolve.Metadata{{}, {Labels: map[string]string{"example.org/team": "a", "crossplane.io/composite": "shop"}}, {}}}

	if diff := cmp.Diff(want, got, cmpopts.EquateEmpty(), cmpopts.IgnoreFields(resolve.Metadata{}, "Rule")); err != nil || diff != "" {
		t.Errorf("\nThere is no metadata of objects that are not here yet, which is no failure, though they are required.\nResolve(...): %v: -want, +got:\n%s", err, diff)
	}

	if !required.Waiting() {
		t.Error("\nObjects that are not here yet should be waited for.\nWaiting(): want true, got false")
	}

	rsp := &fnv1.RunFunctionResponse{}
	required.AddTo(rsp)

	asked := []*fnv1.ResourceSelector{
		byName("platform.example.org/v1", "Organization", "acme"),
		byLabels("v1", "ConfigMap", map[string]string{"tags": "yes"}),
	}
	if diff := cmp.Diff(asked, selectors(rsp.GetRequirements()), protocmp.Transform()); diff != "" {
		t.Errorf("\nAll should be asked for at once, and each only once, also if a source reads it too.\nResolve(...): -want requirements, +got requirements:\n%s", diff)
	}
}

// TestMetadataNoComposite is about a request without a composite resource.
func TestMetadataNoComposite(t *testing.T) {
	in := decode(t, `
		"removeTags": [{"fromFieldPath": "spec.keys"}],
		"ignoreTags": [{"fromFieldPath": "spec.keys"}, {"contextKey": "a", "fromFieldPath": "spec.keys"}],
		"kubernetesMetadata": [{"source": {"type": "CompositeMetadata"}, "select": {"all": true}}]`)

	got, err := resolveOn(in, nil)
	if diff := cmp.Diff(resolve.Set{Metadata: []resolve.Metadata{{}}}, got, asideFrom, cmpopts.IgnoreFields(resolve.Metadata{}, "Rule")); err != nil || diff != "" {
		t.Errorf("\nNothing has no fields, which is no failure.\nResolve(...): %v: -want, +got:\n%s", err, diff)
	}
}
