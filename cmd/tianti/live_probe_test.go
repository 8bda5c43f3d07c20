package main

import (
	"bytes"
	"context"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"tianti/cmd/tianti/internal/nvml"
	"tianti/cmd/tianti/internal/nvml/nvmltest"
	"tianti/live"
	"tianti/live/probe"
	"tianti/live/recording"

	"tianti/test/slow"
)

// frames are the frames in text.
func frames(t *testing.T, text []byte) []live.Frame {
	t.Helper()
	var out []live.Frame
	for r := recording.NewReader(bytes.NewReader(text)); ; {
		f, err := r.Next()
		if err == io.EOF {
			return out
		}
		if err != nil {
			t.Fatalf("%v in:\n%s", err, text)
		}
		out = append(out, f)
	}
}

func TestProbeWithoutALibraryEndsWithTheReason(t *testing.T) {
	want, wantStatus := nvml.NoLibrary, 11
	if !nvml.Linked {
		want, wantStatus = nvml.NotLinked, 10
	}
	var stdout, stderr bytes.Buffer
	err := run(context.Background(), []string{"live-probe", "--library", "/nonexistent/lib.so"}, envOf(nil), &stdout,
		&stderr)
	if got := status(err, &stderr); got != wantStatus {
		t.Errorf("got exit status %d, want %d", got, wantStatus)
	}
	got := frames(t, stdout.Bytes())
	if len(got) != 1 || got[0].Reason != want || got[0].Devices() != 0 {
		t.Errorf("got %+v, want one frame with %q", got, want)
	}
	if s := stderr.String(); !strings.HasPrefix(s, "tianti: "+want+": ") || strings.Count(s, "\n") != 1 {
		t.Errorf("got %q on standard error", s)
	}
}

func TestProbeRefusesIntervalsThatDriversCannotKeep(t *testing.T) {
	for _, v := range []string{"0", "99ms", "-1s", "2h"} {
		_, err := parse([]string{"live-probe", "--interval=" + v}, envOf(nil), io.Discard)
		if err == nil || status(err, io.Discard) != exitUsage {
			t.Errorf("%s: got %v, want a usage error", v, err)
		}
	}
}

// stub is a stand-in for the driver's library, which processes of the program load.
func stub(t *testing.T, env ...string) {
	t.Helper()
	if !nvml.Linked {
		t.Skip("this build cannot read drivers")
	}
	t.Setenv("TIANTI_LIBRARY", nvmltest.Build(t))
	for _, e := range env {
		name, value, _ := strings.Cut(e, "=")
		t.Setenv(name, value)
	}
}

// probeOf is a probe whose process is this test as the program, see [TestMain].
func probeOf(interval time.Duration) probe.Config {
	return probe.Config{Interval: interval,
		Command: []string{os.Args[0], "live-probe", "--interval", interval.String()}}
}

func TestServerReadsItsHostThroughAProcess(t *testing.T) {
	stub(t, "STUB_CARDS=8")
	src := probe.New(probeOf(100 * time.Millisecond))
	defer src.Close()
	for { // until rates are there: with the second frame
		f, err := src.Read(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if f.Devices() != 8 || f.Reason != "" {
			t.Fatalf("got %d devices, reason %q, %q", f.Devices(), f.Reason, f.Detail)
		}
		if _, ok := f.Hosts[0].Devices[7].Get(live.SMActive); ok {
			break
		}
		time.Sleep(10 * time.Millisecond)
	}
}

func TestHungDriverLeavesTheLastReadings(t *testing.T) {
	stub(t, "STUB_CARDS=2", "STUB_HANG_AFTER=4")
	cfg := probeOf(100 * time.Millisecond)
	cfg.Silence, cfg.Backoff = 500*time.Millisecond, time.Hour
	p := probe.New(cfg)
	defer p.Close()
	for {
		f, err := p.Read(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if f.Devices() != 2 {
			t.Fatalf("got %d devices, reason %q, %q", f.Devices(), f.Reason, f.Detail)
		}
		if f.Reason == live.ReasonTimeout {
			break
		}
		time.Sleep(10 * time.Millisecond)
	}
}

func TestProbeRecordsAndEndsWithItsInput(t *testing.T) {
	slow.Raced(t, "live_probe.go")
	stub(t, "STUB_CARDS=1", "STUB_HANG_AFTER=3") // a driver that hangs does not keep it
	record := filepath.Join(t.TempDir(), "r.ndjson")
	cmd := exec.Command(os.Args[0], "live-probe", "--interval", "100ms", "--record", record)
	stdin, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	defer time.AfterFunc(time.Minute, func() { _ = cmd.Process.Kill() }).Stop()
	r := recording.NewReader(stdout)
	for range 2 {
		f, err := r.Next()
		if err != nil {
			t.Fatal(err)
		}
		if _, ok := f.Hosts[0].Devices[0].Get(live.TensorActive); !ok {
			t.Error("a frame has no rates")
		}
	}
	stdin.Close()
	if err := cmd.Wait(); err != nil {
		t.Error(err)
	}
	text, err := os.ReadFile(record)
	if err != nil {
		t.Fatal(err)
	}
	if got := frames(t, text); len(got) != 2 {
		t.Errorf("got %d recorded frames, want 2", len(got))
	}
}

func TestRecordingsNameNobodyUnlessAsked(t *testing.T) {
	stub(t, "STUB_CARDS=1", "STUB_GONE_AFTER=2")
	for _, flags := range [][]string{nil, {"--processes"}} {
		record := filepath.Join(t.TempDir(), "r.ndjson")
		out, _ := exec.Command(os.Args[0],
			append([]string{"live-probe", "--interval", "100ms", "--record", record}, flags...)...).Output()
		text, err := os.ReadFile(record)
		if err != nil {
			t.Fatal(err)
		}
		printed, recorded := frames(t, out)[0].Hosts[0].Devices[0].Processes,
			frames(t, text)[0].Hosts[0].Devices[0].Processes
		if len(printed) != 3 || len(recorded) != 3 || recorded[0].Memory != 1000 {
			t.Fatalf("got %+v and %+v", printed, recorded)
		}
		if printed[0].Name == "" {
			t.Skip("names are not to be had in this namespace of processes")
		}
		if named := recorded[0].Name != "" && recorded[0].User != ""; named != (flags != nil) {
			t.Errorf("%q: got %+v", flags, recorded[0])
		}
	}
}

func TestBuildSaysWhichSourcesItHas(t *testing.T) {
	if got := slices.Contains(liveSources(), "nvml"); got != nvml.Linked {
		t.Errorf("got %q", liveSources())
	}
}
