package main

import (
	"bufio"
	"bytes"
	"os"
	"strconv"
	"syscall"
)

// unmapProgram lets go of the pages of the program's own file: code and data that the start needed once, packed
// data that are unpacked. They stay in the system's cache of files, which drops them when memory is short, and what is
// used again is mapped again, 16 pages at a time. Parts in which anything was written stay: that is nowhere else.
func unmapProgram() error {
	self, err := os.Readlink("/proc/self/exe")
	if err != nil {
		return err
	}
	maps, err := os.ReadFile("/proc/self/smaps")
	if err != nil {
		return err
	}
	for _, m := range unwritten(maps, self) {
		if _, _, e := syscall.Syscall(syscall.SYS_MADVISE, m.from, m.to-m.from, syscall.MADV_DONTNEED); e != 0 {
			return e
		}
	}
	return nil
}

// A mapping is a range of addresses.
type mapping struct{ from, to uintptr }

// unwritten are the mappings of a file that cannot be written and have no page that was, in a table as
// /proc/self/smaps.
func unwritten(smaps []byte, file string) (out []mapping) {
	var m mapping
	is := false
	lines := bufio.NewScanner(bytes.NewReader(smaps))
	for lines.Scan() {
		words := bytes.Fields(lines.Bytes())
		switch from, to, ok := bytes.Cut(words[0], []byte("-")); {
		case ok: // 00400000-01a44000 r-xp 00000000 fe:00 1234 /usr/bin/tianti
			a, err1 := strconv.ParseUint(string(from), 16, 64)
			b, err2 := strconv.ParseUint(string(to), 16, 64)
			m = mapping{uintptr(a), uintptr(b)}
			is = err1 == nil && err2 == nil && len(words) == 6 && string(words[5]) == file && words[1][0] == 'r' &&
				words[1][1] == '-' && words[1][3] == 'p'
		case is && string(words[0]) == "Anonymous:":
			if string(words[1]) == "0" {
				out = append(out, m)
			}
			is = false
		}
	}
	return out
}
