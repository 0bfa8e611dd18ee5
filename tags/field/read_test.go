package field_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"google.golang.org/protobuf/encoding/protojson"
	"google.golang.org/protobuf/testing/protocmp"
	"google.golang.org/protobuf/types/known/structpb"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/yaml"

	"github.com/plexsphere/function-cloud-tags/tags/field"
	"github.com/plexsphere/function-cloud-tags/tags/object"
)

// managed returns the schema of a managed resource with the supplied fields, in
// YAML, below spec.forProvider and status.atProvider.
func managed(t *testing.T, forProvider, atProvider string) *structpb.Struct {
	t.Helper()

	properties := func(y string) map[string]any {
		p := map[string]any{}
		if err := yaml.Unmarshal([]byte(y), &p); err != nil {
			t.Fatal(err)
		}

		return map[string]any{"type": "object", "properties": p}
	}

	object := func(name string, s map[string]any) map[string]any {
		return map[string]any{"type": "object", "properties": map[string]any{name: s}}
	}

	s, err := structpb.NewStruct(map[string]any{
		"type": "object",
		"properties": map[string]any{
			"spec":   object("forProvider", properties(forProvider)),
			"status": object("atProvider", properties(atProvider)),
		},
	})
	if err != nil {
		t.Fatal(err)
	}

	return s
}

const (
	mapOfStrings = `{type: object, additionalProperties: {type: string}}`
	setOfStrings = `{type: array, x-kubernetes-list-type: set, items: {type: string}}`
	keysValues   = `{type: array, items: {type: object, properties: {key: {type: string}, value: {type: string}}}}`
)

