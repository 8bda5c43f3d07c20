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
		{"live --processes", "--processes needs --json"},
		{"live --live off", "--live is off and there is no --prometheus: nothing to read"},
		{"live --prometheus-tenant a", "--prometheus-tenant needs --prometheus URL"},
		{"live --prometheus-ca a", "--prometheus-ca needs --prometheus URL"},
		{"live --prometheus http://a --prometheus-user a",
			"--prometheus-user and --prometheus-password-file need each other"},
		{"live --prometheus http://a --prometheus-user a --prometheus-password-file b --prometheus-bearer-file c",
			"--prometheus-user and --prometheus-bearer-file exclude each other"},
		{"live --prometheus-header A:b", "--prometheus-header needs --prometheus URL"},
		{"live --prometheus http://a --prometheus-header A:b --prometheus-header secret",
			"--prometheus-header: header 2 is not of the form Name: value"},
		{"live --prometheus http://a --prometheus-header =",
			"--prometheus-header: header 1 is not of the form Name: value"},
		{"live --prometheus http://a --prometheus-header host:secret",
			"--prometheus-header: Host is set by the request itself"},
		{"live --prometheus http://a --prometheus-header X-Key:", "--prometheus-header: X-Key has no value"},
		{"live --prometheus http://a --prometheus-header X-Key:\x01secret",
			"--prometheus-header: X-Key has a value with characters that a header must not have"},
		{"live --prometheus http://a --prometheus-header authorization:secret --prometheus-bearer-file b",
			"--prometheus-header Authorization excludes --prometheus-user and --prometheus-bearer-file"},
		{"live --prometheus http://a --prometheus-header X-Scope-OrgID:secret --prometheus-tenant b",
			"--prometheus-header X-Scope-OrgID and --prometheus-tenant exclude each other"},
	} {
		var stderr strings.Builder
		err := run(t.Context(), strings.Fields(tc.args), envOf(nil), &stderr, &stderr)
		if strings.Contains(stderr.String(), "secret") {
			t.Errorf("%s: %q tells the value", tc.args, stderr.String())
		}
		if got := status(err, &stderr); got != exitUsage || !strings.Contains(stderr.String(), tc.want) {
			t.Errorf("%s: got status %d and %q, want %d and %q", tc.args, got, stderr.String(), exitUsage, tc.want)
		}
	}
}

func TestSourcesThatCannotBeReadAreNamedAtTheStart(t *testing.T) {
	page := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		_, _ = w.Write([]byte("<html>Grafana</html>"))
	}))
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
		{"--prometheus " + page.URL + " --prometheus-user a --prometheus-password-file " + empty,
			"--prometheus-password-file: " + empty + " has no password in its first line"},
		{"--prometheus " + page.URL + " --prometheus-user a --prometheus-password-file none",
			"--prometheus-password-file: open none: no such file"},
		{"--prometheus " + page.URL + " --prometheus-ca none", "--prometheus: CAFile: open none: no such file"},
	} {
		var stderr strings.Builder
		err := run(t.Context(), strings.Fields("live "+tc.args), envOf(nil), &stderr, &stderr)
		if got := status(err, &stderr); got != exitFailed || !strings.HasPrefix(stderr.String(), "tianti: "+tc.want) ||
			strings.Count(stderr.String(), "\n") != 1 {
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

func TestHeadersAreSentAndNotLogged(t *testing.T) {
	var got []http.Header
	gateway := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		got = append(got, r.Header.Clone())
		http.Error(w, "not with these", http.StatusForbidden)
	}))
	defer gateway.Close()
	var stderr strings.Builder
	args := []string{"live", "--live", "off", "--prometheus", gateway.URL, "--prometheus-header", "X-Key: open, sesame",
		"--prometheus-header", "x-key:again"}
	if err := run(t.Context(), args, envOf(nil), &stderr, &stderr); status(err, &stderr) != exitFailed {
		t.Errorf("got %v, want it refused", err)
	}
	env := envOf(map[string]string{"TIANTI_PROMETHEUS_HEADER": "X-Key: a, b\nX-Other: c\n"})
	if err := run(t.Context(), args[:5], env, &stderr, &stderr); status(err, &stderr) != exitFailed {
		t.Errorf("got %v, want it refused", err)
	}
	if len(got) != 2 || strings.Join(got[0]["X-Key"], "|") != "open, sesame|again" || got[1].Get("X-Key") != "a, b" ||
		got[1].Get("X-Other") != "c" {
		t.Errorf("got %v", got)
	}
	if strings.Contains(stderr.String(), "sesame") || !strings.Contains(stderr.String(), gateway.URL) {
		t.Errorf("got %q, want the address and no header", stderr.String())
	}
}
