package v1beta1_test

import (
	"encoding/json"
	"maps"
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

// TestEditorSchema proves that the schema for editors is made of the CRD.
func TestEditorSchema(t *testing.T) {
	in := editorSchema(inputSchema(t)).(node) //nolint:forcetypeassert // A schema remains one.
	properties := in["properties"].(node)     //nolint:forcetypeassert // They are an object.
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
		"definitions": node{"input": in, "pipeline": pipeline},
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
func editorSchema(value any) any {
	switch typed := value.(type) {
	case node:
		out := make(node)

		for name, v := range typed {
			if !strings.HasPrefix(name, "x-kubernetes-") {
				out[name] = editorSchema(v)
			}
		}

		if _, ok := typed["properties"].(node); ok && typed["type"] == "object" && typed["x-kubernetes-preserve-unknown-fields"] == nil {
			out["additionalProperties"] = false
		}

		return out

	case []any:
		out := make([]any, len(typed))
		for i, v := range typed {
			out[i] = editorSchema(v)
		}

		return out

	default:
		return typed
	}
}

// A fieldOf is a field of the input: its path, with [] for each item of a list and {} for each value of a map. of is
// what has it, which can be at several paths.
type fieldOf struct {
	path   string
	schema node
	owner  string
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

// object returns the names of the fields of a schema, which tell its objects from others.
func object(schema node) string {
	properties, _ := schema["properties"].(node)
	return strings.Join(slices.Sorted(maps.Keys(properties)), " ")
}

// TestFieldsTable proves that README's table has all fields of the CRD, with the first paragraphs of their comments. If
// several objects have the same fields, the one with the shortest path has them in the table, and the others have a link.
func TestFieldsTable(t *testing.T) {
	var (
		fields   = fieldsOf(inputSchema(t), "")
		shortest = make(map[string]string) // Paths, by the fields of their objects.
		links    = make(map[string]string) // Paths that have the same fields as another path.
	)

	for _, f := range fields {
		if path, ok := shortest[inside(t, f.schema)]; !ok || strings.Count(f.path, ".") < strings.Count(path, ".") {
			shortest[inside(t, f.schema)] = f.path
		}
	}

	fields = slices.DeleteFunc(fields, func(f fieldOf) bool {
		for path := range links {
			if strings.HasPrefix(f.path, path+".") || strings.HasPrefix(f.path, path+"[].") {
				return true
			}
		}

		if path := shortest[inside(t, f.schema)]; inside(t, f.schema) != "" && path != f.path {
			links[f.path] = path
		}

		return false
	})

	var out strings.Builder

	out.WriteString("| Field | Type | Default | Meaning |\n|---|---|---|---|\n")

	for _, f := range fields {
		description, _ := f.schema["description"].(string)
		name, meaning, value := "`"+f.path+"`", firstParagraph(description), ""

		if meaning == "" {
			t.Errorf("%s: want a comment in types.go, which is what people read in editors and in README.md", f.path)
		}

		if slices.Contains(slices.Collect(maps.Values(links)), f.path) {
			name = "<a id=\"" + idOf(f.path) + "\"></a>" + name
		}

		if path, ok := links[f.path]; ok {
			meaning += " Fields: see [`" + path + "`](#" + idOf(path) + ")."
		}

		if v, ok := f.schema["default"]; ok {
			value = "`" + strings.Trim(text(t, v), `"`) + "`"
		}

		out.WriteString(strings.Join([]string{"| " + name, typeOf(f.schema), value, meaning + " |\n"}, " | "))
	}

	tagstest.Section(t, "README.md", "fields", out.String())
}

// inside returns the fields of objects of the schema, or of the items of a list, as text. It is empty if there are none.
func inside(t *testing.T, schema node) string {
	t.Helper()

	if items, ok := schema["items"].(node); ok {
		schema = items
	}

	if schema["properties"] == nil {
		return ""
	}

	return text(t, schema["properties"])
}

// idOf returns the name of a field's row in links.
func idOf(path string) string {
	return "field-" + strings.NewReplacer("[]", "", ".", "-").Replace(path)
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

// firstParagraph returns the first paragraph of a comment, in one line of Markdown.
func firstParagraph(comment string) string {
	comment, _, _ = strings.Cut(comment, "\n\n")
	return strings.NewReplacer("|", `\|`, "*", `\*`).Replace(strings.Join(strings.Fields(comment), " "))
}

// TestExampleHasAll proves that the inputs in README use every field, as README says.
func TestExampleHasAll(t *testing.T) {
	text := tagstest.ReadFile(t, "README.md")

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
		if !used[f.owner+": "+name(f.path)] {
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
			property, ok := properties[name].(node)
			if !ok { // It is a map, whose keys are no fields.
				property, _ = schema["additionalProperties"].(node)
			}

			used[object(schema)+": "+name] = true
			use(used, property, v)
		}

	case []any:
		items, _ := schema["items"].(node)

		for _, v := range value {
			use(used, items, v)
		}
	}
}

// name is the last part of a path.
func name(path string) string { return path[strings.LastIndexByte(path, '.')+1:] }

// plainEquals is a scalar that readers of YAML 1.1, such as PyYAML, take for no string. The generator of CRDs
// doesn't quote it.
var plainEquals = regexp.MustCompile(`(?m)^( *[a-zA-Z]+:) =$`)

// TestQuoted proves that readers of YAML 1.1 can read the CRDs.
func TestQuoted(t *testing.T) {
	for _, path := range []string{"cloudtags.fn.plexsphere.com_cloudtags.yaml", "../../package/input/cloudtags.fn.plexsphere.com_cloudtags.yaml"} {
		text := tagstest.ReadFile(t, path)

		tagstest.Text(t, path, plainEquals.ReplaceAllString(string(text), "$1 '='"))
	}
}
