package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"time"

	"tianti/bench/process"
)

// A kind is a way to start the program; the list names it in a heading.
type kind struct {
	flags    []string
	accounts bool // anna administers, bob reads, and they have tokens
	// inOrder: the requests change what later ones answer.
	inOrder bool
	// prepared: the database is there, as --read-only wants it.
	prepared bool
}

// off: this host may have devices, which are busy with something else each time.
const off = "--live=off"

var kinds = map[string]kind{
	"public":    {flags: []string{off}},
	"origin":    {flags: []string{off, "--origin", "https://tianti.example", "--trusted-proxy", "127.0.0.1"}},
	"live":      {flags: []string{replay}},
	"setup":     {flags: []string{off, "--setup-link"}, inOrder: true},
	"setup-zh":  {flags: []string{off, "--setup-link"}, inOrder: true},
	"accounts":  {flags: []string{off}, accounts: true, inOrder: true},
	"private":   {flags: []string{replay, "--private"}, accounts: true, inOrder: true},
	"read-only": {flags: []string{off, "--read-only"}, prepared: true},
	"limited":   {flags: []string{off, "--rate-limit", "1"}, inOrder: true},
	"private-read-only": {flags: []string{off, "--private", "--read-only"},
		accounts: true, inOrder: true, prepared: true},
}

// replay is the flag for the recording; readings in it stands for the file.
const (
	replay   = "--live=replay:" + readings
	readings = "READINGS"
)

// people are the accounts of servers that have them, with roles and passwords.
var people = map[string]struct{ role, password string }{
	"anna": {"administrator", "correct horse battery"},
	"bob":  {"reader", "staple the other horse"},
}

// A server is a running program, and what was told when it was made ready.
type server struct {
	*process.Process
	log    string            // file of its standard error
	values map[string]string // that requests name in braces
}

// start makes a database for a kind of server in dir and serves it.
func start(program, name, dir string) (*server, error) {
	k, known := kinds[name]
	if !known {
		return nil, fmt.Errorf("the list names a server %q, which there is not", name)
	}
	s := &server{log: filepath.Join(dir, "server.log"), values: map[string]string{}}
	db := filepath.Join(dir, "tianti.db")
	if k.prepared {
		if err := prepare(program, db); err != nil {
			return nil, err
		}
	}
	if k.accounts {
		if err := s.addAccounts(program, db); err != nil {
			return nil, err
		}
	}
	recording := filepath.Join(dir, "readings.ndjson")
	if err := os.WriteFile(recording, file("readings.ndjson"), 0o600); err != nil {
		return nil, err
	}
	args := []string{"serve", "--listen", "127.0.0.1:0", "--db", db, "--log-format", "json"}
	for _, f := range k.flags {
		args = append(args, strings.ReplaceAll(f, readings, recording))
	}
	log, err := os.Create(s.log)
	if err != nil {
		return nil, err
	}
	defer log.Close() // the program has it open too
	if s.Process, err = process.Start(log, program, args...); err != nil {
		said, _ := os.ReadFile(s.log)
		return nil, fmt.Errorf("%w\n%s", err, said)
	}
	return s, nil
}

// prepare makes a database with the built-in data.
func prepare(program, db string) error {
	var said bytes.Buffer
	p, err := process.Start(&said, program, "serve", "--listen", "127.0.0.1:0", "--db", db, off)
	if err != nil {
		return fmt.Errorf("%w\n%s", err, said.String())
	}
	return p.Stop()
}

// addAccounts makes the accounts, and a token of each scope.
func (s *server) addAccounts(program, db string) error {
	for _, name := range []string{"anna", "bob"} {
		p := people[name]
		if _, err := command(program, p.password, "admin", "create", "--db", db, "--role", p.role, name); err != nil {
			return err
		}
	}
	for _, t := range []struct{ scope, of string }{{"import", "anna"}, {"read", "bob"}} {
		flags := []string{"--db", db, "--account", t.of, "--scope", t.scope}
		secret, err := command(program, "", append([]string{"token", "create", "of " + t.of}, flags...)...)
		if err != nil {
			return err
		}
		s.values["token:"+t.scope] = strings.TrimSpace(secret)
	}
	return nil
}

// command runs a command of the program and returns what it prints.
func command(program, input string, args ...string) (string, error) {
	cmd := exec.Command(program, args...)
	cmd.Stdin = strings.NewReader(input + "\n")
	var out, complaint bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &complaint
	if err := cmd.Run(); err != nil {
		return "", fmt.Errorf("tianti %s: %w: %s", strings.Join(args, " "), err, complaint.String())
	}
	return out.String(), nil
}

var setupLink = regexp.MustCompile(`/admin/setup\?key=(\S+)`)

// setupKey is the key of the link that makes the first administrator: the program
// writes it after its address.
func (s *server) setupKey() (string, error) {
	for range 100 {
		said, err := os.ReadFile(s.log)
		if err != nil {
			return "", err
		}
		if m := setupLink.FindSubmatch(said); m != nil {
			return string(m[1]), nil
		}
		time.Sleep(50 * time.Millisecond)
	}
	return "", errors.New("the program printed no link for the first administrator")
}

// A reached route is what the log says of requests: the pattern of the route and how
// it answered.
type reached struct {
	Msg, Method, Pattern string
	Status               int
}

// routes are those that answered, read from the log; call it when the program has ended.
func (s *server) routes() ([]reached, error) {
	f, err := os.Open(s.log)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	var out []reached
	for lines := bufio.NewScanner(f); lines.Scan(); {
		var r reached
		if json.Unmarshal(lines.Bytes(), &r) == nil && r.Msg == "request" {
			out = append(out, r)
		}
	}
	return out, nil
}
