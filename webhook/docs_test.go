package webhook_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"regexp"
	"testing"
	"time"

	"tianti/webhook"
)

// TestTheExampleOfTheManualChecksMessages runs the program of docs/webhooks.md with messages that are good and bad.
func TestTheExampleOfTheManualChecksMessages(t *testing.T) {
	python, err := exec.LookPath("python3")
	if err != nil {
		t.Skip("python3 is not here")
	}
	manual, err := os.ReadFile("../docs/webhooks.md")
	if err != nil {
		t.Fatal(err)
	}
	program := regexp.MustCompile("(?s)```python\n(.*?)```").FindSubmatch(manual)
	if program == nil {
		t.Fatal("docs/webhooks.md has no program")
	}
	secret, other, now := webhook.NewSecret(), webhook.NewSecret(), time.Now()
	const body = `{"type":"prices.changed","data":{"name":"昇腾"}}`
	type call struct {
		Secret  string            `json:"secret"`
		Headers map[string]string `json:"headers"`
		Body    string            `json:"body"`
		Want    bool              `json:"want"`
	}
	headers := func(at time.Time, secrets ...[]byte) map[string]string {
		return map[string]string{"webhook-id": "msg_1", "webhook-timestamp": fmt.Sprint(at.Unix()),
			"webhook-signature": webhook.Sign("msg_1", at, body, secrets...)}
	}
	calls, err := json.Marshal([]call{
		{webhook.Text(secret), headers(now, secret), body, true},
		{webhook.Text(secret), headers(now, other, secret), body, true},
		{webhook.Text(secret), headers(now, other), body, false},
		{webhook.Text(secret), headers(now, secret), body + " ", false},
		{webhook.Text(secret), headers(now.Add(-time.Hour), secret), body, false},
	})
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(python, "-c", string(program[1])+`
import json, sys
for i, c in enumerate(json.load(sys.stdin)):
    got = verify(c["secret"], c["headers"], c["body"].encode())
    if got != c["want"]:
        sys.exit(f"call {i}: got {got}")
`)
	cmd.Stdin = bytes.NewReader(calls)
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Errorf("%v: %s", err, out)
	}
}
