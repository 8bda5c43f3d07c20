package live

import "slices"

// Anonymous is f without the names and users of processes, for recordings that are given away. The processes and their
// memory remain, as a device with a compute process is not idle.
func (f Frame) Anonymous() Frame {
	f.Hosts = slices.Clone(f.Hosts)
	for i := range f.Hosts {
		h := &f.Hosts[i]
		h.Devices = slices.Clone(h.Devices)
		for j := range h.Devices {
			d := &h.Devices[j]
			d.Processes = slices.Clone(d.Processes)
			for k := range d.Processes {
				d.Processes[k].Name, d.Processes[k].User = "", ""
			}
		}
	}
	return f
}
