package main

import (
	"fmt"
	"go/ast"
	"go/constant"
	"go/token"
	"go/types"
	"slices"
	"strconv"
	"strings"
)

// A mutation is one change of one place of the source, which leaves it compiling
// and every line where it was.
type mutation struct {
	file     string // below the module's folder
	function string // or constant, variable: what the place stands in
	what     string // negate, drop, change
	text     string // of what is changed, on one line
	nth      int    // of the same text in the same function, from 1
	from, to int    // bytes of the file that are replaced
	first    int    // lines of the place, from 1
	last     int
	with     string
}

// key names a mutation in survivors.txt. It holds no line number: it stays the
// same when lines above it come and go.
func (m mutation) key() string {
	key := m.file + " " + m.function + " " + m.what + " " + m.text
	if m.nth > 1 {
		key += " #" + strconv.Itoa(m.nth)
	}
	return key
}

func (m mutation) String() string {
	return fmt.Sprintf("%s:%d %s: %s %s", m.file, m.first, m.function, m.what, m.text)
}

// source is one parsed file.
type source struct {
	name string
	text []byte
	ast  *ast.File
	fset *token.FileSet
	info *types.Info
}

// finder collects the mutations of a file.
type finder struct {
	source
	function string
	parents  []ast.Node
	found    []mutation
}

func (s source) mutations() []mutation {
	f := &finder{source: s}
	for _, decl := range s.ast.Decls {
		f.function = named(decl)
		ast.Inspect(decl, f.visit)
	}
	seen := map[string]int{}
	for i, m := range f.found {
		seen[m.key()]++
		f.found[i].nth = seen[m.key()]
	}
	return f.found
}

func named(decl ast.Decl) string {
	switch d := decl.(type) {
	case *ast.FuncDecl:
		return d.Name.Name
	case *ast.GenDecl:
		return d.Tok.String()
	}
	return ""
}

func (f *finder) visit(n ast.Node) bool {
	if n == nil {
		f.parents = f.parents[:len(f.parents)-1]
		return true
	}
	switch n := n.(type) {
	case *ast.ImportSpec:
		return false // nothing was pushed, and nothing is popped
	case *ast.ValueSpec:
		if _, top := f.parents[len(f.parents)-1].(*ast.GenDecl); top && len(f.parents) == 1 {
			f.function = n.Names[0].Name
		}
	case *ast.ExprStmt:
		f.drop(n)
	case *ast.DeferStmt:
		f.drop(n)
	case *ast.GoStmt:
		f.drop(n)
	case *ast.AssignStmt:
		if n.Tok == token.ASSIGN && isCallForNothing(n) {
			f.drop(n)
		}
	case *ast.CaseClause:
		f.clause(n)
	case *ast.BasicLit:
		f.literal(n)
	case *ast.BinaryExpr:
		f.halves(n)
	}
	if e, ok := n.(ast.Expr); ok {
		f.negate(e)
	}
	f.parents = append(f.parents, n)
	return true
}

// isCallForNothing: _ = f(x).
func isCallForNothing(s *ast.AssignStmt) bool {
	for _, l := range s.Lhs {
		if id, ok := l.(*ast.Ident); !ok || id.Name != "_" {
			return false
		}
	}
	_, call := s.Rhs[0].(*ast.CallExpr)
	return call
}

func (f *finder) add(n ast.Node, what string, with func(text string) string) {
	from, to := f.fset.Position(n.Pos()), f.fset.Position(n.End())
	text := string(f.text[from.Offset:to.Offset])
	f.found = append(f.found, mutation{file: f.name, function: f.function, what: what, text: strings.Join(strings.Fields(text), " "),
		from: from.Offset, to: to.Offset, first: from.Line, last: to.Line, with: with(text)})
}

// drop takes a statement out; what it names stays named, or the compiler would
// miss its use.
func (f *finder) drop(n ast.Stmt) {
	f.add(n, "drop", func(text string) string { return "if false { " + text + " }" })
}

// halves takes out each half of an && and of an ||.
func (f *finder) halves(n *ast.BinaryExpr) {
	without := func(text string) string { return "(true || " + text + ")" }
	switch n.Op {
	case token.LOR:
		without = func(text string) string { return "(false && " + text + ")" }
	case token.LAND:
	default:
		return
	}
	for _, half := range []ast.Expr{n.X, n.Y} {
		if b, ok := half.(*ast.BinaryExpr); !ok || b.Op != n.Op { // its own halves are taken out one by one
			f.add(half, "drop", without)
		}
	}
}

// clause takes out a case of a switch over a value, and each of several
// conditions of one over none.
func (f *finder) clause(n *ast.CaseClause) {
	over := f.parents[len(f.parents)-2].(*ast.SwitchStmt)
	if over.Tag != nil && n.List != nil {
		f.add(n, "drop", func(text string) string { return sameLines(text) })
	}
	if over.Tag == nil && len(n.List) > 1 {
		for _, e := range n.List {
			f.add(e, "drop", func(text string) string { return "(false && " + text + ")" })
		}
	}
}

// negate negates a whole condition: a value of type bool that is no half of
// another and no variable that is being set.
func (f *finder) negate(e ast.Expr) {
	t := f.info.Types[e]
	if !t.IsValue() || !isBool(t.Type) {
		return
	}
	switch parent := f.parents[len(f.parents)-1].(type) {
	case *ast.ParenExpr:
		return
	case *ast.UnaryExpr:
		if parent.Op == token.NOT {
			return
		}
	case *ast.BinaryExpr:
		if parent.Op == token.LAND || parent.Op == token.LOR {
			return
		}
	case *ast.AssignStmt:
		if slices.Contains(parent.Lhs, e) {
			return
		}
	case *ast.RangeStmt, *ast.Field, *ast.SelectorExpr, *ast.ValueSpec, *ast.KeyValueExpr:
		return
	}
	f.add(e, "negate", func(text string) string { return "!(" + text + ")" })
}

func isBool(t types.Type) bool {
	b, ok := t.Underlying().(*types.Basic)
	return ok && b.Info()&types.IsBoolean != 0
}

// literal changes a value: a number and a character are one more, a text of the rules
// has a character more, any other text is empty.
func (f *finder) literal(n *ast.BasicLit) {
	switch n.Kind {
	case token.INT:
		if v, ok := constant.Uint64Val(constant.MakeFromLiteral(n.Value, n.Kind, 0)); ok {
			f.add(n, "change", func(string) string { return strconv.FormatUint(v+1, 10) })
		}
	case token.CHAR:
		if r, ok := constant.Int64Val(constant.MakeFromLiteral(n.Value, n.Kind, 0)); ok {
			f.add(n, "change", func(string) string { return strconv.QuoteRune(rune(r) + 1) })
		}
	case token.STRING:
		v := constant.StringVal(constant.MakeFromLiteral(n.Value, n.Kind, 0))
		if v == "" || strings.HasSuffix(f.name, rulesFile) {
			v += "~"
		} else {
			v = ""
		}
		f.add(n, "change", func(text string) string { return sameLines(text) + strconv.Quote(v) })
	}
}

const rulesFile = "/rules.go"

// sameLines is a comment of as many lines as text, ahead of what replaces it.
func sameLines(text string) string {
	if n := strings.Count(text, "\n"); n > 0 {
		return "/*" + strings.Repeat("\n", n) + "*/"
	}
	return ""
}
