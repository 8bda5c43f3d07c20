//go:build linux && (amd64 || arm64) && !nonvml

package nvml

import (
	"cmp"
	"maps"
	"math"
	"os"
	"os/user"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"

	"tianti/live"
	"tianti/sorting"
)

// readProcesses lists who uses a device. Those of a divided card are with its
// slices.
func readProcesses(d *device, _ time.Time, _ *answer) status {
	d.processes = nil
	if d.id.MIG {
		return statusSuccess
	}
	compute, ret := d.running(d.lib.DeviceGetComputeRunningProcesses_v3, d.lib.DeviceGetComputeRunningProcesses)
	if ret != statusSuccess {
		return ret
	}
	list := map[int]live.Process{}
	graphics, _ := d.running(d.lib.DeviceGetGraphicsRunningProcesses_v3, d.lib.DeviceGetGraphicsRunningProcesses)
	addProcesses(list, graphics, "graphics")
	addProcesses(list, compute, "compute")
	d.processes = slices.Collect(maps.Values(list))
	sorting.Func(d.processes, func(a, b live.Process) int {
		return cmp.Or(cmp.Compare(b.Memory, a.Memory), cmp.Compare(a.PID, b.PID))
	})
	d.processes = d.processes[:min(len(d.processes), mostProcesses)]
	for i := range d.processes {
		p := &d.processes[i]
		p.Name, p.User = whose(p.PID)
	}
	return ret
}

// mostProcesses are listed of a device, those with the most memory: a line of frames
// has room for so many of each slice of eight cards.
const mostProcesses = 100

// running are the processes on a device by a function of the library, or by its older
// form.
func (d *device) running(get getProcesses, older getOldProcesses) ([]processV1, status) {
	list, ret := processes(d.handle, get)
	if ret == statusFunctionNotFound {
		return processes(d.handle, older)
	}
	out := make([]processV1, len(list))
	for i, p := range list {
		out[i] = processV1{pid: p.pid, usedGpuMemory: p.usedGpuMemory}
	}
	return out, ret
}

// processes calls get with room for more until there is enough.
func processes[P processV1 | processV2](h handle, get func(handle, *uint32, *P) status) ([]P, status) {
	for room := uint32(mostProcesses); ; {
		list, n := make([]P, room), room
		switch ret := get(h, &n, &list[0]); {
		case ret == statusSuccess:
			return list[:min(n, room)], ret
		case ret != statusInsufficientSize || room >= 1<<20:
			return nil, ret
		}
		room = max(2*room, n)
	}
}

func addProcesses(list map[int]live.Process, found []processV1, kind string) {
	for _, p := range found {
		out := live.Process{PID: int(p.pid), Kind: kind}
		if p.usedGpuMemory != math.MaxUint64 { // which means that it is not known
			out.Memory = p.usedGpuMemory
		}
		list[out.PID] = out
	}
}

// firstPIDs is the namespace of a host's processes. The driver counts in it: in
// another, a number means some other process.
const firstPIDs = "pid:[4026531836]"

// whose is the name and the user of a process, "" where they are not known.
func whose(pid int) (name, owner string) {
	if ns, err := os.Readlink("/proc/self/ns/pid"); err != nil || ns != firstPIDs {
		return "", ""
	}
	dir := "/proc/" + strconv.Itoa(pid)
	if comm, err := os.ReadFile(filepath.Join(dir, "comm")); err == nil {
		name = strings.TrimSpace(string(comm))
	}
	info, err := os.Stat(dir)
	if err != nil {
		return name, ""
	}
	if st, ok := info.Sys().(*syscall.Stat_t); ok {
		owner = users.name(strconv.FormatUint(uint64(st.Uid), 10))
	}
	return name, owner
}

// users are those whose processes were seen.
var users = owners{names: map[string]string{}}

// owners are names of users by number. A directory of users may be on another host
// that does not answer: the caller then gets the number.
type owners struct {
	mu    sync.Mutex
	names map[string]string
}

// ownerWait is how long a name is waited for when it is asked for the first time.
const ownerWait = 50 * time.Millisecond

func (o *owners) name(uid string) string {
	o.mu.Lock()
	name, asked := o.names[uid]
	o.names[uid] = cmp.Or(name, uid)
	o.mu.Unlock()
	if asked {
		return name
	}
	done := make(chan struct{})
	go func() {
		defer close(done)
		if u, err := user.LookupId(uid); err == nil {
			o.mu.Lock()
			defer o.mu.Unlock()
			o.names[uid] = u.Username
		}
	}()
	select {
	case <-done:
	case <-time.After(ownerWait):
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.names[uid]
}
