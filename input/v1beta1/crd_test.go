package v1beta1_test

import (
	"cmp"
	"encoding/json"
	"maps"
	"math"
	"regexp"
	"slices"
	"strings"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
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
	"k8s.io/utils/ptr"
	"pgregory.net/rapid"
	"sigs.k8s.io/yaml"

	"github.com/plexsphere/function-cloud-tags/input/v1beta1"
	"github.com/plexsphere/function-cloud-tags/tags/profile"
	"github.com/plexsphere/function-cloud-tags/tags/tagstest"
)

// A crd is the CRD of the input, as an API server enforces it.
type crd struct {
	structural *structuralschema.Structural
	validator  validation.SchemaValidator
	rules      *cel.Validator
	messages   []string // Messages of the rules.
}

func readDefinition(tb testing.TB) *apiextensionsv1.CustomResourceDefinition {
	tb.Helper()

	text := tagstest.ReadFile(tb, "../../package/input/cloudtags.fn.plexsphere.com_cloudtags.yaml")

	def := &apiextensionsv1.CustomResourceDefinition{}
	if err := yaml.UnmarshalStrict(text, def); err != nil {
		tb.Fatal(err)
	}

	return def
}

func readCRD(tb testing.TB) *crd {
	tb.Helper()

	schema := &apiextensions.JSONSchemaProps{}
	if err := apiextensionsv1.Convert_v1_JSONSchemaProps_To_apiextensions_JSONSchemaProps(readDefinition(tb).Spec.Versions[0].Schema.OpenAPIV3Schema, schema, nil); err != nil {
		tb.Fatal(err)
	}

	structural, err := structuralschema.NewStructural(schema)
	if err != nil {
		tb.Fatal(err)
	}

	validator, _, err := validation.NewSchemaValidator(schema)
	if err != nil {
		tb.Fatal(err)
	}

	return &crd{structural: structural, validator: validator, rules: cel.NewValidator(structural, true, math.MaxInt64), messages: messages(tb)}
}

// mistakes are what is wrong with an input: messages by field.
type mistakes map[string][]string

// admit sets the defaults of an input, and returns its mistakes. As an API server does, it
// evaluates rules only if there are no other mistakes.
func (c *crd) admit(tb testing.TB, obj map[string]any) mistakes {
	tb.Helper()

	out := mistakes{}

	opts := structuralschema.UnknownFieldPathOptions{TrackUnknownFieldPaths: true}
	for _, path := range pruning.PruneWithOptions(obj, c.structural, true, opts) {
		out[path] = append(out[path], "unknown field")
	}

	defaulting.PruneNonNullableNullsWithoutDefaults(obj, c.structural)
	defaulting.Default(obj, c.structural)

	errs := slices.Concat(validation.ValidateCustomResource(nil, obj, c.validator), listtype.ValidateListSetsAndMaps(nil, c.structural, obj))

	if len(errs)+len(out) == 0 {
		ruled, _ := c.rules.Validate(tb.Context(), nil, c.structural, obj, nil, math.MaxInt64)
		errs = append(errs, ruled...)
	}

	for _, err := range errs {
		_, broken, found := strings.Cut(err.Detail, " evaluating rule: ")
		if !found {
			broken = err.Detail
		}

		out[err.Field] = append(out[err.Field], broken)
	}

	return out
}

// decode an input, and return its mistakes, or nil if there are more than Decode tells.
func decode(tb testing.TB, obj map[string]any) mistakes {
	tb.Helper()

	out := mistakes{}

	_, err := v1beta1.DecodeObject(obj)
	if err == nil {
		return out
	}

	for _, text := range split(err) {
		if strings.HasPrefix(text, "there are more mistakes") {
			return nil
		}

		if unknown, ok := strings.CutPrefix(text, `unknown field "`); ok {
			path, _, _ := strings.Cut(unknown, `"`)
			out[path] = append(out[path], text)

			continue
		}

		path, why, ok := strings.Cut(text, ": ")
		if !ok {
			tb.Fatalf("\nEvery mistake should name its field.\nDecode(...): %v", err)
		}

		out[path] = append(out[path], why)
	}

	return out
}

// split an error into the errors that it joins.
func split(err error) []string {
	joined, ok := err.(interface{ Unwrap() []error })
	if !ok {
		return []string{err.Error()}
	}

	out := []string{}
	for _, err := range joined.Unwrap() {
		out = append(out, split(err)...)
	}

	return out
}

