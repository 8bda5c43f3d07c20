package main

import (
	"bytes"
	"context"
	"errors"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"tianti/account"
	"tianti/audit"
	"tianti/store"
)

var setupLink = regexp.MustCompile(`http://127\.0\.0\.1:\d+(/admin/setup\?key=[A-Za-z0-9_-]{43})\n`)

func TestTheSetupLinkIsPrintedWhileThereIsNoAccount(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "tianti.db")
	if p := start(t, nil, "--db", path); p.url == "" || strings.Contains(p.stderr.String(), "setup?key") {
		t.Errorf("a link stands in what is no terminal:\n%s", p.stderr)
	}
	p := start(t, nil, "--db", path, "--setup-link")
	link := waitFor(t, p, setupLink)
	jar, err := cookiejar.New(nil)
	if err != nil {
		t.Fatal(err)
	}
	browser := &http.Client{Jar: jar}
	key, _ := url.ParseQuery(link[strings.Index(link, "?")+1:])
	res, err := browser.PostForm(p.url+"/admin/setup",
		url.Values{"key": key["key"], "name": {"anna"}, "password": {"correct horse battery"}})
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	if res.StatusCode != http.StatusOK || res.Request.URL.Path != "/admin" {
		t.Errorf("got %d at %s, want to be signed in", res.StatusCode, res.Request.URL)
	}
	if again := start(t, nil, "--db", path, "--setup-link"); again.url == "" ||
		strings.Contains(again.stderr.String(), "setup?key") {
		t.Errorf("there is an account, and a link all the same:\n%s", again.stderr)
	}
	_ = p.Process.Signal(os.Interrupt)
	_ = p.Wait()
	for line := range strings.Lines(p.stderr.String()) {
		if strings.HasPrefix(line, "{") && strings.Contains(line, key.Get("key")) {
			t.Errorf("the log has the secret: %s", line)
		}
	}
}

// waitFor waits until standard error has what is looked for, and returns its group.
func waitFor(t *testing.T, p *process, what *regexp.Regexp) string {
	t.Helper()
	for deadline := time.Now().Add(10 * time.Second); time.Now().Before(deadline); {
		if m := what.FindStringSubmatch(p.stderr.String()); m != nil {
			return m[1]
		}
	}
	t.Fatalf("no %s in\n%s", what, p.stderr)
	return ""
}

func TestAReadOnlyServerChangesNothing(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "tianti.db")
	p := start(t, nil, "--db", path)
	_ = p.Process.Signal(os.Interrupt)
	_ = p.Wait()
	before, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	p = start(t, nil, "--db", path, "--read-only")
	if p.url == "" {
		t.Fatalf("not ready: %s", p.stderr)
	}
	for path, want := range map[string]int{"/cards": 200, "/readyz": 200, "/admin": 403, "/admin/sign-in": 403} {
		if got, body := p.get(t, path); got != want || want == 403 && !strings.Contains(body, "--read-only") {
			t.Errorf("%s: got %d, want %d", path, got, want)
		}
	}
	_ = p.Process.Signal(os.Interrupt)
	if err := p.Wait(); err != nil {
		t.Errorf("%v\n%s", err, p.stderr)
	}
	if after, err := os.ReadFile(path); err != nil || !bytes.Equal(before, after) {
		t.Errorf("the database was changed, %v", err)
	}
}

func TestAPrivateServerAsksEverybody(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "tianti.db")
	create := exec.Command("tianti", "admin", "create", "--db", path, "anna")
	create.Stdin = strings.NewReader("correct horse battery\n")
	if out, err := create.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	p := start(t, nil, "--db", path, "--private")
	for path, want := range map[string]int{"/api/v1/cards": 401, "/readyz": 200, "/metrics": 401} {
		if got, _ := p.get(t, path); got != want {
			t.Errorf("%s: got %d, want %d", path, got, want)
		}
	}
	db, err := store.Open(context.Background(), path, store.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	entries, _, err := db.Entries(context.Background(), entriesOf("account.create"))
	if err != nil || len(entries) != 1 || entries[0].Actor.Channel != "command" ||
		entries[0].Actor.Name != systemUser() {
		t.Errorf("got %+v, %v, want the user of the system in the record", entries, err)
	}
}

func TestPasswordsAreAskedForTwice(t *testing.T) {
	var prompts []string
	answers := []string{"one", "another", "same", "same"}
	got, err := twice(func(prompt string) (string, error) {
		prompts = append(prompts, prompt)
		answer := answers[0]
		answers = answers[1:]
		return answer, nil
	})
	if got != "same" || err != nil || len(prompts) != 4 || prompts[0] != "Password: " || prompts[1] != "Once more: " {
		t.Errorf("got %q, %v after %q", got, err, prompts)
	}
	n := 0
	if _, err := twice(func(string) (string, error) { n++; return strings.Repeat("x", n), nil }); err == nil || n != 6 {
		t.Errorf("got %v after %d answers, want an end after three pairs", err, n)
	}
	if _, err := twice(func(string) (string, error) { return "", errors.New("gone") }); err == nil {
		t.Error("the end of the terminal is no password")
	}
}

func TestThePasswordIsTheFirstLine(t *testing.T) {
	for given, want := range map[string]string{"a b\r\nsecond": "a b", "no end": "no end", "": "",
		" spaces \n": " spaces "} {
		if got, err := firstLine(strings.NewReader(given)); got != want || err != nil {
			t.Errorf("%q: got %q, %v, want %q", given, got, err, want)
		}
	}
	if got, err := firstLine(strings.NewReader(strings.Repeat("x", 1<<20))); err != nil ||
		len(got) > account.MaxPassword+2 {
		t.Errorf("got %d bytes, %v of a line without an end", len(got), err)
	}
}

func entriesOf(action string) audit.Query { return audit.Query{Action: action, N: 10} }
