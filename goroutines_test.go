package tianti_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"maps"
	"os"
	"path"
	"regexp"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"
)

// unwatched are packages with goroutines that make test runs without the race detector.
var unwatched = map[string]string{
	"bench/...":   "they measure another process",
	"test/attack": "it measures another process",
	"format":      "a goroutine of a test looks at the memory in use, nothing else",
}

func TestTheRaceDetectorWatchesWhereGoroutinesAre(t *testing.T) {
	makefile, err := os.ReadFile("Makefile")
	if err != nil {
		t.Fatal(err)
	}
	var watched []string
	for _, m := range regexp.MustCompile(`(?m)^RACED(?:_IN_PART)? = ((?:.*\\\n)*.*)$`).FindAllSubmatch(makefile, -1) {
		for name := range strings.FieldsSeq(strings.ReplaceAll(string(m[1]), `\`, "")) {
			watched = append(watched, strings.TrimPrefix(name, "./"))
		}
	}
	with, err := withGoroutines(os.DirFS("."))
	if err != nil {
		t.Fatal(err)
	}
	if len(watched) < 10 || len(with) < 10 {
		t.Fatalf("got %q watched of %q with goroutines, want most of the program's packages", watched, with)
	}
	for _, folder := range with {
		if !slices.Contains(watched, folder) && !slices.ContainsFunc(slices.Collect(maps.Keys(unwatched)),
			func(name string) bool { return covers(name, folder) }) {
			t.Errorf("%s starts goroutines; want it in RACED of the Makefile", folder)
		}
	}
	for _, folder := range watched {
		if _, err := os.Stat(folder); err != nil {
			t.Errorf("RACED of the Makefile: %v", err)
		}
	}
}

// withGoroutines lists the folders whose files, tests among them, start goroutines.
func withGoroutines(fsys fs.FS) ([]string, error) {
	var out []string
	err := eachGoFile(fsys, func(name string) error {
		text, err := fs.ReadFile(fsys, name)
		if err != nil {
			return err
		}
		f, err := parser.ParseFile(token.NewFileSet(), name, text, parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		ast.Inspect(f, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.GoStmt:
				out = append(out, path.Dir(name))
			case *ast.CallExpr: // of a sync.WaitGroup
				if sel, ok := n.Fun.(*ast.SelectorExpr); ok && sel.Sel.Name == "Go" {
					out = append(out, path.Dir(name))
				}
			}
			return true
		})
		return nil
	})
	slices.Sort(out)
	return slices.Compact(out), err
}

func TestGoroutinesAreFound(t *testing.T) {
	files := fstest.MapFS{
		"a/a.go":              {Data: []byte("package a\nfunc f() { go f() }")},
		"b/b.go":              {Data: []byte("package b")},
		"b/b_test.go":         {Data: []byte("package b\nfunc f() { var w sync.WaitGroup; w.Go(f) }")},
		"c/c.go":              {Data: []byte("package c // go func()\nfunc f() { f() }")},
		"c/testdata/x/x.go":   {Data: []byte("package x\nfunc f() { go f() }")},
		"d/node_modules/y.go": {Data: []byte("package y\nfunc f() { go f() }")},
	}
	got, err := withGoroutines(files)
	if diff := cmp.Diff([]string{"a", "b"}, got); err != nil || diff != "" {
		t.Errorf("%v, -want +got:\n%s", err, diff)
	}
}
