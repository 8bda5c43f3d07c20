package live

import "slices"

// Anonymous is f without the names and users of processes, for recordings that others
// will see. How many there are and what they use stays: a device that is computed on
// is not idle.
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
