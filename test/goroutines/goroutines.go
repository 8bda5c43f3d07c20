// Package goroutines finds where goroutines are started: in which files, and by which tests. The race detector watches
// there and nowhere else.
package goroutines

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path"
	"slices"
	"strconv"
	"strings"
)

// Started reports whether a part of a file starts goroutines itself: with a go statement, or with a group of them.
func Started(n ast.Node) bool {
	found := false
	ast.Inspect(n, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.GoStmt:
			found = true
		case *ast.CallExpr: // of a sync.WaitGroup, or an errgroup.Group
			if sel, ok := n.Fun.(*ast.SelectorExpr); ok && sel.Sel.Name == "Go" {
				found = true
			}
		}
		return !found
	})
	return found
}

// A Package is what a folder says of its goroutines.
type Package struct {
	Tests []string // that start goroutines, or call slow.Raced
	Files []string // that are no tests and start some
	Named []string // files that tests name in calls of slow.Raced
}

// Of reads the Go files of a folder. A test starts goroutines where it does itself, or where a function does that it
// calls, however far away, as long as it is in a test file of the folder. Methods go by their names alone: a test may
// be found that starts none.
func Of(fsys fs.FS, folder string) (Package, error) {
	var out Package
	names, err := fs.Glob(fsys, path.Join(folder, "*.go"))
	if err != nil {
		return out, err
	}
	starts, calls := map[string]bool{}, map[string][]string{}
	for _, name := range names {
		text, err := fs.ReadFile(fsys, name)
		if err != nil {
			return out, err
		}
		f, err := parser.ParseFile(token.NewFileSet(), name, text, parser.SkipObjectResolution)
		if err != nil {
			return out, err
		}
		if !strings.HasSuffix(name, "_test.go") {
			if Started(f) {
				out.Files = append(out.Files, path.Base(name))
			}
			continue
		}
		for _, d := range f.Decls {
			fn, ok := d.(*ast.FuncDecl)
			if !ok || fn.Body == nil {
				continue
			}
			files, raced := named(fn.Body)
			out.Named = append(out.Named, files...)
			starts[fn.Name.Name] = starts[fn.Name.Name] || raced || Started(fn.Body)
			calls[fn.Name.Name] = append(calls[fn.Name.Name], called(fn.Body)...)
		}
	}
	for again := true; again; {
		again = false
		for name, others := range calls {
			if !starts[name] && slices.ContainsFunc(others, func(other string) bool { return starts[other] }) {
				starts[name], again = true, true
			}
		}
	}
	for name, yes := range starts {
		if yes && strings.HasPrefix(name, "Test") && name != "TestMain" {
			out.Tests = append(out.Tests, name)
		}
	}
	slices.Sort(out.Tests)
	slices.Sort(out.Named)
	out.Named = slices.Compact(out.Named)
	return out, nil
}

// named are the files that calls of slow.Raced name; raced: there is such a call.
func named(body ast.Node) (files []string, raced bool) {
	ast.Inspect(body, func(n ast.Node) bool {
		call, ok := n.(*ast.CallExpr)
		if !ok {
			return true
		}
		if sel, ok := call.Fun.(*ast.SelectorExpr); !ok || sel.Sel.Name != "Raced" {
			return true
		} else if x, ok := sel.X.(*ast.Ident); !ok || x.Name != "slow" {
			return true
		}
		raced = true
		for _, arg := range call.Args {
			if text, ok := arg.(*ast.BasicLit); ok {
				if file, err := strconv.Unquote(text.Value); err == nil {
					files = append(files, file)
				}
			}
		}
		return true
	})
	return files, raced
}

// called are the names of the functions and methods that a body calls or hands on.
func called(body ast.Node) []string {
	var out []string
	ast.Inspect(body, func(n ast.Node) bool {
		if id, ok := n.(*ast.Ident); ok {
			out = append(out, id.Name)
		}
		return true
	})
	return out
}
