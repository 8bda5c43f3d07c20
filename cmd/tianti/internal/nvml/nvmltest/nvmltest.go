// Package nvmltest makes a stand-in for the library of NVIDIA's driver, so that the
// way through the loader is tested on machines without a card, and finds the headers
// that say what such a library looks like.
package nvmltest

import (
	_ "embed"
	"fmt"
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

//go:embed testdata/nvml.h
var header []byte

// Build compiles the stand-in and returns its path. Flags are of the C compiler; the
// source says which there are, and what the library reads from the environment. The
// test is skipped where there is no C compiler.
//
// A process can load one library only, for good: each use needs a process.
func Build(t testing.TB, flags ...string) string {
	t.Helper()
	cc := compiler(t)
	dir := t.TempDir()
	so := filepath.Join(dir, "libnvidia-ml.so.1")
	key := strings.Join(flags, " ")
	if code, ok := built.Load(key); ok {
		write(t, so, code.([]byte))
		return so
	}
	c := filepath.Join(dir, "stub.c")
	write(t, c, source)
	args := append([]string{"-shared", "-fPIC", "-Wl,-Bsymbolic", "-w", "-I", Header(t), "-o", so, c}, flags...)
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

// Header returns the folder of the nvml.h that the stand-in is made with.
func Header(t testing.TB) string {
	t.Helper()
	dir := t.TempDir()
	write(t, filepath.Join(dir, "nvml.h"), header)
	return dir
}

// NVIDIAHeader returns the folder of NVIDIA's nvml.h. It is part of a module that is
// needed for nothing else, has a go.mod of its own and is not downloaded here: where it
// was not before, the test is skipped. It is for tests of the package above.
func NVIDIAHeader(t testing.TB) string {
	t.Helper()
	cmd := exec.Command("go", "list", "-m", "-f", "{{.Dir}}", "github.com/NVIDIA/go-nvml")
	cmd.Dir = "nvmltest/header"
	cmd.Env = append(os.Environ(), "GOPROXY=off", "GOWORK=off", "GOFLAGS=-mod=readonly")
	out, err := cmd.Output()
	dir := strings.TrimSpace(string(out))
	if err != nil || dir == "" {
		t.Skipf("NVIDIA's header is not here: go mod download, in cmd/tianti/internal/nvml/%s", cmd.Dir)
	}
	return filepath.Join(dir, "pkg/nvml")
}

// Check has a C compiler read a program that includes the nvml.h of a folder. The error
// has what the compiler says. The test is skipped where there is no C compiler.
func Check(t testing.TB, folder, program string) error {
	t.Helper()
	cmd := exec.Command(compiler(t), "-std=c11", "-fsyntax-only", "-Werror", "-Wno-deprecated-declarations",
		"-DNVML_NO_UNVERSIONED_FUNC_DEFS", "-I", folder, "-x", "c", "-")
	cmd.Stdin = strings.NewReader(program)
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("%w\n%s", err, out)
	}
	return nil
}

func write(t testing.TB, name string, text []byte) {
	t.Helper()
	if err := os.WriteFile(name, text, 0o600); err != nil {
		t.Fatal(err)
	}
}

// compiler is a C compiler; the test is skipped where there is none, or where there is
// no such library.
func compiler(t testing.TB) string {
	t.Helper()
	for _, name := range []string{os.Getenv("CC"), "cc", "gcc", "clang"} {
		if path, err := exec.LookPath(name); name != "" && err == nil && runtime.GOOS == "linux" {
			return path
		}
	}
	t.Skip("a stand-in for the driver's library needs Linux and a C compiler: apt-get install gcc libc6-dev")
	return ""
}
