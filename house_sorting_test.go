package tianti_test

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path"
	"slices"
	"strconv"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"
)

// sortedBySlices are structs that package slices sorts, each with a sort of its own, and why.
var sortedBySlices = map[string]string{
	"catalog.nameHash": "two words, tens of thousands of them: to move them costs less than to look where they are",
	"hashes.hashSlot":  "two words, millions of them",
	"pricefile.brief":  "a hundred thousand of them at once, of which most are in order",
}

// unsorted are folders that are no part of the released program.
var unsorted = []string{"bench/...", "test/...", "pack/all", "licenses/collect", "sorting"}

func TestStructsShareOneSort(t *testing.T) {
	got, used, err := structSorts(os.DirFS("."))
	if err != nil {
		t.Fatal(err)
	}
	for _, v := range got {
		t.Errorf("%s: want sorting.Func, which is compiled once for all structs (docs/adr/0082-one-sort.md)", v)
	}
	for name := range sortedBySlices {
		if !slices.Contains(used, name) {
			t.Errorf("no %s is sorted by slices: want it left out of the table", name)
		}
	}
}

// structSorts lists where functions of slices sort structs, or what cannot be told, and the exceptions that are used.
// Only what is written tells it: the parameters of the comparison, and how their type is declared.
func structSorts(fsys fs.FS) (found, used []string, err error) {
	files := map[string]*ast.File{}
	declared := map[string]ast.Expr{} // by folder and name
	err = eachGoFile(fsys, func(name string) error {
		folder := path.Dir(name)
		if strings.HasSuffix(name, "_test.go") ||
			slices.ContainsFunc(unsorted, func(pattern string) bool { return covers(pattern, folder) }) {
			return nil
		}
		text, err := fs.ReadFile(fsys, name)
		if err != nil {
			return err
		}
		f, err := parser.ParseFile(token.NewFileSet(), name, text, parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		files[name] = f
		ast.Inspect(f, func(n ast.Node) bool {
			if spec, ok := n.(*ast.TypeSpec); ok {
				declared[folder+"."+spec.Name.Name] = spec.Type
			}
			return true
		})
		return nil
	})
	for name, f := range files {
		s := sorts{folder: path.Dir(name), file: f, declared: declared}
		ast.Inspect(f, func(n ast.Node) bool {
			call, ok := n.(*ast.CallExpr)
			if !ok || !isSort(call.Fun) {
				return true
			}
			what := s.sorted(call.Args[len(call.Args)-1])
			if _, known := sortedBySlices[what]; known {
				used = append(used, what)
			} else if what != "" {
				found = append(found, fmt.Sprintf("%s sorts %s", name, what))
			}
			return true
		})
	}
	slices.Sort(found)
	return found, used, err
}

// isSort reports whether a function is one of slices that sorts by a comparison.
func isSort(fun ast.Expr) bool {
	sel, ok := fun.(*ast.SelectorExpr)
	if !ok {
		return false
	}
	of, ok := sel.X.(*ast.Ident)
	name := sel.Sel.Name
	return ok && of.Name == "slices" && strings.HasPrefix(name, "Sort") && strings.HasSuffix(name, "Func")
}

// sorts are the calls of one file.
type sorts struct {
	folder   string
	file     *ast.File
	declared map[string]ast.Expr
}

// sorted returns the struct that a comparison compares; "" when it compares something else.
func (s *sorts) sorted(compare ast.Expr) string {
	switch x := compare.(type) {
	case *ast.FuncLit:
		return s.structOf(x.Type)
	case *ast.SelectorExpr:
		if of, ok := x.X.(*ast.Ident); ok && (of.Name == "cmp" || of.Name == "strings") {
			return ""
		}
	case *ast.Ident:
		if t := s.funcNamed(x.Name); t != nil {
			return s.structOf(t)
		}
	}
	return "what cannot be told: write the comparison where it sorts"
}

// funcNamed returns the type of a function of the file, of a variable that is given one, or of a parameter.
func (s *sorts) funcNamed(name string) (found *ast.FuncType) {
	ast.Inspect(s.file, func(n ast.Node) bool {
		switch x := n.(type) {
		case *ast.FuncDecl:
			if x.Name.Name == name {
				found = x.Type
			}
		case *ast.AssignStmt:
			for i := range min(len(x.Lhs), len(x.Rhs)) {
				lit, ok := x.Rhs[i].(*ast.FuncLit)
				if to, named := x.Lhs[i].(*ast.Ident); ok && named && to.Name == name {
					found = lit.Type
				}
			}
		case *ast.Field:
			t, ok := x.Type.(*ast.FuncType)
			if ok && slices.ContainsFunc(x.Names, func(id *ast.Ident) bool { return id.Name == name }) {
				found = t
			}
		}
		return found == nil
	})
	return found
}

// structOf returns the struct that a function of two of them compares.
func (s *sorts) structOf(compare *ast.FuncType) string {
	folder, t := s.folder, compare.Params.List[0].Type
	name := ""
	for {
		switch x := t.(type) {
		case *ast.Ident:
			name = folder + "." + x.Name
		case *ast.SelectorExpr:
			folder = s.imported(x.X.(*ast.Ident).Name)
			name = folder + "." + x.Sel.Name
		case *ast.StructType:
			return name
		default:
			return ""
		}
		declared := s.declared[name]
		if declared == nil {
			if strings.Contains(folder, ":") {
				return name // of another module: it may be one
			}
			return "" // string, int
		}
		t = declared
	}
}

// imported returns the folder of a package that the file imports; of others the path behind a colon.
func (s *sorts) imported(name string) string {
	for _, spec := range s.file.Imports {
		p, err := strconv.Unquote(spec.Path.Value)
		if err != nil {
			continue
		}
		if spec.Name != nil && spec.Name.Name == name || spec.Name == nil && path.Base(p) == name {
			if ours, ok := strings.CutPrefix(p, module); ok {
				return ours
			}
			return ":" + p
		}
	}
	return ":" + name
}

func TestSortsOfStructsAreNoticed(t *testing.T) {
	file := func(text string) *fstest.MapFile { return &fstest.MapFile{Data: []byte(text)} }
	got, used, err := structSorts(fstest.MapFS{
		"catalog/types.go": file(`package catalog
			type Card struct { ID string }
			type Code string
			type nameHash struct{}`),
		"catalog/a.go": file(`package catalog
			import "slices"
			var _ = func(byID func(a, b Card) int) {
				slices.SortFunc(nil, func(a, b Card) int { return 0 })
				slices.SortFunc(nil, func(a, b *Card) int { return 0 })
				slices.SortFunc(nil, func(a, b Code) int { return 0 })
				slices.SortFunc(nil, func(a, b nameHash) int { return 0 })
				slices.SortStableFunc(nil, byID)
				slices.SortFunc(nil, byNumber)
			}
			func byNumber(a, b int32) int { return 0 }`),
		"web/a.go": file(`package web
			import ("slices"; "strings"; "time"; "tianti/catalog")
			var _ = func() {
				type row catalog.Card
				slices.SortFunc(nil, strings.Compare)
				_ = slices.SortedFunc(nil, func(a, b catalog.Card) int { return 0 })
				_ = slices.SortedStableFunc(nil, func(a, b catalog.Code) int { return 0 })
				slices.SortFunc(nil, func(a, b row) int { return 0 })
				slices.SortFunc(nil, func(a, b time.Time) int { return 0 })
				slices.SortFunc(nil, of())
			}`),
		"bench/a.go":     file("package a\nimport \"slices\"\nfunc f() { slices.SortFunc(nil, of()) }"),
		"web/a_test.go":  file("package a\nimport \"slices\"\nfunc f() { slices.SortFunc(nil, of()) }"),
		"web/testdata/x": file("nothing"),
	})
	if err != nil {
		t.Fatal(err)
	}
	want := []string{
		"catalog/a.go sorts catalog.Card",
		"catalog/a.go sorts catalog.Card",
		"web/a.go sorts :time.Time",
		"web/a.go sorts catalog.Card",
		"web/a.go sorts catalog.Card",
		"web/a.go sorts what cannot be told: write the comparison where it sorts",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	if !slices.Equal(used, []string{"catalog.nameHash"}) {
		t.Errorf("got %q used", used)
	}
}
