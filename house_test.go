// Package tianti_test keeps the import graph of docs/architecture.md.
package tianti_test

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"
)

const module = "tianti/"

// A source is what a file imports and, for pure rooms, which clocks it reads.
type source struct {
	file    string
	imports []string
	clocks  []string // "time.Now"
}

func TestImportsKeepToTheHouse(t *testing.T) {
	sources, err := readSources(os.DirFS("."))
	if err != nil {
		t.Fatal(err)
	}
	if len(sources) < 50 {
		t.Fatalf("got %d files, want the whole module", len(sources))
	}
	for _, v := range violations(sources) {
		t.Error(v)
	}
}

func TestEveryRoomOfTheTableExists(t *testing.T) {
	for _, r := range rooms {
		if folder, many := strings.CutSuffix(r.folder, "/..."); many {
			continue // made by those who measure and look
		} else if _, err := os.Stat(folder); err != nil {
			t.Error(err)
		}
		if r.why == "" {
			t.Errorf("%s has no reason", r.folder)
		}
	}
}

// TestRoomsStandOnRoomsBelow: rooms of web stand in the table from the bottom to the top,
// and each imports only those above it in the table, so that no import runs back.
func TestRoomsStandOnRoomsBelow(t *testing.T) {
	for i, r := range rooms {
		for _, m := range r.may {
			j := slices.IndexFunc(rooms, func(x room) bool { return x.folder == m })
			if strings.HasPrefix(r.folder, "web") && strings.HasPrefix(m, "web/") && j >= i {
				t.Errorf("%s may import %s, which stands above it", r.folder, m)
			}
		}
	}
}

// row is a line of the table of docs/architecture.md: folder, what it is, imports.
var row = regexp.MustCompile("(?m)^\\| `([a-z/]+)` \\|[^|]+\\| ([^|]*) \\|$")

// TestTheDocumentHasTheTable compares the rooms with docs/architecture.md.
func TestTheDocumentHasTheTable(t *testing.T) {
	text, err := os.ReadFile("docs/architecture.md")
	if err != nil {
		t.Fatal(err)
	}
	got := map[string]string{}
	for _, m := range row.FindAllStringSubmatch(string(text), -1) {
		got[m[1]] = m[2]
	}
	want := map[string]string{}
	for _, r := range rooms {
		if strings.HasPrefix(r.folder, "bench/") || strings.HasPrefix(r.folder, "test/") {
			continue
		}
		names := make([]string, len(r.may))
		for i, m := range r.may {
			names[i] = "`" + m + "`"
		}
		want[r.folder] = strings.Join(names, ", ")
		switch {
		case len(r.may) == 0:
			want[r.folder] = "nothing"
		case r.may[0] == "*":
			want[r.folder] = "everything"
		}
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("docs/architecture.md: -house +document:\n%s", diff)
	}
	pure, _, _ := strings.Cut(string(text), "are pure:")
	_, pure, _ = strings.Cut(pure[strings.LastIndex(pure, "\n\n"):], "\n\n")
	for _, r := range rooms {
		if in := strings.Contains(pure, "`"+r.folder+"`"); in != r.pure {
			t.Errorf("docs/architecture.md says that %s is pure: %v; want %v", r.folder, in, r.pure)
		}
	}
}

// readSources parses the Go files of the module that are part of the program:
// tests may look into any room.
func readSources(fsys fs.FS) ([]source, error) {
	var out []source
	err := eachGoFile(fsys, func(name string) error {
		if strings.HasSuffix(name, "_test.go") {
			return nil
		}
		s, err := readSource(fsys, name)
		out = append(out, s)
		return err
	})
	return out, err
}

// eachGoFile calls do with each file of Go, tests among them.
func eachGoFile(fsys fs.FS, do func(name string) error) error {
	return fs.WalkDir(fsys, ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() {
			if base := path.Base(name); name != "." && (base == "testdata" || base == "node_modules" ||
				base[0] == '.' || base[0] == '_') {
				return fs.SkipDir
			}
			return nil
		}
		if !strings.HasSuffix(name, ".go") {
			return nil
		}
		return do(name)
	})
}

func readSource(fsys fs.FS, name string) (source, error) {
	s := source{file: name}
	text, err := fs.ReadFile(fsys, name)
	if err != nil {
		return s, err
	}
	mode := parser.ImportsOnly
	if r := roomOf(path.Dir(name)); r != nil && r.pure {
		mode = parser.SkipObjectResolution
	}
	f, err := parser.ParseFile(token.NewFileSet(), name, text, mode)
	if err != nil {
		return s, err
	}
	clock := ""
	for _, spec := range f.Imports {
		p, err := strconv.Unquote(spec.Path.Value)
		if err != nil {
			return s, err
		}
		s.imports = append(s.imports, p)
		if p == "time" {
			clock = "time"
			if spec.Name != nil {
				clock = spec.Name.Name
			}
		}
	}
	if clock != "" {
		s.clocks = clocks(f, clock)
	}
	return s, nil
}

