package field

import (
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/plexsphere/function-cloud-tags/input/v1beta1"
	"github.com/plexsphere/function-cloud-tags/tags/object"
	"github.com/plexsphere/function-cloud-tags/tags/tagstest"
)

// node is a part of a schema, as JSON has it.
type node = map[string]any

// TestListingSchema tests the JSON schema of a Listing against its types and their comments.
func TestListingSchema(t *testing.T) {
	s := schemas{definitions: make(node), comments: make(map[string]string), shapes: make(map[Shape]bool)}
	s.read(t, "listing.go")
	s.read(t, "../profile/awsservices.go")
	s.read(t, "../../input/v1beta1/types.go")

	for _, g := range BuiltIn().List().Groups {
		for _, k := range g.Kinds {
			s.note(k.TagFields)
			s.note(k.SecondTagFields)

			for _, l := range k.Launched {
				s.note(l.TagFields)
			}
		}
	}

	schema := node{
		"$schema": "http://json-schema.org/draft-07/schema#", "title": "The built-in index of function-cloud-tags",
		"allOf": []node{s.schemaOf(reflect.TypeFor[Listing]())}, "definitions": s.definitions,
	}

	tagstest.JSON(t, "cloudtags.index.schema.json", schema)
}

// schemas makes schemas of types.
type schemas struct {
	// definitions of structs that are made already, by name.
	definitions node

	// comments of fields, by struct and field, and of structs.
	comments map[string]string

	shapes map[Shape]bool
}

// read the comments of a file.
func (s *schemas) read(t *testing.T, path string) {
	t.Helper()

	file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.ParseComments)
	if err != nil {
		t.Fatal(err)
	}

	for _, d := range file.Decls {
		decl, ok := d.(*ast.GenDecl)
		if !ok || decl.Tok != token.TYPE {
			continue
		}

		spec := decl.Specs[0].(*ast.TypeSpec) //nolint:forcetypeassert // See Tok.
		s.comments[spec.Name.Name] = said(decl.Doc)

		if st, ok := spec.Type.(*ast.StructType); ok {
			for _, f := range st.Fields.List {
				for _, name := range f.Names {
					s.comments[spec.Name.Name+"."+name.Name] = said(f.Doc)
				}
			}
		}
	}
}

// said by a comment, without what generators read.
func said(comment *ast.CommentGroup) string {
	text, _, _ := strings.Cut(comment.Text(), "\n\n+")
	return strings.Join(strings.Fields(text), " ")
}

// note the shapes of the fields.
func (s *schemas) note(fields []ListedField) {
	for _, f := range fields {
		s.shapes[f.Shape] = true
	}
}

// of a type.
func (s *schemas) schemaOf(t reflect.Type) node {
	switch t {
	case reflect.TypeFor[object.Path]():
		return node{"type": "string", "pattern": `^[A-Za-z0-9]+(\[0\])?(\.[A-Za-z0-9]+(\[0\])?)*$`}
	case reflect.TypeFor[Shape]():
		return node{"enum": slices.Sorted(maps.Keys(s.shapes))}
	case reflect.TypeFor[v1beta1.Extra]():
		return node{"type": "object"}
	}

	switch t.Kind() {
	case reflect.Pointer:
		return s.schemaOf(t.Elem())
	case reflect.Slice:
		return node{"type": "array", "minItems": 1, "items": s.schemaOf(t.Elem())}
	case reflect.Bool:
		return node{"type": "boolean"}
	case reflect.Int, reflect.Int32:
		return node{"type": "integer"}
	case reflect.String:
		return node{"type": "string"}
	case reflect.Struct:
		s.define(t)
		return node{"$ref": "#/definitions/" + t.Name()}
	default:
		panic("no schema of " + t.String())
	}
}

// define the struct: all of its fields and no others.
func (s *schemas) define(t reflect.Type) {
	if s.definitions[t.Name()] != nil {
		return
	}

	properties, required := make(node), []string{}
	s.definitions[t.Name()] = node{
		"type": "object", "description": s.comments[t.Name()], "properties": properties, "additionalProperties": false,
	}

	for _, f := range reflect.VisibleFields(t) { // A KeyValueList has the fields of KeyValueFields, too.
		if f.Anonymous {
			continue
		}

		declaring := t
		if len(f.Index) > 1 {
			declaring = t.Field(f.Index[0]).Type
		}

		name, omit, _ := strings.Cut(f.Tag.Get("json"), ",")

		property := s.schemaOf(f.Type)
		if property["$ref"] != nil { // Nothing else counts beside it.
			property = node{"allOf": []node{property}}
		}

		property["description"] = s.comments[declaring.Name()+"."+f.Name]
		properties[name] = property

		if omit == "" {
			required = append(required, name)
		}
	}

	s.definitions[t.Name()].(node)["required"] = required //nolint:forcetypeassert // See above.
}
