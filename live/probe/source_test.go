//go:build linux

package probe

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"time"

	"tianti/live"
	"tianti/live/recording"
)

// TestChildProcess is the process of a probe, when the environment says so, and does
// what that says. It is no test.
func TestChildProcess(t *testing.T) {
	mode := os.Getenv("PROBE_TEST")
	if mode == "" {
		t.Skip("this is the process that other tests start")
	}
	if mode == "parent" {
		childParent()
	}
	closed := make(chan struct{})
	if mode != "deaf" {
		go func() {
			io.Copy(io.Discard, os.Stdin)
			close(closed)
		}()
	}
	if fifo := os.Getenv("PROBE_TEST_FIFO"); fifo != "" {
		if _, err := os.OpenFile(fifo, os.O_WRONLY, 0); err != nil { // open until the process ends
			os.Exit(1)
		}
	}
	os.Exit(childProcess(mode, closed))
}

// childProcess returns the exit status.
func childProcess(mode string, closed <-chan struct{}) int {
	frame := func() { recording.WriteFrame(os.Stdout, childFrame("")) }
	switch mode {
	case "final":
		recording.WriteFrame(os.Stdout, live.Frame{Source: "nvml", Taken: time.Now(), Reason: "no-driver",
			Detail: "not loaded"})
		return 3
	case "dead":
		fmt.Fprintln(os.Stderr, "starting\ntianti: symbol lookup error: undefined symbol: nvmlFuture")
		return 127
	case "crash":
		frame()
		fmt.Fprintln(os.Stderr, "symbol lookup error")
		return 127
	case "mute":
		<-closed
		return 0
	case "silent", "deaf":
		frame()
		<-closed
		return 0
	case "half":
		frame()
		fmt.Print(`{"version":1,"source":"nvml","ta`)
		<-closed
		return 0
	case "babble":
		for {
			fmt.Println("[notice] something of the driver's own")
		}
	case "flood":
		line := strings.Repeat("x", 1<<20)
		for range 100 {
			fmt.Print(line)
		}
		fmt.Println()
	case "upgraded":
		frame()
		recording.WriteFrame(os.Stdout, live.Frame{Source: "nvml", Taken: time.Now(), Reason: "version-mismatch"})
		return 13
	case "noisy":
		fmt.Println("a banner\n\n{}\n{\"version\":1")
	}
	for {
		frame()
		select {
		case <-closed:
			return 0
		case <-time.After(10 * time.Millisecond):
		}
	}
}

func childFrame(reason string) live.Frame {
	return live.Frame{Source: "nvml", Taken: time.Now(), Reason: reason,
		Hosts: []live.Host{{Name: "a", Devices: []live.Device{{UUID: "GPU-0"}}}}}
}

// childParent has a probe, says when its process has given a frame, and waits to be
// killed.
func childParent() {
	os.Setenv("PROBE_TEST", "deaf")
	p := New(Config{Command: childCommand})
	for f := (live.Frame{}); f.Devices() == 0; { // until it has started
		var err error
		if f, err = p.Read(context.Background()); err != nil {
			fmt.Println(err)
			os.Exit(1)
		}
	}
	fmt.Println("ready")
	select {}
}

var childCommand = []string{os.Args[0], "-test.run=^TestChildProcess$"}

// newSource is a probe of a process that does what mode says. Its patience is short
// where a test waits for the end of it, and long otherwise.
func newSource(t *testing.T, mode string, cfg Config) (*Source, <-chan event) {
	t.Helper()
	t.Setenv("PROBE_TEST", mode)
	events := make(chan event, 1000)
	cfg.watch = func(e event) {
		select {
		case events <- e:
		default:
		}
	}
	cfg.Command = childCommand
	if cfg.Backoff == 0 {
		cfg.Backoff = time.Millisecond
	}
	cfg.Wait = 30 * time.Second
	p := New(cfg)
	t.Cleanup(func() {
		if err := p.Close(); err != nil {
			t.Error(err)
		}
	})
	return p, events
}

// await returns the next event of a name.
func await(t *testing.T, events <-chan event, name string) event {
	t.Helper()
	late := time.After(30 * time.Second)
	for {
		select {
		case e := <-events:
			if e.name == name {
				return e
			}
		case <-late:
			t.Fatalf("no process %s", name)
		}
	}
}

