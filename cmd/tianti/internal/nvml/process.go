//go:build linux && cgo

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

	"github.com/NVIDIA/go-nvml/pkg/nvml"

	"tianti/live"
)

// readProcesses lists who uses a device. Those of a divided card are with its
// slices.
func readProcesses(d *device, _ time.Time, _ *answer) nvml.Return {
	d.processes = nil
	if d.id.MIG {
		return nvml.SUCCESS
	}
	compute, ret := d.handle.GetComputeRunningProcesses()
	if ret != nvml.SUCCESS {
		return ret
	}
	list := map[int]live.Process{}
	if d.lib.has("nvmlDeviceGetGraphicsRunningProcesses_v3|nvmlDeviceGetGraphicsRunningProcesses_v2|nvmlDeviceGetGraphicsRunningProcesses") {
		graphics, _ := d.handle.GetGraphicsRunningProcesses()
		addProcesses(list, graphics, "graphics")
	}
	addProcesses(list, compute, "compute")
	d.processes = slices.Collect(maps.Values(list))
	slices.SortFunc(d.processes, func(a, b live.Process) int {
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

func addProcesses(list map[int]live.Process, found []nvml.ProcessInfo, kind string) {
	for _, p := range found {
		out := live.Process{PID: int(p.Pid), Kind: kind}
		if p.UsedGpuMemory != math.MaxUint64 { // which means that it is not known
			out.Memory = p.UsedGpuMemory
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
// that does not answer: whoever asks then gets the number.
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
