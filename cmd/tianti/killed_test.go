//go:build unix

package main

import (
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"tianti/bench/history"
	"tianti/test/postgres"
	"tianti/test/slow"
)

// A killing is a command that is killed, and what is looked at afterwards.
type killing struct {
	t       *testing.T
	db, dir string
	round   int
	before  int // prices that are shown of the rounds before
	each    int // that a round adds to them
}

// killings are the commands that write in more than one change, or into files. What each change of a database leaves
// is tested in package store.
var killings = map[string]struct {
	begin func(k *killing)                 // once
	next  func(k *killing) (args []string) // before each killing: the command
	whole func(k *killing, killed bool)    // after each, also once the command has ended undisturbed
}{
	"first start": {
		begin: func(*killing) {},
		next: func(k *killing) []string {
			if strings.HasPrefix(k.db, "postgres:") {
				k.db = postgres.New(k.t)
			} else {
				k.db = filepath.Join(k.dir, fmt.Sprintf("first-%d.db", k.round))
			}
			return []string{"serve", "--db", k.db}
		},
		whole: func(k *killing, killed bool) {
			if killed {
				return // the next start makes of it what it has to be
			}
			cards := []string{"export", "--format", "csv"}
			if k.runs(cards...) != k.inDefault(cards...) {
				k.t.Error("the catalogue is another one than the built-in one")
			}
			list := k.runs("datasets", "revisions", "builtin")
			if strings.Count(list, "built-in data of version") != 1 {
				k.t.Errorf("the built-in data are there more than once:\n%s", list)
			}
		},
	},
	"import": {
		begin: func(k *killing) { k.runs(k.imports(0, 3000)...); k.before = k.shown() },
		next: func(k *killing) []string {
			return append(k.imports(k.round, 3000), "--db", k.db)
		},
		whole: (*killing).pricesAreWhole,
	},
	"refresh": {
		begin: func(k *killing) {
			k.write("feeds.yaml", "feeds:\n- {id: history, file: prices.csv, mode: add, "+
				"source_title: A list, source_url: 'https://example.org/list'}\n")
			k.runs(k.imports(0, 3000)...)
			k.before = k.shown()
		},
		next: func(k *killing) []string {
			k.prices(k.round, 3000)
			return []string{"refresh", "--apply", "--db", k.db, filepath.Join(k.dir, "feeds.yaml")}
		},
		whole: (*killing).pricesAreWhole,
	},
	"publish": {
		begin: func(k *killing) {
			k.runs("migrate")
			if err := os.Mkdir(filepath.Join(k.dir, "store"), 0o700); err != nil {
				k.t.Fatal(err)
			}
			k.runs("publish", "--to", "file://"+filepath.Join(k.dir, "store"))
		},
		next: func(k *killing) []string {
			k.runs(k.imports(k.round, 500)...)
			return []string{"publish", "--prices-apart", "0", "--to", "file://" + filepath.Join(k.dir, "store"), "--db",
				k.db}
		},
		whole: (*killing).storeIsWhole,
	},
	"backup": {
		begin: func(k *killing) { k.runs(k.imports(0, 3000)...) },
		next: func(k *killing) []string {
			return []string{"backup", "--db", k.db, filepath.Join(k.dir, fmt.Sprintf("copy-%d.db", k.round))}
		},
		whole: func(k *killing, killed bool) {
			copied := filepath.Join(k.dir, fmt.Sprintf("copy-%d.db", k.round))
			if _, err := os.Stat(copied); os.IsNotExist(err) && killed {
				return
			}
			of := *k
			of.db = copied
			args := []string{"export", "--format", "csv", "--table", "prices"}
			if of.runs(args...) != k.runs(args...) {
				k.t.Error("the copy is not the database")
			}
			k.remove(copied)
		},
	},
	"export": {
		begin: func(k *killing) { k.runs(k.imports(0, 3000)...) },
		next: func(k *killing) []string {
			return []string{"export", "--format", "csv", "--table", "prices", "--db", k.db, "--output",
				filepath.Join(k.dir, fmt.Sprintf("prices-%d.csv", k.round))}
		},
		whole: func(k *killing, killed bool) {
			written := filepath.Join(k.dir, fmt.Sprintf("prices-%d.csv", k.round))
			text, err := os.ReadFile(written)
			if os.IsNotExist(err) && killed {
				return
			}
			if err != nil || string(text) != k.runs("export", "--format", "csv", "--table", "prices") {
				k.t.Errorf("%d bytes are in the file, which is not the table (%v)", len(text), err)
			}
			k.remove(written)
		},
	},
}

