package tianti_test

import (
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

	"tianti/test/goroutines"
)

// unwatched are packages with goroutines that make test runs without the race detector.
var unwatched = map[string]string{
	"bench/...":   "they measure another process",
	"test/attack": "it measures another process",
	"format":      "a goroutine of a test looks at the memory in use, nothing else",
}

const severalPrograms = "a writer and readers are several programs, which start slowly under the detector; " +
	"publish is watched"

// unraced are files of packages that the detector watches in part whose goroutines no watched test runs, and why.
var unraced = map[string]string{
	"cmd/tianti/calibrate.go": "it takes minutes; what goroutines share is locked",
	"cmd/tianti/import.go":    "it waits for a person at a terminal",
	"cmd/tianti/password.go":  "it waits for a person at a terminal",
	"cmd/tianti/publish.go":   severalPrograms,
	"cmd/tianti/reader.go":    severalPrograms,
}

// lists are the packages that the Makefile has watched: all of their tests, and some of them, be it by make test or by
// make test-slow.
func lists(t *testing.T) (whole, part []string) {
	t.Helper()
	makefile, err := os.ReadFile("Makefile")
	if err != nil {
		t.Fatal(err)
	}
	list := regexp.MustCompile(`(?m)^RACED(_IN_PART|_SLOWLY)? = ((?:.*\\\n)*.*)$`)
	for _, m := range list.FindAllSubmatch(makefile, -1) {
		for name := range strings.FieldsSeq(strings.ReplaceAll(string(m[2]), `\`, "")) {
			if name = strings.TrimPrefix(name, "./"); len(m[1]) > 0 {
				part = append(part, name)
			} else {
				whole = append(whole, name)
			}
		}
	}
	return whole, part
}

func TestTheRaceDetectorWatchesWhereGoroutinesAre(t *testing.T) {
	whole, part := lists(t)
	watched := slices.Concat(whole, part)
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

// TestEveryFileWithGoroutinesHasAWatchedTest: of packages that are watched in part, each such file is named by a test
// that is.
func TestEveryFileWithGoroutinesHasAWatchedTest(t *testing.T) {
	_, part := lists(t)
	if len(part) < 3 {
		t.Fatalf("got %q watched in part, want some", part)
	}
	for _, folder := range part {
		p, err := goroutines.Of(os.DirFS("."), folder)
		if err != nil {
			t.Fatal(err)
		}
		if len(p.Tests) == 0 {
			t.Errorf("%s: no test starts goroutines", folder)
		}
		for _, file := range p.Files {
			if name := path.Join(folder, file); slices.Contains(p.Named, file) == (unraced[name] != "") {
				t.Errorf("%s starts goroutines: want a test that calls slow.Raced(t, %q), or a reason in unraced",
					name, file)
			}
		}
		for _, file := range p.Named {
			if !slices.Contains(p.Files, file) {
				t.Errorf("%s: slow.Raced names %s, which starts no goroutines", folder, file)
			}
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
		if goroutines.Started(f) {
			out = append(out, path.Dir(name))
		}
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
