package v1beta1_test

import (
	"math"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"google.golang.org/protobuf/types/known/structpb"
	"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	crdvalidation "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/validation"
	structuralschema "k8s.io/apiextensions-apiserver/pkg/apiserver/schema"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/cel"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/defaulting"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/listtype"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/pruning"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/validation"
	utiljson "k8s.io/apimachinery/pkg/util/json"
	"k8s.io/apimachinery/pkg/util/validation/field"
	"sigs.k8s.io/yaml"

	"github.com/crossplane/function-sdk-go/errors"
	"github.com/crossplane/function-sdk-go/resource"

	"github.com/plexsphere/function-cloud-tags/input/v1beta1"
	"github.com/plexsphere/function-cloud-tags/tags"
)

// profileNames are the names of all tag profiles as errors put them.
func profileNames() string {
	names := tags.ProfileNames()
	for i, n := range names {
		names[i] = strconv.Quote(n)
	}

	return strings.Join(names, ", ")
}

// A crd is the CRD of the input, as an API server would enforce it.
type crd struct {
	apiVersion, kind string

	schema     *apiextensionsv1.JSONSchemaProps
	structural *structuralschema.Structural
	validator  validation.SchemaValidator
	rules      *cel.Validator
}

func readDefinition(t *testing.T) *apiextensionsv1.CustomResourceDefinition {
	t.Helper()

	text, err := os.ReadFile("../../package/input/cloudtags.fn.plexsphere.com_cloudtags.yaml")
	if err != nil {
		t.Fatal(err)
	}

	def := &apiextensionsv1.CustomResourceDefinition{}
	if err := yaml.UnmarshalStrict(text, def); err != nil {
		t.Fatal(err)
	}

	return def
}

func readCRD(t *testing.T) *crd {
	t.Helper()

	def := readDefinition(t)

	i := slices.IndexFunc(def.Spec.Versions, func(v apiextensionsv1.CustomResourceDefinitionVersion) bool { return v.Name == "v1beta1" })
	if i < 0 {
		t.Fatal("the CRD has no version v1beta1")
	}

	schema := def.Spec.Versions[i].Schema.OpenAPIV3Schema

	internal := &apiextensions.JSONSchemaProps{}
	if err := apiextensionsv1.Convert_v1_JSONSchemaProps_To_apiextensions_JSONSchemaProps(schema, internal, nil); err != nil {
		t.Fatal(err)
	}

	structural, err := structuralschema.NewStructural(internal)
	if err != nil {
		t.Fatal(err)
	}

	if errs := structuralschema.ValidateStructural(nil, structural); len(errs) > 0 {
		t.Fatal(errs.ToAggregate())
	}

	validator, _, err := validation.NewSchemaValidator(internal)
	if err != nil {
		t.Fatal(err)
	}

	return &crd{
		apiVersion: def.Spec.Group + "/v1beta1",
		kind:       def.Spec.Names.Kind,
		schema:     schema,
		structural: structural,
		validator:  validator,
		rules:      cel.NewValidator(structural, true, math.MaxInt64),
	}
}

// admit returns the supplied JSON with its defaults, and what is wrong with it.
func (c *crd) admit(t *testing.T, j string) (map[string]any, error) {
	t.Helper()

	obj := map[string]any{}
	if err := utiljson.Unmarshal([]byte(j), &obj); err != nil {
		t.Fatal(err)
	}

	errs := field.ErrorList{}

	if obj["apiVersion"] != c.apiVersion {
		errs = append(errs, field.Invalid(field.NewPath("apiVersion"), obj["apiVersion"], "must be "+c.apiVersion))
	}

	if obj["kind"] != c.kind {
		errs = append(errs, field.Invalid(field.NewPath("kind"), obj["kind"], "must be "+c.kind))
	}

	// Metadata is not the schema's business.
	if m, ok := obj["metadata"].(map[string]any); ok {
		if _, ok := m["title"]; ok {
			errs = append(errs, field.Forbidden(field.NewPath("metadata", "title"), "unknown field"))
		}
	}

	opts := structuralschema.UnknownFieldPathOptions{TrackUnknownFieldPaths: true}
	for _, path := range pruning.PruneWithOptions(obj, c.structural, true, opts) {
		errs = append(errs, field.Forbidden(field.NewPath(path), "unknown field"))
	}

	defaulting.PruneNonNullableNullsWithoutDefaults(obj, c.structural)
	defaulting.Default(obj, c.structural)

	errs = append(errs, validation.ValidateCustomResource(nil, obj, c.validator)...)
	errs = append(errs, listtype.ValidateListSetsAndMaps(nil, c.structural, obj)...)

	// The rules are not for what has not even the right types.
	if len(errs) == 0 {
		ruled, _ := c.rules.Validate(t.Context(), nil, c.structural, obj, nil, math.MaxInt64)
		errs = append(errs, ruled...)
	}

	return obj, errors.Wrap(errs.ToAggregate(), "refused")
}

