package main

import (
	"flag"
	"os"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"tianti/catalog"
	"tianti/live"
	"tianti/live/sample"
	"tianti/seed"
)

var update = flag.Bool("update", false, "write the tables of testdata")

func builtin(t *testing.T) *catalog.Snapshot {
	t.Helper()
	d, err := seed.Builtin()
	if err != nil {
		t.Fatal(err)
	}
	return catalog.NewSnapshot(0, d)
}

// tableOf is a view of a frame as it is printed.
func tableOf(s *catalog.Snapshot, f live.Frame, width int) string {
	var b strings.Builder
	v := live.View{Frame: f, State: live.OK, Reason: f.Reason, Detail: f.Detail, Now: f.Taken}
	writeView(&b, s, v, width)
	return b.String()
}

func TestTablesOfDevicesAreThoseOfTestdata(t *testing.T) {
	s := builtin(t)
	for name, width := range map[string]int{"wide": 0, "100": 100, "60": 60} {
		got, file := tableOf(s, sample.Frame(), width), "testdata/live/"+name+".txt"
		if *update {
			if err := os.WriteFile(file, []byte(got), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		want, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(string(want), got); diff != "" {
			t.Errorf("%s: -want +got:\n%s", file, diff)
		}
	}
}

func TestTablesKeepToTheWidthOfTheTerminal(t *testing.T) {
	s := builtin(t)
	for width := 1; width < 200; width++ {
		for line := range strings.Lines(tableOf(s, sample.Frame(), width)) {
			if n := utf8.RuneCountInString(strings.TrimSuffix(line, "\n")); n > width {
				t.Fatalf("width %d: %q has %d columns", width, line, n)
			}
		}
	}
}

func TestNamesFromOutsideDoNotSteerTheTerminal(t *testing.T) {
	got := tableOf(builtin(t), live.Frame{Taken: sample.Taken, Reason: "failed", Detail: "\x1b[2J", Hosts: []live.Host{{
		Name: "a\x1b]0;b\a\n", Driver: "\u009b1",
		Devices: []live.Device{{UUID: "x", Name: "card\r\x1b[31m\u202e", Problem: "\x1bc",
			Throttle: []live.Throttle{"\b"}}},
	}}}, 0)
	if strings.ContainsAny(got, "\x1b\a\r\b\u009b\u202e") || strings.Count(got, "\n") != 4 {
		t.Errorf("got %q", got)
	}
}

func TestStaleReadingsSayTheirAge(t *testing.T) {
	s := builtin(t)
	d := live.Device{UUID: "x", Name: "NVIDIA L4", Readings: map[live.Metric]live.Reading{live.Power: {Value: 30}}}
	f := live.Frame{Taken: sample.Taken, Hosts: []live.Host{{Name: "a", Devices: []live.Device{d}}}}
	var b strings.Builder
	writeView(&b, s, live.View{Frame: f, State: live.Stale, Reason: "timeout", Age: 90 * time.Minute,
		Now: f.Taken.Add(90 * time.Minute)}, 0)
	want := "These readings are 90 min old. timeout\na\n" +
		"  #  DEVICE     CARD       POWER W  NOTES\n" +
		"  0  NVIDIA L4  nvidia-l4   30 / —  90 min old\n"
	if diff := cmp.Diff(want, b.String()); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

func TestAgesAreInTheirGreatestUnit(t *testing.T) {
	for d, want := range map[time.Duration]string{0: "0 s", 1200 * time.Millisecond: "2 s", 90 * time.Second: "2 min",
		30 * time.Hour: "30 h"} {
		if got := age(d); got != want {
			t.Errorf("%v: got %q, want %q", d, got, want)
		}
	}
}
