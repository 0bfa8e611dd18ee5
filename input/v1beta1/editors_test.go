package v1beta1_test

import (
	"encoding/json"
	"maps"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"sigs.k8s.io/yaml"

	"github.com/plexsphere/function-cloud-tags/input/v1beta1"
	"github.com/plexsphere/function-cloud-tags/tags/tagstest"
)

// node is a part of a schema, as JSON has it.
type node = map[string]any

// inputSchema is the schema of the input, of the CRD with descriptions.
func inputSchema(t *testing.T) node {
	t.Helper()

	text, err := json.Marshal(readDefinition(t).Spec.Versions[0].Schema.OpenAPIV3Schema)
	if err != nil {
		t.Fatal(err)
	}

	var schema node
	if err := json.Unmarshal(text, &schema); err != nil {
		t.Fatal(err)
	}

	return schema
}

// TestEditorSchema proves that the schema for editors is what the CRD says.
func TestEditorSchema(t *testing.T) {
	of := editorSchema(inputSchema(t)).(node) //nolint:forcetypeassert // A schema remains one.
	properties := of["properties"].(node)     //nolint:forcetypeassert // They are an object.
	properties["apiVersion"] = node{"const": v1beta1.APIVersion}
	properties["kind"] = node{"const": v1beta1.Kind}

	isInput := node{"properties": node{"kind": node{"const": v1beta1.Kind}}, "required": []string{"kind"}}
	pipeline := node{"properties": node{"spec": node{"properties": node{"pipeline": node{
		"items": node{"properties": node{"input": node{"if": isInput, "then": node{"$ref": "#/definitions/input"}}}},
	}}}}}

	schema := node{
		"$schema":     "http://json-schema.org/draft-07/schema#",
		"title":       "function-cloud-tags",
		"description": "An input of function-cloud-tags, or a Composition or an Operation with steps that have one.",
		"definitions": node{"input": of, "pipeline": pipeline},
		"if":          isInput,
		"then":        node{"$ref": "#/definitions/input"},
		"else": node{"allOf": []node{
			{"$ref": "#/definitions/pipeline"},
			{"properties": node{"spec": node{"properties": node{"operationTemplate": node{"$ref": "#/definitions/pipeline"}}}}},
		}},
	}

	tagstest.JSON(t, "cloudtags.schema.json", schema)
}

// editorSchema is a schema of Kubernetes as one of JSON Schema: without rules, which editors don't know, and
// with the fields that there are and no others.
func editorSchema(of any) any {
	switch of := of.(type) {
	case node:
		out := make(node)

		for name, v := range of {
			if !strings.HasPrefix(name, "x-kubernetes-") {
				out[name] = editorSchema(v)
			}
		}

		if _, ok := of["properties"].(node); ok && of["type"] == "object" && of["x-kubernetes-preserve-unknown-fields"] == nil {
			out["additionalProperties"] = false
		}

		return out

	case []any:
		out := make([]any, len(of))
		for i, v := range of {
			out[i] = editorSchema(v)
		}

		return out

	default:
		return of
	}
}

// A fieldOf is a field of the input: its path, with [] for each item of a list and {} for each value of a map. of is
// what has it, which can be at several paths.
type fieldOf struct {
	path   string
	schema node
	of     string
}

// fieldsOf a schema, in the order of their paths.
func fieldsOf(schema node, path string) (fields []fieldOf) {
	properties, _ := schema["properties"].(node)

	for _, name := range slices.Sorted(maps.Keys(properties)) {
		if path == "" && slices.Contains([]string{"apiVersion", "kind", "metadata"}, name) {
			continue
		}

		property := properties[name].(node) //nolint:forcetypeassert // They are schemas.
		at := strings.TrimPrefix(path+"."+name, ".")
		fields = append(fields, fieldOf{at, property, object(schema)})
		fields = append(fields, fieldsOf(property, at)...)

		if items, ok := property["items"].(node); ok {
			fields = append(fields, fieldsOf(items, at+"[]")...)
		}

		if values, ok := property["additionalProperties"].(node); ok {
			fields = append(fields, fieldsOf(values, at+"{}")...)
		}
	}

	return fields
}

// object is what tells the objects that a schema is for from others: the names of its fields.
func object(schema node) string {
	properties, _ := schema["properties"].(node)
	return strings.Join(slices.Sorted(maps.Keys(properties)), " ")
}

