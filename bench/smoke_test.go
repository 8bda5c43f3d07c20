//go:build linux

// Package bench_test runs every program that measures Tianti for a moment: whether it
// still runs, not what it measures. Some are run each day, the others with the slow tests.
package bench_test

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"tianti/bench/process"
	"tianti/test/slow"
	"tianti/test/sources"
)

// A run is one way to start a program, with what it has to print.
type run struct {
	args   string
	prints []string // regular expressions
	needs  string   // a program that is no part of this module
}

// runs are those of each program, by its folder.
var runs = map[string][]run{
	"load": {{
		args: "-cards 50 -rounds 1 -seconds 0.05 -connections 2 -addresses 5000",
		prints: []string{
			`cached HTML, /cards \((br|zstd)\)`, `cached JSON, 50 cards, plain \(identity\)`, `304, /cards`,
			`never-seen JSON, plain \(identity\)`, `never-seen JSON, gzip \(gzip\)`, `tianti +[1-9]\d* req/s`,
			`resident after the load: [1-9]`,
		},
	}},
	"soak": {{
		args:   "-for 500ms -prices 1000",
		prints: []string{`answers: .*[1-9]\d* × 200.*[1-9]\d* × 201`, `goroutines without clients: [1-9]`, `passed`},
	}},
	"start": {{
		args: "-times 1 -cards 100 -settle 0s",
		prints: []string{
			`new database: /readyz \S+s`, `existing database: /readyz`, `100 more cards: .*resident [1-9]\d* MB`,
		},
	}},
	"import": {
		{
			args: "-rows 2000 -times 1",
			prints: []string{
				`2000 prices`, `sqlite3 .import, unique offers +\d`, `store: rows → draft +\d`, `tianti import +\d`,
			},
			needs: "sqlite3",
		},
		{
			args: "-pages -rows 2000 -calm 100ms",
			prints: []string{
				`draft by the command, \d`, `draft by the API, applied, \d`, `with the new prices, \d`,
				`/prices +[1-9]`,
			},
		},
	},
	"prices": {{
		args: "-rows 4000 -offers 400 -file 2500 -settle 0 -swaps 2",
		prints: []string{`2500 prices after 0: `, `1500 prices after 2500: `, `one more price: .* grows by \d+ kB`,
			`start: first page after \S+s`, `memory: [1-9]\d* MB, while swapping`},
	}},
	"growth": {{
		args: "-cards 20 -prices 4000 -settle 0s",
		prints: []string{`start: first page after \S+s`, `a card: [0-9.]+ ms the quickest of 5`,
			`one price more: shown after .* at most [1-9]\d* MB`},
	}, {
		args:   "-cards 60 -imported -settle 0s",
		prints: []string{`cards-1: 60 cards, .* shown \S+s after`, `card page 5: [0-9.]+ ms`, `memory: [1-9]\d* MB`},
	}},
	"live": {{
		args:   "-for 1s -viewers 3",
		prints: []string{`/live/stream +3 `, `/api/v1/live/stream +3 `, `goroutines before the first viewer: [1-9]`},
	}},
}

// elsewhere are programs that tests of their own run.
var elsewhere = map[string]string{
	"answers": "TestABuildAnswersLikeItself",
}

// programs are the folders here that hold a command of this module.
func programs(t *testing.T) []string {
	t.Helper()
	files, err := filepath.Glob("*/*.go")
	if err != nil {
		t.Fatal(err)
	}
	var folders []string
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		folder := filepath.Dir(file)
		if _, other := os.Stat(filepath.Join(folder, "go.mod")); other == nil {
			continue // a module of its own, which needs another product
		}
		if bytes.Contains(text, []byte("\nfunc main() {")) {
			folders = append(folders, folder)
		}
	}
	return folders
}

// daily are the programs that make test runs: what starts a server and what loads it. To link each takes more than a
// second.
var daily = []string{"load", "start"}

func TestDailyProgramsRunForAMoment(t *testing.T) {
	sources.Watch(t, "..")
	folders := programs(t)
	for folder := range runs {
		if !slices.Contains(folders, folder) {
			t.Errorf("%s: got no program, want one", folder)
		}
	}
	for _, folder := range folders {
		if len(runs[folder]) == 0 && elsewhere[folder] == "" {
			t.Errorf("%s: got no run here, want one: a program that nobody starts rots", folder)
		}
	}
	runForAMoment(t, daily)
}

func TestFullOtherProgramsRunForAMoment(t *testing.T) {
	slow.Only(t)
	runForAMoment(t, slices.DeleteFunc(programs(t), func(folder string) bool { return slices.Contains(daily, folder) }))
}

// runForAMoment builds programs and runs each.
func runForAMoment(t *testing.T, folders []string) {
	dir := t.TempDir()
	build := []string{"build", "-ldflags=-s -w " + process.ForTests, "-o", dir + "/", "../cmd/tianti"}
	for _, folder := range folders {
		build = append(build, "./"+folder)
	}
	if out, err := exec.Command("go", build...).CombinedOutput(); err != nil {
		t.Fatalf("go %s: %v\n%s", strings.Join(build, " "), err, out)
	}
	for _, folder := range folders {
		for _, r := range runs[folder] {
			t.Run(folder+" "+r.args, func(t *testing.T) {
				t.Parallel()
				r.try(t, filepath.Join(dir, folder), filepath.Join(dir, "tianti"))
			})
		}
	}
}

// try starts a program with Tianti's own and reads what it prints.
func (r run) try(t *testing.T, program, tianti string) {
	if r.needs != "" {
		if _, err := exec.LookPath(r.needs); err != nil {
			t.Skip(err)
		}
	}
	args := append([]string{"-tianti", tianti}, strings.Fields(r.args)...)
	cmd := exec.Command(program, args...)
	cmd.Env = append(os.Environ(), "TMPDIR="+t.TempDir())
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	for _, want := range r.prints {
		if !regexp.MustCompile(want).Match(out) {
			t.Errorf("got no %q in\n%s", want, out)
		}
	}
}
