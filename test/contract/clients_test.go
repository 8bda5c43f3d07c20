package contract_test

import (
	"bytes"
	"context"
	"encoding/json"
	"flag"
	"maps"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"tianti/test/slow"
)

// clients holds the generators and linters of others, a module and a package of npm of their own.
const clients = "../clients"

// released is the document of the last release, without its prose: what its clients rely on has to stay. Before the
// first one it is that of the day when the test was written; -update writes today's.
const released = "testdata/openapi-released.json"

var update = flag.Bool("update", false, "write the document of this version as the released one")

// withoutProse takes out of a document what no client is made of.
func withoutProse(v any) any {
	switch v := v.(type) {
	case map[string]any:
		for key, inner := range v {
			text, isText := inner.(string)
			if (key == "description" || key == "summary") && isText && text != "" {
				v[key] = "…"
			} else if key == "example" || key == "examples" {
				delete(v, key)
			} else {
				v[key] = withoutProse(inner)
			}
		}
	case []any:
		for i := range v {
			v[i] = withoutProse(v[i])
		}
	}
	return v
}

// command runs a program in a folder, and returns what it prints.
func command(t *testing.T, dir, name string, args ...string) (string, error) {
	t.Helper()
	cmd := exec.Command(name, args...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "GOFLAGS=", "NO_COLOR=1", "REDOCLY_TELEMETRY=off",
		"REDOCLY_SUPPRESS_UPDATE_NOTICE=true")
	out, err := cmd.CombinedOutput()
	return string(out), err
}

func must(t *testing.T, dir, name string, args ...string) string {
	t.Helper()
	out, err := command(t, dir, name, args...)
	if err != nil {
		t.Fatalf("%s %s: %v\n%.3000s", name, strings.Join(args, " "), err, out)
	}
	return out
}

func write(t *testing.T, name string, text []byte) {
	t.Helper()
	if err := os.WriteFile(name, text, 0o666); err != nil {
		t.Fatal(err)
	}
}

// workshop is a copy of the folder of clients with the document, and with the tools that are installed there once.
func workshop(t *testing.T, npm bool) string {
	t.Helper()
	dir := t.TempDir()
	for _, name := range []string{"call.ts", "go.mod", "go.sum", "main.go", "package.json", "spectral.yaml",
		"tsconfig.json"} {
		text, err := os.ReadFile(filepath.Join(clients, name))
		if err != nil {
			t.Fatal(err)
		}
		write(t, filepath.Join(dir, name), text)
	}
	write(t, filepath.Join(dir, "openapi.json"), serve(t).get("/api/openapi.json").Body.Bytes())
	if !npm {
		if out, err := command(t, dir, "go", "mod", "download"); err != nil {
			t.Skipf("the generators cannot be had here: %.300s", out)
		}
		return dir
	}
	modules, err := filepath.Abs(filepath.Join(clients, "node_modules"))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(filepath.Join(modules, ".package-lock.json")); err != nil {
		if out, err := command(t, clients, "npm", "ci", "--no-audit", "--no-fund", "--ignore-scripts"); err != nil {
			t.Skipf("the linters cannot be had here: %.300s", out)
		}
	}
	if err := os.Symlink(modules, filepath.Join(dir, "node_modules")); err != nil {
		t.Fatal(err)
	}
	return dir
}

// TestFullGeneratedClientsCallEveryOperation compiles clients that others' generators make of the document, and runs
// them against the program.
func TestFullGeneratedClientsCallEveryOperation(t *testing.T) {
	slow.Only(t)
	dir := workshop(t, false)
	address, token := program(t)
	if err := os.Mkdir(filepath.Join(dir, "api"), 0o777); err != nil {
		t.Fatal(err)
	}
	must(t, dir, "go", "tool", "oapi-codegen", "-generate", "types,client", "-package", "api", "-o", "api/api.gen.go",
		"openapi.json")
	called := must(t, dir, "go", "run", ".", address, token)
	var document struct {
		Paths map[string]map[string]struct{ OperationID string }
	}
	if err := json.Unmarshal(serve(t).get("/api/openapi.json").Body.Bytes(), &document); err != nil {
		t.Fatal(err)
	}
	operations := 0
	for _, path := range slices.Sorted(maps.Keys(document.Paths)) {
		for method, op := range document.Paths[path] {
			operations++
			pattern := regexp.MustCompile(`(?m)^` + strings.ToUpper(method) + " " +
				regexp.MustCompile(`\\\{[a-z]+\\\}`).
					ReplaceAllString(regexp.QuoteMeta(path), `[^/\n]+`) + "$")
			if !pattern.MatchString(called) {
				t.Errorf("%s (%s %s) is not called", op.OperationID, method, path)
			}
		}
	}
	if operations < 30 {
		t.Errorf("the document has %d operations; want all", operations)
	}
	t.Logf("%d operations are called by the client that oapi-codegen makes", operations)

	dir = workshop(t, true)
	must(t, dir, "npx", "openapi-typescript", "openapi.json", "-o", "api.d.ts")
	must(t, dir, "npx", "tsc", "-p", ".")
	asked := must(t, dir, "node", "out/call.js", address, token)
	t.Logf("%d are called by the client of openapi-typescript", strings.Count(asked, "GET "))
}