// TestFieldsTable proves that README's table of fields is what the CRD says.
func TestFieldsTable(t *testing.T) {
	var out strings.Builder

	out.WriteString("| Field | Type | Default | Meaning |\n|---|---|---|---|\n")

	for _, f := range fieldsOf(inputSchema(t), "") {
		value := ""
		if v, ok := f.schema["default"]; ok {
			text, err := json.Marshal(v)
			if err != nil {
				t.Fatal(err)
			}

			value = "`" + strings.Trim(string(text), `"`) + "`"
		}

		description, _ := f.schema["description"].(string)
		sentence := firstSentence(description)

		if sentence == "" {
			t.Errorf("%s: want a comment in types.go, which is what people read in editors and in README.md", f.path)
		}

		out.WriteString(strings.Join([]string{"| `" + f.path + "`", typeOf(f.schema), value, sentence + " |\n"}, " | "))
	}

	tagstest.Section(t, "README.md", "fields", out.String())
}

// typeOf a schema, in words.
func typeOf(schema node) string {
	if values, ok := schema["enum"].([]any); ok {
		var words []string
		for _, v := range values {
			words = append(words, "`"+v.(string)+"`") //nolint:forcetypeassert // All have strings.
		}

		return strings.Join(words, ", ")
	}

	if items, ok := schema["items"].(node); ok {
		return "list of " + plural(typeOf(items))
	}

	if values, ok := schema["additionalProperties"].(node); ok {
		return "map of " + plural(typeOf(values))
	}

	name, _ := schema["type"].(string)

	return name
}

func plural(name string) string {
	if strings.Contains(name, "`") || strings.Contains(name, " of ") {
		return name
	}

	return name + "s"
}

// sentenceEnd is the end of a sentence, which e.g. has not.
var sentenceEnd = regexp.MustCompile(`([^.]{2})\. +[A-Z]`)

func firstSentence(text string) string {
	text = strings.Join(strings.Fields(text), " ")

	if at := sentenceEnd.FindStringSubmatchIndex(text); at != nil {
		text = text[:at[3]] + "."
	}

	return strings.ReplaceAll(text, "|", `\|`)
}

// TestExampleHasAll proves that the inputs in README use every field, as it says.
func TestExampleHasAll(t *testing.T) {
	text, err := os.ReadFile("README.md")
	if err != nil {
		t.Fatal(err)
	}

	used := make(map[string]bool)

	for _, block := range strings.Split(string(text), "```yaml\n")[1:] {
		block, _, _ = strings.Cut(block, "```")

		var in node
		if err := yaml.UnmarshalStrict([]byte(block), &in); err != nil {
			t.Fatal(err)
		}

		if in["kind"] == v1beta1.Kind {
			use(used, inputSchema(t), in)
		}
	}

	var missing []string

	for _, f := range fieldsOf(inputSchema(t), "") {
		if !used[f.of+": "+name(f.path)] {
			missing = append(missing, f.path)
		}
	}

	if len(missing) > 0 {
		t.Errorf("no input in README.md has\n%s", strings.Join(missing, "\n"))
	}
}

// use notes the fields that a value has, by the objects that have them.
func use(used map[string]bool, schema node, value any) {
	properties, _ := schema["properties"].(node)

	switch value := value.(type) {
	case node:
		for name, v := range value {
			of, ok := properties[name].(node)
			if !ok { // It is a map, whose keys are no fields.
				of, _ = schema["additionalProperties"].(node)
			}

			used[object(schema)+": "+name] = true
			use(used, of, v)
		}

	case []any:
		of, _ := schema["items"].(node)

		for _, v := range value {
			use(used, of, v)
		}
	}
}

// name is the last part of a path.
func name(path string) string { return path[strings.LastIndexByte(path, '.')+1:] }

// plainEquals is a scalar that readers of YAML 1.1, such as PyYAML, take for no string. What writes the CRDs
// doesn't quote it.
var plainEquals = regexp.MustCompile(`(?m)^( *[a-zA-Z]+:) =$`)

// TestQuoted proves that readers of YAML 1.1 can read the CRDs.
func TestQuoted(t *testing.T) {
	for _, path := range []string{"cloudtags.fn.plexsphere.com_cloudtags.yaml", "../../package/input/cloudtags.fn.plexsphere.com_cloudtags.yaml"} {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}

		tagstest.Text(t, path, plainEquals.ReplaceAllString(string(text), "$1 '='"))
	}
}
