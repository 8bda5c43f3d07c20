package main

import (
	"bytes"
	"io"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

func TestWebhooksByCommand(t *testing.T) {
	db := filepath.Join(t.TempDir(), "tianti.db")
	program := func(args ...string) (string, error) {
		var out bytes.Buffer
		err := run(t.Context(), append(args, "--db", db), func(string) string { return "" }, &out, io.Discard)
		return out.String(), err
	}
	tell := func(want string, args ...string) string {
		t.Helper()
		out, err := program(append([]string{"webhook"}, args...)...)
		if want == "" && err != nil || want != "" && (err == nil || !strings.Contains(err.Error(), want)) {
			t.Errorf("%v: got %v, want %q", args, err, want)
		}
		return out
	}
	if _, err := program("migrate"); err != nil {
		t.Fatal(err)
	}
	secret := tell("", "add", "https://ops.example/hook?key=hidden", "--event", "prices.changed", "--note", "ops")
	if !regexp.MustCompile(`^whsec_[A-Za-z0-9+/]+=*\n$`).MatchString(secret) {
		t.Errorf("got %q", secret)
	}
	tell("want https", "add", "http://ops.example")
	tell("public host", "add", "https://10.0.0.1")
	tell("", "add", "http://10.0.0.1", "--webhook-allow", "10.0.0.0/8")
	list := tell("", "list")
	for _, want := range []string{"https://ops.example/hook?…", "prices.changed", "enabled", "ops",
		"figures.changed,prices.changed"} {
		if !strings.Contains(list, want) {
			t.Errorf("no %q in\n%s", want, list)
		}
	}
	if strings.Contains(list, "hidden") || strings.Contains(list, strings.TrimSpace(secret)) {
		t.Errorf("a secret in\n%s", list)
	}
	tell("", "test", "1")
	if log := tell("", "log", "1"); !strings.Contains(log, "webhook.test") || !strings.Contains(log, "pending") {
		t.Errorf("got %s", log)
	}
	if second := tell("", "rotate", "1"); second == secret || !strings.HasPrefix(second, "whsec_") {
		t.Errorf("got %q", second)
	}
	tell("", "set", "1", "--disable", "--event", "import.applied")
	if list := tell("", "list"); !strings.Contains(list, "disabled: off") || !strings.Contains(list, "import.applied") {
		t.Errorf("got %s", list)
	}
	tell("exclude each other", "set", "1", "--disable", "--enable")
	tell("", "remove", "1")
	tell("tianti webhook list shows them", "remove", "1")
}