// TestFullLintersOfTheDocument asks Redocly and Spectral for errors.
func TestFullLintersOfTheDocument(t *testing.T) {
	slow.Only(t)
	dir := workshop(t, true)
	must(t, dir, "npx", "redocly", "lint", "openapi.json")
	must(t, dir, "npx", "spectral", "lint", "--ruleset", "spectral.yaml", "openapi.json")
	// They do find errors.
	broken := strings.Replace(serve(t).get("/api/openapi.json").Body.String(), `"operationId":"list-cards"`,
		`"operationId":"list-sources"`, 1)
	write(t, filepath.Join(dir, "broken.json"), []byte(broken))
	for _, args := range [][]string{{"redocly", "lint", "broken.json"},
		{"spectral", "lint", "--ruleset", "spectral.yaml", "broken.json"}} {
		if out, err := command(t, dir, "npx", args...); err == nil {
			t.Errorf("%s finds nothing in two operations of one id: %.500s", args[0], out)
		}
	}
}

// TestFullTheDocumentBreaksNoClient compares the document with that of the last release.
func TestFullTheDocumentBreaksNoClient(t *testing.T) {
	slow.Only(t)
	dir := workshop(t, false)
	before, err := filepath.Abs(released)
	if err != nil {
		t.Fatal(err)
	}
	if *update {
		var document any
		if err := json.Unmarshal(serve(t).get("/api/openapi.json").Body.Bytes(), &document); err != nil {
			t.Fatal(err)
		}
		text, err := json.MarshalIndent(withoutProse(document), "", " ")
		if err != nil {
			t.Fatal(err)
		}
		write(t, released, append(text, '\n'))
	}
	breaking := func(after string) (string, error) {
		return command(t, dir, "go", "tool", "oasdiff", "breaking", "--fail-on", "WARN", before, after)
	}
	if out, err := breaking("openapi.json"); err != nil {
		t.Errorf("clients of the last release break: %v\n%.3000s", err, out)
	}
	document := serve(t).get("/api/openapi.json").Body.Bytes()
	for what, change := range map[string][2]string{
		"an operation that is gone":    {`"/api/v1/peak":`, `"/api/v1/peaks":`},
		"a parameter that is gone":     {`"name":"baseline"`, `"name":"base"`},
		"a member that has a new name": {`"freshness"`, `"staleness"`},
	} {
		changed := bytes.ReplaceAll(document, []byte(change[0]), []byte(change[1]))
		if bytes.Equal(changed, document) {
			t.Fatalf("%s: %s does not stand in the document", what, change[0])
		}
		write(t, filepath.Join(dir, "changed.json"), changed)
		if out, err := breaking("changed.json"); err == nil {
			t.Errorf("%s is not found: %.500s", what, out)
		}
	}
}

// freeAddress is one at which a program can listen.
func freeAddress(t *testing.T) string {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	return listener.Addr().String()
}

// program starts tianti with a database of its own and returns its address and a token of an administrator.
func program(t *testing.T) (address, token string) {
	t.Helper()
	tianti, db := built(t)
	dir := filepath.Dir(db)
	password := filepath.Join(dir, "password")
	if err := os.WriteFile(password, []byte("a long word for tests\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	must(t, dir, tianti, "admin", "create", "--db", db, "--password-file", password, "anna")
	token = strings.TrimSpace(must(t, dir, tianti, "token", "create", "--db", db, "--account", "anna", "--scope",
		"import", "test"))
	return started(t, tianti, db), token
}

// serving starts tianti with the built-in data.
func serving(t *testing.T) (tianti, db, address string) {
	t.Helper()
	tianti, db = built(t)
	return tianti, db, started(t, tianti, db)
}

// built is the program, and the place of a database beside it.
func built(t *testing.T) (tianti, db string) {
	t.Helper()
	dir := t.TempDir()
	tianti = filepath.Join(dir, "tianti")
	must(t, "../..", "go", "build", "-ldflags=-s -w", "-o", tianti, "./cmd/tianti")
	return tianti, filepath.Join(dir, "x.db")
}

// started is the address of a server, once it answers.
func started(t *testing.T, tianti, db string) string {
	t.Helper()
	at := freeAddress(t)
	ctx, stop := context.WithCancel(context.Background())
	cmd := exec.CommandContext(ctx, tianti, "serve", "--db", db, "--listen", at)
	cmd.Cancel = func() error { return cmd.Process.Signal(os.Interrupt) }
	cmd.WaitDelay = 20 * time.Second
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { stop(); cmd.Wait() })
	for range 1200 {
		if r, err := http.Get("http://" + at + "/readyz"); err == nil {
			r.Body.Close()
			if r.StatusCode == http.StatusOK {
				return "http://" + at
			}
		}
		<-time.After(50 * time.Millisecond) // a process has no other sign
	}
	t.Fatal("the program is not ready after a minute")
	return ""
}
