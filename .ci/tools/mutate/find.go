package main

import (
	"cmp"
	"fmt"
	"go/ast"
	"go/constant"
	"go/token"
	"go/types"
	"strings"
)

// A mutant is an expression or statement that another one takes the place of.
type mutant struct {
	id         int
	file       *file
	function   string
	kind       string
	start, end int    // in the file's text
	typ        string // of an expression
	to         string

	// reached reports whether a test reaches the mutant, by names the test that noticed it, and near reports
	// whether that test is of the mutant's package.
	reached, near bool
	by            string
}

func (m *mutant) from() string { return string(m.file.text[m.start:m.end]) }

func (m *mutant) line() int { return 1 + strings.Count(string(m.file.text[:m.start]), "\n") }

// compare mutants by where they are, outer ones first.
func compare(a, b *mutant) int {
	return cmp.Or(cmp.Compare(a.file.name, b.file.name), cmp.Compare(a.start, b.start), cmp.Compare(b.end, a.end))
}

// A finder finds the mutants of a declaration, whether they compile or not.
type finder struct {
	file     *file
	function string
	found    []*mutant
}

// find the mutants of a file.
func find(f *file) []*mutant {
	fd := &finder{file: f}

	if ast.IsGenerated(f.syntax) {
		return nil
	}

	for _, d := range f.syntax.Decls {
		switch d := d.(type) {
		case *ast.FuncDecl:
			fd.function = d.Name.Name
			if d.Recv != nil {
				fd.function = "(" + fd.text(d.Recv.List[0].Type) + ")." + d.Name.Name
			}
		case *ast.GenDecl:
			if v, ok := d.Specs[0].(*ast.ValueSpec); ok {
				fd.function = v.Names[0].Name
			}
		}

		ast.Inspect(d, fd.visit)
	}

	return fd.found
}

func (f *finder) offset(pos token.Pos) int { return f.file.pkg.fset.Position(pos).Offset }

func (f *finder) text(n ast.Node) string {
	return string(f.file.text[f.offset(n.Pos()):f.offset(n.End())])
}

func (f *finder) add(kind string, n ast.Node, to string) {
	m := &mutant{file: f.file, function: f.function, kind: kind, start: f.offset(n.Pos()), end: f.offset(n.End()), to: to}

	if e, ok := n.(ast.Expr); ok {
		m.typ = types.TypeString(types.Default(f.file.pkg.info.TypeOf(e)), func(p *types.Package) string {
			if p.Path() == f.file.pkg.path {
				return ""
			}

			return p.Name()
		})
	}

	f.found = append(f.found, m)
}

func (f *finder) visit(n ast.Node) bool {
	switch n := n.(type) {
	case *ast.ArrayType, *ast.StructType, *ast.FuncType:
		return false
	case *ast.GenDecl:
		return n.Tok == token.VAR
	case *ast.IfStmt:
		f.add("condition", n.Cond, "true")
		f.add("condition", n.Cond, "false")
	case *ast.ForStmt:
		if n.Cond != nil {
			f.add("condition", n.Cond, "false")
		}
	case *ast.UnaryExpr:
		if n.Op == token.NOT {
			f.add("not", n, f.text(n.X))
		}
	case *ast.BinaryExpr:
		f.binary(n)
	case *ast.BasicLit, *ast.Ident:
		f.constant(n.(ast.Expr))
	case *ast.AssignStmt:
		f.assign(n)
	case *ast.ReturnStmt:
		f.add("statement", n, "")
		f.noError(n)
	case *ast.ExprStmt, *ast.IncDecStmt, *ast.BranchStmt, *ast.DeferStmt, *ast.RangeStmt, *ast.SendStmt:
		f.add("statement", n, "")
	}

	return true
}

// other operators take the place of these.
var other = map[token.Token]token.Token{
	token.LAND: token.LOR, token.LOR: token.LAND,
	token.EQL: token.NEQ, token.NEQ: token.EQL,
	token.LSS: token.LEQ, token.LEQ: token.LSS, token.GTR: token.GEQ, token.GEQ: token.GTR,
	token.ADD: token.SUB, token.SUB: token.ADD, token.MUL: token.ADD, token.QUO: token.MUL, token.REM: token.QUO,
	token.ADD_ASSIGN: token.SUB_ASSIGN, token.SUB_ASSIGN: token.ADD_ASSIGN,
}

func (f *finder) binary(e *ast.BinaryExpr) {
	if op, ok := other[e.Op]; ok {
		f.add("operator", e, f.text(e.X)+" "+op.String()+" "+f.text(e.Y))
	}

	if neutral, ok := map[token.Token]string{token.LAND: "true", token.LOR: "false"}[e.Op]; ok {
		f.add("condition", e.X, neutral)
		f.add("condition", e.Y, neutral)
	}
}

func (f *finder) assign(s *ast.AssignStmt) {
	if op, ok := other[s.Tok]; ok {
		f.add("operator", s, f.text(s.Lhs[0])+" "+op.String()+" "+f.text(s.Rhs[0]))
	}

	if s.Tok != token.DEFINE {
		f.add("statement", s, "")
	}
}

// constant is a literal, true, false, or the name of a number.
func (f *finder) constant(e ast.Expr) {
	value := f.file.pkg.info.Types[e].Value
	if value == nil {
		return
	}

	switch _, literal := e.(*ast.BasicLit); {
	case value.Kind() == constant.Bool:
		f.add("constant", e, fmt.Sprint(!constant.BoolVal(value)))
	case value.Kind() == constant.Int:
		f.add("constant", e, f.text(e)+" + 1")
		f.add("constant", e, f.text(e)+" - 1")
	case value.Kind() == constant.String && literal && constant.StringVal(value) == "":
		f.add("constant", e, `"mutant"`)
	case value.Kind() == constant.String && literal:
		f.add("constant", e, `""`)
	}
}

// noError is returned in place of one.
func (f *finder) noError(s *ast.ReturnStmt) {
	if len(s.Results) == 0 {
		return
	}

	last := s.Results[len(s.Results)-1]
	t := f.file.pkg.info.TypeOf(last)

	if t != types.Typ[types.UntypedNil] && types.AssignableTo(t, types.Universe.Lookup("error").Type()) {
		f.add("error", s, string(f.file.text[f.offset(s.Pos()):f.offset(last.Pos())])+"nil")
	}
}
