package live

import (
	"cmp"
	"slices"

	"tianti/catalog"
	"tianti/sorting"
)

// Room is the number of devices of one card in one host with an amount of free memory.
type Room struct {
	Host      string
	Row       int    // of the snapshot
	FreeBytes uint64 // of each of them, at least
	Count     int    // of devices with so much or more
}

// FreeRoom lists the free memory by host and card, the most free first. Counts are cumulative: three cards with 80, 80
// and 40 GiB free are 2 with 80 and 3 with 40. It counts whole cards with a certain match and known memory. The result
// without is the number of the other devices: parts of cards, devices that share a card, lost and unknown ones.
func FreeRoom(s *catalog.Snapshot, f *Frame) (rooms []Room, without int) {
	matched := MatchFrame(s, f)
	for _, h := range f.Hosts {
		byRow := map[int][]uint64{}
		for i := range h.Devices {
			d := &h.Devices[i]
			m := matched[d.UUID]
			free, ok := FreeBytes(d)
			if !ok || !m.OK() || m.Partial || m.Devices > 1 || d.MIG {
				without++
				continue
			}
			byRow[m.Row] = append(byRow[m.Row], free)
		}
		for row, free := range byRow {
			rooms = append(rooms, steps(h.Name, row, free)...)
		}
	}
	sorting.Func(rooms, func(a, b Room) int {
		return cmp.Or(cmp.Compare(b.FreeBytes, a.FreeBytes), cmp.Compare(a.Host, b.Host), cmp.Compare(a.Row, b.Row))
	})
	return rooms, without
}

// grain is the precision of free memory, in bytes.
const grain = 256 << 20

// steps makes cumulative counts from the free bytes of each device.
func steps(host string, row int, free []uint64) []Room {
	slices.SortFunc(free, func(a, b uint64) int { return cmp.Compare(b, a) })
	var out []Room
	for i, bytes := range free {
		bytes -= bytes % grain
		if n := len(out); n > 0 && out[n-1].FreeBytes == bytes {
			out[n-1].Count = i + 1
		} else if bytes > 0 {
			out = append(out, Room{host, row, bytes, i + 1})
		}
	}
	return out
}

// FreeBytes is the free memory of a device: neither used nor reserved by the driver. It is false when not known.
func FreeBytes(d *Device) (uint64, bool) {
	total, ok := d.Get(MemoryTotal)
	used, known := d.Get(MemoryUsed)
	reserved, _ := d.Get(MemoryReserved)
	if !ok || !known || d.Problem != "" || !(total > 0 && total < 1<<60) || !(used >= 0) {
		return 0, false
	}
	return uint64(max(0, total-used-max(0, reserved))), true
}

// Model counts the devices of one model.
type Model struct {
	Row     int    // of the snapshot; -1 for devices that were not matched
	Name    string // of the driver, for those
	Devices int
	Idle    int
	Unknown int // of which it is not known whether they are idle
}

// idleShare is the greatest utilization of an idle device, of its time and of its memory.
const idleShare = 0.05

// Idle reports whether a device is idle: it has no compute process, its utilization is below 5 %, and less than 5 % of
// its memory is used. It is not known without both readings, nor for a card in MIG mode.
func Idle(d *Device) (idle, known bool) {
	busy, ok := d.Get(GPUUtilization)
	if !ok {
		busy, ok = d.Get(SMActive)
	}
	used, hasUsed := d.Get(MemoryUsed)
	total, hasTotal := d.Get(MemoryTotal)
	if !ok || !hasUsed || !hasTotal || !(total > 0) || d.Problem != "" || d.MIG {
		return false, false
	}
	if slices.ContainsFunc(d.Processes, func(p Process) bool { return p.Kind == "compute" }) {
		return false, true
	}
	return busy < idleShare && used/total < idleShare, true
}

// Models counts the whole cards of a frame by model, and how many of them are idle; the most idle first.
func Models(s *catalog.Snapshot, f *Frame) []Model {
	type key struct {
		row  int
		name string
	}
	at := map[key]int{}
	var out []Model
	matched := MatchFrame(s, f)
	for h := range f.Hosts {
		for i := range f.Hosts[h].Devices {
			d := &f.Hosts[h].Devices[i]
			m := matched[d.UUID]
			if m.Partial {
				continue
			}
			k := key{row: m.Row}
			if !m.OK() {
				k.name = d.Name
			}
			if _, ok := at[k]; !ok {
				at[k] = len(out)
				out = append(out, Model{Row: k.row, Name: k.name})
			}
			out[at[k]].count(d)
		}
	}
	sorting.Func(out, func(a, b Model) int { return cmp.Or(b.Idle-a.Idle, b.Devices-a.Devices) })
	return out
}

func (m *Model) count(d *Device) {
	m.Devices++
	switch idle, known := Idle(d); {
	case !known:
		m.Unknown++
	case idle:
		m.Idle++
	}
}
