package main

import (
	"bufio"
	"bytes"
	"crypto/sha256"
	"database/sql"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"tianti/test/slow"
)

// TestMain makes this test also the program tianti, in the PATH of the tests, and
// the process that the program starts from itself.
func TestMain(m *testing.M) {
	if len(os.Args) > 1 && os.Args[1] == "live-probe" {
		main()
	}
	testscript.Main(m, map[string]func(){"tianti": func() {
		if os.Getenv("TIANTI_TEST_AHEAD") == "" {
			computesAhead = "no"
		}
		dropPrivileges()
		main()
	}})
}

func TestScripts(t *testing.T) { runScripts(t, testscript.Params{Dir: "testdata/script"}) }

// TestFullScripts runs the scripts that have lines marked as slow, with these.
func TestFullScripts(t *testing.T) {
	slow.Only(t)
	runScripts(t, testscript.Params{Files: []string{"testdata/script/roundtrip.txtar"}})
}

func runScripts(t *testing.T, p testscript.Params) {
	p.Cmds = map[string]func(ts *testscript.TestScript, neg bool, args []string){
		"sql":      scriptSQL,
		"hold":     scriptHold,
		"truncate": scriptTruncate,
		"oneline":  scriptOneLine,
		"snapshot": scriptSnapshot,
	}
	p.Condition = func(name string) (bool, error) {
		switch name {
		case "tmpfs": // whether a small disk can be had
			return exec.Command("unshare", "-rm", "mount", "-t", "tmpfs", "none", t.TempDir()).Run() == nil, nil
		case "slow": // whether the slow tests were asked for
			return os.Getenv("TIANTI_SLOW") != "", nil
		}
		return false, fmt.Errorf("unknown condition %q", name)
	}
	p.RequireExplicitExec, p.RequireUniqueNames = true, true
	testscript.Run(t, p)
}

func openSQL(ts *testscript.TestScript, file string) *sql.DB {
	db, err := sql.Open("sqlite", ts.MkAbs(file))
	ts.Check(err)
	db.SetMaxOpenConns(1)
	return db
}

// scriptSQL runs statements: sql FILE STATEMENT…
func scriptSQL(ts *testscript.TestScript, neg bool, args []string) {
	db := openSQL(ts, args[0])
	defer db.Close()
	for _, statement := range args[1:] {
		_, err := db.Exec(statement)
		ts.Check(err)
	}
}

// scriptHold keeps a database locked until the end of the script: hold FILE.
func scriptHold(ts *testscript.TestScript, neg bool, args []string) {
	db := openSQL(ts, args[0])
	ts.Defer(func() { db.Close() })
	for _, statement := range []string{"PRAGMA locking_mode = EXCLUSIVE", "UPDATE catalogue SET revision = revision"} {
		_, err := db.Exec(statement)
		ts.Check(err)
	}
}

// scriptTruncate cuts a file: truncate FILE BYTES.
func scriptTruncate(ts *testscript.TestScript, neg bool, args []string) {
	size, err := strconv.ParseInt(args[1], 10, 64)
	ts.Check(err)
	ts.Check(os.Truncate(ts.MkAbs(args[0]), size))
}

// scriptOneLine checks that the last command wrote exactly one line to stderr,
// and that it begins with "tianti: ".
func scriptOneLine(ts *testscript.TestScript, neg bool, args []string) {
	got := ts.ReadFile("stderr")
	if strings.Count(got, "\n") != 1 || !strings.HasPrefix(got, "tianti: ") {
		ts.Fatalf("got %q, want one line of tianti's", got)
	}
}

// scriptSnapshot writes down how a file or folder looks now, to compare it with
// later: snapshot PATH FILE.
func scriptSnapshot(ts *testscript.TestScript, neg bool, args []string) {
	var b strings.Builder
	err := filepath.Walk(ts.MkAbs(args[0]), func(path string, info os.FileInfo, err error) error {
		if err != nil {
			return err
		}
		fmt.Fprintln(&b, path, info.Mode())
		if info.Mode().IsRegular() {
			content, err := os.ReadFile(path)
			fmt.Fprintf(&b, "%x\n", sha256.Sum256(content))
			return err
		}
		return nil
	})
	ts.Check(err)
	ts.Check(os.WriteFile(ts.MkAbs(args[1]), []byte(b.String()), 0o600))
}

// A process is a running tianti.
type process struct {
	*exec.Cmd
	url    string // "" when it ended before it was ready
	stderr *output
}

// output is a buffer that may be read while it is written to.
type output struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (o *output) Write(b []byte) (int, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.b.Write(b)
}

func (o *output) String() string {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.b.String()
}

// start runs tianti with a free port in a folder of its own (unless prepare
// changes that) and returns when it is ready or has ended.
func start(t *testing.T, prepare func(*exec.Cmd), args ...string) *process {
	t.Helper()
	p := &process{Cmd: exec.Command("tianti", args...), stderr: new(output)}
	p.Dir, p.Stderr = t.TempDir(), p.stderr
	p.Env = append(os.Environ(), "TIANTI_LISTEN=127.0.0.1:0", "TIANTI_DRAIN=0s")
	if prepare != nil {
		prepare(p.Cmd)
	}
	out, err := p.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := p.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = p.Process.Kill(); _ = p.Wait() })
	line, _ := bufio.NewReader(out).ReadString('\n')
	if url, ok := strings.CutPrefix(line, "Tianti is ready: "); ok {
		p.url = strings.TrimSpace(url)
	}
	return p
}

// get returns the status and the body of an answer.
func (p *process) get(t *testing.T, path string) (int, string) {
	t.Helper()
	res, err := http.Get(p.url + path)
	if err != nil {
		t.Fatalf("%v\n%s", err, p.stderr)
	}
	defer res.Body.Close()
	body, err := io.ReadAll(res.Body)
	if err != nil {
		t.Fatal(err)
	}
	return res.StatusCode, string(body)
}
