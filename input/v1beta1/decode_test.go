package v1beta1_test

import (
	"encoding/json"
	"fmt"
	"math"
	"reflect"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/testing/protocmp"
	"google.golang.org/protobuf/types/known/structpb"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/yaml"

	"github.com/crossplane/function-sdk-go/resource"

	"github.com/plexsphere/function-cloud-tags/input/v1beta1"
	"github.com/plexsphere/function-cloud-tags/tags"
	"github.com/plexsphere/function-cloud-tags/tags/profile"
	"github.com/plexsphere/function-cloud-tags/tags/tagstest"
)

// everything is an input that has every field, but for those that no input may have.
const everything = `
apiVersion: cloudtags.fn.plexsphere.com/v1beta1
kind: CloudTags
metadata: {name: tags, labels: {a: b}}
provider: {fromFieldPath: spec.cloud.provider}
keyPrefix: ""
keyFormats:
- {provider: gcp, prefix: "", replace: {":": _, /: ""}, lowercase: true}
- {provider: azure}
sources:
- type: Value
  name: fixed
  values: {"": "", "acme:checkout/owner": "é\n"}
  include: {keys: [platform/*, "*"], except: [platform/mesh-*]}
  trusted: true
  encoding: Plain
  keyForm: Qualified
  onConflict: Retain
- {type: CompositeField, fromFieldPath: "spec.groups[0].labels['example.org/tags']", include: {fromFieldPath: spec.propagate}, encoding: JSON, keyForm: Tag, onConflict: Replace, policy: {fromFieldPath: Required}}
- {type: ContextField, contextKey: apiextensions.crossplane.io/environment, fromFieldPath: tags, include: {keys: []}, encoding: Scalar, keyForm: Tag, onConflict: Error, policy: {}}
- {type: CompositeMetadata, prefix: tags.example.org/, encoding: Plain, keyForm: Qualified, onConflict: Retain}
- type: RequiredResource
  prefix: tags.example.org/
  resource: {apiVersion: v1, kind: ConfigMap, namespace: {fromFieldPath: metadata.namespace}, matchLabels: {fromFieldPath: spec.selector}}
  pick: All
  encoding: Plain
  keyForm: Qualified
  onConflict: Retain
  policy: {fromFieldPath: Optional}
- type: RequiredResource
  name: class
  fromFieldPath: data
  providerFieldPath: spec.provider
  resource: {kinds: [{apiVersion: a/v1, kind: A}], name: {fromFieldPath: spec.name}, matchLabels: {value: {value: gold, "": ""}}, defaultMatchLabels: {default: "true"}, namespace: {value: platform}}
  pick: One
  encoding: Plain
  keyForm: Qualified
  onConflict: Retain
  policy: {}
reservedKeys: [workspace, "entigo:*"]
reservedTags: {aws: 3, hetzner: 0, generic: 2147483647}
providerTags: None
launchedResources: Tag
limitPolicy: ApplyStrict
resources:
- {name: "*-a-*", apiVersion: s3.*/*, kind: "*", matchLabels: {value: "", "": ""}, matchTags: {value: "", name: x}}
tagFields:
- {apiVersion: "vm.example.org/*", kind: "*", fieldPath: spec.forProvider.tags, shape: Map, provider: aws}
- {apiVersion: x/v1, kind: A, fieldPath: spec.tags, shape: KeyValueList, keyValueList: {key: Key, value: Value, extra: {a: true, n: 1.5, s: x, o: {a: [1, null]}, l: [1, null], e: {}, key: k}}}
- {apiVersion: y/v1, kind: B, fieldPath: spec.tags, shape: StringList, stringList: {separator: ": ", maxLength: 255}}
- {apiVersion: z/v1, kind: C, shape: None}
- {apiVersion: karpenter.k8s.aws/*, kind: EC2NodeClass, provider: aws}
- {apiVersion: v1, kind: Service, fieldPath: "metadata.annotations[example.org/tags]", shape: Joined, joined: {separator: ": ", delimiter: "; "}}
removeTags:
- {key: "*", value: ""}
- {fromFieldPath: spec.removed, contextKey: k}
ignoreTags:
- {key: "aws-backup:*", onConflict: Retain}
- {fromFieldPath: spec.ignored, contextKey: k, onConflict: Replace}
kubernetesMetadata:
- source:
    type: RequiredResource
    resource: {apiVersion: v1, kind: ConfigMap, name: {value: a}}
    labelsFieldPath: spec.labels
    annotationsFieldPath: spec.annotations
    policy: {fromFieldPath: Optional}
  copy: [Annotations, Labels]
  select: {prefixes: [node-role.kubernetes.io], domains: [example.org]}
  resources: [{kind: A}]
  toFieldPaths: {labels: [metadata.labels, "spec.pools[*].labels"], annotations: [metadata.annotations]}
- source: {type: ComposedResource, name: pool-*, labelsFieldPath: metadata.labels, annotationsFieldPath: metadata.annotations}
  select: {all: true}
  resources: [{name: "*-nodes"}]
  toFieldPaths: {labels: [metadata.labels]}
coverage: {keys: [cost-center, "a/b"], configMap: {name: tag-coverage.a, namespace: platform}}
toContextKey: cloudtags.fn.plexsphere.com/resolved
statusFieldPath: status.conditionsOfTags
profileRules: Cloud
fieldDiscovery: Index
ttl: 1h30m0s
`

// input returns the supplied YAML as an input of the right kind.
func input(tb testing.TB, text string) *structpb.Struct {
	tb.Helper()

	obj := map[string]any{"apiVersion": v1beta1.APIVersion, "kind": v1beta1.Kind}
	if err := yaml.Unmarshal([]byte(text), &obj); err != nil {
		tb.Fatalf("%v: %s", err, text)
	}

	s, err := structpb.NewStruct(obj)
	if err != nil {
		tb.Fatal(err)
	}

	return s
}