func TestACommandThatIsKilledLeavesAWholeState(t *testing.T) {
	slow.WithoutRace(t)
	names := slices.Sorted(maps.Keys(killings))
	killCommands(t, 1, rand.IntN(2) == 0, names[rand.IntN(len(names))])
}

// TestFullACommandThatIsKilledLeavesAWholeState kills each command at ten moments on either database.
func TestFullACommandThatIsKilledLeavesAWholeState(t *testing.T) {
	slow.Only(t)
	for _, onServer := range []bool{false, true} {
		killCommands(t, 10, onServer, slices.Sorted(maps.Keys(killings))...)
	}
}

func killCommands(t *testing.T, times int, onServer bool, names ...string) {
	for _, name := range names {
		t.Run(fmt.Sprintf("%s, server %v", name, onServer), func(t *testing.T) {
			k := &killing{t: t, dir: t.TempDir()}
			k.db = filepath.Join(k.dir, "tianti.db")
			if onServer {
				k.db = postgres.New(t)
			}
			what := killings[name]
			what.begin(k)
			k.round = 1
			took := k.ends(what.next(k), 0)
			what.whole(k, false)
			killed := 0
			for k.round = 2; k.round < times+2 && !t.Failed(); k.round++ {
				args := what.next(k)
				if ended := k.ends(args, 1+rand.N(took)); ended > 0 {
					took = min(took, ended) // the machine has more time for it now
				} else {
					killed++
					what.whole(k, true)
					k.ends(args, 0)
				}
				what.whole(k, false)
			}
			t.Logf("%d of %d were killed, of %s", killed, times, took)
			if times >= 10 && killed < 3 {
				t.Errorf("%d of %d were killed before their end", killed, times)
			}
		})
	}
}

// ends runs a command to its end, and returns how long that took; it kills it after a time unless that is 0, and then
// returns 0 when it had not ended. Of a server the end is that it is ready.
func (k *killing) ends(args []string, after time.Duration) time.Duration {
	k.t.Helper()
	began := time.Now()
	cmd := exec.Command("tianti", args...)
	cmd.Dir = k.dir
	cmd.Env = append(os.Environ(), "TIANTI_LISTEN=127.0.0.1:0", "TIANTI_DRAIN=0s")
	stderr := new(output)
	cmd.Stderr = stderr
	out, err := cmd.StdoutPipe()
	if err != nil {
		k.t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		k.t.Fatal(err)
	}
	if after > 0 {
		timer := time.AfterFunc(after, func() { _ = cmd.Process.Kill() })
		defer timer.Stop()
	}
	var said []byte
	ready := false
	for part := make([]byte, 1024); ; {
		n, err := out.Read(part)
		said = append(said, part[:n]...)
		if args[0] == "serve" && !ready && strings.Contains(string(said), "Tianti is ready") {
			ready = true
			_ = cmd.Process.Signal(os.Interrupt)
		}
		if err != nil {
			break
		}
	}
	switch err := cmd.Wait(); {
	case err == nil:
		return time.Since(began)
	case after > 0 && cmd.ProcessState.ExitCode() == -1:
		return 0
	default:
		k.t.Fatalf("tianti %s: %v\n%s%s", strings.Join(args, " "), err, said, stderr)
	}
	return 0
}

// runs runs a command on the database, and returns what it prints.
func (k *killing) runs(args ...string) string {
	k.t.Helper()
	return k.inDefault(append(args, "--db", k.db)...)
}

