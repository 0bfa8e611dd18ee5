package tagstest_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"io/fs"
	"path"
	"path/filepath"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"
)

const module = "github.com/plexsphere/function-cloud-tags"

// TestNames checks that a reader can tell the names of each type's fields apart, and the names of its methods. An
// embedded Profile and a field profile would be two names for one thing. A method Path of a field path is a getter.
func TestNames(t *testing.T) {
	checkout := source{fset: token.NewFileSet(), packages: map[string]*types.Package{}}

	err := filepath.WalkDir("../..", func(file string, entry fs.DirEntry, err error) error {
		if err != nil || !entry.IsDir() {
			return err
		}

		if name := entry.Name(); name == "testdata" || name != ".." && name[0] == '.' || file == "../../package/build" {
			return filepath.SkipDir
		}

		_, err = checkout.Import(path.Join(module, strings.TrimPrefix(filepath.ToSlash(file), "../..")))

		return err
	})
	if err != nil {
		t.Fatal(err)
	}

	for _, pkg := range checkout.packages {
		for _, name := range pkg.Scope().Names() {
			if typ, ok := pkg.Scope().Lookup(name).(*types.TypeName); ok {
				n := names{fields: map[string]string{}, methods: map[string]string{}, seen: map[types.Type]bool{}}
				for _, twins := range n.add(typ.Type()) {
					t.Errorf("%s: %s has both %s", checkout.fset.Position(typ.Pos()), name, twins)
				}
			}
		}
	}
}

// A source imports packages of the checkout from their source, without bodies of functions. Other packages are empty.
type source struct {
	fset     *token.FileSet
	packages map[string]*types.Package
}

// Import implements types.Importer.
func (s source) Import(name string) (*types.Package, error) {
	if pkg := s.packages[name]; pkg != nil {
		return pkg, nil
	}

	var files []*ast.File

	if dir, ok := strings.CutPrefix(name, module); ok {
		found, err := filepath.Glob("../.." + dir + "/*.go")
		if err != nil {
			return nil, err
		}

		for _, file := range found {
			if strings.HasSuffix(file, "_test.go") {
				continue
			}

			f, err := parser.ParseFile(s.fset, file, nil, parser.SkipObjectResolution)
			if err != nil {
				return nil, err
			}

			files = append(files, f)
		}
	}

	// Names of empty packages are errors.
	config := types.Config{Importer: s, IgnoreFuncBodies: true, Error: func(error) {}}
	s.packages[name], _ = config.Check(name, s.fset, files, nil)

	return s.packages[name], nil
}

// names are the names of a value, by their spelling with a small first letter.
type names struct {
	fields, methods map[string]string
	seen            map[types.Type]bool
}

// add adds the names of the type, and of the types that it embeds. It returns pairs of names that differ in the
// first letter's case only.
func (n names) add(typ types.Type) []string {
	if p, ok := typ.(*types.Pointer); ok {
		typ = p.Elem()
	}

	if n.seen[typ] {
		return nil
	}

	n.seen[typ] = true

	var twins []string

	put := func(all map[string]string, name string) {
		first, size := utf8.DecodeRuneInString(name)
		key := string(unicode.ToLower(first)) + name[size:]

		if other, ok := all[key]; ok && other != name {
			twins = append(twins, other+" and "+name)
		}

		all[key] = name
	}

	if named, ok := typ.(*types.Named); ok {
		for method := range named.Methods() {
			put(n.methods, method.Name())
		}
	}

	if s, ok := typ.Underlying().(*types.Struct); ok {
		for field := range s.Fields() {
			put(n.fields, field.Name())

			if field.Embedded() {
				twins = append(twins, n.add(field.Type())...)
			}
		}
	}

	return twins
}