// encoded is the supplied decoded input in JSON again, without metadata, which nobody reads.
func encoded(tb testing.TB, in *v1beta1.CloudTags) *structpb.Struct {
	tb.Helper()

	j, err := json.Marshal(in)
	if err != nil {
		tb.Fatal(err)
	}

	s := resource.MustStructJSON(string(j))
	s.Fields["apiVersion"] = structpb.NewStringValue(v1beta1.APIVersion)
	s.Fields["kind"] = structpb.NewStringValue(v1beta1.Kind)

	return s
}

// message of the supplied error, which is empty for none.
func message(err error) string {
	if err == nil {
		return ""
	}

	return err.Error()
}

func TestDecode(t *testing.T) {
	const (
		always  = `{keyPrefix: "plexsphere:", providerTags: Reserve, launchedResources: Leave, limitPolicy: ApplyPartial, fieldDiscovery: Auto, ttl: 1m0s, `
		ignored = `ignoreTags: [{key: a, onConflict: Replace}]`
		rule    = `kubernetesMetadata: [{source: {type: CompositeMetadata, labelsFieldPath: metadata.labels, annotationsFieldPath: metadata.annotations}, select: {all: true}, `
	)

	cases := map[string]struct {
		reason string
		input  string
		want   string
	}{
		"Everything": {
			reason: "Everything that is given should be taken as it is.",
			input:  everything,
			want:   strings.Replace(everything, "metadata: {name: tags, labels: {a: b}}\n", "", 1),
		},
		"Defaults": {
			reason: "What isn't given should have its default.",
			input:  `ignoreTags: [{key: a}]`,
			want:   always + ignored + `}`,
		},
		"Source": {
			reason: "A source should have its defaults, and an empty policy is one.",
			input:  `sources: [{type: CompositeField, fromFieldPath: spec.labels, policy: {}}]`,
			want:   always + `sources: [{type: CompositeField, fromFieldPath: spec.labels, policy: {}, encoding: Plain, keyForm: Qualified, onConflict: Retain}]}`,
		},
		"Expressions": {
			reason: "Expressions should be taken as they are written, and may be required.",
			input:  `sources: [{type: Expression, expressions: {Name: "xr.metadata.name + '-' + name"}, policy: {fromFieldPath: Required}, trusted: true, include: {except: [a]}}]`,
			want:   always + `sources: [{type: Expression, expressions: {Name: "xr.metadata.name + '-' + name"}, policy: {fromFieldPath: Required}, trusted: true, include: {except: [a]}, encoding: Plain, keyForm: Qualified, onConflict: Retain}]}`,
		},
		"Lists": {
			reason: "How a list has tags should have its defaults, whether nothing or little is said of it.",
			input: `{ignoreTags: [{key: a}], tagFields: [{apiVersion: v1, kind: A, fieldPath: a, shape: KeyValueList}, {apiVersion: v1, kind: A, fieldPath: a, shape: KeyValueList, keyValueList: {}},
				{apiVersion: v1, kind: A, fieldPath: a, shape: StringList}, {apiVersion: v1, kind: A, fieldPath: a, shape: StringList, stringList: {maxLength: 0}},
				{apiVersion: v1, kind: A, fieldPath: a, shape: Joined}, {apiVersion: v1, kind: A, fieldPath: a, shape: Joined, joined: {delimiter: ;}}]}`,
			want: always + ignored + `, tagFields: [{apiVersion: v1, kind: A, fieldPath: a, shape: KeyValueList, keyValueList: {key: key, value: value}}, {apiVersion: v1, kind: A, fieldPath: a, shape: KeyValueList, keyValueList: {key: key, value: value}},
				{apiVersion: v1, kind: A, fieldPath: a, shape: StringList, stringList: {separator: "="}}, {apiVersion: v1, kind: A, fieldPath: a, shape: StringList, stringList: {separator: "="}},
				{apiVersion: v1, kind: A, fieldPath: a, shape: Joined, joined: {separator: "=", delimiter: ","}}, {apiVersion: v1, kind: A, fieldPath: a, shape: Joined, joined: {separator: "=", delimiter: ;}}]}`,
		},
		"CopyBoth": {
			reason: "Labels and annotations should be copied to where Kubernetes has them, by default.",
			input:  `kubernetesMetadata: [{source: {type: CompositeMetadata}, select: {all: true}}]`,
			want:   always + rule + `toFieldPaths: {labels: [metadata.labels], annotations: [metadata.annotations]}}]}`,
		},
		"CopyLabels": {
			reason: "Only labels may be copied.",
			input:  `kubernetesMetadata: [{source: {type: CompositeMetadata}, select: {all: true}, copy: [Labels]}]`,
			want:   always + rule + `copy: [Labels], toFieldPaths: {labels: [metadata.labels]}}]}`,
		},
		"CopyAnnotations": {
			reason: "Only annotations may be copied.",
			input:  `kubernetesMetadata: [{source: {type: CompositeMetadata}, select: {all: true}, copy: [Annotations]}]`,
			want:   always + rule + `copy: [Annotations], toFieldPaths: {annotations: [metadata.annotations]}}]}`,
		},
		"NoTTL": {
			reason: "Crossplane may be told not to reuse the answer at all.",
			input:  `{ttl: "0", ignoreTags: [{key: a}], metadata: null}`,
			want:   strings.Replace(always, "1m0s", "0s", 1) + ignored + `}`,
		},
		"Metadata": {
			reason: "Kubernetes metadata may have nulls.",
			input:  `{ignoreTags: [{key: a}], metadata: {name: a, creationTimestamp: null}}`,
			want:   always + ignored + `}`,
		},
		"UnknownProvider": {
			reason: "A provider that has no profile is fine, and in any case.",
			input:  `{ignoreTags: [{key: a}], provider: {value: Acme Cloud}}`,
			want:   always + ignored + `, provider: {value: Acme Cloud}}`,
		},
	}

	c := readCRD(t)

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			s := input(t, tc.input)
			before := proto.CloneOf(s)

			in, err := v1beta1.Decode(s)
			if err != nil {
				t.Fatalf("\n%s\nDecode(...): %v", tc.reason, err)
			}

			if diff := cmp.Diff(input(t, tc.want), encoded(t, in), protocmp.Transform(), protocmp.IgnoreDefaultScalars()); diff != "" {
				t.Errorf("\n%s\nDecode(...): -want, +got:\n%s", tc.reason, diff)
			}

			if diff := cmp.Diff(before, s, protocmp.Transform()); diff != "" {
				t.Errorf("\n%s\nDecode(...): -before, +after:\n%s", tc.reason, diff)
			}

			obj := s.AsMap()
			if m := c.admit(t, obj); len(m) > 0 {
				t.Errorf("\n%s\nAn API server should accept it, too: %v", tc.reason, m)
			}

			again, err := v1beta1.DecodeObject(obj)
			if diff := cmp.Diff(encoded(t, in), encoded(t, again), protocmp.Transform()); diff != "" || err != nil {
				t.Errorf("\n%s\nThe API server's defaults should be Decode's: -want, +got:\n%s%v", tc.reason, diff, err)
			}
		})
	}
}

