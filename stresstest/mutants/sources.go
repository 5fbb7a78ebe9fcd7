package main

import (
	"errors"
	"fmt"
	"go/ast"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"os"
	"path/filepath"
	"strings"
)

// packages is the enforcement path, each after what it imports.
var packages = []string{"moiraicore", "hades-gate", "hades-session-load"}

// moduleName is the name in go.mod.
const moduleName = "moirai"

// readSources parses and types what is built on this platform of the enforcement path.
func readSources() ([]source, error) {
	fset := token.NewFileSet()
	known := imported{importer.ForCompiler(fset, "gc", nil), map[string]*types.Package{}}
	var all []source
	for _, dir := range packages {
		paths, err := filepath.Glob(dir + "/*.go")
		if err != nil {
			return nil, err
		}
		info := &types.Info{Types: map[ast.Expr]types.TypeAndValue{}}
		var files []*ast.File
		for _, path := range paths {
			if strings.HasSuffix(path, "_test.go") {
				continue
			}
			text, err := os.ReadFile(path)
			if err != nil {
				return nil, err
			}
			file, err := parser.ParseFile(fset, path, text, parser.SkipObjectResolution)
			if err != nil {
				return nil, err
			}
			files = append(files, file)
			all = append(all, source{name: filepath.ToSlash(path), text: text, ast: file, fset: fset, info: info})
		}
		if files == nil {
			return nil, errors.New("no source in " + dir + ": run it in the module's folder")
		}
		pkg, err := (&types.Config{Importer: known}).Check(moduleName+"/"+dir, fset, files, info)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", dir, err)
		}
		known.ours[pkg.Path()] = pkg
	}
	return all, nil
}

// imported finds our own packages and those of the standard library.
type imported struct {
	types.Importer
	ours map[string]*types.Package
}

func (i imported) Import(path string) (*types.Package, error) {
	if pkg := i.ours[path]; pkg != nil {
		return pkg, nil
	}
	return i.Importer.Import(path)
}