// goOnly are the messages of mistakes that the CRD can't tell.
var goOnly = regexp.MustCompile(strings.Join([]string{
	`(no source|several sources) of type RequiredResource ha(s|ve) this name`, `doesn't come before this one`, `is trusted and that one isn't`, `^a trusted source can't read this`,
	"names no API group", "^(Forbidden|Required value): copy or toFieldPaths ",
	"^must not be null$",        // The API server drops null.
	"^must be a 32-bit integer", // It takes formats for hints, and doesn't know most of ours.
	"field path", "^Invalid value: .*matches no key",
	`^unknown field "(metadata|reservedTags)[.[]`, `supported values: "` + profile.Names()[0] + `"`,
	"must differ from key$", "the tag is written there$", "^Forbidden: is for a fromFieldPath only", "must have one \\*, as", "needs resources, each with a name",
	"may contain the other$", "below metadata, tags can be", "can't hold tags",
	": must be another key$", "can be legal on", "must not start with \\$",
	`"cloudtags.fn.plexsphere.com/v1beta1"`, `"CloudTags"`,
	"(needs|with) itemName", "pairs resources already", "error parsing regexp", "regular expression has",
	`^\d+:\d+: `, "mentions required\\[", "must not mention ", "must have at most 256 expressions", // It has no compiler for them.
	"must have exactly one of value", "of a fromFieldPath alone", "must mention nothing of xr", "must name the sources that it reads", "objects that lead from one to the next", "a source without prefix and fromFieldPath gives no labels",
}, "|"))

// TestCRD proves that an API server accepts the CRD. It refuses e.g. rules that could take too
// long, since a list has no limit.
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

// odd returns values that most schemas refuse.
func odd() []any {
	return []any{
		"", "a", "a*b*", "a..b", "One", 1.0, -1.0, 1.5, 3e9, true, false,
		[]any{},
		[]any{"Labels", "Labels"},
		[]any{map[string]any{"provider": "gcp"}, map[string]any{"provider": "gcp"}},
		[]any{1.0},
		map[string]any{},
		map[string]any{"unknown": "x"},
		map[string]any{"unknown": 1.0},
		map[string]any{"aws": -1.0},
	}
}

// TestAdmitsAsTheAPIServer puts odd values into every field of the schema. Decode should
// refuse what an API server refuses, at the same field, and nothing else that the CRD could
// have said.
func TestAdmitsAsTheAPIServer(t *testing.T) {
	c := readCRD(t)
	n := 0

	var walk func(path string, s *structuralschema.Structural, put func(v any) map[string]any)

	walk = func(path string, s *structuralschema.Structural, put func(v any) map[string]any) {
		for _, v := range odd() {
			n++

			check(t, c, put(v))
		}

		if got := decode(t, put(nil)); path != "" && path != "metadata" && !slices.Contains(got[path], "must not be null") {
			t.Errorf("\nNull should be refused everywhere.\nDecode(...) of %s: %v", path, got)
		}

		for _, name := range slices.Sorted(maps.Keys(s.Properties)) {
			if path == "" && (name == "apiVersion" || name == "kind") {
				continue // An API server finds the CRD by them.
			}

			walk(strings.TrimPrefix(path+"."+name, "."), new(s.Properties[name]), func(v any) map[string]any { return put(map[string]any{name: v}) })
		}

		if s.Items != nil {
			walk(path+"[0]", s.Items, func(v any) map[string]any { return put([]any{v}) })
		}

		if s.AdditionalProperties != nil {
			walk(path+".aws", s.AdditionalProperties.Structural, func(v any) map[string]any { return put(map[string]any{"aws": v}) })
		}
	}

	walk("", c.structural, func(v any) map[string]any {
		obj, _ := v.(map[string]any)
		if obj == nil {
			obj = map[string]any{}
		}

		if _, ok := obj["apiVersion"]; !ok {
			obj["apiVersion"] = v1beta1.APIVersion
		}

		if _, ok := obj["kind"]; !ok {
			obj["kind"] = v1beta1.Kind
		}

		if _, ok := obj["ignoreTags"]; !ok {
			obj["ignoreTags"] = []any{map[string]any{"key": "a"}}
		}

		return obj
	})

	if n < 2500 {
		t.Errorf("\nThe walk should be over all fields of the schema: it made %d inputs only", n)
	}
}

// check fails the test unless Decode and the API server agree on obj.
func check(tb testing.TB, c *crd, obj map[string]any) {
	tb.Helper()

	j := text(tb, obj)
	got := decode(tb, obj)
	want := c.admit(tb, parse(tb, j))

	for path, why := range want {
		if !refuses(got, path) && (path != "<nil>" || len(got) == 0) && !strings.HasSuffix(why[0], "should have at least 1 properties") {
			tb.Errorf("\nDecode should refuse what the API server refuses, at the same field.\nOf %s\nthe API server: %s: %v\nDecode(...): %v", j, path, why, got)
		}
	}

	for path, why := range got {
		if len(want[path]) > 0 {
			continue
		}

		for _, message := range why {
			if !goOnly.MatchString(message) && (len(want) == 0 || !slices.Contains(c.messages, message)) {
				tb.Errorf("\nDecode should refuse only what the API server refuses.\nOf %s\nthe API server: %v\nDecode(...): %s: %s", j, want, path, message)
			}
		}
	}
}

// refuses reports whether a mistake is about path, or about something that it is below.
func refuses(m mistakes, path string) bool {
	for at := range m {
		if rest, ok := strings.CutPrefix(path, at); ok && (rest == "" || rest[0] == '.' || rest[0] == '[') {
			return true
		}
	}

	return false
}