// largeExpressions are so many that are large.
func largeExpressions(n int) string {
	out := make([]string, n)
	for i := range out {
		out[i] = fmt.Sprintf(`k%03d: "name%s"`, i, strings.Repeat(" + name", 90))
	}

	return strings.Join(out, ", ")
}

// expressions are so many from the supplied one on, all of them with a mistake.
func expressions(from, n int) string {
	out := make([]string, n)
	for i := range out {
		out[i] = fmt.Sprintf("k%d: name +", from+i)
	}

	return strings.Join(out, ", ")
}

// refused are inputs that Decode refuses.
func refused() map[string]struct{ reason, input string } {
	return map[string]struct{ reason, input string }{
		// Expressions.
		"Expressions": {
			reason: "Every mistake should be told with its key and where it is, and shown.",
			input:  `sources: [{type: Value, values: {}}, {type: Expression, expressions: {a: "xr.metadata.name +", b: name, c: "nam", d: "[name]", e: "name.matches('(')"}}]`,
		},
		"NoExpressions":         {reason: "A source without expressions computes nothing.", input: `sources: [{type: Expression}, {type: Expression, expressions: {}}, {type: Expression, expressions: {a: ""}}, {type: Expression, expressions: {a: 1}}]`},
		"ExpressionsElsewhere":  {reason: "Expressions are for their own type only, which reads nothing else.", input: `sources: [{type: Value, values: {}, expressions: {a: name}}, {type: Expression, expressions: {a: name}, fromFieldPath: a, prefix: a, values: {}, contextKey: a, pick: All}]`},
		"ManyExpressions":       {reason: "The expressions of all sources together should be counted.", input: `sources: [{type: Expression, expressions: {` + expressions(0, 200) + `}}, {type: Expression, expressions: {` + expressions(200, 57) + `}}]`},
		"TooManyExpressions":    {reason: "Ten thousand expressions should be refused, before any is looked at.", input: `sources: [{type: Expression, expressions: {` + expressions(0, 10000) + `}}]`},
		"MistakenExpressions":   {reason: "Mistakes should be told of some expressions, and the rest not be compiled.", input: `sources: [{type: Expression, expressions: {` + expressions(0, 5) + `}}, {type: Expression, expressions: {` + expressions(5, 50) + `}}]`},
		"LargeExpressions":      {reason: "What all expressions are compiled to should be bounded.", input: `sources: [{type: Expression, expressions: {` + largeExpressions(200) + `}}]`},
		"RequiredObserved":      {reason: "What is only there once a resource is can't be required for it.", input: `sources: [{type: Expression, expressions: {a: "observed.status.arn", b: name}, policy: {fromFieldPath: Required}}]`},
		"UnknownRequiredObject": {reason: "Objects that no source finds, or several do, should be refused.", input: `sources: [{type: Expression, expressions: {a: required.zone.metadata.name, b: "required['values'].a", c: required.two.a}}, {type: Value, name: values, values: {}}, {type: RequiredResource, name: two, prefix: a, resource: {apiVersion: v1, kind: A, name: {value: a}}}, {type: RequiredResource, name: two, prefix: a, resource: {apiVersion: v1, kind: A, name: {value: a}}}]`},

		// What it is.
		"OtherKind": {
			reason: "The input of another function should be refused.",
			input:  `{apiVersion: pt.fn.crossplane.io/v1beta1, kind: cloudtags, ignoreTags: [{key: a}]}`,
		},
		"NoKind": {
			reason: "What an input is should be required, and not hide what else is wrong.",
			input:  `{apiVersion: 1, ttl: x}`,
		},
		"Nothing": {
			reason: "What only says how and on what, says nothing to do.",
			input:  `{limitPolicy: ApplyStrict, resources: [{kind: A}], reservedKeys: [a], statusFieldPath: status.tags}`,
		},

		// Keywords of the schema.
		"UnknownFields": {
			reason: "All unknown fields should be named, and those that there are, and no rules be told that break because of them.",
			input:  `{keyprefix: x, provider: {value: aws, name: aws}, sources: [{type: Value, Values: {}}]}`,
		},
		"UnknownFieldOfKeys": {
			reason: "What fields are together called in Go is no field.",
			input:  `removeTags: [{TagKeys: {key: a}}]`,
		},
		"Types": {
			reason: "Every wrong type should be named, with what is there.",
			input: `{keyPrefix: 1, metadata: x, keyFormats: {}, tagFields: [{apiVersion: v1, kind: A, fieldPath: a, shape: StringList, stringList: "="}], reservedTags: {aws: 1.5, gcp: "3", azure: 2147483648, hetzner: -2147483649},
				sources: [{type: Value, values: {a: true}}, x], ignoreTags: [{key: [a]}]}`,
		},
		"Hints": {
			reason: "What is meant by the easiest mistakes should be told.",
			input:  `{provider: aws, metadata: [], ignoreTags: [{key: a}], removeTags: [a]}`,
		},
		"HintsOfPaths": {
			reason: "A path in the place of a name or of labels is a path, and not the name.",
			input: `{provider: spec.provider, sources: [
				{type: RequiredResource, prefix: a, resource: {apiVersion: v1, kind: A, name: metadata.namespace, namespace: team-a.eu}},
				{type: RequiredResource, prefix: a, resource: {apiVersion: v1, kind: A, matchLabels: spec.selector}},
				{type: RequiredResource, prefix: a, resource: {apiVersion: v1, kind: A, matchLabels: gold}}]}`,
		},
		"Nulls": {
			reason: "Null is neither what is there nor what isn't.",
			input:  `{provider: null, ignoreTags: [null, {key: null}], tagFields: [{apiVersion: v1, kind: A, fieldPath: a, shape: KeyValueList, keyValueList: {extra: {x: null}}}], reservedTags: {aws: null}}`,
		},
		"Enums": {
			reason: "The values that there are should be named, also where one is required.",
			input:  `{profileRules: "", limitPolicy: x, sources: [{}], ignoreTags: [{key: a, onConflict: Error}], kubernetesMetadata: [{}]}`,
		},
		"Empty": {
			reason: "What is empty should be refused where it would mean all, or what isn't there.",
			input:  `{sources: [], resources: [{}, {matchTags: {}}], provider: {}, toContextKey: "", reservedKeys: [""], removeTags: [{fromFieldPath: ""}]}`,
		},
		"TooMany": {
			reason: "Two answers to one question are none.",
			input:  `{provider: {value: aws, fromFieldPath: spec.provider}, kubernetesMetadata: [{source: {type: CompositeMetadata}, select: {all: true}, copy: [Labels, Annotations, Labels]}]}`,
		},
		"Negative": {
			reason: "No fewer slots than none can be left free, and no entry is shorter than nothing.",
			input:  `{ignoreTags: [{key: a}], reservedTags: {aws: -1}, tagFields: [{apiVersion: v1, kind: A, fieldPath: a, shape: StringList, stringList: {maxLength: -1}}]}`,
		},
		"Duplicates": {
			reason: "The second of two that are the same should be named.",
			input:  `{keyFormats: [{provider: gcp}, {provider: azure}, {provider: gcp}], kubernetesMetadata: [{source: {type: CompositeMetadata}, select: {all: true}, copy: [Labels, Labels]}]}`,
		},
		"Patterns": {
			reason: "A star is known at the end of keys only, so it should be refused elsewhere, not taken for a character.",
			input:  `{reservedKeys: ["*a", a, a*], removeTags: [{key: a**}], sources: [{type: Value, values: {}, include: {keys: [a*b], except: ["!a", "*"]}}]}`,
		},
		"FieldPaths": {
			reason: "Malformed paths should be refused before anything is there to try them on, and such that lead to many fields.",
			input:  `{provider: {fromFieldPath: spec..a}, statusFieldPath: "status.a[", removeTags: [{fromFieldPath: "a[*]"}], tagFields: [{apiVersion: v1, kind: A, shape: Map, fieldPath: a.*}]}`,
		},
		"ToFieldPaths": {
			reason: "Only items of lists may be many.",
			input:  `kubernetesMetadata: [{source: {type: CompositeMetadata}, select: {all: true}, toFieldPaths: {labels: ["a[*].b", a.*, a..b]}}]`,
		},
		"Profiles": {
			reason: "A name that is no profile's would have no effect.",
			input:  `{ignoreTags: [{key: a}], keyFormats: [{provider: GCP}, {}], reservedTags: {amazon: 1}, tagFields: [{apiVersion: v1, kind: A, shape: None, provider: ""}]}`,
		},

		// Rules: what each says, and where. That it holds when the CRD's does is another test.
		"RulesOfSources": {
			reason: "What a type of source needs, and what it has no use for, should be named.",
			input:  `sources: [{type: Value, fromFieldPath: a, contextKey: k, prefix: p, pick: All, resource: {apiVersion: v1, kind: A, name: {value: a}}}, {type: CompositeField, policy: {}, providerFieldPath: a}]`,
		},
		"RulesOfResources": {
			reason: "What Crossplane fetches needs a kind and a name or labels, and only a class falls back.",
			input: `sources: [{type: RequiredResource, resource: {}}, {type: RequiredResource, pick: One, prefix: a, fromFieldPath: a, resource: {apiVersion: v1, kind: A, matchLabels: {value: {a: b}, all: true}}},
				{type: RequiredResource, prefix: a, resource: {kinds: [{apiVersion: v1, kind: A}], name: {value: a}}}]`,
		},
		"RulesOfIncludes": {
			reason: "Patterns are in the input or in a field, which may not be of a trusted source.",
			input:  `sources: [{type: Value, values: {}, trusted: true, include: {keys: [a], fromFieldPath: b}}]`,
		},
		"RulesOfTags": {
			reason: "Keys are in the input, perhaps with a value, or in a field, perhaps of the context.",
			input:  `{keyFormats: [{provider: gcp, replace: {"": _}}], valueFormats: [{provider: gcp, replace: {"": _}}, {provider: GCP}, {provider: gcp}], removeTags: [{value: a}], ignoreTags: [{contextKey: k}]}`,
		},
		"RulesOfTagFields": {
			reason: "The fields that a shape has should be told from others.",
			input:  `{ignoreTags: [{key: a}], tagFields: [{apiVersion: v1, kind: A, shape: Map, keyValueList: {}, stringList: {}, joined: {}}, {apiVersion: v1, kind: A, shape: None, fieldPath: a}, {apiVersion: v1, kind: A, fieldPath: a}, {apiVersion: v1, kind: A, keyValueList: {}, stringList: {}, joined: {}}]}`,
		},
		"Joined": {
			reason: "Where a key ends, and where a value does, should be known.",
			input: `{ignoreTags: [{key: a}], tagFields: [{apiVersion: v1, kind: A, fieldPath: a, shape: Joined, joined: {separator: ",", delimiter: ""}}, {apiVersion: v1, kind: A, fieldPath: a, shape: Joined, joined: {separator: ",,"}},
				{apiVersion: v1, kind: A, fieldPath: a, shape: Joined, joined: {delimiter: "=="}}, {apiVersion: v1, kind: A, fieldPath: a, shape: Joined, joined: {separator: "\\", delimiter: "123456789"}}]}`,
		},
		"TagsOfMetadata": {
			reason: "Only what may be set freely of metadata can hold tags.",
			input: `{ignoreTags: [{key: a}], tagFields: [{apiVersion: v1, kind: A, fieldPath: metadata, shape: Map}, {apiVersion: v1, kind: A, fieldPath: metadata.name, shape: Joined}, {apiVersion: v1, kind: A, fieldPath: "metadata['namespace']", shape: Joined},
				{apiVersion: v1, kind: A, fieldPath: metadata.finalizers, shape: StringList}, {apiVersion: v1, kind: A, fieldPath: metadata.ownerReferences, shape: KeyValueList}, {apiVersion: v1, kind: A, fieldPath: "metadata.ownerReferences[0].uid", shape: Joined},
				{apiVersion: v1, kind: A, fieldPath: metadata.labels, shape: StringList}, {apiVersion: v1, kind: A, fieldPath: "metadata.annotations[a]", shape: Map}, {apiVersion: v1, kind: A, fieldPath: "metadata.annotations[0]", shape: Joined},
				{apiVersion: v1, kind: A, fieldPath: "metadata.annotations[a].b", shape: Joined}, {apiVersion: v1, kind: A, fieldPath: "metadata.annotations[crossplane.io/external-name]", shape: Joined},
				{apiVersion: v1, kind: A, fieldPath: "metadata.annotations[a b]", shape: Joined}, {apiVersion: v1, kind: A, fieldPath: kind, shape: Joined}, {apiVersion: v1, kind: A, fieldPath: "['apiVersion']", shape: Joined}]}`,
		},
		"RulesOfMetadata": {
			reason: "What a rule copies from, and what it copies, should be said once.",
			input: `kubernetesMetadata: [{source: {type: RequiredResource, name: a}, select: {all: false}, copy: [Labels], toFieldPaths: {annotations: [a]}},
				{source: {type: CompositeMetadata, resource: {apiVersion: v1, kind: A, name: {value: a}, matchLabels: {all: true}}, policy: {}}, select: {all: true}}]`,
		},
		"RulesOfWhatIsWritten": {
			reason: "Nothing may take the place of what is others'.",
			input:  `{ignoreTags: [{key: a}], toContextKey: cloudtags.fn.plexsphere.com/steps, statusFieldPath: "status.conditions[0]"}`,
		},
		"StatusElsewhere": {
			reason: "Functions can write the status only.",
			input:  `{ignoreTags: [{key: a}], statusFieldPath: statuses.cloudTags}`,
		},

		"APIVersions": {
			reason: "A pattern that matches no apiVersion would select nothing.",
			input: `{tagFields: [{apiVersion: s3.aws.upbound.io, kind: A, shape: None}, {apiVersion: "*.aws.upbound.io", kind: A, shape: None}, {apiVersion: "s3/*/v1", kind: A, shape: None}, {apiVersion: S3.aws.upbound.io/v1, kind: A, shape: None}],
				resources: [{apiVersion: apps}, {apiVersion: /v1}, {apiVersion: apps/}], tagPolicy: {rules: [{key: a, resources: [{apiVersion: "*/v1.b"}]}]},
				kubernetesMetadata: [{source: {type: CompositeMetadata}, select: {all: true}, resources: [{apiVersion: s3.aws.upbound.io}]}]}`,
		},
		"JSONPaths": {
			reason: "A path of another language would lead to a field called $, which isn't there.",
			input:  `{provider: {fromFieldPath: $.spec.provider}, ignoreTags: [{fromFieldPath: $}], kubernetesMetadata: [{source: {type: CompositeMetadata, labelsFieldPath: "$['spec']"}, select: {all: true}, toFieldPaths: {labels: ["$.spec.items[*].labels"]}}]}`,
		},
		"OwnContextKey": {
			reason: "What is written must not be what is read, by whichever field.",
			input:  `{toContextKey: k, sources: [{type: ContextField, contextKey: k, fromFieldPath: a}], removeTags: [{fromFieldPath: a, contextKey: k}]}`,
		},
		"OwnContextKeyRemoved":  {reason: "See above.", input: `{toContextKey: k, removeTags: [{fromFieldPath: a, contextKey: k}]}`},
		"OwnContextKeyIgnored":  {reason: "See above.", input: `{toContextKey: k, ignoreTags: [{fromFieldPath: a, contextKey: k}]}`},
		"OwnContextKeyComputed": {reason: "See above.", input: `{toContextKey: a/k, sources: [{type: Expression, expressions: {x: "context[?'other'].a", b: "context['a/k'].labels.env"}}]}`},
		"ContextOfCrossplane": {
			reason: "The environment is not the function's to write.",
			input:  `{ignoreTags: [{key: a}], toContextKey: apiextensions.crossplane.io/environment}`,
		},
		"NeverLegal": {
			reason: "A format that makes nothing legal should be refused.",
			input:  `{ignoreTags: [{key: a}], keyFormats: [{provider: gcp, prefix: "plexsphere:"}, {provider: aws, prefix: "aws:"}, {provider: azure, prefix: "a/"}, {provider: digitalocean, prefix: ` + strings.Repeat("a", 256) + `}, {provider: generic, prefix: "a:", replace: {":": "="}}]}`,
		},
		"NeverLegalByCloudRules": {
			reason: "What is legal depends on the rules.",
			input:  `{ignoreTags: [{key: a}], profileRules: Cloud, keyFormats: [{provider: hetzner, prefix: "plexsphere:"}]}`,
		},

		// What only Go knows.
		"Classes": {
			reason: "Two classes of one name can't both be told of, and other sources have no part in that.",
			input: `sources: [{type: RequiredResource, name: a, pick: One, prefix: p, resource: {apiVersion: v1, kind: A, name: {value: a}}}, {type: Value, name: a, values: {}},
				{type: RequiredResource, name: b, pick: One, prefix: p, resource: {apiVersion: v1, kind: A, name: {value: a}}}, {type: RequiredResource, name: a, pick: One, prefix: p, resource: {apiVersion: v1, kind: A, name: {value: a}}}]`,
		},
		"SameFields": {
			reason: "Key, value and what is extra of an entry can't be in one field, which defaults count for, too.",
			input: `{ignoreTags: [{key: a}], tagFields: [{apiVersion: v1, kind: A, fieldPath: a, shape: KeyValueList, keyValueList: {key: value}},
				{apiVersion: v1, kind: A, fieldPath: a, shape: KeyValueList, keyValueList: {key: Key, extra: {Key: 1, value: 2}}}]}`,
		},
		"Stars": {
			reason: "The text in the place of a star should say to which resources what is copied.",
			input: `kubernetesMetadata: [{source: {type: ComposedResource, name: "*-*"}, select: {all: true}, resources: [{name: "*"}]}, {source: {type: ComposedResource, name: "a-*"}, select: {all: true}},
				{source: {type: ComposedResource, name: "a-*"}, select: {all: true}, resources: [{name: "*"}, {kind: A}, {name: "*-*"}]}]`,
		},
		"UnknownMetadata": {
			reason: "Metadata is that of all objects, and should be checked, too.",
			input:  `{ignoreTags: [{key: a}], metadata: {title: x}}`,
		},
	}
}

