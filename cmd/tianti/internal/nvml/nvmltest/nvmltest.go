// Package nvmltest makes a stand-in for the library of NVIDIA's driver, so that the
// way through the loader is tested on machines without a card.
package nvmltest

import (
	_ "embed"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
)

//go:embed testdata/stub.c
var source []byte

// Build compiles the stand-in and returns its path. Flags are of the C compiler; the
// source says which there are, and what the library reads from the environment. The
// test is skipped where there is no C compiler.
//
// A process can load one library only, for good: each use needs a process.
func Build(t testing.TB, flags ...string) string {
	t.Helper()
	cc := compiler()
	if runtime.GOOS != "linux" || cc == "" {
		t.Skip("a stand-in for the driver's library needs Linux and a C compiler (cc, gcc or clang): apt-get install gcc libc6-dev")
	}
	header, err := header()
	if err != nil {
		t.Skipf("the header of the library is not to be found: go list: %v", err)
	}
	dir := t.TempDir()
	so := filepath.Join(dir, "libnvidia-ml.so.1")
	key := strings.Join(flags, " ")
	if code, ok := built.Load(key); ok {
		if err := os.WriteFile(so, code.([]byte), 0o600); err != nil {
			t.Fatal(err)
		}
		return so
	}
	c := filepath.Join(dir, "stub.c")
	if err := os.WriteFile(c, source, 0o600); err != nil {
		t.Fatal(err)
	}
	args := append([]string{"-shared", "-fPIC", "-w", "-DNVML_NO_UNVERSIONED_FUNC_DEFS", "-I", header, "-o", so, c}, flags...)
	if out, err := exec.Command(cc, args...).CombinedOutput(); err != nil {
		t.Fatalf("%s %q: %v\n%s", cc, args, err, out)
	}
	code, err := os.ReadFile(so)
	if err != nil {
		t.Fatal(err)
	}
	built.Store(key, code)
	return so
}

// built has what was compiled, by flags.
var built sync.Map

// header is the folder with nvml.h.
var header = sync.OnceValues(func() (string, error) {
	out, err := exec.Command("go", "list", "-f", "{{.Dir}}", "github.com/NVIDIA/go-nvml/pkg/nvml").Output()
	return strings.TrimSpace(string(out)), err
})

func compiler() string {
	for _, name := range []string{os.Getenv("CC"), "cc", "gcc", "clang"} {
		if path, err := exec.LookPath(name); name != "" && err == nil {
			return path
		}
	}
	return ""
}
