package main

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"tianti/cmd/tianti/internal/nvml"
	"tianti/cmd/tianti/internal/nvml/nvmltest"
	"tianti/live"
	"tianti/test/slow"
	"tianti/web/api"
)

var firstStart struct {
	sync.Mutex
	database []byte
}

// startedOnce is the content of a database with the built-in data: to import them is most of a server's first start.
func startedOnce(t *testing.T) []byte {
	t.Helper()
	firstStart.Lock()
	defer firstStart.Unlock()
	if firstStart.database != nil {
		return firstStart.database
	}
	p := start(t, nil)
	if p.url == "" {
		t.Fatalf("not ready: %s", p.stderr)
	}
	if err := p.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	if err := p.Wait(); err != nil {
		t.Fatalf("%v: %s", err, p.stderr)
	}
	content, err := os.ReadFile(filepath.Join(p.Dir, "tianti.db"))
	if err != nil {
		t.Fatal(err)
	}
	firstStart.database = content
	return content
}

// serveStub is a server that reads the stand-in for the driver's library through a
// process of its own.
func serveStub(t *testing.T, env ...string) *process {
	t.Helper()
	if !nvml.Linked {
		t.Skip("this build cannot read drivers")
	}
	library, database := nvmltest.Build(t), startedOnce(t)
	p := start(t, func(c *exec.Cmd) {
		if err := os.WriteFile(filepath.Join(c.Dir, "tianti.db"), database, 0o600); err != nil {
			t.Fatal(err)
		}
		c.Env = append(append(c.Env, "TIANTI_LIBRARY="+library, "TIANTI_LIVE=nvml"), env...)
	})
	if p.url == "" {
		t.Fatalf("not ready: %s", p.stderr)
	}
	return p
}

// live is what the server says now. It must always answer.
func (p *process) live(t *testing.T) api.Live {
	t.Helper()
	status, body := p.get(t, "/api/v1/live")
	var v api.Live
	if err := json.Unmarshal([]byte(body), &v); err != nil || status != 200 {
		t.Fatalf("got status %d, %v:\n%s", status, err, body)
	}
	return v
}

// until asks until the answer is as it should be, and returns it.
func (p *process) until(t *testing.T, what string, good func(api.Live) bool) api.Live {
	t.Helper()
	for deadline := time.Now().Add(60 * time.Second); ; time.Sleep(20 * time.Millisecond) {
		v := p.live(t)
		if good(v) {
			return v
		}
		if time.Now().After(deadline) {
			t.Fatalf("never %s; state %s, reason %q, %q\n%s", what, v.State, v.Reason, v.Detail, p.stderr)
		}
	}
}

func isOK(v api.Live) bool { return v.State == "ok" && v.Reason == "" }

func isUnavailable(reason string) func(api.Live) bool {
	return func(v api.Live) bool { return v.State == "unavailable" && v.Reason == reason }
}

func isStale(v api.Live) bool {
	return v.State == "stale" && *v.Age >= 3 && len(v.Hosts[0].Devices) > 0
}

// probe is the number of the process that reads the driver for the server; 0 when
// there is none.
func (p *process) probe(t *testing.T) int {
	t.Helper()
	dirs, err := filepath.Glob("/proc/[0-9]*")
	if err != nil {
		t.Fatal(err)
	}
	for _, dir := range dirs {
		stat, _ := os.ReadFile(filepath.Join(dir, "stat"))
		_, rest, _ := strings.Cut(string(stat), ") ")
		var state string
		var parent, pid int
		_, _ = fmt.Sscan(rest, &state, &parent)
		_, _ = fmt.Sscan(filepath.Base(dir), &pid)
		command, _ := os.ReadFile(filepath.Join(dir, "cmdline"))
		if parent == p.Process.Pid && state != "Z" && strings.Contains(string(command), "live-probe") {
			return pid
		}
	}
	return 0
}

// signal sends one to the process that reads the driver.
func (p *process) signal(t *testing.T, s syscall.Signal) int {
	t.Helper()
	for deadline := time.Now().Add(60 * time.Second); time.Now().Before(deadline); p.live(t) {
		if pid := p.probe(t); pid != 0 {
			if err := syscall.Kill(pid, s); err == nil {
				return pid
			}
		}
	}
	t.Fatal("no process reads the driver")
	return 0
}

func TestServerSurvivesTheDeathOfItsProbe(t *testing.T) {
	t.Parallel()
	p := serveStub(t)
	p.until(t, "ok", isOK)
	first := p.signal(t, syscall.SIGKILL)
	v := p.until(t, "read again by another process",
		func(v api.Live) bool { return isOK(v) && p.probe(t) != first && p.probe(t) != 0 })
	if len(v.Hosts[0].Devices) != 8 {
		t.Errorf("got %d devices, want 8", len(v.Hosts[0].Devices))
	}
	p.until(t, "stale", func(v api.Live) bool { // each process comes later than the one before
		if pid := p.probe(t); pid != 0 && v.State == "ok" {
			_ = syscall.Kill(pid, syscall.SIGKILL)
		}
		return isStale(v)
	})
	p.until(t, "ok again", isOK)
}

