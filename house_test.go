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
	"slices"
	"strconv"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"
)

const module = "tianti/"

// A room is a folder with its packages. Of ours, they import only what stands
// here; a room for the folders below it ends with "/...".
type room struct {
	folder string
	may    []string // folders; "*" is all
	pure   bool     // no I/O, no clock, no log
	why    string
}

var rooms = []room{
	{"account", nil, false, "who may do what: passwords, tokens and attempts; where they are kept and who asks is for others"},
	{"advisor", []string{"advisor/kriging", "catalog"}, true, "estimates are computed from figures and measured cases alone, so that anybody can check them"},
	{"advisor/sample", nil, true, "makes small sets of cases for tests"},
	{"advisor/kriging", nil, true, "statistics that know no domain"},
	{"catalog", nil, true, "the domain: everything else is around it, so it depends on nothing"},
	{"catalog/sample", []string{"catalog"}, true, "makes values of the domain"},
	{"exportcontrol", []string{"catalog"}, true, "rules and their arithmetic are computed from figures alone, so that anybody can check them"},
	{"ladder", []string{"catalog"}, true, "an order of cards follows from values alone, so that anybody can check it"},
	{"change", []string{"catalog"}, true, "what two revisions differ in follows from them and the catalogue alone"},
	{"ingest", []string{"catalog", "seed", "sheet"}, false, "reads files of others into values of the domain; which cards they mean is decided by exact names"},
	{"intake", []string{"catalog", "change", "ingest"}, false, "the steps of an import, for pages, the API and commands alike; it says what it needs of a database"},
	{"live", []string{"catalog"}, false, "readings of devices and where they come from; what they are rated for is the catalogue's, how they look is for pages"},
	{"live/sample", []string{"live"}, true, "makes frames of readings for tests and stories"},
	{"locale", nil, true, "texts and numbers in a language; it knows no domain, so that pages and commands can share it"},
	{"migrations", nil, true, "SQL files, embedded"},
	{"plot", []string{"catalog"}, true, "points, fronts and rooflines are arithmetic on figures; how they look is for pages"},
	{"static", nil, false, "files for browsers, embedded"},
	{"sheet", nil, true, "cells of tables that spreadsheets open: one place keeps formulas out, for pages, commands and imports"},
	{"seed", []string{"catalog"}, true, "bytes to datasets and back; whoever calls it reads and writes files"},
	{"store", []string{"account", "catalog", "ingest", "intake", "migrations"}, false, "an adapter of the domain: keeps what imports and accounts are made of, knows nothing of pages"},
	{"web", []string{"account", "advisor", "catalog", "change", "exportcontrol", "ingest", "intake", "ladder", "live", "locale", "plot", "sheet", "static", "web/api", "web/chart", "web/view"}, false, "declares what it needs of a database instead of importing store, and gets it from cmd"},
	{"web/api", []string{"advisor", "catalog", "change", "exportcontrol", "ingest", "intake", "ladder", "live"}, false, "the contract of the JSON API is made of the domain alone, not of pages"},
	{"web/chart", nil, false, "drawings know lengths and inks, not cards; it reads fonts of the system"},
	{"web/view", []string{"locale", "static"}, true, "components show strings and numbers: no domain, so that a page's struct is all there is to it"},
	{"cmd/tianti", []string{"*"}, false, "wires everything together"},
	{"cmd/tianti/internal/export", []string{"catalog", "seed", "sheet", "web/api"}, true, "files of the whole catalogue, in the shapes of the API"},
	{"cmd/tianti/internal/nvml", []string{"live"}, false, "the one leaf with cgo: the driver's library, read in a process that may die of it"},
	{"cmd/tianti/internal/nvml/nvmltest", nil, false, "compiles a stand-in for the driver's library"},
	{"bench/live", []string{"bench/...", "live", "live/sample"}, false, "measures the program from outside, with recordings of devices that it makes"},
	{"bench/import", []string{"bench/...", "catalog", "intake", "store"}, false, "measures the store beside the program, with rows that need no reading"},
	{"bench/...", []string{"bench/...", "catalog", "catalog/sample", "static"}, false, "measures the program from outside, as a process"},
	{"test/...", []string{"*"}, false, "looks at the program from outside"},
}