func TestDecodeRefuses(t *testing.T) {
	g := tagstest.NewGolden(t)

	for name, tc := range refused() {
		t.Run(name, func(t *testing.T) {
			s := input(t, tc.input)
			before := proto.CloneOf(s)

			_, err := v1beta1.Decode(s)
			if err == nil {
				t.Fatalf("\n%s\nDecode(...): want an error", tc.reason)
			}

			g.Check(t, tc.reason, split(err))

			if diff := cmp.Diff(before, s, protocmp.Transform()); diff != "" {
				t.Errorf("\n%s\nDecode(...): -before, +after:\n%s", tc.reason, diff)
			}
		})
	}
}

// TestDecodeMetadata is about Kubernetes metadata, which the schema doesn't have.
func TestDecodeMetadata(t *testing.T) {
	now := metav1.Now()
	all := &metav1.ObjectMeta{
		Name: "a", GenerateName: "a", Namespace: "a", SelfLink: "a", UID: "a", ResourceVersion: "a", Generation: 1, CreationTimestamp: now,
		DeletionTimestamp: &now, DeletionGracePeriodSeconds: new(int64(1)), Labels: map[string]string{"a": "b"}, Annotations: map[string]string{"a": "b"},
		OwnerReferences: []metav1.OwnerReference{{APIVersion: "a", Kind: "a", Name: "a", UID: "a", Controller: new(true), BlockOwnerDeletion: new(true)}},
		Finalizers:      []string{"a"},
		ManagedFields:   []metav1.ManagedFieldsEntry{{Manager: "a", Operation: "a", APIVersion: "a", Time: &now, FieldsType: "a", FieldsV1: &metav1.FieldsV1{Raw: []byte("{}")}, Subresource: "a"}},
	}

	for _, of := range []reflect.Value{reflect.ValueOf(*all), reflect.ValueOf(all.OwnerReferences[0]), reflect.ValueOf(all.ManagedFields[0])} {
		for i := range of.NumField() {
			if of.Field(i).IsZero() {
				t.Errorf("\nThe test should set all fields of metadata.\n%s: %s is not set", of.Type(), of.Type().Field(i).Name)
			}
		}
	}

	j, err := json.Marshal(all)
	if err != nil {
		t.Fatal(err)
	}

	if _, err := v1beta1.Decode(input(t, `{ignoreTags: [{key: a}], metadata: `+string(j)+`}`)); err != nil {
		t.Errorf("\nEverything that Kubernetes has should be admitted.\nDecode(...): %v", err)
	}

	for _, metadata := range []string{`{labels: [a]}`, `{generation: first}`, `{creationTimestamp: yesterday}`, `{ownerReferences: [{controller: "yes"}]}`} {
		_, err := v1beta1.Decode(input(t, `{ignoreTags: [{key: a}], metadata: `+metadata+`}`))
		if !strings.HasPrefix(message(err), "metadata.") {
			t.Errorf("\nWhat is wrong in metadata should be told.\nDecode(...) of %s: %v", metadata, err)
		}
	}
}

