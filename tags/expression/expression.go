// Package expression compiles and evaluates the expressions of sources.
//
// They are CEL, with cel-go's extensions for strings, lists, regular expressions and optional
// types, and read objects of the control plane. The author of an expression is trusted, but the
// objects are not: the cost of an evaluation is bounded, whatever it reads.
//
// A call of a function is charged before it, for what it reads: see cost.go.
package expression

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"cel.dev/cel-go/cel"
	"cel.dev/cel-go/common"
	"cel.dev/cel-go/common/ast"
	"cel.dev/cel-go/common/operators"
	"cel.dev/cel-go/common/overloads"
	"cel.dev/cel-go/common/types"
	"cel.dev/cel-go/common/types/ref"

	"github.com/crossplane/function-sdk-go/errors"

	"github.com/plexsphere/function-cloud-tags/tags/words"
)

// A Variable that expressions can mention.
type Variable string

// The variables of expressions.
const (
	// XR is the composite resource, as it is observed.
	XR Variable = "xr"

	// Context is the pipeline's context.
	Context Variable = "context"

	// Required has the objects that sources of type RequiredResource find, by the name of the
	// source.
	Required Variable = "required"

	// Name of the composed resource.
	Name Variable = "name"

	// Desired is the composed resource as the step received it.
	Desired Variable = "desired"

	// Observed is the composed resource as it is observed. It is empty before the resource exists.
	Observed Variable = "observed"
)

// maxLength is the most characters of an expression, and maxDepth how deep it may be.
const (
	maxLength = 8192
	maxDepth  = 100
)

// maxSize is the largest Size of an expression.
const maxSize = 2000

// maxTyped is the most parts of an expression whose type has to be inferred, and maxLevels how deep a
// type may be. The time of inference is quadratic in the first, and cubic in the second.
const (
	maxTyped  = 256
	maxLevels = 16
)

// An Expression can be evaluated by several goroutines at once. The zero Expression is none. An
// Expression from JSON has only its text: compile that before it is evaluated.
//
// +kubebuilder:validation:Type=string
// +kubebuilder:validation:MinLength=1
type Expression struct { //nolint:recvcheck // Only decoding and copying change one.
	text     string
	compiled *compiled
}

// compiled expressions don't change.
type compiled struct {
	program cel.Program

	// result is what the value is to be.
	result ValueType

	// mentions has how often each identifier but the variables of macros is there, and fields the names of the
	// fields of each variable that the expression has as literals, one for each time.
	mentions map[Variable]int
	fields   map[Variable][]string

	// namespace is how often the expression has the namespace of the composite resource.
	namespace int

	// after is what to do with the values of parts of the syntax tree, by their ids: charge those that macros iterate over,
	// and the steps that macros do for each item, and check entries of lists and objects that have to be optionals.
	after map[int64]func(c *Call, v ref.Val) ref.Val

	// keyed are parts that look a computed key up, by their ids.
	keyed map[int64]bool

	// nodes is how many nodes the syntax tree has. An evaluation costs at least as much.
	nodes int64
}

// A flaw is a mistake in one part of an expression.
type flaw struct {
	why string

	// id of the part in the syntax tree.
	id int64
}

// Error says what is wrong.
func (f *flaw) Error() string { return f.why }

// A ValueType is what the value of an expression is to be, in the words of messages.
type ValueType string

// The types of values.
const (
	// Label is the value of a label.
	Label ValueType = "a string, a number or a boolean"

	// Text is a name.
	Text ValueType = "a string"

	// Labels are the labels of a selector of objects.
	Labels ValueType = "a map of strings"

	// Patterns are keys, or the beginnings of keys, that a source includes.
	Patterns ValueType = "a string, a list of strings or a map of booleans"
)

// admits reports whether the value may have type t.
func (r ValueType) admits(t *types.Type) bool {
	switch t.Kind() {
	case types.ListKind:
		return r == Patterns
	case types.BytesKind, types.TimestampKind, types.DurationKind, types.TypeKind, types.StructKind:
		return false
	case types.BoolKind, types.IntKind, types.UintKind, types.DoubleKind:
		return r == Label
	case types.StringKind:
		return r != Labels
	case types.MapKind:
		return r == Labels || r == Patterns
	default:
		return !isOptional(t) || r.admits(t.Parameters()[0])
	}
}