// TestCRD is about the CRD itself, of which an API server refuses more than what is not
// well-formed: e.g. rules that could take too long, since a list has no limit.
func TestCRD(t *testing.T) {
	def := readDefinition(t)
	apiextensionsv1.SetDefaults_CustomResourceDefinition(def)
	apiextensionsv1.SetDefaults_CustomResourceDefinitionSpec(&def.Spec)

	internal := &apiextensions.CustomResourceDefinition{}
	if err := apiextensionsv1.Convert_v1_CustomResourceDefinition_To_apiextensions_CustomResourceDefinition(def, internal, nil); err != nil {
		t.Fatal(err)
	}

	for _, err := range crdvalidation.ValidateCustomResourceDefinition(t.Context(), internal) {
		t.Errorf("\nAn API server should accept the CRD.\nValidateCustomResourceDefinition(...): %v", err)
	}
}

func TestCRDAcceptsWhatGoAccepts(t *testing.T) {
	c := readCRD(t)

	for name, tc := range validCases() {
		t.Run(name, func(t *testing.T) {
			defaulted, err := c.admit(t, tc.json)
			if err != nil {
				t.Fatalf("\n%s\nThe CRD should accept what Decode does: %v", tc.reason, err)
			}

			// Defaults of the CRD must be those that Decode sets anyway.
			s, err := structpb.NewStruct(defaulted)
			if err != nil {
				t.Fatal(err)
			}

			got, err := v1beta1.Decode(s)
			if err != nil {
				t.Fatalf("\n%s\nDecode should accept what has the CRD's defaults: %v", tc.reason, err)
			}

			if got.ReuseFor() == tc.want.ReuseFor() {
				got.TTL = tc.want.TTL // It may be put in another way.
			}

			if diff := cmp.Diff(tc.want, got, equalJSON()); diff != "" {
				t.Errorf("\n%s\nThe CRD should have the defaults of Decode: -want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}

func TestCRDRefusesWhatGoRefuses(t *testing.T) {
	c := readCRD(t)

	for name, tc := range invalidCases() {
		t.Run(name, func(t *testing.T) {
			_, err := c.admit(t, tc.json)

			if err == nil && !tc.goOnly {
				t.Errorf("\n%s\nThe CRD should refuse what Decode does: %s", tc.reason, tc.want)
			}

			if err != nil && tc.goOnly {
				t.Errorf("\n%s\nThe CRD refuses this, so it is not for Decode only: %v", tc.reason, err)
			}
		})
	}
}

// checkAgree fails the test if the CRD accepts any of the supplied inputs that Decode
// refuses, or the other way around.
func checkAgree(t *testing.T, inputs map[string]string) {
	t.Helper()

	c := readCRD(t)

	for name, j := range inputs {
		t.Run(name, func(t *testing.T) {
			_, crdErr := c.admit(t, j)
			_, goErr := v1beta1.Decode(resource.MustStructJSON(j))

			if (crdErr == nil) != (goErr == nil) {
				t.Errorf("\nThe CRD and Decode should agree.\nThe CRD: %v\nDecode(...): %v", crdErr, goErr)
			}
		})
	}
}

// TestCRDAgreesOnEmpty is about what an input says although it could leave it out.
// Whether or not that is accepted, both must agree.
func TestCRDAgreesOnEmpty(t *testing.T) {
	source := func(fields string) string {
		return input(`"sources": [{"type": "CompositeField", "fromFieldPath": "spec.labels", ` + fields + `}]`)
	}

	tagField := func(fields string) string {
		return input(minimal + `, "tagFields": [{"apiVersion": "a/v1", "kind": "A", ` + fields + `}]`)
	}

	cases := map[string]string{
		"Name":              source(`"name": ""`),
		"Encoding":          source(`"encoding": ""`),
		"KeyForm":           source(`"keyForm": ""`),
		"OnConflict":        source(`"onConflict": ""`),
		"Policy":            source(`"policy": {"fromFieldPath": ""}`),
		"Type":              input(`"sources": [{"type": "", "values": {}}]`),
		"KeyPrefix":         input(`"keyPrefix": "", ` + minimal),
		"ProfileRules":      input(`"profileRules": "", ` + minimal),
		"FieldDiscovery":    input(`"fieldDiscovery": "", ` + minimal),
		"KeyFormatPrefix":   input(`"keyFormats": [{"provider": "gcp", "prefix": "", "replace": {}, "lowercase": false}], ` + minimal),
		"TTL":               input(`"ttl": "", ` + minimal),
		"ProviderTags":      input(`"providerTags": "", ` + minimal),
		"ToContextKey":      input(`"toContextKey": "", ` + minimal),
		"IncludeKeys":       source(`"include": {"keys": []}`),
		"IncludeExcept":     source(`"include": {"except": []}`),
		"IncludeBoth":       source(`"include": {"keys": [], "except": []}`),
		"IncludeNothing":    source(`"include": {}`),
		"FieldProvider":     tagField(`"fieldPath": "spec.tags", "shape": "Map", "provider": ""`),
		"All":               required(organization+`, "matchLabels": {"all": false}`, ""),
		"ProviderValue":     input(`"provider": {"value": ""}, ` + minimal),
		"Shape":             tagField(`"fieldPath": "spec.tags", "shape": ""`),
		"FieldPath":         tagField(`"fieldPath": "", "shape": "None"`),
		"KeyValueListKey":   tagField(`"fieldPath": "spec.tags", "shape": "KeyValueList", "keyValueList": {"key": ""}`),
		"KeyValueListValue": tagField(`"fieldPath": "spec.tags", "shape": "KeyValueList", "keyValueList": {"value": ""}`),
		"Extra":             tagField(`"fieldPath": "spec.tags", "shape": "KeyValueList", "keyValueList": {"extra": {"": ""}}`),
		"Separator":         tagField(`"fieldPath": "spec.tags", "shape": "StringList", "stringList": {"separator": ""}`),
		"MaxLength":         tagField(`"fieldPath": "spec.tags", "shape": "StringList", "stringList": {"maxLength": 0}`),
	}

	checkAgree(t, cases)
}

func TestCRDEnums(t *testing.T) {
	c := readCRD(t)

	source := c.schema.Properties["sources"].Items.Schema.Properties
	tagField := c.schema.Properties["tagFields"].Items.Schema.Properties
	ignored := c.schema.Properties["ignoreTags"].Items.Schema.Properties
	metadata := c.schema.Properties["kubernetesMetadata"].Items.Schema.Properties

	cases := map[string]struct {
		schema apiextensionsv1.JSONSchemaProps
		want   []string
		input  func(value string) string
	}{
		"ProfileRules": {
			schema: c.schema.Properties["profileRules"],
			want:   []string{"Cloud", "Contract"},
			input:  func(value string) string { return input(`"profileRules": "` + value + `", ` + minimal) },
		},
		"ProviderTags": {
			schema: c.schema.Properties["providerTags"],
			want:   []string{"None", "Reserve"},
			input:  func(value string) string { return input(`"providerTags": "` + value + `", ` + minimal) },
		},
		"LimitPolicy": {
			schema: c.schema.Properties["limitPolicy"],
			want:   []string{"ApplyPartial", "ApplyStrict"},
			input:  func(value string) string { return input(`"limitPolicy": "` + value + `", ` + minimal) },
		},
		"IgnoreOnConflict": {
			schema: ignored["onConflict"].AllOf[1], // It has fewer values than that of a source, whose type it is.
			want:   []string{"Replace", "Retain"},
			input:  func(value string) string { return ignoreTag(`"key": "a", "onConflict": "` + value + `"`) },
		},
		"Copy": {
			schema: *metadata["copy"].Items.Schema,
			want:   []string{"Annotations", "Labels"},
			input:  func(value string) string { return rule(ofComposite + `, ` + all + `, "copy": ["` + value + `"]`) },
		},
		"MetadataSourceType": {
			schema: metadata["source"].Properties["type"],
			want:   []string{"ComposedResource", "CompositeMetadata", "RequiredResource"},
			input: func(value string) string {
				needs := map[string]string{
					"ComposedResource": `, "name": "a"`,
					"RequiredResource": `, "resource": {` + organization + byName + `}`,
				}

				return from(`"type": "` + value + `"` + needs[value])
			},
		},
		"MetadataPolicy": {
			schema: metadata["source"].Properties["policy"].Properties["fromFieldPath"],
			want:   []string{"Optional", "Required"},
			input: func(value string) string {
				return fromResource(organization+byName, `, "policy": {"fromFieldPath": "`+value+`"}`)
			},
		},
		"FieldDiscovery": {
			schema: c.schema.Properties["fieldDiscovery"],
			want:   []string{"Auto", "Index", "Schema"},
			input:  func(value string) string { return input(`"fieldDiscovery": "` + value + `", ` + minimal) },
		},
		"Type": {
			schema: source["type"],
			want:   []string{"CompositeField", "CompositeMetadata", "ContextField", "RequiredResource", "Value"},
			input: func(value string) string {
				needs := map[string]string{
					"CompositeField":    `"fromFieldPath": "spec.labels"`,
					"CompositeMetadata": `"prefix": "tags.example.org/"`,
					"ContextField":      `"contextKey": "apiextensions.crossplane.io/environment", "fromFieldPath": "tags"`,
					"RequiredResource":  `"fromFieldPath": "data", "resource": {"apiVersion": "v1", "kind": "ConfigMap", "name": {"value": "labels"}}`,
					"Value":             `"values": {}`,
				}

				return input(`"sources": [{"type": "` + value + `", ` + needs[value] + `}]`)
			},
		},
		"Encoding": {
			schema: source["encoding"],
			want:   []string{"JSON", "Plain", "Scalar"},
			input: func(value string) string {
				return input(`"sources": [{"type": "Value", "values": {}, "encoding": "` + value + `"}]`)
			},
		},
		"KeyForm": {
			schema: source["keyForm"],
			want:   []string{"Qualified", "Tag"},
			input: func(value string) string {
				return input(`"sources": [{"type": "Value", "values": {}, "keyForm": "` + value + `"}]`)
			},
		},
		"OnConflict": {
			schema: source["onConflict"],
			want:   []string{"Error", "Replace", "Retain"},
			input: func(value string) string {
				return input(`"sources": [{"type": "Value", "values": {}, "onConflict": "` + value + `"}]`)
			},
		},
		"Policy": {
			schema: source["policy"].Properties["fromFieldPath"],
			want:   []string{"Optional", "Required"},
			input: func(value string) string {
				return input(`"sources": [{"type": "CompositeField", "fromFieldPath": "a", "policy": {"fromFieldPath": "` + value + `"}}]`)
			},
		},
		"Shape": {
			schema: tagField["shape"],
			want:   []string{"KeyValueList", "Map", "None", "StringList"},
			input: func(value string) string {
				path := `"fieldPath": "spec.tags", `
				if value == "None" {
					path = ""
				}

				return input(minimal + `, "tagFields": [{"apiVersion": "a/v1", "kind": "A", ` + path + `"shape": "` + value + `"}]`)
			},
		},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			got := []string{}
			for _, e := range tc.schema.Enum {
				got = append(got, strings.Trim(string(e.Raw), `"`))
			}

			slices.Sort(got)

			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("\nThe CRD should have all values: -want, +got:\n%s", diff)
			}

			for _, v := range got {
				if _, err := v1beta1.Decode(resource.MustStructJSON(tc.input(v))); err != nil {
					t.Errorf("\nDecode should accept each value of the CRD.\nDecode(...) of %q: %v", v, err)
				}
			}
		})
	}
}