// TestDecodeStruct is about what no JSON says, but a struct can hold.
func TestDecodeStruct(t *testing.T) {
	with := func(name string, v *structpb.Value) *structpb.Struct {
		s := input(t, `{ignoreTags: [{key: a}], tagFields: [{apiVersion: v1, kind: A, fieldPath: a, shape: KeyValueList, keyValueList: {extra: {}}}]}`)
		s.GetFields()[name] = v

		return s
	}

	extra := func(n float64) *structpb.Struct {
		s := with("ttl", structpb.NewStringValue("1m"))
		s.GetFields()["tagFields"].GetListValue().GetValues()[0].GetStructValue().GetFields()["keyValueList"].GetStructValue().GetFields()["extra"].GetStructValue().Fields = map[string]*structpb.Value{"n": structpb.NewNumberValue(n)}

		return s
	}

	cases := map[string]struct {
		s    *structpb.Struct
		want string
	}{
		"Nil":      {want: "the pipeline step has no input: it needs one of apiVersion cloudtags.fn.plexsphere.com/v1beta1 and kind CloudTags"},
		"NoKind":   {s: with("ttl", &structpb.Value{}), want: "ttl: must not be null"},
		"NilValue": {s: with("ttl", nil), want: "ttl: must not be null"},
		"NaN":      {s: with("reservedTags", structpb.NewStructValue(&structpb.Struct{Fields: map[string]*structpb.Value{"aws": structpb.NewNumberValue(math.NaN())}})), want: "reservedTags.aws: must be a 32-bit integer, not NaN"},
		"Extra":    {s: extra(math.Inf(1)), want: "cannot encode input as JSON: "},
		"Empty":    {s: &structpb.Struct{}, want: "[apiVersion: Required value: "},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			if _, err := v1beta1.Decode(tc.s); !strings.HasPrefix(message(err), tc.want) {
				t.Errorf("\nAn input that is none should be refused.\nDecode(...): want an error that starts with %q, got %v", tc.want, err)
			}
		})
	}
}