func TestServerSurvivesAFrozenProbe(t *testing.T) {
	t.Parallel()
	p := serveStub(t)
	p.until(t, "ok", isOK)
	frozen := p.signal(t, syscall.SIGSTOP)
	p.until(t, "stale", isStale)
	p.until(t, "said to be silent", func(v api.Live) bool { return v.Reason == "timeout" })
	p.until(t, "ok again", isOK)
	if now := p.probe(t); now == frozen || now == 0 {
		t.Errorf("process %d reads the driver, want another than %d", now, frozen)
	}
	p.signal(t, syscall.SIGSTOP)
	p.until(t, "stale once more", isStale)
	p.signal(t, syscall.SIGCONT)
	p.until(t, "ok once more", isOK)
}

func TestServerReadsOnAfterTheDriverWasReplaced(t *testing.T) {
	t.Parallel()
	// Enough calls for some frames of each process: after one that reads none the next waits for half a minute.
	p := serveStub(t, "STUB_CARDS=1", "STUB_GONE_AFTER=8")
	p.until(t, "ok", isOK)
	first := p.probe(t)
	p.until(t, "of another version", func(v api.Live) bool { return v.Reason == nvml.VersionMismatch })
	p.until(t, "read by another process", func(v api.Live) bool { return isOK(v) && p.probe(t) != first })
}

func TestServerLetsCardsSleepUnlessTheirSourceIsNamed(t *testing.T) {
	t.Parallel()
	sys := t.TempDir()
	dir := filepath.Join(sys, "bus/pci/devices/0000:01:00.0")
	if err := os.MkdirAll(filepath.Join(dir, "power"), 0o700); err != nil {
		t.Fatal(err)
	}
	write := func(name, text string) {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text+"\n"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write("vendor", "0x10de")
	write("class", "0x030200")
	write("power/runtime_status", "suspended")
	if err := os.Symlink("../../drivers/nvidia", filepath.Join(dir, "driver")); err != nil {
		t.Fatal(err)
	}
	p := serveStub(t, "TIANTI_LIVE=auto", "TIANTI_SYS="+sys)
	asleep := func(v api.Live) bool { return v.State == "unavailable" && v.Reason == live.ReasonAsleep }
	p.until(t, "asleep", asleep)
	serveStub(t, "TIANTI_SYS="+sys).until(t, "woken by --live nvml", isOK)
	if v := p.live(t); !asleep(v) {
		t.Errorf("got state %s, reason %q", v.State, v.Reason)
	}
	write("power/runtime_status", "active") // something else woke it
	p.until(t, "ok", isOK)
}

// A driven is what a server shows of a driver that its environment describes.
type driven struct {
	env  []string
	want func(api.Live) bool
}

func TestServerShowsWhatTheDriverHas(t *testing.T) {
	t.Parallel()
	wantDriven(t, []driven{
		{[]string{"STUB_CARDS=1", "STUB_MIG=1"}, func(v api.Live) bool {
			return isOK(v) && len(v.Hosts[0].Devices) == 3 && v.Hosts[0].Devices[2].Parent == "GPU-0"
		}},
		{[]string{"STUB_LOST=1", "STUB_LOST_AFTER=2"}, func(v api.Live) bool {
			return isOK(v) && v.Hosts[0].Devices[1].Problem == "lost" && v.Hosts[0].Devices[1].UUID == "GPU-1" &&
				v.Hosts[0].Devices[1].Card != nil
		}},
		{[]string{"STUB_INIT=18"}, isUnavailable("version-mismatch")},
	})
}

// TestFullServerShowsWhatOtherDriversHave is of what the tests of nvml read without a server each day.
func TestFullServerShowsWhatOtherDriversHave(t *testing.T) {
	slow.Only(t)
	wantDriven(t, []driven{
		{[]string{"STUB_CARDS=8"}, func(v api.Live) bool { return isOK(v) && len(v.Hosts[0].Devices) == 8 }},
		{[]string{"STUB_NONE=1"}, func(v api.Live) bool { return isOK(v) && len(v.Hosts[0].Devices[0].Readings) == 0 }},
		{[]string{"STUB_CARDS=0"}, isUnavailable("no-device")},
		{[]string{"TIANTI_LIBRARY=/nonexistent"}, isUnavailable("no-library")},
		{[]string{"TIANTI_INTERVAL=1h"}, isOK}, // is the probe's own
	})
}

// wantDriven starts a server for each.
func wantDriven(t *testing.T, drivers []driven) {
	t.Helper()
	for _, tc := range drivers {
		t.Run(strings.Join(tc.env, " "), func(t *testing.T) {
			t.Parallel()
			p := serveStub(t, tc.env...)
			p.until(t, "as wanted", tc.want)
			for _, page := range []string{"/live", "/zh/live", "/live.json"} {
				if status, body := p.get(t, page); status != 200 || len(body) == 0 {
					t.Errorf("%s: got status %d and %d bytes", page, status, len(body))
				}
			}
		})
	}
}
