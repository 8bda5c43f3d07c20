package process

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// The account that Token makes.
const (
	Account  = "bench"
	Password = "only for this measurement"
)

// Token makes an account in a database and a token that may import.
func Token(dir, program, db string) (string, error) {
	password := filepath.Join(dir, "password")
	if err := os.WriteFile(password, []byte(Password+"\n"), 0o600); err != nil {
		return "", err
	}
	if _, err := Measure("", program, "admin", "create", Account, "--db", db, "--password-file", password); err != nil {
		return "", err
	}
	out, err := exec.Command(program, "token", "create", "bench", "--account", Account, "--scope",
		"import", "--db", db).
		Output()
	return strings.TrimSpace(string(out)), err
}

// Post sends what an administrator with a token sends to a path, and returns the answer to it.
func (p *Process) Post(ctx context.Context, token, path string, body io.Reader) ([]byte, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, p.URL(path), body)
	if err != nil {
		return nil, err
	}
	req.Header.Set("Authorization", "Bearer "+token)
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		return nil, err
	}
	defer res.Body.Close()
	answer, err := io.ReadAll(res.Body)
	if err == nil && res.StatusCode/100 != 2 {
		err = fmt.Errorf("%s: %s: %.2000s", path, res.Status, answer)
	}
	return answer, err
}
