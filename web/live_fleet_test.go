package web_test

import (
	"fmt"
	"regexp"
	"strings"
	"testing"
	"time"

	"tianti/live"
	"tianti/live/sample"
)

// manyDevices is a frame of n cards on hosts of eight: three in four in use, the last one hot.
func manyDevices(n int) live.Frame {
	f := live.Frame{Source: "replay"}
	for i := range n {
		if i%8 == 0 {
			f.Hosts = append(f.Hosts, live.Host{Name: fmt.Sprintf("node-%02d", i/8)})
		}
		d := sample.Device(sample.H100)
		if i%4 == 3 {
			d = sample.Device(sample.H100Idle)
			d.Readings[live.RemappedRows] = live.Reading{}
			d.Readings[live.NVLinksUp] = d.Readings[live.NVLinks]
		}
		if i == n-1 {
			d.Throttle = []live.Throttle{live.ThrottleHardwareThermal}
		}
		d.UUID, d.Index, d.Processes = fmt.Sprintf("GPU-%03d", i), i%8, nil
		host := &f.Hosts[len(f.Hosts)-1]
		host.Devices = append(host.Devices, d)
	}
	return f
}

var (
	elementStart = regexp.MustCompile(`<[a-z][a-z0-9]*`)
	liveTitle    = regexp.MustCompile(`<h1 data-live-title>([^<]*)</h1>`)
)

// mostElements is the number of elements that a page has on its first load.
const mostElements = 2500

func TestLiveFoldsSoThatThePageStaysLight(t *testing.T) {
	for _, tt := range []struct {
		devices, tiles int
		table          bool
	}{{1, 1, true}, {8, 8, true}, {9, 9, false}, {64, 16, false}} {
		s := newLiveServer(t, &devices{frame: manyDevices(tt.devices)})
		body := bodyOf(t, get(t, s, "/live"))
		n := len(elementStart.FindAllString(body, -1))
		t.Logf("%d devices: %d elements", tt.devices, n)
		if n > mostElements {
			t.Errorf("%d devices: %d elements, want at most %d", tt.devices, n, mostElements)
		}
		if got := strings.Count(body, "data-tile="); got != tt.tiles {
			t.Errorf("%d devices: %d tiles, want %d", tt.devices, got, tt.tiles)
		}
		if got := strings.Count(body, "data-strip="); got != tt.devices {
			t.Errorf("%d devices: %d rows in the heat strip", tt.devices, got)
		}
		if strings.Contains(body, `id="readings"`) != tt.table || strings.Contains(body, "show=all") == tt.table {
			t.Errorf("%d devices: want the table: %v, and a link to it otherwise", tt.devices, tt.table)
		}
		if first := strings.Index(body, fmt.Sprintf(`data-tile="GPU-%03d"`, tt.devices-1)); first < 0 {
			t.Errorf("%d devices: the one with a fault has no tile", tt.devices)
		}
		all := bodyOf(t, get(t, s, "/live?show=all"))
		if strings.Count(all, "data-tile=") != tt.devices || strings.Count(all, "data-device=") != tt.devices {
			t.Errorf("%d devices: not all are shown when all are asked for", tt.devices)
		}
	}
	s := newLiveServer(t, &devices{frame: manyDevices(1)})
	if r := get(t, s, "/live?show=some"); r.StatusCode != 400 || !strings.Contains(bodyOf(t, r), "all") {
		t.Errorf("another value: %d, want 400 and what is allowed", r.StatusCode)
	}
}

func TestTheTitleOfLiveIsWhatTheReadingsSay(t *testing.T) {
	partly := manyDevices(2)
	for _, m := range []live.Metric{live.TensorActive, live.Power} {
		delete(partly.Hosts[0].Devices[1].Readings, m)
	}
	silent := manyDevices(2)
	for i := range silent.Hosts[0].Devices {
		d := &silent.Hosts[0].Devices[i]
		d.Readings, d.Problem = nil, "lost"
	}
	none := manyDevices(1)
	for _, m := range []live.Metric{live.TensorActive, live.DRAMActive} {
		delete(none.Hosts[0].Devices[0].Readings, m)
	}
	for _, tt := range []struct {
		name, path string
		frame      live.Frame
		want       string
	}{
		{"eight", "/live", manyDevices(8),
			`^6 in use, 2 idle; [0-9.]+ of 5\.6 kW; at most [0-9]+ % of rated BF16 throughput$`},
		{"Chinese", "/zh/live", manyDevices(8), `^6 张使用中，2 张空闲；[0-9.]+ / 5\.6 kW；BF16 算力至多为标称的 [0-9]+%$`},
		{"one of two reports", "/live", partly,
			`^2 in use, 0 idle; [0-9]+ of 700 W \(1 of 2 cards\); at most [0-9]+ % of rated BF16 throughput \(1 of 2 cards\)$`},
		{"no tensor throughput is read", "/live", none, `^1 in use, 0 idle; [0-9]+ of 700 W$`},
		{"none is read", "/live", silent, `^No current readings of 2 cards$`},
		{"no device", "/live", live.Frame{Source: "nvml", Reason: "no-driver"}, `^No card is being read$`},
	} {
		s := newLiveServer(t, &devices{frame: tt.frame})
		m := liveTitle.FindStringSubmatch(bodyOf(t, get(t, s, tt.path)))
		space := strings.NewReplacer("\u00a0", " ", "\u202f", " ", "\u2009", " ")
		if m == nil || !regexp.MustCompile(tt.want).MatchString(space.Replace(m[1])) {
			t.Errorf("%s: got %q, want %s", tt.name, m, tt.want)
		}
	}
}

func TestThrottlingIsSaidWithTheClockThatIsRead(t *testing.T) {
	f := manyDevices(1)
	d := &f.Hosts[0].Devices[0]
	d.Throttle = []live.Throttle{live.ThrottlePowerCap}
	d.Readings[live.SMClock] = live.Reading{Value: 1980}
	body := bodyOf(t, get(t, newLiveServer(t, &devices{frame: f}), "/live"))
	if strings.Contains(body, "clock held") || !strings.Contains(body, "At the power limit; clock still full") {
		t.Error("a full clock is said to be held down")
	}
	d.Readings[live.SMClock] = live.Reading{Value: 1410}
	if body := bodyOf(t, get(t, newLiveServer(t, &devices{frame: f}), "/live")); !strings.Contains(
		body,
		"clock held at",
	) {
		t.Error("a clock that is held down is not said to be")
	}
}

func TestAnOldReadingIsMarkedInItsPlace(t *testing.T) {
	f := manyDevices(1)
	f.Hosts[0].Devices[0].Readings[live.Temperature] = live.Reading{Value: 50, Taken: time.Now().Add(-time.Minute)}
	body := bodyOf(t, get(t, newLiveServer(t, &devices{frame: f}), "/live"))
	cell := regexp.MustCompile(`<span data-cell="temperature" class="old">.*?</span></span>`).FindString(body)
	if !strings.Contains(cell, "old reading") || strings.Count(body, "old reading") != 2 {
		t.Errorf("got %q: want the old reading marked in tile and table, and no other", cell)
	}
}
