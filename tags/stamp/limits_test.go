package stamp

import (
	"slices"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/yaml"

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

// schemaOf returns the schema of a kind whose spec.forProvider has the fields of the
// schemas, in YAML.
func schemaOf(t *testing.T, fields string) object.Node {
	t.Helper()

	j, err := yaml.YAMLToJSON([]byte(`{type: object, properties: {spec: {type: object, properties: {forProvider: {type: object, properties: ` + fields + `}}}}}`))
	if err != nil {
		t.Fatalf("cannot read schema: %v", err)
	}

	return object.Tree(resource.MustStructJSON(string(j))).Node()
}

// TestSchemaLimits is about tags that the schema of the kind does not admit, so that the API
// server would refuse the resource.
func TestSchemaLimits(t *testing.T) {
	const (
		vpc   = "ec2.aws.m.upbound.io/v1beta1 VPC"
		group = "autoscaling.aws.m.upbound.io/v1beta1 AutoscalingGroup"
		vm    = "ec2.aws.m.upbound.io/v1beta1 Instance"
		port  = "networking.openstack.m.crossplane.io/v1alpha1 PortV2"
		thing = "example.org/v1 Thing"
	)

	trusted := func(l tags.Label) tags.Label {
		l.Trusted = true
		return l
	}

	cases := map[string]struct {
		reason string

		// kind of the resource, what its spec.forProvider is, and the schemas of the fields in it.
		kind, spec, schemas string

		labels []tags.Label
		ignore []resolve.TagKey

		// observed resource, if there is one, and input beside the labels.
		observed, input string
	}{
		"Value": {
			reason: "A value that is too long is skipped. Others are tags.", kind: vpc,
			schemas: `{tags: {type: object, additionalProperties: {type: string, maxLength: 3}}}`,
			labels:  []tags.Label{label("a", "1234"), label("b", "123")},
		},
		"Pattern": {
			reason: "A value that the pattern doesn't match is skipped, as the value format makes it.", kind: vpc,
			schemas: `{tags: {type: object, additionalProperties: {type: string, pattern: "^[a-z]*$"}}}`,
			labels:  []tags.Label{label("a", "Prod"), label("b", "prod")},
		},
		"Key": {
			reason: "Keys of a list have limits.", kind: group,
			schemas: `{tag: {type: array, items: {type: object, properties: {key: {type: string, maxLength: 6}, value: {type: string, enum: [x, "y"]}}}}}`,
			labels:  []tags.Label{label("a", "x"), label("aa", "x"), label("b", "z")},
		},
		"Entry": {
			reason: "Entries of a list of strings have limits.", kind: port,
			schemas: `{tags: {type: array, items: {type: string, pattern: "^[a-z:]+=[a-z]+$"}}}`,
			labels:  []tags.Label{label("a", "x"), label("b", "1")},
		},
		"Most": {
			reason: "The schema has a limit for all that is in the field: what earlier steps set, and what the provider adds there.", kind: vpc, spec: `{"tags": {"Name": "x"}}`,
			schemas: `{tags: {type: object, maxProperties: 6, additionalProperties: {type: string}}}`,
			labels:  labels(4),
		},
		"MostOfEarlier": {
			reason: "If earlier steps have set too many tags, none is added.", kind: vpc, spec: `{"tags": {"1": "", "2": "", "ours:k00": "v"}}`,
			schemas: `{tags: {type: object, maxProperties: 2, additionalProperties: {type: string}}}`,
			labels:  labels(2),
		},
		"MostReserved": {
			reason: "What the input reserves in the cloud is not in the field.", kind: vpc, input: `, "reservedTags": {"aws": 3}, "providerTags": "None"`,
			schemas: `{tags: {type: object, maxProperties: 2, additionalProperties: {type: string}}}`,
			labels:  labels(3),
		},
		"MostInCloud": {
			reason: "The cloud's limit holds where it is lower.", kind: vpc, input: `, "reservedTags": {"aws": 45}, "providerTags": "None"`,
			schemas: `{tags: {type: object, maxProperties: 9, additionalProperties: {type: string}}}`,
			labels:  labels(7),
		},
		"MostTrusted": {
			reason: "A trusted label that has no slot is no less a failure.", kind: vpc, input: `, "providerTags": "None"`,
			schemas: `{tags: {type: object, maxProperties: 1, additionalProperties: {type: string}}}`,
			labels:  []tags.Label{trusted(label("a", "1")), trusted(label("b", "2"))},
		},
		"MostStrict": {
			reason: "Under ApplyStrict, too many labels are a failure.", kind: vpc, input: `, "limitPolicy": "ApplyStrict", "providerTags": "None"`,
			schemas: `{tags: {type: object, maxProperties: 1, additionalProperties: {type: string}}}`,
			labels:  labels(2),
		},
		"Items": {
			reason: "A list has at most so many entries.", kind: port, spec: `{"tags": ["x"]}`,
			schemas: `{tags: {type: array, maxItems: 2, items: {type: string}}}`,
			labels:  labels(2),
		},
		"Ignored": {
			reason: "What another system has in the cloud is not desired where the schema doesn't admit it.", kind: vpc, ignore: []resolve.TagKey{{Pattern: "backup:*"}},
			schemas:  `{tags: {type: object, additionalProperties: {type: string, maxLength: 3}}}`,
			observed: `{"status": {"atProvider": {"tags": {"backup:a": "1234", "backup:b": "123"}}}}`,
		},
		"Launched": {
			reason: "Fields of what is launched have limits of their own.", kind: vm, input: `, "launchedResources": "Tag", "providerTags": "None"`,
			schemas: `{tags: {type: object, additionalProperties: {type: string}}, volumeTags: {type: object, maxProperties: 1, additionalProperties: {type: string, maxLength: 2}}}`,
			labels:  []tags.Label{label("a", "123"), label("b", "1"), label("c", "1")},
		},
		"LaunchedItems": {
			reason: "So have those in lists.", kind: "ec2.aws.m.upbound.io/v1beta1 LaunchTemplate", input: `, "launchedResources": "Tag", "providerTags": "None"`,
			schemas: `{tagSpecifications: {type: array, items: {type: object, properties: {resourceType: {type: string}, tags: {type: object, additionalProperties: {type: string, maxLength: 2}}}}}}`,
			labels:  []tags.Label{label("a", "123")},
		},
		"Joined": {
			reason: "All tags in one string have a length together. A field that would be longer is left alone.", kind: thing,
			input:   `, "tagFields": [{"apiVersion": "example.org/*", "kind": "*", "fieldPath": "spec.forProvider.tags", "shape": "Joined", "joined": {"separator": "=", "delimiter": ","}}]`,
			schemas: `{tags: {type: string, maxLength: 10}}`,
			labels:  labels(2),
		},
		"Rule": {
			reason: "A rule of the input doesn't know the schema, which holds all the same.", kind: thing,
			input:   `, "tagFields": [{"apiVersion": "example.org/*", "kind": "*", "fieldPath": "spec.forProvider.tags", "shape": "Map"}]`,
			schemas: `{tags: {type: object, maxProperties: 1, additionalProperties: {type: string}}}`,
			labels:  labels(2),
		},
		"ReservedLost": {
			reason: "A trusted label that the schema doesn't admit does not leave its reserved key to others.", kind: vpc, spec: `{"tags": {"ours:reserved-a": "forged"}}`,
			schemas: `{tags: {type: object, additionalProperties: {type: string, maxLength: 3}}}`,
			labels:  []tags.Label{trusted(label("reserved-a", "1234"))},
		},
	}

	g := tagstest.NewGolden(t)

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			apiVersion, kind, _ := strings.Cut(tc.kind, " ")

			spec := tc.spec
			if spec == "" {
				spec = "{}"
			}

			in, err := v1beta1.Decode(resource.MustStructJSON(`{"apiVersion": "cloudtags.fn.plexsphere.com/v1beta1", "kind": "CloudTags", "sources": [{"type": "Value", "values": {"a": "1"}}]` + tc.input + `}`))
			if err != nil {
				t.Fatalf("Decode(...): %v", err)
			}

			transformer := transformer(slices.Clone(tc.labels)...)
			transformer.Reserve([]string{"reserved-*"}, "ours:", nil)

			var asked []schema.GroupVersionKind

			s := &Stamper{
				Finder: target.Finder{
					Input:  in,
					Fields: func(schemas field.Schemas) field.Locator { return field.ForInput(in, schemas) },
					Schemas: field.Schemas{
						Of: func(k schema.GroupVersionKind) object.Node {
							asked = append(asked, k)
							return object.Node{}
						},
						Given: func(k schema.GroupVersionKind) object.Node {
							if k != schema.FromAPIVersionAndKind(apiVersion, kind) {
								return object.Node{}
							}
							return schemaOf(t, tc.schemas)
						},
					},
				},
				Transformer: transformer,
				Ignore:      tc.ignore,
			}

			if tc.observed != "" {
				s.Observed = map[string]*fnv1.Resource{"r": {Resource: resource.MustStructJSON(tc.observed)}}
			}

			out, err := stampAll(s, map[string]*fnv1.Resource{"r": {Resource: resource.MustStructJSON(`{"apiVersion": "` + apiVersion + `", "kind": "` + kind + `", "spec": {"forProvider": ` + spec + `}}`)}})
			g.Check(t, tc.reason, lines(out, err))

			if len(asked) > 0 {
				t.Errorf("\nNo schema should be asked for, for its limits.\nGot: %v", asked)
			}
		})
	}
}

// TestSchemaLimitsAsked tests that the schema that says where a tag field is also says what it
// admits.
func TestSchemaLimitsAsked(t *testing.T) {
	in := &v1beta1.CloudTags{FieldDiscovery: v1beta1.FieldDiscoverySchema, Sources: make([]v1beta1.Source, 1)}
	s := &Stamper{
		Finder: target.Finder{
			Input:  in,
			Fields: func(schemas field.Schemas) field.Locator { return field.ForInput(in, schemas) },
			Schemas: field.Schemas{Of: func(schema.GroupVersionKind) object.Node {
				return schemaOf(t, `{tags: {type: object, additionalProperties: {type: string, maxLength: 2}}}`)
			}},
		},
		Transformer: transformer(label("a", "123"), label("b", "1")),
	}

	out, err := stampAll(s, map[string]*fnv1.Resource{"r": {Resource: resource.MustStructJSON(`{"apiVersion": "ec2.aws.m.upbound.io/v1beta1", "kind": "VPC", "spec": {"forProvider": {}}}`)}})
	tagstest.NewGolden(t).Check(t, "The schema that was asked for has limits, too.", lines(out, err))
}
