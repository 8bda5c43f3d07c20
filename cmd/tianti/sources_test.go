package main

import (
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestBadSourcesAreNamedAtTheStart(t *testing.T) {
	for _, tc := range []struct{ args, want string }{
		{"live --live gpu", `--live is "gpu": want auto, nvml, nvidia-smi, replay:FILE or off`},
		{"live --live replay:", `--live is "replay:": name the file of the recording after it`},
		{"live --live off", "--live is off and there is no --prometheus: nothing to read"},
		{"live --prometheus-tenant a", "--prometheus-tenant needs --prometheus URL"},
		{"live --prometheus-ca a", "--prometheus-ca needs --prometheus URL"},
		{"live --prometheus http://a --prometheus-user a", "--prometheus-user and --prometheus-password-file need each other"},
		{"live --prometheus http://a --prometheus-user a --prometheus-password-file b --prometheus-bearer-file c", "--prometheus-user and --prometheus-bearer-file exclude each other"},
	} {
		var stderr strings.Builder
		err := run(t.Context(), strings.Fields(tc.args), envOf(nil), &stderr, &stderr)
		if got := status(err, &stderr); got != exitUsage || !strings.Contains(stderr.String(), tc.want) {
			t.Errorf("%s: got status %d and %q, want %d and %q", tc.args, got, stderr.String(), exitUsage, tc.want)
		}
	}
}

func TestSourcesThatCannotBeReadAreNamedAtTheStart(t *testing.T) {
	page := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte("<html>Grafana</html>")) }))
	defer page.Close()
	empty := filepath.Join(t.TempDir(), "password")
	if err := os.WriteFile(empty, []byte("\nsecond line"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, tc := range []struct{ args, want string }{
		{"--live replay:cli.go", "--live: cli.go:1: it is not JSON"},
		{"--live replay:none.ndjson", "--live: open none.ndjson: no such file or directory"},
		{"--prometheus " + page.URL, "--prometheus: " + page.URL + " answers with a web page"},
		{"--prometheus prometheus:9090", "--prometheus: URL"},
		{"--prometheus " + page.URL + " --prometheus-user a --prometheus-password-file " + empty, "--prometheus-password-file: " + empty + " has no password in its first line"},
		{"--prometheus " + page.URL + " --prometheus-user a --prometheus-password-file none", "--prometheus-password-file: open none: no such file"},
		{"--prometheus " + page.URL + " --prometheus-ca none", "--prometheus: CAFile: open none: no such file"},
	} {
		var stderr strings.Builder
		err := run(t.Context(), strings.Fields("live "+tc.args), envOf(nil), &stderr, &stderr)
		if got := status(err, &stderr); got != exitFailed || !strings.HasPrefix(stderr.String(), "tianti: "+tc.want) || strings.Count(stderr.String(), "\n") != 1 {
			t.Errorf("%s: got status %d and %q, want %d and %q", tc.args, got, stderr.String(), exitFailed, tc.want)
		}
	}
}

func TestPasswordIsTheFirstLineOfItsFile(t *testing.T) {
	file := filepath.Join(t.TempDir(), "password")
	if err := os.WriteFile(file, []byte(" secret \r\nnote\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if got, err := readPassword(file); err != nil || got != " secret " {
		t.Errorf("got %q, %v", got, err)
	}
}