func TestRead(t *testing.T) {
	const example = "vm.example.org/Machine"

	cases := map[string]struct {
		reason      string
		kind        string
		forProvider string
		atProvider  string
		want        field.Field
	}{
		"UnknownTagsMap": {
			reason:      "Of a provider that we don't know, tags are tags.",
			kind:        example,
			forProvider: `tags: ` + mapOfStrings,
			atProvider:  `tags: ` + mapOfStrings,
			want:        tagMap("tags", "tags"),
		},
		"UnknownLabelsMap": {
			reason:      "Labels mean too many things. They are named.",
			kind:        example,
			forProvider: `labels: ` + mapOfStrings,
			want:        like("labels"),
		},
		"UnknownTagsAndLabels": {
			reason:      "Tags are tags, whatever is beside them.",
			kind:        example,
			forProvider: `{labels: ` + mapOfStrings + `, tags: ` + mapOfStrings + `}`,
			want:        tagMap("tags"),
		},
		"UnknownTagsNoTags": {
			reason:      "What cannot hold tags is passed over.",
			kind:        example,
			forProvider: `{labels: ` + mapOfStrings + `, tags: {type: string}}`,
			want:        like("labels"),
		},
		"UnknownKeyValueList": {
			reason:      "A list of keys and values. It is atomic unless it says otherwise.",
			kind:        example,
			forProvider: `tags: ` + keysValues,
			atProvider:  `tags: ` + keysValues,
			want:        tagList("tags", "key", "value", "tags"),
		},
		"UnknownLabelsKeyValueList": {
			reason:      "Labels can be one, too, and don't count either.",
			kind:        example,
			forProvider: `labels: ` + keysValues,
			want:        like("labels"),
		},
		"UnknownStringList": {
			reason:      "Words are no keys and values.",
			kind:        example,
			forProvider: `tags: {type: array, items: {type: string}}`,
			want:        like("tags"),
		},
		"UnknownStringSet": {
			reason:      "A set neither.",
			kind:        example,
			forProvider: `{tags: ` + setOfStrings + `, labels: ` + mapOfStrings + `}`,
			want:        like("tags"),
		},
		"UnknownLabelsStringList": {
			reason:      "Lists of labels filter and route. They are never tags.",
			kind:        example,
			forProvider: `labels: ` + setOfStrings,
			want:        like("labels"),
		},
		"UnknownOther": {
			reason:      "No other name counts.",
			kind:        example,
			forProvider: `{metadata: ` + mapOfStrings + `, annotations: ` + mapOfStrings + `, Tags: ` + mapOfStrings + `}`,
			want:        not(),
		},
		"UnknownNested": {
			reason:      "Nor does one that is nested.",
			kind:        example,
			forProvider: `node: {type: object, properties: {tags: ` + mapOfStrings + `}}`,
			want:        not(),
		},
		"KeyedList": {
			reason: "A keyed list isn't atomic.",
			kind:   example,
			forProvider: `tags: {type: array, x-kubernetes-list-type: map, x-kubernetes-list-map-keys: [key], items: {type: object, required: [key],
				properties: {key: {type: string}, value: {type: string}}}}`,
			want: field.Field{Path: object.MustParsePath("spec.forProvider.tags"), Shape: field.KeyValueList, Key: "key", Value: "value"},
		},
		"AtomicMap": {
			reason:      "A map can be atomic.",
			kind:        example,
			forProvider: `tags: {type: object, x-kubernetes-map-type: atomic, additionalProperties: {type: string}}`,
			want:        field.Field{Path: object.MustParsePath("spec.forProvider.tags"), Shape: field.Map, Atomic: true},
		},
		"OtherNames": {
			reason:      "Entries call key and value what they like.",
			kind:        example,
			forProvider: `tags: {type: array, items: {type: object, properties: {name: {type: string}, value: {type: string}}}}`,
			want:        tagList("tags", "name", "value"),
		},
		"ObservedInAnotherShape": {
			reason:      "What is reported in another shape can't be compared.",
			kind:        example,
			forProvider: `tags: ` + mapOfStrings,
			atProvider:  `{tagsAll: ` + keysValues + `, tags: ` + mapOfStrings + `}`,
			want:        tagMap("tags", "tags"),
		},
		"ObservedUnderOtherNames": {
			reason:      "Nor can what is reported under other names.",
			kind:        example,
			forProvider: `tags: ` + keysValues,
			atProvider:  `tags: {type: array, items: {type: object, properties: {name: {type: string}, value: {type: string}}}}`,
			want:        tagList("tags", "key", "value"),
		},
		"Filter": {
			reason:      "An entry with a comparison is a filter.",
			kind:        example,
			forProvider: `tags: {type: array, items: {type: object, properties: {key: {type: string}, value: {type: string}, comparison: {type: string}}}}`,
			want:        not(),
		},
		"NoValue": {
			reason:      "An entry without a value, or with one that isn't a string, is no tag.",
			kind:        example,
			forProvider: `{tags: {type: array, items: {type: object, properties: {key: {type: string}, values: {type: array}}}}, labels: {type: array, items: {type: object, properties: {key: {type: string}, value: {type: integer}}}}}`,
			want:        not(),
		},
		"PropagateAtLaunch": {
			reason:      "Tags of scaling groups want to be told whether to be passed on.",
			kind:        example,
			forProvider: `tags: {type: array, items: {type: object, required: [key, value, propagateAtLaunch], properties: {key: {type: string}, value: {type: string}, propagateAtLaunch: {type: boolean}}}}`,
			want:        with(tagList("tags", "key", "value"), map[string]*structpb.Value{"propagateAtLaunch": structpb.NewBoolValue(true)}),
		},
		"PropagateAtLaunchOfAnotherType": {
			reason:      "What we have for a field is of no use if it's of another type.",
			kind:        example,
			forProvider: `tags: {type: array, items: {type: object, properties: {key: {type: string}, value: {type: string}, propagateAtLaunch: {type: string}}}}`,
			want:        not(),
		},
		"MapOfNumbers": {
			reason:      "Tags are strings.",
			kind:        example,
			forProvider: `{tags: {type: object, additionalProperties: {type: integer}}, labels: {type: object, additionalProperties: true}}`,
			want:        not(),
		},
		"ObjectWithFields": {
			reason:      "An object with fields is more than a map.",
			kind:        example,
			forProvider: `tags: {type: object, properties: {team: {type: string}}, additionalProperties: {type: string}}`,
			want:        not(),
		},
		"Enumeration": {
			reason:      "Where only a few strings are allowed, or those of a pattern, ours aren't.",
			kind:        example,
			forProvider: `{tags: {type: array, items: {type: string, pattern: "^[a-z]+$"}}, labels: {type: object, additionalProperties: {type: string, enum: [a, b]}}}`,
			want:        not(),
		},
		"AWS": {
			reason:      "A kind that a new version of a known provider brings is read by its dialect.",
			kind:        "ec2.aws.m.upbound.io/Invented",
			forProvider: `{labels: ` + mapOfStrings + `, tags: ` + mapOfStrings + `}`,
			atProvider:  `{tags: ` + mapOfStrings + `, tagsAll: ` + mapOfStrings + `}`,
			want:        tagMap("tags", "tagsAll", "tags"),
		},
		"AWSLabels": {
			reason:      "AWS has no labels.",
			kind:        "ec2.aws.m.upbound.io/Invented",
			forProvider: `labels: ` + mapOfStrings,
			want:        not(),
		},
		"AWSTag": {
			reason:      "Only one kind has its tags in tag.",
			kind:        "autoscaling.aws.m.upbound.io/Invented",
			forProvider: `tag: ` + keysValues,
			want:        not(),
		},
		"ClassicAutoScalingGroup": {
			reason: "Entries get what the API wants, but not the ID of a group that isn't there yet.",
			kind:   "autoscaling.aws.crossplane.io/AutoScalingGroup",
			forProvider: `tags: {type: array, items: {type: object, properties: {key: {type: string}, propagateAtLaunch: {type: boolean},
				resourceID: {type: string}, resourceType: {type: string}, value: {type: string}}}}`,
			want: with(tagList("tags", "key", "value"), map[string]*structpb.Value{
				"propagateAtLaunch": structpb.NewBoolValue(true), "resourceType": structpb.NewStringValue("auto-scaling-group"),
			}),
		},
		"ClassicAutoScalingGroupWithID": {
			reason: "If the API came to require it, we couldn't write an entry.",
			kind:   "autoscaling.aws.crossplane.io/AutoScalingGroup",
			forProvider: `tags: {type: array, items: {type: object, required: [resourceID], properties: {key: {type: string},
				resourceID: {type: string}, value: {type: string}}}}`,
			want: not(),
		},
		"AzureList": {
			reason:      "Azure's tags are maps.",
			kind:        "apimanagement.azure.m.upbound.io/Invented",
			forProvider: `tags: ` + setOfStrings,
			want:        not(),
		},
		"GCPTags": {
			reason:      "Google's tags are network tags or Resource Manager tags.",
			kind:        "compute.gcp.m.upbound.io/Invented",
			forProvider: `tags: ` + mapOfStrings,
			want:        not(),
		},
		"GCPBothLabels": {
			reason:      "Where the user's labels have a field of their own, the others are something else.",
			kind:        "monitoring.gcp.m.upbound.io/Invented",
			forProvider: `{labels: ` + mapOfStrings + `, userLabels: ` + mapOfStrings + `}`,
			want:        tagMap("userLabels"),
		},
		"GCPListOfOne": {
			reason:      "Older versions have a list of one object on the way.",
			kind:        "sql.gcp.upbound.io/DatabaseInstance",
			forProvider: `settings: {type: array, items: {type: object, properties: {userLabels: ` + mapOfStrings + `}}}`,
			atProvider:  `settings: {type: array, items: {type: object, properties: {userLabels: ` + mapOfStrings + `}}}`,
			want:        tagMap("settings[0].userLabels", "settings[0].userLabels"),
		},
		"ListOfOneElsewhere": {
			reason:      "A list of one that carries something else is none.",
			kind:        "sql.gcp.upbound.io/DatabaseInstance",
			forProvider: `settings: {type: array, items: {type: string}}`,
			want:        not(),
		},
		"ClassicCloudSQL": {
			reason:      "The same settings as in the provider of today.",
			kind:        "database.gcp.crossplane.io/CloudSQLInstance",
			forProvider: `settings: {type: object, properties: {userLabels: ` + mapOfStrings + `}}`,
			want:        tagMap("settings.userLabels"),
		},
		"OpenStackNetworking": {
			reason:      "Every resource of Neutron has tags.",
			kind:        "networking.openstack.m.crossplane.io/Invented",
			forProvider: `tags: ` + setOfStrings,
			want:        tagSet("="),
		},
		"OpenStackOther": {
			reason:      "What metadata, labels and tags of OpenStack's other services mean we can't know.",
			kind:        "dns.openstack.m.crossplane.io/Invented",
			forProvider: `{metadata: ` + mapOfStrings + `, labels: ` + mapOfStrings + `, tags: ` + setOfStrings + `}`,
			want:        not(),
		},
		"DigitalOcean": {
			reason:      "The shorter of the cloud's and the schema's limit holds.",
			kind:        "droplet.digitalocean.m.crossplane.io/Invented",
			forProvider: `tags: {type: array, x-kubernetes-list-type: set, items: {type: string, maxLength: 300}}`,
			want:        tagSet(":"),
		},
		"Unmanaged": {
			reason:      "Whatever it calls tags, a provider that makes no resources of a cloud has none.",
			kind:        "datadog.upbound.io/Invented",
			forProvider: `{tags: ` + setOfStrings + `, labels: ` + mapOfStrings + `}`,
			want:        not(),
		},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			group, kind, _ := strings.Cut(tc.kind, "/")

			got := field.Read(schema.GroupKind{Group: group, Kind: kind}, managed(t, tc.forProvider, tc.atProvider))
			if diff := cmp.Diff(byProvider(group, tc.want), got, protocmp.Transform()); diff != "" {
				t.Errorf("\n%s\nRead(...): -want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}

// What isn't a schema has no fields.
func TestReadGarbage(t *testing.T) {
	cases := map[string]string{
		"Empty":               `{}`,
		"NoManagedResource":   `{"type":"object","properties":{"spec":{"type":"object","properties":{"tags":{"type":"object","additionalProperties":{"type":"string"}}}}}}`,
		"PropertiesList":      `{"properties":[]}`,
		"PropertiesNull":      `{"properties":null}`,
		"SpecString":          `{"properties":{"spec":"forProvider"}}`,
		"SpecPreservesFields": `{"properties":{"spec":{"type":"object","x-kubernetes-preserve-unknown-fields":true}}}`,
		"TagsNull":            tagsOf(`null`),
		"TagsNumber":          tagsOf(`1`),
		"TagsList":            tagsOf(`[]`),
		"NoType":              tagsOf(`{"additionalProperties":{"type":"string"}}`),
		"TypeList":            tagsOf(`{"type":["object"],"additionalProperties":{"type":"string"}}`),
		"TypeUnknown":         tagsOf(`{"type":"bag"}`),
		"MapOfAnything":       tagsOf(`{"type":"object","additionalProperties":true}`),
		"MapOfNothing":        tagsOf(`{"type":"object","additionalProperties":false}`),
		"MapOfNull":           tagsOf(`{"type":"object","additionalProperties":null}`),
		"MapOfMaps":           tagsOf(`{"type":"object","additionalProperties":{"type":"object","additionalProperties":{"type":"string"}}}`),
		"ListOfNothing":       tagsOf(`{"type":"array"}`),
		"ListOfNull":          tagsOf(`{"type":"array","items":null}`),
		"ListOfLists":         tagsOf(`{"type":"array","items":{"type":"array","items":{"type":"string"}}}`),
		"ListOfSeveral":       tagsOf(`{"type":"array","items":[{"type":"string"}]}`),
		"ListOfEmptyObjects":  tagsOf(`{"type":"array","items":{"type":"object"}}`),
		"ListOfFieldsNull":    tagsOf(`{"type":"array","items":{"type":"object","properties":{"key":null,"value":null}}}`),
		"ListOfFieldsList":    tagsOf(`{"type":"array","items":{"type":"object","properties":["key","value"]}}`),
		"Reference":           tagsOf(`{"$ref":"#/components/schemas/tags"}`),
		"Dates":               tagsOf(`{"type":"array","items":{"type":"string","format":"date-time"}}`),
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			s := &structpb.Struct{}
			if err := protojson.Unmarshal([]byte(tc), s); err != nil {
				t.Fatal(err)
			}

			got := field.Read(schema.GroupKind{Group: "vm.example.org", Kind: "Machine"}, s)
			if diff := cmp.Diff(not(), got, protocmp.Transform()); diff != "" {
				t.Errorf("Read(...): -want, +got:\n%s", diff)
			}
		})
	}

	t.Run("Nil", func(t *testing.T) {
		for _, s := range []*structpb.Struct{nil, {}, {Fields: map[string]*structpb.Value{"properties": nil}}, {Fields: map[string]*structpb.Value{"properties": {}}}} {
			got := field.Read(schema.GroupKind{Group: "vm.example.org", Kind: "Machine"}, s)
			if diff := cmp.Diff(not(), got, protocmp.Transform()); diff != "" {
				t.Errorf("Read(...): -want, +got:\n%s", diff)
			}
		}
	})
}

func TestReadOddities(t *testing.T) {
	gk := schema.GroupKind{Group: "droplet.digitalocean.m.crossplane.io", Kind: "Droplet"}

	list := func(schema string) field.Field {
		s := &structpb.Struct{}
		if err := protojson.Unmarshal([]byte(tagsOf(schema)), s); err != nil {
			t.Fatal(err)
		}

		return field.Read(gk, s)
	}

	for _, n := range []string{`"60"`, `-1`, `0`, `1.5`, `1e300`, `null`} {
		if got := list(`{"type":"array","items":{"type":"string","maxLength":` + n + `}}`); got.Shape != field.StringList || got.MaxLength != 255 {
			t.Errorf("maxLength %s is no limit but the cloud's, got %+v", n, got)
		}
	}

	for _, l := range []string{`null`, `1`, `"atomic"`, `"bag"`} {
		if got := list(`{"type":"array","x-kubernetes-list-type":` + l + `,"items":{"type":"string"}}`); !got.Atomic {
			t.Errorf("a list of type %s is atomic, got %+v", l, got)
		}
	}
}

var gk = schema.GroupKind{Group: "vm.example.org", Kind: "Machine"}

// tagsOf returns the schema of a managed resource with the supplied schema of tags.
func tagsOf(tags string) string {
	return `{"properties":{"spec":{"properties":{"forProvider":{"properties":{"tags":` + tags + `}}}}}}`
}

func FuzzRead(f *testing.F) {
	for _, seed := range []string{
		`{}`,
		tagsOf(`{"type":"object","additionalProperties":{"type":"string"}}`),
		tagsOf(`{"type":"array","items":{"type":"string","maxLength":60},"x-kubernetes-list-type":"set"}`),
		tagsOf(`{"type":"array","items":{"type":"object","required":["key"],"properties":{"key":{"type":"string"},"value":{"type":"string"}}}}`),
	} {
		f.Add("vm.example.org", "Machine", seed)
		f.Add("autoscaling.aws.crossplane.io", "AutoScalingGroup", seed)
		f.Add("droplet.digitalocean.m.crossplane.io", "Droplet", seed)
	}

	f.Fuzz(func(t *testing.T, group, kind, text string) {
		s := &structpb.Struct{}
		if err := protojson.Unmarshal([]byte(text), s); err != nil {
			t.Skip()
		}

		got := field.Read(schema.GroupKind{Group: group, Kind: kind}, s)

		// Whatever it is, stamping must be able to write it.
		switch got.Shape {
		case field.None:
			if !got.Path.IsZero() {
				t.Errorf("a field that isn't there is at %q", got.Path)
			}
		case field.Map:
		case field.KeyValueList:
			if got.Key == "" || got.Value == "" || got.Key == got.Value {
				t.Errorf("a tag is %q and %q", got.Key, got.Value)
			}
		case field.StringList:
			if got.Separator == "" || got.MaxLength < 0 {
				t.Errorf("a tag is separated by %q and has at most %d characters", got.Separator, got.MaxLength)
			}
		default:
			t.Errorf("%q is no shape", got.Shape)
		}
	})
}

func BenchmarkRead(b *testing.B) {
	s := &structpb.Struct{}
	if err := protojson.Unmarshal([]byte(tagsOf(`{"type":"object","additionalProperties":{"type":"string"}}`)), s); err != nil {
		b.Fatal(err)
	}

	b.ReportAllocs()

	for b.Loop() {
		field.Read(gk, s)
	}
}