// clocks lists the functions of package time that depend on when they are called.
func clocks(f *ast.File, name string) []string {
	var out []string
	ast.Inspect(f, func(n ast.Node) bool {
		sel, ok := n.(*ast.SelectorExpr)
		if !ok {
			return true
		}
		if x, ok := sel.X.(*ast.Ident); ok && x.Name == name &&
			slices.Contains([]string{"Now", "Since", "Until", "Sleep", "After", "Tick", "NewTimer", "NewTicker"},
				sel.Sel.Name) {
			out = append(out, "time."+sel.Sel.Name)
		}
		return true
	})
	return out
}

// roomOf returns the room of a folder, nil when it has none.
func roomOf(folder string) *room {
	for i := range rooms {
		if covers(rooms[i].folder, folder) {
			return &rooms[i]
		}
	}
	return nil
}

// covers reports whether a folder of the tables means folder.
func covers(pattern, folder string) bool {
	if below, ok := strings.CutSuffix(pattern, "/..."); ok {
		return folder == below || strings.HasPrefix(folder, below+"/")
	}
	return pattern == "*" || pattern == folder
}

// violations lists what breaks the rules, with the reason of the rule.
func violations(sources []source) []string {
	var out []string
	for _, s := range sources {
		folder := path.Dir(s.file)
		r := roomOf(folder)
		if r == nil {
			out = append(out, fmt.Sprintf("%s: %s is no room of the house: add it to the table, with a reason",
				s.file, folder))
			continue
		}
		for _, p := range s.imports {
			if why := r.refuses(folder, p); why != "" {
				out = append(out, fmt.Sprintf("%s imports %s: %s", s.file, p, why))
			}
		}
		for _, c := range s.clocks {
			if r.pure {
				out = append(out, fmt.Sprintf("%s calls %s: %s gets the time as an argument", s.file, c, r.folder))
			}
		}
	}
	return out
}

// refuses says why a package in folder may not import p; "" when it may.
func (r *room) refuses(folder, p string) string {
	covered := func(pattern string) bool { return covers(pattern, strings.TrimPrefix(p, module)) }
	if strings.HasPrefix(p, module) && !slices.ContainsFunc(r.may, covered) &&
		!slices.Contains(everywhere, strings.TrimPrefix(p, module)) {
		return fmt.Sprintf("%s may import %q: %s", r.folder, r.may, r.why)
	}
	for _, g := range guests {
		in := func(pattern string) bool { return covers(pattern, folder) }
		if (p == g.path || strings.HasPrefix(p, g.path+"/")) && !slices.ContainsFunc(g.in, in) {
			return fmt.Sprintf("only %q may: %s", g.in, g.why)
		}
	}
	if r.pure && slices.Contains(outside, p) {
		return r.folder + " does no I/O and logs nothing"
	}
	return ""
}

func TestHouseRulesAreNoticedWhenBroken(t *testing.T) {
	file := func(imports string) *fstest.MapFile {
		return &fstest.MapFile{Data: []byte("package p\n\nimport (\n" + imports + "\n)\n")}
	}
	sources, err := readSources(fstest.MapFS{
		"catalog/a.go": file(`"tianti/store"`),
		"catalog/b.go": file(`"net/url"; "time"`),
		"catalog/clock.go": {Data: []byte("package catalog\n\nimport t \"time\"\n\nvar now = t.Now()\n" +
			"var day = t.Hour\n")},
		"catalog/test_test.go":  file(`"os"; "tianti/web"`),
		"catalog/testdata/x.go": file(`"os"`),
		"web/a.go": file(
			`"tianti/store"; "tianti/web/cards"; "net/http"; "github.com/go-chi/chi/v5"`),
		"web/ui/a.go":                file(`"tianti/catalog"; "os"`),
		"web/prices/a.go":            file(`"tianti/web/cards"; "tianti/web"`),
		"store/a.go":                 file(`"database/sql"; "tianti/web"; "tianti/migrations"`),
		"seed/a.go":                  file(`_ "modernc.org/sqlite"`),
		"cmd/tianti/a.go":            file(`"tianti/web"; "tianti/store"; "database/sql"; "C"`),
		"cmd/tianti/internal/x/a.go": file(`"fmt"`),
		"bench/load/a.go":            file(`"tianti/bench/process"; "tianti/web"`),
		"utils/a.go":                 file(`"fmt"`),
	})
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, v := range violations(sources) {
		v, _, _ = strings.Cut(v, ": ")
		got = append(got, v)
	}
	want := []string{
		"bench/load/a.go imports tianti/web",
		"catalog/a.go imports tianti/store",
		"catalog/clock.go calls time.Now",
		"cmd/tianti/a.go imports database/sql",
		"cmd/tianti/a.go imports C",
		"cmd/tianti/internal/x/a.go",
		"seed/a.go imports modernc.org/sqlite",
		"store/a.go imports tianti/web",
		"utils/a.go",
		"web/a.go imports tianti/store",
		"web/prices/a.go imports tianti/web/cards",
		"web/prices/a.go imports tianti/web",
		"web/ui/a.go imports tianti/catalog",
		"web/ui/a.go imports os",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}
