package main

import (
	"cmp"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"tianti/catalog"
	"tianti/live"
)

// A column of the table of devices. The text is "" without a reading; a column without any text is omitted.
type column struct {
	head string
	left bool // aligned to the left
	rank int  // in a narrow terminal, those with the highest rank are omitted first
	text func(row) string
}

// A row is a device with its match and notes.
type row struct {
	d       *live.Device
	matched live.Matched
	card    string
	rated   []live.Rated
	notes   string
}

var columns = []column{
	{"#", false, 0, func(r row) string { return strconv.Itoa(r.d.Index) }},
	{"DEVICE", true, 0, func(r row) string { return printable(r.d.Name) }},
	{"CARD", true, 5, func(r row) string { return r.card }},
	{"MEMORY GiB", false, 0, func(r row) string { return pair(r.d, live.MemoryUsed, live.MemoryTotal, 1<<30, 1) }},
	{"POWER W", false, 0, func(r row) string { return pair(r.d, live.Power, live.PowerLimit, 1, 0) }},
	{"°C", false, 3, func(r row) string { return number(r.d, live.Temperature, 1, 0) }},
	{"MHz", false, 8, func(r row) string { return number(r.d, live.SMClock, 1, 0) }},
	{"KERNEL %", false, 4, func(r row) string { return number(r.d, live.GPUUtilization, 0.01, 0) }},
	{"SM %", false, 6, func(r row) string { return number(r.d, live.SMActive, 0.01, 0) }},
	{"TENSOR %", false, 2, func(r row) string { return number(r.d, live.TensorActive, 0.01, 0) }},
	{"≤ TFLOPS", false, 7, func(r row) string { return ceiling(r.rated, live.TensorActive) }},
	{"DRAM %", false, 3, func(r row) string { return number(r.d, live.DRAMActive, 0.01, 0) }},
	{"≤ GB/s", false, 9, func(r row) string { return ceiling(r.rated, live.DRAMActive) }},
	{"NOTES", true, 1, func(r row) string { return r.notes }},
}

// writeView prints the devices of each host as a table of at most width columns; 0 is no limit.
func writeView(w io.Writer, s *catalog.Snapshot, v live.View, width int) {
	matched := live.MatchFrame(s, &v.Frame)
	if v.State != live.OK || v.Reason != "" {
		fmt.Fprintln(w, clip(headline(v), width))
	}
	for i := range v.Frame.Hosts {
		h := &v.Frame.Hosts[i]
		if len(h.Devices) == 0 {
			continue
		}
		fmt.Fprintln(w, clip(hostLine(h), width))
		var rows []row
		for j := range h.Devices {
			d := &h.Devices[j]
			m := matched[d.UUID]
			rows = append(rows, row{d, m, cardOf(s, m), live.Rate(s, m, d), notesOf(&v, h, d)})
		}
		writeRows(w, rows, width)
	}
}

func headline(v live.View) string {
	switch v.State {
	case live.Unavailable:
		return "No device: " + why(v)
	case live.Stale:
		return fmt.Sprintf("These readings are %s old. %s", age(v.Age), why(v))
	}
	return why(v)
}

func hostLine(h *live.Host) string {
	parts := []string{cmp.Or(h.Name, "this host")}
	if h.Driver != "" {
		parts = append(parts, "driver "+h.Driver)
	}
	if h.Runtime != "" {
		parts = append(parts, h.Runtime)
	}
	return printable(strings.Join(parts, " · "))
}

func cardOf(s *catalog.Snapshot, m live.Matched) string {
	switch {
	case m.OK() && m.Partial:
		return "part of " + s.Card(m.Row).ID
	case m.OK():
		return s.Card(m.Row).ID
	case len(m.Candidates) > 0:
		return "?"
	}
	return ""
}

// notesOf are the problem of a device, the age of stale readings, and the reasons for reduced clocks.
func notesOf(v *live.View, h *live.Host, d *live.Device) string {
	var notes []string
	if d.Problem != "" {
		notes = append(notes, d.Problem)
	}
	stale := false
	for _, r := range d.Readings {
		stale = stale || v.IsStale(h, r)
	}
	if old, ok := d.Age(live.Moment{Taken: v.Frame.Taken, Now: v.Now}); ok && stale {
		notes = append(notes, age(old)+" old")
	}
	for _, t := range d.Throttle {
		if t != live.ThrottleIdle && t != live.ThrottleApplicationClock {
			notes = append(notes, string(t))
		}
	}
	return printable(strings.Join(notes, ", "))
}

