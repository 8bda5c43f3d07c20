package main

import (
	"context"
	"runtime/debug"
	"runtime/metrics"
	"time"
)

// When memory is given back to the system: garbage of busy times would stay until the next collection, which in quiet
// ones is minutes away, and buffers that are kept for reuse as long.
const (
	tidyEvery  = 5 * time.Second
	quietUntil = 2 << 20   // bytes allocated in that time by a server that is quiet
	tidyFrom   = 16 << 20  // bytes that could be given back
	tidyUntil  = 256 << 20 // live bytes of a heap whose collection is no work to speak of
)

// A tidier decides when memory is given back.
type tidier struct {
	allocated uint64 // until the last look
	tidied    uint64 // until memory was given back
}

// heapUse is what the runtime says of the heap, in bytes.
type heapUse struct {
	allocated uint64 // since the start
	live      uint64 // at the last collection
	held      uint64 // of the system, whatever it is for
}

func readHeapUse() heapUse {
	list := []metrics.Sample{{Name: "/gc/heap/allocs:bytes"}, {Name: "/gc/heap/live:bytes"},
		{Name: "/memory/classes/heap/objects:bytes"}, {Name: "/memory/classes/heap/unused:bytes"},
		{Name: "/memory/classes/heap/free:bytes"}}
	metrics.Read(list)
	u := heapUse{allocated: list[0].Value.Uint64(), live: list[1].Value.Uint64()}
	for _, s := range list[2:] {
		u.held += s.Value.Uint64()
	}
	return u
}

// due reports whether it is time to give memory back: there is some, and nothing is being done.
func (t *tidier) due(u heapUse) bool {
	quiet := u.allocated-t.allocated < quietUntil
	t.allocated = u.allocated
	if !quiet || u.live > tidyUntil || u.held < u.live+tidyFrom || u.allocated-t.tidied < tidyFrom/2 {
		return false
	}
	t.tidied = u.allocated
	return true
}

// tidy gives memory back to the system in quiet times, until the context ends. A catalogue whose heap is bounded keeps
// what it has: there is little more, and the next swap would take it again.
func tidy(ctx context.Context) {
	var t tidier
	clock := time.NewTicker(tidyEvery)
	defer clock.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-clock.C:
		}
		if !bounded.Load() && t.due(readHeapUse()) {
			debug.FreeOSMemory()
			debug.FreeOSMemory() // buffers of pools outlive one collection
			_ = unmapProgram()   // where that is not possible they stay
		}
	}
}