// generate an input that the schema admits, but perhaps not its rules.
func generate(t *rapid.T, s *structuralschema.Structural) any {
	switch {
	case len(s.ValueValidation.Enum) > 0:
		return rapid.SampledFrom(s.ValueValidation.Enum).Draw(t, "enum").Object
	case s.XPreserveUnknownFields:
		return map[string]any{"x": rapid.SampledFrom(odd()).Draw(t, "any")}
	case s.Type == "object":
		out := map[string]any{}
		names := slices.Sorted(maps.Keys(s.Properties))

		if s.ValueValidation.MinProperties != nil && len(names) > 0 {
			limit := cmp.Or(ptr.Deref(s.ValueValidation.MaxProperties, 0), int64(len(names)))
			names = rapid.Permutation(names).Draw(t, "names")[:rapid.Int64Range(*s.ValueValidation.MinProperties, limit).Draw(t, "fields")]
		}

		for _, name := range names {
			if s.ValueValidation.MinProperties != nil || slices.Contains(s.ValueValidation.Required, name) || rapid.Bool().Draw(t, name) {
				out[name] = generate(t, new(s.Properties[name]))
			}

			if name == "provider" && out[name] != nil && s.Properties[name].Type == "string" {
				out[name] = "gcp" // The CRD doesn't know which there are.
			}
		}

		if s.AdditionalProperties != nil {
			out[rapid.SampledFrom([]string{"", "aws"}).Draw(t, "key")] = generate(t, s.AdditionalProperties.Structural)
		}

		return out
	case s.Type == "array":
		return []any{generate(t, s.Items)}
	case s.Type == "boolean":
		return rapid.Bool().Draw(t, "bool")
	case s.Type == "integer":
		return 1.0
	default:
		texts := []string{"a", "gcp", "1m", "-1s", "status.a", "status.conditions", "status.conditions.a", "status.conditionsOfMine", v1beta1.StepsContextKey, "crossplane.io/a", "a/*"}
		if s.ValueValidation.MinLength == nil {
			texts = append(texts, "")
		}

		if limit := s.ValueValidation.MaxLength; limit != nil {
			texts = slices.DeleteFunc(texts, func(text string) bool { return int64(len(text)) > *limit })
		}

		pattern := regexp.MustCompile(s.ValueValidation.Pattern)
		texts = slices.DeleteFunc(texts, func(text string) bool { return !pattern.MatchString(text) })

		return rapid.SampledFrom(texts).Draw(t, "string")
	}
}

// TestRulesAsTheAPIServer gives inputs that break rules to Decode and to an API server. Both
// should say the same.
func TestRulesAsTheAPIServer(t *testing.T) {
	c := readCRD(t)
	broken := map[string]bool{}
	inputs := rapid.Custom(func(t *rapid.T) map[string]any {
		obj, _ := generate(t, c.structural).(map[string]any)
		obj["apiVersion"], obj["kind"] = v1beta1.APIVersion, v1beta1.Kind
		delete(obj, "metadata")

		return obj
	})

	compared := 0

	for seed := range 300 {
		obj := inputs.Example(seed)
		got := decode(t, obj)
		j := text(t, obj)
		want := c.admit(t, parse(t, j))

		for _, why := range want {
			for _, message := range why {
				broken[message] = true
			}
		}

		if got == nil {
			continue
		}

		compared++

		for path, why := range got {
			if got[path] = slices.DeleteFunc(why, goOnly.MatchString); len(got[path]) == 0 {
				delete(got, path)
			}
		}

		if diff := gocmp.Diff(want, got, cmpopts.SortSlices(strings.Compare)); diff != "" {
			t.Fatalf("\nDecode should say what the API server says.\nDecode(...) of %s: -API server, +Decode:\n%s", j, diff)
		}
	}

	if compared < 250 {
		t.Errorf("\nNearly all inputs should have few enough mistakes to compare them: %d have", compared)
	}

	for _, message := range c.messages {
		if !broken[message] {
			t.Errorf("\nAn input should break every rule: none was told that it %s", message)
		}
	}
}

// text returns a value in JSON, always the same for the same value.
func text(tb testing.TB, obj any) string {
	tb.Helper()

	j, err := json.Marshal(obj)
	if err != nil {
		tb.Fatal(err)
	}

	return string(j)
}

// messages of all rules of the CRD.
func messages(tb testing.TB) []string {
	tb.Helper()

	out := []string{}

	var walk func(s *apiextensionsv1.JSONSchemaProps)

	walk = func(s *apiextensionsv1.JSONSchemaProps) {
		for _, r := range s.XValidations {
			out = append(out, r.Message)
		}

		for _, property := range s.Properties {
			walk(&property)
		}

		if s.Items != nil {
			walk(s.Items.Schema)
		}
	}

	walk(readDefinition(tb).Spec.Versions[0].Schema.OpenAPIV3Schema)

	return out
}

// parse a JSON object as the API server does.
func parse(tb testing.TB, j string) map[string]any {
	tb.Helper()

	obj := map[string]any{}
	if err := utiljson.Unmarshal([]byte(j), &obj); err != nil {
		tb.Fatal(err)
	}

	return obj
}