// writeRows prints the columns that fit. The last one may be truncated.
func writeRows(w io.Writer, rows []row, width int) {
	cells := make([][]string, len(columns)) // by column
	var shown []int
	for i, c := range columns {
		any := false
		for _, r := range rows {
			text := c.text(r)
			any = any || text != ""
			cells[i] = append(cells[i], text)
		}
		if any {
			shown = append(shown, i)
		}
	}
	widths := make([]int, len(columns))
	for i, c := range columns {
		widths[i] = utf8.RuneCountInString(c.head)
		for _, text := range cells[i] {
			widths[i] = max(widths[i], utf8.RuneCountInString(text))
		}
	}
	shown = fit(shown, widths, width)
	line := func(text func(column int) string) {
		var b strings.Builder
		for _, i := range shown {
			b.WriteString("  ")
			b.WriteString(pad(text(i), widths[i], columns[i].left))
		}
		fmt.Fprintln(w, clip(strings.TrimRight(b.String(), " "), width))
	}
	line(func(i int) string { return columns[i].head })
	for r := range rows {
		line(func(i int) string {
			if cells[i][r] == "" && columns[i].head != "NOTES" {
				return "—"
			}
			return cells[i][r]
		})
	}
}

// least is the minimum width of columns that may be truncated.
var least = map[string]int{"DEVICE": 20, "NOTES": 12}

// fit removes columns, those with the highest rank first, until the others fit into width. Then it reduces the widths
// of columns that may be truncated, as far as necessary.
func fit(shown []int, widths []int, width int) []int {
	if width <= 0 {
		return shown
	}
	total := func(short bool) (n int) {
		for _, i := range shown {
			w := widths[i]
			if most, ok := least[columns[i].head]; ok && short {
				w = min(w, most)
			}
			n += 2 + w
		}
		return n
	}
	for total(true) > width {
		worst := slices.MaxFunc(shown, func(a, b int) int { return columns[a].rank - columns[b].rank })
		if columns[worst].rank <= 1 {
			break
		}
		shown = slices.DeleteFunc(shown, func(i int) bool { return i == worst })
	}
	for _, head := range []string{"NOTES", "DEVICE"} {
		i := slices.IndexFunc(columns, func(c column) bool { return c.head == head })
		if over := total(false) - width; over > 0 && slices.Contains(shown, i) {
			widths[i] = max(min(widths[i], least[head]), widths[i]-over)
		}
	}
	return shown
}

// pad pads or truncates text to a width.
func pad(text string, width int, left bool) string {
	text = clip(text, width)
	space := strings.Repeat(" ", width-utf8.RuneCountInString(text))
	if left {
		return text + space
	}
	return space + text
}

// clip truncates text to a width; 0 is no limit.
func clip(text string, width int) string {
	if width <= 0 || utf8.RuneCountInString(text) <= width {
		return text
	}
	return string([]rune(text)[:width-1]) + "…"
}

// printable removes control characters, which a terminal would interpret.
func printable(text string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsPrint(r) {
			return r
		}
		return -1
	}, text)
}

func number(d *live.Device, m live.Metric, unit float64, decimals int) string {
	v, ok := d.Get(m)
	if !ok {
		return ""
	}
	return strconv.FormatFloat(v/unit, 'f', decimals, 64)
}

// pair is a reading and its limit, such as used / total.
func pair(d *live.Device, m, of live.Metric, unit float64, decimals int) string {
	a, b := number(d, m, unit, decimals), number(d, of, unit, decimals)
	if a == "" && b == "" {
		return ""
	}
	return cmp.Or(a, "—") + " / " + cmp.Or(b, "—")
}

// ceiling is the upper bound of the rate at an activity, and the rating.
func ceiling(rated []live.Rated, m live.Metric) string {
	for _, r := range rated {
		if r.Metric == m && r.Ceiling {
			mark := ""
			if r.Against == live.AgainstDerived {
				mark = "~" // no published figure
			}
			return fmt.Sprintf("%.0f / %s%.0f", r.Value, mark, r.Of)
		}
	}
	return ""
}

// age is a duration in seconds, minutes or hours.
func age(d time.Duration) string {
	switch {
	case d < time.Minute:
		return fmt.Sprintf("%.0f s", math.Ceil(d.Seconds()))
	case d < 2*time.Hour:
		return fmt.Sprintf("%.0f min", d.Minutes())
	}
	return fmt.Sprintf("%.0f h", d.Hours())
}