func (k *killing) inDefault(args ...string) string {
	k.t.Helper()
	cmd := exec.Command("tianti", args...)
	cmd.Dir = k.t.TempDir()
	stderr := new(output)
	cmd.Stderr = stderr
	out, err := cmd.Output()
	if err != nil {
		k.t.Fatalf("tianti %s: %v\n%s%s", strings.Join(args, " "), err, out, stderr)
	}
	return string(out)
}

func (k *killing) write(name, text string) string {
	k.t.Helper()
	file := filepath.Join(k.dir, name)
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		k.t.Fatal(err)
	}
	return file
}

func (k *killing) remove(file string) {
	k.t.Helper()
	if err := os.Remove(file); err != nil {
		k.t.Error(err)
	}
}

// prices writes a file of so many prices, other ones each round.
func (k *killing) prices(round, n int) string {
	k.t.Helper()
	h, err := history.New(500)
	if err != nil {
		k.t.Fatal(err)
	}
	file := filepath.Join(k.dir, "prices.csv")
	if err := h.Write(file, round*6000, n); err != nil {
		k.t.Fatal(err)
	}
	return file
}

// imports is the command that imports a file of so many prices.
func (k *killing) imports(round, n int) []string {
	return []string{"import", "--yes", "--dataset", "history", "--source-title", "A list", "--source-url",
		"https://example.org/list", k.prices(round, n)}
}

// shown counts the prices of the files that are shown.
func (k *killing) shown() int {
	k.t.Helper()
	return strings.Count(k.runs("export", "--format", "csv", "--table", "prices"), ",Seller ")
}

// pricesAreWhole: of the file of a round all prices are there or none, and all once it was taken over; a revision is
// there for each round.
func (k *killing) pricesAreWhole(killed bool) {
	k.t.Helper()
	n := k.shown()
	if k.each == 0 {
		if k.each = n - k.before; k.each < 2500 {
			k.t.Fatalf("%d prices of 3000 are shown", k.each)
		}
	}
	if more := n - k.before; more != k.each && (!killed || more != 0) {
		k.t.Errorf("round %d, killed %v: %d prices more are there, want %d, or none when it was killed", k.round,
			killed, more, k.each)
	}
	if killed {
		return
	}
	k.before = n
	list := k.runs("datasets", "revisions", "history", "--json")
	if revisions := strings.Count(list, `"number"`); revisions != 1+k.round {
		k.t.Errorf("round %d: %d revisions are there", k.round, revisions)
	}
}

// storeIsWhole: current.json names a snapshot that is whole, whose files of prices are, too; once it was published it
// is that of the database, and nothing else is left.
func (k *killing) storeIsWhole(killed bool) {
	k.t.Helper()
	at := filepath.Join(k.dir, "store")
	read := func(name string, v any) []byte {
		text, err := os.ReadFile(filepath.Join(at, name))
		if err == nil && v != nil {
			err = json.Unmarshal(text, v)
		}
		if err != nil {
			k.t.Fatal(err)
		}
		return text
	}
	check := func(name, sum string) {
		if got := fmt.Sprintf("%x", sha256.Sum256(read(name, nil))); got != sum {
			k.t.Errorf("%s has the hash %s, want %s", name, got, sum)
		}
	}
	var current struct {
		SHA256  string
		History *struct{ SHA256 string }
	}
	read("current.json", &current)
	check("snapshots/"+current.SHA256+".db.zst", current.SHA256)
	if current.History != nil {
		var list struct{ Parts []struct{ SHA256 string } }
		name := "history/" + current.History.SHA256 + ".json"
		read(name, &list)
		check(name, current.History.SHA256)
		for _, p := range list.Parts {
			check("history/"+p.SHA256+".parquet", p.SHA256)
		}
		if len(list.Parts) == 0 {
			k.t.Error("the list of prices is empty")
		}
	}
	if killed {
		return
	}
	reader := start(k.t, nil, "--from", "file://"+at)
	want := 500 * k.round
	_, body := reader.get(k.t, "/api/v1/prices.csv")
	if got := strings.Count(body, "Seller "); got != want {
		k.t.Errorf("a reader shows %d prices, want %d", got, want)
	}
	kill(k.t, reader)
}
