package main

import (
	"go/ast"
	"go/parser"
	gotoken "go/token"
	"slices"
	"strconv"
	"testing"
)

// The golden list and the rules are two writings of one thing. What opens in one
// of them alone is a mistake in the other, and somebody must say in which.
func TestRulesOpenWhatTheGoldenListSays(t *testing.T) {
	file, err := parser.ParseFile(gotoken.NewFileSet(), "../moiraicore/rules.go", nil, parser.SkipObjectResolution)
	if err != nil {
		t.Fatal(err)
	}
	lists, names := map[string]bool{}, map[string]bool{}
	for _, decl := range file.Decls {
		gen, ok := decl.(*ast.GenDecl)
		if !ok {
			t.Errorf("rules.go holds %T: it is for literals alone", decl)
			continue
		}
		for _, spec := range gen.Specs {
			value, ok := spec.(*ast.ValueSpec)
			if !ok {
				continue // an import
			}
			for i, name := range value.Names {
				if gen.Tok == gotoken.VAR {
					lists[name.Name] = true
					sameList(t, name.Name, value.Values[i])
					continue
				}
				if want, ok := goldenNames[name.Name]; ok {
					names[name.Name] = true
					if lit, ok := value.Values[i].(*ast.BasicLit); !ok || lit.Value != want {
						t.Errorf("%s is not %s in rules.go, as the golden list has it", name.Name, want)
					}
				}
			}
		}
	}
	for name := range golden {
		if !lists[name] {
			t.Errorf("%s is in the golden list and not in rules.go", name)
		}
	}
	for name := range goldenNames {
		if !names[name] {
			t.Errorf("%s is in the golden list and not in rules.go", name)
		}
	}
}

// sameList compares the literals of a variable, in order.
func sameList(t *testing.T, name string, value ast.Expr) {
	want, known := golden[name]
	if !known {
		if !slices.Contains(opensNothing, name) {
			t.Errorf("rules.go has the variable %s, which the golden list does not know: does it open anything?", name)
		}
		return
	}
	var got []string
	ast.Inspect(value, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.StructType:
			return false // names of fields
		case *ast.BasicLit:
			text, err := strconv.Unquote(n.Value)
			if err != nil {
				t.Errorf("%s holds %s, which is no string", name, n.Value)
			}
			got = append(got, text)
		case *ast.Ident:
			if n.Name != "string" {
				t.Errorf("%s holds %s, whose value is not written out", name, n.Name)
			}
		}
		return true
	})
	if !slices.Equal(got, want) {
		t.Errorf("%s is %q in rules.go and %q in the golden list", name, got, want)
	}
}