func TestDecodeObject(t *testing.T) {
	if _, err := v1beta1.DecodeObject(map[string]any{"ttl": math.NaN()}); !strings.HasPrefix(message(err), "cannot encode input as JSON: ") {
		t.Errorf("\nWhat JSON can't say should be refused.\nDecodeObject(...): %v", err)
	}

	if _, err := v1beta1.DecodeObject(nil); !strings.HasPrefix(message(err), "cannot decode input: ") {
		t.Errorf("\nNothing is no input.\nDecodeObject(nil): %v", err)
	}
}

func TestDecoder(t *testing.T) {
	d := &v1beta1.Decoder{}
	wg := sync.WaitGroup{}

	first, err := d.Decode(input(t, everything))
	if err != nil {
		t.Fatal(err)
	}

	// Every map of the input is made anew, so its order is another one.
	for range 8 {
		wg.Go(func() {
			if again, err := d.Decode(input(t, everything)); again != first || err != nil {
				t.Errorf("\nThe same input should be decoded once.\nDecode(...): %v", err)
			}
		})
	}

	wg.Wait()

	other, err := d.Decode(input(t, `ignoreTags: [{key: a}]`))
	if err != nil || other == first || other.IgnoreTags[0].Key != "a" {
		t.Errorf("\nAnother input should be another one.\nDecode(...): %v, %v", other, err)
	}

	if again, err := d.Decode(input(t, everything)); again != first || err != nil {
		t.Errorf("\nAn input should be kept beside others.\nDecode(...): %v", err)
	}

	for range 2 {
		if _, err := d.Decode(input(t, `ttl: 1`)); err == nil {
			t.Error("\nAn input that is refused should be refused again.")
		}
	}

	for i := range 1000 {
		in, err := d.Decode(input(t, fmt.Sprintf(`ignoreTags: [{key: a%d}]`, i)))
		if err != nil || in.IgnoreTags[0].Key != fmt.Sprintf("a%d", i) {
			t.Fatalf("\nAny number of inputs should be decoded.\nDecode(...): %v", err)
		}
	}

	if again, err := d.Decode(input(t, everything)); again == first || err != nil {
		t.Errorf("\nA Decoder should not keep everything for ever.\nDecode(...): %v", err)
	}

	// Expressions need memory of their own.
	first, err = d.Decode(input(t, everything))
	if err != nil {
		t.Fatal(err)
	}

	for i := range 17 {
		many := make([]string, 250)
		for n := range many {
			many[n] = fmt.Sprintf(`k%d: "%d"`, n, i)
		}

		if _, err := d.Decode(input(t, `sources: [{type: Expression, expressions: {`+strings.Join(many, ", ")+`}}]`)); err != nil {
			t.Fatal(err)
		}
	}

	if again, err := d.Decode(input(t, everything)); again == first || err != nil {
		t.Errorf("\nA Decoder should not keep any number of expressions.\nDecode(...): %v", err)
	}

	if _, err := d.Decode(nil); err == nil {
		t.Error("\nNo input should be refused.")
	}

	if _, err := d.Decode(&structpb.Struct{Fields: map[string]*structpb.Value{"\xff": nil}}); !strings.HasPrefix(message(err), "cannot encode input: ") {
		t.Errorf("\nWhat can't be told from others should be refused.\nDecode(...): %v", err)
	}
}

