package field_test

import (
	"strings"
	"testing"

	"google.golang.org/protobuf/types/known/structpb"
	"sigs.k8s.io/yaml"

	"github.com/plexsphere/function-cloud-tags/tags/field"
	"github.com/plexsphere/function-cloud-tags/tags/object"
	"github.com/plexsphere/function-cloud-tags/tags/profile"
	"github.com/plexsphere/function-cloud-tags/tags/tagstest"
)

// TestLimitsOf is about tags that the schema of a kind does not admit in its tag field.
func TestLimitsOf(t *testing.T) {
	shapes := map[field.Shape]field.Field{
		field.Map:          {Layout: field.Layout{Shape: field.Map}},
		field.MapOfLists:   {Layout: field.Layout{Shape: field.MapOfLists}},
		field.KeyValueList: {Layout: field.Layout{Shape: field.KeyValueList}, Key: "key", Value: "value"},
		field.StringList:   {Layout: field.Layout{Shape: field.StringList, Separator: "="}},
		field.Joined:       {Layout: field.Layout{Shape: field.Joined, Separator: "=", Delimiter: ","}},
	}

	var cases []struct {
		Reason string             `json:"reason"`
		Shape  field.Shape        `json:"shape"`
		Schema *structpb.Struct   `json:"schema"`
		Key    string             `json:"key"`
		Value  string             `json:"value"`
		Want   profile.SkipReason `json:"want"`
		Limit  string             `json:"limit"`
	}

	tagstest.ReadYAML(t, "testdata/limits.yaml", &cases)

	for _, tc := range cases {
		f := shapes[tc.Shape]
		f.Path = object.MustParsePath("spec.forProvider.tags")

		limits := field.LimitsOf(object.FromStruct(managed(t, map[string]any{"tags": tc.Schema.AsMap()}, nil)).Node(), &f)

		reason, limit := limits.Refuses(tc.Key, f.Separator, tc.Value)
		if limit = strings.TrimPrefix(limit, "by the schema of the kind: "); reason != tc.Want || limit != tc.Limit {
			t.Errorf("\n%s\nRefuses(%q, %q): want %q (%s), got %q (%s)", tc.Reason, tc.Key, tc.Value, tc.Want, tc.Limit, reason, limit)
		}
	}
}

// TestLimitsOfAll is about how many tags a schema admits, and about how long they may be in all.
func TestLimitsOfAll(t *testing.T) {
	at := func(shape field.Shape, path string) *field.Field {
		return &field.Field{Layout: field.Layout{Shape: shape}, Path: object.MustParsePath(path)}
	}

	for _, tc := range []struct {
		reason, schema string
		want           int
	}{
		{"A map has at most so many tags.", `{type: object, maxProperties: 3, additionalProperties: {type: string}}`, 3},
		{"A list has at most so many tags.", `{type: array, maxItems: 3, items: {type: string}}`, 3},
		{"The lowest limit holds.", `{type: object, maxProperties: 3, allOf: [{maxProperties: 5}, {maxProperties: 2}]}`, 2},
		{"There may be none at all.", `{type: object, maxProperties: 0}`, 0},
		{"There may be no limit but that of values.", `{type: object, additionalProperties: {maxLength: 1}}`, field.NoLimit},
	} {
		if got := field.LimitsOf(schemaWith(t, tc.schema), at(field.Map, "spec.forProvider.tags")); got == nil || got.Max != tc.want {
			t.Errorf("\n%s\nLimitsOf(...): want at most %d tags, got %+v", tc.reason, tc.want, got)
		}
	}

	for _, path := range []string{"spec.forProvider.labels", "spec.tags", "metadata.labels"} {
		if got := field.LimitsOf(schemaWith(t, `{type: object, maxProperties: 3}`), at(field.Map, path)); got != nil {
			t.Errorf("\nOther fields have other limits.\nLimitsOf(..., %s): got %+v", path, got)
		}
	}

	for _, schema := range []string{`{type: object, minProperties: 1}`, `{type: array, minItems: 1}`, `{type: object, allOf: [{minProperties: 2}]}`} {
		if got := field.LimitsOf(schemaWith(t, schema), at(field.Map, "spec.forProvider.tags")); got == nil || !got.NeverEmpty {
			t.Errorf("\nThere may have to be at least one tag.\nLimitsOf(%s): got %+v", schema, got)
		}
	}

	var none *field.Limits
	if reason, _ := none.Refuses("k", "=", "v"); reason != "" || none.RefusesWhole("k=v") != "" {
		t.Errorf("\nWhere there is no schema, there are no limits.\nRefuses(...): got %q", reason)
	}

	whole := field.LimitsOf(schemaWith(t, `{type: string, maxLength: 5}`), at(field.Joined, "spec.forProvider.tags"))
	if whole.RefusesWhole("k=v,l") != "" || whole.RefusesWhole("k=v,l=") != "by the schema of the kind: at most 5 characters" {
		t.Errorf("\nAll tags in one string have a length together.\nRefusesWhole(...): got %q", whole.RefusesWhole("k=v,l="))
	}
}

// schemaWith returns the schema of a kind whose spec.forProvider.tags has the schema tagField, as JSON.
func schemaWith(t *testing.T, tagField string) object.Node {
	t.Helper()

	s := &structpb.Struct{}

	j, err := yaml.YAMLToJSON([]byte(`{type: object, properties: {spec: {type: object, properties: {forProvider: {type: object, properties: {tags: ` + tagField + `}}}}}}`))
	if err == nil {
		err = s.UnmarshalJSON(j)
	}

	if err != nil {
		t.Fatalf("cannot read schema: %v", err)
	}

	return object.FromStruct(s).Node()
}