func mustRead(t *testing.T, p *Source) live.Frame {
	t.Helper()
	f, err := p.Read(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return f
}

func TestProbeReadsTheNewestFrame(t *testing.T) {
	p, events := newSource(t, "frames", Config{})
	first := mustRead(t, p)
	if first.Devices() != 1 || first.Reason != "" || p.Name() != "nvml" {
		t.Fatalf("got %+v", first)
	}
	await(t, events, "frame")
	await(t, events, "frame")
	if second := mustRead(t, p); !second.Taken.After(first.Taken) {
		t.Errorf("got a frame of %v again", second.Taken)
	}
}

func TestClosedProbeLeavesNothing(t *testing.T) {
	before := runtime.NumGoroutine()
	p, events := newSource(t, "frames", Config{})
	mustRead(t, p)
	pid := await(t, events, "started").pid
	if err := p.Close(); err != nil {
		t.Fatal(err)
	}
	if err := syscall.Kill(pid, 0); !errors.Is(err, syscall.ESRCH) {
		t.Errorf("process %d is still there, or a zombie: %v", pid, err)
	}
	for range 1000 { // timers and pipes end soon after
		if runtime.NumGoroutine() <= before {
			break
		}
		runtime.Gosched()
		time.Sleep(time.Millisecond)
	}
	if after := runtime.NumGoroutine(); after > before {
		buf := make([]byte, 64<<10)
		t.Errorf("%d goroutines before, %d after:\n%s", before, after, buf[:runtime.Stack(buf, true)])
	}
	if _, err := p.Read(t.Context()); !errors.Is(err, os.ErrClosed) {
		t.Errorf("read after close: got %v", err)
	}
	if err := p.Close(); err != nil {
		t.Errorf("closed again: %v", err)
	}
}

func TestProbeThatWasNeverReadStartsNothing(t *testing.T) {
	p := New(Config{Command: []string{"/nonexistent"}})
	if err := p.Close(); err != nil {
		t.Error(err)
	}
}

func TestFrozenProcessIsKilledAndAnotherStarted(t *testing.T) {
	p, events := newSource(t, "frames", Config{Silence: 300 * time.Millisecond})
	mustRead(t, p)
	first := await(t, events, "started").pid
	if err := syscall.Kill(first, syscall.SIGSTOP); err != nil {
		t.Fatal(err)
	}
	await(t, events, "ended")
	if err := syscall.Kill(first, 0); !errors.Is(err, syscall.ESRCH) {
		t.Errorf("process %d is still there: %v", first, err)
	}
	if second := await(t, events, "started").pid; second == first {
		t.Errorf("process %d again", second)
	}
	await(t, events, "frame")
	if f := mustRead(t, p); f.Reason != "" {
		t.Errorf("got reason %q, %q", f.Reason, f.Detail)
	}
}

func TestKilledProcessIsReplaced(t *testing.T) {
	p, events := newSource(t, "frames", Config{})
	mustRead(t, p)
	if err := syscall.Kill(await(t, events, "started").pid, syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	await(t, events, "ended")
	await(t, events, "frame")
	if f := mustRead(t, p); f.Reason != "" || f.Devices() != 1 {
		t.Errorf("got %+v", f)
	}
}

func TestLastFrameStaysWithTheReasonWhyThereIsNoNewer(t *testing.T) {
	for _, test := range []struct{ mode, reason, detail string }{
		{"crash", live.ReasonFailed, "exit status 127: symbol lookup error"},
		{"silent", live.ReasonTimeout, "was silent"},
		{"half", live.ReasonTimeout, "was silent"},
	} {
		t.Run(test.mode, func(t *testing.T) {
			p, events := newSource(t, test.mode, Config{Silence: 200 * time.Millisecond, Backoff: time.Hour})
			before := mustRead(t, p)
			await(t, events, "ended")
			after := mustRead(t, p)
			if !after.Taken.Equal(before.Taken) || after.Devices() != 1 {
				t.Errorf("got another frame: %+v", after)
			}
			if after.Reason != test.reason || !strings.Contains(after.Detail, test.detail) {
				t.Errorf("got %q, %q; want %q, %q", after.Reason, after.Detail, test.reason, test.detail)
			}
		})
	}
}

func TestErrorWithoutAnyFrameSaysWhy(t *testing.T) {
	for _, test := range []struct{ mode, reason, detail string }{
		{"dead", live.ReasonFailed, "exit status 127: tianti: symbol lookup error: undefined symbol: nvmlFuture"},
		{"mute", live.ReasonTimeout, "was silent"},
		{"babble", live.ReasonFailed, "prints something else"},
	} {
		t.Run(test.mode, func(t *testing.T) {
			p, events := newSource(t, test.mode, Config{Start: time.Second, Backoff: time.Hour})
			_, err := p.Read(t.Context())
			await(t, events, "ended")
			e, ok := errors.AsType[*live.SourceError](err)
			if !ok || e.Reason != test.reason || !strings.Contains(e.Error(), test.detail) {
				t.Errorf("got %v; want %q, %q", err, test.reason, test.detail)
			}
		})
	}
}

func TestLinesThatAreNoFramesAreSkipped(t *testing.T) {
	p, _ := newSource(t, "noisy", Config{})
	if f := mustRead(t, p); f.Devices() != 1 {
		t.Errorf("got %+v", f)
	}
}

func TestALineOf100MBIsSkippedAndNotKept(t *testing.T) {
	var before, after runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	p, _ := newSource(t, "flood", Config{})
	if f := mustRead(t, p); f.Devices() != 1 || f.Reason != "" {
		t.Errorf("got %+v", f)
	}
	runtime.ReadMemStats(&after)
	if grown := int64(after.Sys) - int64(before.Sys); grown > 32<<20 {
		t.Errorf("it took %d bytes", grown)
	}
}

func TestProcessIsReplacedSoonAfterTheDriverWas(t *testing.T) {
	p, events := newSource(t, "upgraded", Config{MaxBackoff: time.Hour})
	mustRead(t, p)
	await(t, events, "ended")
	await(t, events, "started") // not after an hour
	await(t, events, "frame")
}

func TestFinalFrameIsKept(t *testing.T) {
	p, events := newSource(t, "final", Config{MaxBackoff: time.Hour})
	mustRead(t, p)
	await(t, events, "ended")
	if f := mustRead(t, p); f.Reason != "no-driver" || f.Detail != "not loaded" {
		t.Errorf("got %q, %q", f.Reason, f.Detail)
	}
}

func TestRestartsBecomeRarer(t *testing.T) {
	const first = 20 * time.Millisecond
	p, events := newSource(t, "dead", Config{Backoff: first})
	_, _ = p.Read(t.Context())
	await(t, events, "started")
	var gaps []time.Duration
	for range 3 {
		await(t, events, "ended")
		ended := time.Now()
		await(t, events, "started")
		gaps = append(gaps, time.Since(ended))
	}
	for i, gap := range gaps {
		if least := first << i / 2; gap < least {
			t.Errorf("restart %d came after %v, want %v at least", i+1, gap, least)
		}
	}
}

func TestReadWaitsForTheFirstFrameOnlyForAWhile(t *testing.T) {
	t.Setenv("PROBE_TEST", "mute")
	p := New(Config{Command: childCommand, Wait: time.Millisecond})
	defer p.Close()
	if f, err := p.Read(t.Context()); err != nil || f.Reason != live.ReasonStarting || f.Devices() != 0 {
		t.Errorf("got %+v, %v", f, err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	p.cfg.Wait = time.Hour
	if _, err := p.Read(ctx); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
}

func TestProgramThatIsNotThereIsSaidSo(t *testing.T) {
	p := New(Config{Command: []string{"/nonexistent/tianti"}})
	defer p.Close()
	if _, err := p.Read(t.Context()); err == nil || !strings.Contains(err.Error(), "/nonexistent/tianti") {
		t.Errorf("got %v", err)
	}
}

func TestProcessDiesWithItsParent(t *testing.T) {
	fifo := filepath.Join(t.TempDir(), "fifo")
	if err := syscall.Mkfifo(fifo, 0o600); err != nil {
		t.Fatal(err)
	}
	parent := exec.Command(childCommand[0], childCommand[1:]...)
	parent.Env = append(os.Environ(), "PROBE_TEST=parent", "PROBE_TEST_FIFO="+fifo)
	out, err := parent.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	// To open it for reading alone would wait for the child, for ever if none comes.
	alive, err := os.OpenFile(fifo, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer alive.Close()
	if err := parent.Start(); err != nil {
		t.Fatal(err)
	}
	late := time.AfterFunc(time.Minute, func() { _ = parent.Process.Kill() })
	defer func() {
		late.Stop()
		_ = parent.Process.Kill() // it has ended, unless the test has failed
		_ = parent.Wait()
	}()
	if line, err := bufio.NewReader(out).ReadString('\n'); line != "ready\n" {
		t.Fatalf("got %q, %v", line, err)
	}
	if err := parent.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = parent.Wait()
	ended := make(chan struct{})
	go func() {
		io.Copy(io.Discard, alive) // ends when nobody has it open for writing
		close(ended)
	}()
	select {
	case <-ended:
	case <-time.After(30 * time.Second):
		t.Error("the process has outlived its parent")
	}
}
