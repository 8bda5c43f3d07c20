//go:build !linux

package store

import (
	"fmt"
	"os"
	"sync"
	"time"
)

// thisProcess tells this process from others; whether it still runs is known to itself only.
var thisProcess = sync.OnceValue(func() string { return fmt.Sprintf("%d %d", os.Getpid(), time.Now().UnixNano()) })

func lifeOf(process string) (alive, known bool) {
	return process == thisProcess(), process == thisProcess()
}

// ofThisBoot reports whether a process of thisProcess's form is of this machine since it was started.
func ofThisBoot(string) bool { return false }
