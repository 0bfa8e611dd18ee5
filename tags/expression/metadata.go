package expression

import (
	"slices"

	"cel.dev/cel-go/common/ast"
	"cel.dev/cel-go/common/operators"
	"cel.dev/cel-go/common/types"
)

// metadataFields are the fields of metav1.ObjectMeta, sorted.
var metadataFields = []string{
	"annotations", "creationTimestamp", "deletionGracePeriodSeconds", "deletionTimestamp", "finalizers", "generateName", "generation",
	"labels", "managedFields", "name", "namespace", "ownerReferences", "resourceVersion", "selfLink", "uid",
}

// isMisspelt reports whether object is the metadata of the composite or a composed resource, which can't
// have the field, such as namspace. An evaluation would find it absent, which is no error.
func isMisspelt(object ast.Expr, field string, b bound) bool {
	resource, name := fieldOf(object)
	if name != "metadata" || slices.Contains(metadataFields, field) {
		return false
	}

	if resource.Kind() == ast.CallKind && resource.AsCall().IsMemberFunction() && resource.AsCall().FunctionName() == "value" {
		resource = resource.AsCall().Target() // An optional.
	}

	return slices.Contains([]Variable{XR, Desired, Observed}, b.variable(resource))
}

// fieldOf returns the object and the name of the field that e selects from it, or nil if e doesn't select
// a field by a literal name.
func fieldOf(e ast.Expr) (operand ast.Expr, name string) {
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
	}

	return nil, ""
}