// Compile compiles an expression whose value is to be the result. An error says where the mistake is, as line and
// column, and shows it.
func Compile(text string, result ValueType) (Expression, error) {
	env := environment()

	parsed, issues := env.Parse(text)
	if issues.Err() != nil {
		return Expression{}, mistake(text, issues.Errors()[0])
	}

	if err := refuse(parsed.NativeRep().Expr()); err != nil {
		return Expression{}, located(text, parsed.NativeRep(), err)
	}

	loosen(parsed.NativeRep())

	checked, issues := env.Check(parsed)
	if issues.Err() != nil {
		return Expression{}, mistake(text, issues.Errors()[0])
	}

	if typ := checked.OutputType(); !result.admits(typ) {
		return Expression{}, mistake(text, &common.Error{Location: common.NewLocation(1, 0), Message: "is " + kindName(typ.Kind(), typ.String()) + ", not " + string(result)})
	}

	c := &compiled{
		result: result, mentions: make(map[Variable]int), fields: make(map[Variable][]string),
		after: make(map[int64]func(*Call, ref.Val) ref.Val), keyed: make(map[int64]bool),
	}
	if err := c.look(checked.NativeRep().Expr()); err != nil {
		return Expression{}, located(text, checked.NativeRep(), err)
	}

	var err error
	if c.program, err = env.Program(checked, cel.CustomDecoratorV2(c.decorate)); err != nil {
		return Expression{}, located(text, checked.NativeRep(), err)
	}

	return Expression{text: text, compiled: c}, nil
}

// refuse returns the flaw of an expression that is not even checked, or nil.
func refuse(e ast.Expr) error {
	nodes, typed, message, deep := 0, 0, int64(0), int64(0)

	ast.PreOrderVisit(e, ast.NewExprVisitor(func(e ast.Expr) {
		nodes++

		switch e.Kind() {
		case ast.StructKind:
			// The meter does not know messages, and objects of fields serve as well.
			message = e.ID()
		case ast.CallKind:
			if f := e.AsCall().FunctionName(); f != operators.LogicalAnd && f != operators.LogicalOr {
				typed++
			}
		case ast.ListKind, ast.MapKind, ast.ComprehensionKind:
			typed++
		}
	}))

	switch {
	case nodes > maxSize:
		return &flaw{fmt.Sprintf("is too large: an expression has at most %d parts, once its macros are expanded", maxSize), e.ID()}
	case message != 0:
		return &flaw{"there are no messages: write an object as {'key': value}", message}
	case levels(e, &deep) > maxLevels:
		return &flaw{fmt.Sprintf("is too deep: lists, objects and optionals have at most %d levels, with those that macros make", maxLevels), deep}
	case typed > maxTyped:
		return &flaw{fmt.Sprintf("is too large: an expression has at most %d calls, operators, lists and objects, once its macros are expanded", maxTyped), e.ID()}
	default:
		return nil
	}
}

// levels returns a bound for the depth of the type of e: 2 for [[xr.a]]. It sets id to the id of the first part that is too deep.
func levels(e ast.Expr, id *int64) (n int) {
	in := func(parts ...ast.Expr) (n int) {
		for _, part := range parts {
			n = max(n, levels(part, id))
		}

		return n
	}

	switch e.Kind() {
	case ast.SelectKind:
		n = in(e.AsSelect().Operand())
	case ast.CallKind:
		call := e.AsCall()
		n = in(call.Args()...)

		if call.IsMemberFunction() {
			n = max(n, in(call.Target()))
		}

		switch call.FunctionName() {
		case "of", "ofNonZeroValue", overloads.TypeConvertType: // The first two are of optionals.
			n++
		}
	case ast.ListKind:
		n = 1 + in(e.AsList().Elements()...)
	case ast.MapKind:
		for _, entry := range e.AsMap().Entries() {
			n = max(n, in(entry.AsMapEntry().Key(), entry.AsMapEntry().Value()))
		}

		n++
	case ast.ComprehensionKind:
		// Its variables are as deep as the value that it iterates over.
		f := e.AsComprehension()
		n = in(f.IterRange(), f.AccuInit()) + in(f.LoopCondition(), f.LoopStep(), f.Result())
	}

	if n > maxLevels && *id == 0 {
		*id = e.ID()
	}

	return n
}

