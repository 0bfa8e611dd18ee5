package expression

import (
	"fmt"
	"slices"
	"strings"

	"github.com/google/cel-go/common/ast"
	"github.com/google/cel-go/common/operators"
	"github.com/google/cel-go/common/types"
)

// metadataFields are those of metav1.ObjectMeta, sorted.
var metadataFields = []string{
	"annotations", "creationTimestamp", "deletionGracePeriodSeconds", "deletionTimestamp", "finalizers", "generateName", "generation",
	"labels", "managedFields", "name", "namespace", "ownerReferences", "resourceVersion", "selfLink", "uid",
}

// A misspelling is a field that no metadata has, and its position in the syntax tree.
type misspelling struct {
	field string
	id    int64
}

func (m *misspelling) String() string {
	return fmt.Sprintf("undefined field '%s': metadata has %s", m.field, strings.Join(metadataFields, ", "))
}

// spell notes the field, at id, if the metadata of a composite or composed resource can't have it. An
// evaluation would find it absent, which is no error.
func (c *compiled) spell(id int64, of ast.Expr, field string, bound []string) {
	if c.misspelt != nil || slices.Contains(metadataFields, field) {
		return
	}

	if resource, name := fieldOf(of); name == "metadata" && isResource(resource, bound) {
		c.misspelt = &misspelling{field: field, id: id}
	}
}

// isResource reports whether e is the composite or a composed resource.
func isResource(e ast.Expr, bound []string) bool {
	if e.Kind() == ast.CallKind && e.AsCall().IsMemberFunction() && e.AsCall().FunctionName() == "value" {
		e = e.AsCall().Target() // Of an optional.
	}

	return e.Kind() == ast.IdentKind && slices.ContainsFunc([]Variable{XR, Desired, Observed}, func(v Variable) bool { return isVariable(e.AsIdent(), v, bound) })
}

// fieldOf returns the object and the name of the field that e selects from it, or nil if e doesn't select
// a field by a literal name.
func fieldOf(e ast.Expr) (of ast.Expr, name string) {
	switch e.Kind() {
	case ast.SelectKind:
		return e.AsSelect().Operand(), e.AsSelect().FieldName()
	case ast.CallKind:
		args := e.AsCall().Args()

		switch e.AsCall().FunctionName() {
		case operators.Index, operators.OptIndex, operators.OptSelect:
			if field, ok := args[1].AsLiteral().(types.String); ok && args[1].Kind() == ast.LiteralKind {
				return args[0], string(field)
			}
		}
	case ast.ComprehensionKind, ast.IdentKind, ast.ListKind, ast.LiteralKind, ast.MapKind, ast.StructKind, ast.UnspecifiedExprKind:
	}

	return nil, ""
}
