package process

import (
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
