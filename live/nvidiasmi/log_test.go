package nvidiasmi

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"tianti/live"
)

const missionLog = `timestamp, name, index, utilization.gpu [%], memory.total [MiB], memory.used [MiB], power.draw [W]
2026/03/01 08:00:00.101, NVIDIA GeForce RTX 4090, 0, 98 %, 24564 MiB, 20011 MiB, 412.37 W
2026/03/01 08:00:00.104, NVIDIA GeForce RTX 3090, 1, 0 %, 24576 MiB, 11 MiB, [N/A]
2026/03/01 08:00:01.102, NVIDIA GeForce RTX 4090, 0, 97 %, 24564 MiB, 20011 MiB, 409.00 W
2026/03/01 08:00:01.106, NVIDIA GeForce RTX 3090, 1, 3 %, 24576 MiB, 11 MiB, [Not Supported]
`

func TestALogOfNvidiaSMIIsReadAsFrames(t *testing.T) {
	zone := time.FixedZone("", 8*60*60)
	got, err := framesOf(strings.NewReader(missionLog), zone)
	if err != nil {
		t.Fatal(err)
	}
	card := func(index int, name string, total, used, util float64, power ...float64) live.Device {
		d := live.Device{UUID: fmt.Sprintf("#%d", index), Index: index, Name: name, Vendor: "NVIDIA",
			Readings: map[live.Metric]live.Reading{
				live.MemoryTotal: {Value: total * mib}, live.MemoryUsed: {Value: used * mib},
				live.GPUUtilization: {Value: util * 0.01},
			}}
		for _, p := range power {
			d.Readings[live.Power] = live.Reading{Value: p}
		}
		return d
	}
	at := func(ms int) time.Time { return time.Date(2026, 3, 1, 8, 0, 0, ms*1e6, zone) }
	frame := func(taken time.Time, devices ...live.Device) live.Frame {
		return live.Frame{Source: "nvidia-smi", Taken: taken,
			Hosts: []live.Host{{Name: "nvidia-smi", Devices: devices}}}
	}
	want := []live.Frame{
		frame(at(101), card(0, "NVIDIA GeForce RTX 4090", 24564, 20011, 98, 412.37),
			card(1, "NVIDIA GeForce RTX 3090", 24576, 11, 0)),
		frame(at(1102), card(0, "NVIDIA GeForce RTX 4090", 24564, 20011, 97, 409),
			card(1, "NVIDIA GeForce RTX 3090", 24576, 11, 3)),
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

func TestLogsMayLookDifferent(t *testing.T) {
	for name, log := range map[string]string{
		"nounits": "timestamp, index, utilization.gpu [%], memory.used [MiB]\n" +
			"2026/03/01 08:00:00.000, 0, 50, 1024\n",
		"no unit at all": "index, memory.used, utilization.gpu, timestamp\n0, 1024, 50, 2026/03/01 08:00:00\n",
		"other units": "timestamp, memory.used [GiB], utilization.gpu [%], index\n" +
			"2026/03/01 08:00:00, 1 GiB, 50 %, 0\n",
		"cell over head": "timestamp, memory.used [MiB], utilization.gpu [%], index\n" +
			"2026/03/01 08:00:00, 1 GiB, 50 %, 0\n",
		"line ends, mark": "\xef\xbb\xbftimestamp, index, utilization.gpu [%], memory.used [MiB]\r\n\r\n" +
			"2026/03/01 08:00:00.000, 0, 50 %, 1024 MiB\r\n",
		"unknown columns": "timestamp, index, vbios_version, utilization.gpu [%], memory.used [MiB]\n" +
			"2026/03/01 08:00:00, 0, 90.04, 50 %, 1024 MiB\n",
		"header again": "timestamp, index, utilization.gpu [%]\n" +
			"timestamp, index, utilization.gpu [%], memory.used [MiB]\n2026/03/01 08:00:00, 0, 50 %, 1024 MiB\n",
	} {
		t.Run(name, func(t *testing.T) {
			frames, err := framesOf(strings.NewReader(log), nil)
			if err != nil || len(frames) != 1 {
				t.Fatalf("got %d frames, %v", len(frames), err)
			}
			want := map[live.Metric]live.Reading{live.GPUUtilization: {Value: 0.5}, live.MemoryUsed: {Value: 1 << 30}}
			if diff := cmp.Diff(want, frames[0].Hosts[0].Devices[0].Readings); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
		})
	}
}

func TestLogsThatAreNoneNameTheLine(t *testing.T) {
	const head = "timestamp, name, index, memory.used [MiB]\n"
	const row = "2026/03/01 08:00:00.000, NVIDIA L4, 0, 10 MiB\n"
	for name, test := range map[string]struct {
		log    string
		want   string
		frames int
	}{
		"empty":           {"", "line 1: the log is empty", 0},
		"header alone":    {head, "line 1: the log ends without a reading", 0},
		"other text":      {"hello\n", `line 1: "hello" is no header`, 0},
		"noheader":        {row, "is no header", 0},
		"UTF-16":          {"\xff\xfet\x00i\x00", "line 1: the text is UTF-16", 0},
		"UTF-16, no mark": {"t\x00i\x00\n\x00", "line 1: the text is UTF-16", 0},
		"semicolons":      {"timestamp; name; index\n", "is no header of nvidia-smi --query-gpu --format=csv", 0},
		"tabs":            {"timestamp\tname\tindex\n", "is no header of nvidia-smi --query-gpu --format=csv", 0},
		"no times":        {"name, index\n", "line 1: there is no column timestamp", 0},
		"bad time":        {head + "yesterday, NVIDIA L4, 0, 10 MiB\n", "line 2: timestamp", 0},
		"bad number":      {head + row + "2026/03/01 08:00:01.000, NVIDIA L4, 0, ten MiB\n", "line 3: memory.used", 1},
		"infinite":        {head + "2026/03/01 08:00:01.000, NVIDIA L4, 0, 1e999 MiB\n", "line 2: memory.used", 0},
		"wrong unit":      {head + "2026/03/01 08:00:01.000, NVIDIA L4, 0, 10 W\n", "line 2: memory.used", 0},
		"bad index":       {head + "2026/03/01 08:00:01.000, NVIDIA L4, -1, 10 MiB\n", "line 2: index", 0},
		"cut in a line":   {head + row + "2026/03/01 08:00:01.000, NVIDIA L4\n", "line 3: 2 columns instead of 4", 1},
		"cut at the end":  {head + row + "2026/03/01 08:00:01.000, NVIDIA L4, 0, 1", "line 3: it is cut off", 1},
		"message": {head + row + "Unable to determine the device handle for GPU 0000:3B:00.0: GPU is lost.\n",
			"line 3: 1 columns instead of 4", 1},
		"back in time": {head + row + "2026/03/01 07:00:00.000, NVIDIA L4, 0, 10 MiB\n",
			`line 3: timestamp: "2026/03/01 07:00:00.000" is before`, 1},
		"cards alike": {"timestamp, name, memory.used [MiB]\n2026/03/01 08:00:00.001, NVIDIA L4, 1 MiB\n" +
			"2026/03/01 08:00:00.003, NVIDIA L4, 2 MiB\n", "line 3: nothing tells the cards apart", 0},
		"line without end": {head + strings.Repeat("x", 20<<10) + "\n", "line 2: it is longer", 0},
	} {
		t.Run(name, func(t *testing.T) {
			frames, err := framesOf(strings.NewReader(test.log), nil)
			if err == nil || !strings.Contains(err.Error(), test.want) || len(frames) != test.frames {
				t.Errorf("got %d frames and %v, want %d and %q", len(frames), err, test.frames, test.want)
			}
		})
	}
}

func TestALogIsPlayedLikeARecording(t *testing.T) {
	t.Setenv("TMPDIR", t.TempDir())
	path := filepath.Join(t.TempDir(), "report.csv")
	if err := os.WriteFile(path, []byte(missionLog), 0o600); err != nil {
		t.Fatal(err)
	}
	src, err := OpenLog(path, nil)
	if err != nil {
		t.Fatal(err)
	}
	f, err := src.Read(t.Context())
	if err != nil || f.Devices() != 2 {
		t.Errorf("got %+v, %v, want two devices", f, err)
	}
	if err := src.Close(); err != nil {
		t.Error(err)
	}
	if err := os.WriteFile(path, []byte(missionLog[:len(missionLog)-9]), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := OpenLog(path, nil); err == nil || !strings.HasPrefix(err.Error(), path+": line 5: it is cut off") {
		t.Errorf("of a log that is cut off: %v", err)
	}
	if left, _ := os.ReadDir(os.TempDir()); len(left) != 0 {
		t.Errorf("files are left: %v", left)
	}
}

func TestACardThatIsLostHasNoReadings(t *testing.T) {
	log := "timestamp, index, temperature.gpu, power.draw [W], enforced.power.limit [W]\n" +
		"2026/03/01 08:00:00, 0, 40, [GPU is lost], [GPU is lost]\n" +
		"2026/03/01 08:00:00, 1, 40, [Insufficient Permissions], 300.00 W\n"
	frames, err := framesOf(strings.NewReader(log), nil)
	if err != nil {
		t.Fatal(err)
	}
	want := []live.Device{
		{UUID: "#0", Vendor: "NVIDIA", Problem: "lost"},
		{UUID: "#1", Index: 1, Vendor: "NVIDIA", Hidden: []live.Metric{live.Power},
			Readings: map[live.Metric]live.Reading{live.Temperature: {Value: 40}, live.PowerLimit: {Value: 300}}},
	}
	if diff := cmp.Diff(want, frames[0].Hosts[0].Devices); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

// framesOf reads a log to its end or to an error, with which what came before is returned.
func framesOf(log io.Reader, zone *time.Location) (frames []live.Frame, err error) {
	for f, err := range logFrames(log, zone) {
		if err != nil {
			return frames, err
		}
		frames = append(frames, f)
	}
	return frames, nil
}

func FuzzLog(f *testing.F) {
	f.Add(missionLog)
	f.Add(smiOutput)
	f.Add("timestamp, index, pstate, clocks_throttle_reasons.active\n2026/03/01 08:00:00, 0, P8, 0x0000000000000004\n")
	f.Fuzz(func(t *testing.T, log string) {
		frames, err := framesOf(strings.NewReader(log), nil)
		if err != nil && !strings.Contains(err.Error(), "line") {
			t.Errorf("the error names no line: %v", err)
		}
		if err == nil && len(frames) == 0 {
			t.Error("neither frames nor an error")
		}
		for _, frame := range frames {
			seen := map[string]bool{}
			for _, d := range frame.Hosts[0].Devices {
				if d.UUID == "" || seen[d.UUID] {
					t.Errorf("UUID %q is empty or there twice", d.UUID)
				}
				seen[d.UUID] = true
			}
		}
	})
}

func BenchmarkLogOf4000Lines(b *testing.B) {
	var log strings.Builder
	log.WriteString(missionLog[:strings.IndexByte(missionLog, '\n')+1])
	for second := range 2000 {
		for card := range 2 {
			fmt.Fprintf(&log, "%s, NVIDIA GeForce RTX 4090, %d, 98 %%, 24564 MiB, 20011 MiB, 412.37 W\n",
				sampled.Add(time.Duration(second)*time.Second).Format(timeLayout), card)
		}
	}
	b.SetBytes(int64(log.Len()))
	for b.Loop() {
		if frames, err := framesOf(strings.NewReader(log.String()), nil); err != nil || len(frames) != 2000 {
			b.Fatal(len(frames), err)
		}
	}
}
