package store

import (
	"context"
	"errors"
	"os"
	osexec "os/exec"
	"strings"
	"syscall"
	"testing"
)

// TestMessagesNameTheCause opens a database where descriptors are out, in a process of its own.
func TestMessagesNameTheCause(t *testing.T) {
	if path := os.Getenv("TIANTI_TEST_STARVED"); path != "" {
		starve(t, path)
		return
	}
	path := closedStore(t)
	c := osexec.Command(os.Args[0], "-test.run=^TestMessagesNameTheCause$", "-test.v")
	c.Env = append(os.Environ(), "TIANTI_TEST_STARVED="+path)
	if out, err := c.CombinedOutput(); err != nil || !strings.Contains(string(out), "file descriptors left") {
		t.Errorf("%v\n%s", err, out)
	}
}

// starve opens a database with no descriptor left.
func starve(t *testing.T, path string) {
	if err := syscall.Setrlimit(syscall.RLIMIT_NOFILE, &syscall.Rlimit{Cur: 64, Max: 64}); err != nil {
		t.Fatal(err)
	}
	for {
		if _, err := os.Open(os.DevNull); err != nil { // and never closed
			break
		}
	}
	_, err := Open(context.Background(), path, testOptions())
	if !errors.Is(err, ErrDescriptors) {
		t.Fatalf("got %v, want ErrDescriptors", err)
	}
	t.Log(err)
}
