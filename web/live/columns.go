package live

import (
	"tianti/live"
	"tianti/web/ui"
)

// A liveColumn is what the live table sorts by. Columns of a group are rows of one
// cell, so that the table fits a window of 1280 px with all of them.
type liveColumn struct {
	id     string
	group  string
	shown  live.Metric   // whose value is shown, and whose history
	others []live.Metric // that are told of as well
	method string        // key of the explanation
}

// liveColumns in the order of the table; groups are together. One that no device of a
// host has is left out.
var liveColumns = []liveColumn{
	{id: "memory", group: "memory", shown: live.MemoryUsed, others: []live.Metric{live.MemoryTotal}, method: "memory"},
	{id: "power", group: "power", shown: live.Power, others: []live.Metric{live.PowerLimit}, method: "power"},
	{id: "temperature", group: "power", shown: live.Temperature, others: []live.Metric{live.MemoryTemperature},
		method: "power"},
	{id: "clock", group: "power", shown: live.SMClock, others: []live.Metric{live.MemoryClock}, method: "power"},
	{id: "utilization", group: "activity", shown: live.GPUUtilization, method: "utilization"},
	{id: "sm", group: "activity", shown: live.SMActive, method: "activity"},
	{id: "occupancy", group: "activity", shown: live.SMOccupancy, method: "activity"},
	{id: "tensor", group: "activity", shown: live.TensorActive, method: "activity"},
	{id: "fp16", group: "activity", shown: live.FP16Active, method: "activity"},
	{id: "fp32", group: "activity", shown: live.FP32Active, method: "activity"},
	{id: "fp64", group: "activity", shown: live.FP64Active, method: "activity"},
	{id: "dram", group: "activity", shown: live.DRAMActive, method: "activity"},
	{id: "nvlink", group: "links", shown: live.NVLinkTx, others: []live.Metric{live.NVLinkRx, live.NVLinksUp},
		method: "links"},
	{id: "pcie", group: "links", shown: live.PCIeTx, others: []live.Metric{live.PCIeRx, live.PCIeGeneration,
		live.PCIeWidth}, method: "links"},
	{id: "errors", group: "links", shown: live.ECCUncorrected, others: []live.Metric{live.RemappedRows, live.LastXID},
		method: "errors"},
}

// metrics are all that the column tells of.
func (c liveColumn) metrics() []live.Metric { return append([]live.Metric{c.shown}, c.others...) }

// of reports whether a device has anything for the column.
func (c liveColumn) of(d *live.Device) bool {
	for _, m := range c.metrics() {
		if _, ok := d.Get(m); ok && m != live.MemoryTotal && m != live.PowerLimit {
			return true
		}
	}
	return false
}

// rank is what the column sorts a device by.
func (c liveColumn) rank(d *live.Device) (float64, bool) { return d.Get(c.shown) }

// columnsOfHost are the columns that some device of a host has.
func columnsOfHost(h *live.Host) []liveColumn {
	var out []liveColumn
	for _, c := range liveColumns {
		for i := range h.Devices {
			if c.of(&h.Devices[i]) {
				out = append(out, c)
				break
			}
		}
	}
	return out
}

// groups are the heads of columns. What is explained in the same place is explained
// once.
func (b *liveBuilder) groups(columns []liveColumn) []liveGroup {
	var out []liveGroup
	method := ""
	for i, c := range columns {
		if i == 0 || c.group != columns[i-1].group {
			out = append(out, liveGroup{ID: c.group, Label: b.l.T("livepage.group." + c.group)})
			method = ""
		}
		said := c.method
		if said == method {
			said = ""
		}
		method = c.method
		last := &out[len(out)-1]
		last.Columns = append(last.Columns, b.column(c.id, said))
	}
	return out
}

// column is the head of a column: it sorts by it, highest first, then lowest first,
// then as before.
func (b *liveBuilder) column(id, method string) liveColumnData {
	c := liveColumnData{ID: id, Label: b.l.T("livepage.column." + id)}
	if method != "" {
		c.Method, c.MethodTitle = "#live-"+method, b.l.T("livepage.explain", c.Label)
	}
	q := b.q
	switch first := id != "name"; {
	case q.sort != id:
		q.sort, q.down = id, first
	case q.down == first:
		c.Sort = sortOf(q.down)
		q.down = !first
	default:
		c.Sort = sortOf(q.down)
		q.sort, q.down = "", false
	}
	c.SortURL = b.address(q)
	return c
}

func sortOf(down bool) ui.Sort {
	if down {
		return ui.Descending
	}
	return ui.Ascending
}
