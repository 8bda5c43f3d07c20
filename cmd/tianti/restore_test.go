package main

import (
	"bytes"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"syscall"
	"testing"
)

// TestABackupIsRestoredAsWritten goes through docs/backup.md: a copy of a database in use, its place taken by another,
// and the copy put back.
func TestABackupIsRestoredAsWritten(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	db, backup := filepath.Join(dir, "tianti.db"), filepath.Join(dir, "tianti-2026-11-20.db")
	command := func(in string, args ...string) string {
		t.Helper()
		c := exec.Command("tianti", args...)
		c.Stdin = strings.NewReader(in)
		out, err := c.CombinedOutput()
		if err != nil {
			t.Fatalf("tianti %v: %v\n%s", args, err, out)
		}
		return string(out)
	}
	stop := func(p *process) {
		t.Helper()
		if err := p.Process.Signal(syscall.SIGTERM); err != nil {
			t.Fatal(err)
		}
		if err := p.Wait(); err != nil {
			t.Fatal(err)
		}
	}
	signIn := func(p *process) int {
		t.Helper()
		jar, err := cookiejar.New(nil)
		if err != nil {
			t.Fatal(err)
		}
		c := &http.Client{Jar: jar, CheckRedirect: func(*http.Request, []*http.Request) error {
			return http.ErrUseLastResponse
		}}
		res, err := c.PostForm(p.url+"/admin/sign-in",
			url.Values{"name": {"anna"}, "password": {"correct horse battery"}})
		if err != nil {
			t.Fatal(err)
		}
		res.Body.Close()
		return res.StatusCode
	}

	server := start(t, nil, "--db", db)
	command("correct horse battery\n", "admin", "create", "--db", db, "anna")
	_, before := server.get(t, "/api/v1/cards?limit=200")
	command("", "backup", "--db", db, backup) // while the server runs
	if info, err := os.Stat(backup); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("got %v, %v, want a copy that nobody else reads", info.Mode(), err)
	}
	command("another horse battery\n", "admin", "create", "--db", db, "eve")
	stop(server)
	for _, name := range []string{db, db + "-wal", db + "-shm"} {
		if err := os.Rename(name, name+".away"); err != nil && !os.IsNotExist(err) {
			t.Fatal(err)
		}
	}
	copied, err := os.ReadFile(backup)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(db, copied, 0o600); err != nil {
		t.Fatal(err)
	}
	server = start(t, nil, "--db", db)
	if _, after := server.get(t, "/api/v1/cards?limit=200"); after != before {
		t.Error("the catalogue is another than when the copy was made")
	}
	if status := signIn(server); status != http.StatusSeeOther {
		t.Errorf("got %d, want the account of the copy to be let in", status)
	}
	if list := command("", "admin", "list", "--db", db); strings.Contains(list, "eve") {
		t.Errorf("an account that came later is there:\n%s", list)
	}
	stop(server)
	if now, err := os.ReadFile(backup); err != nil || !bytes.Equal(now, copied) {
		t.Errorf("the copy was changed: %v", err)
	}
}

// TestTheUnitIsWhatTheDocumentShows: docs/deploy.md has the unit word by word, and systemd takes it.
func TestTheUnitIsWhatTheDocumentShows(t *testing.T) {
	unit, err := os.ReadFile("../../docs/systemd/tianti.service")
	if err != nil {
		t.Fatal(err)
	}
	doc, err := os.ReadFile("../../docs/deploy.md")
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Contains(doc, append(append([]byte("```ini\n"), unit...), "```"...)) {
		t.Error("docs/deploy.md has another unit than docs/systemd/tianti.service")
	}
	if _, err := exec.LookPath("systemd-analyze"); err != nil {
		t.Skip("systemd-analyze is not here")
	}
	dir := t.TempDir()
	program := filepath.Join(dir, "tianti")
	if err := os.WriteFile(program, []byte("#!/bin/sh\n"), 0o700); err != nil {
		t.Fatal(err)
	}
	var files []string
	for _, name := range []string{"tianti.service", "tianti-backup.service", "tianti-backup.timer"} {
		text, err := os.ReadFile("../../docs/systemd/" + name)
		if err != nil {
			t.Fatal(err)
		}
		file := filepath.Join(dir, name)
		if err := os.WriteFile(file, bytes.ReplaceAll(text, []byte("/usr/local/bin/tianti"), []byte(program)),
			0o600); err != nil {
			t.Fatal(err)
		}
		files = append(files, file)
	}
	out, err := exec.Command("systemd-analyze", append([]string{"verify", "--man=no"}, files...)...).CombinedOutput()
	for line := range strings.Lines(string(out)) {
		if strings.Contains(line, "tianti") {
			t.Error(line)
		}
	}
	t.Log(err)
}

// memorySize is a size of memory as systemd, Kubernetes and Go write it.
var memorySize = regexp.MustCompile(
	`(GOMEMLIMIT|MemoryHigh|MemoryMax|limits: \{memory)(?:=|, value: |: )([0-9]+)(MiB|GiB|Mi|Gi|M|G)\b`)

// TestGoCollectsBeforeTheKernelEndsIt: the limit of Go’s runtime is above what was measured, and an eighth below what
// the unit and the manifest leave the process.
func TestGoCollectsBeforeTheKernelEndsIt(t *testing.T) {
	const measured = 759 << 20 // 100,431 cards, ten past days and a price that is taken over: docs/scale.md
	found := 0
	for _, name := range []string{"systemd/tianti.service", "kubernetes.yaml"} {
		text, err := os.ReadFile("../../docs/" + name)
		if err != nil {
			t.Fatal(err)
		}
		limit := 0
		for _, m := range memorySize.FindAllStringSubmatch(string(text), -1) {
			n, _ := strconv.Atoi(m[2])
			size := n << 20
			if strings.HasPrefix(m[3], "G") {
				size = n << 30
			}
			switch {
			case m[1] == "GOMEMLIMIT":
				limit = size
				found++
			case strings.HasPrefix(m[1], "Memory") && size < measured:
				t.Errorf("%s: %s is less than the %d MiB that were measured", name, m[0], measured>>20)
			case limit > 0 && size < limit+limit/8:
				t.Errorf("%s: %s leaves no room beyond GOMEMLIMIT=%d MiB", name, m[0], limit>>20)
			}
		}
	}
	if found != 3 {
		t.Errorf("%d limits of Go's runtime were found, want those of the unit, the writer and the readers", found)
	}
}