// loosen replaces each key in the syntax tree by dyn(key). cel-go's map types contain their key type:
// {x: x} doubles the type of x, and nesting doubles it again. Keys are never lists or objects, so that
// their type is not needed.
func loosen(tree *ast.AST) {
	f, info, next := ast.NewExprFactory(), tree.SourceInfo(), ast.MaxID(tree)

	key := func(e ast.Expr) {
		if e.Kind() == ast.LiteralKind {
			return
		}

		inner := f.CopyExpr(e)
		inner.RenumberIDs(func(id int64) int64 {
			if id == e.ID() {
				return next
			}

			return id
		})

		if at, ok := info.GetOffsetRange(e.ID()); ok {
			info.SetOffsetRange(next, at)
		}

		next++

		e.SetKindCase(f.NewCall(e.ID(), overloads.TypeConvertDyn, inner))
	}

	ast.PostOrderVisit(tree.Expr(), ast.NewExprVisitor(func(e ast.Expr) {
		switch e.Kind() {
		case ast.MapKind:
			for _, entry := range e.AsMap().Entries() {
				key(entry.AsMapEntry().Key())
			}
		case ast.CallKind:
			switch args := e.AsCall().Args(); e.AsCall().FunctionName() {
			case operators.Index, operators.OptIndex:
				key(args[1])
			case operators.In, operators.OldIn:
				if args[1].Kind() != ast.ListKind {
					key(args[0])
				}
			}
		}
	}))
}

// shown is how many characters of a line an error shows on either side of a mistake.
const shown = 60

// mistake returns the error of the mistake e in text.
func mistake(text string, e *common.Error) error {
	line, column := max(e.Location.Line(), 1), max(e.Location.Column(), 0)
	runes := []rune(strings.Split(text, "\n")[min(line-1, strings.Count(text, "\n"))])
	column = min(column, len(runes))
	from, to := max(column-shown, 0), min(column+shown, len(runes))

	excerpt, before := string(runes[from:to]), column-from
	if from > 0 {
		excerpt, before = "…"+excerpt, before+1
	}

	if to < len(runes) {
		excerpt += "…"
	}

	return errors.Errorf("%d:%d: %s\n | %s\n | %s^", line, column+1, strings.TrimSuffix(e.Message, " (in container '')"), strings.ReplaceAll(excerpt, "\t", " "), strings.Repeat(".", before))
}

// located returns err as the mistake in text that it is if it is a flaw of its syntax tree.
func located(text string, tree *ast.AST, err error) error {
	f := (*flaw)(nil)
	if !errors.As(err, &f) {
		return errors.Wrap(err, "cannot be evaluated")
	}

	return mistake(text, &common.Error{Location: tree.SourceInfo().GetStartLocation(f.id), Message: f.why})
}

func isOptional(t *types.Type) bool {
	return t.Kind() == types.OpaqueKind && t.TypeName() == types.OptionalType.TypeName() && len(t.Parameters()) == 1
}

// look collects what the expression mentions, and returns its first flaw.
func (c *compiled) look(root ast.Expr) (first error) {
	bound := boundIn(root)

	ast.PreOrderVisit(root, ast.NewExprVisitor(func(e ast.Expr) {
		c.nodes++

		if object, field := fieldOf(e); object != nil {
			if v := bound.variable(object); v != "" {
				c.fields[v] = append(c.fields[v], field)
			}

			if outer, metadata := fieldOf(object); field == "namespace" && metadata == "metadata" && bound.variable(outer) == XR {
				c.namespace++
			}

			if first == nil && isMisspelt(object, field, bound) {
				first = &flaw{fmt.Sprintf("undefined field '%s': metadata has %s", field, strings.Join(metadataFields, ", ")), e.ID()}
			}
		}

		switch e.Kind() {
		case ast.IdentKind:
			c.mentions[bound.variable(e)]++
		case ast.CallKind:
			if err := c.reads(e); err != nil && first == nil {
				first = err
			}
		case ast.ListKind:
			for _, i := range e.AsList().OptionalIndices() {
				c.after[e.AsList().Elements()[i].ID()] = optional
			}
		case ast.MapKind:
			for _, entry := range e.AsMap().Entries() {
				if entry.AsMapEntry().IsOptional() {
					c.after[entry.AsMapEntry().Value().ID()] = optional
				}
			}
		case ast.ComprehensionKind:
			f := e.AsComprehension()
			c.after[f.IterRange().ID()], c.after[f.LoopStep().ID()] = ranged, looped
		}
	}))

	return first
}

// A bound is the identifiers that are variables of macros, by their ids in the syntax tree.
type bound map[int64]bool

