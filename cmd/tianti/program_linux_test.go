package main

import (
	"os"
	"regexp"
	"slices"
	"strconv"
	"testing"
)

func TestOnlyWhatNobodyWroteIsLetGo(t *testing.T) {
	const maps = `00400000-01a44000 r-xp 00000000 fe:00 12 /usr/bin/tianti
Rss:               20048 kB
Anonymous:             0 kB
VmFlags: rd ex mr mw me
01a44000-03103000 r--p 01644000 fe:00 12 /usr/bin/tianti
Anonymous:             4 kB
03103000-033d7000 rw-p 02d03000 fe:00 12 /usr/bin/tianti
Anonymous:             0 kB
033d7000-043d7000 r--p 00000000 fe:00 12 /usr/bin/tianti
Anonymous:             0 kB
7fa4be31c000-7fa4be35c000 r--p 00000000 fe:00 13 /usr/lib/libc.so.6
Anonymous:             0 kB
7fa4be35c000-7fa4be36c000 r--p 00000000 00:00 0
Anonymous:             0 kB
`
	want := []mapping{{0x400000, 0x1a44000}, {0x33d7000, 0x43d7000}}
	if got := unwritten([]byte(maps), "/usr/bin/tianti"); !slices.Equal(got, want) {
		t.Errorf("got %x, want %x", got, want)
	}
}

func TestTheProgramGoesOnWithoutItsPages(t *testing.T) {
	before := filePages(t)
	if err := unmapProgram(); err != nil {
		t.Fatal(err)
	}
	if after := filePages(t); after > before*3/4 {
		t.Errorf("%d kB of files were resident, and %d afterwards", before, after)
	}
}

// filePages is how much of files is resident in this process, in kB.
func filePages(t *testing.T) int {
	t.Helper()
	status, err := os.ReadFile("/proc/self/status")
	if err != nil {
		t.Fatal(err)
	}
	m := regexp.MustCompile(`RssFile:\s+(\d+) kB`).FindSubmatch(status)
	if m == nil {
		t.Skip("this system does not tell pages of files apart")
	}
	kB, err := strconv.Atoi(string(m[1]))
	if err != nil {
		t.Fatal(err)
	}
	return kB
}