func TestMethods(t *testing.T) {
	in, err := v1beta1.Decode(input(t, everything))
	if err != nil {
		t.Fatal(err)
	}

	required := map[string]bool{}
	for i := range in.Sources {
		required[in.SourceName(i)] = in.Sources[i].Required()
	}

	want := map[string]bool{`sources[0] "fixed"`: false, "sources[1]": true, "sources[2]": false, "sources[3]": false, "sources[4]": false, `sources[5] "class"`: true}
	if diff := cmp.Diff(want, required); diff != "" {
		t.Errorf("\nWhat a source reads should be required if it says so, or is an object.\nRequired(): -want, +got:\n%s", diff)
	}

	metadata := []v1beta1.MetadataSource{{}, {Policy: &v1beta1.SourcePolicy{}}, {Policy: &v1beta1.SourcePolicy{FromFieldPath: "Required"}}, {Policy: &v1beta1.SourcePolicy{FromFieldPath: "Optional"}}}
	for i := range metadata {
		if got := metadata[i].Required(); got != (i < 3) {
			t.Errorf("\nAn object should be required unless it is optional.\nRequired() of %d: %t", i, got)
		}
	}

	kinds := [][]v1beta1.ResourceKind{in.Sources[4].Resource.ResourceKinds(), in.Sources[5].Resource.ResourceKinds()}
	if diff := cmp.Diff([][]v1beta1.ResourceKind{{{APIVersion: "v1", Kind: "ConfigMap"}}, {{APIVersion: "a/v1", Kind: "A"}}}, kinds); diff != "" {
		t.Errorf("\nOne kind should be the only one of several.\nResourceKinds(): -want, +got:\n%s", diff)
	}

	providers := []string{in.ProviderValue(), (&v1beta1.CloudTags{}).ProviderValue(), (&v1beta1.CloudTags{Provider: &v1beta1.StringSource{Value: "aws"}}).ProviderValue()}
	if diff := cmp.Diff([]string{"", "", "aws"}, providers); diff != "" {
		t.Errorf("\nOnly a provider that the input names is its value.\nProviderValue(): -want, +got:\n%s", diff)
	}

	if in.TTL.Duration != 90*time.Minute {
		t.Errorf("\nThe TTL should be a duration: %v", in.TTL)
	}
}

