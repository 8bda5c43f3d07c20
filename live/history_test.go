package live

import (
	"fmt"
	"math"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// powers is the end of a history of power as text, "-" for a gap.
func powers(h *history, uuid string, points int) (out []string) {
	series := h.series(uuid, Power)
	for _, v := range series[len(series)-points:] {
		if math.IsNaN(float64(v)) {
			out = append(out, "-")
		} else {
			out = append(out, fmt.Sprint(v))
		}
	}
	return out
}

func frameOf(uuid string, watts float64) *Frame {
	return &Frame{Hosts: []Host{{Devices: []Device{{UUID: uuid, Readings: map[Metric]Reading{Power: {Value: watts}}}}}}}
}

func never(*Host, Reading) bool { return false }

func TestHistoryHasGapsWhereThereAreNoReadings(t *testing.T) {
	h := newHistory(monday, time.Second, 4)
	at := func(s float64) time.Time { return monday.Add(time.Duration(s * float64(time.Second))) }
	for _, s := range []float64{0, 1.01, 1.99, 3.01, 4, 7, 8} { // the third is early: 2 has no frame, but no gap either
		h.put(at(s), frameOf("a", s), never)
	}
	none := frameOf("a", 0)
	delete(none.Hosts[0].Devices[0].Readings, Power)
	h.put(at(9), none, never)
	h.put(at(10), frameOf("a", 10), func(*Host, Reading) bool { return true })
	h.put(at(11), frameOf("b", 11), never)
	if diff := cmp.Diff([]string{"-", "0", "1.99", "3.01", "3.01", "4", "-", "-", "7", "8", "-", "-", "-"},
		powers(h, "a", 13)); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	if diff := cmp.Diff([]string{"-", "11"}, powers(h, "b", 2)); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	if got := h.series("a", Energy); got != nil {
		t.Errorf("got a history of energy: %v", got[:3])
	}
}

func TestHistoryKeepsTheLastPoints(t *testing.T) {
	h := newHistory(monday, time.Second, 4)
	for i := range 1000 {
		h.put(monday.Add(time.Duration(i)*time.Second), frameOf("a", float64(i)), never)
	}
	got := h.series("a", Power)
	if len(got) != HistoryPoints || got[0] != 700 || got[HistoryPoints-1] != 999 {
		t.Errorf("got %d points from %v to %v, want %d from 700 to 999", len(got), got[0], got[len(got)-1],
			HistoryPoints)
	}
	h.put(monday.Add(2000*time.Second), frameOf("a", 1), never)
	for i, v := range h.series("a", Power)[:HistoryPoints-1] {
		if v == v {
			t.Fatalf("point %d is %v after a long gap", i, v)
		}
	}
}

func TestHistoryIsBounded(t *testing.T) {
	h := newHistory(monday, time.Second, 4)
	for i := range 1000 {
		h.put(monday.Add(time.Duration(i)*time.Second), frameOf(fmt.Sprint(i), 1), never)
		if len(h.tracks) > 4 {
			t.Fatalf("it has %d devices, want no more than 4", len(h.tracks))
		}
	}
	if h.series("999", Power) != nil || len(h.tracks) == 0 {
		t.Error("want some devices, and not the last")
	}
}
