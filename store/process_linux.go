package store

import (
	"fmt"
	"os"
	"strconv"
	"strings"
	"sync"
)

// thisProcess says which process this is, so that another one can tell later whether it still runs: the boot of the
// machine, the namespace of process ids, the id and when it began.
var thisProcess = sync.OnceValue(func() string {
	pid := os.Getpid()
	return fmt.Sprintf("%s %s %d %s", bootID(), namespace(), pid, beginning(pid))
})

func bootID() string {
	id, _ := os.ReadFile("/proc/sys/kernel/random/boot_id")
	return strings.TrimSpace(string(id))
}

func namespace() string {
	name, _ := os.Readlink("/proc/self/ns/pid")
	return name
}

// beginning is when a process began, in ticks since the boot; empty when there is no such process or it is dead and
// only waited for.
func beginning(pid int) string {
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return ""
	}
	_, rest, _ := strings.Cut(string(stat[strings.LastIndexByte(string(stat), ')')+1:]), " ")
	fields := strings.Fields(rest) // from the third on
	if len(fields) < 20 || fields[0] == "Z" || fields[0] == "X" {
		return ""
	}
	return fields[19]
}

// ofThisBoot reports whether a process of thisProcess's form is of this machine since it was started.
func ofThisBoot(process string) bool {
	boot, _, _ := strings.Cut(process, " ")
	return boot == bootID()
}

// lifeOf says whether a process of thisProcess's form runs; known is false when that cannot be seen from here.
func lifeOf(process string) (alive, known bool) {
	parts := strings.Fields(process)
	if len(parts) != 4 {
		return false, false
	}
	if parts[0] != bootID() {
		return false, true
	}
	if parts[1] != namespace() {
		return false, false
	}
	pid, err := strconv.Atoi(parts[2])
	if err != nil {
		return false, false
	}
	return beginning(pid) == parts[3], true
}