// boundIn returns the identifiers in e that are variables of macros. A dot before a name says that it isn't
// one.
func boundIn(e ast.Expr) bound {
	out := make(bound)

	ast.PreOrderVisit(e, ast.NewExprVisitor(func(e ast.Expr) {
		if e.Kind() != ast.ComprehensionKind {
			return
		}

		f := e.AsComprehension()
		visitor := ast.NewExprVisitor(func(e ast.Expr) {
			if e.Kind() == ast.IdentKind && (e.AsIdent() == f.IterVar() || e.AsIdent() == f.IterVar2()) {
				out[e.ID()] = true
			}
		})

		ast.PreOrderVisit(f.LoopCondition(), visitor)
		ast.PreOrderVisit(f.LoopStep(), visitor)
	}))

	return out
}

// variable returns the variable that e is, or an empty one if e is no variable, or belongs to a macro.
func (b bound) variable(e ast.Expr) Variable {
	if e.Kind() != ast.IdentKind || b[e.ID()] {
		return ""
	}

	return Variable(strings.TrimPrefix(e.AsIdent(), "."))
}

// known returns what is known of the expression, which is nothing before it is compiled.
func (e Expression) known() *compiled {
	if e.compiled == nil {
		return &compiled{}
	}

	return e.compiled
}

// Mentions reports whether the expression mentions v.
func (e Expression) Mentions(v Variable) bool { return e.known().mentions[v] > 0 }

// PerResource returns the variables of the expression that differ per composed resource. If there are
// none, the value doesn't differ either.
func (e Expression) PerResource() []Variable {
	return words.MapIf([]Variable{Name, Desired, Observed}, func(v Variable) (Variable, bool) { return v, e.Mentions(v) })
}

// SourceNames returns the names of sources that the expression reads by a literal: team for required.team.metadata.name and for
// required['team'].
func (e Expression) SourceNames() []string { return e.literals(Required) }

// ReadsAnyObject reports whether the expression may read the objects of any source, since it mentions required without a literal, as
// in required[xr.spec.team].
func (e Expression) ReadsAnyObject() bool {
	return e.known().mentions[Required] > len(e.known().fields[Required])
}

// OnlyNamespace reports whether the expression reads nothing of the composite resource but its namespace.
func (e Expression) OnlyNamespace() bool { return e.known().mentions[XR] == e.known().namespace }

// ContextKeys returns the keys of the pipeline's context that the expression reads by a literal: example.org/labels for
// context['example.org/labels'].
func (e Expression) ContextKeys() []string { return e.literals(Context) }

// literals returns the names of the fields of v that the expression has as literals, sorted.
func (e Expression) literals(v Variable) []string {
	return slices.Compact(slices.Sorted(slices.Values(e.known().fields[v])))
}

// Size returns how many parts the expression has once its macros are expanded. To keep a part takes about 1 KB.
func (e Expression) Size() int { return int(e.known().nodes) }

// IsZero reports whether there is no expression.
func (e Expression) IsZero() bool { return e.text == "" }

// String returns the expression as it was written.
func (e Expression) String() string { return e.text }

// Equal reports whether other has the same text.
func (e Expression) Equal(other Expression) bool { return e.text == other.text }

// MarshalText returns the expression as it was written.
func (e Expression) MarshalText() ([]byte, error) { return []byte(e.text), nil } //nolint:unparam // The interface has an error.

// UnmarshalText takes the text of an expression. It does not compile it.
func (e *Expression) UnmarshalText(text []byte) error { //nolint:unparam // The interface has an error.
	*e = Expression{text: string(text)}
	return nil
}

// DeepCopyInto makes out the same expression. Expressions don't change, so that copies share the program.
func (e *Expression) DeepCopyInto(out *Expression) { *out = *e }

// DeepCopy returns the same expression.
func (e *Expression) DeepCopy() *Expression { return new(*e) }

// kindNames are the words of messages for kinds of values.
var kindNames = map[types.Kind]string{
	types.ListKind:      "a list",
	types.MapKind:       "an object",
	types.BytesKind:     "bytes",
	types.TimestampKind: "a timestamp",
	types.DurationKind:  "a duration",
	types.TypeKind:      "a type",
}

// kindName returns the words of messages for a kind of values. other names the type if there are no words
// for its kind.
func kindName(k types.Kind, other string) string { return cmp.Or(kindNames[k], "of type "+other) }

// kindOf returns the words of messages for the kind of v.
func kindOf(v ref.Val) string {
	t, _ := v.Type().(*types.Type)
	return kindName(t.Kind(), v.Type().TypeName())
}