// A guest is an import that only some rooms may have.
type guest struct {
	path string // the import, and those below it
	in   []string
	why  string
}

var guests = []guest{
	{"database/sql", []string{"store", "bench/..."}, "only store knows SQL; bench measures another program's tables beside ours"},
	{"modernc.org/sqlite", []string{"store", "bench/..."}, "only store knows SQL"},
	{"github.com/pressly/goose", []string{"store"}, "only store changes the schema"},
	{"github.com/go-chi/chi", []string{"web"}, "routes are declared in one place; handlers see net/http"},
	{"github.com/danielgtaylor/huma", []string{"web", "web/api"}, "the API document belongs to the contract"},
	{"github.com/a-h/templ", []string{"web", "web/view"}, "HTML is made by views"},
	{"github.com/alexedwards/scs", []string{"web"}, "sessions belong to browsers"},
	{"github.com/alexedwards/argon2id", []string{"account"}, "passwords are hashed in one place"},
	{"github.com/maypok86/otter", []string{"web"}, "caches hold rendered pages; the domain is a snapshot and needs none"},
	{"github.com/alecthomas/kong", []string{"cmd/tianti"}, "command lines are the command's"},
	{"gonum.org/v1/gonum", []string{"advisor", "advisor/kriging"}, "linear algebra belongs to the statistics of estimates"},
	{"github.com/Rhymond/go-money", []string{"catalog"}, "which currencies there are is known to the domain's money"},
	{"git.sr.ht/~sbinet/gg", []string{"web/chart"}, "painting is for drawings"},
	{"golang.org/x/image", []string{"web/chart"}, "fonts are for paintings"},
	{"github.com/aclements/go-moremath", []string{"web/chart"}, "scales and ticks belong to drawings"},
	{"github.com/goccy/go-yaml", []string{"seed", "locale"}, "YAML is the format of data files and message catalogues"},
	{"golang.org/x/text/encoding", []string{"ingest"}, "files of others come in their encodings; everything behind is UTF-8"},
	{"github.com/NVIDIA/go-nvml", []string{"cmd/tianti/internal/nvml"}, "it needs cgo, and can end the process"},
	{"C", []string{"cmd/tianti/internal/nvml"}, "cgo stays in one leaf, behind the compiler's internal rule"},
}

// outside is what pure rooms leave to others.
var outside = []string{"os", "net", "net/http", "io/ioutil", "log", "log/slog", "database/sql", "syscall", "os/exec", "os/signal"}

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

// readSources parses the Go files of the module that are part of the program:
// tests may look into any room.
func readSources(fsys fs.FS) ([]source, error) {
	var out []source
	err := fs.WalkDir(fsys, ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() {
			if base := path.Base(name); name != "." && (base == "testdata" || base == "node_modules" || base[0] == '.' || base[0] == '_') {
				return fs.SkipDir
			}
			return nil
		}
		if !strings.HasSuffix(name, ".go") || strings.HasSuffix(name, "_test.go") {
			return nil
		}
		s, err := readSource(fsys, name)
		out = append(out, s)
		return err
	})
	return out, err
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
		if x, ok := sel.X.(*ast.Ident); ok && x.Name == name && slices.Contains([]string{"Now", "Since", "Until", "Sleep", "After", "Tick", "NewTimer", "NewTicker"}, sel.Sel.Name) {
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
			out = append(out, fmt.Sprintf("%s: %s is no room of the house: add it to the table, with a reason", s.file, folder))
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
	if strings.HasPrefix(p, module) && !slices.ContainsFunc(r.may, covered) {
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
		"catalog/a.go":               file(`"tianti/store"`),
		"catalog/b.go":               file(`"net/url"; "time"`),
		"catalog/clock.go":           {Data: []byte("package catalog\n\nimport t \"time\"\n\nvar now = t.Now()\nvar day = t.Hour\n")},
		"catalog/test_test.go":       file(`"os"; "tianti/web"`),
		"catalog/testdata/x.go":      file(`"os"`),
		"web/a.go":                   file(`"tianti/store"; "tianti/web/view"; "net/http"; "github.com/go-chi/chi/v5"`),
		"web/view/a.go":              file(`"tianti/catalog"; "os"`),
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
		"web/view/a.go imports tianti/catalog",
		"web/view/a.go imports os",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}
