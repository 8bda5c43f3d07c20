//go:build linux && cgo

package nvml

import (
	"cmp"
	"fmt"
	"math"
	"os"
	"os/user"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
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
	for _, p := range list {
		p.Name, p.User = d.lib.whose(p.PID)
		d.processes = append(d.processes, p)
	}
	slices.SortFunc(d.processes, func(a, b live.Process) int {
		return cmp.Or(cmp.Compare(b.Memory, a.Memory), cmp.Compare(a.PID, b.PID))
	})
	return ret
}

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
func (l *library) whose(pid int) (name, owner string) {
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
		owner = fmt.Sprint(st.Uid)
		if u, err := user.LookupId(owner); err == nil {
			owner = u.Username
		}
	}
	return name, owner
}
