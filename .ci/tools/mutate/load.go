package main

import (
	"bytes"
	"encoding/json"
	"go/ast"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"io"
	"log"
	"os"
	"os/exec"
	"path/filepath"
)

// A pkg is a package to mutate. It has all mutants that find found, and after sample only some.
type pkg struct {
	path, dir, name string
	fset            *token.FileSet
	files           []*file
	config          types.Config
	info            types.Info
	mutants         []*mutant
}

// A file of a package, and its name in the checkout.
type file struct {
	pkg        *pkg
	path, name string
	text       []byte
	syntax     *ast.File
}

// listed is what go list says of a package.
type listed struct {
	ImportPath, Name, Dir, Export      string
	GoFiles, TestGoFiles, XTestGoFiles []string
}

func list(args ...string) []listed {
	fields := "-json=ImportPath,Name,Dir,Export,GoFiles,TestGoFiles,XTestGoFiles"
	d := json.NewDecoder(bytes.NewReader(output(*dir, "go", append([]string{"list", fields}, args...)...)))

	var packages []listed

	for d.More() {
		var l listed
		check(d.Decode(&l))

		packages = append(packages, l)
	}

	return packages
}

// output of a command in a directory.
func output(dir, name string, args ...string) []byte {
	cmd := exec.Command(name, args...)
	cmd.Dir = dir
	cmd.Stderr = os.Stderr
	// With cgo, Go doesn't notice that all goroutines wait for each other.
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0")

	out, err := cmd.Output()
	if err != nil {
		log.Panicf("%s: %s", cmd, err)
	}

	return out
}

// load the packages of the function that match the patterns.
func load(patterns []string) []*pkg {
	exports := map[string]string{}
	for _, l := range list("-export", "-deps", ".") {
		exports[l.ImportPath] = l.Export
	}

	fset := token.NewFileSet()
	config := types.Config{
		Importer: importer.ForCompiler(fset, "gc", func(path string) (io.ReadCloser, error) { return os.Open(exports[path]) }),
	}

	var pkgs []*pkg

	for _, l := range list(patterns...) {
		if exports[l.ImportPath] == "" {
			continue
		}

		p := &pkg{path: l.ImportPath, dir: l.Dir, name: l.Name, fset: fset, config: config}
		p.info.Types = map[ast.Expr]types.TypeAndValue{}

		var files []*ast.File

		for _, name := range l.GoFiles {
			f := &file{pkg: p, path: filepath.Join(l.Dir, name)}
			f.name = must(filepath.Rel(must(filepath.Abs(*dir)), f.path))
			f.text = must(os.ReadFile(f.path))
			f.syntax = must(parser.ParseFile(fset, f.path, f.text, parser.ParseComments))
			p.files = append(p.files, f)
			files = append(files, f.syntax)
		}

		must(p.config.Check(p.path, fset, files, &p.info))
		pkgs = append(pkgs, p)
	}

	return pkgs
}

// compiles reports whether the package compiles with the mutant.
func (p *pkg) compiles(m *mutant) bool {
	files := []*ast.File{must(parser.ParseFile(p.fset, "mutate.go", p.switchCode(), 0))}

	for _, f := range p.files {
		syntax := f.syntax
		if f == m.file {
			var err error
			if syntax, err = parser.ParseFile(p.fset, f.path, rewrite(f.text, []*mutant{m}), 0); err != nil {
				return false
			}
		}

		files = append(files, syntax)
	}

	_, err := p.config.Check(p.path, p.fset, files, nil)

	return err == nil
}