func TestFormats(t *testing.T) {
	in, err := v1beta1.Decode(input(t, `{ignoreTags: [{key: a}], keyFormats: [{provider: gcp, prefix: acme_, replace: {/: --, /E: +}, lowercase: true}, {provider: azure}]}`))
	if err != nil {
		t.Fatal(err)
	}

	set := tags.PropagatingLabelSet{"Platform/Env": "v"}
	transformer := tags.NewTransformer(set.Labels(in.KeyPrefix), in.Formats())
	got := map[string]string{}

	for _, name := range []string{"hetzner", "gcp", "azure", "digitalocean"} {
		done := transformer.Transform(profile.Of(name))
		for _, tag := range done.Tags {
			got[name] = tag.Key
		}

		for _, r := range done.Refused {
			got[name] = r.Key
		}
	}

	want := map[string]string{"hetzner": "plexsphere:Platform/Env", "gcp": "acme_platform+nv", "azure": "plexsphere:Platform/Env", "digitalocean": "plexsphere:Platform-Env"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("\nAn entry should replace the built-in format, and only that of its provider.\nFormats(): -want, +got:\n%s", diff)
	}
}

func TestValidatePatterns(t *testing.T) {
	for pattern, want := range map[string][2]string{
		"platform/env": {},
		"é日*":          {},
		"*":            {},
		"":             {"must not be empty", "must not be empty"},
		"*/env":        {"a * may only be the last character", "a * may only be the last character"},
		"a**":          {"a * may only be the last character", "a * may only be the last character"},
		"!a":           {"", "matches no key: except says which labels are left out"},
	} {
		if diff := cmp.Diff(want, [2]string{v1beta1.ValidateKeyPattern(pattern), v1beta1.ValidateLabelPattern(pattern)}); diff != "" {
			t.Errorf("\nPatterns that come from a field should be checked as those of the input.\nValidateKeyPattern(%q), ValidateLabelPattern(%q): -want, +got:\n%s", pattern, pattern, diff)
		}
	}
}

// FuzzDecode checks that what Decode accepts is the same once it is encoded again.
func FuzzDecode(f *testing.F) {
	texts := []string{everything}
	for _, tc := range refused() {
		texts = append(texts, tc.input)
	}

	for _, text := range texts {
		j, err := input(f, text).MarshalJSON()
		if err != nil {
			f.Fatal(err)
		}

		f.Add(j)
	}

	f.Fuzz(func(t *testing.T, j []byte) {
		s := &structpb.Struct{}
		if err := s.UnmarshalJSON(j); err != nil {
			t.Skip("not a JSON object")
		}

		in, err := v1beta1.Decode(s)
		if err != nil {
			if err.Error() == "" {
				t.Error("\nAn error should say something.")
			}

			return
		}

		again, err := v1beta1.Decode(encoded(t, in))
		if err != nil {
			t.Fatalf("\nAn input that was decoded should decode again.\nDecode(...): %v", err)
		}

		if diff := cmp.Diff(encoded(t, in), encoded(t, again), protocmp.Transform()); diff != "" {
			t.Errorf("\nAn input that was decoded should decode to an equal one again.\nDecode(...): -first, +second:\n%s", diff)
		}
	})
}

func BenchmarkDecode(b *testing.B) {
	s := input(b, everything)

	b.ReportAllocs()

	for b.Loop() {
		if _, err := v1beta1.Decode(s); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkDecoder is about an input that was decoded before.
func BenchmarkDecoder(b *testing.B) {
	s := input(b, everything)
	d := &v1beta1.Decoder{}

	b.ReportAllocs()

	for b.Loop() {
		if _, err := d.Decode(s); err != nil {
			b.Fatal(err)
		}
	}
}
